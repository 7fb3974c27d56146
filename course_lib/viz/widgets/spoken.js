export default { render({model, el}) {
  el.hidden = true;
  el.textContent = " ";  // an empty one would look unfinished
  // The box's other parts may come a few frames later.
  const update = (frames = 300) => {
    const box = el.closest(".widget-vbox"), image = box?.querySelector("img"), handles = box?.querySelectorAll(".noUi-handle") ?? [];
    image?.setAttribute("alt", model.get("picture"));
    handles.forEach((handle, i) => handle.setAttribute("aria-label", model.get("handles")[i]));
    if (!(image && handles.length >= model.get("handles").length) && frames) requestAnimationFrame(() => update(frames - 1));
  };
  const changed = () => update();
  model.on("change:picture", changed);
  update();
  return () => model.off("change:picture", changed);
} };
