// Small charts of one number over the last minute, drawn in the colours of the theme.

const WIDTH = 260;
const HEIGHT = 44;

/** Draws a series into a canvas; gaps where there is no number. */
export function drawChart(canvas, times_s, values, span_s) {
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  canvas.width = WIDTH * ratio;
  canvas.height = HEIGHT * ratio;
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, WIDTH, HEIGHT);
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return;
  const [low, high] = range(known);
  const last_s = times_s.at(-1);
  const style = getComputedStyle(canvas);
  context.strokeStyle = style.getPropertyValue("--quiet");
  context.lineWidth = 0.5;
  context.strokeRect(0.5, 0.5, WIDTH - 1, HEIGHT - 1);
  context.strokeStyle = style.getPropertyValue("--series-1");
  context.lineWidth = 1.5;
  context.beginPath();
  let isDown = false;
  values.forEach((value, index) => {
    if (value === null) {
      isDown = false;
      return;
    }
    const px = WIDTH * (1 - (last_s - times_s[index]) / span_s);
    const py = HEIGHT - 4 - ((value - low) / (high - low)) * (HEIGHT - 8);
    if (isDown) context.lineTo(px, py);
    else context.moveTo(px, py);
    isDown = true;
  });
  context.stroke();
}

/** The least and the most of a series, as text with a unit. */
export function extremes(values, unit, digits) {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return "no numbers";
  return `${known.at(-1).toFixed(digits)} ${unit} (${Math.min(...known).toFixed(digits)} to ${Math.max(...known).toFixed(digits)})`;
}

function range(known) {
  const [low, high] = [Math.min(...known), Math.max(...known)];
  return high - low > 1e-9 ? [low, high] : [low - 1, high + 1];
}
