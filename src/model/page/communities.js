Object.assign(L, {
  node: "node",
  main: "main",
  inChosen: "in the chosen",
  edges: "edges",
  others: "others",
  nodes: "Nodes",
  graph: "Graph",
  connect: "Connectivity",
  joined: "joined with",
  back: "in the other direction",
  aggregates: {directed: "tlv_digraph_agg", bipartite: "tlv_bigraph_agg"},
  noGraph: "No graph was given, so there is no drawing; the list has the nodes. With a drawing:",
  large: "The graph is too large to draw, with more than 2,000 nodes or 10,000 edges; the list has the nodes.",
  pies: "Pies show memberships in communities: ",
  grey: "grey: memberships below 1 %.",
  repeat: " Colours repeat after eight communities.",
  otherOnes: "memberships in other communities.",
  cells: "The stronger the colour, the more probable an edge (square root scale). A click on a square chooses the community of its row, and the bridges to that of its column. ",
  source: "sources",
  target: "targets",
  side: "Side ",
  ofNodes: " of the nodes",
  propensity: "propensity",
  overlap: "overlap",
  overlaps: "Overlap: of all memberships in the chosen community, the proportion that its nodes have in the other one.",
  within: "nodes with at least 10 % in both",
  bridge: "Bridges to other communities",
  between: "Bridges between ",
  anyOther: "Bridges to all others",
  noBridges: "No node has at least 10 % in both.",
  ringed: "Show them in the graph",
  rings: "Dashed ring: bridge between the two communities.",
  only: "colour only memberships in the chosen community",
  neighbours: "Joined with: ",
  nodeIn: function(n, edges) { return ": " + edges + (edges === "1" ? " edge" : " edges") + (n ? ", member of " : ""); },
  community: "community",
  membership: "membership",
  rate: "rate",
  probability: "probability",
  picture: "The graph: nodes as pies of their memberships. The list has the same content",
  chosenRow: "; the table has the numbers of the chosen one",
  and: " and ",
  lower: function(n) { return n + " nodes of lower degree are only in the model. "; },
  unknown: function(n) { return n + " nodes of the graph are not in the model."; },
  reached: "; arrow keys go from node to node, Enter chooses one"
});
const view = function() {
  const read = function(list, side) {
    return (list || []).map(function(n) {
      return {name: T(n[0]), degree: n[1], m: n[2].map(function(x) { return [x[0], x[1] / 1000]; }), x: n[3], y: n[4], propensity: n[5], side: side};
    });
  };
  const N = read(D.nodes, 0).concat(read(D.targets, 1)), two = D.targets !== undefined;
  N.forEach(function(n) {
    n.main = n.m.length ? n.m[0][0] : 0;
    n.top = n.m.length ? n.m[0][1] : 0;
    n.in = new Map(n.m.map(function(x) { return [x[0], x[1]]; }));
  });
  defaults = {c: C[0].number, node: "", show: "all", side: 0, with: 0};
  readState();
  const E = D.edges || [], near = N.map(function() { return []; });
  E.forEach(function(e) {
    near[e[0]].push(e[1]);
    near[e[1]].push(e[0]);
  });
  leave = function() { state.with = 0; };
  const other = function() { return state.with === state.c || indexOf(state.with) < 0 ? 0 : state.with; };
  // A bridge has a tenth or more of its memberships in the chosen community and in the other one, or any other.
  const least = function(n) {
    return n.m.length < 2 ? 0 : Math.min(n.in.get(state.c) || 0, other() ? n.in.get(other()) || 0 : n.m[n.m[0][0] === state.c ? 1 : 0][1]);
  };
  const across = function() { return N.filter(function(n) { return least(n) >= 0.1; }).sort(function(a, b) { return least(b) - least(a); }); };
  // A node is shown with its main community, a bridge between two communities with these.
  const finder = search(N.map(function(n) { return n.name; }), L.node, function(w) {
    if (w >= 0) {
      if (!other() || least(N[w]) < 0.1) {
        state.c = N[w].main || state.c;
        state.with = 0;
      }
      state.side = two ? N[w].side : 0;
    }
  }, "node", function() { return D.dropped ? [" " + L.lower(D.dropped)] : []; }, function() { return node; });
  const slice = function(cx, cy, r, a, b) {
    if (b - a > 0.9999) {
      return "M" + (cx - r) + " " + cy + "a" + r + " " + r + " 0 1 1 " + 2 * r + " 0a" + r + " " + r + " 0 1 1 " + -2 * r + " 0";
    }
    const x = function(t) { return (cx + r * Math.sin(2 * Math.PI * t)).toFixed(2) + " " + (cy - r * Math.cos(2 * Math.PI * t)).toFixed(2); };
    return "M" + cx + " " + cy + "L" + x(a) + "A" + r + " " + r + " 0 " + (b - a > 0.5 ? 1 : 0) + " 1 " + x(b) + "Z";
  };
  const pie = function(n, cx, cy, r) {
    const g = s("g", {class: "pie"});
    let a = 0;
    n.m.forEach(function(x) {
      g.append(s("path", {class: palette(x[0]), "data-m": x[0], d: slice(cx, cy, r, a, Math.min(1, a + x[1]))}));
      a = Math.min(1, a + x[1]);
    });
    if (a < 0.995) { g.append(s("path", {class: "rest", d: slice(cx, cy, r, a, 1)})); }
    return g;
  };
  // The graph is drawn once; later choices change classes only.
  const graph = h("div", {}), key = h("figcaption", {});
  const swatch = function(kind, text) { return h("span", {}, h("span", {class: "keep"}, h("i", {class: "key " + kind}), bdi(text)), " "); };
  const drawn = N.filter(function(n) { return typeof n.x === "number"; }).length > 0;
  if (drawn) {
    const ys = N.filter(function(n) { return typeof n.x === "number"; }).map(function(n) { return n.y; });
    const low = -greatest(ys.map(function(y) { return -y; })), high = greatest(ys);
    const zoom = Math.max(1, 12.5 / 22 * 1140 / room()), many = N.length > 400, r = many ? 6 : 15 * Math.min(1.3, Math.max(1, zoom / 1.4)), lines = [], pies = [], list = [];
    const g =
        s("svg",
          {
            viewBox: "-70 " + (low - 60 * zoom) + " 1140 " + (high - low + 120 * zoom),
            role: "group",
            "aria-label": L.picture + L.reached
          });
    E.forEach(function(e) {
      const line = s("line", {class: "edge", x1: N[e[0]].x, y1: N[e[0]].y, x2: N[e[1]].x, y2: N[e[1]].y});
      lines.push(line);
      g.append(line);
    });
    N.forEach(function(n, i) {
      if (typeof n.x !== "number") { return; }
      const p = pie(n, n.x, n.y, r);
      p.append(s("title", {}, n.name + ": " + n.m.map(function(x) { return x[0] + " " + percent(x[1]); }).join(", ")));
      list.push({
        e: p,
        on: false,
        label: n.name + ": " + n.m.map(function(x) { return x[0] + " " + percent(x[1]); }).join(", "),
        act: function() { finder.choose(i); }
      });
      pies[i] = p;
      g.append(p);
    });
    marks(list);
    // Pies are small on a phone: what is touched beside one is the nearest.
    g.addEventListener("click", function(ev) {
      if (ev.target.closest(".pie") !== null) { return; }
      const away = pies.map(function(p) {
        const b = p.getBoundingClientRect();
        return Math.hypot(b.left + b.width / 2 - ev.clientX, b.top + b.height / 2 - ev.clientY);
      });
      const i = range(N.length).reduce(function(x, y) { return (away[y] === undefined ? 1e9 : away[y]) < (away[x] === undefined ? 1e9 : away[x]) ? y : x; }, 0);
      if (away[i] < 22) { finder.choose(i); }
    });
    const over = s("g", {});
    g.append(over);
    const middle = {x: sum(N.map(function(n) { return n.x || 0; })) / N.length, y: sum(N.map(function(n) { return n.y || 0; })) / N.length};
    parts.push(function() {
      const w = finder.place(), one = state.show === "one", both = other() ? across() : [];
      const aside = function(n) { return both.length > 0 && both.indexOf(n) < 0 && n.main !== state.c && n.main !== other(); };
      clear(key).append(...(one ? [swatch("pa", named(place())), swatch("rest", L.otherOnes)] : [
        L.pies, ...range(Math.min(8, C.length)).map(function(j) {
          const same = C.filter(function(c) { return palette(c.number) === "p" + (j + 1); }).map(function(c) { return c.number; });
          return swatch("b" + (j + 1), same.slice(0, 3).join(", ") + (same.length > 3 ? ", ..." : ""));
        }),
        swatch("rest", L.grey), C.length > 8 ? L.repeat : ""
      ]), both.length > 0 ? " " + L.rings : "");
      lines.forEach(function(line, j) { line.setAttribute("class", "edge" + (E[j][0] === w || E[j][1] === w ? " hot" : "")); });
      pies.forEach(function(p, i) {
        p.setAttribute("class", "pie" + ((w >= 0 ? i !== w && near[w].indexOf(i) < 0 : aside(N[i])) ? " far" : "") + (one ? " one" : ""));
        p.querySelectorAll("[data-m]").forEach(function(e) { e.classList.toggle("in", Number(e.getAttribute("data-m")) === state.c); });
      });
      clear(over);
      const boxes = many ? [] : N.filter(function(n) { return typeof n.x === "number"; }).map(function(n) {
        return [n.x - r, n.y - r, n.x + r, n.y + r];
      });
      // colour: class of a square before the text.
      const label = function(text, x, y, small, kind, more, colour) {
        const size = zoom * small, square = colour === undefined ? 0 : size;
        const wide = square + wideOf(text, size), d = 24 * zoom, spots = [
          [x, y], [x, y - d], [x, y + d], [x + wide / 2, y], [x - wide / 2, y], [x, y - 2 * d], [x, y + 2 * d], [x + wide / 2, y - d],
          [x - wide / 2, y - d], [x + wide / 2, y + d], [x - wide / 2, y + d]
        ].concat(more === undefined ? [[x, y - 3 * d], [x, y + 3 * d]] : more(wide, size));
        const free = spots.map(function(p) {
                            return [Math.min(1060 - wide / 2, Math.max(-60 + wide / 2, p[0])), p[1]];
                          })
                         .find(function(p) {
                           const b = [p[0] - wide / 2, p[1] - size, p[0] + wide / 2, p[1] + 4];
                           return !boxes.some(function(o) { return b[0] < o[2] && o[0] < b[2] && b[1] < o[3] && o[1] < b[3]; });
                         });
        if (free === undefined) { return; }
        boxes.push([free[0] - wide / 2, free[1] - size, free[0] + wide / 2, free[1] + 4]);
        if (square > 0) {
          over.append(s("rect", {class: colour, x: free[0] - wide / 2, y: free[1] - 0.7 * size, width: 0.64 * size, height: 0.64 * size}));
        }
        over.append(s("text", {x: free[0] + square / 2, y: free[1], "text-anchor": "middle", class: kind, size: size}, text));
      };
      const ringed = both.filter(function(n) { return typeof n.x === "number"; });
      ringed.forEach(function(n) { over.append(s("circle", {class: "halo both", cx: n.x, cy: n.y, r: r + 6})); });
      if (w >= 0 && typeof N[w].x === "number") {
        over.append(s("circle", {class: "halo", cx: N[w].x, cy: N[w].y, r: r + 6}));
        label(N[w].name, N[w].x, N[w].y - r - 8, 20, "big");
        ringed.slice(0, 20).filter(function(n) { return n !== N[w]; }).forEach(function(n) { label(n.name, n.x, n.y - r - 8, 18, "big"); });
        near[w].filter(function(i) { return ringed.indexOf(N[i]) < 0; }).slice(0, 40).forEach(function(i) { label(N[i].name, N[i].x, N[i].y - r - 6, 18, "big dimmed"); });
        return;
      }
      ringed.slice(0, 20).forEach(function(n) { label(n.name, n.x, n.y - r - 8, 18, "big"); });
      // Names of communities are outside of their group, away from the middle of the drawing.
      [place()].concat(range(C.length).filter(function(i) { return i !== place(); })).forEach(function(i) {
        // Bridges are apart from the group.
        const all = N.filter(function(n) { return n.main === C[i].number && typeof n.x === "number"; }), inner = all.filter(function(n) { return n.top >= 0.5; });
        const own = inner.length > 0 ? inner : all;
        if (own.length === 0) { return; }
        const x = sum(own.map(function(n) { return n.x; })) / own.length, y = sum(own.map(function(n) { return n.y; })) / own.length;
        const dx = x - middle.x, dy = y - middle.y, size = Math.hypot(dx, dy) || 1;
        const out = greatest(own.map(function(n) { return (n.x - x) * dx / size + (n.y - y) * dy / size; })) + 34;
        label(shorten(named(i), 28), x + out * dx / size, Math.max(low - 34 * zoom, Math.min(high + 54 * zoom, y + out * dy / size + 6)), 22, "tag", function(wide, size) {
          // Else above, below or beside the nodes of the group.
          const xs = own.map(function(n) { return n.x; }), ys = own.map(function(n) { return n.y; }), right = greatest(xs) + r + 8 + wide / 2,
                left = -greatest(xs.map(function(v) { return -v; })) - r - 8 - wide / 2, top = -greatest(ys.map(function(v) { return -v; })) - r - 6,
                bottom = greatest(ys) + r + size;
          return [[x, top], [x, bottom], [right, y], [left, y], [x - wide / 2, top], [x + wide / 2, top], [x - wide / 2, bottom], [x + wide / 2, bottom]];
        }, one ? (i === place() ? "pa" : "rest") : palette(C[i].number));
      });
    });
    graph.append(h("figure", {}, g, key));
  } else {
    graph.append(h("p", {class: "dim"}, D.given_graph ? L.large : L.noGraph));
    if (!D.given_graph) {
      graph.append(h("code", {}, "SELECT tlv_html(model, graph => (SELECT " + (L.aggregates[D.graph] || "tlv_graph_agg") + "(src, dst) FROM edges)) FROM models;"));
    }
  }
  // Rows of the matrix as numbers; of many communities only the largest entries are here.
  const value = function(i, j) {
    if (D.connectivity) { return D.connectivity[i][j]; }
    const x = D.connectivity_largest[i].find(function(y) { return y[0] === j + 1; });
    return x === undefined ? 0 : x[1];
  };
  const listed = function(i, j) { return D.connectivity ? true : D.connectivity_largest[i].some(function(y) { return y[0] === j + 1; }); };
  const valueText = function(i, j) {
    const least = listed(i, j) ? 0 : D.connectivity_largest[i][D.connectivity_largest[i].length - 1][1];
    return least > 0 ? "<" + number(least) : number(value(i, j));
  };
  const matrix = h("div", {});
  const most = Math.max(1e-12, greatest(range(C.length).map(function(i) { return greatest(range(C.length).map(function(j) { return value(i, j); })); })));
  parts.push(function() {
    const of = visible(40), k = of.length, cell = 26, left = 30;
    const g = s("svg", {
      viewBox: "0 0 " + Math.max(380, left + k * cell + 2) + " " + (left + k * cell + 2),
      role: "img",
      "aria-label": L.connect + L.chosenRow
    });
    of.forEach(function(i, row) {
      g.append(
          s("text", {x: left - 6, y: left + (row + 0.68) * cell, "text-anchor": "end"}, String(C[i].number)),
          s("text", {x: left + (row + 0.5) * cell, y: left - 8, "text-anchor": "middle"}, String(C[i].number)));
      of.forEach(function(j, column) {
        g.append(
            s("rect", {
              class: "cell" + (C[i].number === state.c ? " hot" : "") + (C[i].number === state.c && C[j].number === other() ? " pair" : ""),
              x: left + column * cell,
              y: left + row * cell,
              width: cell,
              height: cell,
              "fill-opacity": (0.04 + 0.96 * Math.sqrt(value(i, j) / most)).toFixed(3),
              on: {
                click: function() {
                  state.c = C[i].number;
                  state.with = j === i ? 0 : C[j].number;
                  draw();
                  if (j !== i) { reveal(bridges); }
                }
              }
            },
              s("title", {}, named(i) + L.to + named(j) + ": " + valueText(i, j))));
      });
    });
    const to = indexOf(other()) < 0 ? place() : indexOf(other());
    clear(matrix).append(
        h("figure", {}, g, h("figcaption", {}, L.cells, h("strong", {}, bdi(named(place())), L.to, bdi(named(to)), ": " + valueText(place(), to)))),
        visibleNote(40));
  });
  const nodeLink = function(i) { return link(N[i].name, function() { finder.choose(i); }, {"aria-current": N[i].name === state.node ? "true" : null}); };
  const columns = [
    [L.node, function(n) { return nodeLink(N.indexOf(n)); }, function(n) { return n.name; }, null], [
      L.main,
      function(n) {
        return h(
            "span", {}, s("svg", {viewBox: "0 0 20 20", width: 18, height: 18, "aria-hidden": "true", class: "mini"}, pie(n, 10, 10, 9)),
            " " + n.main + " (" + percent(n.top) + ")");
      },
      function(n) { return n.main - n.top; }, "keep"
    ],
    [L.inChosen, function(n) { return percent(n.in.get(state.c) || 0); }, function(n) { return n.in.get(state.c) || 0; }, "num"],
    [L.edges, function(n) { return number(n.degree); }, function(n) { return n.degree; }, "num extra"], [
      L.others, function(n) { return n.m.slice(1, 4).map(function(x) { return x[0] + ":" + String.fromCharCode(160) + percent(x[1]); }).join(", "); },
      function(n) { return -n.top; }, null
    ]
  ];
  if (N.some(function(n) { return typeof n.propensity === "number"; })) {
    columns.splice(4, 0, [L.propensity, function(n) { return number(n.propensity); }, function(n) { return n.propensity || 0; }, "num"]);
  }
  const ofSide = function() { return N.filter(function(n) { return !two || n.side === state.side; }); };
  const rows = table(L.nodes, columns, ofSide(), function(n) { return n.name === state.node; }, 2);
  parts.push(function() { rows.set(ofSide()); });
  const bridges = h("div", {class: "bridges"});
  parts.push(function() {
    const to = other(), all = across();
    const shown = function(n) { return n.m.filter(function(x) { return x[0] === state.c || (to ? x[0] === to : x[1] >= 0.1); }); };
    clear(bridges).append(...(all.length === 0 && !to ? [] : [
      h("h3", {tabindex: -1}, ...(to ? [L.between, bdi(named(place())), L.and, bdi(named(indexOf(to)))] : [L.bridge])),
      to ? h("div", {class: "bar noprint"}, drawn && all.length > 0 ? button(L.ringed, function() { graph.scrollIntoView({block: "nearest"}); }) : null, button(L.anyOther, function() {
             state.with = 0;
             draw();
           })) :
           null,
      all.length === 0 ? h("p", {}, L.noBridges) : null, ...partOf("bridges", all, to ? 10 : 5, function(part) {
        return h("ul", {class: "plain"}, ...part.map(function(n) {
          return h(
              "li", {}, nodeLink(N.indexOf(n)),
              h("span", {class: "dim"}, ...shown(n).map(function(x, j) { return h("span", {}, j ? ", " : " ", bdi(named(indexOf(x[0]))), ": " + percent(x[1])); })));
        }));
      })
    ].filter(Boolean)));
  });
  // The most that two communities overlap of which no node keeps both memberships: the page has those from .01 on.
  const mostOverlap = function(i, j) { return weights[i] > 0 ? Math.min(1, 0.01 * (1 + weights[j] / weights[i])) : 1; };
  // Overlap of communities i and j: sum of products of memberships, relative to the memberships of i.
  const overlap = function(i) {
    const shared = C.map(function() { return [0, 0]; }), own = C[i].number;
    let all = 0;
    N.forEach(function(n) {
      const mine = n.in.get(own) || 0;
      all += mine;
      n.m.forEach(function(x) {
        const j = indexOf(x[0]);
        shared[j][0] += mine * x[1];
        shared[j][1] += mine >= 0.1 && x[1] >= 0.1 ? 1 : 0;
      });
    });
    return range(C.length)
        .filter(function(j) { return j !== i; })
        .map(function(j) { return [j, shared[j][0] / all, shared[j][1]]; })
        .sort(function(a, b) { return b[1] - a[1]; });
  };
  const panel = h("div", {}), head = h("div", {}), node = h("div", {class: "opened"}), tail = h("div", {});
  parts.push(function() {
    const i = place(), w = finder.place(), over = overlap(i);
    finder.input.value = state.node;
    if (w >= 0) {
      finder.say(bdi(N[w].name), L.nodeIn(N[w].m.length, number(N[w].degree)), ...N[w].m.map(function(m, j) {
        return h("span", {}, j ? ", " : "", bdi(named(indexOf(m[0]))), ": " + percent(m[1]));
      }));
    } else if (state.node === "") {
      finder.say("");
    }
    const order = range(C.length).map(function(j) { return [value(i, j), j]; }).sort(function(a, b) { return b[0] - a[0]; });
    clear(head).append(...panelHead(i, L.ofNodes).filter(Boolean));
    clear(panel);
    if (over.length > 0) {
      panel.append(h("h3", {}, L.overlap.charAt(0).toUpperCase() + L.overlap.slice(1)), h("p", {class: "dim"}, L.overlaps), ...partOf("overlap", over, 12, function(part) {
        return grid(L.overlap, [L.joined, L.overlap, L.within], part.map(function(o) {
          return [
            componentLink(o[0]), o[1] > 0 ? percent(o[1]) : "<" + percent(mostOverlap(i, o[0])), o[2] === 0 ? "0" : button(String(o[2]), function() {
              state.with = C[o[0]].number;
              draw();
              reveal(bridges);
              bridges.firstChild.focus({preventScroll: true});
            }, {class: "link", "aria-current": C[o[0]].number === state.with ? "true" : null, "aria-label": L.between + named(i) + L.and + named(o[0]) + ": " + o[2]})
          ];
        }), {class: "overlap"});
      }).filter(Boolean));
    }
    panel.append(h("h3", {}, L.connect), ...partOf("connectivity", order, 12, function(part) {
      return grid(L.connect, [L.joined, D.poisson ? L.rate : L.probability].concat(two ? L.back : [], ""), part.map(function(o) {
        return [componentLink(o[1]), valueText(i, o[1])].concat(
            two ? valueText(o[1], i) : [], h("span", {class: "dim"}, interval("connectivity", C[i].number, C[o[1]].number)));
      }));
    }).filter(Boolean));
    const cut = measure("conductance", C[i].number);
    if (cut !== null) { panel.append(h("p", {class: "dim"}, L.conductance + number(cut))); }
    clear(node);
    if (w >= 0) {
      node.append(
          h("h3", {}, bdi(N[w].name), ", " + number(N[w].degree) + " " + L.edges),
          grid(N[w].name, [L.community, L.membership, ""], N[w].m.map(function(m) {
            return [componentLink(indexOf(m[0])), percent(m[1]), bar(1, m[1])];
          })),
          ...(near[w].length === 0 ? [] : partOf("neighbours", near[w], 40, function(part) {
            return h("p", {}, L.neighbours, ...part.map(function(v, j) { return h("span", {}, j ? ", " : "", nodeLink(v)); }));
          })).filter(Boolean));
    }
    const of = C[i].number, to = other();
    clear(tail).append(
        ...panelTail(
            i, to ? "SELECT node_name, min(membership) FROM models, tlv_memberships(model, 0.1) WHERE community IN (" + of + ", " + to +
                    ") GROUP BY node_name, side HAVING count(*) = 2 ORDER BY min(membership) DESC;" :
                    "SELECT node_name, membership FROM models, tlv_memberships(model, 0) WHERE community = " + of + " ORDER BY membership DESC;")
            .filter(Boolean));
  });
  const one = h("input", {
    type: "checkbox",
    on: {
      change: function() {
        state.show = one.checked ? "one" : "all";
        draw();
      }
    }
  });
  parts.push(function() { one.checked = state.show === "one"; });
  const csv = button(L.csv, function() {
    saveCsv("memberships", [["node", "community", "membership"]].concat(...N.map(function(n) {
      return n.m.map(function(x) { return [n.name, x[0], x[1]]; });
    })));
  });
  const sides = two ? h("label", {}, L.side,
                        h("select", {
                          on: {
                            change: function(ev) {
                              state.side = Number(ev.target.value);
                              draw();
                            }
                          }
                        },
                          h("option", {value: 0}, L.source), h("option", {value: 1}, L.target))) :
                      null;
  const notes = (D.dropped ? L.lower(D.dropped) : "") + (D.unknown ? L.unknown(D.unknown) : "");
  show(
      [finder.box, notes === "" ? null : h("p", {class: "dim"}, notes), chips()],
      [
        card(
            L.graph,
            drawn ? h("div", {class: "bar noprint"}, h("label", {}, one, L.only), button(L.svg, function() { saveSvg("graph", graph); })) : null, graph),
        card(L.connect, h("div", {class: "bar noprint"}, button(L.svg, function() { saveSvg("connectivity", matrix); })), matrix), mergeCard(), changeCard()
      ],
      [card(null, steps(), head, node, bridges, panel, tail), card(L.nodes, h("div", {class: "bar noprint"}, sides, csv), rows.box)]);
};
