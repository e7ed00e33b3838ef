Object.assign(L, {
  drawing: "Drawing",
  matrix: "Matrix",
  variable: "variable",
  value: "value",
  size: "Entries by size; blue is positive, orange negative, the sign is in the number.",
  where: "Components by their entry for ",
  shapes: "Shape",
  axis: "places",
  modes: "mode ",
  alike: "Nearest, with their |cosine| (1: proportional, 0: nothing in common): ",
  explained: "explained",
  kurtosis: "kurtosis",
  factor: "Factors",
  factors: {factor_2: "mode 2", factor_3: "mode 3", core_2: "core of mode 2", core_3: "core of mode 3", core: "core"},
  norm: "norm",
  dimension: "dimension",
  unit: "unit ",
  cumulant: "cumulant",
  variance: "variance",
  partOf: "Part of: ",
  cut: "The page has the variables that differ most between components: ",
  uses: " of the rows use it"
});
const view = function() {
  // Entries of every component: {name, v: of each component, mode}.
  const V = [];
  const idName = new Map();
  (F.name_ids || []).forEach(function(id, i) { idName.set(id, T((F.names || [])[i])); });
  const itemName = function(mode, i) {
    const id = (F["items_" + mode] || [])[i];
    return idName.has(id) ? idName.get(id) : id === undefined ? String(i + 1) : String(id);
  };
  const dimension = function(i, at) {
    const n = (F.dimension_names || [])[i];
    return n ? T(n) : L.dimension + " " + (at + 1);
  };
  const add = function(field, label, mode) {
    const lists = F[field];
    if (lists && lists.length > 0) {
      range(lists[0].length).forEach(function(i) {
        const at = placeOf(field, i);
        V.push({name: label(i, at), v: C.map(function(c, j) { return lists[j] === undefined ? 0 : lists[j][i]; }), mode: mode, place: at});
      });
    }
  };
  add("mixing", dimension, 0);
  add("atoms", dimension, 0);
  if (F.factor_1 && F.factor_1.length === C.length && !F.core) {
    [1, 2, 3].forEach(function(m) { add("factor_" + m, function(i) { return L.modes + m + ": " + itemName(m, i); }, m); });
  }
  if (F.factor_1 && F.core) {
    add("factor_1", function(i) { return L.modes + "1: " + itemName(1, i); }, 1);
  }
  if (F.core_1) {
    add("core_1", function(i) { return L.modes + "1: " + itemName(1, i); }, 1);
  }
  if (F.edge_units) {
    const layers = F.layers || [], units = C.length, items = F.items || [];
    const child = new Map();
    F.edge_units.forEach(function(u, e) {
      const key = F.edge_children[e];
      if (!child.has(key)) { child.set(key, new Map()); }
      child.get(key).set(u, (F.edge_weights || [])[e] || 0);
    });
    child.forEach(function(m, key) {
      const unit = key - items.length, label = unit >= 0 ? (unit < C.length ? named(unit) : L.unit + (unit + 1)) :
          (F.item_names || [])[key]                      ? T(F.item_names[key]) :
                                                           String(items[key]);
      V.push({name: label, v: range(units).map(function(u) { return m.get(u) || 0; }), mode: 0, place: key, unit: unit});
    });
  }
  defaults = {c: C[0].number, variable: ""};
  readState();
  const largest = Math.max(1e-12, greatest(V.map(function(e) { return greatest(e.v.map(Math.abs)); })));
  // What is nothing but rounding errors is 0.
  V.forEach(function(e) { e.v = e.v.map(function(x) { return Math.abs(x) < 1e-9 * largest ? 0 : x; }); });
  const top = function(
      i) { return V.filter(function(e) { return e.v[i] !== 0; }).sort(function(a, b) { return Math.abs(b.v[i]) - Math.abs(a.v[i]); }); };
  // Where there are no distances: components whose entries are most nearly proportional, whatever their signs and lengths.
  const alike = function(i) {
    if (D.neighbours !== undefined) { return null; }
    const norm = function(j) { return Math.hypot(...V.map(function(e) { return e.v[j]; })); };
    const near = range(C.length)
                     .filter(function(j) { return j !== i && norm(i) * norm(j) > 0; })
                     .map(function(j) { return [j, Math.abs(sum(V.map(function(e) { return e.v[i] * e.v[j]; }))) / norm(i) / norm(j)]; })
                     .filter(function(x) { return x[1] >= 0.0005; })
                     .sort(function(a, b) { return b[1] - a[1]; })
                     .slice(0, 5);
    return near.length === 0 ? null : h("p", {class: "alike"}, L.alike, ...near.map(function(x, n) {
      return h("span", {}, n ? ", " : "", componentLink(x[0]), h("span", {class: "dim"}, " " + number(Number(x[1].toFixed(3)))));
    }));
  };
  const finder = search(V.map(function(e) { return e.name; }), L.variable, function() { return; }, "variable", null, function() { return found; });
  const figure = picture();
  // ---- the shape of a component along its places: a template or an atom
  const lines = F.templates || F.atoms, along = F.templates ? "templates" : "atoms";
  const shape = h("div", {});
  if (lines && lines.length > 0 && lines[0].length > 1) {
    parts.push(function() {
      const y = lines[place()] || [], n = y.length, side = Math.round(Math.sqrt(n)), most = Math.max(1e-12, greatest(y.map(Math.abs)));
      const tile = F.atoms && side * side === n && n >= 9 && !F.dimension_names && !(F.shown || []).length;
      const letters = 13 * (screenWide > 820 ? 1 : enlarged(620));
      const g = s("svg", {viewBox: -8 - 4 * letters + " -12 " + (568 + 4 * letters) + " " + (238 + 2 * letters), role: "img", "aria-label": L.shapes + ": " + named(place())});
      if (tile) {
        y.forEach(function(v, i) {
          g.append(
              s("rect", {
                class: v < 0 ? "negative" : "positive",
                x: 140 + 220 / side * (i % side),
                y: 220 / side * Math.floor(i / side),
                width: 220 / side,
                height: 220 / side,
                "fill-opacity": (Math.abs(v) / most).toFixed(3)
              },
                s("title", {}, number(v))));
        });
        g.append(s("rect", {class: "frame", x: 140, width: 220, height: 220}));
      } else {
        g.append(s("path", {class: "axis", d: "M0 110H540M0 0V220"}), s("path", {
                   class: "curve",
                   d: y.map(function(v, i) {
                         return (i ? "L" : "M") + (540 * placeOf(along, i) / Math.max(1, lengthOf(along) - 1)).toFixed(1) + " " + (110 - 100 * v / most).toFixed(1);
                       }).join("")
                 }));
        [[14, most], [116, 0], [218, -most]].forEach(function(p) { g.append(s("text", {x: -6, y: p[0], "text-anchor": "end", size: letters}, number(p[1]))); });
        [[0, "start", 1], [540, "end", lengthOf(along)]].forEach(function(p) { g.append(s("text", {x: p[0], y: 226 + letters, "text-anchor": p[1], size: letters}, String(p[2]))); });
      }
      clear(shape).append(h("figure", {}, g, h("figcaption", {}, n + " " + L.axis)));
    });
  }
  const panel = h("div", {}), using = {dictionary: L.uses, network: L.uses}[T(D.kind)];
  let most = 30;
  const extra = function(i) {
    const rows = [];
    [["kurtosis", L.kurtosis], ["cumulants", L.cumulant], ["variances", L.variance], ["scales", L.norm]].forEach(function(x) {
      if (F[x[0]] && F[x[0]][i] !== undefined && !Array.isArray(F[x[0]][i])) { rows.push([x[1], number(F[x[0]][i])]); }
    });
    const residual = F.residual === undefined ? fact("residual") : F.residual;
    if (residual !== null && (F.residual !== undefined || F.factor_1)) { rows.push([L.explained, percent(1 - residual * residual)]); }
    return rows.length === 0 ? null : grid(named(i), ["", ""], rows);
  };
  const sql = {
    ica: "tlv_mixing",
    dictionary: "tlv_atoms",
    convolution: "tlv_templates",
    cp: "tlv_factors",
    tucker: "tlv_factors",
    tensor_train: "tlv_tensor_core",
    network: "tlv_edges"
  };
  // Units of the layer above that a unit of a network is a member of.
  const above = function(i) {
    const e = V.find(function(x) { return x.unit === i; }), list = e === undefined ? [] : range(C.length).filter(function(u) { return e.v[u] !== 0; });
    return list.length === 0 ? null :
                               h("p", {}, L.partOf, ...list.slice(0, 12).map(function(u, n) { return h("span", {}, n ? ", " : "", componentLink(u)); }));
  };
  parts.push(function() {
    const i = place(), list = top(i);
    clear(panel).append(...panelHead(i, using).concat([above(i), shape, alike(i), extra(i)]).filter(Boolean));
    if (list.length > 0) {
      panel.append(
          h("p", {class: "dim"}, L.size),
          h("table", {class: "bars"}, h("caption", {class: "live"}, named(i)),
            h("thead", {},
              h("tr", {}, h("th", {scope: "col"}, L.variable), h("th", {scope: "col", class: "num"}, L.value), h("th", {scope: "col"}, ""))),
            h("tbody", {}, ...list.slice(0, most).map(function(e) {
              return h(
                  "tr", {class: e.name === state.variable ? "hit" : null},
                  h("th", {scope: "row"}, link(e.name, function() { finder.choose(V.indexOf(e)); })),
                  h("td", {class: "num"}, signed(e.v[i]), h("span", {class: "dim"}, " " + interval("mixing", C[i].number, e.place + 1))),
                  h("td", {}, sides(e.v[i], largest)));
            }))));
      if (list.length > most) {
        panel.append(moreOf(30, most, list.length, function() {
          most += 30;
          draw();
        }));
      }
    }
    panel.append(...panelTail(i, "SELECT t.* FROM models, " + sql[T(D.kind)] + "(model) t;").filter(Boolean));
  });
  const found = h("div", {class: "opened"});
  parts.push(function() {
    const w = finder.place();
    finder.input.value = state.variable;
    clear(found);
    if (w < 0) { return; }
    const e = V[w];
    found.append(card(
        h("span", {}, L.where, bdi(e.name)),
        grid(
            e.name, [what, L.value],
            range(C.length)
                .filter(function(i) { return e.v[i] !== 0; })
                .sort(function(a, b) { return Math.abs(e.v[b]) - Math.abs(e.v[a]); })
                .slice(0, 12)
                .map(function(i) {
                  return [componentLink(i), signed(e.v[i])];
                }))));
  });
  const matrixBox = h("div", {});
  let rowsMost = 40;
  if (V.length > 0) {
    parts.push(function() {
      const w = finder.place(),
            list = V.slice()
                       .sort(function(a, b) { return greatest(b.v.map(Math.abs)) - greatest(a.v.map(Math.abs)); })
                       .filter(function(e, j) { return j < rowsMost || e === V[w]; }),
            cols = visible(30);
      clear(matrixBox).append(heat(L.matrix, cols.map(headOf), list.map(function(e) { return e.name; }), function(r, j) {
        const i = cols[j];
        return [list[r].v[i], signed(list[r].v[i]), named(i) + ", " + list[r].name];
      }, largest, {chosen: list.indexOf(V[w])}, L.variable + " / " + what), visibleNote(30));
      if (V.length > rowsMost) {
        matrixBox.append(moreOf(40, rowsMost, V.length, function() {
          rowsMost += 40;
          draw();
        }));
      }
    });
  }
  // The other factors and the core of decompositions, side by side.
  const others = h("div", {});
  [["factor_2", 2], ["factor_3", 3], ["core_2", 2], ["core_3", 3], ["core", 0]].forEach(function(x) {
    const lists = F[x[0]];
    if (!lists || lists.length === 0 || V.some(function(e) { return e.mode === x[1] && x[1] > 0; })) { return; }
    // Rows are items; of a core they are pairs: two components, or a component and an item.
    const turned = x[0] === "core_2", columns = turned ? lists[0].length : lists.length, all = turned ? lists.length : lists[0].length;
    const value = function(i, j) { return turned ? lists[i][j] : lists[j][i]; };
    const pair = function(i, size, name) { return (Math.floor(i / size) + 1) + ", " + name(i % size); };
    const rows = range(Math.min(all, 60)), cols = range(Math.min(columns, 30)),
          big = Math.max(1e-12, greatest(lists.map(function(l) { return greatest(l.map(Math.abs)); })));
    others.append(
        h("h3", {}, L.factors[x[0]]),
        heat(
            L.factors[x[0]], cols.map(function(j) { return String(j + 1); }), rows.map(function(i) {
              return turned      ? pair(i, all / C.length, function(j) { return itemName(2, j); }) :
                  x[0] === "core" ? pair(i, F.factor_3.length, function(j) { return String(j + 1); }) :
                                    itemName(x[1], i);
            }),
            function(i, j) { return [value(i, j), signed(value(i, j))]; }, big));
  });
  const csv = button(L.csv, function() {
    saveCsv("entries", [["variable", "component", "value"]].concat(...V.map(function(e) {
      return C.map(function(c, i) { return [e.name, c.number, e.v[i]]; });
    })));
  });
  const mapCard = plainMap();
  const cut = (F.shown || []).map(function(x) { return x[1].length + L.of + x[0]; }).join(", ");
  show(
      [
        V.length === 0 ? null : finder.box, cut === "" ? null : h("p", {class: "dim"}, L.cut + cut + "."),
        chips()
      ],
      [
        figure === null ? null :
                          card(
                              L.drawing, h("div", {class: "bar noprint"}, button(L.svg, function() { saveSvg("drawing", figure); })),
                              h("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": L.drawing}, figure)),
        V.length === 0 ? null : card(L.matrix, matrixBox), others.firstChild ? card(L.factor, others) : null, mapCard, mergeCard(), changeCard()
      ],
      [card(null, steps(csv), panel), found]);
};
