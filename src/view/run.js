// Draws the page of a run from its content (view_json; docs/results.md). No figure is computed here
// that the content does not hold, but for sums, shares and changes, and what the sliders of "What if" scale.
"use strict";
// Draws `runs[shown]`, with changes from `runs[base]` (-1: none). Where there are more than two runs, `choose(shown, base)`
// is called when another pair is asked for. Answers a function that takes the page away.
function draw_page(runs, shown, base, choose) {
  var run = runs[shown], other = base >= 0 ? runs[base] : null, many = runs.length > 2;
  var palette = ["#1f5fa8", "#e0812a", "#3a9a78", "#9a4fa3", "#c2443e", "#4ba3c7", "#8a7a2f", "#d36fa0", "#5b6b7a", "#7a9a3a",
    "#b0653a", "#4a5fc1"];
  var dark = matchMedia("screen and (prefers-color-scheme: dark)"), paper = matchMedia("print"), drawn = 0, wanted = 0;
  var charts = [], drawings = []; // charts: functions that make one anew; drawings: functions that draw a bitmap of our own anew
  Chart.defaults.animation = false;
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  function colours() {
    Chart.defaults.color = dark.matches ? "#b9c4d0" : "#3c4753";
    Chart.defaults.borderColor = dark.matches ? "#333d49" : "#e3e8ed";
  }
  colours();
  // Charts are bitmaps: they are drawn anew for paper and for another colour scheme.
  function repaint() {
    colours();
    charts.forEach(function (draw) { draw(); }); // a chart keeps the colours that it was made with
    drawings.forEach(function (draw) { draw(); });
  }
  dark.addEventListener("change", repaint);
  var opened = [];
  function unfold() {
    if (paper.matches) opened = Array.prototype.filter.call(document.querySelectorAll("details"), function (d) { return !d.open; });
    opened.forEach(function (d) { d.open = paper.matches; });
    repaint();
  }
  paper.addEventListener("change", unfold);

  var undo = []; // what is to be taken back with the page

  // ---- words and numbers ----
  function el(tag, attributes, children) {
    var e = document.createElement(tag);
    Object.keys(attributes || {}).forEach(function (k) {
      if (k === "text") e.textContent = attributes[k];
      else if (k.slice(0, 2) === "on") e.addEventListener(k.slice(2), attributes[k]);
      else if (attributes[k] !== null && attributes[k] !== undefined) e.setAttribute(k, attributes[k]);
    });
    (children || []).forEach(function (c) { if (c) e.appendChild(typeof c === "string" ? document.createTextNode(c) : c); });
    return e;
  }
  var known = function (v) { return v !== null && v !== undefined; };
  function scaled(v, unit) {
    if (!known(v)) return "\u2013";
    var m = Math.abs(v), step = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "\u00b5"], [1e-9, "n"],
      [1e-12, "p"], [1e-15, "f"]];
    if (m === 0) return "0 " + unit;
    for (var i = 0; i < step.length; i++)
      if (m >= step[i][0] * 0.9995 || i === step.length - 1) return Number((v / step[i][0]).toPrecision(4)) + " " + step[i][1] + unit;
  }
  function whole(v) { return known(v) ? Math.round(v).toLocaleString("en") : "\u2013"; }
  function fixed(v) { return known(v) ? String(Number(v.toPrecision(4))) : "\u2013"; }
  function percent(v) { return known(v) ? (100 * v).toFixed(1) + " %" : "\u2013"; }
  function seconds(v) { return scaled(v, "s"); }
  function joules(v) { return scaled(v, "J"); }
  function watts(v) { return scaled(v, "W"); }
  // The change from `b` to `a`; `good` says which direction is better: -1 less, 1 more, 0 neither.
  function changeText(a, b) {
    if (!other || !known(a) || !known(b) || (a === 0 && b === 0)) return "";
    if (b === 0) return "from 0";
    var d = a / b - 1;
    return (d >= 0 ? "+" : "\u2212") + Math.abs(100 * d).toFixed(1) + " %";
  }
  function change(a, b, good) {
    var text = changeText(a, b), d = b === 0 ? 1 : a / b - 1;
    var side = Math.abs(d) < 5e-4 || !good ? "" : d * good > 0 ? " better" : " worse";
    return text ? el("span", { "class": "change" + side, text: text }) : null;
  }
  function called(r) { return (many ? r.name + ": " : "") + r.title + " on " + r.gpu.name; }
  // A number in a sentence, with its change behind it.
  function moved(text, a, b) {
    var t = changeText(a, b);
    return t && a !== b ? text + " (" + t + ")" : text;
  }
  function section(id, title, children) {
    var s = el("section", { id: id }, [el("h2", { text: title })].concat(children));
    document.getElementById("main").appendChild(s);
    return s;
  }
  function chart(label, config) {
    var canvas = el("canvas", { role: "img", "aria-label": label }), box = el("div", { "class": "chart" }, [canvas]);
    wanted++;
    var options = Object.assign({ responsive: true, maintainAspectRatio: false }, config.options);
    box.draw = function () {
      var made;
      function make() {
        if (made) made.destroy();
        made = new Chart(canvas, { type: config.type, data: config.data, options: Object.assign({}, options) });
      }
      make();
      charts.push(make);
      undo.push(function () { made.destroy(); });
      if (canvas.width && canvas.height) {
        var ink = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
        for (var i = 3; i < ink.length; i += 4) if (ink[i]) { drawn++; break; }
      }
    };
    return box;
  }
  // A table whose columns are {title, value(row), text(row), compare}; headings sort.
  function table(caption, columns, rows, options) {
    options = options || {};
    var body = el("tbody"), sorted = { at: -1, down: true }, shown = rows;
    function in_order() {
      if (sorted.at < 0) return shown;
      var c = columns[sorted.at];
      return shown.slice().sort(function (a, b) {
        var x = c.value(a), y = c.value(b), q;
        if (!known(x) || !known(y)) q = known(x) - known(y);
        else q = x > y ? 1 : x < y ? -1 : 0;
        return sorted.down ? -q : q;
      });
    }
    // Rows that are filtered keep their order, and sorted ones their filter.
    function fill(list) {
      shown = list;
      body.textContent = "";
      in_order().forEach(function (r, at) {
        var tr = el("tr", options.row ? options.row(r, at) : null, columns.map(function (c, i) {
          var content = c.node ? c.node(r) : null, text = content ? null : c.text ? c.text(r) : fixed(c.value(r));
          return i === 0 ? el("th", { scope: "row", text: text, title: text && text.length > 24 ? text.trim() : null }, [content]) : el("td", { "class": c.kind || null, text: text }, [content]);
        }));
        if (options.ready) options.ready(tr, r);
        body.appendChild(tr);
      });
    }
    var head = el("tr", null, columns.map(function (c, i) {
      var button = el("button", { type: "button", text: c.title, title: c.hint || null, onclick: function () {
        sorted.down = sorted.at === i ? !sorted.down : true;
        sorted.at = i;
        Array.prototype.forEach.call(head.children, function (h, k) {
          if (k === i) h.setAttribute("aria-sort", sorted.down ? "descending" : "ascending");
          else h.removeAttribute("aria-sort");
        });
        fill(shown);
      } });
      return el("th", { scope: "col", "class": c.kind || null }, [button]);
    }));
    fill(rows);
    var t = el("div", { "class": "scroll", tabindex: "0", role: "region", "aria-label": caption },
      [el("table", null, [el("thead", null, [head]), body])]);
    t.fill = fill;
    return t;
  }

  // ---- head ----
  var checks = { "1": "results checked", "0": "", "-1": "the program's own check failed" };
  document.getElementById("head").appendChild(el("div", null, [
    el("h1", { text: run.title + (many ? ", " + runs.length + " runs" : other ? ", two runs" : "") }),
    el("p", { "class": "meta", text: run.gpu.name + " (" + run.gpu.product + ", " + run.gpu.sms + " SMs, " + run.gpu.core_clock_mhz +
      " MHz)" + (other ? " beside " + called(other) : "") +
      (checks[run.check] ? " \u00b7 " + checks[run.check] : "") + " \u00b7 simulated by warpwatt" }),
    other ? el("p", { "class": "meta", text: "Changes are from " + called(other) + ", the base, to " + called(run) +
      ": +12 % is 12 % more than the base has. " }, [many ? null : el("button", { type: "button", "class": "plain", text: "the other as base", onclick: function () { choose(base, shown); } })]) : null,
    other && !(other.complete && !other.unfinished) ? el("p", { "class": "alert", text: "The base, " + called(other) + ", was not finished: changes are from a part of it." }) : null,
    run.complete ? null : el("p", { "class": "alert", text: "The run was cut off: what stands here is complete up to then." }),
    run.unfinished ? el("p", { "class": "alert", text: "Not finished: " + run.unfinished + "." }) : null,
    run.status ? el("p", { "class": "alert", text: run.status }) : null,
    run.power_limit ? el("p", { "class": "alert", text: "Power limit: " + run.power_limit + "." }) : null,
    run.no_power ? el("p", { "class": "alert", text: "No power: " + run.no_power }) : null,
    el("nav", { "aria-label": "parts of this page" }, [el("ul", null, (many ? [["runs", "Runs"]] : []).concat([["overview", "Overview"]], run.places ? [["machine", "Machine"]] : [], run.what_if ? [["what-if", "What if"]] : [], [["kernels", "Kernels"], ["time", "Over time"],
      ["source", "Source"], ["advice", "What to change"]], run.watched ? [["warps", "Warps"]] : [], run.probe ? [["probe", "Supply rails"]] : [], run.ranges ? [["ranges", "Ranges"]] : [], run.technique ? [["technique", "Technique"]] : [], run.savings ? [["savings", "Savings"]] : [],
      [["steps", "In order"]], run.run ? [["ran", "What ran"]] : []).map(function (n) {
      return el("li", null, [el("a", { href: "#" + n[0], text: n[1] })]); }))])
  ]));

  // ---- two runs beside each other ----
  var beside = {}, beside_title = other && called(other);
  if (other) other.kernels.forEach(function (k) { beside[k.kernel + k.grid + k.block] = k; });
  function twin(k) { return beside[k.kernel + k.grid + k.block] || {}; }
  // A column of a number and, of two runs, its change to that of the row's twin. `key` names the number or makes it
  // of a row; where it makes none, the cell is empty, and a twin without it had `more.none`.
  function column(title, key, text, good, twin_of, more) {
    var none = more && more.none;
    var of = typeof key === "function" ? key : function (r) { return r[key]; };
    return Object.assign({ title: title, value: of, node: function (r) {
      var v = of(r), t = twin_of(r), was = t ? of(t) : undefined;
      return el("span", null, v === undefined ? [] : [text(v, r) + " ", t ? change(v, known(was) ? was : none, good) : null]); } }, more);
  }

  // ---- many runs ----
  function own_parts(r) {
    return (r.components || []).reduce(function (o, p) { o[p.name] = p.dynamic_j + p.static_j; return o; }, {}); }
  function energyBars() {
    var sums = runs.map(own_parts), all = {};
    sums.forEach(function (s) { Object.keys(s).forEach(function (n) { all[n] = (all[n] || 0) + s[n]; }); });
    var names = Object.keys(all).sort(function (a, b) { return all[b] - all[a]; }), large = names.slice(0, 11);
    var sets = large.map(function (n, i) {
      return { label: n, backgroundColor: palette[i], data: sums.map(function (s) { return s[n] || 0; }) }; });
    if (names.length > large.length) sets.push({ label: "all others", backgroundColor: "#aab4be", data: sums.map(function (s) {
      return names.slice(large.length).reduce(function (t, n) { return t + (s[n] || 0); }, 0); }) });
    return chart("energy of each run by component", { type: "bar", data: { labels: runs.map(function (r) { return r.name; }), datasets: sets },
      options: { indexAxis: "y", scales: { x: { stacked: true, beginAtZero: true, ticks: { callback: joules } },
        y: { stacked: true } }, plugins: { legend: { labels: { boxWidth: 12 } } } } });
  }
  function timeBars() {
    return chart("time of each run in kernels", { type: "bar", data: { labels: runs.map(function (r) { return r.name; }), datasets: [{ label: "time in kernels",
      backgroundColor: runs.map(function (r) { return palette[r === run ? 0 : r === other ? 1 : 8]; }),
      data: runs.map(function (r) { return r.totals.seconds; }) }] }, options: { indexAxis: "y", plugins: { legend: { display: false } },
        scales: { x: { beginAtZero: true, ticks: { callback: seconds } } } } });
  }
  function chooser(name, at, none, take) {
    var list = el("select", { "aria-label": name, onchange: function () { take(+list.value); } },
      (none ? [el("option", { value: "-1", text: none })] : []).concat(runs.map(function (r, i) {
        return el("option", { value: String(i), text: called(r) }); })));
    list.value = String(at);
    return el("label", null, [name + " ", list]);
  }
  function runsTable() {
    function was() { return other ? other.totals : {}; }
    // `half`, `of`: half of the 95 % interval of what sampling estimated, and of what.
    function sum(title, key, text, good, half, of) {
      return { title: title, value: function (r) { return r.totals[key]; }, node: function (r) {
        var t = r.totals;
        return el("span", null, [text(t[key]) + (half ? within(t[half], t[of]) : "") + " ", r === other ? null : change(t[key], was()[key], good)]); } };
    }
    return table("runs", [
      { title: "run", value: called, node: function (r) {
        return el("span", null, [el("button", { type: "button", "class": "plain", text: called(r), "aria-pressed": String(r === run), onclick: function () {
          choose(runs.indexOf(r), base === runs.indexOf(r) ? -1 : base); } }), isWhole(r) ? null : el("small", { text: " not finished" })]); } },
      { title: "techniques and keys", kind: "text", value: setUp, text: setUp },
      sum("time", "seconds", seconds, -1, "half_cycles", "cycles"), sum("cycles", "cycles", whole, -1, "half_cycles", "cycles"),
      sum("energy", "energy_j", joules, -1, "half_j", "energy_j"),
      sum("dynamic", "dynamic_j", joules, -1), sum("static", "static_j", joules, -1), sum("power", "power_w", watts, -1),
      sum("energy-delay", "edp_js", function (v) { return scaled(v, "Js"); }, -1), sum("IPC", "ipc", fixed, 1),
      sum("L1 hits", "l1_hit", percent, 1), sum("L2 hits", "l2_hit", percent, 1)], runs);
  }
  function isWhole(r) { return r.complete && !r.unfinished && !r.status; }
  function setUp(r) {
    var ran = r.run || {}, set = ran.set || [];
    return [ran.techniques && ran.techniques !== "none" ? ran.techniques : null].concat(Array.isArray(set) ? set : Object.keys(set).map(function (k) {
      return k + "=" + set[k]; })).filter(function (t) { return t; }).join(" ") || "\u2013";
  }
  if (many) section("runs", "Runs", [el("p", { "class": "meta", text: "The rest of the page is of the run that is shown; changes are from the base." }),
    el("div", { "class": "tools" }, [chooser("show", shown, null, function (i) { choose(i, base === i ? -1 : base); }),
      chooser("base", base, "none", function (i) { choose(shown, i === shown ? -1 : i); })]),
    runsTable(), el("div", { "class": "pair" }, [
      el("div", null, [el("h3", { text: "Time" }), timeBars()]),
      runs.some(function (r) { return r.components; }) ? el("div", null, [el("h3", { text: "Energy by component" }), energyBars()]) : null])]);

  // ---- overview ----
  function card(name, value, a, b, good) {
    return el("div", { "class": "card" }, [el("span", { "class": "meta", text: name }), el("b", { text: value }), change(a, b, good)]);
  }
  // Of what sampling estimated, its 95 % interval.
  function within(half, value) { return known(half) && value > 0 ? " \u00b1 " + percent(half / value) : ""; }
  function cards() {
    var t = run.totals, o = other ? other.totals : {};
    var rows = [["time in kernels", scaled(t.seconds, "s"), "seconds", -1], ["cycles", whole(t.cycles) + within(t.half_cycles, t.cycles), "cycles", -1],
      ["energy", scaled(t.energy_j, "J") + within(t.half_j, t.energy_j), "energy_j", -1], ["power", scaled(t.power_w, "W"), "power_w", -1],
      ["power, 9 of 10 boards", scaled(t.power_low_w, "W") + " to " + scaled(t.power_high_w, "W"), "power_high_w", -1],
      ["dynamic", scaled(t.dynamic_j, "J"), "dynamic_j", -1], ["static", scaled(t.static_j, "J"), "static_j", -1],
      ["leakage", scaled(t.leak_sub_j, "J"), "leak_sub_j", -1], ["gate leakage", scaled(t.leak_gate_j, "J"), "leak_gate_j", -1],
      ["energy-delay", scaled(t.edp_js, "Js"), "edp_js", -1], ["warp instructions", whole(t.warp_instructions), "warp_instructions", -1],
      ["IPC", fixed(t.ipc), "ipc", 1], ["lanes of 32", fixed(t.lanes), "lanes", 1], ["L1 hits", percent(t.l1_hit), "l1_hit", 1],
      ["L2 hits", percent(t.l2_hit), "l2_hit", 1]];
    return el("div", { "class": "cards" }, rows.filter(function (r) { return known(t[r[2]]); }).map(function (r) {
      return card(r[0], r[1], t[r[2]], o[r[2]], r[3]); }));
  }
  // Squares as near to square as can be: rows along the shorter side (Bruls, Huizing and van Wijk, 2000).
  function squarify(items, x, y, w, h, place) {
    items = items.slice().sort(function (a, b) { return b.value - a.value; });
    var total = items.reduce(function (s, i) { return s + i.value; }, 0), scale = total > 0 ? w * h / total : 0;
    function worst(row, sum, side) {
      var first = row[0].value * scale, last = row[row.length - 1].value * scale, s = sum * scale;
      return Math.max(side * side * first / (s * s), s * s / (side * side * last));
    }
    while (items.length && w > 0 && h > 0) {
      var side = Math.min(w, h), row = [items[0]], sum = items[0].value, i = 1;
      while (i < items.length && worst(row.concat(items[i]), sum + items[i].value, side) <= worst(row, sum, side)) {
        sum += items[i].value;
        row.push(items[i++]);
      }
      var thick = sum * scale / side, at = 0;
      row.forEach(function (r) {
        var length = r.value * scale / thick;
        if (w >= h) place(r, x, y + at, thick, length);
        else place(r, x + at, y, length, thick);
        at += length;
      });
      if (w >= h) { x += thick; w -= thick; } else { y += thick; h -= thick; }
      items = items.slice(row.length);
    }
  }
  function energyMap() {
    var parts = run.components, children = {}, sum = {}, trail = el("div", { "class": "tools" }), map = el("div", { "class": "map" });
    parts.forEach(function (p) { (children[p.parent || ""] = children[p.parent || ""] || []).push(p); });
    function all(p) {
      if (sum[p.name]) return sum[p.name];
      var s = { dynamic: p.dynamic_j, still: p.static_j, gate: p.leak_gate_j };
      (children[p.name] || []).forEach(function (q) { var a = all(q); s.dynamic += a.dynamic; s.still += a.still; s.gate += a.gate; });
      return (sum[p.name] = s);
    }
    var root = parts[0], whole_j = all(root).dynamic + all(root).still;
    function path(p) {
      var up = parts.filter(function (q) { return q.name === p.parent; })[0];
      return up ? path(up).concat([p]) : [p];
    }
    // `moved`: pressed, so that the focus goes along.
    function show(p, moved) {
      trail.textContent = "";
      path(p).forEach(function (q) {
        trail.appendChild(el("button", { type: "button", "class": "plain", text: q.name + " " + scaled(all(q).dynamic + all(q).still, "J"),
          onclick: function () { show(q, true); } }));
      });
      map.textContent = "";
      var items = (children[p.name] || []).map(function (q, i) {
        return { part: q, value: all(q).dynamic + all(q).still, dynamic: all(q).dynamic, gate: all(q).gate, colour: palette[i % palette.length] }; });
      var own = p.dynamic_j + p.static_j;
      if (own > 0) items.push({ part: null, name: p.name + " itself", value: own, dynamic: p.dynamic_j, gate: p.leak_gate_j, colour: "#6c7784" });
      items = items.filter(function (i) { return i.value > 0; });
      squarify(items, 0, 0, 100, 100, function (i, x, y, w, h) {
        var name = i.part ? i.part.name : i.name, share = i.dynamic / i.value;
        map.appendChild(el("button", { type: "button", "class": "cell", title: name + ": " + scaled(i.value, "J") + ", " +
          percent(i.value / whole_j) + " of all, " + percent(share) + " dynamic, " + scaled(i.gate, "J") + " gate leakage" + (i.part ? ". " + i.part.prose : ""),
          style: "left:" + x + "%;top:" + y + "%;width:" + w + "%;height:" + h + "%;background:linear-gradient(0deg, rgba(255,255,255,.18) " +
            100 * share + "%, transparent " + 100 * share + "%), " + i.colour,
          onclick: function () { if (i.part && children[i.part.name]) show(i.part, true); } },
          [name, el("br"), el("small", { text: percent(i.value / whole_j) })]));
      });
      if (moved) (map.querySelector("button") || trail.lastChild).focus();
    }
    show(root);
    return el("div", null, [el("h3", { text: "Energy by component" }),
      el("p", { "class": "meta", text: "Areas are joules of the time in kernels; the lighter foot of each is dynamic. A part opens when pressed." }),
      trail, map]);
  }
  function slotChart() {
    var names = Object.keys(run.totals.slots).filter(function (n) { return n !== "dual"; });
    function shares(r) {
      var s = r.totals.slots || {}, all = Object.keys(s).reduce(function (t, n) { return n === "dual" ? t : t + s[n]; }, 0);
      return names.map(function (n) { return all ? 100 * (s[n] || 0) / all : 0; });
    }
    var sets = [{ label: run.title, data: shares(run), backgroundColor: palette[0] }];
    if (other) sets.push({ label: "beside: " + other.title, data: shares(other), backgroundColor: palette[1] });
    return chart("issue slots by owner, in per cent", { type: "bar", data: { labels: names, datasets: sets }, options: { indexAxis: "y",
      scales: { x: { beginAtZero: true, title: { display: true, text: "% of issue slots" } } }, plugins: { legend: { display: !!other } } } });
  }
  // Of two runs the second has triangles and shorter dashes, in the colours of the first.
  function roofSets(r) {
    var level = r.roofs.levels, top = r.roofs.operations_per_s, sets = [], second = r === other;
    level.forEach(function (l, i) {
      if (!l.bytes_per_s) return;
      var knee = top / l.bytes_per_s;
      sets.push({ type: "line", label: l.name + " roof", second: second, borderColor: palette[i], borderDash: second ? [2, 3] : [5, 4],
        borderWidth: 1.5, pointRadius: 0, data: [{ x: knee / 1000, y: top / 1000 }, { x: knee, y: top }, { x: 1000, y: top }] });
      sets.push({ label: l.name, second: second, backgroundColor: palette[i], pointRadius: 5, pointStyle: second ? "triangle" : "circle",
        data: roofPoints(r, i, function (k) { return k.operations / k.seconds; }) });
    });
    return sets;
  }
  // The kernels of a run over operations a byte at a level; the first run's have what the second's were.
  function roofPoints(r, level, y) {
    function at(k) { return k.bytes && k.bytes[level] > 0 && k.operations > 0 ? { x: k.operations / k.bytes[level], y: y(k) } : {}; }
    return r.kernels.filter(function (k) { return at(k).y > 0; }).map(function (k) {
      return Object.assign(at(k), { name: k.kernel + (r === other ? " (beside)" : ""), was: r === other ? {} : at(twin(k)) }); });
  }
  // Words at the powers of ten of an axis; at 2 and 5 too where it has few of them, everywhere where it has none.
  function decades(write) {
    return function (v, i, all) {
      var length = all[all.length - 1].value / all[0].value, digit = Math.round(v / Math.pow(10, Math.floor(Math.log10(v) + 1e-9)));
      return digit === 1 || (length < 300 && (digit === 2 || digit === 5)) || length < 10 ? write(v) : "";
    };
  }
  // Joules of an operation over operations a byte of DRAM, where nothing but operations, those bytes and static power costs
  // anything: each at the least that a kernel of the run paid for it, for as long as the time's roof says. Null: no kernel tells.
  function energyRoof(r) {
    var least = { op: Infinity, byte: Infinity, watts: Infinity }, low = Infinity, high = 0, dram = r.roofs.levels[3].bytes_per_s, top = r.roofs.operations_per_s;
    function spent(k, place) {
      return (r.places || []).filter(function (p) { return p.name === place; }).reduce(function (s, p) {
        return p.components.reduce(function (t, n) { return t + (k.components[n] || [0])[0]; }, s); }, 0);
    }
    r.kernels.forEach(function (k) {
      if (!k.components || !(k.operations > 0) || !k.bytes || !(k.bytes[3] > 0) || !(k.seconds > 0)) return;
      least.op = Math.min(least.op, spent(k, "units") / k.operations);
      least.byte = Math.min(least.byte, spent(k, "dram") / k.bytes[3]);
      least.watts = Math.min(least.watts, k.static_j / k.seconds);
      low = Math.min(low, k.operations / k.bytes[3]);
      high = Math.max(high, k.operations / k.bytes[3]);
    });
    if (!(high > 0) || !(dram > 0) || !(top > 0)) return null;
    low = Math.min(low, top / dram) / 4;
    high = Math.max(high, top / dram) * 4;
    function line(f) {
      var points = [];
      for (var i = 0; i <= 48; i++) { var x = low * Math.pow(high / low, i / 48); points.push({ x: x, y: f(x) }); }
      return points;
    }
    return { both: line(function (x) { return least.op + least.byte / x + least.watts * Math.max(1 / top, 1 / (dram * x)); }),
      op: line(function () { return least.op + least.watts / top; }), byte: line(function (x) { return (least.byte + least.watts / dram) / x; }) };
  }
  function energyRoofSets(r) {
    var roof = energyRoof(r), second = r === other;
    function set(label, data, colour, dash, width) {
      return { type: "line", label: label, second: second, data: data, borderColor: colour, borderDash: second ? [2, 3] : dash, borderWidth: width, pointRadius: 0 }; }
    return roof ? [set("least", roof.both, palette[8], [], 1.5), set("operations", roof.op, palette[2], [5, 4], 1), set("DRAM bytes", roof.byte, palette[3], [5, 4], 1)] : [];
  }
  function rooflines() {
    var both = other ? [run, other] : [run];
    var sets = both.reduce(function (all, r) { return all.concat(roofSets(r)); }, []);
    function an_operation(k) { return k.energy_j / k.operations; }
    function axes(y) {
      return { x: { type: "logarithmic", title: { display: true, text: "operations a byte" },
        ticks: { callback: decades(function (v) { return v < 1000 ? fixed(v) : whole(v); }) } },
        y: { type: "logarithmic", title: { display: true, text: y }, ticks: { callback: decades(function (v) { return scaled(v, "").trim(); }) } } };
    }
    var key = other && el("p", { "class": "meta", text: "Discs and long dashes: " + run.title + " on " + run.gpu.name +
      "; triangles and short dashes: " + beside_title + "." });
    var tip = { tooltip: { callbacks: { label: function (c) {
      var was = c.raw.was || {}, x = changeText(c.raw.x, was.x), y = changeText(c.raw.y, was.y);
      return (c.raw.name || c.dataset.label) + ": " + fixed(c.raw.x) + " operations a byte" + (x && " (" + x + ")") + ", " +
        scaled(c.raw.y, "").trim() + (y && " (" + y + ")"); } } },
      legend: { labels: { filter: function (item, data) { return !data.datasets[item.datasetIndex].second; } } } };
    return el("div", { "class": "pair" }, [
      el("div", null, [el("h3", { text: "Roofline" }), key, chart("roofline: operations a second over operations a byte", { type: "scatter",
        data: { datasets: sets }, options: { scales: axes("operations a second"), plugins: tip } })]),
      el("div", null, [el("h3", { text: "Energy roofline" }), chart("joules an operation over operations a byte of DRAM", { type: "scatter",
        data: { datasets: both.map(function (r, i) {
          return { label: i ? "beside: " + beside_title : "kernels", data: roofPoints(r, 3, an_operation), backgroundColor: palette[i ? 0 : 1],
            pointRadius: 5, pointStyle: i ? "triangle" : "circle" }; }).concat(both.reduce(function (all, r) { return all.concat(energyRoofSets(r)); }, [])) },
        options: { scales: axes("joules an operation"), plugins: { tooltip: tip.tooltip, legend: { labels: { boxWidth: 12, filter: function (item, data) {
          return !data.datasets[item.datasetIndex].second; } } } } } }), el("p", { "class": "meta", text: "Lines: what operations, bytes of DRAM and static power alone would take, each at the least that a kernel of the run paid." })])]);
  }
  // Of two runs: what each component spent, with its parts, and the difference, as a tree.
  function componentTree() {
    function sums(r) {
      var all = {};
      (r.components || []).forEach(function (p) { all[p.name] = { name: p.name, parent: p.parent, dynamic_j: 0, static_j: 0 }; });
      (r.components || []).forEach(function (p) {
        for (var q = all[p.name]; q; q = all[q.parent]) { q.dynamic_j += p.dynamic_j; q.static_j += p.static_j; }
      });
      Object.keys(all).forEach(function (n) { all[n].energy_j = all[n].dynamic_j + all[n].static_j; });
      return all;
    }
    var mine = sums(run), theirs = sums(other), names = Object.keys(mine).concat(Object.keys(theirs).filter(function (n) { return !mine[n]; }));
    var none = { energy_j: 0, dynamic_j: 0, static_j: 0 }, most = 0, children = {}, rows = {}, open = {};
    names.forEach(function (n) {
      var parent = (mine[n] || theirs[n]).parent || "";
      if (!((mine[n] || none).energy_j > 0) && !((theirs[n] || none).energy_j > 0)) return;
      (children[parent] = children[parent] || []).push(n);
      if (parent) most = Math.max(most, Math.abs(differs(n)));
    });
    function differs(n) { return (mine[n] || none).energy_j - (theirs[n] || none).energy_j; }
    function both(n, key) { var a = (mine[n] || none)[key], b = (theirs[n] || none)[key]; return el("td", null, [joules(a) + " ", change(a, b, -1)]); }
    // Those below a closed part are hidden.
    function show() {
      function walk(n, seen) {
        rows[n].hidden = !seen;
        (children[n] || []).forEach(function (q) { walk(q, seen && open[n]); });
      }
      (children[""] || []).forEach(function (n) { walk(n, true); });
    }
    function toggle(n, to) {
      open[n] = to;
      var b = rows[n].querySelector("button");
      b.setAttribute("aria-expanded", String(to));
      b.firstChild.textContent = to ? "\u25be " : "\u25b8 ";
      show();
    }
    function add(list, n, depth) {
      var d = differs(n), parts = children[n], side = Math.abs(d) < 1e-4 * most ? "" : d < 0 ? " better" : " worse";
      var name = parts ? el("button", { type: "button", "class": "twig", "aria-expanded": "false", onclick: function () { toggle(n, !open[n]); } }, [el("span", { "aria-hidden": "true", text: "\u25b8 " }), n])
        : el("span", { "class": "leaf", text: n });
      rows[n] = el("tr", { "data-component": n }, [el("th", { scope: "row", style: "padding-left:" + (0.5 + 1.1 * depth) + "rem" }, [name]),
        el("td", { "class": "change" + side, text: d === 0 ? "\u2013" : (d < 0 ? "\u2212" : "+") + joules(Math.abs(d)) }),
        el("td", { "class": "tilt" }, [el("i", { "class": d < 0 ? "less" : "more", style: "width:" + (most && depth ? Math.min(50, 50 * Math.abs(d) / most) : 0) + "%" })]),
        both(n, "energy_j"), both(n, "dynamic_j"), both(n, "static_j")]);
      list.push(rows[n]);
      (parts || []).sort(function (a, b) { return Math.abs(differs(b)) - Math.abs(differs(a)); }).forEach(function (q) { add(list, q, depth + 1); });
      return list;
    }
    var list = (children[""] || []).reduce(function (l, n) { return add(l, n, 0); }, []);
    function all(to) { Object.keys(rows).forEach(function (n) { if (children[n]) toggle(n, to); }); }
    var box = el("div", null, [el("h3", { text: "Differences by component" }), el("p", { "class": "meta", text: "Each component with its parts, those that differ most first; bars go to the left where this run spends less." }),
      el("div", { "class": "tools" }, [el("button", { type: "button", "class": "plain", text: "open all", onclick: function () { all(true); } }),
        el("button", { type: "button", "class": "plain", text: "close all", onclick: function () { all(false); } })]),
      el("div", { "class": "scroll", tabindex: "0", role: "region", "aria-label": "energy by component, two runs" }, [el("table", { "class": "tree" }, [el("thead", null, [el("tr", null, ["component", "difference", "", "energy", "dynamic", "static"].map(function (n) {
        return el("th", { scope: "col", text: n }); }))]), el("tbody", null, list)])])]);
    // the root, and on from it while a part has most of the difference
    (children[""] || []).forEach(function (n) {
      for (var q = n; children[q]; q = children[q][0]) { toggle(q, true); if (q !== n && Math.abs(differs(children[q][0])) < 0.5 * Math.abs(differs(q))) break; }
    });
    show();
    return box;
  }
  section("overview", "Overview", [cards(), other && run.components && other.components ? componentTree() : null, el("div", { "class": "pair" }, [
    run.components ? energyMap() : null,
    run.totals.slots ? el("div", null, [el("h3", { text: "Issue slots and who lost them" }), slotChart()]) : null]),
    run.components ? rooflines() : null]);

  // ---- the machine ----
  // Places from the warps down to DRAM, and what moved between the rows, of the run or of one kernel.
  function ownJoules(of) {
    var own = {};
    if (of !== run && of !== other) Object.keys(of.components || {}).forEach(function (n) { own[n] = of.components[n]; });
    else (of.components || []).forEach(function (p) { own[p.name] = [p.dynamic_j, p.static_j]; });
    return own;
  }
  function placeJoules(own, p) {
    return p.components.reduce(function (s, n) { return own[n] ? s + own[n][0] + own[n][1] : s; }, 0); }
  function machineOf(of, was) {
    var traffic = (of.totals || of).traffic, then = was ? (was.totals || was).traffic || { paths: [], hits: {} } : null;
    var own = ownJoules(of), theirs = was ? ownJoules(was) : null, rows = [], all_j = 0, title = {};
    run.places.forEach(function (p) { all_j += placeJoules(own, p); title[p.name] = p.title; });
    function place(p) {
      var j = placeJoules(own, p), hit = traffic.hits[p.name], parts = p.components.filter(function (n) { return own[n]; }).map(function (n) {
        return n + " " + joules(own[n][0] + own[n][1]); });
      var look = p.name === "dram" ? "row hits " : p.name === "network" ? "TLB hits " : "hits ";
      return el("div", { "class": "card", title: parts.join(", ") }, [el("span", { "class": "meta", text: p.title }),
        el("b", { text: joules(j) }), theirs ? change(j, placeJoules(theirs, p), -1) : null,
        el("div", { "class": "bar" }, [el("i", { style: "width:" + (all_j ? 100 * j / all_j : 0) + "%" })]),
        el("span", { "class": "meta" }, [percent(all_j ? j / all_j : 0) + " of the energy" + (known(hit) ? ", " + look +
          moved(percent(hit), hit, then ? then.hits[p.name] : undefined) : "")])]);
    }
    function path(p) {
      var q = then && then.paths.filter(function (t) { return t.above === p.above && t.below === p.below; })[0] || {};
      function bytes(key) { return moved(scaled(p[key], "B"), p[key], then ? q[key] || 0 : undefined); }
      return el("li", { text: title[p.above] + " \u2194 " + title[p.below] + ": " + (known(p.bytes) ? bytes("bytes") :
        "\u2191 " + bytes("up_bytes") + (p.down_bytes > 0 ? ", \u2193 " + bytes("down_bytes") : "")) });
    }
    var row_of = {};
    run.places.forEach(function (p) { row_of[p.name] = p.row; });
    for (var r = 0; run.places.some(function (p) { return p.row === r; }); r++) {
      rows.push(el("div", { "class": "places" }, run.places.filter(function (p) { return p.row === r; }).map(place)));
      var below = traffic.paths.filter(function (p) { return row_of[p.above] === r; });
      if (below.length) rows.push(el("ul", { "class": "paths" }, below.map(path)));
    }
    return el("div", null, rows);
  }
  function machine() {
    var counted = run.kernels.filter(function (k) { return k.traffic && k.components; }).sort(function (a, b) { return b.seconds - a.seconds; });
    var box = el("div"), list = el("select", { "aria-label": "what ran on the machine" }, [el("option", { value: "-1", text: "all kernels" })].concat(
      counted.slice(0, 100).map(function (k, i) { return el("option", { value: String(i), text: k.kernel + " " + k.grid.join("\u00b7") + " \u00d7 " +
        k.block.join("\u00b7") }); })));
    function show() {
      var k = counted[+list.value];
      box.textContent = "";
      box.appendChild(k ? machineOf(k, other && twin(k).traffic ? twin(k) : null) : machineOf(run, other && other.totals.traffic ? other : null));
    }
    list.addEventListener("change", show);
    show();
    return [el("p", { "class": "meta", text: "Joules of each place, dynamic and static, and the bytes that moved between the rows. A network's bytes are its " +
      "flits, heads included; those of L1 are words that warps wanted." }), el("div", { "class": "tools" }, [list]), box];
  }
  if (run.places && run.totals.traffic) section("machine", "Machine", machine());

  // ---- what if ----
  // The figures at other positions of the sliders: {parts: [[dynamic, static] a place], seconds, energy_j, point}.
  // Exact but for the clock, where the cycles are assumed to stay (what_if.c says what each number is).
  function whatIf(w, at) {
    var own = w.points[0], clock = w.clocks[at.clock], own_mhz = w.core_mhz;
    var node = w.nodes[at.node], follows = node === 0 && at.follow && clock.point > 0;
    var point = w.points[node || (follows ? clock.point : w.supplies[at.supply])] || own, longer = own_mhz / clock.mhz;
    var heat = at.heat < 0 ? null : { sub: point.heat.sub[at.heat], gate: point.heat.gate[at.heat] };
    var at_heat = heat && w.own_heat && w.own_heat[at.heat];
    var parts = point.dynamic_j.map(function (dynamic, i) {
      var sub = point.leak_sub_j[i], gate = point.leak_gate_j[i], still = point.constant_j[i], add = 0;
      Object.keys(at.prices).forEach(function (f) { if (point.prices[f]) add += (at.prices[f] - 1) * point.prices[f][i]; });
      if (at_heat && point === own) {
        sub = at_heat.leak_sub_j[i]; gate = at_heat.leak_gate_j[i]; dynamic = at_heat.dynamic_j[i];
        still = at_heat.constant_j[i];
      } else if (heat) { sub *= heat.sub; gate *= heat.gate; }
      return [dynamic + add, longer === 1 ? sub + gate + still + point.clocked_j[i] : (sub + gate + still) * longer + point.clocked_j[i]];
    });
    function sum(k) { return parts.reduce(function (s, p) { return s + p[k]; }, 0); }
    return { parts: parts, dynamic_j: sum(0), static_j: sum(1), energy_j: sum(0) + sum(1), seconds: w.seconds * longer, point: point, mhz: clock.mhz,
      refused: point.node_nm === own.node_nm && point !== own && clock.mhz > 1.0005 * point.carries_mhz && !(clock.board_v > 0 && point.supply_v >= clock.board_v - 1e-4) };
  }
  function whatIfSection(w) {
    var own_clock = w.clocks.map(function (c) { return c.mhz; }).indexOf(w.core_mhz), own_supply = w.supplies.indexOf(0), own_node = w.nodes.indexOf(0);
    var heats = w.temperatures_k.map(function (k, i) { return { k: k, at: i }; }).filter(function (h) { return Math.abs(h.k - w.temperature_k) > 0.01; });
    heats.push({ k: w.temperature_k, at: -1 });
    heats.sort(function (a, b) { return a.k - b.k; });
    var own_heat = heats.map(function (h) { return h.at; }).indexOf(-1), prices = {}, out = el("div", { "data-energy": "" }), controls = [];
    var families = w.families.filter(function (f) { return w.points[0].prices[f.key]; }), own = w.points[0];
    function slider(name, n, start, say) {
      var value = el("output", null), input = el("input", { type: "range", min: "0", max: String(n - 1), step: "1", value: String(start), "aria-label": name,
        oninput: function () { show(); } });
      controls.push({ input: input, start: start, tell: function () { value.textContent = say(+input.value); input.setAttribute("aria-valuetext", value.textContent); } });
      return { input: input, box: el("label", { "class": "slider" }, [el("span", { text: name }), input, value]) };
    }
    var clock = slider("core clock", w.clocks.length, own_clock, function (i) { return fixed(w.clocks[i].mhz) + " MHz"; });
    var follow = el("input", { type: "checkbox", onchange: function () { show(); } });
    follow.checked = true;
    var may_follow = w.clocks.some(function (c) { return c.point > 0; });
    var supply = slider("supply", w.supplies.length, own_supply, function () { return fixed(now().point.supply_v) + " V"; });
    var heat = slider("temperature", heats.length, own_heat, function (i) { return fixed(heats[i].k) + " K, " + fixed(heats[i].k - 273.15) + " \u00b0C"; });
    var node = slider("node", w.nodes.length, own_node, function (i) { return fixed(w.points[w.nodes[i]].node_nm) + " nm"; });
    var family = el("select", { "aria-label": "operation", onchange: function () { price.input.value = String(factors.indexOf(prices[family.value] || 1)); show(); } },
      families.map(function (f) { return el("option", { value: f.key, text: f.prose.split(";")[0].replace(/ \(.*\)/, "") + " (" + f.key + ")" }); }));
    var factors = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3, 4, 5, 10];
    var price = slider("price", factors.length, 9, function (i) { return factors[i] + " times"; });
    price.input.addEventListener("input", function () { prices[family.value] = factors[+price.input.value]; show(); });
    function now() {
      return whatIf(w, { clock: +clock.input.value, follow: follow.checked && +clock.input.value !== own_clock, supply: +supply.input.value, heat: heats[+heat.input.value].at, node: +node.input.value, prices: prices }); }
    function keys(f) {
      var k = [];
      if (+clock.input.value !== own_clock) k.push("core.clock_mhz=" + f.mhz);
      if (f.point.node_nm !== own.node_nm) k.push("tech.node_nm=" + f.point.node_nm);
      if (f.point.supply_v !== own.supply_v || (k.length && f.mhz !== w.clocks[own_clock].mhz)) k.push("core.vdd=" + Number(f.point.supply_v.toPrecision(10)));
      if (heats[+heat.input.value].at >= 0) k.push("tech.temperature_k=" + heats[+heat.input.value].k);
      families.forEach(function (q) { if (prices[q.key] && prices[q.key] !== 1) k.push("power." + q.key + "=" + Number((q.cost * prices[q.key]).toPrecision(10))); });
      return k.map(function (t) { return "-s " + t; }).join(" ");
    }
    function changed(a, b) {
      if (!(b > 0) || Math.abs(a / b - 1) < 1e-9) return null; // the account's figures come with twelve digits
      return el("span", { "class": "change" + (a < b ? " better" : " worse"), text: (a >= b ? "+" : "\u2212") + Math.abs(100 * (a / b - 1)).toFixed(1) + " %" });
    }
    function show() {
      var f = now(), was = run.totals, rerun = keys(f), still = f.mhz === w.clocks[own_clock].mhz;
      var other_node = f.point.node_nm !== own.node_nm, bound = Math.max.apply(null, f.parts.map(function (p, i) {
        return Math.max(p[0] + p[1], own.dynamic_j[i] + own.leak_sub_j[i] + own.leak_gate_j[i] + own.constant_j[i] + own.clocked_j[i]); }));
      supply.input.disabled = other_node || (may_follow && follow.checked && !still);
      follow.disabled = other_node;
      controls.forEach(function (c) { c.tell(); });
      Object.assign(out.dataset, { energy: String(f.energy_j), time: String(f.seconds), rerun: rerun });
      function figure(name, a, b, text) { return el("div", { "class": "card" }, [el("span", { "class": "meta", text: name }), el("b", { text: text(a) }), changed(a, b)]); }
      out.textContent = "";
      out.appendChild(el("div", { "class": "cards" }, [figure("energy", f.energy_j, was.energy_j, joules), figure("time in kernels", f.seconds, was.seconds, seconds),
        figure("power", f.energy_j / f.seconds, was.power_w, watts), figure("energy-delay", f.energy_j * f.seconds, was.edp_js, function (v) { return scaled(v, "Js"); }),
        figure("dynamic", f.dynamic_j, was.dynamic_j, joules), figure("static", f.static_j, was.static_j, joules)]));
      out.appendChild(el("p", { "class": "meta", text: !rerun ? "At the run's own point: these are the account's figures." : (still ? "Nothing here moves a cycle: a run with " :
        "Assumed: the cycles stay, as if memory's clock moved too. Memory keeps its own, so that a slower core wins cycles and a faster one loses them; what it comes to says a run with ") + rerun +
        (still ? " gives the same." : ".") }));
      if (f.refused) out.appendChild(el("p", { "class": "alert", text: "At " + fixed(f.point.supply_v) + " V the chip's transistors carry " + whole(f.point.carries_mhz) + " MHz, not " +
        fixed(f.mhz) + ": a run there has no power." }));
      out.appendChild(el("table", { "class": "what" }, [el("caption", { text: "Energy by place of the machine: dynamic and static; behind it what it was." }), el("tbody", null, run.places.map(function (p, i) {
        var a = f.parts[i][0] + f.parts[i][1], b = own.dynamic_j[i] + own.leak_sub_j[i] + own.leak_gate_j[i] + own.constant_j[i] + own.clocked_j[i];
        if (!(a > 0) && !(b > 0)) return null;
        return el("tr", null, [el("th", { scope: "row", text: p.title }), el("td", null, [joules(a) + " ", changed(a, b)]),
          el("td", { "class": "bars" }, [el("div", { "class": "bar two" }, [el("i", { style: "width:" + 100 * f.parts[i][0] / bound + "%" }), el("i", { "class": "still", style: "width:" + 100 * f.parts[i][1] / bound + "%" })]),
            el("div", { "class": "bar was" }, [el("i", { style: "width:" + 100 * b / bound + "%" })])])]);
      }))]));
    }
    show();
    var back = el("button", { type: "button", "class": "plain", text: "back to the run", onclick: function () {
      controls.forEach(function (c) { c.input.value = String(c.start); });
      Object.keys(prices).forEach(function (k) { delete prices[k]; });
      show();
    } });
    return [el("p", { "class": "meta", text: "The run's own counts at another point of the power model, of the time in kernels. A power limit is not looked at." }),
      el("div", { "class": "sliders" }, [clock.box, may_follow ? el("label", { "class": "slider" }, [el("span", { text: "supply follows the clock" }), follow]) : null, supply.box, heat.box, node.box,
        families.length ? el("label", { "class": "slider" }, [el("span", { text: "operation" }), family]) : null, families.length ? price.box : null]), el("p", null, [back]), out];
  }
  if (run.what_if) section("what-if", "What if", whatIfSection(run.what_if));

  // ---- kernels ----
  // Who had the issue slots, most first; in a comparison with the change of the share.
  function slotShares(slots) {
    var names = Object.keys(slots).filter(function (n) { return n !== "dual"; }), all = names.reduce(function (s, n) { return s + slots[n]; }, 0);
    return names.reduce(function (s, n) { s[n] = slots[n] / all; return s; }, {});
  }
  function slotText(slots, theirs) {
    var a = slotShares(slots), b = theirs ? slotShares(theirs) : {};
    return Object.keys(a).sort(function (m, n) { return a[n] - a[m]; }).filter(function (n) { return a[n] >= 5e-4 || b[n] >= 5e-4; })
      .map(function (n) { return n + " " + moved(percent(a[n]), a[n], theirs ? b[n] || 0 : undefined); }).join(", ");
  }
  function kernelDetail(k) {
    var rows = (k.limits || []).filter(function (l) { return known(l.share); }), o = twin(k);
    function say(name, show) { return moved(show(k[name]), k[name], o[name]); }
    return el("details", null, [el("summary", { text: k.kernel + ": how near to each limit" }),
      el("p", { text: "Occupancy " + say("achieved_warps", fixed) + " warps an SM of " + say("occupancy_warps", String) + " possible, limited by " +
        (k.occupancy_limit || "nothing") + (o.occupancy_limit && o.occupancy_limit !== k.occupancy_limit ? " (" + o.occupancy_limit + " beside)" : "") +
        "; " + say("registers", String) + " registers a thread, " + say("shared_bytes", String) + " bytes of shared memory a block; " +
        say("transactions_an_access", fixed) + " transactions an access, " + say("passes_a_shared_access", fixed) + " passes a shared access, DRAM row hits " +
        say("row_hit", percent) + "." }),
      el("p", { text: "Issue slots: " + slotText(k.slots || {}, o.slots) + "." }),
      table("limits of " + k.kernel, [{ title: "limit", value: function (l) { return l.name; }, text: function (l) { return l.name; } },
        column("of its peak", "share", percent, 0, function (l) {
          return (twin(k).limits || []).filter(function (q) { return q.name === l.name; })[0]; }),
        { title: "", value: function (l) { return l.share; }, node: function (l) {
          return el("div", { "class": "bar" }, [el("i", { style: "width:" + Math.min(100, 100 * l.share) + "%" })]); } }], rows)]);
  }
  var filter = el("input", { type: "search", placeholder: "filter by name", "aria-label": "filter kernels by name" });
  var kernelTable = table("kernels", [
    { title: "kernel", value: function (k) { return k.kernel; }, text: function (k) { return k.kernel; } },
    { title: "grid \u00d7 block", value: function (k) { return k.grid[0] * k.grid[1] * k.grid[2]; },
      text: function (k) { return k.grid.join("\u00b7") + " \u00d7 " + k.block.join("\u00b7"); } },
    column("launches", "launches", whole, 0, twin), column("time", "seconds", function (v, k) { return seconds(v) + within(k && k.half_cycles, k && k.cycles); }, -1, twin),
    column("energy", "energy_j", function (v, k) { return joules(v) + within(k && k.half_j, k && k.energy_j); }, -1, twin), column("power", "power_w", watts, -1, twin),
    column("IPC", "ipc", fixed, 1, twin), column("lanes", "lanes", fixed, 1, twin),
    column("warps", "achieved_warps", fixed, 1, twin), column("L1", "l1_hit", percent, 1, twin),
    column("L2", "l2_hit", percent, 1, twin),
    column("nearest limit", function (k) { return k.limits ? nearest(k).share : null; }, function (v, k) {
      return nearest(k).name ? nearest(k).name + " " + percent(v) : "\u2013"; }, 0, twin)
  ], run.kernels.slice().sort(function (a, b) { return b.seconds - a.seconds; }));
  function nearest(k) {
    return (k.limits || []).reduce(function (m, l) { return known(l.share) && l.share > m.share ? l : m; }, { share: 0 }); }
  filter.addEventListener("input", function () {
    kernelTable.fill(run.kernels.filter(function (k) { return k.kernel.toLowerCase().indexOf(filter.value.toLowerCase()) >= 0; })); });
  section("kernels", "Kernels", [el("p", { "class": "meta", text: "Launches of one kernel and shape are a row; headings sort." }),
    el("div", { "class": "tools" }, [filter]), kernelTable].concat(
    run.kernels.slice().sort(function (a, b) { return b.seconds - a.seconds; }).slice(0, 20).map(function (k) { return k.limits ? kernelDetail(k) : null; })));

  // ---- over time ----
  function micro(s) { return 1e6 * s; }
  // Steps: a value from an interval's start to just before its end, for a stack has one value at each place.
  function points(r, f) {
    var list = [], v = r.timeline.intervals;
    v.forEach(function (n, i) {
      var y = f(n);
      list.push({ x: micro(n.from_s), y: y }, { x: micro(n.to_s - 1e-6 * (n.to_s - n.from_s)), y: y });
      if (i + 1 < v.length && v[i + 1].from_s > n.to_s * (1 + 1e-9)) list.push({ x: micro(n.to_s), y: null });
    });
    return list;
  }
  function highest(r, f) { return r.timeline.intervals.reduce(function (m, n) { return Math.max(m, f(n)); }, 0); }
  function overTime() {
    var both = (other ? [run, other] : [run]).filter(function (r) { return r.timeline.intervals.length; });
    if (!both.length) return [el("p", { text: "No intervals were counted in this run." })];
    // Two charts of power have the same components in the same colours, and the same axes.
    var peak = {};
    both.forEach(function (r) { r.timeline.groups.forEach(function (g, i) {
      peak[g] = Math.max(peak[g] || 0, highest(r, function (n) { return n.watts[i]; })); }); });
    var shown = Object.keys(peak).sort(function (a, b) { return peak[b] - peak[a]; }).slice(0, 11);
    function sum(n) { return n.watts.reduce(function (s, w) { return s + w; }, 0); }
    var end = Math.max.apply(null, both.map(function (r) { return highest(r, function (n) { return micro(n.to_s); }); }));
    var start = Math.min.apply(null, both.map(function (r) { return micro(r.timeline.intervals[0].from_s); }));
    var top = Math.max.apply(null, both.map(function (r) { return highest(r, sum); }));
    // A launch of one or two intervals is a step and no course.
    var few = both.filter(function (r) { return r.timeline.intervals.length < 3 * r.kernels.reduce(function (n, k) { return n + k.launches; }, 0); });
    var note = few.length ? el("p", { "class": "meta", text: "Launches are shorter than three intervals, so that charts show steps: a shorter " +
      "--interval shows their course." }) : null;
    function axis() {
      return { type: "linear", min: other ? start : undefined, max: other ? end : undefined, title: { display: true, text: "\u00b5s" } }; }
    function name(r) { return r === other ? "beside: " + beside_title : r.title; }
    function power(r) {
      var groups = r.timeline.groups;
      function area(label, colour, f) {
        return { label: label, data: points(r, f), backgroundColor: colour, borderColor: colour, borderWidth: 0, pointRadius: 0, fill: true }; }
      var sets = shown.map(function (g, i) {
        var at = groups.indexOf(g);
        return area(g, palette[i % palette.length], function (n) { return at < 0 ? 0 : n.watts[at]; }); });
      sets.push(area("all others", "#aab4be", function (n) {
        return n.watts.reduce(function (s, w, i) { return shown.indexOf(groups[i]) < 0 ? s + w : s; }, 0); }));
      return el("div", null, [el("h3", { text: "Power by component" + (other ? ", " + name(r) : "") }),
        chart("power by component over time" + (other ? ", " + name(r) : ""), { type: "line", data: { datasets: sets },
          options: { parsing: false, scales: { x: axis(), y: { stacked: true, beginAtZero: true, suggestedMax: other ? top : undefined,
            title: { display: true, text: "W" } } }, plugins: { legend: { labels: { boxWidth: 12 } } } } })]);
    }
    // The second run has the colours of the first, dashed.
    function lines(label, of, unit, most) {
      var sets = [];
      both.forEach(function (r) { of.forEach(function (q, i) {
        sets.push({ label: (r === other ? "beside: " : "") + q[0], data: points(r, q[1]), borderColor: palette[i], backgroundColor: palette[i],
          borderDash: r === other ? [5, 4] : [], borderWidth: 1.5, pointRadius: 0 }); }); });
      return el("div", null, [el("h3", { text: label }), chart(label + " over time", { type: "line", data: { datasets: sets },
        options: { parsing: false, scales: { x: axis(), y: { beginAtZero: true, max: most, title: { display: true, text: unit } } } } })]);
    }
    var hundred = function (key) { return function (r) { return known(r[key]) ? 100 * r[key] : null; }; };
    return [note].concat(both.map(power), [el("div", { "class": "pair" }, [
      lines("Issue slots used, and cache hits", [["issue slots", hundred("issue")], ["L1 hits", hundred("l1_hit")], ["L2 hits", hundred("l2_hit")]], "%", 100),
      lines("Warps an SM", [["resident warps", function (r) { return r.warps; }]], "warps"),
      lines("DRAM", [["read and written", function (r) { return r.dram_bytes_per_s / 1e9; }]], "GB/s")])]);
  }
  section("time", "Over time", overTime());

  // ---- supply rails, as a test bed shows them ----
  function probeChart(r, label) {
    var p = r.probe, t = p.power_w.map(function (w, i) { return i * p.period_s * 1e3; }), sets = [];
    function line(name, data, colour, more) {
      sets.push(Object.assign({ label: name, data: data, borderColor: colour, backgroundColor: colour, borderWidth: 1.5, pointRadius: 0,
        stepped: "before" }, more));
    }
    function points(w) { return w.map(function (v, i) { return { x: t[i], y: v }; }); }
    var m = p.measured, all = p.power_w.concat(m ? m.power_w : []), top = all.reduce(function (a, b) { return Math.max(a, b || 0); }, 0), bars = [];
    // The black bars of the report's figure 9: where kernels begin and end.
    p.marks.forEach(function (k) { if (!k.copy && k.end_s > k.start_s) [k.start_s, k.end_s].forEach(function (s) {
      bars.push({ x: s * 1e3, y: 0 }, { x: s * 1e3, y: top }, { x: s * 1e3, y: NaN }); }); });
    line("board", points(p.power_w), palette[0]);
    p.rails.forEach(function (q, i) { line(q.name, points(q.power_w), palette[i + 2]); });
    if (m) line("measured", m.time_s.map(function (s, i) { return { x: s * 1e3, y: m.power_w[i] }; }), palette[4], { borderDash: [5, 3], stepped: false });
    line("kernel begins or ends", bars, "#888888", { borderWidth: 1, stepped: false, spanGaps: false });
    return chart("power of the supply rails" + label, { type: "line", data: { datasets: sets }, options: { parsing: false, scales: {
      x: { type: "linear", title: { display: true, text: "ms" } }, y: { beginAtZero: true, title: { display: true, text: "W" } } },
      plugins: { legend: { labels: { boxWidth: 12 } } } } });
  }
  function probeTables(p) {
    function number(title, key, show) {
      return { title: title, value: function (r) { return r[key]; }, text: function (r) { return show(r[key]); } };
    }
    var rails = table("supply rails", [
      { title: "rail", value: function (r) { return r.name; }, text: function (r) { return r.name + (r.count > 1 ? " x" + r.count : ""); } },
      number("nominal", "nominal_v", function (v) { return fixed(v) + " V"; }), number("at most", "limit_w", watts), number("mean", "mean_w", watts),
      number("least", "least_w", watts), number("most", "most_w", watts),
      { title: "carries", kind: "text", value: function (r) { return r.what; }, text: function (r) { return r.what; } }], p.rails);
    var steps = table("as read off the samples", [
      { title: "index", value: function (r) { return r.step; }, text: function (r) { return String(r.step); } },
      { title: "method", kind: "text", value: function (r) { return r.method; }, text: function (r) { return r.method; } },
      number("start", "start_s", seconds), number("end", "end_s", seconds), number("energy", "energy_j", joules), number("power", "power_w", watts)], p.marks);
    return el("div", null, [rails, el("h3", { text: "As read off the samples" }), steps]);
  }
  function probeSection(r, label) {
    var p = r.probe, m = p.measured;
    return [el("p", { "class": "meta", text: whole(p.samples) + " samples at " + scaled(p.hz, "Hz") + (p.joined > 1 ? ", drawn as means of " + p.joined : "") +
      ", each the mean of its period, with " + (p.noise ? fixed(p.noise) + " of the converter's noise (seed " + p.seed + ")" : "no noise") + ": " +
      joules(p.energy_j) + "." + (m ? " Measured: " + watts(m.mean_w) + " over the run's time; ours " +
      watts(p.rails.reduce(function (s, q) { return s + q.mean_w; }, 0)) + "." : "") }), probeChart(r, label), probeTables(p)];
  }
  if (run.probe) section("probe", "Supply rails", probeSection(run, "").concat(other && other.probe ? [el("h3", { text: "beside: " + beside_title })]
    .concat(probeSection(other, ", beside")) : []));

  // ---- source ----
  function stallText(stalls, theirs) {
    return Object.keys(stalls).sort(function (a, b) { return stalls[b] - stalls[a]; }).slice(0, 3).map(function (n) {
      return n + " " + moved(whole(stalls[n]), stalls[n], theirs ? theirs[n] || 0 : undefined); }).join(", ");
  }
  var memory = ["accesses", "transactions", "passes", "conflicts", "lookups", "misses", "requests", "request_bytes", "dram_bytes"];
  function asked(i) { return memory.reduce(function (o, n) { o[n] = i[n] || 0; return o; }, {}); }
  function waited(i) { return Object.keys(i.stalls).reduce(function (s, n) { return s + i.stalls[n]; }, 0); }
  // Adds instructions up by the line that `key` gives.
  function byLine(code, key, text) {
    var lines = {};
    code.instructions.forEach(function (i) {
      var k = key(i);
      if (k === null) return;
      var l = lines[k] = lines[k] || Object.assign({ key: k, text: text(k, i), issues: 0, lanes: 0, slots: 0, dynamic_j: 0, static_j: 0, stalls: {},
        pcs: [] }, asked({}));
      l.issues += i.issues;
      l.lanes += i.lanes;
      l.slots += waited(i);
      l.dynamic_j += i.dynamic_j;
      l.static_j += i.static_j;
      memory.forEach(function (n) { l[n] += i[n] || 0; });
      l.pcs.push(i.pc);
      Object.keys(i.stalls).forEach(function (n) { l.stalls[n] = (l.stalls[n] || 0) + i.stalls[n]; });
    });
    return Object.keys(lines).map(function (k) { return lines[k]; });
  }
  // Lines of the other run by what stands there: of a program that changed, numbers have moved.
  function pair_lines(rows, others) {
    var at = {}, seen = {};
    function place(seen, r) {
      var t = r.text.trim();
      seen[t] = (seen[t] || 0) + 1;
      return t + "\n" + seen[t];
    }
    others.forEach(function (o) { at[place(seen, o)] = o; });
    seen = {};
    rows.forEach(function (r) { r.twin = at[place(seen, r)] || null; });
  }
  function twin_line(r) { return r.twin; }
  function pane(code, title, rows, select) {
    rows.forEach(function (r) { r.energy_j = r.dynamic_j + r.static_j; if (r.twin) r.twin.energy_j = r.twin.dynamic_j + r.twin.static_j; });
    var most = rows.reduce(function (m, r) { return Math.max(m, r.dynamic_j + r.static_j || r.issues); }, 0);
    var some = function (key) { return rows.some(function (r) { return r[key] || (r.twin && r.twin[key]); }); };
    // A number of the rows that have any of `per`, or nothing.
    var share = function (a, per) { return function (r) { return r[per] ? r[a] / r[per] : undefined; }; };
    var where = function (a, per) { return function (r) { return r[per] || (r.twin && r.twin[per]) ? r[a] : undefined; }; };
    var heat = function (r) { return most ? (r.dynamic_j + r.static_j || r.issues) / most : 0; };
    var t = table(title + " of " + code.kernel, [
      { title: title, value: function (r) { return r.order; }, text: function (r) { return r.label; } },
      { title: "energy", value: function (r) { return r.dynamic_j + r.static_j; }, node: function (r) {
        return el("span", { "class": "hot", style: "padding:0 .3em;background:rgba(var(--heat)," + (0.5 * heat(r)).toFixed(2) + ")", text: joules(r.energy_j) + " " },
          [change(r.energy_j, (r.twin || {}).energy_j, -1)]); } },
      column("dynamic", "dynamic_j", joules, -1, twin_line), column("issues", "issues", whole, -1, twin_line),
      column("lanes", share("lanes", "issues"), fixed, 1, twin_line),
      column("tx/request", share("transactions", "accesses"), fixed, -1, twin_line, { hint: "transactions a request of a warp", of: "accesses" }),
      column("conflicts", where("conflicts", "passes"), whole, -1, twin_line,
        { hint: "cycles for which bank conflicts held shared memory", of: "passes", none: 0 }),
      column("misses", where("misses", "lookups"), function (v, r) {
        return whole(v) + (r.lookups ? " (" + Math.round(100 * v / r.lookups) + " %)" : ""); }, -1, twin_line,
        { hint: "look-ups of L1, constant and texture cache that missed, and their share", of: "lookups", none: 0 }),
      column("DRAM", where("dram_bytes", "dram_bytes"), function (v) { return scaled(v, "B"); }, -1, twin_line,
        { hint: "bytes that it was the first to have read from DRAM", of: "dram_bytes", none: 0 }),
      column("waited", "slots", whole, -1, twin_line),
      { title: "for", kind: "text", value: function (r) { return r.slots; }, text: function (r) { return stallText(r.stalls, (r.twin || {}).stalls); } }
    ].filter(function (c) { return !c.of || some(c.of); }), rows, { row: function (r, i) { return { tabindex: i ? "-1" : "0" }; }, ready: function (tr, r) {
      r.tr = tr;
      tr.addEventListener("click", function () { select(r.pcs); });
      tr.addEventListener("keydown", function (e) {
        var next = e.key === "ArrowDown" ? tr.nextElementSibling : e.key === "ArrowUp" ? tr.previousElementSibling : null;
        if (e.key === "Enter" || e.key === " ") select(r.pcs);
        else if (!next) return;
        else {
          tr.setAttribute("tabindex", "-1");
          next.setAttribute("tabindex", "0");
          next.focus();
        }
        e.preventDefault();
      });
    } });
    t.rows = rows;
    return el("div", null, [t]);
  }
  function cuda_lines(code) {
    return byLine(code, function (i) {
      return i.line ? (i.file || 0) + ":" + i.line : null; }, function (k) {
      var f = k.split(":"); return ((code.cuda[f[0]] || {})[f[1]] || "").replace(/\t/g, "  "); });
  }
  function ptx_lines(code) {
    return byLine(code, function (i) { return i.ptx || null; }, function (k) { return (code.ptx[k] || "").trim(); });
  }
  function machine_lines(code) {
    return code.instructions.map(function (i) {
      return Object.assign({ order: -i.pc, text: i.text, label: String(i.pc).padStart(5) + "  " + i.text, issues: i.issues, lanes: i.lanes,
        slots: waited(i), stalls: i.stalls, dynamic_j: i.dynamic_j, static_j: i.static_j, pcs: [i.pc] }, asked(i)); });
  }
  function source(code) {
    var all = [], of = other && other.codes.filter(function (c) { return c.kernel === code.kernel; })[0];
    function select(pcs) {
      all.forEach(function (rows) { rows.forEach(function (r) {
        r.tr.classList.toggle("on", r.pcs.some(function (p) { return pcs.indexOf(p) >= 0; })); }); });
    }
    var cuda = cuda_lines(code), ptx = ptx_lines(code), machine = machine_lines(code);
    if (of) {
      pair_lines(cuda, cuda_lines(of));
      pair_lines(ptx, ptx_lines(of));
      pair_lines(machine, machine_lines(of));
    }
    // Without the indentation that all lines have, and with a gap in the place of a tab.
    var indent = cuda.reduce(function (least, r) { return r.text.trim() ? Math.min(least, r.text.search(/\S/)) : least; }, 99);
    cuda.forEach(function (r) {
      var f = r.key.split(":"); r.order = -(f[0] * 1e6 + +f[1]); r.label = f[1].padStart(4) + " " + r.text.slice(indent); });
    ptx.forEach(function (r) { r.order = -r.key; r.label = String(r.key).padStart(4) + " " + r.text.replace(/\s+/g, " "); });
    cuda.sort(function (a, b) { return b.order - a.order; });
    ptx.sort(function (a, b) { return b.order - a.order; });
    var parts = [];
    if (cuda.length) { all.push(cuda); parts.push(pane(code, "CUDA source", cuda, select)); }
    all.push(ptx, machine);
    parts.push(pane(code, "PTX", ptx, select), pane(code, "machine code", machine, select));
    function told(c) {
      return c.instructions.reduce(function (s, i) { return s + i.dynamic_j + i.static_j; }, 0); }
    function say(show, f) { return moved(show(f(code)), f(code), of ? f(of) : undefined); }
    function joule(v) { return scaled(v, "J"); }
    return el("div", null, [el("p", { "class": "meta", text: say(whole, function (c) { return c.launches; }) + " launches, " +
      say(seconds, function (c) { return c.seconds; }) + ", " + say(joule, function (c) { return c.dynamic_j + c.static_j; }) + ": " +
      say(joule, told) + " to instructions, " + say(joule, function (c) { return c.idle_j; }) +
      " to issue slots and SMs without work. Press a line to see it in the other columns; arrow keys go from line to line." }), el("div", { "class": "code" }, parts)]);
  }
  var holder = el("div"), choice = el("select", { "aria-label": "kernel" }, run.codes.map(function (c, i) {
    return el("option", { value: String(i), text: c.kernel }); }));
  function showSource() { holder.textContent = ""; if (run.codes.length) holder.appendChild(source(run.codes[+choice.value])); }
  choice.addEventListener("change", showSource);
  var waits = (run.waits || []).filter(function (w) { return w.rows.length && run.codes.some(function (c) { return c.id === w.code; }); });
  section("source", "Source", run.codes.length ? [el("div", { "class": "tools" }, [el("label", { text: "kernel " }), choice]), holder, waits.length ? waitsOverTime(waits) : null]
    : [el("p", { text: "No instruction was counted in this run." })]);
  showSource();

  // ---- what to change ----
  var findings = run.findings.slice().sort(function (a, b) { return b.time_s - a.time_s; });
  function before(f) {
    var o = other.findings.filter(function (q) { return q.rule === f.rule && q.kernel === f.kernel; })[0];
    return o ? "In the other run too: " + o.evidence + ", worth " + seconds(o.time_s) + " and " + joules(o.energy_j) + "." : "Not in the other run.";
  }
  function gone() {
    return other.findings.filter(function (q) { return !findings.some(function (f) { return q.rule === f.rule && q.kernel === f.kernel; }); })
      .map(function (q) { return el("p", { "class": "meta", text: "Only in the other run: " + q.kernel + ": " + q.title + ", worth " +
        seconds(q.time_s) + " and " + joules(q.energy_j) + "." }); });
  }
  // Of all issue slots that instructions of the run used or waited in, what was lost to what.
  function losses() {
    var all = 0, by = {};
    run.codes.forEach(function (code) { code.instructions.forEach(function (i) {
      all += i.issues;
      Object.keys(i.stalls).forEach(function (n) { all += i.stalls[n]; by[n] = (by[n] || 0) + i.stalls[n]; }); }); });
    return Object.keys(by).sort(function (a, b) { return by[b] - by[a]; }).slice(0, 3).filter(function (n) { return by[n] > 0.02 * all; })
      .map(function (n) { return n + " " + percent(by[n] / all); }).join(", ");
  }
  function nothing() {
    var lost = losses();
    return el("p", { text: "No rule found anything that is worth 2 % of a kernel's time." + (lost ? " Most issue slots without an instruction: " +
      lost + "." : "") });
  }
  section("advice", "What to change", (findings.length ? findings.map(function (f) {
    return el("div", { "class": "finding" }, [el("h3", { text: f.title }),
      el("p", { text: f.kernel + (f.line ? ", " + (f.file ? f.file + " " : "") + "line " + f.line : f.ptx ? ", PTX line " + f.ptx : "") + (f.text ? ": " + f.text : "") }),
      other ? el("p", { "class": "meta", text: before(f) }) : null,
      el("p", { text: f.evidence + ". Worth up to " + scaled(f.time_s, "s") + " (" + percent(f.time_share) + " of the kernel) and " +
        scaled(f.energy_j, "J") + " by this model." }),
      el("p", { "class": "meta", text: "To do: " + f.cure + "." })]);
  }) : [nothing()]).concat(other ? gone() : []));

  // ---- warps, cycle by cycle ----
  var state_colour = { issued: "#1f6fc0", dual: "#123f78", ready: "#8ec48a", memory: "#c2443e", alu: "#e0a02a", counter: "#e0a02a", barrier: "#9a4fa3", fence: "#b78cc0",
    fetch: "#8a94a0", control: "#6c7784", unit_busy: "#4ba3a0", collector: "#2f7d7a", lsu_full: "#d97a45", pending: "#b5bd5a", policy: "#d36fa0", issuing: "#a7b6c4",
    stall_count: "#c9b06a", operands: "#7f6f3a", sleep: "#5c5f8a", done: "#c9d0d8" };
  // A row a warp, a column a cycle; the window is scrolled and magnified, and only what is seen is drawn.
  function warpsSection(w) {
    var SPAN = { warp: 0, from: 1, to: 2, state: 3, pc: 4, lanes: 5, resident: 6 }, high = 15, left = 92, head = 18;
    var code = run.codes.filter(function (c) { return c.id === w.code; })[0], insts = {}, rows = {}, seen = {};
    if (code) code.instructions.forEach(function (i) { insts[i.pc] = i; });
    w.spans.forEach(function (s) { (rows[s[SPAN.warp]] = rows[s[SPAN.warp]] || []).push(s); seen[w.states[s[SPAN.state]]] = (seen[w.states[s[SPAN.state]]] || 0) + s[SPAN.to] - s[SPAN.from]; });
    var warps = Object.keys(rows).map(Number).sort(function (a, b) { return a - b; });
    if (!warps.length) return [el("p", { text: "SM " + w.sm + " had no warp of this launch in cycles " + whole(w.from) + " to " + whole(w.to - 1) + "." })];
    warps.forEach(function (k) { rows[k].sort(function (a, b) { return a[SPAN.from] - b[SPAN.from] || a[SPAN.pc] - b[SPAN.pc]; }); });
    var canvas = el("canvas", { role: "img", tabindex: "0", "aria-label": "warps of SM " + w.sm + " by cycle: arrow keys move the mark, what stands there is said below" });
    var inner = el("div"), scroller = el("div", { "class": "warps", tabindex: "-1" }, [inner, canvas]), said = el("p", { "class": "said", "aria-live": "polite" });
    var zoom = el("input", { type: "range", min: "0", max: "6", step: "1", value: "4", "aria-label": "width of a cycle", oninput: function () { place(mark.cycle); } });
    var widths = [0.25, 0.5, 1, 3, 8, 16, 28], mark = { row: 0, cycle: w.from };
    function wide() { return widths[+zoom.value]; }
    function first(list, cycle) { // the first span that ends behind `cycle`
      var low = 0, up = list.length;
      while (low < up) { var m = (low + up) >> 1; if (list[m][SPAN.to] > cycle) up = m; else low = m + 1; }
      return low;
    }
    function at(row, cycle) { var list = rows[warps[row]], s = list[first(list, cycle)]; return s && s[SPAN.from] <= cycle ? s : null; }
    function name(s) { var i = insts[s[SPAN.pc]]; return i ? i.text : "pc " + s[SPAN.pc]; }
    function lineOf(i) {
      if (!i || !i.line) return i && i.ptx ? ", PTX line " + i.ptx + ((code.ptx || {})[i.ptx] ? ": " + code.ptx[i.ptx].trim() : "") : "";
      var text = ((code.cuda[i.file || 0] || code.cuda[Object.keys(code.cuda)[0]] || {})[i.line] || "").trim();
      return ", line " + i.line + (text ? ": " + text : "");
    }
    function lanes(mask) { var n = 0; for (var m = mask; m > 0; m = Math.floor(m / 2)) n += m % 2; return n; }
    function say() {
      var s = at(mark.row, mark.cycle), here = "Cycle " + whole(mark.cycle) + ", warp " + warps[mark.row];
      if (!s) { said.textContent = here + ": not there."; return; }
      var who = w.residents[s[SPAN.resident]], state = w.states[s[SPAN.state]], second = rows[warps[mark.row]][first(rows[warps[mark.row]], mark.cycle) + 1];
      said.textContent = here + " (warp " + who[1] + " of block " + who[0] + "): " + (state === "issued" || state === "dual" ? "issues " : state + ", " + w.prose[s[SPAN.state]] + ", at ") + name(s) +
        (second && second[SPAN.from] === mark.cycle && s !== second ? " and " + name(second) : "") + ", " + lanes(s[SPAN.lanes]) + " lanes" + lineOf(insts[s[SPAN.pc]]) +
        (s[SPAN.to] - s[SPAN.from] > 1 ? "; for " + whole(s[SPAN.to] - s[SPAN.from]) + " cycles, " + whole(s[SPAN.from]) + " to " + whole(s[SPAN.to] - 1) : "") + ".";
      scroller.dataset.said = said.textContent;
    }
    function draw() {
      var view = scroller.clientWidth, ratio = window.devicePixelRatio || 1, c = canvas.getContext("2d"), style = getComputedStyle(document.body), ink = style.color;
      var width = Math.max(80, view), height = head + high * warps.length;
      canvas.width = Math.round(width * ratio); canvas.height = Math.round(height * ratio);
      canvas.style.width = width + "px"; canvas.style.height = height + "px";
      inner.style.width = left + (w.to - w.from) * wide() + "px";
      c.scale(ratio, ratio);
      c.font = "11px " + style.fontFamily;
      c.textBaseline = "middle";
      var x0 = scroller.scrollLeft, from = w.from + x0 / wide(), to = Math.min(w.to, from + (width - left) / wide() + 1);
      function x(cycle) { return left + (cycle - w.from) * wide() - x0; }
      c.save();
      c.beginPath(); c.rect(left, 0, width - left, height); c.clip();
      var step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].filter(function (s) { return s * wide() >= 70; })[0] || 10000;
      c.fillStyle = c.strokeStyle = ink;
      for (var t = Math.ceil(from / step) * step; t < to; t += step) { c.globalAlpha = 0.75; c.fillText(whole(t), x(t) + 2, head / 2); c.globalAlpha = 0.25; c.fillRect(x(t), 2, 1, height); }
      c.globalAlpha = 1;
      warps.forEach(function (k, r) {
        var list = rows[k], y = head + r * high;
        for (var i = first(list, from); i < list.length && list[i][SPAN.from] < to; i++) {
          var s = list[i], state = w.states[s[SPAN.state]], a = x(s[SPAN.from]), b = x(s[SPAN.to]), thin = state === "issued" || state === "dual" ? 1 : 4;
          c.fillStyle = state_colour[state] || "#999";
          if (state === "dual") { c.fillRect(a, y + high / 2, Math.max(b - a - (wide() > 2 ? 1 : 0), 0.5), high / 2 - 1); continue; }
          c.fillRect(a, y + thin, Math.max(b - a - (wide() > 2 ? 1 : 0), 0.5), high - 2 * thin);
          if (b - a >= 26 && (state === "issued" || b - a > 90)) {
            c.save(); c.beginPath(); c.rect(Math.max(a, left), y, b - Math.max(a, left) - 2, high); c.clip();
            c.fillStyle = state === "issued" ? "#fff" : "#000"; c.font = (state === "issued" ? "10px " : "8px ") + style.fontFamily;
            c.fillText(state === "issued" ? name(s).replace(/^@!?\S+ /, "") : state, Math.max(a, left) + 2, y + high / 2); c.restore();
          }
        }
      });
      c.strokeStyle = ink; c.lineWidth = 1.5;
      c.strokeRect(x(mark.cycle), head + mark.row * high, Math.max(wide(), 3), high - 1);
      c.restore();
      c.fillStyle = ink;
      warps.forEach(function (k, r) {
        var s = at(r, Math.floor(Math.max(from, w.from))) || rows[k][0], who = w.residents[s[SPAN.resident]];
        c.fillText(k + ": " + who[0] + "\u00b7" + who[1], 2, head + r * high + high / 2); });
      c.fillText("warp: block\u00b7warp", 2, head / 2, left - 4);
    }
    function place(cycle) { // the mark's cycle stays where it is seen
      inner.style.width = left + (w.to - w.from) * wide() + "px";
      scroller.scrollLeft = Math.max(0, (cycle - w.from) * wide() - (scroller.clientWidth - left) / 2);
      draw();
    }
    function point(e) {
      var box = canvas.getBoundingClientRect(), r = Math.floor((e.clientY - box.top - head) / high), c = Math.floor(w.from + (e.clientX - box.left - left + scroller.scrollLeft) / wide());
      if (r < 0 || r >= warps.length || c < w.from || c >= w.to) return;
      mark = { row: r, cycle: c };
      say(); draw();
    }
    canvas.addEventListener("mousemove", point);
    canvas.addEventListener("click", point);
    canvas.addEventListener("keydown", function (e) {
      var by = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[e.key];
      if (!by) return;
      mark = { row: Math.min(warps.length - 1, Math.max(0, mark.row + by[0])), cycle: Math.min(w.to - 1, Math.max(w.from, mark.cycle + by[1])) };
      var x = (mark.cycle - w.from) * wide() - scroller.scrollLeft;
      say();
      if (x < 0 || x > scroller.clientWidth - left - wide()) place(mark.cycle); else draw();
      e.preventDefault();
    });
    scroller.addEventListener("scroll", draw);
    window.addEventListener("resize", draw);
    undo.push(function () { window.removeEventListener("resize", draw); });
    drawings.push(draw);
    var all = Object.keys(seen).reduce(function (t, n) { return t + seen[n]; }, 0);
    setTimeout(function () { say(); draw(); }, 0);
    return [el("p", { "class": "meta", text: "SM " + w.sm + ", cycles " + whole(w.from) + " to " + whole(w.to - 1) + " of launch " + w.launch + ", " + w.kernel +
      ": a row is a place of the SM with the warp that has it, a column a cycle. Thick is an instruction that issues; thin is what the warp waits for." +
      (w.lost ? " There was no memory for all of it." : "") }),
      el("div", { "class": "tools" }, [el("label", null, ["width of a cycle ", zoom])]), scroller, said,
      el("ul", { "class": "key" }, w.states.map(function (n, i) { return seen[n] ? el("li", { title: w.prose[i] }, [el("i", { style: "background:" + state_colour[n] }), n + " " + percent(seen[n] / all)]) : null; }))];
  }
  // The line of the source that an instruction came from, of PTX or of machine code where there is no other: {key, label}.
  function lineNamer(code) {
    var insts = {};
    code.instructions.forEach(function (i) { insts[i.pc] = i; });
    return function (pc) {
      var i = insts[pc] || {}, text;
      if (i.line) {
        text = ((code.cuda[i.file || 0] || code.cuda[Object.keys(code.cuda)[0]] || {})[i.line] || "").trim();
        return { key: (i.file || 0) * 1e6 + i.line, label: i.line + " " + text };
      }
      if (i.ptx) return { key: 1e12 + i.ptx, label: "PTX " + i.ptx + " " + ((code.ptx || {})[i.ptx] || "").trim() };
      return { key: 2e12 + pc, label: pc + " " + (i.text || "") };
    };
  }
  // Lines of the source (rows) by windows of a launch's cycles (columns): how much was waited there. `ends` are the
  // cycles at which windows begin and end; each(take) calls take(pc, reason, window, amount); `unit` says what is
  // counted.
  function linesOverTime(id, code, ends, reasons, unit, each) {
    var most_lines = 24, lineOf = lineNamer(code), windows = ends.length - 1, even = ends.slice(1).every(function (e, k) { return Math.abs(e - ends[k] - (ends[1] - ends[0])) < 1e-6; });
    var list = el("select", { "aria-label": "what is waited for", onchange: show }, [el("option", { value: "", text: reasons.indexOf("ready") < 0 ? "all" : "all but ready" })].concat(reasons.map(function (n) {
      return el("option", { value: n, text: n }); }))), box = el("div", { "class": "scroll heat", tabindex: "0", role: "region", "aria-label": "waits by line over time" });
    function show() {
      var lines = {}, most = 0;
      each(function (pc, reason, k, n) {
        if (list.value ? reason !== list.value : reasons.indexOf(reason) < 0 || reason === "ready") return;
        var line = lineOf(pc), row = lines[line.key] = lines[line.key] || { key: line.key, label: line.label, all: 0, at: new Array(windows).fill(0) };
        row.at[k] += n;
        row.all += n;
      });
      var rows = Object.keys(lines).map(function (k) { return lines[k]; }).sort(function (a, b) { return b.all - a.all; }), shown = rows.slice(0, most_lines);
      shown.forEach(function (r) { most = Math.max(most, Math.max.apply(null, r.at)); });
      shown.sort(function (a, b) { return a.key - b.key; });
      box.textContent = "";
      box.appendChild(el("table", null, [el("caption", { text: unit.charAt(0).toUpperCase() + unit.slice(1) + " by line" + (rows.length > shown.length ? ", the " + shown.length + " lines with most of " + rows.length : "") +
        "; a column is " + (even ? "" : "about ") + fixed(ends[1] - ends[0]) + " cycles, the darkest has " + whole(most) + "." }), el("tbody", null, shown.map(function (r) {
        return el("tr", null, [el("th", { scope: "row", text: r.label, title: r.label }), el("td", { text: whole(r.all) })].concat(r.at.map(function (n, k) {
          return el("td", { "class": "w", title: r.label + "\ncycles " + whole(ends[k]) + " to " + whole(ends[k + 1] - 1) + ": " + fixed(n) + " " + unit,
            style: "background: rgba(var(--heat), " + (n > 0 ? Math.max(0.04, n / most).toFixed(3) : 0) + ")" }); })));
      }))]));
    }
    show();
    return el("div", { id: id }, [el("div", { "class": "tools" }, [el("label", null, ["waits for ", list])]), box]);
  }
  // Of the window that --warps watched: cycles of its warps.
  function watchedLines(w) {
    var FROM = 1, TO = 2, STATE = 3, PC = 4, windows = Math.min(60, w.to - w.from), width = (w.to - w.from) / windows, ends = [];
    var code = run.codes.filter(function (c) { return c.id === w.code; })[0];
    if (!code || !w.spans.length) return null;
    for (var k = 0; k <= windows; k++) ends.push(w.from + k * width);
    var waits = w.states.filter(function (n) { return n !== "issued" && n !== "dual" && w.spans.some(function (s) { return w.states[s[STATE]] === n; }); });
    return el("div", null, [el("h3", { text: "Waits by line in this window" }), linesOverTime("lines-over-time", code, ends, waits, "cycles of warps that wait", function (take) {
      w.spans.forEach(function (s) {
        for (var k = Math.floor((s[FROM] - w.from) / width); k < windows && ends[k] < s[TO]; k++)
          take(s[PC], w.states[s[STATE]], k, Math.max(0, Math.min(s[TO], ends[k + 1]) - Math.max(s[FROM], ends[k])));
      }); })]);
  }
  // Of a whole launch: issue slots lost at each line. The longest launches have it.
  function waitsOverTime(all) {
    var box = el("div"), list = el("select", { "aria-label": "launch", onchange: show }, all.map(function (w, i) {
      return el("option", { value: String(i), text: w.kernel + ", launch " + w.launch + ", " + whole(w.cycles) + " cycles" }); }));
    function show() {
      var w = all[+list.value], reasons = [], code = run.codes.filter(function (c) { return c.id === w.code; })[0];
      var skip = { issued: 1, dual: 1 };
      w.rows.forEach(function (r) { if (!skip[r[1]] && reasons.indexOf(r[1]) < 0) reasons.push(r[1]); });
      box.textContent = "";
      box.appendChild(linesOverTime("waits-over-time", code, [0].concat(w.to), reasons, "issue slots lost", function (take) {
        w.rows.forEach(function (r) { if (!skip[r[1]]) for (var k = 2; k < r.length; k++) if (r[k]) take(r[0], r[1], k - 2, r[k]); }); }));
    }
    show();
    return el("div", null, [el("h3", { text: "Waits by line over time" }), el("p", { "class": "meta", text: "Issue slots of all SMs that were lost to a line, from the launch's first cycle to its last" +
      (all.length > 1 ? "; the longest " + all.length + " launches have it." : ".") }), el("div", { "class": "tools" }, [el("label", null, ["launch ", list])]), box]);
  }
  if (run.watched) section("warps", "Warps", warpsSection(run.watched).concat([watchedLines(run.watched)]));

  // ---- savings ----
  function savingsTable(s) {
    function share(part, u) { var all = u.leakage_j || u.dynamic_j; return all ? part / all : undefined; }
    var rows = Object.keys(s.units).map(function (n) { return Object.assign({ name: n }, s.units[n]); });
    return table("savings by unit", [
      { title: "unit", value: function (r) { return r.name; }, text: function (r) { return r.name; } },
      { title: "leakage", value: function (r) { return r.leakage_j; }, text: function (r) { return joules(r.leakage_j); } },
      { title: "dynamic", value: function (r) { return r.dynamic_j; }, text: function (r) { return joules(r.dynamic_j); } },
      { title: "saved", value: function (r) { return r.saved_j; }, text: function (r) { return joules(r.saved_j); } },
      { title: "overhead", value: function (r) { return r.overhead_j; }, text: function (r) { return joules(r.overhead_j); } },
      { title: "net", value: function (r) { return r.net_j; }, text: function (r) { return joules(r.net_j) + " (" + percent(share(r.net_j, r)) + ")"; } },
      { title: "oracle", hint: "what perfect knowledge would save", value: function (r) { return r.oracle_j; }, text: function (r) {
        return joules(r.oracle_j) + (known(r.oracle_j) ? " (" + percent(share(r.oracle_j, r)) + ")" : ""); } }], rows);
  }
  // ---- the technique ----
  // States of what it switches over time, as shares; what each of its effects saved or cost.
  var band = ["#c2443e", "#e0a02a", "#d9c04a", "#8ec48a", "#1f6fc0", "#7a5fb0"]; // from what spends most to what spends least
  function domainCharts(t) {
    var v = run.timeline.intervals.filter(function (n) { return n.technique; });
    return t.domains.map(function (d, k) {
      var all = d.total.reduce(function (s, n) { return s + n; }, 0), used = d.states.map(function (n, i) { return i; }).filter(function (i) { return d.total[i] > 0; });
      function share(n, i) {
        var c = n.technique.states[k], sum = c.reduce(function (s, x) { return s + x; }, 0);
        return sum > 0 ? 100 * c[i] / sum : 0;
      }
      function colour(i) { return band[d.states.length < 2 ? 0 : Math.round(i * (band.length - 2) / (d.states.length - 1))]; }
      var sets = used.map(function (i) {
        return { label: d.states[i], data: points(run, function (n) { return n.technique ? share(n, i) : 0; }), backgroundColor: colour(i), borderColor: colour(i), borderWidth: 0, pointRadius: 0, fill: true }; });
      return el("div", { "class": "domain" }, [el("h3", { text: d.title.charAt(0).toUpperCase() + d.title.slice(1) }), el("p", { "class": "meta", text: "% of " + d.unit + ": " + d.prose }),
        v.length ? chart("states of " + d.title + " over time", { type: "line", data: { datasets: sets }, options: { parsing: false, scales: {
          x: { type: "linear", title: { display: true, text: "\u00b5s" }, bounds: "data" }, y: { stacked: true, min: 0, max: 100, title: { display: true, text: "%" } } },
          plugins: { legend: { display: false } } } }) : null,
        el("ul", { "class": "key", "data-domain": d.key }, used.map(function (i) {
          return el("li", null, [el("i", { style: "background:" + colour(i) }), d.states[i] + " " + percent(d.total[i] / all)]); }))]);
    });
  }
  function netChart(t) {
    var lines = t.lines.map(function (l, i) { return i; }).sort(function (a, b) { return Math.abs(t.lines[b].saved_j - t.lines[b].spent_j) - Math.abs(t.lines[a].saved_j - t.lines[a].spent_j); }).slice(0, palette.length);
    if (!lines.length || !run.timeline.intervals.length) return null;
    return el("div", null, [el("h3", { text: "Saved, less what it cost, over time" }), chart("net power that the technique saves over time", { type: "line", data: { datasets: lines.map(function (k, i) {
      return { label: t.lines[k].name, data: points(run, function (n) { return n.technique ? n.technique.net_j[k] / (n.to_s - n.from_s) : 0; }), borderColor: palette[i], backgroundColor: palette[i], borderWidth: 1.5, pointRadius: 0 }; }) },
      options: { parsing: false, scales: { x: { type: "linear", title: { display: true, text: "\u00b5s" }, bounds: "data" }, y: { title: { display: true, text: "W" } } }, plugins: { legend: { labels: { boxWidth: 12 } } } } })]);
  }
  function effectsTable(t) {
    function signed(e) { return e.saves ? e.joules : -e.joules; }
    var places = {};
    (run.places || []).forEach(function (p) { p.components.forEach(function (c) { places[c] = p.title; }); });
    return table("what the technique saved where", [
      { title: "component", value: function (e) { return e.component; }, text: function (e) { return e.component; } },
      { title: "place", kind: "text", value: function (e) { return places[e.component]; }, text: function (e) { return places[e.component] || ""; } },
      { title: "saved", value: signed, text: function (e) { return (e.saves ? "" : "\u2212") + joules(e.joules); } },
      { title: "of all", hint: "of the energy that the kernels spent", value: signed, text: function (e) { return (e.saves ? "" : "\u2212") + fixed(100 * e.joules / run.totals.energy_j) + " %"; } },
      { title: "of", kind: "text", value: function (e) { return e.leakage; }, text: function (e) { return e.leakage ? "leakage" : "accesses"; } },
      { title: "what", kind: "text", value: function (e) { return e.counter; }, text: function (e) { return (e.why ? e.why + ": " : "") + e.counter + ", each " + e.price; } },
      { title: "by", kind: "text", value: function (e) { return e.by.join(" "); }, text: function (e) { return e.by.join(", "); } }],
      t.effects.slice().sort(function (a, b) { return signed(b) - signed(a); }));
  }
  if (run.technique) section("technique", "Technique", [
    el("p", { "class": "meta", text: (run.run ? run.run.techniques + ". " : "") + "What it switches is in one state at a time; widths of the bands are shares of all of it, the state that spends most at the foot." }),
    el("div", { "class": "pair" }, domainCharts(run.technique)), netChart(run.technique)].concat(run.technique.effects.length ? [el("h3", { text: "What it saved where" }), effectsTable(run.technique)] : []));
  if (run.savings) section("savings", "Savings", [
    el("p", { text: (run.run ? run.run.techniques + ": " : "") + joules(run.savings.all.net_j) + " net with the regulators' part, " +
      percent(run.savings.all.share) + " of chip and board (" + percent(run.savings.all.share_low) + " to " + percent(run.savings.all.share_high) +
      ", as the rest of the die draws)" + (run.savings.area.added_mm2 > 0 ? "; " + fixed(run.savings.area.added_mm2) + " mm\u00b2 added, " +
      percent(run.savings.area.share) + " of the chip." : ".") }),
    savingsTable(run.savings)]);

  // ---- ranges that the program names ----
  // Bars from the outermost range down, as wide as their joules (without power: as their time).
  function rangeFlame(list) {
    var of = list.some(function (r) { return r.energy_j > 0; }) ? "energy_j" : "seconds", show = of === "energy_j" ? joules : seconds;
    var sum = list.reduce(function (s, r) { return s + (r.depth ? 0 : r[of]); }, 0), left = {}, depth = 0, high = 1.5;
    var box = el("div", { "class": "map", role: "img", "aria-label": "ranges by " + (of === "energy_j" ? "energy" : "time") });
    var at = 0;
    list.forEach(function (r) {
      if (!(r[of] > 0) || !(sum > 0)) return;
      var x = r.depth ? left[r.parent] : at;
      left[r.range] = x;
      if (r.depth) left[r.parent] += r[of]; else at += r[of];
      if (r[of] / sum < 0.002) return;
      depth = Math.max(depth, r.depth + 1);
      box.appendChild(el("div", { "class": "cell", title: r.path + ": " + show(r[of]) + ", " + percent(r[of] / sum) + " of all, " +
        whole(r.launches) + " launches", style: "left:" + 100 * x / sum + "%;width:" + 100 * r[of] / sum + "%;top:" + high * r.depth + "rem;height:" +
        high + "rem;cursor:default;white-space:nowrap;background:" + palette[(r.range || palette.length - 1) % palette.length] }, [r.name]));
    });
    box.style.height = high * depth + "rem";
    return depth ? box : null;
  }
  function rangeTable(list) {
    var theirs = {};
    if (other && other.ranges) other.ranges.forEach(function (r) { theirs[r.path] = r; });
    function twin_of(r) { return theirs[r.path]; }
    function each(r) { return r.times ? r.energy_j / r.times : undefined; }
    return table("ranges", [
      { title: "range", value: function (r) { return r.path; }, text: function (r) { return "\u2003".repeat(r.depth) + r.name; } },
      { title: "times", value: function (r) { return r.times; }, text: function (r) { return r.times ? whole(r.times) : ""; } },
      column("launches", "launches", function (v, r) { return whole(v) + (r.untimed ? " (" + whole(r.untimed) + " untimed)" : ""); }, 0, twin_of),
      column("time", "seconds", seconds, -1, twin_of), column("its own time", "own_s", seconds, -1, twin_of),
      column("energy", "energy_j", joules, -1, twin_of), column("its own energy", "own_j", joules, -1, twin_of),
      column("energy each time", each, joules, -1, twin_of),
      column("power", function (r) { return r.seconds > 0 ? r.energy_j / (r.seconds + r.copy_s) : undefined; }, watts, 0, twin_of),
      { title: "copied", value: function (r) { return r.bytes; }, text: function (r) { return r.bytes ? scaled(r.bytes, "B") : ""; } }], list);
  }
  if (run.ranges) section("ranges", "Ranges", [
    el("p", { "class": "meta", text: "The ranges that the program names by NVTX, each with those inside it; its own is what no range inside it has. " +
      "Launches and copies belong to the ranges that were open when they were asked for." }), rangeFlame(run.ranges), rangeTable(run.ranges)]);

  // ---- copies and launches in order ----
  function stepsTable(s) {
    function number(title, key, show) {
      return { title: title, value: function (r) { return r[key]; }, text: function (r) { return show(r[key]); } };
    }
    return table("copies and launches in order", [
      { title: "index", value: function (r) { return r.step; }, text: function (r) { return String(r.step); } },
      { title: "method", kind: "text", value: function (r) { return r.method; }, text: function (r) {
        return r.method + (r.times > 1 ? ", " + whole(r.times) + " times" : ""); } },
      number("start", "start_s", seconds), number("end", "end_s", seconds), number("runtime", "seconds", seconds),
      number("energy", "energy_j", joules), number("power", "power_w", watts),
      { title: "bytes", value: function (r) { return r.bytes; }, text: function (r) { return known(r.bytes) ? whole(r.bytes) : ""; } }], s.list);
  }
  section("steps", "In order", [el("p", { "class": "meta", text: "Every copy and launch. A copy has the memory's bursts that it takes, and the power of a chip that waits, for the time in " +
    "which no kernel runs beside it" + (known(run.steps.idle_j) ? "; with " + joules(run.steps.idle_j) + " in the " + seconds(run.steps.idle_s) +
    " of neither they are the whole run's joules" : "") + "." + (run.steps.left_out ? " The first " + run.steps.list.length + "; steps.csv has " +
    run.steps.left_out + " more." : "") }), stepsTable(run.steps)]);

  // ---- what ran ----
  function ranTable() {
    var rows = [["program", "name"], ["kind", "kind"], ["size", "size"], ["GPU", "gpu"], ["keys set", "set"], ["techniques", "techniques"],
      ["mechanisms", "mechanisms"], ["their options", "technique_options"], ["words of run", "words"], ["folder", "folder"],
      ["environment", "environment"], ["version", "version"], ["program's checksum", "program_sum"]];
    function say(v) {
      if (!known(v)) return "\u2013";
      if (Array.isArray(v)) return v.length ? v.join(" ") : "none";
      if (typeof v !== "object") return String(v);
      return Object.keys(v).map(function (k) { return k + "=" + v[k]; }).join(" ") || "none";
    }
    function of(r, k) { return say((r.run || {})[k]); }
    return table("what ran", [{ title: "", value: function (r) { return r[0]; }, text: function (r) { return r[0]; } },
      { title: other ? "this run" : "value", kind: "text", value: function (r) { return of(run, r[1]); }, text: function (r) { return of(run, r[1]); } }].concat(
      other ? [{ title: "beside", kind: "text", value: function (r) { return of(other, r[1]); }, text: function (r) { return of(other, r[1]); } }] : []), rows);
  }
  if (run.run) section("ran", "What ran", [
    el("p", { "class": "meta", text: "`warpwatt run --again` with this folder makes the run again." }), ranTable()]);

  Array.prototype.forEach.call(document.querySelectorAll(".chart"), function (c) { c.draw(); });
  document.body.dataset.charts = drawn + " of " + wanted;
  document.body.dataset.overflow = String(Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth));
  document.body.dataset.width = String(document.documentElement.clientWidth);
  return function () {
    dark.removeEventListener("change", repaint);
    paper.removeEventListener("change", unfold);
    undo.forEach(function (f) { f(); });
    document.getElementById("head").textContent = "";
    document.getElementById("main").textContent = "";
  };
}

// Of two runs the second is the base; of more it is the first, and another pair can be chosen.
(function () {
  var runs = JSON.parse(document.getElementById("data").textContent), away;
  function choose(shown, base) {
    if (away) away();
    away = draw_page(runs, shown, base, choose);
  }
  if (runs.length > 2) choose(1, 0);
  else choose(0, runs.length === 2 ? 1 : -1);
}());
