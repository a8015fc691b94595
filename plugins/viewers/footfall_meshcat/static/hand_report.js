"use strict";

/** Tells the run where the hand is, and finds how long an answer takes. */
Footfall.HandReport = class {
  constructor(send) {
    this.send = send;
    this.serial = 0;
    this.position = null; // that the run was told last
    this.sent = new Map(); // from a serial to when it went, [ms]
    this.answer = null; // from a move to its effect in a frame, [ms]
    this.moves = new Footfall.Newest(Footfall.HandReport.interval, (wanted) => this.approach(wanted));
  }

  grab(position, mode, { name, local }) {
    const held = mode === "drag" ? { link: name, point: local.toArray() } : {};
    this.tell("grab", { position, mode, ...held });
  }

  move(position) {
    this.moves.give(position);
  }

  /** Say once more where the hand is. */
  repeat() {
    if (this.moves.waiting === null) this.move(this.position);
  }

  release() {
    this.moves.drop();
    this.tell("release", {});
  }

  /**
   * Go on towards a position; a long way in several moves.
   *
   * A page that draws slowly hears of the pointer seldom. To the run a long jump is a fault of the
   * device, and it would let go.
   */
  approach(wanted) {
    const way = wanted.map((part, k) => part - this.position[k]);
    const share = Footfall.HandReport.stride / Math.hypot(...way);
    const near = !(share < 1); // also where there is no way to go
    const position = near ? wanted : this.position.map((part, k) => part + share * way[k]);
    this.tell("move", { position });
    if (!near) this.moves.give(wanted);
  }

  tell(type, content) {
    this.serial += 1;
    this.sent.set(this.serial, performance.now());
    this.position = content.position;
    this.send({ type, serial: this.serial, ...content });
  }

  /** Take note of the newest move that has acted in a frame. */
  note({ serial }) {
    if (this.sent.has(serial)) this.answer = performance.now() - this.sent.get(serial);
    for (const known of this.sent.keys()) if (known <= serial) this.sent.delete(known);
  }
};

/** Least time between moves, [ms]. */
Footfall.HandReport.interval = 1000 / 120;
/** Longest way from one move to the next, [m]. */
Footfall.HandReport.stride = 0.25;
