const KINDS = ["window", "global", "random"], S = 352, EDGE = 30, AROUND = 12, GAP = 64;

// Which keys each query looks at, and why: -1 not, else an index into KINDS. Drawn keys are the first that aren't allowed anyway.
function paint(order, n, window, globals, random) {
  return Array.from({length: n}, (_, i) => {
    const row = Array.from({length: n}, (_, j) => Math.abs(i - j) <= window ? 0 : i < globals || j < globals ? 1 : -1);
    for (const j of order[i].filter(j => j < n && Math.abs(i - j) > window && j >= globals).slice(0, random)) if (row[j] < 0) row[j] = 2;
    return row;
  });
}

const bits = row => row.reduce((sum, kind, j) => kind < 0 ? sum : sum | 1n << BigInt(j), 0n);
const has = (row, j) => (row >> BigInt(j) & 1n) === 1n;
const size = row => row.toString(2).replaceAll("0", "").length;
// One layer more: what I hear of is what those whom I look at have heard of.
const further = (looks, heard) => looks.map(row => heard.reduce((sum, other, j) => has(row, j) ? sum | other : sum, 0n));

export default { render({model, el}) {
  const order = model.get("order"), {root, note} = stage("A pattern of attention, painted, and what each word hears of", "course-painter");
  const tools = make("div", "tools"), label = make("label", "", "the word that looks"), asked = make("input"), told = make("span"), panels = make("div", "panels");
  asked.type = "range"; asked.min = 1; asked.step = 1; asked.setAttribute("aria-label", "the word that looks");
  label.append(asked, told);
  tools.append(label);
  const map = draw("svg", {class: "map", width: S + EDGE + 4, height: S + EDGE + 20, viewBox: `0 0 ${S + EDGE + 4} ${S + EDGE + 20}`, role: "img"});
  const cone = draw("svg", {class: "cone", width: S + AROUND * 2, role: "img"});
  const left = make("section"), right = make("section"), legend = make("div", "legend");
  left.append(make("div", "title", "who looks at whom, in one layer"), map);
  const coneTitle = make("div", "title");
  right.append(coneTitle, cone);
  panels.append(left, right);
  for (const [name, text] of [...KINDS.map(k => [k, `${k[0]}  ${k}`]), ["later", "hears of it through further layers"]]) {
    const swatch = draw("svg", {width: 18, height: 18, "aria-hidden": "true"});
    swatch.append(draw("rect", {class: `cells ${name}`, x: 1, y: 1, width: 16, height: 16}), draw("path", {class: `marks ${name}`, d: strokes(name, 1, 1, 16)}));
    legend.append(swatch, make("span", "", text));
  }
  root.append(tools, panels, legend, note);

  // What tells the kinds apart without their colours.
  function strokes(kind, x, y, c) {
    if (kind === "global") return `M${x} ${y + c}L${x + c} ${y}M${x} ${y + c / 2}L${x + c / 2} ${y}M${x + c / 2} ${y + c}L${x + c} ${y + c / 2}`;
    if (kind === "random") return `M${x + c * .25} ${y + c / 2}H${x + c * .75}M${x + c / 2} ${y + c * .25}V${y + c * .75}`;
    return "";
  }

  function update() {
    const [n, window, globals, random, layers] = ["n", "window", "num_global", "num_random", "layers"].map(name => model.get(name));
    asked.max = n;
    if (!asked.dataset.moved) asked.value = Math.ceil(n / 2);
    const query = Math.min(+asked.value, n) - 1, table = paint(order, n, window, globals, random), looks = table.map(bits);
    told.textContent = `${query + 1}`;
    const steps = [looks.map((_, i) => 1n << BigInt(i))];  // after no layer, each has heard of itself
    for (let l = 0; l < layers; l++) steps.push(further(looks, steps[l]));
    const heard = steps[layers];
    let all = 0, now = steps[0];
    const everything = (1n << BigInt(n)) - 1n;
    while (now.some(row => row !== everything)) {
      const next = further(looks, now);
      if (next.every((row, i) => row === now[i])) { all = Infinity; break; }
      now = next; all += 1;
    }

    const c = S / n, cells = {window: "", global: "", random: "", later: ""}, marks = {global: "", random: ""}, letters = [];
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) {
      const kind = table[i][j] >= 0 ? KINDS[table[i][j]] : has(heard[i], j) ? "later" : "";
      if (!kind) continue;
      const x = EDGE + j * c, y = EDGE + i * c;
      cells[kind] += `M${x + .5} ${y + .5}h${c - 1}v${c - 1}h${1 - c}z`;
      if (marks[kind] !== undefined && (c < 14 || kind === "global")) marks[kind] += strokes(kind, x + .5, y + .5, c - 1);
      if (kind !== "later" && c >= 14) letters.push(draw("text", {class: "letter", x: x + c / 2, y: y + c / 2 + 4}, kind[0]));
    }
    const places = [...new Set([1, ...Array.from({length: n}, (_, i) => i + 1).filter(i => i % (n > 24 ? 8 : 4) === 0)])];
    map.replaceChildren(
      draw("rect", {class: "paper", x: EDGE, y: EDGE, width: S, height: S}),
      ...Object.entries(cells).map(([kind, d]) => draw("path", {class: `cells ${kind}`, d})),
      ...Object.entries(marks).map(([kind, d]) => draw("path", {class: `marks ${kind}`, d})), ...letters,
      draw("rect", {class: "asked", x: EDGE - 1, y: EDGE + query * c - 1, width: S + 2, height: c + 2}),
      ...places.flatMap(p => [draw("text", {x: EDGE + (p - .5) * c, y: EDGE - 5, "text-anchor": "middle"}, p), draw("text", {x: EDGE - 5, y: EDGE + (p - .5) * c + 4, "text-anchor": "end"}, p)]),
      draw("text", {x: EDGE, y: S + EDGE + 15}, "row: the word that looks · column: the word looked at"));

    // The same, layer by layer, for the chosen word: its own output above, the inputs below.
    const gap = Math.min(GAP, 300 / layers), height = gap * layers + 60, y = l => height - 34 - l * gap, x = j => AROUND + (j + .5) * c, lines = {window: "", global: "", random: ""}, dots = [];
    let sees = 1n << BigInt(query);
    for (let l = layers; l >= 0; l--) {
      let below = 0n;
      for (let i = 0; i < n; i++) {
        const on = has(sees, i);
        dots.push(draw("circle", {class: on ? "on" : "off", cx: x(i), cy: y(l), r: Math.min(5, c / 3)}));
        if (!on || !l) continue;
        below |= looks[i];
        for (let j = 0; j < n; j++) if (table[i][j] >= 0) lines[KINDS[table[i][j]]] += `M${x(i)} ${y(l)}L${x(j)} ${y(l - 1)}`;
      }
      sees = l ? below : sees;
    }
    cone.setAttribute("height", height); cone.setAttribute("viewBox", `0 0 ${S + AROUND * 2} ${height}`);
    cone.replaceChildren(...Object.entries(lines).map(([kind, d]) => draw("path", {class: `line ${kind}`, d})), ...dots,
      draw("text", {x: x(query), y: y(layers) - 9, "text-anchor": "middle"}, `word ${query + 1}`), draw("text", {x: AROUND, y: height - 8}, "the inputs"));

    const count = table.flat().filter(kind => kind >= 0).length, reached = size(heard[query]), s = layers === 1 ? "" : "s";
    coneTitle.textContent = `what word ${query + 1} hears of through ${layers} layer${s}`;
    const end = all === Infinity ? "However many layers: some never hear of each other." : `All hear of all after ${all} layer${all === 1 ? "" : "s"}.`;
    note.textContent = `${count.toLocaleString("en")} of ${(n * n).toLocaleString("en")} cells, ${number(count / n, 1)} a row. Through ${layers} layer${s}, word ${query + 1} hears of ${reached} of ${n}. ${end}`;
    map.setAttribute("aria-label", `Table of ${n} queries and ${n} keys: ${count} cells are open. Word ${query + 1} looks at ${table[query].flatMap((kind, j) => kind < 0 ? [] : [`${j + 1} (${KINDS[kind]})`]).join(", ")}.`);
    cone.setAttribute("aria-label", `${coneTitle.textContent}: ${reached} of ${n} inputs`);
  }

  const choose = i => { asked.dataset.moved = "yes"; asked.value = i; update(); };
  asked.oninput = () => choose(asked.value);
  map.onclick = event => {
    const box = map.getBoundingClientRect(), row = Math.floor(((event.clientY - box.top) * (S + EDGE + 20) / box.height - EDGE) / (S / model.get("n")));
    if (row >= 0 && row < model.get("n")) choose(row + 1);
  };
  for (const type of ["keydown", "keyup", "keypress"]) tools.addEventListener(type, event => event.stopPropagation());  // the notebook has keys of its own
  nameSliders(el, "words", "window", "global", "random", "layers");
  return follow({model, el}, root, ["n", "window", "num_global", "num_random", "layers"], update);
} };
