// Which part of the floor is shown, and how large: metres with y up become pixels with y down.

const MARGIN_PX = 24;
const LEAST_PX_PER_M = 5;
const MOST_PX_PER_M = 4000;

export class Camera {
  constructor() {
    this.scale = 100; // pixels per metre
    this.x = 0; // what is in the middle, in metres
    this.y = 0;
    this.width = 1; // of the canvas, in pixels
    this.height = 1;
    this.isFitted = true; // until the user moves it
    this._bounds = [0, 0, 1, 1];
  }

  resize(width, height) {
    this.width = width;
    this.height = height;
    if (this.isFitted) this.fit();
  }

  /** Sets what `fit` shows: [x_min, y_min, x_max, y_max]. */
  setBounds(bounds) {
    this._bounds = bounds;
    if (this.isFitted) this.fit();
  }

  /** Shows everything. */
  fit() {
    const [left, bottom, right, top] = this._bounds;
    const across = Math.max(right - left, 0.1);
    const up = Math.max(top - bottom, 0.1);
    this.scale = limited(Math.min((this.width - 2 * MARGIN_PX) / across, (this.height - 2 * MARGIN_PX) / up));
    this.x = 0.5 * (left + right);
    this.y = 0.5 * (bottom + top);
    this.isFitted = true;
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
