const PLANE = 360, MARGIN = 30, NEAR = 9;  // pixels; nearer points count as one

// The words as points in a square. update(points, words for screen readers) moves them; gives how many places they take.
function plane(tokens, reach) {
  const panel = make("section"), svg = draw("svg", {width: PLANE, height: PLANE, viewBox: `0 0 ${PLANE} ${PLANE}`, role: "img"});
  const at = ([x, y]) => [PLANE / 2 + (PLANE / 2 - MARGIN) * x / reach, PLANE / 2 - (PLANE / 2 - MARGIN) * y / reach];
  svg.append(draw("rect", {class: "axis", x: 0.5, y: 0.5, width: PLANE - 1, height: PLANE - 1}));
  const dots = tokens.map(() => draw("circle", {r: 5, class: "word"})), labels = draw("g");
  svg.append(...dots, labels);
  panel.append(make("div", "title", "the words, in the two directions in which they differ most"), svg);
  const update = (points, said) => {
    const heaps = [];
    points.map(at).forEach(([x, y], i) => {
      dots[i].setAttribute("cx", x); dots[i].setAttribute("cy", y);
      const heap = heaps.find(h => Math.hypot(h.x - x, h.y - y) < NEAR);
      if (heap) heap.words.push(tokens[i]); else heaps.push({x, y, words: [tokens[i]]});
    });
    labels.replaceChildren(...heaps.map((heap, k) => {
      const {x, y, words} = heap, text = words.length > 2 ? `${words.length} words` : words.map(w => shorten(w)).join(", ");
      // To the right, unless another label stands there already, or the border is near.
      const crowded = heaps.slice(0, k).some(h => !h.left && Math.abs(h.y - y) < 12 && Math.abs(h.x - x) < 80), left = crowded || x > PLANE * 0.72;
      heap.left = left;
      return draw("text", {x: x + (left ? -9 : 9), y: y + 4, "text-anchor": left ? "end" : "start"}, text);
    }));
    svg.setAttribute("aria-label", said);
    return heaps.length;
  };
  return {panel, update};
}

// How far the words still differ, layer by layer.
function chart(depth) {
  const W = 300, H = 230, left = 34, right = 12, top = 12, bottom = 36;
  const x = i => left + (W - left - right) * i / depth, y = s => H - bottom - (H - top - bottom) * s;
  const panel = make("section"), svg = draw("svg", {width: W, height: H, viewBox: `0 0 ${W} ${H}`, role: "img"});
  panel.append(make("div", "title", "how far the words still differ"), svg);
  for (const s of [0, 0.25, 0.5, 0.75, 1]) svg.append(draw("line", {class: "grid", x1: left, x2: W - right, y1: y(s), y2: y(s)}), draw("text", {x: left - 5, y: y(s) + 4, "text-anchor": "end"}, s.toFixed(2)));
  for (let i = 0; i <= depth; i += Math.ceil(depth / 6)) svg.append(draw("text", {x: x(i), y: H - bottom + 15, "text-anchor": "middle"}, String(i)));
  svg.append(draw("text", {x: (left + W - right) / 2, y: H - 4, "text-anchor": "middle"}, "layers"));
  const line = draw("polyline", {class: "line with on"}), now = draw("line", {class: "now", y1: top, y2: H - bottom}), dot = draw("circle", {r: 5});
  svg.append(line, now, dot);
  const update = (spread, i) => {
    line.setAttribute("points", spread.map((s, k) => `${x(k)},${y(s)}`).join(" "));
    now.setAttribute("x1", x(i)); now.setAttribute("x2", x(i));
    dot.setAttribute("cx", x(i)); dot.setAttribute("cy", y(spread[i]));
    svg.setAttribute("aria-label", `The words differ by ${number(spread[i])} after ${i} layers`);
  };
  return {panel, update};
}

export default { render({model, el}) {
  const tokens = model.get("tokens"), points = model.get("points"), spreads = model.get("spreads");
  const {root, note} = stage("The words of a sentence, layer after layer"), panels = make("div", "panels");
  const depth = Object.values(spreads)[0].length - 1, picture = plane(tokens, model.get("reach")), graph = chart(depth);
  panels.append(picture.panel, graph.panel);
  root.append(panels, note);
  const parts = {feed_forward: "feed-forward", norm: "norm", skip: "skip"};
  const update = () => {
    const key = Object.keys(parts).map(name => +model.get(name)).join(""), i = model.get("depth"), spread = spreads[key];
    const on = ["attention", ...Object.entries(parts).filter(([name]) => model.get(name)).map(([, said]) => said)].join(" + ");
    const places = picture.update(points[key][i], `${tokens.length} words after ${i} layers of ${on}`);
    graph.update(spread, i);
    const heap = places === 1 ? "all words in one place" : `${places} places for ${tokens.length} words`;
    note.textContent = `After ${i} layer${i === 1 ? "" : "s"} of ${on}: the words differ by ${number(spread[i], 3)} of their length; ${heap}.`;
  };
  nameSliders(el, "layers");
  return follow({model, el}, root, ["depth", ...Object.keys(parts)], update);
} };
