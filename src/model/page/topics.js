Object.assign(L, {
  bar: "inner bar: in it, outer: in all",
  inIt: "in it",
  inAll: "in all",
  word: "word",
  topic: "topic",
  ofWord: "of the word",
  weight: "weight",
  wordsOf: "Words of ",
  ofIt: " of it in ",
  inTopic: " in ",
  often: " times in all",
  wordArea: ["Area: where the word '", "' comes from; the smallest circles are enlarged. Orange rings: the topic with the most of it, and those with half as much."],
  words: "words",
  distinctive: "Distinctive",
  relevance: "or by relevance: 0",
  most: "1",
  orders: {
    distinctive: " most distinctive words: much more probable here than in all documents; rare words come later",
    relevant: " words of greatest relevance: at 1 the most probable ones, at 0 those of which this topic has the greatest part"
  },
  sought: " looked for; not among the 30",
  rarer: function(n) { return " " + n + " rarer words are in the model, but not on the page. To look one up there: "; },
  table: "Topics",
  stop: "Words of many topics",
  stopHint: "Words of high probability in at least half of the topics are candidates for a list of stop words.",
  mean: " of a document on average",
  unit: "Weights are mean proportions of a document; counts of words are those of the documents. Counts in one topic are expected, so they have fractions."
});
const view = function() {
  const W = D.words.map(T), share = [], tokens = D.tokens || 0;
  D.shares.forEach(function(gap, w) { share.push(w === 0 ? gap : share[w - 1] - gap); });
  const P = C.map(function(c, i) {
    const m = new Map();
    let at = -1;
    D.p[i][0].forEach(function(gap, j) {
      at += gap;
      m.set(at, D.p[i][1][j] * 1e-7);
    });
    return m;
  });
  const bounds = C.map(function(c, i) {
    const m = new Map();
    let at = -1;
    D.p[i][0].forEach(function(gap, j) {
      at += gap;
      if (D.p[i].length > 2 && D.p[i][2][j] >= 0) { m.set(at, [D.p[i][2][j] * 1e-7, D.p[i][3][j] * 1e-7]); }
    });
    return m;
  });
  const all = function(w) { return share[w] * 1e-7; };
  const expected = function(w) { return share[w] * 1e-5 / Math.max(1, D.odds[w]); };
  // How much of the documents is this word of this topic: scaled by how much more frequent the word is than the model has it.
  const inner = function(i, w) { return Math.min(all(w), weights[i] * P[i].get(w) * D.odds[w] / 100); };
  const of = function(w) { return C.map(function(c, i) { return weights[i] * (P[i].get(w) || 0); }); };
  const part = function(i, w) { return P[i].has(w) && all(w) > 0 ? inner(i, w) / all(w) : 0; };
  // Of a topic that does not list the word, the most that it can have of it: what the other topics leave, below a twentieth.
  const unlisted = function(w) { return Math.max(0.001, Math.min(0.05, 1 - sum(range(C.length).map(function(i) { return part(i, w); })))); };
  const partText = function(i, w) { return P[i].has(w) ? percent(part(i, w)) : "<" + percent(unlisted(w)); };
  likeness = function(i, j) {
    const a = Math.max(i, j), b = Math.min(i, j);
    return D.cosines && D.cosines.length > a * (a - 1) / 2 + b ? L.cosine + number(D.cosines[a * (a - 1) / 2 + b] / 1000) : "";
  };
  // lambda -1: the distinctive order, the lift shrunk; else relevance.
  defaults = {c: C[0].number, lambda: -1, word: ""};
  readState();
  state.lambda = Math.min(100, Math.max(-1, state.lambda));
  const cache = new Map();
  const score = function(p, w, lambda) {
    return lambda < 0 ? p / (all(w) + D.shrinkage) : lambda * Math.log(p) + (1 - lambda) * Math.log(p / Math.max(expected(w), 1e-12));
  };
  const ranked = function(i, lambda, n) {
    const key = i + "/" + lambda;
    if (!cache.has(key)) {
      const r = [];
      P[i].forEach(function(p, w) { r.push([w, score(p, w, lambda)]); });
      if (cache.size > 400) { cache.clear(); }
      cache.set(key, r.sort(function(a, b) { return b[1] - a[1]; }).slice(0, 1000).map(function(x) { return x[0]; }));
    }
    return cache.get(key).slice(0, n);
  };
  const top = function(i, n) { return ranked(i, state.lambda / 100, n).map(function(w) { return W[w]; }).join(", "); };
  summary = function(i) { return top(i, 5); };
  // A word that was looked for leads to the topic that most of it comes from.
  const finder = search(W, L.word, function(w) {
    const o = w < 0 ? [] : of(w);
    if (w >= 0) { state.c = C[o.indexOf(greatest(o))].number; }
  }, "word", function(typed) {
    return D.dropped ? [L.rarer(D.dropped), h("code", {}, "SELECT topic, probability FROM models, tlv_topic_items(model) WHERE item_name = " + quote(typed) + " ORDER BY probability DESC;")] : [];
  });
  const chosen = function() {
    const w = finder.place();
    return w < 0 ? null : of(w);
  };
  parts.push(function() {
    finder.input.value = state.word;
    const w = finder.place();
    if (w < 0) {
      if (state.word === "") { finder.say(""); }
      return;
    }
    const o = of(w), k = o.indexOf(greatest(o));
    finder.say(
        "'", bdi(W[w]), "': " + percent(part(k, w)) + L.ofIt, bdi(named(k)),
        ...range(C.length)
            .filter(function(i) { return i !== k && part(i, w) >= 0.1; })
            .sort(function(a, b) { return o[b] - o[a]; })
            .slice(0, 3)
            .map(function(i) { return h("span", {}, ", " + percent(part(i, w)) + L.inTopic, bdi(named(i))); }),
        tokens ? "; " + count(all(w) * tokens) + L.often : "");
  });
  const slider = h("input", {type: "range", min: 0, max: 100, step: 5, value: 60});
  const out = h("output", {});
  const distinctive = button(L.distinctive, function() {
    state.lambda = state.lambda < 0 ? Number(slider.value) : -1;
    draw();
  });
  parts.push(function() {
    distinctive.setAttribute("aria-pressed", state.lambda < 0 ? "true" : "false");
    if (state.lambda >= 0) { slider.value = state.lambda; }
    out.textContent = state.lambda < 0 ? "" : "(" + (state.lambda / 100).toFixed(2) + ")";
    slider.className = state.lambda < 0 ? "off" : "";
    slider.setAttribute("aria-valuetext", out.textContent || L.distinctive);
  });
  slider.addEventListener("input", function() {
    state.lambda = Number(slider.value);
    draw();
  });
  const mapCard = map(
      function() {
        const w = chosen();
        return w === null ? weights : w;
      },
      function(i) {
        const w = chosen();
        return w !== null && w[i] >= 0.5 * greatest(w);
      },
      function() { return state.word !== "" && chosen() !== null ? [L.wordArea[0], bdi(state.word), L.wordArea[1]] : [L.area]; },
      function(i) { return top(i, 6); });
  const list = h("div", {});
  const rows = table(
      L.table,
      [
        [L.topic, componentLink, function(i) { return C[i].number; }, "first"],
        [L.weight, function(i) { return percent(weights[i]); }, function(i) { return weights[i]; }, "num"], [
          L.ofWord,
          function(i) {
            return chosen() === null ? "" : partText(i, finder.place());
          },
          function(i) {
            const w = chosen();
            return w === null ? 0 : w[i];
          },
          "num"
        ],
        [L.words, function(i) { return bdi(top(i, 5)); }, function(i) { return top(i, 1); }, null]
      ],
      range(C.length), function(i) { return C[i].number === state.c; }, 1);
  list.append(rows.box);
  parts.push(function() {
    list.className = chosen() === null ? "noword" : "";
    rows.draw();
  });
  const panel = h("div", {}), bars = h("div", {}), tail = h("div", {});
  parts.push(function() {
    const i = place(), first = ranked(i, state.lambda / 100, 30), unit = tokens || 1, sought = finder.place();
    // A word that was looked for is there, whether it is among the first or not.
    const best = sought < 0 || first.indexOf(sought) >= 0 ? first : [sought].concat(first), far = greatest(best.map(all));
    clear(bars).append(
        h("p", {class: "dim"}, first.length + (state.lambda < 0 ? L.orders.distinctive : L.orders.relevant)),
        h("table", {class: "bars"}, h("caption", {class: "live"}, L.wordsOf + named(i)),
          h("thead", {},
            h("tr", {}, h("th", {scope: "col"}, L.word), h("th", {scope: "col", class: "num"}, L.inIt),
              h("th", {scope: "col", class: "num"}, L.inAll), h("th", {scope: "col"}, h("span", {class: "dim"}, L.bar)))),
          h("tbody", {}, ...best.map(function(w) {
            const has = P[i].has(w), own = has ? inner(i, w) : 0, b = bounds[i].get(w), on = w === sought;
            const most = has ? "" : tokens ? "<" + count(Math.max(0.1, unlisted(w) * all(w) * unit)) : "";
            return h(
                "tr",
                {class: on ? "hit" : null, title: has ? "p " + number(P[i].get(w)) + (b ? ", " + L.intervals + number(b[0]) + L.to + number(b[1]) : "") : null},
                h("th", {scope: "row"}, link(W[w], function() {
                    state.word = on ? "" : W[w];
                    draw();
                  }, {"aria-pressed": on ? "true" : "false"}), first.indexOf(w) < 0 ? h("small", {class: "dim"}, L.sought) : null),
                h("td", {class: "num"}, !has ? most : tokens ? count(own * unit) : percent(P[i].get(w)),
                  b ? h("span", {class: "dim"},
                        " (" +
                            (tokens ? count(own * unit * b[0] / P[i].get(w)) + "-" + count(own * unit * b[1] / P[i].get(w)) :
                                      percent(b[0]) + "-" + percent(b[1])) +
                            ")") :
                      null),
                h("td", {class: "num dim"}, tokens ? (all(w) * unit).toFixed(0) : percent(all(w))), h("td", {}, bar(all(w) / far, own / far)));
          }))));
  });
  parts.push(function() {
    const i = place();
    clear(panel).append(...panelHead(i, L.mean).filter(Boolean));
    clear(tail).append(
        ...panelTail(
            i, "SELECT rank, item_name, probability FROM models, tlv_topic_items(model, top => 30" + (state.lambda < 0 ? "" : ", by => 'probability'") +
                ") WHERE topic = " + C[i].number + " ORDER BY rank;")
            .filter(Boolean));
  });
  const many = W.map(function(w, j) {
                  return [j, P.filter(function(p, i) { return (p.get(j) || 0) >= 0.001; }).length];
                })
                   .filter(function(x) { return x[1] >= Math.max(2, C.length / 2); })
                   .sort(function(a, b) { return b[1] - a[1]; });
  const stops = many.length === 0 ?
      null :
      card(L.stop, h("p", {class: "dim"}, L.stopHint), h("p", {}, ...many.slice(0, 40).map(function(x, j) { return h("span", {}, j ? ", " : "", bdi(W[x[0]]), " (" + x[1] + ")"); })),
           many.length > 40 ? h("p", {class: "dim"}, 40 + L.of + many.length) : null);
  const csv = button(L.csv, function() {
    const i = place();
    saveCsv(
        "topic-" + C[i].number, [["topic", "rank", "word", "probability", "share"]].concat(ranked(i, state.lambda / 100, 1000).map(function(w, j) {
          return [C[i].number, j + 1, W[w], P[i].get(w).toPrecision(6), all(w).toPrecision(6)];
        })));
  });
  show(
      [finder.box, h("p", {class: "dim"}, L.unit)], [mapCard, card(L.table, list), mergeCard(), changeCard(), stops],
      [card(
          null,
          steps(), panel,
          h("div", {class: "bar noprint"}, distinctive, h("label", {}, L.relevance, slider, L.most, out), csv,
            mapCard === null ? null : button(L.svg, function() { saveSvg("topics", mapCard); })),
          bars, tail)]);
};
