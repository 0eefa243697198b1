// Pose frames: decoded, kept for a moment, and read 100 ms behind, between two of them. Nothing is extrapolated.

const HEADER_BYTES = 24;
const ROW_BYTES = 16;
const BEHIND_S = 0.1;
const KEPT = 8; // frames
const TONES = ["idle", "busy", "stopped", "warning", "error", "lost"];
const STILL_M = 5e-4; // smaller changes cannot be seen
const STILL_RAD = 5e-3;
const OLDEST_AGE = 65535;

/** Decodes the frame at an offset of a buffer; rows are {id, level, tone, x, y, heading, age_s}. */
export function decodeFrame(buffer, offset = 0) {
  const view = new DataView(buffer, offset);
  const count = view.getUint16(2, true);
  const trueCount = view.getUint16(16, true);
  return {
    number: view.getUint32(4, true),
    time_s: view.getFloat64(8, true),
    isStopped: (view.getUint16(18, true) & 1) === 1,
    rows: decodeRows(view, HEADER_BYTES, count),
    truths: decodeRows(view, HEADER_BYTES + ROW_BYTES * count, trueCount),
    bytes: HEADER_BYTES + ROW_BYTES * (count + trueCount),
  };
}

/** Decodes frames that lie one after the other. */
export function decodeFrames(buffer) {
  const frames = [];
  for (let offset = 0; offset + HEADER_BYTES <= buffer.byteLength; ) {
    const frame = decodeFrame(buffer, offset);
    frames.push(frame);
    offset += frame.bytes;
  }
  return frames;
}

function decodeRows(view, start, count) {
  const rows = new Map();
  for (let offset = start; offset < start + ROW_BYTES * count; offset += ROW_BYTES) {
    const id = view.getUint16(offset, true);
    const age = view.getUint16(offset + 14, true);
    rows.set(id, {
      id,
      level: view.getUint8(offset + 2),
      tone: TONES[view.getUint8(offset + 3)] ?? "lost",
      x: view.getInt32(offset + 4, true) * 1e-4,
      y: view.getInt32(offset + 8, true) * 1e-4,
      heading: view.getInt16(offset + 12, true) * 1e-4,
      age_s: age === OLDEST_AGE ? Infinity : age * 0.01,
    });
  }
  return rows;
}

/** The poses between two frames; `share` of the way from the first to the second. */
export function between(first, second, share) {
  return { ...second, rows: mixed(first.rows, second.rows, share), truths: mixed(first.truths, second.truths, share) };
}

function mixed(first, second, share) {
  const rows = new Map();
  for (const [id, row] of second) {
    const before = first.get(id);
    rows.set(id, before === undefined ? row : mixedRow(before, row, share));
  }
  return rows;
}

function mixedRow(before, row, share) {
  const turn = Math.atan2(Math.sin(row.heading - before.heading), Math.cos(row.heading - before.heading));
  return {
    ...row,
    x: before.x + share * (row.x - before.x),
    y: before.y + share * (row.y - before.y),
    heading: before.heading + share * turn,
  };
}

/** The latest frames, and the server's time as this page sees it. */
export class FrameBuffer {
  constructor() {
    this._frames = [];
    this._changed_s = -Infinity; // time of the latest frame that differs from the one before
    this._ahead_s = -Infinity; // of the server's time before the page's clock, with the fastest frame so far
    this.received_ms = -Infinity;
  }

  /** Takes a frame that has just arrived. */
  take(frame, now_ms) {
    const last = this._frames.at(-1);
    if (last !== undefined && frame.time_s < last.time_s) this._restart(); // another server
    if (!isSame(this._frames.at(-1), frame)) this._changed_s = frame.time_s;
    this._frames.push(frame);
    if (this._frames.length > KEPT) this._frames.shift();
    this._ahead_s = Math.max(this._ahead_s - 1e-4, frame.time_s - now_ms / 1000);
    this.received_ms = now_ms;
  }

  /** The server's time, in s. */
  time_s(now_ms) {
    return now_ms / 1000 + this._ahead_s;
  }

  /** The latest frame as it arrived, or null. */
  latest() {
    return this._frames.at(-1) ?? null;
  }

  /** The poses to draw now, or null. */
  at(now_ms) {
    const latest = this.latest();
    if (latest === null) return null;
    const shown_s = this.time_s(now_ms) - BEHIND_S;
    const later = this._frames.findIndex((frame) => frame.time_s > shown_s);
    if (later === -1) return latest;
    if (later === 0) return this._frames[0];
    const [first, second] = [this._frames[later - 1], this._frames[later]];
    return between(first, second, (shown_s - first.time_s) / (second.time_s - first.time_s));
  }

  /** Whether poses still change until the latest frame is reached. */
  isMoving(now_ms) {
    return this.time_s(now_ms) - BEHIND_S < this._changed_s;
  }

  _restart() {
    this._frames = [];
    this._ahead_s = this._changed_s = -Infinity;
  }
}

function isSame(before, frame) {
  return before !== undefined && areStill(before.rows, frame.rows) && areStill(before.truths, frame.truths);
}

function areStill(before, rows) {
  return before.size === rows.size && [...rows.values()].every((row) => isStill(before.get(row.id), row));
}

function isStill(was, row) {
  if (was === undefined || was.tone !== row.tone || Math.abs(row.heading - was.heading) > STILL_RAD) return false;
  return Math.abs(row.x - was.x) <= STILL_M && Math.abs(row.y - was.y) <= STILL_M;
}
