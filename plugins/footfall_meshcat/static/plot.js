"use strict";

/** Draws curves over the last seconds into a canvas. */
Footfall.Plot = class {
  constructor(canvas, seconds) {
    Object.assign(this, { canvas, seconds });
    // Drawn without the graphics processor, which the scene keeps busy.
    this.context = canvas.getContext("2d", { willReadFrequently: true });
    this.margin = { right: 8, top: 8, bottom: 20 };
  }

  /** Draw `curves`: each { color, times, values }, up to the time `now` [s]. */
  draw(curves, now) {
    const { canvas, context } = this;
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (!width) return;
    [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    context.scale(ratio, ratio);
    context.font = "11px system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";
    this.start = now - this.seconds;
    this.range = this.rangeOf(curves);
    const { right, top, bottom } = this.margin;
    const h = height - top - bottom;
    const values = Footfall.ticks(...this.range, Math.max(2, Math.floor(h / 30)));
    const left = 8 + Math.max(20, ...values.at.map((value) => context.measureText(values.text(value)).width));
    this.box = { x: left, y: top, w: width - left - right, h };
    this.axes(values, now);
    context.save();
    context.beginPath();
    context.rect(this.box.x, this.box.y, this.box.w, this.box.h);
    context.clip();
    for (const curve of curves) this.curve(curve);
    context.restore();
  }

  /** Lowest and highest value that is seen, with a little room; never the same. */
  rangeOf(curves) {
    let [low, high] = [Infinity, -Infinity];
    for (const { times, values } of curves) {
      for (let k = 0; k < times.length; k++) {
        if (times[k] < this.start || !Number.isFinite(values[k])) continue;
        low = Math.min(low, values[k]);
        high = Math.max(high, values[k]);
      }
    }
    if (low > high) return [0, 1];
    const flat = 0.1 * Math.max(Math.abs(low), Math.abs(high)) || 1; // for what does not change
    const room = high > low ? 0.08 * (high - low) : flat;
    return [low - room, high + room];
  }

  x(time) {
    return this.box.x + ((time - this.start) / this.seconds) * this.box.w;
  }

  y(value) {
    const [low, high] = this.range;
    return this.box.y + (1 - (value - low) / (high - low)) * this.box.h;
  }

  axes(values, now) {
    const { context, box } = this;
    context.fillStyle = "#ffffff";
    context.fillRect(box.x, box.y, box.w, box.h);
    context.lineWidth = 1;
    context.strokeStyle = "#dde4eb";
    context.fillStyle = "#4a5868";
    [context.textAlign, context.textBaseline] = ["right", "middle"];
    for (const value of values.at) {
      this.line(box.x, this.y(value), box.x + box.w, this.y(value));
      context.fillText(values.text(value), box.x - 5, this.y(value));
    }
    [context.textAlign, context.textBaseline] = ["center", "top"];
    const times = Footfall.ticks(this.start, now, Math.max(2, Math.floor(box.w / 45)));
    for (const time of times.at) {
      this.line(this.x(time), box.y, this.x(time), box.y + box.h);
      const text = times.text(time);
      const half = context.measureText(text).width / 2;
      if (time >= 0 && this.x(time) + half < box.x + box.w - 12) context.fillText(text, this.x(time), box.y + box.h + 5);
    }
    context.textAlign = "right";
    context.fillText("s", box.x + box.w, box.y + box.h + 5);
    context.strokeStyle = "#aab6c3";
    context.strokeRect(box.x, box.y, box.w, box.h);
  }

  line(x1, y1, x2, y2) {
    const { context } = this;
    context.beginPath();
    context.moveTo(x1, Math.round(y1) + 0.5);
    context.lineTo(x2, Math.round(y2) + 0.5);
    context.stroke();
  }

  curve({ color, times, values }) {
    const { context } = this;
    context.beginPath();
    let down = false; // whether the pen is
    for (let k = 0; k < times.length; k++) {
      if (Number.isFinite(values[k])) context[down ? "lineTo" : "moveTo"](this.x(times[k]), this.y(values[k]));
      down = Number.isFinite(values[k]);
    }
    [context.strokeStyle, context.lineWidth, context.lineJoin] = [color, 1.6, "round"];
    context.stroke();
  }
};

/** At most `most` round numbers between two, at even distances, and how to write them. */
Footfall.ticks = function (low, high, most) {
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough * (1 - 1e-9));
  const at = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high * (1 + 1e-12) + 1e-300; k++) at.push(k * step);
  const digits = Math.max(0, Math.min(-Math.floor(Math.log10(step) + 1e-9), 12));
  const large = Math.max(Math.abs(low), Math.abs(high)) >= 1e5;
  const tiny = digits > 4;
  return { at, text: (value) => (large || tiny ? value.toExponential(1) : value.toFixed(digits)) };
};
