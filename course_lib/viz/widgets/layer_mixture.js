const W = 470, H = 380, EDGE = 26, R = 5;  // pixels

export default { render({model, el}) {
  const all = model.get("points"), count = all[0].length, layers = [...Array(count).keys()];
  const {root, note} = stage("A word's uses, mixed from the layers", "course-layers"), panels = make("div", "panels"), pointed = make("p", "pointed");
  const panel = make("section"), title = make("div", "title"), svg = draw("svg", {width: W, height: H, viewBox: `0 0 ${W} ${H}`, role: "img"});
  const marks = draw("g"), legend = draw("g");
  svg.append(draw("rect", {class: "axis", x: 0.5, y: 0.5, width: W - 1, height: H - 1}), marks, legend);
  panel.append(title, svg, pointed);
  const beside = bars("share of each layer, softmax(s)", layers.map(j => `layer ${j}`));
  panels.append(panel, beside.panel);
  root.append(panels, note);
  const shape = k => k ? draw("rect", {class: "mark k1", width: 2 * R - 1, height: 2 * R - 1}) : draw("circle", {class: "mark k0", r: R});
  const put = (mark, k, x, y) => { mark.setAttribute(k ? "x" : "cx", k ? x - R : x); mark.setAttribute(k ? "y" : "cy", k ? y - R : y); };
  let shown = -1, made = [];
  function choose(word) {
    shown = word;
    const kinds = model.get("kinds")[word], texts = model.get("texts")[word], names = model.get("names")[word];
    made = kinds.map((k, i) => {
      const mark = shape(k);
      mark.append(draw("title", {}, texts[i]));
      mark.onmouseenter = () => { pointed.textContent = `${texts[i]} (${names[k]})`; };
      return mark;
    });
    marks.replaceChildren(...made);
    legend.replaceChildren(...names.flatMap((name, k) => { const mark = shape(k); put(mark, k, 16, 18 + 18 * k); return [mark, draw("text", {x: 28, y: 22 + 18 * k}, name)]; }));
    pointed.textContent = "";
  }
  const update = () => {
    const word = model.get("word");
    if (word !== shown) choose(word);
    const share = softmax(layers.map(j => model.get(`s${j}`))), gamma = model.get("gamma"), kinds = model.get("kinds")[word], names = model.get("names")[word];
    const mixed = kinds.map((_, i) => [0, 1].map(c => gamma * layers.reduce((sum, j) => sum + share[j] * all[word][j][i][c], 0)));
    mixed.forEach(([x, y], i) => put(made[i], kinds[i], W / 2 + (W / 2 - EDGE) * Math.max(-1.03, Math.min(1.03, x)), H / 2 - (H / 2 - EDGE) * Math.max(-1.03, Math.min(1.03, y))));
    beside.update(share, 0, 1);
    const centre = k => [0, 1].map(c => { const own = mixed.filter((_, i) => kinds[i] === k); return own.reduce((sum, p) => sum + p[c], 0) / own.length; });
    const [a, b] = [centre(0), centre(1)], apart = Math.hypot(a[0] - b[0], a[1] - b[1]);
    const near = (p, q) => (p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2;
    const own = mixed.filter((p, i) => kinds[i] ? near(p, b) < near(p, a) : near(p, a) < near(p, b)).length;
    title.textContent = `${made.length} uses of ${model.get("words")[word]}`;
    svg.setAttribute("aria-label", `${made.length} uses as points, ${names[0]} and ${names[1]}, their middles ${number(apart)} apart`);
    note.textContent = `${layers.map(j => `${number(share[j])} · layer ${j}`).join(" + ")}, γ = ${number(gamma, 1)}: the middles of the two senses are ${number(apart)} apart`
      + (apart < 0.01 ? "; all uses are one point." : `; ${own} of ${mixed.length} points are nearer to their own.`);
  };
  nameSliders(el, ...layers.map(j => `s of layer ${j}`), "gamma");
  return follow({model, el}, root, ["word", "gamma", ...layers.map(j => `s${j}`)], update);
} };
