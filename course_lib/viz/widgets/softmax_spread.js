// Gradient against d_k, one line without the scale and one with; update marks the present point.
function curves(d_ks, gradients) {
  const W = 300, H = 210, left = 34, right = 18, top = 12, bottom = 36;
  const panel = make("section"), svg = draw("svg", {width: W, height: H, viewBox: `0 0 ${W} ${H}`, role: "img"});
  panel.append(make("div", "title", "gradient that reaches the scores"), svg);
  const most = Math.ceil(Math.max(...gradients.flat()) * 10) / 10;
  const x = i => left + (W - left - right) * i / (d_ks.length - 1), y = g => H - bottom - (H - top - bottom) * g / most;
  for (let k = 0; k <= 4; k++) {
    const g = most * k / 4;
    svg.append(draw("line", {class: "grid", x1: left, x2: W - right, y1: y(g), y2: y(g)}), draw("text", {x: left - 5, y: y(g) + 4, "text-anchor": "end"}, g.toFixed(2)));
  }
  const every = d_ks.length > 7 ? 2 : 1;
  d_ks.forEach((d, i) => { if (i % every === 0) svg.append(draw("text", {x: x(i), y: H - bottom + 15, "text-anchor": "middle"}, String(d))); });
  svg.append(draw("text", {x: (left + W - right) / 2, y: H - 4, "text-anchor": "middle"}, "length of the key, d_k"));
  const lines = gradients.map((values, k) => draw("polyline", {class: `line ${k ? "with" : "without"}`, points: values.map((g, i) => `${x(i)},${y(g)}`).join(" ")}));
  const now = draw("line", {class: "now", y1: top, y2: H - bottom}), dot = draw("circle", {r: 5});
  svg.append(...lines, now, dot);
  const last = d_ks.length - 1;
  svg.append(draw("text", {x: x(last), y: y(gradients[1][last]) + 18, "text-anchor": "end"}, "with the scale"), draw("text", {x: left + 8, y: H - bottom - 8}, "without the scale"));
  const update = (i, scaled) => {
    const g = gradients[+scaled][i];
    now.setAttribute("x1", x(i)); now.setAttribute("x2", x(i));
    dot.setAttribute("cx", x(i)); dot.setAttribute("cy", y(g));
    lines.forEach((line, k) => line.classList.toggle("on", k === +scaled));
    svg.setAttribute("aria-label", `Gradient ${number(g, 3)} at d_k = ${d_ks[i]}`);
  };
  return {panel, update};
}

export default { render({model, el}) {
  const all = model.get("scores"), d_ks = model.get("d_ks"), gradients = model.get("gradients"), tokens = model.get("tokens");
  const {root, note} = stage("Scores, attention weights and gradient for each length of the key"), panels = make("div", "panels three");
  const before = bars("score", tokens, "scores"), after = bars("attention weight", tokens), graph = curves(d_ks, gradients);
  panels.append(before.panel, after.panel, graph.panel);
  root.append(panels, note);
  const divided = (i, scaled) => all[i].map(s => scaled ? s / Math.sqrt(d_ks[i]) : s);
  // The axis stays put while d_k moves, or the growth could not be seen.
  const reach = [false, true].map(scaled => roundUp(Math.max(...d_ks.flatMap((_, i) => divided(i, scaled).map(Math.abs)))));
  const update = () => {
    const i = model.get("index"), scaled = model.get("scaled"), scores = divided(i, scaled), weights = softmax(scores);
    const most = Math.max(...weights), word = tokens[weights.indexOf(most)];
    before.update(scores, -reach[+scaled], reach[+scaled]);
    after.update(weights, 0, 1);
    graph.update(i, scaled);
    note.textContent = `d_k = ${d_ks[i]}, ${scaled ? "divided" : "not divided"} by √d_k: the largest weight is ${number(most)}, on “${shorten(word, 30)}”; mean gradient ${number(gradients[+scaled][i], 3)}.`;
  };
  nameSliders(el, "length of the key, d_k");
  return follow({model, el}, root, ["index", "scaled"], update);
} };
