// Parts of panels that can be folded up.

import { h } from "../core/dom.js";

/** A part of a panel that stays open, or closed, while other tabs are shown. */
export function fold(app, name, summary, ...content) {
  const isOpen = app.settings[name] === true;
  const toggle = (event) => {
    event.preventDefault(); // what is drawn next opens it
    app.set({ [name]: !isOpen });
  };
  return h("details", { key: name, class: name, open: isOpen }, h("summary", { onclick: toggle }, summary), content);
}
