// softmax(logits / temperature), cut by top-k, then by top-p, each time made to sum to 1 again; logits come sorted.
function reshaped(logits, temperature, k, p) {
  let shares = softmax(logits.map(x => x / temperature)).map((x, i) => i < k ? x : 0);
  const again = () => { const sum = shares.reduce((a, b) => a + b, 0); shares = shares.map(x => x / sum); };
  again();
  let before = 0;
  shares = shares.map(x => { const stays = before < p || p >= 1; before += x; return stays ? x : 0; });
  again();
  return shares;
}

export default { render({model, el}) {
  const beginnings = model.get("beginnings"), show = model.get("show");
  const {root, note} = stage("Probabilities of the next word, reshaped before one is drawn");
  const places = beginnings.map((text, at) => {
    const words = model.get("tokens")[at], logits = model.get("logits")[at], own = softmax(logits), panel = make("section"), grid = make("div", "bars");
    panel.append(make("div", "title", text === "" ? "the beginning of a text" : `${text} …`), grid);
    const row = (word, kind) => {
      const name = make("span", "word " + kind, shorten(word)), track = make("span", "track"), fill = make("span", "fill"), ghost = make("span", "ghost"), value = make("span", "number");
      name.title = word;
      track.append(fill, ghost);
      grid.append(name, track, value);
      return {name, fill, ghost, value};
    };
    const rows = words.slice(0, show).map(word => row(word, "")), rest = words.length > show ? row(`${words.length - show} others`, "rest") : null;
    root.append(panel);
    return {panel, words, logits, own, rows, rest};
  });
  root.append(note);
  const sum = values => values.reduce((a, b) => a + b, 0);
  const update = () => {
    const t = model.get("temperature"), k = model.get("top_k"), p = model.get("top_p"), chosen = model.get("place");
    places.forEach((place, i) => { place.panel.hidden = i !== chosen; });
    const {words, logits, own, rows, rest} = places[chosen], shares = reshaped(logits, t, k, p), kept = shares.filter(x => x > 0).length;
    const draw = (row, share, before, out) => {
      row.fill.style.width = 100 * share + "%";
      row.ghost.style.left = `calc(${100 * before}% - 1px)`;
      row.value.textContent = out ? "cut" : number(share, 3);
      row.name.classList.toggle("cut", out);
    };
    rows.forEach((row, i) => draw(row, shares[i], own[i], i >= kept));
    if (rest) draw(rest, sum(shares.slice(show)), sum(own.slice(show)), kept <= show);
    const nats = -sum(shares.filter(x => x > 0).map(x => x * Math.log(x)));
    note.textContent = `Temperature ${number(t)}, top-k ${k}, top-p ${number(p)}: ${kept} of ${words.length} words can be drawn. “${words[0]}” has ${number(shares[0], 3)} (the model gives it ${number(own[0], 3)}). It is as open as a choice among ${number(Math.exp(nats), 1)} equally likely words.`;
  };
  nameSliders(el, "temperature", "top-k", "top-p");
  return follow({model, el}, root, ["temperature", "top_k", "top_p", "place"], update);
} };
