const BLUE = [31, 143, 214], ORANGE = [232, 120, 20]; // bright enough for both themes; the strength of the colour is the size

// A table of numbers from −1 to 1, one pixel each, stretched; update(rows) repaints. `say` hears where the pointer is.
function shades(title, xLabel, yLabel, say) {
  const panel = make("section", "shades"), frame = make("div", "frame"), canvas = make("canvas"), over = draw("svg", {preserveAspectRatio: "none"});
  const up = make("span", "up"), left = make("span", "left"), right = make("span", "right"), top = make("span", "top"), bottom = make("span", "bottom");
  frame.append(canvas, over, up, left, right, top, bottom, make("span", "under", xLabel));
  up.textContent = yLabel;
  panel.append(make("div", "title", title), frame);
  canvas.setAttribute("role", "img");
  let rows = [];
  const update = (values, label) => {
    rows = values;
    const width = rows[0].length, height = rows.length;
    if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
    const context = canvas.getContext("2d"), image = context.createImageData(width, height);
    rows.forEach((row, i) => row.forEach((value, j) => {
      const at = 4 * (i * width + j);
      (value < 0 ? ORANGE : BLUE).forEach((c, k) => { image.data[at + k] = c; });
      image.data[at + 3] = 255 * Math.min(Math.abs(value), 1);
    }));
    context.putImageData(image, 0, 0);
    over.setAttribute("viewBox", `0 0 ${width} ${height}`);
    left.textContent = "0"; right.textContent = width - 1; top.textContent = "0"; bottom.textContent = height - 1;
    canvas.setAttribute("aria-label", label);
  };
  frame.addEventListener("pointermove", event => {
    const box = canvas.getBoundingClientRect(), j = Math.floor((event.clientX - box.left) / box.width * rows[0].length), i = Math.floor((event.clientY - box.top) / box.height * rows.length);
    if (rows[i]?.[j] !== undefined) say(i, j, rows[i][j]);
  });
  frame.addEventListener("pointerleave", () => say());
  return {panel, update, over};
}

export default { render({model, el}) {
  const {root, note} = stage("Sinusoidal positions and their similarities"), panels = make("div", "panels"), pointed = make("p", "note");
  const n = model.get("positions");
  const hint = "Point at a cell to read its number.", sign = value => number(value, 2);
  pointed.textContent = hint;
  const table = shades("the table PE", "number in the vector", "position p", (i, j, value) => { pointed.textContent = i === undefined ? hint : `Position ${i}, number ${j}: ${sign(value)}`; });
  const alike = shades("similarity of two positions", "position q", "position p", (i, j, value) => { pointed.textContent = i === undefined ? hint : `Positions ${i} and ${j}: ${sign(value)}`; });
  const line = draw("line", {class: "diagonal", "vector-effect": "non-scaling-stroke"});
  alike.over.append(line);
  const legend = make("div", "legend");
  legend.append(make("span", "", "−1"), make("i", "signed"), make("span", "", "+1"));
  panels.append(table.panel, alike.panel);
  root.append(panels, legend, note, pointed);

  const update = () => {
    const d = model.get("d_model"), base = model.get("base"), k = model.get("shift"), apart = model.get("concatenated"), pairs = d / 2;
    const frequency = Array.from({length: pairs}, (_, i) => base ** (-2 * i / d));
    const rows = Array.from({length: n}, (_, p) => {
      const row = new Array(d);
      frequency.forEach((w, i) => { row[apart ? i : 2 * i] = Math.sin(p * w); row[apart ? i + pairs : 2 * i + 1] = Math.cos(p * w); });
      return row;
    });
    const similarity = rows.map(a => rows.map(b => a.reduce((sum, x, i) => sum + x * b[i], 0) / pairs));
    const along = similarity.slice(0, n - k).map((row, p) => row[p + k]);
    const low = Math.min(...along), high = Math.max(...along), slowest = 2 * Math.PI / frequency[pairs - 1], big = x => Math.round(x).toLocaleString("en");
    const alikeAs = similarity[0].map((s, q) => [s, q]).slice(1).reduce((a, b) => a[0] >= b[0] ? a : b);
    const said = `Positions ${k} apart: similarity from ${sign(low)} to ${sign(high)}.`;
    table.update(rows, `Table of ${n} positions and ${d} numbers; fast waves in the first pairs, slow ones in the last.`);
    alike.update(similarity, `Similarity of any two of ${n} positions. ${said}`);
    line.setAttribute("x1", k + 0.5); line.setAttribute("y1", 0.5); line.setAttribute("x2", n - 0.5); line.setAttribute("y2", n - k - 0.5);
    note.textContent = `Base ${big(base)}, d_model ${d}: the first pair turns once in 6.3 positions, the last in ${slowest < 100 ? number(slowest, 1) : big(slowest)}. ${said} Of all others, position ${alikeAs[1]} is most like position 0: ${sign(alikeAs[0])}.`;
  };
  nameSliders(el, "base", "d_model", "shift");
  return follow({model, el}, root, ["d_model", "base", "shift", "concatenated"], update);
} };
