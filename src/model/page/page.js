"use strict";
// The shared script of all views.  Texts of the data are percent-encoded, and reach the document by textContent, append(text) and
// setAttribute of fixed names only.  L has all words that readers see.
const L = {
  find: "Find",
  key: "or press /",
  previous: "Previous",
  next: "Next",
  orMore: " or more",
  csv: "CSV",
  svg: "SVG",
  name: "Name it",
  nameOf: "Name of ",
  sql: "In SQL",
  forgets: "The page forgets names; this statement keeps them:",
  warning: "Warning",
  warnings: "warnings",
  nearest: function(far) { return "Nearest, with the distance (0: the same" + (far === "" ? "" : "; " + far + ": the two that differ most on this page") + "): "; },
  map: "Map",
  first: function(n, all) { return n + " of " + all + " are shown, the chosen one among them."; },
  keys: "; arrow keys go from one to the next",
  sameContent: "Drawing; the tables have the same content",
  example: "example",
  examples: "Examples",
  examplesOf: "Examples of ",
  shareOf: "share of ",
  id: "id ",
  noExamples: "No examples were given. To list examples here: ",
  of: " of ",
  given: " given",
  more: " more of ",
  before: "Before: ",
  change: "Change from the model before",
  share: "share",
  was: "share before",
  moved: "distance",
  movedBy: "distance (0: unchanged)",
  none: "none",
  gone: "Only in the model before: ",
  here: "Nothing of this name is on the page.",
  firstMatch: function(n) { return (n === 1 ? "The only match" : "The first of " + n + (n === 200 ? " or more" : "") + " matches") + " for '"; },
  match: " match",
  matches: " matches",
  upTo: "Up to Find",
  area: "Area: weight; the smallest circles are enlarged.",
  near: function(p) {
    return " Components that are near are alike, and directions have no meaning; two dimensions show " + p + " of the squared distances, so see the neighbours of a component, too.";
  },
  whole: function(what) { return " of all (weight of the " + what + ")"; },
  intervals: "95 %: ",
  to: " to ",
  about: "About the model",
  allFacts: "All measures of the fit: ",
  scores: "Scores of the numbers of components that were tried; the ring is the number of this model.",
  scoreNames: {
    held_out: "held-out log-likelihood (higher is better)",
    bic: "BIC (lower is better)",
    icl: "ICL (lower is better)",
    evidence: "evidence (higher is better)",
    p_enough: "p-value that no more are needed",
    residual_of: "residual (lower is better)"
  },
  merging: "How they merge",
  merged: function(far) {
    return "From left to right: the two most similar groups merge first, at their distance, and all are one at " + far + ". The farther to the right two lines join, the more they differ " +
        "(0: the same). In SQL, tlv_groups returns the groups.";
  },
  mergesAt: " merges at distance ",
  numberOf: "number of components ",
  text: "Text",
  recurs: "Recurs in fits to three quarters of the rows: distance (0: the same) ",
  recursNot: "Does not recur in fits to three quarters of the rows: distance (0: the same) ",
  conductance: "Conductance, the proportion of its edge ends whose edges leave it: ",
  cosine: "cosine "
};
const D = JSON.parse(document.getElementById("data").textContent);
const T = function(s) { return s === null || s === undefined ? "" : decodeURIComponent(s); };
const NL = String.fromCharCode(10);
const SVG = "http://www.w3.org/2000/svg";
const fill = function(e, attributes, children) {
  Object.keys(attributes || {}).forEach(function(k) {
    const v = attributes[k];
    if (v === null || v === undefined || v === false) { return; }
    if (k === "on") {
      Object.keys(v).forEach(function(t) { e.addEventListener(t, v[t]); });
    } else if (k === "width%") {
      e.style.width = v + "%";
    } else if (k === "left%") {
      e.style.left = v + "%";
    } else if (k === "size") {
      e.style.fontSize = v + "px";
    } else if (k === "shade") {
      e.style.setProperty("--shade", v);
    } else {
      e.setAttribute(k, v === true ? "" : String(v));
    }
  });
  children.forEach(function(c) {
    if (c !== null && c !== undefined) { e.append(c); }
  });
  return e;
};
const h = function(name, attributes, ...children) { return fill(document.createElement(name), attributes, children); };
const s = function(name, attributes, ...children) { return fill(document.createElementNS(SVG, name), attributes, children); };
const clear = function(e) {
  while (e.firstChild) { e.removeChild(e.firstChild); }
  return e;
};
const sum = function(a) { return a.reduce(function(x, y) { return x + y; }, 0); };
const greatest = function(a) { return a.reduce(function(x, y) { return Math.max(x, y); }, -Number.MAX_VALUE); };
const range = function(n) { return Array.from({length: n}, function(x, i) { return i; }); };
const percent = function(x) {
  const p = 100 * x;
  return (p >= 9.95 ? p.toFixed(0) : p >= 0.095 ? p.toFixed(1) : p > 0 ? "<0.1" : "0") + String.fromCharCode(160) + "%";
};
const count = function(x) { return x >= 9.95 ? x.toFixed(0) : x.toFixed(1); };
const number = function(x) {
  return x === null || x === undefined || !isFinite(x) ? "" :
      x === 0                                          ? "0" :
      Math.abs(x) >= 1e5 || Math.abs(x) < 1e-4         ? x.toExponential(2) :
                                                         String(Number(x.toPrecision(3)));
};
const signed = function(x) { return (x > 0 ? "+" : "") + number(x); };
const live = h("div", {class: "live", role: "status", "aria-live": "polite"});
const say = function(text) { live.textContent = text; };
const quote = function(text) { return "'" + text.split("'").join("''") + "'"; };
const csvCell = function(v) {
  let t = String(v);
  if (t !== "" && "=+-@".indexOf(t.charAt(0)) >= 0 && isNaN(Number(t))) { t = "'" + t; }
  return '"' + t.split('"').join('""') + '"';
};
const save = function(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], {type: type}));
  const a = h("a", {href: url, download: name});
  document.body.append(a);
  a.click();
  a.remove();
  setTimeout(function() { URL.revokeObjectURL(url); }, 1000);
};
const saveCsv = function(name, rows) { save(name + ".csv", "text/csv", rows.map(function(r) { return r.map(csvCell).join(","); }).join(NL)); };
// A picture that is used alone: what the style sheet gives becomes attributes, on the ground of the page.
const PAINT = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "paint-order", "opacity", "font-size", "font-family", "font-weight"
];
const saveSvg = function(name, box) {
  const from = box.querySelector("svg");
  if (from === null) { return; }
  const to = from.cloneNode(true);
  const a = [from].concat(Array.from(from.querySelectorAll("*"))), b = [to].concat(Array.from(to.querySelectorAll("*")));
  a.forEach(function(e, i) {
    const c = getComputedStyle(e);
    PAINT.forEach(function(k) { b[i].setAttribute(k, c.getPropertyValue(k)); });
    ["class", "tabindex", "role"].forEach(function(k) { b[i].removeAttribute(k); });
  });
  to.style.background = getComputedStyle(document.body).backgroundColor;
  save(name + ".svg", "image/svg+xml", new XMLSerializer().serializeToString(to));
};
const button = function(text, act, more) { return h("button", Object.assign({type: "button", on: {click: act}}, more || {}), text); };
const link = function(text, act, more) { return button(h("bdi", {}, text), act, Object.assign({class: "link"}, more || {})); };
const bdi = function(text) { return h("bdi", {}, text); };
const details = function(title, ...content) { return h("details", {class: "noprint"}, h("summary", {}, title), ...content); };
const card = function(title, ...content) { return h("div", {class: "card"}, title === null ? null : h("h2", {}, title), ...content); };
const bar = function(share, inner) {
  return h(
      "div", {class: "track", "aria-hidden": "true"}, h("i", {"width%": (100 * share).toFixed(2)}),
      inner === undefined ? null : h("i", {"width%": (100 * inner).toFixed(2)}));
};
// A number beside its bar, to the right of the middle above 0, to the left below.
const sides = function(x, largest) {
  const part = 50 * Math.min(1, Math.abs(x) / largest);
  return h("div", {class: "sides", "aria-hidden": "true"}, h("i", {
             class: x < 0 ? "minus" : "plus",
             "left%": (x < 0 ? 50 - part : 50).toFixed(2),
             "width%": part.toFixed(2)
           }));
};
// ---- components
const C = D.components, F = D.fields || {};
const what = T(D.what);
const names = C.map(function(c) { return T(c.label); });
const named = function(i) { return names[i] === "" ? what + " " + C[i].number : names[i] + " (" + C[i].number + ")"; };
// Places of the components that a matrix shows, at most so many: the first ones, and the chosen one; and a sentence where these are not all.
const visible = function(most) {
  return range(Math.min(C.length, most)).map(function(i) { return i === most - 1 && place() >= most ? place() : i; });
};
const visibleNote = function(most) { return C.length > most ? h("p", {class: "dim"}, L.first(most, C.length)) : ""; };
// The head of a narrow column.
const headOf = function(i) { return names[i] === "" ? String(C[i].number) : named(i); };
const weights = C.map(function(c) { return c.weight === null ? 0 : c.weight; });
const palette = function(c) { return "p" + ((c - 1) % 8 + 1); };
const examples = D.examples || [];
const intervals = new Map((D.intervals || []).map(function(x) { return [x[0] + "/" + x[1] + "/" + x[2], x]; }));
const interval = function(part, c, item) {
  const x = intervals.get(part + "/" + c + "/" + item);
  const text = ["mean", "mixing", "connectivity"].indexOf(part) >= 0 ? number : percent;
  return x === undefined || x[3] === null ? "" : L.intervals + text(x[3]) + L.to + text(x[4]);
};
// About n characters, with both ends, since names often differ at the end; and about how wide a text is: characters of East Asia are square.
const shorten = function(text, n) {
  const all = Array.from(text), tail = Math.floor(n / 3);
  return all.length > n + 1 ? all.slice(0, n - 2 - tail).join("") + "..." + all.slice(all.length - tail).join("") : text;
};
const wideOf = function(text, size) {
  return size * sum(Array.from(text).map(function(c) { return c.codePointAt(0) > 0x2e7f ? 1 : 0.58; }));
};
// Pixels that a drawing on the left has; below each other on a narrow screen.  The width is read once, since reading it lays the page out.
let screenWide = document.documentElement.clientWidth;
window.addEventListener("resize", function() { screenWide = document.documentElement.clientWidth; });
const room = function() { return screenWide > 820 ? (Math.min(screenWide, 1400) - 48) * 5 / 12 - 28 : screenWide - 48; };
// How much larger the letters of a drawing are that is smaller than its own size there.
const enlarged = function(wide) { return Math.max(1, 0.95 * wide / room()); };
// Distances of fits that are the same are rounding errors.
const distance = function(x) { return x < 0.001 ? "<0.001" : number(x); };
// The first rows of a list, and a button that shows the others, too; the key is that of the list, which stays as it is when something else is chosen.
const whole = new Set();
const partOf = function(key, rows, most, make) {
  const shown = whole.has(key) ? rows : rows.slice(0, most);
  return [make(shown), shown.length === rows.length ? null : h("p", {class: "noprint"}, moreOf(rows.length, most, rows.length, function() {
                                                               whole.add(key);
                                                               draw();
                                                             }))];
};
const moreOf = function(step, shown, all, act) { return button(Math.min(step, all - shown) + L.more + all, act); };
// A number among the facts, or null.
const fact = function(name) {
  const x = D.facts.find(function(f) { return T(f[0]) === name; });
  return x === undefined || isNaN(Number(T(x[1]))) ? null : Number(T(x[1]));
};
const measure = function(name, n) {
  const x = (D.measures || []).find(function(m) { return m[0] === name && m[1] === n; });
  return x === undefined ? null : x[2];
};
// Of a field of which the page has a part: how many entries the model has and the places of those that are here, from 0; else null.
const shownOf = function(field) {
  const a = (F.shown || []).find(function(x) { return x[2].indexOf(field) >= 0; });
  return a === undefined ? null : {all: a[0], places: a[1]};
};
// The place in the model of entry i of a field, and how many entries the model has.
const placeOf = function(field, i) { return shownOf(field) === null ? i : shownOf(field).places[i]; };
const lengthOf = function(field) { return shownOf(field) === null ? F[field][0].length : shownOf(field).all; };
// ---- the state, in the address after #, so that a view can be sent to somebody
const state = {};
let defaults = {};
const readState = function() {
  const p = new URLSearchParams(location.hash.slice(1));
  Object.keys(defaults).forEach(function(k) {
    const v = p.get(k);
    state[k] = v === null ? defaults[k] : typeof defaults[k] === "number" ? (isFinite(Number(v)) ? Number(v) : defaults[k]) : v;
  });
  state.c = C.some(function(c) { return c.number === state.c; }) ? state.c : defaults.c;
};
// What is chosen is a step of the history, so that Back leads to what was chosen before; where a slider is, is not.
let address = "";
const keepState = function(step) {
  const p = new URLSearchParams();
  Object.keys(state).forEach(function(k) {
    if (state[k] !== defaults[k] || k === "c") { p.set(k, state[k]); }
  });
  const old = address;
  address = "#" + p.toString();
  if (address === old) { return; }
  try {
    if (step) {
      history.pushState(null, "", address);
    } else {
      history.replaceState(null, "", address);
    }
  } catch (e) { return; }
};
const place = function() { return C.findIndex(function(c) { return c.number === state.c; }); };
// What is drawn again when something else is chosen.
const parts = [];
// What had the focus and is made again has it again, under the same id; where it is gone, the heading of what is chosen has it: by keyboard one
// goes on from there.
const draw = function(still) {
  const had = document.activeElement;
  parts.forEach(function(f) { f(); });
  const heading = document.getElementById("chosen");
  if (had !== null && !had.isConnected && document.activeElement === document.body) {
    const again = document.getElementById(had.id);
    if (again !== null) { again.focus({preventScroll: true}); }
    if (heading !== null && document.activeElement === document.body) { heading.focus({preventScroll: true}); }
  }
  keepState(still !== true && !(had !== null && had.type === "range"));
};
// Brings what was opened to where it is seen, if it is not.
const reveal = function(e) {
  if (e !== null && e.isConnected) { e.scrollIntoView({block: "nearest"}); }
};
// What tlv_summary says of a component.
let summary = function(i) { return T(C[i].text); };
let focus = null;
// What a view forgets when another component is chosen.
let leave = function() { return; };
const go = function(i, keep) {
  if (C[i].number !== state.c) { leave(); }
  state.c = C[i].number;
  draw();
  if (keep && focus !== null) { focus(i); }
  say(named(i) + " " + summary(i));
};
const arrows = function(ev) {
  const d = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[ev.key];
  if (d) {
    ev.preventDefault();
    go((place() + d + C.length) % C.length, true);
  } else if (ev.key === "Home") {
    ev.preventDefault();
    go(0, true);
  } else if (ev.key === "End") {
    ev.preventDefault();
    go(C.length - 1, true);
  }
};
// ---- marks of a drawing by keyboard: Tab goes to the chosen one, arrows to the nearest in their direction, Enter and the space bar choose
const marks = function(list) {
  const centre = function(e) {
    const b = e.getBoundingClientRect();
    return [b.left + b.width / 2, b.top + b.height / 2];
  };
  const step = function(from, dx, dy) {
    const a = centre(from);
    let best = null, least = Number.MAX_VALUE;
    list.forEach(function(m) {
      const b = centre(m.e), ahead = (b[0] - a[0]) * dx + (b[1] - a[1]) * dy, aside = Math.abs((b[0] - a[0]) * dy) + Math.abs((b[1] - a[1]) * dx);
      if (m.e !== from && ahead > 0.5 && ahead + 2 * aside < least) {
        least = ahead + 2 * aside;
        best = m.e;
      }
    });
    if (best !== null) {
      from.setAttribute("tabindex", -1);
      best.setAttribute("tabindex", 0);
      best.focus();
    }
  };
  const first = list.find(function(m) { return m.on; }) || list[0];
  list.forEach(function(m) {
    fill(m.e, {
      tabindex: m === first ? 0 : -1,
      role: "button",
      "aria-label": m.label,
      on: {
        click: m.act,
        keydown: function(ev) {
          const d = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[ev.key];
          if (d) {
            ev.preventDefault();
            step(m.e, d[0], d[1]);
          } else if (ev.key === "Enter" || ev.key === " ") {
            ev.preventDefault();
            m.act();
          }
        }
      }
    }, []);
  });
};
// A drawing that is made again keeps the focus, on the mark that is chosen then.
const redraw = function(box, make) {
  const inside = box.contains(document.activeElement);
  clear(box).append(make());
  const e = box.querySelector("[tabindex='0'][role=button]");
  if (inside && e !== null) { e.focus({preventScroll: true}); }
};
// ---- a table whose columns sort: [head, content of a row, number or text to sort by, class]; first and up: column and direction at first
const table = function(caption, columns, rows, mark, first, up) {
  let by = first, down = !up, most = 200;
  const body = h("tbody");
  const sorts = columns.map(function(c, j) {
    return h("th", {scope: "col", class: c[3]}, button(h("span", {}, c[0], h("i", {class: "arrow", "aria-hidden": "true"})), function() {
               down = by === j ? !down : /^num/.test(c[3]);
               by = j;
               show();
             }));
  });
  const show = function() {
    sorts.forEach(function(e, j) {
      if (j === by) {
        e.setAttribute("aria-sort", down ? "descending" : "ascending");
      } else {
        e.removeAttribute("aria-sort");
      }
      e.querySelector(".arrow").textContent = j === by ? String.fromCharCode(down ? 9660 : 9650) : "";
    });
    const keys = new Map(rows.map(function(r) { return [r, columns[by][2](r)]; }));
    const order = rows.slice().sort(function(a, b) {
      const x = keys.get(a), y = keys.get(b);
      return (typeof x === "string" ? x.localeCompare(y) : x - y) * (down ? -1 : 1);
    });
    clear(body);
    const chosen = order.findIndex(mark);
    order.filter(function(r, i) { return i < most || i === chosen; }).forEach(function(r) {
      const tr = h("tr", {"aria-selected": mark(r) ? "true" : null});
      columns.forEach(function(c, j) { tr.append(h(j === 0 ? "th" : "td", {class: c[3], scope: j === 0 ? "row" : null}, c[1](r))); });
      body.append(tr);
    });
    if (order.length > most) {
      body.append(h("tr", {}, h("td", {colspan: columns.length}, moreOf(200, most, order.length, function() {
                                  most += 200;
                                  show();
                                }))));
    }
  };
  const box =
      h("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": caption},
        h("table", {}, h("caption", {class: "live"}, caption), h("thead", {}, h("tr", {}, ...sorts)), body));
  return {
    box: box,
    draw: show,
    set: function(r) {
      rows = r;
      show();
    }
  };
};
const componentLink = function(i) { return link(named(i), function() { go(i); }, {"aria-current": C[i].number === state.c ? "true" : null}); };
// A plain table: heads, then rows of cells; a cell is text or an element.
const grid = function(caption, heads, rows, more) {
  return h(
      "table", more || {}, h("caption", {class: "live"}, caption),
      heads.every(function(t) { return t === ""; }) ?
          null :
          h("thead", {}, h("tr", {}, ...heads.map(function(t, j) { return h("th", {scope: "col", class: j > 0 ? "num" : null}, bdi(t)); }))),
      h("tbody", {}, ...rows.map(function(r) {
        return h("tr", {}, ...r.map(function(c, j) {
          return h(j === 0 ? "th" : "td", {scope: j === 0 ? "row" : null, class: j > 0 && (typeof c === "string" || heads[j] !== "" || c.tagName === "BUTTON") ? "num" : null},
                   typeof c === "string" ? bdi(c) : c);
        }));
      })));
};
// A matrix as a table of shades, blue above 0 and orange below, the number as text: cells are [value, title].
const heat = function(caption, heads, rows, cell, largest, act, corner) {
  return h(
      "div", {class: "scroll", tabindex: "0", role: "region", "aria-label": caption},
      h("table", {class: "heat"}, h("caption", {class: "live"}, caption),
        h("thead", {}, h("tr", {}, h("td", {}, corner || ""), ...heads.map(function(t) { return h("th", {scope: "col"}, bdi(t)); }))),
        h("tbody", {}, ...rows.map(function(r, i) {
          return h(
              "tr", {"aria-selected": act !== undefined && act.chosen === i ? "true" : null},
              h("th", {scope: "row"}, act === undefined || act.go === undefined ? bdi(r) : link(r, function() { act.go(i); })),
              ...heads.map(function(t, j) {
                const v = cell(i, j);
                return h(
                    "td", {
                      class: v[0] < 0 ? "minus num" : "plus num",
                      shade: (100 * Math.min(1, Math.abs(v[0]) / largest)).toFixed(0) + "%",
                      title: v[2] === undefined ? null : v[2]
                    },
                    v[1]);
              }));
        }))));
};
// ---- the search: words to find, what to do with one
// beyond: what is said of a text that is nowhere; opened: what a link elsewhere on the page opens, which is brought to where it is seen.
const search = function(words, placeholder, pick, key, beyond, opened) {
  const input = h("input", {type: "search", placeholder: placeholder, "aria-describedby": "hint"});
  const hits = h("ul", {class: "plain hits"}), found = h("p", {class: "dim said"});
  const low = words.map(function(w) { return w.toLowerCase(); });
  let matches = [];
  const set = function(w) {
    state[key] = w < 0 ? "" : words[w];
    input.value = state[key];
    clear(hits);
    found.textContent = "";
    pick(w);
    draw();
    say(found.textContent);
  };
  // A choice of the search leaves its field, so that the next / begins another search.
  const take = function(w) {
    const typed = input.value.trim();
    set(w);
    input.blur();
    if (words[w].toLowerCase() !== typed.toLowerCase()) {
      found.prepend(L.firstMatch(matches.length), bdi(typed), "': ", bdi(words[w]), ". ");
      say(found.textContent);
    }
  };
  input.addEventListener("input", function() {
    const q = input.value.trim().toLowerCase();
    clear(hits);
    if (q === "") {
      set(-1);
      return;
    }
    const m = [];
    for (let w = 0; w < words.length && m.length < 200; w++) {
      if (low[w].indexOf(q) >= 0) { m.push(w); }
    }
    m.sort(function(a, b) { return (low[b].indexOf(q) === 0) - (low[a].indexOf(q) === 0) || a - b; });
    matches = m;
    m.slice(0, 12).forEach(function(w) { hits.append(h("li", {}, button(bdi(words[w]), function() {
        set(w);
        const heading = document.getElementById("chosen");
        if (heading !== null) { heading.focus({preventScroll: true}); }
      }))); });
    clear(found).append(...(m.length === 0 ? [L.here].concat(beyond ? beyond(input.value.trim()) : []) : [
      (m.length > 12 ? 12 + L.of : "") + m.length + (m.length === 200 ? L.orMore : "") + (m.length === 1 ? L.match : L.matches)
    ]));
    say(found.textContent);
  });
  input.addEventListener("keydown", function(ev) {
    if (ev.key === "Enter" && hits.firstChild) {
      ev.preventDefault();
      take(matches[0]);
    }
  });
  document.addEventListener("keydown", function(ev) {
    const writes = ev.target !== input && ["INPUT", "SELECT", "TEXTAREA"].indexOf(ev.target.tagName) >= 0;
    if (ev.key === "/" && !writes && ev.target !== input) {
      ev.preventDefault();
      input.focus();
      input.select();
    } else if (ev.key === "Escape" && !writes && (state[key] !== "" || input.value !== "")) {
      set(-1);
    }
  });
  return {
    box:
        h("div", {class: "noprint"},
          h("div", {class: "bar", role: "search"}, h("label", {}, L.find + " ", input), h("span", {id: "hint", class: "dim"}, L.key)), hits, found),
    say: function(...t) {
      clear(found).append(...t);
      say(found.textContent);
    },
    choose: function(w) {
      set(w);
      if (w >= 0 && opened) { reveal(opened()); }
    },
    place: function() { return state[key] === "" ? -1 : words.indexOf(state[key]); },
    input: input
  };
};
// ---- what the panel of every component has
const warnings = function(i) {
  const all = (D.warnings || []).filter(function(w) { return i === null ? !w.component : w.component === C[i].number; });
  return all.length === 0 ? null :
                            h("div", {class: "warn", role: "note"}, h("strong", {}, all.length === 1 ? L.warning : all.length + " " + L.warnings),
                              h("ul", {}, ...all.map(function(w) { return h("li", {}, bdi(T(w.message) + ". " + T(w.hint))); })));
};
const labelBox = function(i) {
  const sql = h("code", {}), forgets = h("p", {class: "dim"}, L.forgets);
  const show = function() {
    let t = "model";
    names.forEach(function(n, j) {
      if (n !== T(C[j].label)) { t = "tlv_label(" + t + ", " + C[j].number + ", " + (n === "" ? "NULL" : quote(n)) + ")"; }
    });
    sql.textContent = t === "model" ? "" : "UPDATE models SET model = " + t + " WHERE ...;";
    forgets.hidden = t === "model";
  };
  const input = h("input", {
    type: "text",
    id: "label",
    value: names[i],
    maxlength: 100,
    on: {
      change: function() {
        names[i] = input.value.trim();
        show();
        draw();
      }
    }
  });
  show();
  const box = details(L.name, h("p", {}, h("label", {}, L.nameOf + what + " " + C[i].number + " ", input)), forgets, sql);
  box.open = names[i] !== T(C[i].label);
  return box;
};
const sqlBox = function(text) { return details(L.sql, h("code", {}, text)); };
const indexOf = function(n) { return C.findIndex(function(c) { return c.number === n; }); };
// What a view says of two components when one points at their distance, such as their cosine.
let likeness = function(i, j) { return ""; };
const neighbours = function(i) {
  const near = (D.neighbours || [])[i] || [];
  return near.length === 0 ? null : h("p", {}, L.nearest(number(D.farthest)), ...near.map(function(x, j) {
    const k = indexOf(x[0]);
    return h("span", {title: likeness(i, k) || null}, j ? ", " : "", componentLink(k), h("span", {class: "dim"}, " " + distance(x[1])));
  }));
};
// An array of an example that was cut.
const cutOf = function(x, key) { return x[key + "_given"] ? " (" + x[key].length + L.of + x[key + "_given"] + L.given + ")" : ""; };
const why = function(
    x) { return x.why ? h("div", {class: "dim"}, ...x.why.map(function(w, j) { return h("span", {}, j ? ", " : "", bdi(T(w[0])), " " + signed(w[1])); }), cutOf(x, "why")) : null; };
const exampleList = function(i) {
  const e = examples.filter(function(x) { return x.component === C[i].number; });
  const all = (D.given || [])[i] || 0, shares = e.some(function(x) { return typeof x.share === "number"; });
  if (examples.length === 0) { return h("p", {class: "dim noprint"}, L.noExamples, h("code", {}, "tlv_html(model, examples => ...)")); }
  return e.length === 0 ?
      null :
      h("div", {id: "examples"}, h("h3", {}, L.examplesOf, bdi(named(i)), (all > e.length ? ": " + e.length + L.of + all + L.given : "")),
        h("table", {class: shares ? "list" : null}, shares ? h("thead", {}, h("tr", {}, h("th", {scope: "col", class: "num"}, L.shareOf, bdi(named(i))), h("th", {scope: "col"}, L.example))) : null,
          h("tbody", {}, ...e.map(function(x) {
            return h(
                "tr", {}, shares ? h("td", {class: "num"}, x.share === undefined || x.share === null ? "" : percent(x.share)) : null,
                h("td", {}, bdi(T(x.title)), " ", x.id ? h("span", {class: "dim"}, L.id, bdi(T(x.id))) : null, x.text ? details(L.text, bdi(T(x.text))) : null, why(x),
                  x.x && !F.means ? h("div", {class: "dim"}, x.x.map(number).join(", ") + cutOf(x, "x")) : null));
          }))));
};
// Examples are below everything else: a way to them.
const exampleLink = function(i) {
  const n = examples.filter(function(x) { return x.component === C[i].number; }).length;
  return n === 0 ? null : h("p", {class: "noprint"}, link(L.examples + ": " + n, function() { document.getElementById("examples").scrollIntoView(); }));
};
const partner = function(i) {
  const p = D.before === undefined ? undefined : D.before.pairs[i];
  return p === undefined || p[0] === 0 ? null : D.before.components.find(function(c) { return c.number === p[0]; });
};
const beforeName = function(b) { return (b.label ? T(b.label) : what + " " + b.number) + (b.text ? ": " + T(b.text) : ""); };
const beforeText = function(i) {
  if (D.before === undefined) { return null; }
  const b = partner(i);
  return h(
      "p", {class: "dim"}, L.before,
      b ? bdi((b.label ? T(b.label) : what + " " + b.number) + (b.weight === null ? "" : ", " + percent(b.weight)) + ", " + L.moved + " " +
              number(D.before.pairs[i][1]) + (b.text ? ": " + T(b.text) : "")) :
          L.none);
};
const heading = function(
    i, more) {
  const within = interval("weight", C[i].number, 0);
  return h(
      "h2", {id: "chosen", tabindex: -1}, bdi(named(i)), C[i].weight === null ? "" : " - " + percent(C[i].weight) + (more || L.whole(what)),
      within === "" ? null : h("small", {class: "dim"}, " (" + within + ")"));
};
const recurrence = function(i) {
  const x = measure("recurrence", C[i].number);
  return x === null ? null : h("p", {class: "dim recurs"}, (x > 0.3 ? L.recursNot : L.recurs) + distance(x) + ".");
};
const panelHead = function(i, more) { return [heading(i, more), warnings(i), neighbours(i), recurrence(i), beforeText(i), exampleLink(i)]; };
const panelTail = function(i, sql) { return [exampleList(i), labelBox(i), sqlBox(sql)]; };
const changeCard = function() {
  if (D.before === undefined) { return null; }
  const t = table(
      L.change,
      [
        [what, componentLink, function(i) { return C[i].number; }, null],
        [L.share, function(i) { return percent(weights[i]); }, function(i) { return weights[i]; }, "num"], [
          L.was,
          function(i) {
            const b = partner(i);
            return b && b.weight !== null ? percent(b.weight) : L.none;
          },
          function(i) {
            const b = partner(i);
            return b && b.weight !== null ? b.weight : -1;
          },
          "num"
        ],
        [
          L.movedBy, function(i) { return number(D.before.pairs[i][1]); },
          function(i) {
            const x = D.before.pairs[i][1];
            return x === null ? Number.MAX_VALUE : x;
          },
          "num"
        ]
      ],
      range(Math.min(C.length, D.before.pairs.length)), function(i) { return C[i].number === state.c; }, 3);
  parts.push(t.draw);
  const gone = D.before.components.filter(function(
      b) { return b.weight !== 0 && !D.before.pairs.some(function(p) { return p[0] === b.number; }); });
  return card(
      L.change, t.box,
      gone.length === 0 ? null : h("p", {}, L.gone, ...gone.map(function(b, j) { return h("span", {}, j ? "; " : "", bdi(beforeName(b))); })));
};
// ---- the map of components, with numbers, and labels where they cover nothing
const map = function(area, hot, caption, text) {
  const box = h("div", {});
  if (C.length < 2 || C.some(function(c) { return c.x === undefined; })) { return null; }
  let circles = [];
  focus = function(i) { circles[i].focus(); };
  const size = 520, middle = function(v) { return (greatest(v) - greatest(v.map(function(x) { return -x; }))) / 2; };
  const mx = middle(C.map(function(c) { return c.x; })), my = middle(C.map(function(c) { return c.y; }));
  const xs = C.map(function(c) { return c.x - mx; }), ys = C.map(function(c) { return c.y - my; });
  const reach = Math.max(1e-9, greatest(xs.map(Math.abs)), greatest(ys.map(Math.abs))), big = Math.min(44, 150 / Math.sqrt(C.length));
  // Numbers that would cover each other move apart, as far as two digits are wide.
  const least = 22 * reach / (size / 2 - big - 12);
  for (let round = 0; round < 20; round++) {
    range(C.length).forEach(function(i) {
      range(i).forEach(function(j) {
        const dx = xs[i] - xs[j], dy = ys[i] - ys[j], d = Math.hypot(dx, dy);
        if (d < 0.999 * least) {
          const ux = d > 1e-6 * least ? dx / d : 1, uy = d > 1e-6 * least ? dy / d : 0, by = (least - d) / 2;
          xs[i] += by * ux;
          ys[i] += by * uy;
          xs[j] -= by * ux;
          ys[j] -= by * uy;
        }
      });
    });
  }
  const at = function(v) { return size / 2 + v / reach * (size / 2 - big - 12); };
  parts.push(function() {
    const low = at(-greatest(ys)) - big - 24, high = at(greatest(ys.map(function(y) { return -y; }))) + big + 24;
    const g = s("svg", {viewBox: "0 " + low + " " + size + " " + (high - low), role: "group", "aria-label": L.map + L.keys});
    g.append(s("path", {class: "axis", d: "M0 " + at(my) + "H" + size + "M" + at(-mx) + " " + low + "V" + high}));
    const numbers = [], a = area(), most = Math.max(1e-12, greatest(a)), boxes = [];
    circles = [];
    const r = a.map(function(x) { return Math.max(11, big * Math.sqrt(x / most)); });
    range(C.length).sort(function(x, y) { return a[y] - a[x]; }).forEach(function(i) {
      const on = C[i].number === state.c;
      const circle =
          s("circle", {
            class: "node" + (on ? " on" : "") + (hot(i) ? " hot" : ""),
            cx: at(xs[i]),
            cy: at(-ys[i]),
            r: r[i],
            tabindex: on ? 0 : -1,
            role: "button",
            "aria-pressed": on ? "true" : "false",
            "aria-label": named(i) + ", " + percent(weights[i]),
            on: {click: function() { go(i); }, keydown: arrows}
          },
            s("title", {}, named(i) + " - " + percent(weights[i]) + " " + text(i)));
      g.append(circle);
      numbers.push(
          s("text", {class: "no" + (on ? " on" : ""), x: at(xs[i]), y: at(-ys[i]) + 4.5, "text-anchor": "middle", "aria-hidden": "true"},
            String(C[i].number)));
      circles[i] = circle;
      boxes.push([at(xs[i]) - r[i], at(-ys[i]) - r[i], at(xs[i]) + r[i], at(-ys[i]) + r[i]]);
    });
    range(C.length).filter(function(i) { return names[i] !== ""; }).forEach(function(i) {
      const label = shorten(names[i], 22) === names[i] ? names[i] : shorten(named(i), 22), letters = 12 * enlarged(size), w = wideOf(label, letters);
      [[at(xs[i]) + r[i] + 3, at(-ys[i]) + 4], [at(xs[i]) - r[i] - 3 - w, at(-ys[i]) + 4], [at(xs[i]) - w / 2, at(-ys[i]) + r[i] + letters],
       [at(xs[i]) - w / 2, at(-ys[i]) - r[i] - 4]]
          .some(function(p) {
            const b = [p[0], p[1] - letters + 1, p[0] + w, p[1] + 3];
            if (b[0] < 0 || b[2] > size || b[1] < low || b[3] > high ||
                boxes.some(function(o) { return b[0] < o[2] && o[0] < b[2] && b[1] < o[3] && o[1] < b[3]; })) {
              return false;
            }
            boxes.push(b);
            numbers.push(s("text", {class: "name", x: p[0], y: p[1], size: letters, "aria-hidden": "true"}, label));
            return true;
          });
    });
    g.append(...numbers);
    g.insertBefore(circles[place()], numbers[0]);
    clear(box).append(h("figure", {}, g, h("figcaption", {}, ...caption(), L.near(percent(D.explained)))));
  });
  return card(L.map, box);
};
const plainMap = function() { return map(function() { return weights; }, function() { return false; }, function() { return [L.area]; }, summary); };
// As many of a list of texts, whose first ones say most, as there is room for.
const firstTexts = function(list, n) {
  const parts = list.split(", ");
  let text = shorten(parts[0], n);
  parts.slice(1).every(function(p) {
    if ((text + ", " + p).length > n) { return false; }
    text += ", " + p;
    return true;
  });
  return text;
};
// ---- how components merge
const mergeCard = function() {
  const joints = D.merges || [];
  if (joints.length < 2) { return null; }
  const box = h("div", {}), lists = new Map();
  joints.forEach(function(m) {
    const a = lists.get(m[0]) || [m[0]], b = lists.get(m[1]) || [m[1]];
    lists.set(m[0], a.concat(b));
  });
  const leaves = lists.get(joints[joints.length - 1][0]), far = Math.max(1e-12, greatest(joints.map(function(m) { return m[2] || 0; })));
  const line = 18, most = Math.min(40, Math.floor(room() / 16));
  parts.push(function() {
    redraw(box, function() {
      const texts = new Map(leaves.map(function(n) {
        const c = indexOf(n);
        return [n, names[c] === "" && summary(c) !== "" ? firstTexts(n + ": " + summary(c), most) : shorten(named(c), most)];
      }));
      const left = 24 + greatest(Array.from(texts.values()).map(function(t) { return wideOf(t, 13.5); })), wide = Math.max(110, room() - left - 24);
      const at = new Map(leaves.map(function(n, i) { return [n, [0, 12 + line * i]]; })), first = new Map();
      const g = s("svg", {class: "tall", viewBox: "0 0 " + (left + wide + 20) + " " + (leaves.length * line + 26), role: "group", "aria-label": L.merging});
      joints.forEach(function(m) {
        const a = at.get(m[0]), b = at.get(m[1]), d = (m[2] || 0) / far;
        [m[0], m[1]].forEach(function(n) {
          if (!first.has(n)) { first.set(n, m[2]); }
        });
        const x = function(v) { return (left + wide * v).toFixed(1); };
        g.append(s("path", {class: "edge joint", d: "M" + x(a[0]) + " " + a[1] + "H" + x(d) + "V" + b[1] + "H" + x(b[0])}, s("title", {}, number(m[2]))));
        at.set(m[0], [d, (a[1] + b[1]) / 2]);
      });
      marks(leaves.map(function(n, i) {
        const c = indexOf(n), on = n === state.c;
        const e = s(
            "text", {class: "leafname pick" + (on ? " hit" : ""), x: left - 6, y: 16 + line * i, "text-anchor": "end"}, s("title", {}, named(c) + " " + summary(c)),
            texts.get(n));
        g.append(e);
        return {e: e, on: on, label: named(c) + L.mergesAt + number(first.get(n)), act: function() { go(c); }};
      }));
      [[0, "start", 0], [1, "end", far]].forEach(function(
          p) { g.append(s("text", {x: left + wide * p[0], y: leaves.length * line + 20, "text-anchor": p[1]}, number(p[2]))); });
      return h("figure", {}, g, h("figcaption", {}, L.merged(number(far))));
    });
  });
  return card(L.merging, h("div", {class: "scroll merging", tabindex: "0", role: "region", "aria-label": L.merging}, box));
};
// ---- facts, and the scores of the numbers of components that were tried
const scorePicture = function(name, points) {
  const ks = points.map(function(p) { return p[0]; }), vs = points.map(function(p) { return p[1]; }), errors = points.map(function(p) {
    const e = name === "held_out" ? measure("held_out_error", p[0]) : null;
    return e === null ? 0 : e;
  });
  const low = -greatest(vs.map(function(v, i) { return errors[i] - v; })), high = greatest(vs.map(function(v, i) { return v + errors[i]; }));
  const x = function(v) { return 70 + 320 * (v - ks[0]) / Math.max(1, ks[ks.length - 1] - ks[0]); };
  const y = function(v) { return 12 + 110 * (high - v) / Math.max(1e-300, high - low); };
  const g = s(
      "svg", {viewBox: "0 0 410 152", class: "small", role: "img", "aria-label": L.scoreNames[name] + ": " + points.map(function(p) {
                return L.numberOf + p[0] + ": " + number(p[1]);
              }).join(", ")},
      s("path", {class: "axis", d: "M70 8V126H394"}),
      s("path", {class: "curve", d: points.map(function(p, i) { return (i ? "L" : "M") + x(p[0]).toFixed(1) + " " + y(p[1]).toFixed(1); }).join("")}));
  points.forEach(function(p, i) {
    if (errors[i] > 0) { g.append(s("path", {class: "curve", d: "M" + x(p[0]) + " " + y(p[1] - errors[i]) + "V" + y(p[1] + errors[i])})); }
    g.append(s("circle", {class: p[0] === C.length ? "ring" : "leaf", cx: x(p[0]), cy: y(p[1]), r: p[0] === C.length ? 6 : 3}, s("title", {}, p[0] + ": " + p[1])));
    if (points.length <= 16 || i % 5 === 0) { g.append(s("text", {x: x(p[0]), y: 144, "text-anchor": "middle"}, String(p[0]))); }
  });
  [[y(high) + 4, high], [y(low), low]].forEach(function(p) { g.append(s("text", {x: 64, y: p[0], "text-anchor": "end"}, number(p[1]))); });
  return h("figure", {class: "score"}, g, h("figcaption", {}, L.scoreNames[name]));
};
const about = function() {
  const pictures = Object.keys(L.scoreNames)
                       .map(function(name) {
                         const points = (D.measures || [])
                                            .filter(function(m) { return m[0] === name && m[2] !== null; })
                                            .map(function(m) { return [m[1], m[2]]; })
                                            .sort(function(a, b) { return a[0] - b[0]; });
                         return points.length < 2 ? null : scorePicture(name, points);
                       })
                       .filter(Boolean);
  // What readers ask first comes first: how much was learnt from.  The others are those that have a text.
  const first = ["documents", "sequences", "variables", "dimensions", "graph", "covariance"].concat(D.page === "chain" ? ["steps"] : []);
  const facts = D.facts.map(function(f) { return f.map(T); }), order = first.map(function(n) { return facts.find(function(f) { return f[0] === n && f[1] !== "0"; }); }).filter(Boolean);
  const text = function(f) { return f[1] + " " + (f[1] === "1" ? f[0].replace(/s$/, "") : f[0]); }, others = facts.filter(function(f) { return f[2] !== ""; });
  return h(
      "div", {}, h("p", {class: "dim"}, bdi([T(D.described)].concat(order.map(text)).join(", "))),
      details(
          L.about, grid(L.about, ["", ""], others.map(function(f) { return [f[2], f[1]]; }), {class: "facts"}),
          pictures.length === 0 ? null : h("p", {class: "dim"}, L.scores), h("div", {class: "scores"}, ...pictures),
          h("p", {class: "dim"}, L.allFacts, h("code", {}, "SELECT d.* FROM models, tlv_diagnostics(model) d;"))));
};
// ---- the drawing of the server, with its shapes made to choose
const picture = function() {
  const figure = document.getElementById("picture");
  if (figure === null) { return null; }
  const g = figure.querySelector("svg");
  if (g === null) { return figure; }
  // As large as what is drawn, without the margins and the ground of a picture that is used alone.
  const ground = g.querySelector("rect[fill='#fff']");
  if (ground !== null && ground.getAttribute("data-c") === null) { ground.remove(); }
  const around = g.getBBox();
  if (around.width > 0 && around.height > 0) {
    const wide = Math.ceil(around.width + 16), high = Math.ceil(around.height + 16);
    // A drawing that is little wider than its place is made smaller, others can be scrolled.
    const part = wide > room() && wide < 1.6 * room() ? room() / wide : 1;
    fill(g, {viewBox: Math.floor(around.x - 8) + " " + Math.floor(around.y - 8) + " " + wide + " " + high, width: wide * part, height: high * part}, []);
  }
  g.setAttribute("role", "group");
  g.setAttribute("aria-label", L.sameContent);
  const shapes = Array.from(g.querySelectorAll("[data-c]")), first = new Set();
  // The first shape of a component is reached by keyboard, the others by the mouse alone.
  const list = [];
  shapes.forEach(function(e) {
    const i = indexOf(Number(e.getAttribute("data-c")));
    if (i < 0) { return; }
    e.classList.add("pick");
    const act = function() { go(i); };
    if (first.has(i)) {
      e.addEventListener("click", act);
    } else {
      first.add(i);
      list.push({e: e, on: list.length === 0, label: named(i), act: act});
    }
  });
  if (list.length > 0) { marks(list); }
  parts.push(function() { shapes.forEach(function(e) { e.classList.toggle("chosen", Number(e.getAttribute("data-c")) === state.c); }); });
  return figure;
};
// ---- the page: a search, cards on the left and on the right, steps from one component to the next
const app = document.getElementById("app");
const chips = function() {
  const box = h("div", {class: "bar noprint chips"});
  parts.push(function() {
    clear(box).append(...C.slice(0, 100).map(function(c, i) {
      return button(h("span", {}, bdi(names[i] === "" ? String(c.number) : named(i)), c.weight === null ? null : h("small", {}, " " + percent(c.weight))), function() { go(i); }, {
        "aria-pressed": c.number === state.c ? "true" : "false",
        "aria-label": named(i) + ", " + percent(weights[i]),
        on: {click: function() { go(i); }, keydown: arrows}
      });
    }));
  });
  if (focus === null) {
    focus = function(i) { box.children[i].focus(); };
  }
  return box;
};
// On a narrow screen the panel is far below the drawing: a bar at the lower edge has what is chosen, and leads to it, and from there back up.
const lowerBar = function(panel, text) {
  let there = null;
  const arrow = h("span", {class: "arrow", "aria-hidden": "true"}), where = h("span", {});
  const below = button("", function() {
    if (there) {
      (app.querySelector("[role=search]") || document.body).scrollIntoView();
    } else {
      panel.scrollIntoView();
    }
  }, {class: "below noprint"});
  const show = function() {
    arrow.textContent = String.fromCharCode(there ? 9650 : 9660);
    clear(where).append(there ? L.upTo : bdi(text()));
  };
  clear(below).append(arrow, where);
  app.append(below);
  parts.push(function() {
    if (there === null) {
      there = false;
      new IntersectionObserver(function(seen) {
        const last = seen[seen.length - 1];
        there = last.isIntersecting || last.boundingClientRect.top < 0;
        show();
      }, {rootMargin: "0px 0px -40% 0px"}).observe(panel.closest(".card") || panel);
    }
    show();
  });
};
const steps = function(...more) {
  const step = function(d) { go((place() + d + C.length) % C.length); };
  const now = h("strong", {class: "now"});
  lowerBar(now, function() { return named(place()) + (summary(place()) === "" ? "" : ": " + summary(place())); });
  parts.push(function() { clear(now).append(bdi(named(place()))); });
  const bar = h("div", {class: "bar noprint sticky"}, button(L.previous, function() { step(-1); }), button(L.next, function() { step(1); }), now, ...more);
  // Heads of tables stay below it.
  new ResizeObserver(function() { document.documentElement.style.setProperty("--bar", bar.offsetHeight + "px"); }).observe(bar);
  return bar;
};
const show = function(top, left, right) {
  app.append(...top.filter(Boolean), h("div", {class: "grid"}, h("div", {}, ...left.filter(Boolean)), h("div", {}, ...right.filter(Boolean))));
};
const start = function(view) {
  const w = warnings(null);
  app.append(about());
  if (w) { app.append(w); }
  view();
  app.append(live);
  window.addEventListener("hashchange", function() {
    readState();
    document.querySelectorAll(".said").forEach(clear);
    draw(true);
  });
  draw(true);
  document.getElementById("plain").className = "print";
};
start(view);
