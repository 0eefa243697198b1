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

const EDGE_PX = 3;
const MOST_STAMPS = 1000; // texts that are kept as pictures
const stamps = new Map();

/** Draws text with an edge in the colour of the ground, so that it can be read above anything. */
export function label(context, colours, text, px, py, colour = colours.ink) {
  stampText(context, text, px, py, colour, colours.paper || colours.ground);
}

/**
 * Draws text as a picture, which is made once: to draw the letters takes most of a picture's time on a phone.
 *
 * The font, and whether `px` is the left end or the middle, are those of the context; `edge` is a colour or "".
 */
export function stampText(context, text, px, py, colour, edge = "") {
  const ratio = context.getTransform().a;
  const key = `${ratio} ${context.font} ${colour} ${edge} ${text}`;
  let stamp = stamps.get(key);
  if (stamp === undefined) {
    if (stamps.size >= MOST_STAMPS) stamps.clear();
    stamp = makeStamp(context.font, text, colour, edge, ratio);
    stamps.set(key, stamp);
  }
  const left = px - (context.textAlign === "center" ? stamp.width / 2 : EDGE_PX);
  const whole = (value) => Math.round(value * ratio) / ratio; // letters are sharp on whole pixels only
  context.drawImage(stamp.canvas, whole(left), whole(py - stamp.height / 2), stamp.width, stamp.height);
}

function makeStamp(font, text, colour, edge, ratio) {
  const canvas = document.createElement("canvas");
  const own = canvas.getContext("2d");
  own.font = font;
  own.textBaseline = "middle";
  const { width, actualBoundingBoxAscent, actualBoundingBoxDescent } = own.measureText(text);
  canvas.width = Math.ceil((width + 2 * EDGE_PX) * ratio);
  canvas.height = Math.ceil(2 * (Math.max(actualBoundingBoxAscent, actualBoundingBoxDescent) + EDGE_PX) * ratio);
  const size = { width: canvas.width / ratio, height: canvas.height / ratio };
  own.setTransform(ratio, 0, 0, ratio, 0, 0); // a new size has reset everything
  own.font = font;
  own.textAlign = "center";
  own.textBaseline = "middle";
  if (edge) {
    own.lineWidth = EDGE_PX;
    own.lineJoin = "round";
    own.strokeStyle = edge;
    own.strokeText(text, size.width / 2, size.height / 2);
  }
  own.fillStyle = colour;
  own.fillText(text, size.width / 2, size.height / 2);
  return { canvas, ...size };
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
