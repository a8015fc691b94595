"use strict";

/** Passes on the newest value, at once or as soon as `interval` [ms] has passed. */
Footfall.Newest = class {
  constructor(interval, pass) {
    Object.assign(this, { interval, pass, last: -Infinity, waiting: null, timer: 0 });
  }

  give(value) {
    this.waiting = value;
    const wait = this.last + this.interval - performance.now();
    if (wait <= 0) this.flush();
    else if (!this.timer) this.timer = setTimeout(() => this.flush(), wait);
  }

  flush() {
    clearTimeout(this.timer);
    this.timer = 0;
    if (this.waiting === null) return;
    const value = this.waiting;
    this.waiting = null;
    this.last = performance.now();
    this.pass(value); // may call give again
  }

  /** Drop a value that still waits. */
  drop() {
    clearTimeout(this.timer);
    [this.timer, this.waiting] = [0, null];
  }
};
