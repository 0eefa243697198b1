// Which part of the floor is shown, and how large: metres with y up become pixels with y down.

const MARGIN_PX = 24; // at most
const MARGIN_SHARE = 0.06; // of the height: a phone in landscape has little of it
const FAR_PX = 1e5;
const LEAST_PX_PER_M = 5;
const MOST_PX_PER_M = 4000;

export class Camera {
  constructor() {
    this.scale = 100; // pixels per metre
    this.x = 0; // what is in the middle, in metres
    this.y = 0;
    this.width = 1; // of the canvas, in pixels
    this.height = 1;
    this.top = 0; // what tools cover above, in pixels
    this.isFitted = true; // until the user moves it
    this._bounds = [0, 0, 1, 1];
  }

  resize(width, height, top = 0) {
    this.width = width;
    this.height = height;
    this.top = top;
    if (this.isFitted) this.fit();
  }

  /** Sets what `fit` shows: [x_min, y_min, x_max, y_max]. */
  setBounds(bounds) {
    this._bounds = bounds;
    if (this.isFitted) this.fit();
  }

  /** Shows everything, below the tools. */
  fit() {
    const [left, bottom, right, top] = this._bounds;
    const across = Math.max(right - left, 0.1);
    const up = Math.max(top - bottom, 0.1);
    const margin = Math.min(MARGIN_PX, MARGIN_SHARE * this.height);
    this.scale = limited(Math.min((this.width - 2 * margin) / across, (this.height - this.top - 2 * margin) / up));
    this.x = 0.5 * (left + right);
    this.y = 0.5 * (bottom + top + this.top / this.scale);
    this.isFitted = true;
  }

  /** What lies beyond the canvas, and below the tools, as boxes that labels leave free. */
  outside() {
    const sides = [[-FAR_PX, 0], [this.width + FAR_PX, 0], [0, this.top - FAR_PX], [0, this.height + FAR_PX]];
    return sides.map(([px, py]) => ({ px, py, width: px === 0 ? 4 * FAR_PX : 2 * FAR_PX, height: px === 0 ? 2 * FAR_PX : 4 * FAR_PX }));
  }

  toScreen(x, y) {
    return [0.5 * this.width + (x - this.x) * this.scale, 0.5 * this.height - (y - this.y) * this.scale];
  }

  toFloor(px, py) {
    return [this.x + (px - 0.5 * this.width) / this.scale, this.y - (py - 0.5 * this.height) / this.scale];
  }

  pan(dx_px, dy_px) {
    this.x -= dx_px / this.scale;
    this.y += dy_px / this.scale;
    this.isFitted = false;
  }

  centre(x, y) {
    this.x = x;
    this.y = y;
    this.isFitted = false;
  }

  /** Zooms by a factor; the place under the pointer stays there. */
  zoom(factor, px = 0.5 * this.width, py = 0.5 * this.height) {
    const [x, y] = this.toFloor(px, py);
    this.scale = limited(this.scale * factor);
    const [movedX, movedY] = this.toScreen(x, y);
    this.pan(px - movedX, py - movedY);
  }

  /** Has a canvas draw in metres with y up, for a device with that many pixels a CSS pixel. */
  apply(context, ratio) {
    const scale = this.scale * ratio;
    const [left, top] = this.toScreen(0, 0);
    context.setTransform(scale, 0, 0, -scale, left * ratio, top * ratio);
  }
}

function limited(scale) {
  return Math.min(Math.max(scale, LEAST_PX_PER_M), MOST_PX_PER_M);
}
