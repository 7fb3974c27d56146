const paperRate = (step, d, warmup) => d ** -0.5 * Math.min(step ** -0.5, step * warmup ** -1.5);
const figures = x => x === 0 ? "0" : Number(x.toPrecision(2)).toString().replace("-", "−");
const thousands = n => Math.round(n).toLocaleString("en");

export default { render({model, el}) {
  const W = 620, H = 300, left = 62, right = 16, top = 28, bottom = 40, POINTS = 300;
  const {root, note} = stage("The learning rate against the step");
  const svg = draw("svg", {width: W, height: H, viewBox: `0 0 ${W} ${H}`, role: "img"});
  const own = model.get("own"), name = model.get("own_name"), steps = model.get("steps");
  const x = step => left + (W - left - right) * step / steps;
  const grid = draw("g"), line = draw("polyline", {class: "line on with"}), mine = draw("polyline", {class: "line on without"});
  const now = draw("line", {class: "now", y1: top, y2: H - bottom}), dot = draw("circle", {r: 5}), label = draw("text", {"text-anchor": "start"}), mineLabel = draw("text", {"text-anchor": "start"});
  for (let i = 0; i <= 4; i++) svg.append(draw("text", {x: x(steps * i / 4), y: H - bottom + 16, "text-anchor": i === 4 ? "end" : "middle"}, thousands(steps * i / 4)));
  svg.append(draw("text", {x: (left + W - right) / 2, y: H - 4, "text-anchor": "middle"}, "step"), draw("text", {x: 4, y: 11}, "learning rate"));
  svg.append(grid, line, mine, now, dot, label, mineLabel);
  root.append(svg, note);
  const update = () => {
    const d = model.get("d_model"), warmup = model.get("warmup");
    const rates = Array.from({length: POINTS + 1}, (_, i) => { const s = Math.max(1, steps * i / POINTS); return [s, paperRate(s, d, warmup)]; });
    if (warmup <= steps) rates.push([warmup, paperRate(warmup, d, warmup)]);
    rates.sort((a, b) => a[0] - b[0]);
    const most = roundUp(Math.max(...rates.map(r => r[1]), ...own)), y = r => H - bottom - (H - top - bottom) * r / most;
    grid.replaceChildren();
    for (let k = 0; k <= 4; k++) {
      const r = most * k / 4;
      grid.append(draw("line", {class: "grid", x1: left, x2: W - right, y1: y(r), y2: y(r)}), draw("text", {x: left - 6, y: y(r) + 4, "text-anchor": "end"}, figures(r)));
    }
    line.setAttribute("points", rates.map(([s, r]) => `${x(s)},${y(r)}`).join(" "));
    mine.setAttribute("points", own.map((r, i) => `${x(i + 1)},${y(r)}`).join(" "));
    const end = Math.min(warmup, steps), highest = paperRate(end, d, warmup);
    for (const side of ["x1", "x2"]) now.setAttribute(side, x(end));
    dot.setAttribute("cx", x(end)); dot.setAttribute("cy", y(highest));
    label.textContent = "the paper's formula";
    const far = x(end) > W / 2;
    label.setAttribute("text-anchor", far ? "end" : "start");
    label.setAttribute("x", x(end) + (far ? -9 : 9)); label.setAttribute("y", Math.max(y(highest) - 6, top + 10));
    if (own.length) {
      mineLabel.textContent = name;
      const wide = x(own.length) > W - right - 80;
      mineLabel.setAttribute("text-anchor", wide ? "end" : "start");
      mineLabel.setAttribute("x", x(own.length) + (wide ? -4 : 6)); mineLabel.setAttribute("y", y(own[own.length - 1]) + (wide ? 18 : 4));
    }
    const rises = warmup > steps ? `still rising after ${thousands(steps)} steps, at ${figures(highest)}` : `highest ${figures(highest)}, at step ${thousands(warmup)}`;
    const mineSaid = own.length ? ` ${name}: ${thousands(own.length)} steps, highest ${figures(Math.max(...own))}.` : "";
    note.textContent = `d_model ${d}, warm-up ${thousands(warmup)}: ${rises}; after ${thousands(steps)} steps ${figures(paperRate(steps, d, warmup))}.${mineSaid}`;
    svg.setAttribute("aria-label", note.textContent);
  };
  nameSliders(el, "d_model", "warmup");
  return follow({model, el}, root, ["d_model", "warmup"], update);
} };
