// May row i look at column j?
const may = (noPadding, noFuture, length) => (i, j) => (!noPadding || j < length) && (!noFuture || j <= i);

function weigh(scores, length, n, [noPadding, noFuture]) {
  const allowed = may(noPadding, noFuture, length), last = scores.length - 1, place = i => i < length ? i : last;
  return Array.from({length: n}, (_, i) => {
    const open = Array.from({length: n}, (_, j) => j).filter(j => allowed(i, j)), shares = softmax(open.map(j => scores[place(i)][place(j)]));
    const row = Array(n).fill(null);  // null: masked
    open.forEach((j, k) => { row[j] = shares[k]; });
    return row;
  });
}

function table(tokens, length, weights) {
  const node = make("table", "upright batch"), head = make("thead"), body = make("tbody"), first = make("tr");
  const label = (text, i, scope) => { const th = make("th", i < length ? "" : "pad", shorten(text, 10)); th.scope = scope; th.title = text; return th; };
  first.append(make("td", "corner"), ...tokens.map((t, j) => label(t, j, "col")));
  head.append(first);
  weights.forEach((row, i) => {
    const line = make("tr");
    line.append(label(tokens[i], i, "row"), ...row.map((w, j) => {
      const cell = make("td", w === null ? "masked" : w > 0.5 ? "strong" : "", w === null ? "" : number(w));
      cell.style.setProperty("--weight", w === null ? 0 : w.toFixed(4));
      cell.title = `${tokens[i]} → ${tokens[j]}: ${w === null ? "masked" : number(w)}`;
      return cell;
    }));
    body.append(line);
  });
  node.append(head, body);
  return node;
}

const percent = x => `${Math.round(100 * x)} %`;

export default { render({model, el}) {
  const sentences = model.get("sentences"), scores = model.get("scores"), pad = model.get("pad");
  const {root, note} = stage("Attention weights of each sentence in a padded batch"), panels = make("div", "panels"), legend = make("div", "legend");
  legend.append(make("span", "", "attention weight"), make("span", "", "0"), make("i"), make("span", "", "1"), make("b", "masked"), make("span", "", "masked"),
    make("span", "", "· each row is a query, the word that looks"));
  root.append(panels, legend, note);
  const update = () => {
    const [name, mask] = model.get("masks")[model.get("mask")], lengths = sentences.map((_, i) => model.get(`length_${i}`)), n = Math.max(...lengths);
    const said = [];
    panels.replaceChildren(...sentences.map((words, k) => {
      const length = lengths[k], weights = weigh(scores[k], length, n, mask), tokens = Array.from({length: n}, (_, i) => i < length ? words[i] : pad);
      const toPadding = weights.slice(0, length).reduce((sum, row) => sum + row.slice(length).reduce((a, b) => a + b, 0), 0) / (length || 1);
      const empty = weights.filter(row => row.every(w => w === null)).length;
      const panel = make("section");
      const text = empty ? `${empty} of ${n} rows closed: zero, not NaN` : length ? `${percent(toPadding)} goes to padding` : "only padding";
      panel.append(make("div", "title", `sentence ${k + 1}: ${length} word${length === 1 ? "" : "s"} + ${n - length} padding`), table(tokens, length, weights), make("p", "note", text));
      said.push(`sentence ${k + 1}: ${text}`);
      return panel;
    }));
    const cells = n * sentences.length, real = lengths.reduce((a, b) => a + b, 0);
    note.textContent = n ? `Mask: ${name}. Every sentence is padded to ${n}: ${cells - real} of ${cells} places hold padding. Under each table: how much of its words' weight goes there.` : "Nothing is left of the batch.";
    root.setAttribute("aria-description", said.join("; "));
  };
  nameSliders(el, ...sentences.map((_, i) => `words in sentence ${i + 1}`));
  return follow({model, el}, root, ["mask", ...sentences.map((_, i) => `length_${i}`)], update);
} };
