// Small charts of one number over the last minute, drawn in the colours of the theme.

const WIDTH = 300;
const PLOT_WIDTH = 250;
const HEIGHT = 44;

/** Draws a series into a canvas, with gaps where there is no number; `axis` is what is shown at least, so that scales stay. */
export function drawChart(canvas, times_s, values, { span_s, axis, unit }) {
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  canvas.width = WIDTH * ratio;
  canvas.height = HEIGHT * ratio;
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, WIDTH, HEIGHT);
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return;
  const [low, high] = scaleOf(known, axis);
  const height = (value) => HEIGHT - 4 - ((value - low) / (high - low)) * (HEIGHT - 8);
  const style = getComputedStyle(canvas);
  drawFrame(context, style, [low, high], height, unit);
  context.strokeStyle = style.getPropertyValue("--series-1");
  context.lineWidth = 1.5;
  context.beginPath();
  let isDown = false;
  values.forEach((value, index) => {
    if (value === null) {
      isDown = false;
      return;
    }
    const px = PLOT_WIDTH * (1 - (times_s.at(-1) - times_s[index]) / span_s);
    if (isDown) context.lineTo(px, height(value));
    else context.moveTo(px, height(value));
    isDown = true;
  });
  context.stroke();
}

/** The box with its least and most number, and a line at zero. */
function drawFrame(context, style, [low, high], height, unit) {
  context.strokeStyle = context.fillStyle = style.getPropertyValue("--quiet");
  context.lineWidth = 0.5;
  context.strokeRect(0.5, 0.5, PLOT_WIDTH - 1, HEIGHT - 1);
  if (low < 0 && high > 0) {
    context.beginPath();
    context.moveTo(0, height(0));
    context.lineTo(PLOT_WIDTH, height(0));
    context.stroke();
  }
  context.font = "10px system-ui, sans-serif";
  context.textBaseline = "top";
  context.fillText(`${high} ${unit}`, PLOT_WIDTH + 4, 1);
  context.textBaseline = "bottom";
  context.fillText(`${low}`, PLOT_WIDTH + 4, HEIGHT - 1);
}

/** The least and the most of a series, as text with a unit. */
export function extremes(values, unit, digits) {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return "no numbers";
  return `${known.at(-1).toFixed(digits)} ${unit} (${Math.min(...known).toFixed(digits)} to ${Math.max(...known).toFixed(digits)})`;
}

/** An axis, twice as large as often as it must be to show all numbers. */
export function scaleOf(known, [low, high]) {
  let factor = 1;
  while (Math.max(...known) > high * factor || Math.min(...known) < low * factor) factor *= 2;
  return [low * factor, high * factor];
}
