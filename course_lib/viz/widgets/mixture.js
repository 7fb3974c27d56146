const W = 380, H = 320, EDGE = 46, NEAR = [62, 13];  // pixels; a label hides others that are so near

// The values as points, larger the more they weigh; the weighted values one after the other; z.
function plane(points, tokens, outline) {
  const panel = make("section"), svg = draw("svg", {width: W, height: H, viewBox: `0 0 ${W} ${H}`, role: "img"});
  const [xs, ys] = [0, 1].map(i => [0, ...points.map(p => p[i])]), low = [Math.min(...xs), Math.min(...ys)], high = [Math.max(...xs), Math.max(...ys)];
  const scale = Math.min((W - 2 * EDGE) / (high[0] - low[0] || 1), (H - 2 * EDGE) / (high[1] - low[1] || 1));
  const at = ([x, y]) => [W / 2 + scale * (x - (low[0] + high[0]) / 2), H / 2 - scale * (y - (low[1] + high[1]) / 2)];
  const middle = at([0, 0]), path = places => places.map(p => at(p).map(c => c.toFixed(1)).join(",")).join(" ");
  svg.append(draw("line", {class: "grid", x1: 0, x2: W, y1: middle[1], y2: middle[1]}), draw("line", {class: "grid", x1: middle[0], x2: middle[0], y1: 0, y2: H}));
  svg.append(draw("polygon", {class: "outline", points: path(outline.map(i => points[i]))}));
  const dots = points.map(p => { const [cx, cy] = at(p), dot = draw("circle", {class: "value", cx, cy}); svg.append(dot); return dot; });
  const steps = draw("polyline", {class: "steps"}), labels = draw("g"), name = draw("text", {class: "query"}, "z");
  svg.append(steps);
  const arrowTo = arrow(svg, "query");
  svg.append(labels, name);
  panel.append(make("div", "title", "the values, and their mixture z"), svg);
  const update = (weights, said) => {
    const chain = weights.reduce((seen, w, i) => [...seen, points[i].map((v, k) => seen.at(-1)[k] + w * v)], [[0, 0]]), z = chain.at(-1);
    weights.forEach((w, i) => dots[i].setAttribute("r", 3 + 9 * Math.sqrt(w)));
    steps.setAttribute("points", path(chain));
    arrowTo(middle, at(z));
    const [zx, zy] = at(z);
    name.setAttribute("x", zx + 7); name.setAttribute("y", zy + 15);
    const placed = [];
    for (const i of weights.map((_, i) => i).sort((a, b) => weights[b] - weights[a])) {
      const [x, y] = at(points[i]);
      if (placed.every(p => Math.abs(p[0] - x) > NEAR[0] || Math.abs(p[1] - y) > NEAR[1])) placed.push([x, y, tokens[i]]);
    }
    labels.replaceChildren(...placed.map(([x, y, token]) => draw("text", {x: x + (x > W / 2 ? 9 : -9), y: y - 7, "text-anchor": x > W / 2 ? "start" : "end"}, shorten(token))));
    svg.setAttribute("aria-label", said);
    return z;
  };
  return {panel, update};
}

export default { render({model, el}) {
  const tokens = model.get("tokens"), points = model.get("points"), rows = model.get("rows"), settings = model.get("settings");
  const {root, note} = stage("The values that a head mixes", "course-mixture"), panels = make("div", "panels");
  const picture = plane(points, tokens, model.get("outline")), shares = bars("attention weight", tokens);
  panels.append(picture.panel, shares.panel);
  root.append(panels, note);
  const update = () => {
    const i = model.get("index"), weights = rows[i], setting = `${model.get("slider")}: ${settings[i]}`;
    const z = picture.update(weights, `${setting}: the mixture z among ${tokens.length} values`);
    shares.update(weights, 0, 1);
    const most = weights.map((w, j) => [w, shorten(tokens[j], 30)]).sort((a, b) => b[0] - a[0]).slice(0, 3).filter(([w]) => w >= 0.005);
    const rest = most.length < tokens.length ? " and a little of others" : "";
    note.textContent = `z = (${z.map(c => number(c)).join(", ")}), made of ${most.map(([w, token]) => `${number(w)} · ${token}`).join(" + ")}${rest}; ${setting}.`;
  };
  nameSliders(el, model.get("slider"));
  return follow({model, el}, root, ["index"], update);
} };
