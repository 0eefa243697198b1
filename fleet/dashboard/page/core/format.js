// Numbers and texts for people.

const COMMAND_ADVICE = /[;,](?: wait, or)? (?:try|see): thymio-fleet.*$/; // for a terminal: the page has buttons

export function metres(value) {
  return value.toFixed(2);
}

export function place(pose) {
  return `(${metres(pose[0])}, ${metres(pose[1])})`;
}

export function degrees(heading_rad) {
  const whole = Math.round((heading_rad * 180) / Math.PI);
  return `${whole === -180 ? 180 : whole}°`; // one name for one heading
}

export function percent(share) {
  return share === null ? "" : `${Math.round(100 * share)} %`;
}

/** A duration: 8 s, 1:05 min, 2:10 h. */
export function duration(seconds) {
  if (seconds === null || !Number.isFinite(seconds)) return "";
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)}:${two(whole % 60)} min`;
  return `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)} h`;
}

/** The time of day of an instant on the server's clock. */
export function clock(hello, time_s) {
  if (hello === null) return "";
  const date = new Date(1000 * (hello.started_unix_s + time_s));
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

export function plural(count, singular, several = `${singular}s`) {
  return `${count} ${count === 1 ? singular : several}`;
}

/** A text of the server without its advice: commands for a terminal are not for this page. */
export function withoutAdvice(text) {
  return text.replace(COMMAND_ADVICE, "");
}

function two(number) {
  return String(number).padStart(2, "0");
}
