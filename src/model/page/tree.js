Object.assign(L, {
  tree: "Tree",
  node: "node",
  lengths: "lengths of edges",
  wholeTree: "Whole tree",
  above: "Node above",
  leaves: "leaves",
  states: "states",
  dimensions: "dimensions",
  nodes: "Nodes",
  edge: "edge above",
  support: "support",
  length: "length",
  error: "standard error",
  correlation: "dependence",
  hidden: "hidden",
  same: "; the table of nodes has the same content",
  cut: "Number of clusters ",
  byNode: "one for each hidden node that leaves hang from",
  clusters: "Clusters",
  clustersAre: "The tree is cut where that leaves the least distances within clusters, as tlv_tree_clusters does.",
  newick: "Newick",
  farther: "Distance on the tree from the chosen leaf",
  from: "distance",
  drawing: "One line a leaf; a click on a node shows its part of the tree. Dashed edges have a support below 50 %.",
  table: "Probabilities given the node above"
});
const view = function() {
  const parent = F.parent, n = parent.length, observed = F.observed;
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
  const length = function(v) {
    const x = (F.length || [])[v];
    return x === null || x === undefined || !(x > 1e-9) ? 0 : x;
  };
  const children = range(n).map(function() { return []; });
  parent.forEach(function(p, v) {
    if (p >= 0) { children[p].push(v); }
  });
  const roots = range(n).filter(function(v) { return parent[v] < 0; });
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
  defaults = {c: 1, node: "", root: 0, lengths: "1", groups: 0};
  readState();
  state.c = 1;
  const mostGroups = Math.min(observed, 60);
  state.groups = Math.min(mostGroups, Math.max(0, Math.round(state.groups)));
  // Before a node is chosen, the panel is that of the largest tree.
  const root = roots.slice().sort(function(a, b) { return size[b] - size[a]; })[0];
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
    // A node that is observed has a line of its own, also where others hang from it.
    const y = new Map(), line = 17;
    let rows = 0;
    list.forEach(function(v) {
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
    const labels = greatest(list.map(function(v) { return wideOf(shorten(shown(v), 34), 13.5); })), branches = Math.max(140, room() - 30 - labels);
    const x = function(v) { return 10 + branches * (state.lengths !== "" ? (depth[v] - base) / far : level.get(v) / deepest); };
    const g =
        s("svg",
          {class: "tall", viewBox: "0 0 " + (30 + branches + labels) + " " + (24 + line * rows), role: "group", "aria-label": L.tree + L.same});
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
                  s("title", {}, name[v] + ", " + size[v] + " " + L.leaves));
      g.append(e);
      nodes.push({e: e, on: v === chosen(), label: shown(v) + ", " + size[v] + " " + L.leaves, act: pick});
      if (v < observed || shown(v) !== name[v]) {
        g.append(
            s("text", {class: path.has(v) ? "hit" : v < observed ? null : "name", x: x(v) + 9, y: y.get(v) + (v < observed ? 4.5 : -4)},
              shorten(shown(v), 34)));
      }
    });
    marks(nodes);
    return h("figure", {}, g, h("figcaption", {}, L.drawing));
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
    return n ? T(n) : String(x + 1);
  };
  const panel = h("div", {});
  lowerBar(panel, function() { return shown(chosen() < 0 ? root : chosen()); });
  parts.push(function() {
    const v = chosen() < 0 ? root : chosen();
    finder.input.value = state.node;
    const facts = [[L.leaves, String(size[v])], [F.gaussian ? L.dimensions : L.states, String(F.states[v])]];
    if (parent[v] >= 0) {
      facts.push(
          [L.edge, h("span", {}, link(name[parent[v]], function() { finder.choose(parent[v]); }))], [L.length, number(length(v))],
          [L.correlation, number(Math.exp(-length(v)))]);
      if (F.error && F.error[v] !== null && F.error[v] >= 0) { facts.push([L.error, number(F.error[v])]); }
      if (F.support && F.support[v] !== null && F.support[v] >= 0) { facts.push([L.support, percent(F.support[v])]); }
    }
    clear(panel).append(...[h("h2", {id: "chosen"}, bdi(shown(v)), v < observed ? "" : " (" + L.hidden + ")"), component(v) < 0 ? null : warnings(component(v)),
                            grid(name[v], ["", ""], facts)]
                            .filter(Boolean));
    const t = F.tables || [], d = F.states[v], p = parent[v] >= 0 ? F.states[parent[v]] : 1;
    if (!F.gaussian && t.length >= offsets[v + 1] && offsets[v + 1] - offsets[v] === d * p) {
      panel.append(
          h("h3", {}, L.table),
          heat(
              L.table, range(d).map(function(x) { return stateName(v, x); }),
              range(p).map(function(x) { return parent[v] >= 0 ? name[parent[v]] + " = " + stateName(parent[v], x) : name[v]; }), function(i, j) {
                const x = t[offsets[v] + j + d * i];
                return [x, percent(x)];
              }, 1));
    }
    if (v < observed) {
      const far = distances(v), others = range(observed)
                                             .filter(function(w) { return w !== v && far.has(w); })
                                             .sort(function(a, b) { return far.get(a) - far.get(b); })
                                             .slice(0, 12);
      if (others.length > 0) {
        panel.append(h("h3", {}, L.farther), grid(L.farther, [L.node, L.from], others.map(function(w) {
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
        [L.leaves, function(v) { return String(size[v]); }, function(v) { return size[v]; }, "num"],
        [L.length, function(v) { return parent[v] < 0 ? "" : number(length(v)); }, length, "num"],
        (F.support || []).some(function(x) { return x !== null && x >= 0; }) ? [
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
        card(null, panel),
        card(L.clusters, h("p", {class: "dim"}, L.clustersAre), h("label", {class: "noprint"}, L.cut, slider, out), clusters), card(L.nodes, h("div", {class: "bar noprint"}, csv), rows.box),
        card(L.newick, details(L.newick, h("code", {}, newick())))
      ]);
};
