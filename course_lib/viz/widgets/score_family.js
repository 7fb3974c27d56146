const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
const times = (W, x) => W.map(row => dot(row, x));

// One score each: query (2), key (2) → number. The same formulas as course_lib/attention.py; a browser test holds them equal.
const family = ({W_1, W_2, w_3, W}) => ({
  "additive": (q, k) => { const a = times(W_1, q), b = times(W_2, k); return dot(w_3, a.map((x, i) => Math.tanh(x + b[i]))); },
  "multiplicative": (q, k) => dot(q, times(W, k)),
  "dot": (q, k) => dot(q, k),
  "scaled dot": (q, k) => dot(q, k) / Math.sqrt(q.length),
  "cosine": (q, k) => dot(q, k) / Math.max(Math.hypot(...q) * Math.hypot(...k), 1e-12),
});
const FORMULAS = {"additive": "w₃ · tanh(W₁q + W₂k)", "multiplicative": "qᵀ W k", "dot": "q · k", "scaled dot": "q · k / √d_k", "cosine": "q · k / |q||k|"};

// Keys and query as arrows from the middle.
function plane(keys, tokens, reach) {
  const S = 250, half = S / 2, scale = (half - 22) / reach, at = ([x, y]) => [half + scale * x, half - scale * y];
  const panel = make("section"), svg = draw("svg", {width: S, height: S, viewBox: `0 0 ${S} ${S}`, role: "img"});
  panel.append(make("div", "title", "the query and the keys"), svg);
  svg.append(draw("line", {class: "grid", x1: 0, x2: S, y1: half, y2: half}), draw("line", {class: "grid", x1: half, x2: half, y1: 0, y2: S}));
  const label = (text, kind) => { const node = draw("text", {class: kind, "text-anchor": "middle"}, text); svg.append(node); return node; };
  const place = (node, v) => { const size = Math.hypot(...v) || 1, [x, y] = at(v.map(c => c * (1 + 0.34 / size))); node.setAttribute("x", x); node.setAttribute("y", y + 4); };
  keys.forEach((key, i) => { arrow(svg, "key")([half, half], at(key)); place(label(shorten(tokens[i]), "key"), key); });
  const query = arrow(svg, "query"), name = label("query", "query");
  return {panel, update: (v, words) => { query([half, half], at(v)); place(name, v); svg.setAttribute("aria-label", words); }};
}

export default { render({model, el}) {
  const keys = model.get("arrows"), tokens = model.get("tokens"), scores = family(model.get("weights"));
  const {root, note} = stage("The same query and the same keys under five scores", "course-scores"), panels = make("div", "panels three");
  const picture = plane(keys, tokens, model.get("reach"));
  const family_panels = make("div", "family");
  panels.append(picture.panel, family_panels);
  const drawn = Object.entries(scores).map(([name, score]) => {
    const {panel, update} = bars(name, tokens);
    panel.dataset.score = name;
    panel.insertBefore(make("p", "formula", FORMULAS[name]), panel.lastChild);
    family_panels.append(panel);
    return {name, score, update};
  });
  root.append(panels, note);
  const update = () => {
    const angle = model.get("direction") * Math.PI / 180, length = model.get("length"), query = [length * Math.cos(angle), length * Math.sin(angle)];
    const words = `Query with direction ${number(model.get("direction"), 0)}° and length ${number(length, 1)}`;
    const said = drawn.map(({name, score, update}) => {
      const weights = softmax(keys.map(key => score(query, key))), most = Math.max(...weights);
      update(weights, 0, 1);
      return `${name} ${number(most)} on ${shorten(tokens[weights.indexOf(most)], 30)}`;
    });
    picture.update(query, words);
    note.textContent = `${words}. Largest weights: ${said.join("; ")}.`;
  };
  nameSliders(el, "direction of the query, degrees", "length of the query");
  return follow({model, el}, root, ["direction", "length"], update);
} };
