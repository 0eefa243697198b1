// Pose frames: decoded, and poses kept for a moment, read 100 ms behind, between two of them. Nothing is extrapolated.

const HEADER_BYTES = 24;
const ROW_BYTES = 16;
const BEHIND_S = 0.1;
const KEPT = 4; // poses of a robot
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
    rows.set(id, before === undefined ? row : { ...row, ...placeBetween(before, row, share) });
  }
  return rows;
}

function placeBetween(before, row, share) {
  const turn = Math.atan2(Math.sin(row.heading - before.heading), Math.cos(row.heading - before.heading));
  return {
    x: before.x + share * (row.x - before.x),
    y: before.y + share * (row.y - before.y),
    heading: before.heading + share * turn,
  };
}

/** The latest poses of robots, and the server's time as this page sees it. */
export class FrameBuffer {
  constructor() {
    this._latest = null; // frame
    this._rows = new Tracks();
    this._truths = new Tracks();
    this._changed_s = -Infinity; // time of the latest frame that differs from the one before
    this._ahead_s = -Infinity; // of the server's time before the page's clock, with the fastest frame so far
    this.received_ms = -Infinity;
  }

  /** Takes a frame that has just arrived. */
  take(frame, now_ms) {
    if (this._latest !== null && frame.time_s < this._latest.time_s) this._restart(); // another server
    if (!isSame(this._latest, frame)) this._changed_s = frame.time_s;
    this._rows.take(frame.rows, frame.time_s);
    this._truths.take(frame.truths, frame.time_s);
    this._latest = frame;
    this._ahead_s = Math.max(this._ahead_s - 5e-5, frame.time_s - now_ms / 1000);
    this.received_ms = now_ms;
  }

  /** The server's time, in s. */
  time_s(now_ms) {
    return now_ms / 1000 + this._ahead_s;
  }

  /** The latest frame as it arrived, or null. */
  latest() {
    return this._latest;
  }

  /** The poses to draw now, or null. */
  at(now_ms) {
    if (this._latest === null) return null;
    const shown_s = this.time_s(now_ms) - BEHIND_S;
    return { ...this._latest, rows: this._rows.at(shown_s), truths: this._truths.at(shown_s) };
  }

  /** Whether poses still change until the latest frame is reached. */
  isMoving(now_ms) {
    return this.time_s(now_ms) - BEHIND_S < this._changed_s;
  }

  _restart() {
    this._latest = null;
    this._rows = new Tracks();
    this._truths = new Tracks();
    this._ahead_s = this._changed_s = -Infinity;
  }
}

/** The latest poses of each robot, with the times of the frames that had them first. */
class Tracks {
  constructor() {
    this._poses = new Map(); // by ID: [{time_s, row}, ...], oldest first
  }

  /** Takes the rows of a frame; robots without a row are forgotten. */
  take(rows, time_s) {
    for (const id of this._poses.keys()) if (!rows.has(id)) this._poses.delete(id);
    for (const [id, row] of rows) {
      const poses = this._poses.get(id);
      if (poses === undefined) this._poses.set(id, [{ time_s, row }]);
      else if (isSamePose(poses.at(-1).row, row)) poses.at(-1).row = row;
      else poses.push({ time_s, row });
      if (poses?.length > KEPT) poses.shift();
    }
  }

  /** The rows at a time: each robot is on its way to the first pose that came later, which takes it 100 ms at most. */
  at(shown_s) {
    const rows = new Map();
    for (const [id, poses] of this._poses) rows.set(id, rowAt(poses, shown_s));
    return rows;
  }
}

function rowAt(poses, shown_s) {
  let later = poses.length;
  while (later > 0 && poses[later - 1].time_s > shown_s) later -= 1;
  const latest = poses.at(-1).row;
  if (later === poses.length) return latest;
  if (later === 0) return { ...latest, ...placeBetween(poses[0].row, poses[0].row, 0) };
  const [first, second] = [poses[later - 1], poses[later]];
  const start_s = Math.max(first.time_s, second.time_s - BEHIND_S);
  const share = Math.max(0, (shown_s - start_s) / (second.time_s - start_s));
  return { ...latest, ...placeBetween(first.row, second.row, share) };
}

function isSamePose(one, other) {
  return one.x === other.x && one.y === other.y && one.heading === other.heading;
}

function isSame(before, frame) {
  return before !== null && areStill(before.rows, frame.rows) && areStill(before.truths, frame.truths);
}

function areStill(before, rows) {
  return before.size === rows.size && [...rows.values()].every((row) => isStill(before.get(row.id), row));
}

function isStill(was, row) {
  if (was === undefined || was.tone !== row.tone || Math.abs(row.heading - was.heading) > STILL_RAD) return false;
  return Math.abs(row.x - was.x) <= STILL_M && Math.abs(row.y - was.y) <= STILL_M;
}
