Object.assign(L, {
  chain: "Chain of states",
  transitions: "Transitions",
  rows: "Each row has the probabilities of the next state.",
  chainIs: "A circle is a state: the larger, the more of all steps are in it; the thicker its ring, the more often the next step stays. Arrows show where a state is left for: the wider, " +
      "the more often. An arrow has the colour of the state that it leaves. Ways that take less than 5 % of the departures of a state have no arrow.",
  lasts: " steps on average",
  stay: "A stay lasts ",
  goesTo: "next state",
  from: "state before",
  waysAre: function(name, before) {
    return "States of the step after one in " + name + (before ? ", and, in the long run, of the step before one: each column sums to 100 %." : ": they sum to 100 %.");
  },
  itself: " (stays)",
  others: function(n) { return n + " others"; },
  emissions: "Emissions",
  symbol: "symbol",
  symbols: "Symbols",
  after: "States after ",
  steps: " steps",
  step: " step",
  startingFrom: ", starting from ",
  begins: "; sequences begin in it with a probability of ",
  longRun: ". In the long run it has ",
  ofSteps: " of all steps.",
  bar: "narrow bar: here, wide bar: in all",
  overall: "in all",
  inState: "here",
  ribbons: "Example sequences",
  ofIt: " of it in ",
  all: "all",
  state: "state",
  probability: "probability",
  dimension: "dimension",
  firstOf: " sequences that were given; the others are not here.",
  number: "Each block is a stay in a state with its number.",
  relevance: "Relevance ",
  vector: "Means",
  deviation: "deviation",
  scale: "1: by probability; 0: by how much of the symbol is here"
});
const view = function() {
  const k = Math.min(C.length, F.transitions.length);
  // transitions[from][to]
  const P = F.transitions, stationary = F.stationary || weights, initial = F.initial || [];
  const ids = F.symbols || [], W = ids.map(function(id, i) {
    const n = (F.symbol_names || [])[i];
    return n ? T(n) : String(id);
  });
  const E = F.emissions || [], M = F.means || [];
  const vectors = M.length > 0;
  const variance = function(j, i) {
    const r = (F.variances || [])[F.variances.length === 1 ? 0 : j];
    if (!r) { return null; }
    const d = M[0].length;
    return r.length === 1 ? r[0] : r.length > d ? r[i * (i + 1) / 2 + i] : r[i];
  };
  const D0 = vectors ? range(M[0].length).map(function(i) {
    const n = (F.dimension_names || [])[i];
    return n ? T(n) : L.dimension + " " + (placeOf("means", i) + 1);
  }) :
                       [];
  const all = W.map(function(w, j) { return sum(E.map(function(r, i) { return (stationary[i] || 0) * r[j]; })); });
  defaults = {c: C[0].number, symbol: "", lambda: 60, n: 1};
  readState();
  state.lambda = Math.min(100, Math.max(0, state.lambda));
  state.n = Math.min(100, Math.max(1, Math.round(state.n)));
  const ranked = function(i) {
    const l = state.lambda / 100;
    return range(W.length)
        .filter(function(j) { return E[i][j] > 0; })
        .map(function(j) {
          return [j, Math.log(E[i][j]) - (1 - l) * Math.log(Math.max(all[j], 1e-12))];
        })
        .sort(function(a, b) { return b[1] - a[1]; })
        .map(function(x) { return x[0]; });
  };
  const mean = D0.map(function(n, d) { return sum(M.map(function(r, i) { return (stationary[i] || 0) * r[d]; })); });
  const deviation = D0.map(function(n, d) {
    return Math.sqrt(sum(M.map(function(r, i) { return (stationary[i] || 0) * ((r[d] - mean[d]) * (r[d] - mean[d]) + (variance(i, d) || 0)); })));
  });
  const finder = search(vectors ? D0 : W, vectors ? L.dimension : L.symbol, function(w) {
    if (w >= 0 && !vectors) {
      const at = E.map(function(r, i) { return (stationary[i] || 0) * r[w]; });
      state.c = C[at.indexOf(greatest(at))].number;
    }
  }, "symbol");
  const slider = h("input", {type: "range", min: 0, max: 100, step: 5}), out = h("output", {});
  slider.addEventListener("input", function() {
    state.lambda = Number(slider.value);
    draw();
  });
  const ahead = h("input", {type: "range", min: 1, max: 100, step: 1}), aheadOut = h("output", {});
  ahead.addEventListener("input", function() {
    state.n = Number(ahead.value);
    draw();
  });
  parts.push(function() {
    slider.value = state.lambda;
    out.textContent = (state.lambda / 100).toFixed(2);
    slider.setAttribute("aria-valuetext", out.textContent);
    ahead.value = state.n;
    aheadOut.textContent = state.n;
  });
  const matrix = h("div", {});
  parts.push(function() {
    const of = visible(60).filter(function(j) { return j < k; });
    clear(matrix).append(heat(L.transitions, of.map(function(j) { return String(C[j].number); }), of.map(named), function(a, b) {
      const i = of[a], j = of[b];
      return [
        P[i][j], percent(P[i][j]), named(i) + L.to + named(j) + ": " + number(P[i][j]) + " " + interval("transition", C[i].number, C[j].number)
      ];
    }, 1, {chosen: of.indexOf(place()), go: function(a) { go(of[a]); }}, what), visibleNote(60));
  });
  const emission = h("div", {});
  const within = function(i, j) {
    const x = interval("probability", C[i].number, ids[j]);
    return x === "" ? null : h("span", {class: "dim"}, " (" + x + ")");
  };
  parts.push(function() {
    const i = place(), w = finder.place();
    finder.input.value = state.symbol;
    if (vectors) {
      clear(emission).append(grid(L.vector, [L.dimension, L.inState, L.deviation, L.overall], D0.map(function(n, d) {
        const v = variance(i, d);
        return [bdi(n), number(M[i][d]) + " " + interval("mean", C[i].number, d + 1), v === null ? "" : number(Math.sqrt(v)), number(mean[d])];
      })));
      return;
    }
    const top = ranked(i).slice(0, 30), far = greatest(top.map(function(j) { return Math.max(all[j], E[i][j]); }));
    if (w >= 0) {
      const at = E.map(function(r, x) { return (stationary[x] || 0) * r[w]; }), best = at.indexOf(greatest(at));
      finder.say("'", bdi(W[w]), "': " + percent(at[best] / Math.max(1e-12, sum(at))) + L.ofIt, bdi(named(best)));
    }
    clear(emission).append(
        h("table", {class: "bars"}, h("caption", {class: "live"}, L.symbols),
          h("thead", {}, h("tr", {}, ...[L.symbol, L.inState, L.overall, h("span", {class: "dim"}, L.bar)].map(function(t, j) {
              return h("th", {scope: "col", class: j === 1 || j === 2 ? "num" : null}, t);
            }))),
          h("tbody", {}, ...top.map(function(j) {
            return h(
                "tr", {class: W[j] === state.symbol ? "hit" : null},
                h("th", {scope: "row"}, link(W[j], function() { finder.choose(j); })), h("td", {class: "num"}, percent(E[i][j]), within(i, j)),
                h("td", {class: "num dim"}, percent(all[j])),
                h("td", {}, bar(all[j] / far, E[i][j] / far)));
          }))));
  });
  const future = h("div", {});
  parts.push(function() {
    let p = range(k).map(function(j) { return j === place() ? 1 : 0; });
    for (let t = 0; t < state.n; t++) {
      const q = p;
      p = range(k).map(function(j) { return sum(range(k).map(function(i) { return q[i] * P[i][j]; })); });
    }
    clear(future).append(
        h("p", {class: "dim"}, L.after + state.n + (state.n === 1 ? L.step : L.steps) + L.startingFrom, bdi(named(place())), ":"),
        grid(L.after + state.n, [L.state, L.probability, ""], range(k).sort(function(a, b) { return p[b] - p[a]; }).slice(0, 6).map(function(j) {
          return [componentLink(j), percent(p[j]), bar(1, p[j])];
        })));
  });
  // Of the steps into state i in the long run, the share that comes from each state.
  const arrivals = function(i) {
    const flow = range(k).map(function(j) { return (stationary[j] || 0) * P[j][i]; }), total = k < C.length ? stationary[i] : sum(flow);
    return total > 0 ? flow.map(function(x) { return x / total; }) : null;
  };
  const panel = h("div", {});
  parts.push(function() {
    const i = place(), stay = P[i][i], before = arrivals(i);
    const within1 = function(j) {
      const x = interval("initial", C[j].number, 0);
      return x === "" ? "" : " (" + x + ")";
    };
    // The most frequent ones, and what is left of 100 %.
    const row = function(list) {
      const first = range(k).sort(function(a, b) { return list[b] - list[a]; }).slice(0, C.length > 7 ? 6 : 7);
      return first.map(function(j) { return [h("span", {}, componentLink(j), j === i ? L.itself : ""), percent(list[j])]; })
          .concat(C.length > 7 ? [[L.others(C.length - 6), percent(Math.max(0, 1 - sum(first.map(function(j) { return list[j]; }))))]] : []);
    };
    clear(panel).append(
        ...panelHead(i).filter(Boolean),
        h("p", {},
          L.stay + (stay < 1 ? number(1 / (1 - stay)) : L.all) + L.lasts + L.begins + percent(initial[i] || 0) + within1(i) + L.longRun + percent(stationary[i] || 0) +
              L.ofSteps),
        h("div", {class: "two ways"}, grid(L.goesTo, [L.goesTo, ""], row(P[i])), before === null ? "" : grid(L.from, [L.from, ""], row(before))),
        h("p", {class: "dim"}, bdi(L.waysAre(named(i), before !== null))),
        ...panelTail(
            i,
            vectors ? "SELECT * FROM models, tlv_means(model) m WHERE m.component = " + C[i].number + ";" :
                      "SELECT e.* FROM models, tlv_emissions(model) e WHERE e.state = " + C[i].number + " ORDER BY probability DESC LIMIT 30;")
            .filter(Boolean));
  });
  const given = examples.filter(function(x) { return x.path && x.path.length > 0; }), paths = given.slice(0, 20);
  const ribbons = h("div", {});
  if (paths.length > 0) {
    parts.push(function() {
      clear(ribbons).append(...paths.map(function(x) {
        const runs = [];
        x.path.forEach(function(c) {
          const r = runs[runs.length - 1];
          if (r && r[0] === c) {
            r[1]++;
          } else {
            runs.push([c, 1]);
          }
        });
        return h(
            "div", {}, h("p", {}, bdi(T(x.title) + " " + T(x.id)), h("span", {class: "dim"}, " " + x.path.length + L.steps + cutOf(x, "path"))),
            h("div", {class: "segments", role: "img", "aria-label": runs.slice(0, 50).map(function(r) { return r[0] + " x " + r[1]; }).join(", ")},
              ...runs.map(function(r) {
                return h(
                    "i", {
                      class: "b" + ((r[0] - 1) % 8 + 1) + (r[0] === state.c ? " on" : ""),
                      "width%": (100 * r[1] / x.path.length).toFixed(3),
                      title: named(indexOf(r[0])) + ", " + r[1] + L.steps
                    },
                    r[1] / x.path.length > 0.02 ? String(r[0]) : "");
              })));
      }), given.length > paths.length ? h("p", {class: "dim"}, paths.length + L.of + given.length + L.firstOf) : "");
    });
  }
  const csv = button(L.csv, function() {
    saveCsv("transitions", [["from", "to", "probability"]].concat(...range(k).map(function(i) {
      return range(k).map(function(j) { return [C[i].number, C[j].number, P[i][j]]; });
    })));
  });
  const figure = picture(), mapCard = plainMap();
  show(
      [finder.box, chips()],
      [
        figure === null ? null : card(L.chain, h("div", {class: "bar noprint"}, button(L.svg, function() { saveSvg("chain", figure); })),
                               h("div", {class: "scroll chain", tabindex: "0", role: "region", "aria-label": L.chain}, figure), h("p", {class: "dim"}, L.chainIs)),
        mapCard, mergeCard(), changeCard()
      ],
      [
        card(null, steps(csv), panel), card(L.transitions, h("p", {class: "dim"}, L.rows), matrix),
        card(
            L.emissions,
            vectors ? null : h("div", {class: "bar noprint"}, h("label", {}, L.relevance, slider, out), h("span", {class: "dim"}, L.scale)),
            emission),
        card(L.after.trim(), h("label", {class: "noprint"}, L.after, ahead, aheadOut, L.steps), future),
        paths.length === 0 ? null : card(L.ribbons, h("p", {class: "dim"}, L.number), ribbons)
      ]);
};
