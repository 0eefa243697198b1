// What layers of the map share: colours of the theme, and marks that keep their size on the screen.

const NAMES = [
  "ground", "ink", "quiet", "track", "paper", "object-face", "object-edge", "fixture-face", "fixture-edge",
  "charger-face", "charger-edge", "tone-idle", "tone-busy", "tone-stopped", "tone-warning", "tone-error", "tone-lost",
];

/** Colours of the theme, by the names of palette.css. */
export function themeColours() {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

/** Draws a line through points on the screen. */
export function strokeLine(context, points) {
  context.beginPath();
  points.forEach(([px, py], index) => (index === 0 ? context.moveTo(px, py) : context.lineTo(px, py)));
  context.stroke();
}

const WIDTHS = 1000; // that are remembered
const widths = new Map(); // of texts, in pixels, by font and text

/** How wide a text is; measuring it takes longer than drawing it. */
export function textWidth(context, text) {
  const key = `${context.font} ${text}`;
  if (!widths.has(key)) {
    if (widths.size >= WIDTHS) widths.clear();
    widths.set(key, context.measureText(text).width);
  }
  return widths.get(key);
}

/** The first of several places, by their middles, at which a box of a size covers none of those taken, to which it is added; or null. */
export function freePlace(places, [width, height], taken) {
  const place = places.find(([px, py]) => !taken.some((box) => Math.abs(box.px - px) < 0.5 * (box.width + width) && Math.abs(box.py - py) < 0.5 * (box.height + height)));
  if (place === undefined) return null;
  taken.push({ px: place[0], py: place[1], width, height });
  return place;
}

/** Draws text with an edge in the colour of the ground, so that it can be read above anything. */
export function label(context, colours, text, px, py, colour = colours.ink) {
  context.lineWidth = 3;
  context.lineJoin = "round";
  context.strokeStyle = colours.paper || colours.ground;
  context.strokeText(text, px, py);
  context.fillStyle = colour;
  context.fillText(text, px, py);
}

/** Draws a flag at a place with a heading: where a robot will stand. */
export function goalMark(context, px, py, heading, radius) {
  context.beginPath();
  context.arc(px, py, radius, 0, 2 * Math.PI);
  context.stroke();
  context.beginPath();
  context.arc(px, py, 1.5, 0, 2 * Math.PI);
  context.fill();
  if (heading !== null) {
    strokeLine(context, [
      [px + radius * Math.cos(heading), py - radius * Math.sin(heading)],
      [px + 1.9 * radius * Math.cos(heading), py - 1.9 * radius * Math.sin(heading)],
    ]);
  }
}
