// Stands in for what bertviz loads from the network: require.js, and the few calls of jQuery that it makes. d3 is inlined above.
window.require = {config() {}};
window.requirejs = (names, start) => start(...names.map(name => ({jquery: window.jQuery, d3: window.d3})[name]));
window.jQuery = target => {
  const made = typeof target === "string" && target.trim()[0] === "<";
  const nodes = typeof target !== "string" ? [target] : made ? [document.createElement(target.match(/\w+/)[0])] : [...document.querySelectorAll(target)];
  const each = action => (nodes.forEach(action), self);
  const self = {
    nodes,
    append: other => each(node => other.nodes.forEach(child => node.appendChild(child))),
    empty: () => each(node => node.replaceChildren()),
    val: value => each(node => { node.value = value; }),
    text: text => each(node => { node.textContent = text; }),
    attr: (name, value) => each(node => node.setAttribute(name, value)),
    on: (event, action) => each(node => node.addEventListener(event, action)),
    change: () => each(node => node.dispatchEvent(new Event("change"))),
  };
  return self;
};
console.log = () => {};  // bertviz reports its d3 version to everyone

// Colours after Okabe and Ito: told apart by colour-blind readers too.
["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6a3d9a", "#7f7f7f", "#8c510a", "#1b1b1b"].forEach((colour, i) => { d3.schemeCategory10[i] = colour; });

addEventListener("DOMContentLoaded", () => {
  const {width, headNames, layerNames, view} = window.course;

  // The frame is as high as its content; a view that is wider than the frame is made smaller.
  const fit = () => {
    const zoom = Math.min(1, document.documentElement.clientWidth / width);
    document.body.style.zoom = zoom;
    document.body.lastElementChild.style.zoom = 1 / zoom;  // the explanation keeps its size
    try { frameElement.style.height = Math.ceil(document.body.getBoundingClientRect().height * (document.body.currentCSSZoom ? 1 : document.body.style.zoom)) + 2 + "px"; } catch { /* shown outside a frame */ }
  };
  new ResizeObserver(fit).observe(document.body);
  addEventListener("resize", fit);
  fit();

  // The menus get labels for screen readers, and the numbers that layers and heads have in the reader's own model.
  const rename = (id, names, label) => {
    const menu = document.getElementById(id);
    if (!menu) return;
    menu.setAttribute("aria-label", label);
    if (view === "neuron" && menu.options.length === 1) {  // nothing to choose
      menu.hidden = true;
      if (menu.previousElementSibling) menu.previousElementSibling.hidden = true;
    }
    if (view === "neuron") [...menu.options].forEach((option, i) => { option.textContent = names[i]; });
  };
  rename("layer", layerNames, "Layer");
  rename("att_head", headNames, "Head");

  // The neuron view opens with its vectors shown, as after a click on a word's plus sign.
  if (view === "neuron") document.querySelector("#collapsed .plus-sign")?.nextElementSibling?.dispatchEvent(new MouseEvent("click"));

  // The head view's colour boxes get numbers, and work by keyboard: Tab, then Space to switch, Enter for this head alone.
  if (view !== "head") return;
  const vis = document.getElementById("vis");
  const label = () => {
    const group = vis.querySelector("svg > g:last-of-type");
    if (!group || group.dataset.labelled) return;
    group.dataset.labelled = "yes";
    const boxes = [...group.querySelectorAll("rect")];
    const tell = () => boxes.forEach((box, i) => box.setAttribute("aria-checked", box.getAttribute("fill") === d3.schemeCategory10[i % 10]));
    boxes.forEach((box, i) => {
      box.setAttribute("tabindex", 0);
      box.setAttribute("role", "checkbox");
      box.setAttribute("aria-label", `head ${headNames[i]}`);
      box.style.cursor = "pointer";
      box.addEventListener("keydown", event => {
        if (event.key !== " " && event.key !== "Enter") return;
        event.preventDefault();
        box.dispatchEvent(new MouseEvent(event.key === " " ? "click" : "dblclick", {bubbles: true}));
      });
      ["click", "dblclick"].forEach(event => box.addEventListener(event, tell));
      const text = document.createElementNS("http://www.w3.org/2000/svg", "text");
      Object.entries({x: i * 20 + 10, y: 14, "text-anchor": "middle", "font-size": 11, fill: "#fff", "pointer-events": "none", "aria-hidden": true, "font-weight": 600, stroke: "#0008", "stroke-width": 2, "paint-order": "stroke"}).forEach(([k, v]) => text.setAttribute(k, v));
      text.textContent = headNames[i];
      group.appendChild(text);
    });
    tell();
  };
  new MutationObserver(label).observe(vis, {childList: true, subtree: true});
  label();
});
