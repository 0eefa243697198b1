// Draws parts of the page from descriptions. Elements that fit are kept, with their focus and their state.

const ATTRIBUTES = Symbol("attributes");
const PROPERTIES = new Set(["checked", "disabled", "hidden", "open", "selected", "value"]);

/**
 * Describes an element. Strings and numbers become text nodes, never markup.
 *
 * Attributes: `key` identifies an element among its siblings, `on...` are listeners, `style` is an object of CSS
 * properties, `ref` is called with the element once it is made.
 */
export function h(tag, attributes, ...children) {
  return { tag, attributes: attributes ?? {}, children: shown(children) };
}

/** Makes the children of an element match descriptions. */
export function render(parent, ...children) {
  const focused = document.activeElement;
  reconcile(parent, shown(children));
  if (focused !== document.activeElement && parent.contains(focused)) {
    focused.focus({ preventScroll: true }); // it has been moved
  }
}

function shown(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
}

function reconcile(parent, descriptions) {
  const keyed = new Map();
  for (const node of parent.childNodes) {
    const key = node[ATTRIBUTES]?.key;
    if (key !== undefined) keyed.set(key, node);
  }
  let place = parent.firstChild;
  for (const description of descriptions) {
    const node = reusable(description, place, keyed) ?? created(description);
    if (node === place) place = place.nextSibling;
    else parent.insertBefore(node, place);
    update(node, description);
  }
  while (place !== null) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
}

function reusable(description, place, keyed) {
  const key = description.attributes?.key;
  const node = key === undefined ? place : keyed.get(key);
  if (!node || node[ATTRIBUTES]?.key !== key) return null;
  const tag = node.nodeType === Node.TEXT_NODE ? undefined : node.localName;
  return tag === description.tag ? node : null;
}

function created(description) {
  if (description.tag === undefined) return document.createTextNode("");
  const element = document.createElement(description.tag);
  element[ATTRIBUTES] = {};
  description.attributes.ref?.(element);
  return element;
}

function update(node, description) {
  if (description.tag === undefined) {
    const text = String(description);
    if (node.data !== text) node.data = text;
    return;
  }
  const before = node[ATTRIBUTES];
  const after = description.attributes;
  for (const name of Object.keys(before)) if (!(name in after)) setAttribute(node, name, null, before[name]);
  reconcile(node, description.children); // first: the value of a <select> needs its options
  for (const [name, value] of Object.entries(after)) setAttribute(node, name, value, before[name]);
  node[ATTRIBUTES] = after;
}

function setAttribute(node, name, value, before) {
  if (name === "key" || name === "ref") return;
  if (name === "style") setStyle(node, value ?? {}, before ?? {});
  else if (name.startsWith("on")) node[name] = value ? (event) => { value(event); } : null; // false as an answer would drop keys
  else if (PROPERTIES.has(name) && name in node) {
    if (node[name] !== (value ?? false)) node[name] = value ?? false;
  } else if (value === before) return;
  else if (value === null || value === undefined || value === false) node.removeAttribute(name);
  else node.setAttribute(name, value === true ? "" : value);
}

function setStyle(node, after, before) {
  for (const name of Object.keys(before)) if (!(name in after)) node.style.removeProperty(name);
  for (const [name, value] of Object.entries(after)) {
    if (before[name] !== value) node.style.setProperty(name, value);
  }
}
