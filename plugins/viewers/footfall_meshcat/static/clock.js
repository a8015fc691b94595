"use strict";

/** Simulated time against wall-clock time, over the last second or so. */
Footfall.Clock = class {
  constructor() {
    this.notes = [];
  }

  /** Record that `time` was reached at `wall`, both in [s]; a wall of NaN resets the clock. */
  note(time, wall) {
    if (!Number.isFinite(wall)) {
      this.notes = [];
      return;
    }
    const last = this.notes[this.notes.length - 1];
    if (last && (time < last.time || wall < last.wall)) this.notes = []; // a replay started again
    this.notes.push({ time, wall });
    while (this.notes.length > 2 && wall - this.notes[1].wall > 1.0) this.notes.shift();
  }

  /** Simulated seconds per second; null while unknown. */
  get rate() {
    const first = this.notes[0];
    const last = this.notes[this.notes.length - 1];
    return last && last.wall - first.wall > 0.2 ? (last.time - first.time) / (last.wall - first.wall) : null;
  }
};
