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
