"use strict";

/** Sends the hand's position to the run, and measures the time until its effect. */
Footfall.HandReport = class {
  constructor(send) {
    this.send = send;
    this.serial = 0;
    this.position = null; // the last one sent to the run
    this.sent = new Map(); // from a serial to its sending time, [ms]
    this.answer = null; // time from a move to its effect in a frame, [ms]
    this.moves = new Footfall.Newest(Footfall.HandReport.interval, (wanted) => this.approach(wanted));
  }

  grab(position, mode, { name, local }) {
    const held = mode === "drag" ? { link: name, point: local.toArray() } : {};
    this.tell("grab", { position, mode, ...held });
  }

  move(position) {
    this.moves.give(position);
  }

  /** Send the hand's position again. */
  repeat() {
    if (this.moves.waiting === null) this.move(this.position);
  }

  release() {
    this.moves.drop();
    this.tell("release", {});
  }

  /**
   * Move towards a position; a long way in several moves.
   *
   * A slow page gets few pointer events. The run takes a long jump as a fault of the device and
   * would let go.
   */
  approach(wanted) {
    const way = wanted.map((part, k) => part - this.position[k]);
    const share = Footfall.HandReport.stride / Math.hypot(...way);
    const near = !(share < 1); // also if the distance is 0
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

  /** Record the newest move that has acted in a frame. */
  note({ serial }) {
    if (this.sent.has(serial)) this.answer = performance.now() - this.sent.get(serial);
    for (const known of this.sent.keys()) if (known <= serial) this.sent.delete(known);
  }
};

/** Shortest time between moves, [ms]. */
Footfall.HandReport.interval = 1000 / 120;
/** Longest way from one move to the next, [m]. */
Footfall.HandReport.stride = 0.25;
