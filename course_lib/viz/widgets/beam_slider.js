// The drawings come from Python as SVG; a parser that runs no script reads them.
const drawing = svg => document.importNode(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement, true);

export default { render({model, el}) {
  const {root, note} = stage("Beam search as a tree"), holder = make("div");
  root.append(holder, note, make("p", "note", model.get("legend")));
  const update = () => {
    const [svg, said] = model.get("trees")[model.get("index")];
    holder.replaceChildren(drawing(svg));
    note.textContent = said;
  };
  nameSliders(el, "k, the beam's width");
  return follow({model, el}, root, ["index"], update);
} };
