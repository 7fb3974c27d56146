// Shared by the widgets. Words are set as text, never as HTML.
export const make = (tag, className = "", text = "") => {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text) node.textContent = text;
  return node;
};

// An SVG element.
export const draw = (tag, attributes = {}, text = "") => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text) node.textContent = text;
  return node;
};

// The widget's outermost box, named for screen readers, and the line that says what can be seen.
export function stage(label, className = "") {
  const root = make("div", `course-widget ${className}`), note = make("p", "note");
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", label);
  note.setAttribute("role", "status");
  return {root, note};
}

// Shows the box and calls update now and whenever one of the traits changes. Gives what anywidget calls at the end.
export function follow({model, el}, root, traits, update) {
  const changes = traits.map(name => `change:${name}`).join(" ");
  model.on(changes, update);
  el.append(root);
  update();
  return () => model.off(changes, update);
}

export const number = (x, digits = 2) => x.toFixed(digits).replace("-", "−");

const blank = token => token === "" ? "(empty)" : (/^\s+$/.test(token) ? token.replaceAll(" ", "␣") : token).replaceAll("\n", "↵").replaceAll("\t", "→");

export const shorten = (token, longest = 14) => { const t = blank(token); return t.length > longest ? t.slice(0, longest - 1) + "…" : t; };

export const softmax = scores => {
  const top = Math.max(...scores), powers = scores.map(s => Math.exp(s - top)), sum = powers.reduce((a, b) => a + b, 0);
  return powers.map(p => p / sum);
};

// One bar for each word; update(values, low, high) moves them.
export function bars(title, tokens, className = "") {
  const panel = make("section"), grid = make("div", "bars " + className);
  panel.append(make("div", "title", title), grid);
  const rows = tokens.map(token => {
    const word = make("span", "word", shorten(token)), track = make("span", "track"), fill = make("span", "fill"), value = make("span", "number");
    word.title = token;
    track.append(fill);
    grid.append(word, track, value);
    return {fill, value};
  });
  const ends = make("span", "ends"), left = make("span"), right = make("span");
  ends.append(left, right);
  grid.append(make("span"), ends, make("span"));
  const update = (values, low, high) => {
    const at = x => 100 * (Math.min(Math.max(x, low), high) - low) / (high - low);
    values.forEach((v, i) => {
      const [from, to] = v < 0 ? [at(v), at(0)] : [at(0), at(v)];
      rows[i].fill.style.left = from + "%";
      rows[i].fill.style.width = to - from + "%";
      rows[i].value.textContent = number(v, Math.abs(v) >= 100 ? 0 : Math.abs(v) >= 10 ? 1 : 2);
    });
    left.textContent = number(low, 0);
    right.textContent = number(high, 0);
  };
  return {panel, update};
}

// An arrow in an SVG drawing: a function that points it from one place to another, in pixels.
export const arrow = (svg, kind) => {
  const line = draw("line", {class: `arrow ${kind}`}), head = draw("path", {class: `head ${kind}`});
  svg.append(line, head);
  return ([x1, y1], [x2, y2]) => {
    const angle = Math.atan2(y2 - y1, x2 - x1), size = Math.min(9, Math.hypot(x2 - x1, y2 - y1));
    const corner = turn => `${x2 - size * Math.cos(angle + turn)},${y2 - size * Math.sin(angle + turn)}`;
    for (const [name, value] of Object.entries({x1, y1, x2, y2})) line.setAttribute(name, value);
    head.setAttribute("d", `M${x2},${y2} L${corner(0.4)} L${corner(-0.4)} Z`);
  };
};

// ipywidgets gives its slider handles no names for screen readers.
export const nameSliders = (el, ...names) => requestAnimationFrame(() =>
  el.closest(".widget-vbox")?.querySelectorAll(".noUi-handle").forEach((handle, i) => handle.setAttribute("aria-label", names[i])));

// 12.3 → 15: a round end for an axis.
export const roundUp = x => { const p = 10 ** Math.floor(Math.log10(x || 1)); return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map(k => k * p).find(v => v >= x); };
