Object.assign(L, {
  tree: "Tree",
  node: "node",
  lengths: "lengths of edges",
  wholeTree: "Whole tree",
  above: "Node above",
  leaves: "leaves below",
  states: "states",
  dimensions: "dimensions",
  nodes: "Nodes",
  edge: "node above",
  support: "support",
  lengthOf: "length of the edge to it",
  error: "standard error of the length",
  correlation: "dependence on it",
  supportOf: "support of the edge",
  edgesAre:
      "Dependence is the absolute correlation or, of variables with more than two states, the product of their canonical correlations. " +
          "The length of an edge is minus its logarithm: 0 if one of the two nodes determines the other.",
  supportIs: " Support: the proportion of trees of resampled rows that have this edge, too.",
  length: "length",
  hidden: "hidden",
  same: "; the table of nodes has the same content",
  cut: "Number of clusters ",
  byNode: "one for each hidden node that leaves hang from",
  clusters: "Clusters",
  clustersAre: "The tree is cut where that leaves the least distances within clusters, as tlv_tree_clusters does.",
  newick: "Newick",
  farther: function(n, all) { return "Distance on the tree from this variable" + (n < all ? ": the nearest " + n + " of " + all : ""); },
  fartherIs: "The sum of the lengths of the edges between the two; 0: one determines the other.",
  alone: ", joined to no other",
  from: "distance",
  drawing: "Leaves are variables, one on each line; circles with a ring are hidden nodes, and a click on one shows its part of the tree. The longer an edge, the weaker the dependence.",
  unnamed: " Some hidden nodes have no room for their names, which are in the table of nodes.",
  dashed: " Dashed edges have a support below 50 %.",
  table: "Probabilities given the node above",
  marginal: "Probabilities",
  paired: function(from) {
    return "Hidden nodes of both trees are paired by the variables beyond them, seen from " + from + ". The distance is the proportion of these variables that only one of the two has beyond it.";
  },
  elsewhere: function(n, all) { return "Variables that are joined to another hidden node than before: " + n + " of " + all; },
  joined: "joined to",
  joinedBefore: "before to",
  nodeBefore: "node before",
  then: "then ",
  notNow: "no longer there",
  fresh: "Only in this model: "
});
const view = function() {
  // Of a very large tree the page has the first nodes; one whose parent it has not stands alone.
  const parentsOf = function(f) { return f.parent.map(function(p) { return p < f.parent.length ? p : -1; }); };
  const parent = parentsOf(F), n = parent.length, observed = Math.min(F.observed, n);
  const name = range(n).map(function(v) { return (F.names || [])[v] ? T(F.names[v]) : v < observed ? "v" + (v + 1) : "h" + (v + 1 - observed); });
  // Components are the hidden nodes.  An example whose id is the name of a node gives it a second name, others give one to their component.
  const second = new Map();
  examples.forEach(function(x) {
    const v = x.id ? name.indexOf(T(x.id)) : -1;
    if (x.title) { second.set(v >= 0 ? v : observed + x.component - 1, T(x.title)); }
  });
  const component = function(v) { return v < observed ? -1 : indexOf(v - observed + 1); };
  const label = function(v) { return component(v) < 0 ? "" : names[component(v)]; };
  const shown = function(v) { return (label(v) === "" ? name[v] : label(v)) + (second.has(v) ? " - " + second.get(v) : ""); };
  // In the drawing; names that differ only where they are cut have their numbers.
  const drawn = function(v) {
    const t = shorten(shown(v), 34), more = F.parent[v] < 0 && children[v].length === 0 && n > 1 ? L.alone : "";
    return (t === shown(v) ? t : t + " (" + (v < observed ? v + 1 : "h" + (v + 1 - observed)) + ")") + more;
  };
  const length = function(v) {
    const x = (F.length || [])[v];
    return x === null || x === undefined || !(x > 1e-9) ? 0 : x;
  };
  const children = range(n).map(function() { return []; });
  parent.forEach(function(p, v) {
    if (p >= 0) { children[p].push(v); }
  });
  let roots = range(n).filter(function(v) { return parent[v] < 0; });
  // Depths and sizes without recursion: a long chain of nodes is a tree, too.
  const order = [], depth = range(n).map(function() { return 0; });
  roots.forEach(function(r) {
    const stack = [r];
    while (stack.length > 0) {
      const v = stack.pop();
      order.push(v);
      children[v].slice().reverse().forEach(function(w) {
        depth[w] = depth[v] + length(w);
        stack.push(w);
      });
    }
  });
  const size = range(n).map(function(v) { return v < observed ? 1 : 0; });
  order.slice().reverse().forEach(function(v) {
    if (parent[v] >= 0) { size[parent[v]] += size[v]; }
  });
  // Of several trees the largest comes first.
  roots = roots.sort(function(a, b) { return size[b] - size[a] || a - b; });
  defaults = {c: 1, node: "", root: 0, lengths: "1", groups: 0};
  readState();
  state.c = 1;
  const mostGroups = Math.min(observed, 60);
  state.groups = Math.min(mostGroups, Math.max(0, Math.round(state.groups)));
  // Before a node is chosen, the panel is that of the largest tree.
  const root = roots[0];
  const finder = search(name, L.node, function(v) {
    if (v >= 0) { state.root = inside(v) ? state.root : 0; }
  }, "node");
  const chosen = function() { return finder.place(); };
  const top = function() { return state.root >= 1 && state.root <= n ? state.root - 1 : -1; };
  const inside = function(v) {
    const r = top();
    if (r < 0) { return true; }
    for (let w = v; w >= 0; w = parent[w]) {
      if (w === r) { return true; }
    }
    return false;
  };
  const supported = (F.support || []).some(function(x) { return x !== null && x >= 0; });
  const drawing = h("div", {});
  const drawTree = function() {
    const r = top(), list = [], stack = (r >= 0 ? [r] : roots.slice()).reverse();
    while (stack.length > 0) {
      const v = stack.pop();
      list.push(v);
      children[v].slice().reverse().forEach(function(w) { stack.push(w); });
    }
    const path = new Set();
    for (let v = chosen(); v >= 0; v = parent[v]) { path.add(v); }
    // A node that is observed has a line of its own, also where others hang from it; there is a gap between trees.
    const y = new Map(), line = 17;
    let rows = 0;
    list.forEach(function(v) {
      if (parent[v] < 0 && rows > 0) { rows += 0.8; }
      if (v < observed || children[v].length === 0) { y.set(v, 12 + line * rows++); }
    });
    list.slice().reverse().forEach(function(v) {
      if (!y.has(v)) {
        const c = children[v].map(function(w) { return y.get(w); });
        y.set(v, sum(c) / c.length);
      }
    });
    const base = r >= 0 ? depth[r] : 0, far = Math.max(1e-9, greatest(list.map(function(v) { return depth[v] - base; })));
    const level = new Map();
    list.forEach(function(v) { level.set(v, v === r || parent[v] < 0 ? 0 : level.get(parent[v]) + 1); });
    const deepest = Math.max(1, greatest(list.map(function(v) { return level.get(v); })));
    const labels = greatest(list.map(function(v) { return wideOf(drawn(v), 13.5); })), branches = Math.max(140, room() - 30 - labels);
    // Names of hidden nodes are short, and to the left of them; labels to the right.
    const left = 12 + greatest(list.map(function(v) { return v >= observed && label(v) === "" && level.get(v) === 0 ? wideOf(name[v], 12) : 0; }));
    const x = function(v) { return left + branches * (state.lengths !== "" ? (depth[v] - base) / far : level.get(v) / deepest); };
    const g =
        s("svg",
          {class: "tall", viewBox: "0 0 " + (20 + left + branches + labels) + " " + (24 + line * rows), role: "group", "aria-label": L.tree + L.same});
    list.forEach(function(v) {
      if (v !== r && parent[v] >= 0) {
        g.append(
            s("path", {
              class: "edge" + (path.has(v) ? " hot" : "") +
                  ((F.support || [])[v] !== null && (F.support || [])[v] < 0.5 && (F.support || [])[v] >= 0 ? " weak" : ""),
              d: "M" + x(parent[v]).toFixed(1) + " " + y.get(parent[v]) + "V" + y.get(v) + "H" + x(v).toFixed(1)
            },
              s("title", {}, name[v] + ": " + number(length(v)))));
      }
    });
    // Names of hidden nodes that would cover a node or another name are left out; the rows of the drawing have lists of what is there.
    const taken = new Map(), rowOf = function(yy) { return Math.floor(yy / line); };
    const take = function(b) {
      range(rowOf(b[3]) - rowOf(b[1]) + 1).forEach(function(i) {
        const r = rowOf(b[1]) + i;
        taken.set(r, (taken.get(r) || []).concat([b]));
      });
    };
    const free = function(b) {
      return range(rowOf(b[3]) - rowOf(b[1]) + 1).every(function(i) {
        return (taken.get(rowOf(b[1]) + i) || []).every(function(o) { return b[0] >= o[2] || o[0] >= b[2] || b[1] >= o[3] || o[1] >= b[3]; });
      });
    };
    list.forEach(function(v) { take([x(v) - 5, y.get(v) - 5, x(v) + 5, y.get(v) + 5]); });
    let unnamed = false;
    const nameFits = function(v) {
      const b = [x(v) - 7 - wideOf(name[v], 12), y.get(v) - 14, x(v) - 7, y.get(v) - 4], fits = free(b) || path.has(v);
      if (fits) {
        take(b);
      } else {
        unnamed = true;
      }
      return fits;
    };
    const nodes = [];
    list.forEach(function(v) {
      const pick = function() {
        if (v < observed) {
          finder.choose(v);
        } else {
          state.root = top() === v ? 0 : v + 1;
          state.node = name[v];
          draw();
        }
      };
      const e = s("circle", {
        class: "pick" +
            (v === chosen()   ? " ring" :
                 v < observed ? " leaf" :
                                " inner"),
        cx: x(v),
        cy: y.get(v),
        r: v < observed ? 4 : 5
      },
                  s("title", {}, shown(v) + ", " + size[v] + " " + L.leaves));
      g.append(e);
      nodes.push({e: e, on: v === chosen(), label: shown(v) + ", " + size[v] + " " + L.leaves, act: pick});
      const before = v >= observed && shown(v) === name[v];
      if (v < observed || (before ? nameFits(v) : children[v].length > 0)) {
        g.append(
            s("text", {
              class: "pick" + (path.has(v) ? " hit" : "") + (v < observed ? "" : " name"),
              x: x(v) + (before ? -7 : 9),
              "text-anchor": before ? "end" : null,
              y: y.get(v) + (v < observed ? 4.5 : -4),
              on: {click: pick}
            },
              s("title", {}, shown(v)), drawn(v)));
      }
    });
    marks(nodes);
    return h("figure", {}, g, h("figcaption", {}, L.drawing + (supported ? L.dashed : "") + (unnamed ? L.unnamed : "")));
  };
  parts.push(function() { redraw(drawing, drawTree); });
  const lengths = h("input", {
    type: "checkbox",
    on: {
      change: function() {
        state.lengths = lengths.checked ? "1" : "";
        draw();
      }
    }
  });
  const back = button(L.wholeTree, function() {
    state.root = 0;
    draw();
  }), above = button(L.above, function() {
        const r = top();
        state.root = r >= 0 && parent[r] >= 0 ? parent[r] + 1 : 0;
        draw();
      });
  parts.push(function() {
    lengths.checked = state.lengths !== "";
    back.disabled = above.disabled = top() < 0;
  });
  // ---- the tree before, whose nodes have other numbers
  const graphOf = function(parent, observed, name) {
    const near = parent.map(function() { return []; });
    parent.forEach(function(p, v) {
      if (p >= 0) {
        near[p].push(v);
        near[v].push(p);
      }
    });
    // The hidden node that is nearest to each variable.
    const home = parent.map(function(p, v) { return v < observed ? -1 : v; }), queue = range(parent.length).slice(observed);
    for (let i = 0; i < queue.length; i++) {
      near[queue[i]].filter(function(w) { return home[w] < 0; }).forEach(function(w) {
        home[w] = home[queue[i]];
        queue.push(w);
      });
    }
    return {near: near, home: home, observed: observed, name: name, hidden: range(parent.length).slice(observed)};
  };
  // Nodes in an order in which each comes behind the one that it hangs from, seen from the given ones.
  const seenFrom = function(t, from) {
    const up = t.near.map(function() { return -2; }), order = [];
    from.concat(t.hidden).forEach(function(r) {
      if (up[r] !== -2) { return; }
      up[r] = -1;
      const stack = [r];
      while (stack.length > 0) {
        const v = stack.pop();
        order.push(v);
        t.near[v].filter(function(w) { return up[w] === -2; }).forEach(function(w) {
          up[w] = v;
          stack.push(w);
        });
      }
    });
    return {up: up, order: order};
  };
  // How many of the marked variables every node has beyond it.
  const beyond = function(t, seen, marked) {
    const n = t.near.map(function(x, v) { return marked.has(v) ? 1 : 0; });
    seen.order.slice().reverse().forEach(function(v) {
      if (seen.up[v] >= 0) { n[seen.up[v]] += n[v]; }
    });
    return n;
  };
  const compare = function(before) {
    const b4 = {parent: parentsOf(before), observed: Math.min(before.observed, before.parent.length), names: before.names};
    const labels = D.before.components.map(function(c) { return T(c.label); });
    const nameBefore = range(b4.parent.length).map(function(v) {
      return v >= b4.observed ? labels[v - b4.observed] || "h" + (v + 1 - b4.observed) : (b4.names || [])[v] ? T(b4.names[v]) : "v" + (v + 1);
    });
    const now = graphOf(parent, observed, name), was = graphOf(b4.parent, b4.observed, nameBefore);
    const old = new Map(range(b4.observed).map(function(v) { return [nameBefore[v], v]; })), common = range(observed).filter(function(v) { return old.has(name[v]); });
    const seen = seenFrom(now, common), seenBefore = seenFrom(was, common.map(function(v) { return old.get(name[v]); }));
    const there = new Map(common.map(function(v) { return [old.get(name[v]), v]; })), all = beyond(now, seen, new Set(common));
    // The variables beyond each node before, by their numbers now; a node has its own behind those of the nodes beyond it.
    const sets = was.near.map(function(x, v) { return there.has(v) ? [there.get(v)] : []; });
    seenBefore.order.slice().reverse().forEach(function(v) {
      if (seenBefore.up[v] >= 0) { sets[v].forEach(function(w) { sets[seenBefore.up[v]].push(w); }); }
    });
    const near = [];
    was.hidden.forEach(function(b) {
      const both = beyond(now, seen, new Set(sets[b]));
      near.push(...now.hidden.filter(function(a) { return both[a] > 0; })
                    .map(function(a) { return [a, b, 1 - both[a] / (all[a] + sets[b].length - both[a])]; })
                    .sort(function(x, y) { return x[2] - y[2]; })
                    .slice(0, 8));
    });
    // One to one, the nearest first.
    const to = new Map(), from = new Map();
    near.sort(function(x, y) { return x[2] - y[2]; }).forEach(function(x) {
      if (!to.has(x[0]) && !from.has(x[1])) {
        to.set(x[0], x);
        from.set(x[1], x[0]);
      }
    });
    const homeBefore = function(v) { return was.home[old.get(name[v])]; };
    return {
      name: nameBefore,
      pair: function(v) { return to.get(v); },
      pairOf: function(b) { return from.get(b); },
      home: function(v) { return now.home[v]; },
      homeBefore: homeBefore,
      common: common,
      moved: common.filter(function(v) { return homeBefore(v) >= 0 ? from.get(homeBefore(v)) !== now.home[v] : now.home[v] >= 0; }),
      fresh: range(observed).filter(function(v) { return !old.has(name[v]); }).concat(now.hidden.filter(function(v) { return !to.has(v); })),
      gone: range(b4.observed).filter(function(v) { return !there.has(v); }).concat(was.hidden.filter(function(v) { return !from.has(v); }))
    };
  };
  const change = D.before === undefined ? null : compare(D.before.fields);
  const nodeBefore = function(v) { return change.name[v]; };
  // A hidden node before, by the name that it has now: numbers of the two trees have nothing to do with each other.
  const hiddenBefore = function(b) {
    const v = b < 0 ? undefined : change.pairOf(b);
    return b < 0 ? L.none : v === undefined ? nodeBefore(b) + " (" + L.notNow + ")" : shown(v) + (shown(v) === nodeBefore(b) ? "" : " (" + L.then + nodeBefore(b) + ")");
  };
  const changeOf = function(v) {
    const b4 = v >= observed ? change.pair(v) : undefined;
    return b4 !== undefined                  ? change.name[b4[1]] + ", " + L.moved + " " + number(b4[2]) :
        change.common.indexOf(v) < 0         ? L.none :
        L.joined + " " + hiddenBefore(change.homeBefore(v));
  };
  const changeTables = function() {
    const nodeLink = function(v) { return v < 0 ? L.none : link(shown(v), function() { finder.choose(v); }); };
    const pairs = table(
        L.change,
        [
          [L.node, nodeLink, shown, null], [
            L.nodeBefore, function(v) { return bdi(change.pair(v) ? change.name[change.pair(v)[1]] : L.none); },
            function(v) { return change.pair(v) ? change.name[change.pair(v)[1]] : ""; }, null
          ],
          [
            L.moved, function(v) { return change.pair(v) ? number(change.pair(v)[2]) : ""; },
            function(v) { return change.pair(v) ? change.pair(v)[2] : 2; }, "num"
          ]
        ],
        range(n).slice(observed), function(v) { return v === chosen(); }, 2);
    const moved = table(
        L.elsewhere(change.moved.length, change.common.length),
        [
          [L.node, nodeLink, shown, null], [L.joined, function(v) { return nodeLink(change.home(v)); }, function(v) { return change.home(v) < 0 ? "" : shown(change.home(v)); }, null],
          [L.joinedBefore, function(v) { return bdi(hiddenBefore(change.homeBefore(v))); }, function(v) { return hiddenBefore(change.homeBefore(v)); }, null]
        ],
        change.moved, function(v) { return v === chosen(); }, 0, true);
    parts.push(pairs.draw, moved.draw);
    const only = function(text, list, called) {
      return list.length === 0 ? null : h("p", {}, text, ...list.slice(0, 40).map(function(v, j) { return h("span", {}, j ? ", " : "", bdi(called(v))); }), list.length > 40 ? ", ..." : "");
    };
    return card(
        L.change, h("p", {}, L.elsewhere(change.moved.length, change.common.length) + "."), change.moved.length === 0 ? null : moved.box,
        only(L.fresh, change.fresh, shown), only(L.gone, change.gone, nodeBefore),
        n === observed || change.common.length === 0 ? null : h("p", {class: "dim"}, L.paired(shown(change.common[0]))), n === observed ? null : pairs.box);
  };
  // ---- the panel of a node
  const offsets = [0];
  range(n).forEach(function(v) {
    const d = F.states[v], p = parent[v] >= 0 ? F.states[parent[v]] : 1;
    offsets.push(offsets[v] + (parent[v] >= 0 ? d * p : d));
  });
  const distances = function(v) {
    const d = new Map([[v, 0]]), stack = [v];
    while (stack.length > 0) {
      const w = stack.pop(), near = children[w].map(function(c) { return [c, length(c)]; }).concat(parent[w] >= 0 ? [[parent[w], length(w)]] : []);
      near.forEach(function(x) {
        if (!d.has(x[0])) {
          d.set(x[0], d.get(w) + x[1]);
          stack.push(x[0]);
        }
      });
    }
    return d;
  };
  // States of leaves have the names of their categories, others numbers.
  const before = range(observed).map(function(v) { return sum(F.states.slice(0, v)); });
  const stateName = function(v, x) {
    const n = v < observed ? (F.category_names || [])[before[v] + x] : undefined;
    return n ? T(n) : String(x);
  };
  const panel = h("div", {});
  lowerBar(panel, function() { return shown(chosen() < 0 ? root : chosen()); });
  parts.push(function() {
    const v = chosen() < 0 ? root : chosen();
    finder.input.value = state.node;
    const facts = (children[v].length === 0 ? [] : [[L.leaves, String(size[v])]]).concat([[F.gaussian ? L.dimensions : L.states, String(F.states[v])]]);
    if (parent[v] >= 0) {
      facts.push(
          [L.edge, link(shown(parent[v]), function() { finder.choose(parent[v]); })], [L.lengthOf, number(length(v))],
          [L.correlation, number(Math.exp(-length(v)))]);
      if (F.error && F.error[v] !== null && F.error[v] >= 0) { facts.push([L.error, number(F.error[v])]); }
      if (F.support && F.support[v] !== null && F.support[v] >= 0) { facts.push([L.supportOf, percent(F.support[v])]); }
    }
    clear(panel).append(...[h("h2", {id: "chosen", tabindex: -1}, bdi(shown(v)), v < observed ? "" : " (" + L.hidden + ")"), component(v) < 0 ? null : warnings(component(v)),
                            change === null ? null : h("p", {class: "dim"}, L.before, bdi(changeOf(v))),
                            grid(name[v], ["", ""], facts), parent[v] < 0 ? null : h("p", {class: "dim"}, L.edgesAre + (F.support && F.support[v] >= 0 && F.support[v] !== null ? L.supportIs : ""))]
                            .filter(Boolean));
    const t = F.tables || [], d = F.states[v], p = parent[v] >= 0 ? F.states[parent[v]] : 1;
    if (!F.gaussian && t.length >= offsets[v + 1] && offsets[v + 1] - offsets[v] === d * p) {
      const title = parent[v] >= 0 ? L.table : L.marginal;
      panel.append(
          h("h3", {}, title),
          heat(
              title, range(d).map(function(x) { return stateName(v, x); }),
              range(p).map(function(x) { return parent[v] >= 0 ? name[parent[v]] + " = " + stateName(parent[v], x) : name[v]; }), function(i, j) {
                const x = t[offsets[v] + j + d * i];
                return [x, percent(x)];
              }, 1));
    }
    if (v < observed) {
      const far = distances(v), others = range(observed)
                                             .filter(function(w) { return w !== v && far.has(w); })
                                             .sort(function(a, b) { return far.get(a) - far.get(b); });
      const title = L.farther(Math.min(12, others.length), others.length);
      if (others.length > 0) {
        panel.append(h("h3", {}, title), h("p", {class: "dim"}, L.fartherIs), grid(title, [L.node, L.from], others.slice(0, 12).map(function(w) {
                       return [link(shown(w), function() { finder.choose(w); }), number(far.get(w))];
                     })));
      }
    }
    if (component(v) >= 0) { panel.append(...[exampleList(component(v)), labelBox(component(v))].filter(Boolean)); }
    panel.append(sqlBox("SELECT e.* FROM models, tlv_tree_edges(model) e WHERE " + quote(name[v]) + " IN (parent, child);"));
  });
  // ---- clusters, as src/model/tree/clusters.c finds them: the edge is cut that takes most of the inertia away, again and again
  const isTop = function(v, off) { return parent[v] < 0 || off.has(v); };
  const inertia = function(pairs, n) { return n > 0 ? pairs / n : 0; };
  // Sums of every node over the leaves below it, and the node at the top of its part.
  const partSums = function(off) {
    const sums = range(n).map(function(v) { return {n: v < observed ? 1 : 0, distance: 0, pairs: 0, all: 0, top: v}; });
    order.slice().reverse().forEach(function(v) {
      if (isTop(v, off)) { return; }
      const own = sums[v], over = sums[parent[v]], reached = own.distance + own.n * length(v);
      over.pairs += own.pairs + over.n * reached + own.n * over.distance;
      over.distance += reached;
      over.n += own.n;
    });
    order.forEach(function(v) {
      const own = sums[v];
      own.all = own.distance;
      if (isTop(v, off)) { return; }
      own.top = sums[parent[v]].top;
      own.all = sums[parent[v]].all + length(v) * (sums[own.top].n - 2 * own.n);
    });
    return sums;
  };
  const bestCut = function(off) {
    const sums = partSums(off);
    let most = -1, best = -1;
    order.forEach(function(v) {
      const own = sums[v], part = sums[own.top], others = part.n - own.n;
      if (isTop(v, off) || own.n === 0 || others === 0) { return; }
      const pairs = part.pairs - own.pairs - others * own.distance - own.n * (own.all - own.distance);
      const gain = inertia(part.pairs, part.n) - inertia(own.pairs, own.n) - inertia(pairs, others);
      if (gain > most || best < 0) {
        most = gain;
        best = v;
      }
    });
    return best;
  };
  // Edges in the order in which they are cut.
  const cuts = [];
  const clustersOf = function(groups) {
    const lists = new Map();
    let top;
    if (groups > 0) {
      for (let v = 0; v >= 0 && cuts.length < groups - roots.length;) {
        v = bestCut(new Set(cuts));
        if (v >= 0) { cuts.push(v); }
      }
      const sums = partSums(new Set(cuts.slice(0, Math.max(0, groups - roots.length))));
      top = function(v) { return sums[v].top; };
    } else {
      const nearest = new Map();
      order.forEach(function(v) { nearest.set(v, v >= observed || parent[v] < 0 ? v : nearest.get(parent[v])); });
      top = function(v) { return nearest.get(v); };
    }
    range(observed).forEach(function(v) {
      if (!lists.has(top(v))) { lists.set(top(v), []); }
      lists.get(top(v)).push(v);
    });
    return Array.from(lists.values()).sort(function(a, b) { return b.length - a.length || a[0] - b[0]; });
  };
  const clusters = h("div", {});
  const slider = h("input", {
    type: "range",
    min: 0,
    max: mostGroups,
    step: 1,
    on: {
      input: function() {
        state.groups = Number(slider.value);
        draw();
      }
    }
  }),
        out = h("output", {});
  parts.push(function() {
    const lists = clustersOf(state.groups);
    slider.value = state.groups;
    out.textContent = state.groups > 0 ? String(lists.length) : L.byNode;
    slider.setAttribute("aria-valuetext", out.textContent);
    clear(clusters).append(
        h("ol", {class: "clusters"}, ...lists.map(function(l) {
          return h("li", {}, bdi(l.slice(0, 40).map(shown).join(", ") + (l.length > 40 ? ", ..." : "")));
        })),
        sqlBox("SELECT cluster, string_agg(variable_name, ', ') AS variables FROM models, tlv_tree_clusters(model" + (state.groups > 0 ? ", " + state.groups : "") +
               ") GROUP BY cluster ORDER BY cluster;"));
  });
  const newick = function() {
    const label = function(v) { return quote(name[v]); }, text = range(n);
    order.slice().reverse().forEach(function(v) {
      text[v] = (children[v].length > 0 ? "(" + children[v].map(function(w) { return text[w]; }).join(",") + ")" : "") + label(v) +
          (parent[v] >= 0 ? ":" + length(v) : "");
    });
    return roots.map(function(r) { return text[r] + ";"; }).join(" ");
  };
  const rows = table(
      L.node,
      [
        [L.node, function(v) { return link(shown(v), function() { finder.choose(v); }); }, function(v) { return shown(v); }, null],
        [L.leaves, function(v) { return children[v].length === 0 ? "" : String(size[v]); }, function(v) { return children[v].length === 0 ? 0 : size[v]; }, "num"],
        [L.length, function(v) { return parent[v] < 0 ? "" : number(length(v)); }, length, "num"],
        supported ? [
          L.support,
          function(v) {
            const x = (F.support || [])[v];
            return x === null || x === undefined || x < 0 ? "" : percent(x);
          },
          function(v) { return (F.support || [])[v] || 0; }, "num"
        ] : null
      ].filter(Boolean),
      range(n), function(v) { return v === chosen(); }, 1);
  parts.push(rows.draw);
  const csv = button(L.csv, function() {
    saveCsv("edges", [["node", "parent", "length"]].concat(range(n).map(function(v) {
      return [name[v], parent[v] >= 0 ? name[parent[v]] : "", length(v)];
    })));
  });
  show(
      [finder.box],
      [card(
          L.tree,
          h("div", {class: "bar noprint"}, back, above, h("label", {}, lengths, L.lengths), button(L.svg, function() { saveSvg("tree", drawing); })),
          h("div", {class: "scroll tree", tabindex: "0", role: "region", "aria-label": L.tree}, drawing))],
      [
        card(null, panel), change === null ? null : changeTables(),
        card(L.clusters, h("p", {class: "dim"}, L.clustersAre), h("label", {class: "noprint"}, L.cut, slider, out), clusters), card(L.nodes, h("div", {class: "bar noprint"}, csv), rows.box),
        card(L.newick, details(L.newick, h("code", {}, newick())))
      ]);
};
