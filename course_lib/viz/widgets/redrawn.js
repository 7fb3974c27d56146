// Beside a picture that Python draws anew: its alternative text, and the names of the sliders that move it.
export default { render({model, el}) {
  let frames = 300;  // the picture may come later than this
  const tell = () => {
    const picture = el.closest(".widget-vbox")?.querySelector("img.course-picture");
    if (picture) picture.alt = model.get("alt");
    else if (frames--) requestAnimationFrame(tell);
  };
  model.on("change:alt", tell);
  tell();
  nameSliders(el, ...model.get("sliders"));
} };
