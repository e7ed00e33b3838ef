Object.assign(L, {
  profile: "Profile",
  variable: "variable",
  apart: "separation",
  values: "values instead of differences",
  difference:
      "Difference from the mean of all in standard deviations of all rows: blue above, orange below. Variables that tell the components apart best come first: " +
      "by the proportion of their variance that lies between components.",
  ellipses: "Two dimensions",
  interval: "One dimension",
  across: "Across ",
  up: "Up ",
  line: "Two standard deviations to both sides of the means; points are rows that were given.",
  ellipse: "Ellipses of two standard deviations; points are rows that were given. The first two dimensions are those that tell the components apart best.",
  answers: "Answers",
  stacked: function(what) { return "Each bar is a " + what + ", and shows the probabilities of the answers in it. They sum to 100 %."; },
  mine: "What distinguishes it",
  twoAnswers: "If a question has two answers, only the second one is listed, or the one that you looked for: the differences of the other one are the opposite.",
  oneAnswer: "If a question has two answers, only the one that is more frequent in ",
  than: " than in ",
  listed: " is listed, or the one that you looked for.",
  versus: "Compared with ",
  everything: "all",
  cut: "The page has those variables that differ most between components: ",
  overlap: "Overlap of the two: ",
  overlapIs: " (100 %: their rows look the same; 0 %: every row shows which of the two it belongs to).",
  deviation: "deviation",
  degrees: "Degrees of freedom of the t distribution: ",
  dimension: "dimension",
  numeric: "number",
  viewOf: "view ",
  difference1: "difference in sd",
  sd: "Differences are in standard deviations (sd) of all rows; bars to the right: more than in ",
  points: function(n, given) { return " " + n + " of the " + given + " rows that were given are drawn."; }
});
const view = function() {
  // Every variable, or category of one, is an entry: {name, variable, m: of each component, v: variances or null, category}.
  const V = [], groups = [];
  // before: estimates of the model that come before the first of these.
  const addNumbers = function(field, variances, label, before) {
    const means = F[field];
    if (!means || means.length === 0) { return; }
    range(means[0].length).forEach(function(i) {
      const at = placeOf(field, i);
      V.push({
        name: label(i, at),
        item: before + at + 1,
        m: means.map(function(r) { return r[i]; }),
        v: variances === null ? null : C.map(function(c, j) { return variances(j, i); }),
        category: false,
        part: "mean",
        place: i
      });
    });
  };
  const addCategories = function(field, states, variableName, categoryName, before) {
    const tables = F[field];
    let at = 0, place = 0;
    states.forEach(function(size, j) {
      const group = {name: variableName(j), size: size, entries: []};
      for (let x = 0; x < size; x++, at++) {
        if (placeOf(field, place) !== at) { continue; }
        const k = place, e = {
          name: group.name + ": " + categoryName(at, x, k),
          short: categoryName(at, x, k),
          item: before + at + 1,
          m: tables.map(function(r) { return r[k]; }),
          v: null,
          category: true,
          part: "probability",
          group: group
        };
        place++;
        group.entries.push(e);
        V.push(e);
      }
      groups.push(group);
    });
  };
  const variance = function() {
    if (F.covariances && F.covariances.length > 0) {
      const d = F.means[0].length, full = F.covariances[0].length > d;
      return function(j, i) {
        const r = F.covariances[F.covariances.length === 1 ? 0 : j];
        return full ? r[i * (i + 1) / 2 + i] : r[i];
      };
    }
    if (F.variances && F.variances.length > 0) {
      return function(j, i) {
        const r = F.variances[F.variances.length === 1 ? 0 : j];
        return r.length === 1 ? r[0] : r[i];
      };
    }
    // Of directions every coordinate has about the variance 1 / concentration.
    return F.kappas ? function(j, i) { return 1 / Math.max(F.kappas[j], F.means[0].length); } : null;
  };
  const categoryNames = (F.category_names || []).map(function(n) { return n === null ? "" : T(n); });
  const categoryName = function(at, x, k) { return categoryNames[shownOf("category_names") === null ? at : k] || String(x); };
  addNumbers("means", variance(), function(i, at) {
    const n = (F.dimension_names || [])[i];
    return n ? T(n) : L.dimension + " " + (at + 1);
  }, 0);
  let offset = 0;
  [1, 2, 3].forEach(function(t) {
    const field = "means" + t, v = F["variances" + t], items = F["items" + t] || [], from = offset;
    if (!F[field] || F[field].length === 0) { return; }
    offset += lengthOf(field);
    if (v && v.length > 0) {
      addNumbers(field, function(j, i) { return v[j][i]; }, function(i, at) { return L.viewOf + t + ": " + (at + 1); }, from);
      return;
    }
    addCategories(
        field, [lengthOf(field)], function() { return L.viewOf + t; },
        function(at, x, k) { return categoryNames[from + at] ? categoryNames[from + at] : String(k < items.length ? items[k] : x); }, from);
  });
  if (F.probabilities && F.states) {
    addCategories("probabilities", F.states, function(j) {
      const n = (F.dimension_names || [])[j];
      return n ? T(n) : L.variable + " " + (j + 1);
    }, categoryName, 0);
  }
  if (F.scalar_means && F.scalar_means.length > 0) {
    const p = (F.states || []).length;
    addNumbers(
        "scalar_means", function(j, i) { return F.scalar_variances[j][i]; },
        function(i, at) {
          const n = (F.dimension_names || [])[p + at];
          return n ? T(n) : L.numeric + " " + (at + 1);
        },
        p);
  }
  const all = sum(weights) || 1;
  V.forEach(function(e) {
    e.mean = sum(e.m.map(function(x, j) { return weights[j] * x; })) / all;
    const between = sum(e.m.map(function(x, j) { return weights[j] * (x - e.mean) * (x - e.mean); })) / all;
    const within = e.category ? sum(e.m.map(function(x, j) { return weights[j] * x * (1 - x); })) / all :
        e.v === null          ? between :
                                sum(e.v.map(function(x, j) { return weights[j] * x; })) / all;
    e.apart = between + within > 0 ? between / (between + within) : 0;
    e.deviation = Math.sqrt(between + within);
    e.z = e.m.map(function(x) { return e.deviation > 0 ? (x - e.mean) / e.deviation : 0; });
  });
  V.sort(function(a, b) { return b.apart - a.apart; });
  groups.forEach(function(g) { g.apart = greatest(g.entries.map(function(e) { return e.apart; })); });
  groups.sort(function(a, b) { return b.apart - a.apart; });
  // Of two answers to a question one says all.
  const twoAnswers = function(e) { return e.category && e.group.size === 2 && e.group.entries.length === 2; };
  const listed = V.filter(function(e) { return !twoAnswers(e) || e === e.group.entries[1]; });
  // Blue and orange are more and less: the answer that is listed is blue, the other one grey, and more than two have other colours.
  const hue = function(g, j) { return "b" + (g.entries.length === 2 ? j : [3, 4, 7, 6, 8, 5][j % 6]); };
  const text = function(e, i) { return e.category ? percent(e.m[i]) : number(e.m[i]); };
  defaults = {c: C[0].number, variable: "", values: "", x: -1, y: -1, with: 0};
  readState();
  // Bhattacharyya coefficient of two components, over all variables of the page: independent ones, or with the covariances of the model.
  const packed = F.covariances && F.covariances.length > 0 && F.covariances[0].length > F.means[0].length;
  const solve = function(i, j) {
    const d = F.means[0].length, at = function(c, a, b) {
      const r = F.covariances[F.covariances.length === 1 ? 0 : c];
      return r[a * (a + 1) / 2 + b];
    };
    // Cholesky factors of both covariances and of their mean.
    const factor = function(cell) {
      const l = [];
      let log = 0;
      for (let a = 0; a < d; a++) {
        l.push([]);
        for (let b = 0; b <= a; b++) {
          let x = cell(a, b);
          for (let c = 0; c < b; c++) { x -= l[a][c] * l[b][c]; }
          l[a].push(a === b ? Math.sqrt(Math.max(x, 1e-300)) : x / l[b][b]);
        }
        log += 2 * Math.log(l[a][a]);
      }
      return [l, log];
    };
    const mean = factor(function(a, b) { return (at(i, a, b) + at(j, a, b)) / 2; }), x = [];
    for (let a = 0; a < d; a++) {
      let v = F.means[i][a] - F.means[j][a];
      for (let c = 0; c < a; c++) { v -= mean[0][a][c] * x[c]; }
      x.push(v / mean[0][a][a]);
    }
    const logs = [i, j].map(function(c) { return factor(function(a, b) { return at(c, a, b); })[1]; });
    return Math.exp(-(sum(x.map(function(v) { return v * v; })) / 8 + mean[1] / 2 - (logs[0] + logs[1]) / 4));
  };
  // log sum over m of (x / 2)^2m / (m! (n)_m): of it are the norming constants of von Mises-Fisher distributions in 2 n dimensions.
  const bessel = function(n, x) {
    let term = 0, most = 0, all = 1;
    for (let m = 1; m < 1e5; m++) {
      term += 2 * Math.log(x / 2) - Math.log(m * (n + m - 1));
      if (term > most) {
        all = all * Math.exp(most - term) + 1;
        most = term;
      } else {
        all += Math.exp(term - most);
      }
      if (term < most - 40) { break; }
    }
    return most + Math.log(all);
  };
  const directions = function(i, j) {
    const a = F.kappas[i], b = F.kappas[j], n = F.means[0].length / 2;
    const mean = Math.hypot(...F.means[i].map(function(x, d) { return (a * x + b * F.means[j][d]) / 2; }));
    return Math.max(a, b) > 5e4 || (F.shown || []).length > 0 ? null : Math.exp(bessel(n, mean) - (bessel(n, a) + bessel(n, b)) / 2);
  };
  const coefficient = function(i, j) {
    if (F.kappas) { return directions(i, j); }
    if ( packed && F.means[0].length > 60) { return null; }
    let log = 0;
    V.filter(function(e) { return !e.category && !(packed && e.part === "mean" && F.means); }).forEach(function(e) {
      if (e.v !== null) {
        const v = (e.v[i] + e.v[j]) / 2;
        log -= (e.m[i] - e.m[j]) * (e.m[i] - e.m[j]) / v / 8 + Math.log(v) / 2 - Math.log(e.v[i] * e.v[j]) / 4;
      }
    });
    groups.forEach(function(g) { log += Math.log(Math.min(1, sum(g.entries.map(function(e) { return Math.sqrt(e.m[i] * e.m[j]); })))); });
    return Math.exp(log) * (packed ? solve(i, j) : 1);
  };
  const overlap = function(i, j) {
    const x = coefficient(i, j);
    return x === null || isNaN(x) ? "" : h("p", {class: "dim"}, L.overlap + percent(x) + L.overlapIs);
  };
  const finder = search(V.map(function(e) { return e.name; }), L.variable, function() { return; }, "variable", null, function() {
    return profile.querySelector("tr[aria-selected=true]");
  });
  const instead = function(found, e) { return found !== undefined && found !== e && twoAnswers(e) && found.group === e.group; };
  let most = 40;
  const profile = h("div", {});
  const values = h("input", {
    type: "checkbox",
    on: {
      change: function() {
        state.values = values.checked ? "1" : "";
        draw();
      }
    }
  });
  parts.push(function() {
    values.checked = state.values !== "";
    finder.input.value = state.variable;
    // What was found is there instead of the other answer to its question.
    const found = V[finder.place()], first = new Set(listed.slice(0, most).filter(function(e) { return !instead(found, e); })), shown = visible(30),
          rows = V.filter(function(e) { return first.has(e) || e === found; });
    const t = heat(L.profile, shown.map(headOf).concat(L.apart), rows.map(function(e) { return e.name; }), function(r, j) {
      const e = rows[r];
      if (j === shown.length) { return [0, percent(e.apart)]; }
      const i = shown[j];
      return [
        e.z[i], state.values !== "" ? text(e, i) : signed(Number(e.z[i].toFixed(2))),
        named(i) + ", " + e.name + ": " + text(e, i) + " " + interval(e.part, C[i].number, e.item)
      ];
    }, 2, {chosen: rows.indexOf(found)}, L.variable + " / " + what);
    t.querySelectorAll("tr > :last-child").forEach(function(e) { e.classList.add("apart"); });
    clear(profile).append(t, visibleNote(30));
    if (listed.length > most) {
      profile.append(moreOf(40, most, listed.length, function() {
        most += 40;
        draw();
      }));
    }
  });
  // ---- ellipses of two dimensions
  const dims = V.filter(function(e) { return e.part === "mean" && F.means; });
  const plane = h("div", {});
  const covariance = function(j, a, b) {
    if (F.covariances && F.covariances.length > 0) {
      const r = F.covariances[F.covariances.length === 1 ? 0 : j], p = Math.max(a, b), q = Math.min(a, b);
      return r.length > F.means[0].length ? r[p * (p + 1) / 2 + q] : p === q ? r[p] : 0;
    }
    const v = variance();
    return a !== b ? 0 : v !== null ? v(j, a) : 1 / Math.max(F.kappas ? F.kappas[j] : 1, F.means[0].length);
  };
  const select = function(key) {
    return h(
        "select", {
          on: {
            change: function(ev) {
              state[key] = Number(ev.target.value);
              draw();
            }
          }
        },
        ...dims.slice(0, 300).map(function(e) { return h("option", {value: e.place}, e.name); }));
  };
  const selectX = select("x"), selectY = select("y");
  const drawPlane = function() {
    const d = dims.length, find = function(p, j) {
      const e = dims.find(function(x) { return x.place === p; });
      const best = dims.find(function(x) { return x.item === (D.plane || [])[j]; });
      return e === undefined ? best || dims[Math.min(j, d - 1)] : e;
    };
    const x = find(state.x, 0), y = find(state.y, 1), same = d < 2;
    selectX.value = x.place;
    selectY.value = y.place;
    const place2 = function(e) { return D.points ? D.points.at.indexOf(e.item - 1) + 2 : 0; }, across = place2(x), up = same ? across : place2(y);
    const points = across > 1 && up > 1 ? D.points.rows.filter(function(r) { return typeof r[across] === "number" && typeof r[up] === "number"; }) : [];
    const wide = 560, high = 420, reach = function(e) {
      const lo = [], up = [];
      C.forEach(function(c, i) {
        if (weights[i] > 0) {
          const r = 2.2 * Math.sqrt(Math.max(0, covariance(i, e.place, e.place)));
          lo.push(e.m[i] - r);
          up.push(e.m[i] + r);
        }
      });
      points.forEach(function(r) {
        const v = r[place2(e)];
        lo.push(v);
        up.push(v);
      });
      const a = -greatest(lo.map(function(v) { return -v; })), b = greatest(up);
      return b > a ? [a, b] : [a - 1, b + 1];
    };
    const rx = reach(x), ry = same ? [-1, 1] : reach(y);
    const px = function(v) { return wide * (v - rx[0]) / (rx[1] - rx[0]); }, py = function(v) { return high * (ry[1] - v) / (ry[1] - ry[0]); };
    const letters = 13 * enlarged(wide + 72), left = 2 + 5 * letters, rest = 2 * letters + 24;
    const frame = same ? "-6 -6 " + (wide + 12) + " " + (high + rest - 6) : -left + " -" + rest / 2 + " " + (wide + left + 6) + " " + (high + rest);
    const g = s("svg", {viewBox: frame, role: "group", "aria-label": L.ellipses + ": " + x.name + ", " + y.name});
    g.append(s("rect", {class: "frame", width: wide, height: high}));
    const list = [];
    C.forEach(function(c, i) {
      if (!(weights[i] > 0)) { return; }
      const sx = wide / (rx[1] - rx[0]), sy = high / (ry[1] - ry[0]);
      const a = covariance(i, x.place, x.place) * sx * sx, b = same ? 0 : -covariance(i, x.place, y.place) * sx * sy,
            v = same ? 400 : covariance(i, y.place, y.place) * sy * sy;
      const mid = (a + v) / 2, off = Math.hypot((a - v) / 2, b), turn = Math.atan2(2 * b, a - v) * 90 / Math.PI, cx = px(x.m[i]),
            cy = same ? high / 2 : py(y.m[i]);
      const e = s("ellipse", {
        class: "ellipse pick " + palette(c.number) + (c.number === state.c ? " on" : ""),
        cx: cx,
        cy: cy,
        rx: 2 * Math.sqrt(Math.max(0, mid + off)),
        ry: 2 * Math.sqrt(Math.max(0, mid - off)),
        transform: "rotate(" + turn.toFixed(1) + " " + cx.toFixed(1) + " " + cy.toFixed(1) + ")"
      },
                  s("title", {}, named(i)));
      g.append(e);
      list.push({e: e, on: c.number === state.c, label: named(i) + ", " + percent(weights[i]), act: function() { go(i); }});
      const b4 = partner(i);
      if (b4 && D.before.fields.means && !(D.before.fields.shown || []).length) {
        const r = D.before.fields.means[b4.number - 1];
        g.append(
            s("path", {class: "cross", d: "M" + px(r[x.place]) + " " + (same ? high / 2 : py(r[y.place])) + "m-5 -5l10 10m0 -10l-10 10"},
              s("title", {}, L.before + named(i))));
      }
    });
    points.forEach(function(r) {
      g.append(
          s("circle",
            {class: "point " + palette(r[0]) + (r[0] === state.c ? " on" : ""), r: 3.5, cx: px(r[across]), cy: same ? high / 2 : py(r[up])},
            s("title", {}, T(r[1]) + " " + named(indexOf(r[0])))));
    });
    C.forEach(function(c, i) {
      if (weights[i] > 0) {
        g.append(s("text", {class: "no", x: px(x.m[i]), y: (same ? high / 2 : py(y.m[i])) + 4, "text-anchor": "middle"}, String(c.number)));
      }
    });
    const words = function(x, y, anchor, text) { g.append(s("text", {x: x, y: y, "text-anchor": anchor, size: letters}, text)); };
    words(0, high + letters + 5, "start", number(rx[0]));
    words(wide, high + letters + 5, "end", number(rx[1]));
    words(wide / 2, high + letters + 5, "middle", shorten(x.name, 24));
    if (!same) {
      words(-6, letters - 3, "end", number(ry[1]));
      words(-6, high, "end", number(ry[0]));
      words(0, -8, "start", shorten(y.name, 40));
    }
    marks(list);
    const all = D.points ? D.points.given : 0;
    return h("figure", {}, g, h("figcaption", {}, (same ? L.line : L.ellipse) + (all > points.length ? L.points(points.length, all) : "")));
  };
  if (dims.length > 0) {
    parts.push(function() { redraw(plane, drawPlane); });
  }
  // ---- answers of every variable as stacked bars
  const stacks = h("div", {});
  let shownGroups = 12;
  if (groups.length > 0) {
    parts.push(function() {
      const w = finder.place(), wide = room() - (screenWide > 820 ? 130 : 100), of = groups.filter(function(g, j) { return j < shownGroups || (w >= 0 && V[w].group === g); });
      clear(stacks).append(...of.map(function(g) {
        return h(
            "div", {class: "stack"}, h("h3", {}, bdi(g.name)), ...visible(30).map(function(i) {
              return h(
                  "div", {class: "line"}, componentLink(i),
                  h("div", {
                    class: "segments",
                    role: "img",
                    "aria-label": named(i) + ": " + g.entries.map(function(e) { return e.short + " " + percent(e.m[i]); }).join(", ")
                  },
                    ...g.entries.map(function(e, j) {
                      return h(
                          "i", {
                            class: hue(g, j),
                            "width%": (100 * e.m[i]).toFixed(2),
                            title: e.short + " " + percent(e.m[i]) + " " + interval(e.part, C[i].number, e.item)
                          },
                          [e.short + " " + percent(e.m[i]), percent(e.m[i])].find(function(t) { return wide * e.m[i] > wideOf(t, 13) + 8; }) || "");
                    })));
            }),
            h("p", {class: "dim"},
              ...g.entries.map(function(e, j) { return h("span", {}, h("i", {class: "key " + hue(g, j)}), bdi(e.short), " "); })));
      }));
      stacks.append(visibleNote(30));
      if (groups.length > of.length) {
        stacks.append(moreOf(12, of.length, groups.length, function() {
          shownGroups += 12;
          draw();
        }));
      }
    });
  }
  const panel = h("div", {});
  let compared = 15;
  const kinds = {
    latent_classes: "tlv_categories",
    grade_of_membership: "tlv_categories",
    multiview: categoryNames.length > 0 || !F.variances1 ? "tlv_categories" : "tlv_means"
  };
  parts.push(function() {
    // Compared with the mean of all, or with one other component.
    const i = place(), other = state.with === state.c ? -1 : indexOf(state.with), apart = function(e) { return other < 0 ? e.z[i] : e.z[i] - e.z[other]; };
    const found = V[finder.place()], told = V.filter(function(e) {
            return !twoAnswers(e) || e === found || !instead(found, e) && (apart(e) > 0 || apart(e) === 0 && e === e.group.entries[1]);
          });
    const top = told.slice().sort(function(a, b) { return Math.abs(apart(b)) - Math.abs(apart(a)); }).slice(0, compared);
    const far = Math.max(1e-9, greatest(top.map(function(e) { return Math.abs(apart(e)); }))), others = function() { return other < 0 ? L.everything : bdi(named(other)); };
    const choice = h("select", {
      id: "versus",
      on: {
        change: function() {
          state.with = Number(choice.value);
          draw();
        }
      }
    },
                     h("option", {value: 0}, L.everything), ...C.filter(function(c, j) { return j !== i; }).slice(0, 300).map(function(c) {
                       return h("option", {value: c.number}, named(indexOf(c.number)));
                     }));
    choice.value = other < 0 ? 0 : state.with;
    clear(panel).append(
        ...panelHead(i).filter(Boolean), F.degrees && F.degrees.length > i ? h("p", {class: "dim"}, L.degrees + number(F.degrees[i])) : "",
        h("h3", {}, L.mine), C.length < 2 ? "" : h("label", {class: "noprint"}, L.versus, choice),
        other < 0 ? "" : overlap(i, other),
        h("p", {class: "dim"}, L.sd, others(), ". ", ...(V.some(twoAnswers) ? [L.oneAnswer, bdi(named(i)), L.than, others(), L.listed] : [])),
        grid(L.mine, [L.variable, named(i), other < 0 ? L.everything : named(other), L.difference1], top.map(function(e) {
          const more = [e.v === null ? "" : L.deviation + " " + number(Math.sqrt(e.v[i])), interval(e.part, C[i].number, e.item)].filter(Boolean);
          return [
            link(e.name, function() { finder.choose(V.indexOf(e)); }, {"aria-current": e.name === state.variable ? "true" : null}),
            h("span", {}, text(e, i), more.length === 0 ? null : h("span", {class: "dim"}, " (" + more.join("; ") + ")")),
            other >= 0 ? text(e, other) : e.category ? percent(e.mean) : number(e.mean), h("div", {class: "difference"}, sides(apart(e), far), h("span", {}, signed(Number(apart(e).toFixed(2)))))
          ];
        }), {class: "versus"}),
        told.length > compared ? moreOf(15, compared, told.length, function() {
          compared += 15;
          draw();
        }) : "",
        ...panelTail(i, "SELECT c.* FROM models, " + (kinds[T(D.kind)] || "tlv_means") + "(model) c WHERE c.component = " + C[i].number + ";")
            .filter(Boolean));
  });
  const csv = button(L.csv, function() {
    saveCsv("profile", [["variable", "component", "value", "difference"]].concat(...V.map(function(e) {
      return C.map(function(c, i) { return [e.name, c.number, e.m[i], e.z[i].toPrecision(4)]; });
    })));
  });
  const cut = (F.shown || []).map(function(x) { return x[1].length + L.of + x[0]; }).join(", ");
  const maps = [plainMap(), mergeCard(), changeCard()];
  show(
      [finder.box, cut === "" ? null : h("p", {class: "dim"}, L.cut + cut + "."), chips()],
      [
        dims.length === 0 ? null :
                            card(
                                dims.length < 2 ? L.interval : L.ellipses,
                                h("div", {class: "bar noprint"}, h("label", {}, L.across, selectX),
                                  dims.length < 2 ? null : h("label", {}, L.up, selectY), button(L.svg, function() { saveSvg("ellipses", plane); })),
                                plane),
        groups.length === 0 ? null : card(L.answers, h("p", {class: "dim"}, L.stacked(what)), stacks), ...(groups.length === 0 ? maps : [])
      ],
      [
        card(null, steps(csv), panel),
        card(L.profile, h("p", {class: "dim"}, L.difference, V.some(twoAnswers) ? " " + L.twoAnswers : ""), h("label", {class: "noprint"}, values, L.values), profile),
        ...(groups.length === 0 ? [] : maps)
      ]);
};
