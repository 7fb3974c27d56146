const W = 760, H = 540, EDGE = 34;  // pixels

export default { render({model, el}) {
  const words = model.get("words"), groups = model.get("groups"), marked = new Set(model.get("marked"));
  const {root, note} = stage("A map of words", "course-map"), tools = make("div", "tools");
  const when = make("input"), search = make("input"), play = make("button", "", "Play"), told = make("span");
  when.type = "range"; when.min = 0; search.type = "text"; search.placeholder = "a word"; search.spellcheck = false;
  when.setAttribute("aria-label", model.get("unit")); search.setAttribute("aria-label", "find a word");
  const slider = make("label", "", model.get("unit")), finder = make("label", "", "find");
  slider.append(when, told); finder.append(search);
  tools.append(finder, slider, play);
  const svg = draw("svg", {width: W, height: H, viewBox: `0 0 ${W} ${H}`, role: "img"});
  svg.append(draw("rect", {class: "axis", x: 0.5, y: 0.5, width: W - 1, height: H - 1}));
  const lines = draw("g"), names = draw("g");
  const dots = words.map((word, i) => {
    const dot = draw("circle", {r: marked.has(i) ? 5 : 3.5, class: marked.has(i) ? "marked" : ""});
    dot.append(draw("title", {}, word));
    dot.onclick = () => { search.value = word; show(); };
    return dot;
  });
  const labels = groups.map(([name]) => draw("text", {class: "group"}, name));
  svg.append(lines, ...dots, ...labels, names);
  root.append(tools, svg, note);
  const middle = xs => { const sorted = [...xs].sort((a, b) => a - b); return sorted[sorted.length >> 1]; };

  function show() {
    const {at, points, near} = JSON.parse(model.get("moments")[+when.value]), place = points.map(([x, y]) => [W / 2 + (W / 2 - EDGE) * x, H / 2 - (H / 2 - EDGE) * y]);
    told.textContent = String(at);
    const typed = search.value.trim().toLowerCase(), asked = words.indexOf(typed), found = asked < 0 ? [] : near[asked];
    const lit = new Set(found.map(([i]) => i));
    dots.forEach((dot, i) => {
      dot.setAttribute("cx", place[i][0]); dot.setAttribute("cy", place[i][1]);
      dot.classList.toggle("near", lit.has(i)); dot.classList.toggle("asked", i === asked);
    });
    labels.forEach((label, g) => {
      const members = groups[g][1].map(i => place[i]);
      label.setAttribute("x", middle(members.map(p => p[0]))); label.setAttribute("y", Math.min(H - 6, middle(members.map(p => p[1])) - 12));
    });
    const shown = [asked, ...lit, ...marked].filter((i, k, all) => i >= 0 && all.indexOf(i) === k), taken = [];
    names.replaceChildren(...shown.flatMap(i => {
      const [x, y] = place[i], left = x > W - 90;
      if (i !== asked && taken.some(([a, b]) => Math.abs(a - x) < 48 && Math.abs(b - y) < 12)) return [];
      taken.push([x, y]);
      return [draw("text", {class: i === asked ? "name asked" : "name", x: x + (left ? -8 : 8), y: y + 4, "text-anchor": left ? "end" : "start"}, words[i])];
    }));
    lines.replaceChildren(...(asked < 0 ? [] : found.map(([i]) => draw("line", {class: "near", x1: place[asked][0], y1: place[asked][1], x2: place[i][0], y2: place[i][1]}))));
    const moment = `After ${at} ${model.get("unit")}`;
    svg.setAttribute("aria-label", `${moment}: ${words.length} words as points`);
    note.textContent = typed && asked < 0 ? `${typed} isn't on the map.`
      : asked < 0 ? `${moment}. Type a word, or click on a point.`
      : `${moment}, nearest to ${words[asked]}: ${found.map(([i, c]) => `${words[i]} (${number(c)})`).join(", ")}.`;
  }

  const grow = () => {
    when.max = model.get("moments").length - 1;
    when.value = when.max;
    slider.style.visibility = play.style.visibility = +when.max > 0 ? "visible" : "hidden";
    show();
  };
  let timer;
  play.onclick = () => {
    clearInterval(timer);
    when.value = 0; show();
    timer = setInterval(() => { if (+when.value >= +when.max) clearInterval(timer); else { when.value = +when.value + 1; show(); } }, 600);
  };
  when.oninput = () => { clearInterval(timer); show(); };
  search.oninput = show;
  // The notebook has keys of its own, for letters too.
  for (const type of ["keydown", "keyup", "keypress"]) tools.addEventListener(type, event => event.stopPropagation());
  const end = follow({model, el}, root, ["moments"], grow);
  return () => { clearInterval(timer); end(); };
} };
