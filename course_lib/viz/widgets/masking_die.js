// Mulberry32: a small generator, so that the same seed rolls the same dice.
function dice(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6D2B79F5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const KINDS = ["[MASK]", "a random token", "left as it is"];

export default { render({model, el}) {
  const tokens = model.get("tokens"), special = model.get("special"), words = model.get("words"), share = model.get("share"), edges = model.get("edges");
  const {root, note} = stage("Choosing the places that BERT is asked for, and what it reads there");
  const buttons = make("div", "dice-buttons"), once = make("button", "", "Roll"), often = make("button", "", "Roll 100 times"), again = make("button", "", "Start again");
  buttons.append(once, often, again);
  const table = make("table", "dice"), body = make("tbody"), panels = make("div", "panels");
  table.append(body);
  const shares = bars("of the places chosen so far", KINDS), chosenBar = bars("of all words so far", ["chosen"]);
  panels.append(shares.panel, chosenBar.panel);
  root.append(buttons, table, panels, note);
  let random, rolls, words_seen, chosen, counts;
  const roll = () => {
    rolls += 1;
    return tokens.map((token, i) => {
      if (special[i]) return {token, read: token, kind: -1};
      words_seen += 1;
      if (random() >= share) return {token, read: token, kind: -1};
      const die = random(), kind = die < edges[0] ? 0 : die < edges[1] ? 1 : 2;
      chosen += 1; counts[kind] += 1;
      return {token, read: kind === 0 ? "[MASK]" : kind === 1 ? words[Math.floor(random() * words.length)] : token, kind};
    });
  };
  const row = (name, cells) => {
    const line = make("tr"), head = make("th", "", name);
    head.scope = "row";
    line.append(head, ...cells);
    return line;
  };
  const cell = (text, className) => make("td", className, text);
  const show = places => {
    body.replaceChildren(
      row("text", places.map(p => cell(p.token, ""))),
      row("BERT reads", places.map(p => cell(p.read, p.kind < 0 ? "" : `kind${p.kind}`))),
      row("asked for", places.map(p => cell(p.kind < 0 ? "·" : p.token, p.kind < 0 ? "quiet" : "asked"))));
    shares.update(counts.map(c => chosen ? c / chosen : 0), 0, 1);
    chosenBar.update([words_seen ? chosen / words_seen : 0], 0, 1);
    const percent = c => chosen ? Math.round(100 * c / chosen) : 0;
    note.textContent = `${rolls} roll${rolls === 1 ? "" : "s"}: ${chosen} of ${words_seen} words chosen (${words_seen ? Math.round(100 * chosen / words_seen) : 0} %); of these ${percent(counts[0])} % [MASK], ${percent(counts[1])} % random, ${percent(counts[2])} % as they are.`;
  };
  const start = () => { random = dice(model.get("seed")); rolls = words_seen = chosen = 0; counts = [0, 0, 0]; show(roll()); };
  once.onclick = () => show(roll());
  often.onclick = () => { let places; for (let i = 0; i < 100; i++) places = roll(); show(places); };
  again.onclick = start;
  el.append(root);
  start();
} };
