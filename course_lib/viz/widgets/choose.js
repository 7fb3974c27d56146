// One of many pictures, all drawn beforehand: the controls say which. The pictures are HTML of this package.
export default { render({model, el}) {
  const {root, note} = stage(model.get("label")), place = make("div"), counts = model.get("counts");
  root.append(note, place);  // above: a tall picture must not push it out of sight
  const update = () => {
    const at = counts.reduce((at, count, i) => at * count + Number(model.get(`choice_${i}`)), 0);
    place.innerHTML = model.get("pictures")[at];
    note.textContent = model.get("said")[at];
  };
  nameSliders(el, ...model.get("sliders"));
  return follow({model, el}, root, counts.map((_, i) => `choice_${i}`), update);
} };
