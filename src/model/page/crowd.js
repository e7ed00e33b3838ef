Object.assign(L, {
  workers: "Workers",
  worker: "worker",
  accuracy: "accuracy",
  interval: "95 % interval",
  answers: "answers",
  remark: "remark",
  confusion: "Answers of ",
  everyone: "all workers",
  truth: "Rows are true classes, columns the answers given; a row sums to 1.",
  shares: "True answers",
  doubt: "Items in doubt",
  item: "item",
  sure: "certainty",
  likely: "most probable",
  confused: "Answers confused most often",
  answered: " answered ",
  trueClass: "true",
  answer: "answer",
  probability: "probability",
  ofClass: "class",
  onlyModel: "Only in the model.",
  names: "Names of workers and items are in this page: look before you send it on.",
  chance: "worse than chance",
  gold: " items have known answers.",
  drawing: "Drawing",
  pictured:
      "Above: true classes by rows, the answers of all workers by columns. Below: the least accurate workers with 95 % intervals; the dashed line is the accuracy of guessing.",
  note: "Accuracy: probability that an answer is right, over the classes as the model estimates them. Workers who copy each other count as one where that was found."
});
const view = function() {
  const k = C.length, workers = F.workers || [], items = F.items || [], answers = F.answers || [];
  const idName = new Map();
  (F.name_ids || []).forEach(function(id, i) { idName.set(id, T((F.names || [])[i])); });
  const called = function(id) { return idName.has(id) ? idName.get(id) : String(id); };
  const W = workers.map(function(id, i) {
    return {i: i, name: called(id), accuracy: (F.accuracy || [])[i], error: (F.accuracy_error || [])[i], n: (F.worker_answers || [])[i] || 0};
  });
  const place2 = function(g) { return (F.component_answers || [])[g]; };
  const head = range(k).map(function(
      g) { return names[g] !== ""               ? names[g] :
               answers[place2(g)] !== undefined ? called(answers[place2(g)]) :
                                                  String(g + 1); });
  // confusions are lists of k entries, one for each worker and answer; pool has one for each answer.
  const given = answers.length || k;
  const rate = function(w, g, a) {
    const r = w < 0 ? (F.pool || [])[a] : (F.confusions || [])[w * given + a];
    return r === undefined ? null : r[g];
  };
  const answerName = answers.map(function(id, a) {
    const g = (F.component_answers || []).indexOf(a);
    return g >= 0 ? head[g] : called(id);
  });
  defaults = {c: C[0].number, worker: ""};
  readState();
  const finder = search(W.map(function(w) { return w.name; }), L.worker, function() { return; }, "worker", null, function() { return confusion; });
  const chosen = function() { return finder.place(); };
  const confusion = h("div", {class: "opened"}), table2 = function(w) {
    return heat(L.confusion, answerName, head, function(g, a) {
      const x = rate(w, g, a);
      return x === null ? [0, ""] : [
        place2(g) === a ? x : -x, percent(x),
        head[g] + L.answered + answerName[a] + ": " + percent(x) + " " + (w < 0 ? "" : interval("probability", C[g].number, w * given + a + 1))
      ];
    }, 1, {chosen: place()});
  };
  parts.push(function() {
    const w = chosen();
    finder.input.value = state.worker;
    clear(confusion).append(
        h("h2", {}, L.confusion, bdi(w < 0 ? L.everyone : W[w].name)), h("p", {class: "dim"}, L.truth),
        w >= 0 && rate(w, 0, 0) === null ? h("p", {class: "dim"}, L.onlyModel) : table2(w));
    if (w >= 0) {
      confusion.append(
          h("p", {}, L.accuracy + " " + percent(W[w].accuracy) + ", " + W[w].n + " " + L.answers), h("h3", {}, L.confusion + L.everyone), table2(-1));
    }
  });
  const margin = function(w) {
    return w.error === null || w.error === undefined || w.error < 0 ?
        null :
        [Math.max(0, w.accuracy - 1.96 * w.error), Math.min(1, w.accuracy + 1.96 * w.error)];
  };
  const guesses = function(w) { return margin(w) !== null && margin(w)[1] < 1 / k; };
  const rows = table(
      L.workers,
      [
        [
          L.worker, function(w) { return link(w.name, function() { finder.choose(w.i === chosen() ? -1 : w.i); }); }, function(w) { return w.name; },
          null
        ],
        [L.accuracy, function(w) { return percent(w.accuracy); }, function(w) { return w.accuracy; }, "num"], [
          L.interval,
          function(w) {
            const m = margin(w);
            return m === null ? "" : percent(m[0]) + L.to + percent(m[1]);
          },
          function(w) {
            const m = margin(w);
            return m === null ? 0 : m[1] - m[0];
          },
          "num"
        ],
        [L.answers, function(w) { return String(w.n); }, function(w) { return w.n; }, "num"]
      ].concat(W.some(guesses) ? [[L.remark, function(w) { return guesses(w) ? h("strong", {}, L.chance) : ""; }, function(w) { return guesses(w) ? 1 : 0; }, null]] : []),
      W, function(w) { return w.i === chosen(); }, 1, true);
  parts.push(rows.draw);
  // ---- items in doubt: of the items that the model keeps, and of the examples
  const doubt = items
                    .map(function(id, i) {
                      const p = (F.posterior || [])[i];
                      if (!p || p.length < k) { return null; }
                      const best = p.indexOf(greatest(p));
                      return {name: called(id), sure: p[best], best: best};
                    })
                    .filter(Boolean)
                    .concat(examples.filter(function(x) { return typeof x.share === "number"; }).map(function(x) {
                      return {name: T(x.title) || T(x.id), sure: x.share, best: indexOf(x.component)};
                    }));
  const itemRows = table(
      L.doubt,
      [
        [L.item, function(x) { return bdi(x.name); }, function(x) { return x.name; }, null],
        [L.likely, function(x) { return componentLink(x.best); }, function(x) { return x.best; }, null],
        [L.sure, function(x) { return percent(x.sure); }, function(x) { return x.sure; }, "num"]
      ],
      doubt, function() { return false; }, 2, true);
  parts.push(itemRows.draw);
  const confused = [].concat(...range(k).map(function(g) {
                       return range(given).filter(function(a) { return a !== place2(g); }).map(function(a) { return [g, a, rate(-1, g, a) || 0]; });
                     }))
                       .sort(function(x, y) { return weights[y[0]] * y[2] - weights[x[0]] * x[2]; })
                       .slice(0, 8);
  const panel = h("div", {});
  parts.push(function() {
    const i = place();
    clear(panel).append(
        ...panelHead(i).filter(Boolean), h("h3", {}, L.confused), grid(L.confused, [L.trueClass, L.answer, L.probability], confused.map(function(x) {
          return [componentLink(x[0]), bdi(answerName[x[1]]), percent(x[2])];
        })),
        ...panelTail(i, "SELECT worker_name, accuracy, answers FROM models, tlv_workers(model) ORDER BY accuracy;").filter(Boolean));
  });
  const known = (F.known || []).filter(function(x) { return x === 1; }).length;
  const shares = h("div", {});
  parts.push(function() {
    clear(shares).append(
        grid(L.shares, [L.ofClass, L.share, ""], range(k).map(function(i) {
          return [componentLink(i), percent(weights[i]) + " " + interval("weight", C[i].number, 0), bar(1, weights[i])];
        })),
        ...(known > 0 ? [h("p", {class: "dim"}, known + L.gold)] : []));
  });
  const csv = button(L.csv, function() {
    saveCsv("workers", [["worker", "accuracy", "answers"]].concat(W.map(function(w) { return [w.name, w.accuracy, w.n]; })));
  });
  const figure = picture(), mapCard = plainMap();
  show(
      [h("p", {class: "warn", role: "note"}, L.names), finder.box, chips()],
      [
        card(L.workers, h("p", {class: "dim"}, L.note), h("div", {class: "bar noprint"}, csv), rows.box),
        figure === null ? null :
                          card(
                              L.drawing, h("div", {class: "bar noprint"}, button(L.svg, function() { saveSvg("workers", figure); })),
                              h("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": L.drawing}, figure), h("p", {class: "dim"}, L.pictured)),
        doubt.length === 0 ? null : card(L.doubt, itemRows.box), mapCard, changeCard()
      ],
      [card(null, confusion), card(L.shares, shares), card(null, steps(), panel)]);
};
