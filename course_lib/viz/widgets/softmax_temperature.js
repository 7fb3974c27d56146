function heat(queries, keys) {
  const many = keys.length > 10 || Math.max(...keys.map(key => key.length)) > 9, table = make("table", (many ? "upright" : "") + (keys.length > 10 ? " many" : "")), head = make("thead"), body = make("tbody"), first = make("tr");
  table.append(make("caption", "", "key (the word looked at)"), head, body);
  first.append(make("td", "corner"), ...keys.map(key => { const th = make("th", "", shorten(key)); th.scope = "col"; th.title = key; return th; }));
  head.append(first);
  const cells = queries.map(query => {
    const row = make("tr"), th = make("th", "", shorten(query));
    th.scope = "row"; th.title = query;
    const tds = keys.map(() => make("td"));
    row.append(th, ...tds);
    body.append(row);
    return tds;
  });
  const update = matrix => matrix.forEach((weights, i) => weights.forEach((w, j) => {
    const cell = cells[i][j];
    cell.style.setProperty("--weight", w.toFixed(4));
    cell.classList.toggle("strong", w > 0.5);
    if (keys.length > 10) cell.title = `${queries[i]} → ${keys[j]}: ${number(w)}`; else cell.textContent = number(w);
  }));
  return {table, update};
}

export default { render({model, el}) {
  const scores = model.get("scores"), keys = model.get("key_tokens"), queries = model.get("query_tokens");
  const {root, note} = stage("Softmax of the scores divided by the temperature");
  let show;
  if (scores.length === 1) {
    const panels = make("div", "panels"), before = bars("score", keys, "scores"), after = bars(model.get("share"), keys);
    panels.append(before.panel, after.panel);
    root.append(panels, note);
    const low = Math.min(0, ...scores[0]), high = Math.max(0, ...scores[0]);
    before.update(scores[0], low < 0 ? -roundUp(-low) : 0, roundUp(high));
    show = ([weights]) => after.update(weights, 0, 1);
  } else {
    const {table, update} = heat(queries, keys), legend = make("div", "legend"), axis = make("p", "note", "Each row is a query, the word that looks; it sums to 1.");
    legend.append(make("span", "", model.get("share")), make("span", "", "0"), make("i"), make("span", "", "1"));
    root.append(table, legend, axis, note);
    show = update;
  }
  const update = () => {
    const temperature = model.get("temperature"), matrix = scores.map(row => softmax(row.map(s => s / temperature)));
    show(matrix);
    let best = [0, 0];
    matrix.forEach((row, i) => row.forEach((w, j) => { if (w > matrix[best[0]][best[1]]) best = [i, j]; }));
    const [i, j] = best;
    const who = queries[i] ? `“${shorten(queries[i], 30)}” gives “${shorten(keys[j], 30)}”` : `“${shorten(keys[j], 30)}” gets`;
    note.textContent = `At temperature ${number(temperature)} ${who} the largest ${model.get("share")}, ${number(matrix[i][j])}.`;
  };
  nameSliders(el, "temperature");
  return follow({model, el}, root, ["temperature"], update);
} };
