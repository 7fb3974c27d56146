// Byte-pair encoding in the browser. A symbol is a string: of characters, or of bytes (one character U+0000–U+00FF each).
const BLANKS = "\\p{White_Space}\\u001c-\\u001f";  // where Python's str.split() splits
const RIGHT_TO_LEFT = /^[^\p{L}]*[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

function merger(merges) {
  const index = new Map(), ranks = new Map(), pairs = [], names = [];
  const intern = name => { let i = index.get(name); if (i === undefined) { i = names.push(name) - 1; index.set(name, i); } return i; };
  const key = (left, right) => left * 0x200000 + right;
  for (const [left, right] of merges) {
    const a = intern(left), b = intern(right);
    ranks.set(key(a, b), pairs.length);
    pairs.push([a, b, intern(left + right)]);
  }
  // The lowest-ranked pair among the first k merges, everywhere from left to right, until none is left.
  // Tells too which merge would be the next to change the piece (Infinity: none), and the highest that was applied (-1: none).
  return (piece, k) => {
    const symbols = piece.map(intern), made = symbols.map(() => -1);
    let next, highest = -1;
    for (;;) {
      let best = Infinity;
      for (let i = 0; i + 1 < symbols.length; i++) {
        const rank = ranks.get(key(symbols[i], symbols[i + 1]));
        if (rank < best) best = rank;
      }
      if (best >= k) { next = best; break; }
      highest = Math.max(highest, best);
      const [a, b, product] = pairs[best];
      let n = 0;
      for (let i = 0; i < symbols.length; i++, n++) {
        const fuse = symbols[i] === a && symbols[i + 1] === b;
        symbols[n] = fuse ? product : symbols[i];
        made[n] = fuse ? best : made[i];
        if (fuse) i++;
      }
      symbols.length = made.length = n;
    }
    return {next, highest, tokens: symbols.map((symbol, i) => ({token: names[symbol], made: made[i], last: i + 1 === symbols.length}))};
  };
}

// The text cut into pieces that no merge crosses, each a list of symbols.
function splitter(bytes, pattern, end) {
  const utf8 = new TextEncoder(), symbols = piece => Array.from(utf8.encode(piece), byte => String.fromCharCode(byte));
  if (!bytes) return text => text.split(new RegExp(`[${BLANKS}]+`, "u")).filter(Boolean).map(word => {
    const characters = Array.from(word);
    characters[characters.length - 1] += end;
    return characters;
  });
  const expression = new RegExp(pattern, "gu");
  return text => (text.match(expression) ?? []).map(symbols);
}

const hex = code => code.toString(16).toUpperCase();
const codePoint = character => "U+" + hex(character.codePointAt(0)).padStart(4, "0");

// Whole characters as strings, other bytes as numbers.
function characters(token) {
  const found = [], strict = new TextDecoder("utf-8", {fatal: true, ignoreBOM: true}), bytes = Uint8Array.from(token, c => c.charCodeAt(0));
  next: for (let i = 0; i < bytes.length;) {
    for (let length = 1; length <= 4; length++) {
      try { found.push(strict.decode(bytes.subarray(i, Math.min(i + length, bytes.length)))); i += length; continue next; } catch { /* no whole character yet */ }
    }
    found.push(bytes[i++]);
  }
  return found;
}

// What stands for a character that can't be seen by itself. tokens.py does the same.
function sign(character, before, after) {
  const code = character.codePointAt(0);
  if (" \n\t".includes(character)) return {" ": "␣", "\n": "↵", "\t": "→"}[character];
  if (code < 0x20 || code === 0x7f) return String.fromCharCode(code === 0x7f ? 0x2421 : 0x2400 + code);
  if (/\p{M}/u.test(character)) return before ? null : code >= 0xfe00 && code <= 0xfe0f ? codePoint(character) : "◌" + character;
  if ("\u200c\u200d".includes(character)) return before && after ? null : codePoint(character);
  return /[\p{C}\p{Z}]/u.test(character) ? codePoint(character) : null;
}

function shown(list) {
  const parts = [];
  list.forEach((character, i) => {
    const isByte = typeof character === "number";
    const stand = isByte ? hex(character).padStart(2, "0") : sign(character, typeof list[i - 1] === "string", typeof list[i + 1] === "string");
    const last = parts.at(-1);
    if (stand === null && last && !last.sign) last.text += character;
    else parts.push({sign: stand !== null, code: isByte || stand?.startsWith("U+"), text: stand ?? character});
  });
  // A blank around codes: E2 82, not E282.
  parts.forEach((part, i) => { if (i > 0 && (part.code || parts[i - 1].code)) parts[i].text = " " + part.text; });
  return parts;
}

export default { render({model, el}) {
  const bytes = model.get("of_bytes"), longest = model.get("longest"), end = model.get("end_of_word"), merges = model.get("merges");
  const encode = merger(merges), split = splitter(bytes, model.get("pattern"), end), ids = new Map(model.get("ids"));
  const list = token => bytes ? characters(token) : Array.from(token);
  const written = token => shown(list(token)).map(part => part.text).join("");

  const root = make("div", "course-merges"), label = make("label"), area = make("textarea"), counts = make("p", "counts"), step = make("p", "step");
  const boxes = make("div", "boxes"), legend = make("p", "legend"), detail = make("p", "detail"), note = make("p", "note");
  const buttons = make("p", "buttons"), back = make("button", "", "◂ previous"), forward = make("button", "", "next merge in this text ▸");
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", model.get("title"));
  area.dataset.lmSuppressShortcuts = "true";
  area.rows = 2;
  area.spellcheck = false;
  area.dir = "auto";
  label.append(make("span", "", "your own text"), area);
  for (const line of [counts, step, note]) line.setAttribute("role", "status");
  boxes.setAttribute("role", "list");
  boxes.setAttribute("aria-label", "tokens; the arrow keys move along them");
  back.setAttribute("aria-label", "previous merge in this text");
  forward.setAttribute("aria-label", "next merge in this text");
  for (const button of [back, forward]) {
    button.type = "button";
    button.dataset.lmSuppressShortcuts = "true";
  }
  buttons.append(back, forward);
  root.append(buttons, label, counts, step, boxes, legend, detail, note);

  let pieces = [], length = 0, tokens = [], at = 0, next = Infinity, rtl = false;

  const describe = i => {
    const {token, made} = tokens[i], id = ids.get(token);
    const name = bytes ? list(token).map(c => typeof c === "number" ? "byte " + hex(c).padStart(2, "0") : c).join("") : token;
    const content = bytes ? "bytes " + Array.from(token, c => hex(c.charCodeAt(0)).padStart(2, "0")).join(" ")
      : token.endsWith(end) && end ? Array.from(token.slice(0, -end.length)).join(" ") + ", end of word" : "characters " + Array.from(token).join(" ");
    const origin = made < 0 ? "no merge made it" : `made by merge ${made + 1}: ${merges[made].map(written).join(" + ")}`;
    return {name, facts: [id === undefined ? "no id: not in the vocabulary" : `id ${id}`, content, origin].join(" · ")};
  };
  const tell = i => {
    detail.replaceChildren();
    if (i === null || !tokens[i]) { detail.append(make("span", "quiet", tokens.length ? "Point at a token, or move along with Tab and the arrow keys, to see its id." : "")); return; }
    detail.append(make("strong", "", `token ${i + 1}: ${written(tokens[i].token)}`), ` · ${describe(i).facts}`);
  };
  const focus = i => {
    boxes.children[at]?.setAttribute("tabindex", "-1");
    at = i;
    boxes.children[at].setAttribute("tabindex", "0");
    boxes.children[at].focus();
  };

  const draw = () => {
    const k = model.get("merges_used");
    const encoded = pieces.map(piece => encode(piece, k));
    tokens = encoded.flatMap(piece => piece.tokens);
    next = encoded.reduce((lowest, piece) => Math.min(lowest, piece.next), Infinity);
    back.disabled = k === 0;
    forward.disabled = next === Infinity;
    let unknown = 0, hasBytes = false;
    const fused = tokens.filter(t => t.made >= 0 && t.made === k - 1).length;
    boxes.replaceChildren(...tokens.map(({token, made, last}, i) => {
      const box = make("span", "token"), now = made >= 0 && made === k - 1;
      const sum = Array.from(token).reduce((total, c) => total + c.codePointAt(0), 0);
      if (made >= 0) box.classList.add("tint" + sum % 4);
      if (now) { box.classList.add("now"); box.append(make("b", "", "◆")); }
      if (last) box.classList.add("last");
      if (!ids.has(token)) { box.classList.add("unknown"); unknown++; }
      const symbols = list(token), partial = symbols.some(c => typeof c === "number");
      hasBytes ||= partial;
      for (const part of shown(symbols)) box.append(part.sign ? make("i", part.code ? "code" : "", part.text) : part.text);
      box.dir = partial ? "ltr" : "auto";
      box.dataset.token = token;
      box.dataset.lmSuppressShortcuts = "true";  // or JupyterLab takes the keys: two times d deletes the cell
      box.setAttribute("role", "listitem");
      box.setAttribute("tabindex", i === 0 ? "0" : "-1");
      return box;
    }));
    at = 0;
    boxes.dir = rtl && !hasBytes ? "rtl" : "ltr";  // bytes are read from left to right, whatever they spell
    const unit = bytes ? "byte" : "character", s = n => n === 1 ? "" : "s";
    counts.textContent = `${length} ${unit}${s(length)} → ${tokens.length} token${s(tokens.length)}` + (unknown ? ` · ${unknown} not in the vocabulary` : "");
    legend.textContent = model.get("legend") + (unknown ? model.get("dashed") : "");
    if (k === 0) step.textContent = `No merge yet: each ${unit} is a token of its own.`;
    else {
      const [left, right] = merges[k - 1];
      step.textContent = `merge ${k}: ${written(left)} + ${written(right)} → ${written(left + right)}`;
      step.append(make("span", "quiet", fused ? ` · made ${fused} of these tokens, marked ◆` : " · made none of these tokens"));
    }
    tell(null);
  };

  const read = typed => {
    const whole = typed.replace(/\p{Surrogate}/gu, "\ufffd"), points = Array.from(whole), text = points.slice(0, longest).join("");
    pieces = split(text);
    length = pieces.reduce((total, piece) => total + piece.length, 0);
    rtl = RIGHT_TO_LEFT.test(text);
    const notes = [];
    if (points.length > longest) notes.push(`Only the first ${longest.toLocaleString("en")} of ${points.length.toLocaleString("en")} characters are shown.`);
    if (whole !== typed) notes.push("Half a character (a lone surrogate) has no bytes; � stands for it.");
    if (!pieces.length) notes.push(whole ? "There are only blanks here. Type a word." : "Nothing here yet. Type some text to see its tokens.");
    note.textContent = notes.join(" ");
    draw();
  };

  // One set of listeners for all boxes: they are made anew at every move.
  const position = event => { const box = event.target.closest(".token"); return box ? Array.prototype.indexOf.call(boxes.children, box) : null; };
  boxes.addEventListener("mouseover", event => { const i = position(event); if (i !== null) tell(i); });
  boxes.addEventListener("mouseleave", () => tell(boxes.contains(document.activeElement) ? at : null));
  boxes.addEventListener("focusin", event => {
    const i = position(event);
    if (i === null) return;
    const {name, facts} = describe(i);
    event.target.setAttribute("aria-label", `“${name}”, ${facts}`);
    at = i;
    tell(i);
  });
  boxes.addEventListener("focusout", () => tell(null));
  boxes.addEventListener("click", event => { const i = position(event); if (i !== null) focus(i); });
  boxes.addEventListener("keydown", event => {
    const onward = boxes.dir === "rtl" ? -1 : 1, last = tokens.length - 1;
    const to = {ArrowRight: at + onward, ArrowLeft: at - onward, ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: last}[event.key];
    if (to === undefined) return;
    event.preventDefault();
    focus(Math.min(Math.max(to, 0), last));
  });
  area.addEventListener("input", () => read(area.value));
  const go = (k, button, other) => {
    model.set("merges_used", k);
    model.save_changes();
    if (button.disabled) other.focus();  // the keyboard isn't left on a dead button
  };
  forward.addEventListener("click", () => go(next + 1, forward, back));
  back.addEventListener("click", () => {
    const before = model.get("merges_used") - 1;
    go(pieces.reduce((highest, piece) => Math.max(highest, encode(piece, before).highest), -1) + 1, back, forward);
  });

  const given = () => { area.value = model.get("text"); read(model.get("text")); };
  model.on("change:merges_used", draw);
  model.on("change:text", given);
  el.append(root);
  given();
  nameSliders(el, "merges");
  return () => { model.off("change:merges_used", draw); model.off("change:text", given); };
} };
