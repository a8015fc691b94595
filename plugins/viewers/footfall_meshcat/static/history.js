"use strict";

/** Frames in the order of their times: those of a recording, or the newest of a run. */
Footfall.History = class {
  /** `room`: largest size, [byte]; beyond it the oldest frames are dropped. */
  constructor(room = Infinity) {
    this.room = room;
    this.clear();
  }

  clear() {
    [this.frames, this.bytes] = [[], 0];
  }

  get start() {
    return this.frames.length ? this.frames[0].time : 0;
  }

  get end() {
    return this.frames.length ? this.frames[this.frames.length - 1].time : 0;
  }

  /** Add a frame; clear the history if time went back or the scene changed. */
  push(frame) {
    const last = this.frames[this.frames.length - 1];
    if (last && (frame.time < last.time || frame.poses.length !== last.poses.length)) this.clear();
    if (last && frame.time === last.time && this.frames.length) this.frames[this.frames.length - 1] = frame;
    else {
      this.frames.push(frame);
      this.bytes += Footfall.History.weight(frame);
    }
    if (this.bytes > this.room) this.forget();
  }

  /** Drop the oldest tenth. */
  forget() {
    const gone = this.frames.splice(0, Math.ceil(this.frames.length / 10));
    for (const frame of gone) this.bytes -= Footfall.History.weight(frame);
  }

  /** The number of the last frame at or before a time. */
  row(time) {
    let low = 0;
    let high = this.frames.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.frames[middle].time <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /**
   * The scene at a time, interpolated between two frames: rotations along the shortest arc, positions
   * along a line; forces, which act over a step, as in the earlier frame.
   */
  at(time) {
    const k = this.row(time);
    const [from, to] = [this.frames[k], this.frames[k + 1]];
    if (!to || time <= from.time) return from;
    const part = (time - from.time) / (to.time - from.time);
    const { slerpFlat } = MeshCat.THREE.Quaternion;
    const between = (a, b) => a + part * (b - a);
    const poses = new Float32Array(from.poses.length);
    for (let at = 0; at < poses.length; at += 7) {
      for (let i = at; i < at + 3; i++) poses[i] = between(from.poses[i], to.poses[i]);
      slerpFlat(poses, at + 3, from.poses, at + 3, to.poses, at + 3, part);
    }
    const com = from.com.map((value, i) => between(value, to.com[i]));
    return { ...from, time, poses, com };
  }

  /** All frames of a recording's arrays. */
  static of({ header, arrays }) {
    const history = new Footfall.History();
    const none = new Float32Array(0);
    const rows = (name, width, k) => (arrays[name] || none).subarray(k * width, (k + 1) * width);
    arrays.time.forEach((time, k) => {
      history.push({
        time,
        wall: NaN,
        poses: rows("poses", 7 * header.links, k),
        com: rows("com", 3, k),
        position: rows("contact_position", 3 * header.contacts, k),
        force: rows("contact_force", 3 * header.contacts, k),
        between: rows("between", Footfall.pair * (header.between || 0), k),
      });
    });
    return history;
  }

  static weight({ poses, position, between, values = [] }) {
    return 4 * (poses.length + 2 * position.length + between.length + values.length) + 400;
  }
};
