"use strict";

/**
 * A simulator in the page: the step as WebAssembly, with memories of one scene under several laws.
 *
 * Addresses are bytes; all of them are multiples of 8.
 */
Footfall.Machine = class {
  /** `header`, `step` and `memory`: see footfall_meshcat/playground/page.py. */
  static async open(header, step, memory) {
    const pages = Math.ceil(header.end / 65536) + 1;
    const room = new WebAssembly.Memory({ initial: BigInt(pages), maximum: BigInt(pages), address: "i64" });
    const env = { ...Footfall.Machine.library(), memory: room };
    const { instance } = await WebAssembly.instantiate(step, { env });
    return new Footfall.Machine(header, instance, room, new Uint8Array(memory));
  }

  /** The functions of the C library that kernels call. */
  static library() {
    const found = { exp2: (x) => 2 ** x, fmod: (x, y) => x % y };
    for (const name of Object.getOwnPropertyNames(Math)) if (typeof Math[name] === "function") found[name] = Math[name];
    return found;
  }

  constructor(header, instance, room, memory) {
    Object.assign(this, { header, memory });
    this.bytes = new Uint8Array(room.buffer);
    this.words = new BigInt64Array(room.buffer);
    this.floats = new Float64Array(room.buffer);
    this.table = instance.exports.__indirect_function_table;
    this.functions = Number(instance.exports.functions.value) / 8;
    this.pulled = null; // { link, point, target }: a point of a link, and where the hand is
    this.answer = null; // what the hand did in the last step
    this.tuned = new Map(); // values by path
    this.use(0);
  }

  /** Go on under another law: positions, velocities, time and settings stay. */
  use(number) {
    const before = this.variant && { q: [...this.q], v: [...this.v], tick: this.tick };
    this.variant = this.header.variants[number];
    this.number = number;
    const { function: place, frame } = this.variant;
    const made = this.table.get(this.words[this.functions + place]);
    this.make = () => made(BigInt(frame));
    this.reset();
    if (before) {
      this.q.set(before.q);
      this.v.set(before.v);
      this.floats[this.variant.at.tick / 8] = before.tick;
    }
  }

  /** Return to the start; settings stay. */
  reset() {
    const { base, size, offset, calls } = this.variant;
    this.bytes.set(this.memory.subarray(offset, offset + size), base);
    for (const [at, place] of calls) this.words[at / 8] = place < 0 ? 0n : this.words[this.functions + place];
    for (const [path, value] of this.tuned) this.write(path, value);
  }

  numbers(name, count) {
    const start = this.variant.at[name] / 8;
    return this.floats.subarray(start, start + count);
  }

  get q() {
    return this.numbers("q", this.variant.nq);
  }

  get v() {
    return this.numbers("v", this.variant.nv);
  }

  get tick() {
    return this.floats[this.variant.at.tick / 8];
  }

  get time() {
    return this.tick * this.variant.step;
  }

  /** Give a setting a value, from the next step on. */
  tune(path, value) {
    this.tuned.set(path, value);
    this.write(path, value);
  }

  write(path, value) {
    const found = this.variant.tunables.find((one) => one.path === path);
    for (const [at, a, b, c] of found ? found.words : []) this.floats[at / 8] = (a * value + b) / (c * value + 1);
  }

  /** Make steps; returns false if they ended early. */
  run(count) {
    const { at } = this.variant;
    this.words[at.source / 8] = 1n;
    for (let left = count; left > 0; ) {
      const some = this.pulled ? 1 : left;
      if (this.pulled) this.pull();
      this.words[at.count / 8] = BigInt(some);
      if (this.make() !== 0) return false;
      left -= some;
    }
    return true;
  }

  /** Position of a point of a link, from the last evaluation. */
  place(link, point) {
    const pose = this.numbers("pose", 12 * (link + 1)).subarray(12 * link);
    return [0, 1, 2].map((k) => pose[k] * point[0] + pose[3 + k] * point[1] + pose[6 + k] * point[2] + pose[9 + k]);
  }

  /** Over the next step, act on the held point x: F = m (w^2 (target - x) - 2 zeta w dx/dt). */
  pull() {
    const { link, point, target } = this.pulled;
    const { at, step, masses, trees } = this.variant;
    const here = this.place(link, point);
    const last = this.answer?.link === link ? this.answer.here : here;
    const whole = masses.reduce((sum, mass, k) => sum + (trees[k] === trees[link] ? mass : 0), 0);
    const mass = masses[link] + Footfall.Machine.share * (whole - masses[link]);
    const rate = 2 * Math.PI * Footfall.Machine.frequency;
    const brake = 2 * Footfall.Machine.zeta * rate;
    const force = here.map((x, k) => mass * (rate ** 2 * (target[k] - x) - (brake * (x - last[k])) / step));
    this.words[at.push_link / 8] = BigInt(link);
    this.words[at.push_frame / 8] = 0n;
    this.floats.set(point, at.push_point / 8);
    this.floats.set([...force, 0, 0, 0], at.push_wrench / 8);
    this.words[at.push_count / 8 + 1] = 1n;
    this.answer = { link, here, force, target, mass };
  }

  /** Poses of links, 7 numbers each: those at the start of the last step. */
  poses(count) {
    const { links } = this.variant;
    const pose = this.numbers("pose", 12 * links);
    const found = new Float32Array(7 * count);
    for (let i = 0; i < count; i += 1) {
      if (i < links) found.set(Footfall.Machine.pose(pose, 12 * i), 7 * i);
      else found[7 * i + 6] = 1;
    }
    return found;
  }

  /** Position and quaternion x, y, z, w of a rotation in columns, then a position. */
  static pose(m, at) {
    const r = (row, column) => m[at + 3 * column + row];
    const [x, y, z] = [r(0, 0), r(1, 1), r(2, 2)];
    const size = (s) => Math.sqrt(Math.max(0, 1 + s)) / 2;
    const q = [size(x - y - z), size(y - x - z), size(z - x - y), size(x + y + z)];
    const large = q.indexOf(Math.max(...q));
    const d = 4 * q[large];
    const off = (a, b, sign) => (r(a, b) + sign * r(b, a)) / d;
    if (large === 3) [q[0], q[1], q[2]] = [off(2, 1, -1), off(0, 2, -1), off(1, 0, -1)];
    else if (large === 0) [q[1], q[2], q[3]] = [off(1, 0, 1), off(0, 2, 1), off(2, 1, -1)];
    else if (large === 1) [q[0], q[2], q[3]] = [off(1, 0, 1), off(2, 1, 1), off(0, 2, -1)];
    else [q[0], q[1], q[3]] = [off(0, 2, 1), off(2, 1, 1), off(1, 0, -1)];
    return [m[at + 9], m[at + 10], m[at + 11], ...q];
  }

  /** The contacts of the last step: those of declared points, then the strongest between bodies. */
  contacts(room) {
    const { points, at, trees } = this.variant;
    const [position, force] = ["position", "force"].map((name) => [...this.numbers(name, 3 * points)]);
    const between = [];
    const count = at.found === undefined ? 0 : Number(this.words[at.found / 8]);
    const three = (name, k) => [...this.numbers(name, 3 * (k + 1)).subarray(3 * k)];
    const found = [...Array(count).keys()].map((k) => [k, Math.hypot(...three("found_force", k))]);
    found.sort((a, b) => b[1] - a[1]);
    for (const [k] of found.slice(0, room - points)) {
      position.push(...three("found_position", k));
      force.push(...three("found_force", k));
      const bodies = [0, 1].map((side) => Number(this.words[at.found_link / 8 + 2 * k + side]));
      const [friction, status] = [this.floats[at.found_friction / 8 + k], Number(this.words[at.found_status / 8 + k])];
      between.push(...three("found_normal", k), friction, status, ...bodies.map((link) => (link < 0 ? -1 : trees[link])));
    }
    return { count: position.length / 3, position, force, between };
  }

  /** The columns of a signal in the row; `NAME[*]` has several, and one that the law lacks has none. */
  columns(name) {
    const { variant } = this;
    const named = (one, k) => Footfall.entries([one]).map((entry, j) => [entry.name, variant.columns[k] + j]);
    variant.places ??= variant.signals.flatMap(named);
    const fits = name.endsWith("[*]") ? (one) => one.startsWith(name.slice(0, -2)) : (one) => one === name;
    return variant.places.filter(([one]) => fits(one)).map(([, column]) => column);
  }

  /** A frame as the viewer's server sends it (docs/reference/viewer-messages.md). */
  frame({ links, contacts }, { serial, watched, watch }) {
    const { com, width } = this.variant;
    const row = this.numbers("row", width);
    const values = watched.flatMap((name) => {
      const found = this.columns(name).map((column) => row[column]);
      return found.length ? found : [NaN];
    });
    const seen = this.contacts(contacts);
    const hand = this.pulled && this.answer ? [...this.answer.target, ...this.answer.here, ...this.answer.force, 0, 0, 0] : Array(12).fill(NaN);
    const parts = [...this.poses(links), ...row.subarray(com, com + 3), seen.count, ...seen.position, ...seen.force, ...seen.between, ...hand, ...values];
    const data = new ArrayBuffer(32 + 4 * parts.length);
    new Float64Array(data, 0, 4).set([row[0], performance.now() / 1000, serial, watch]);
    new Float32Array(data, 32).set(parts);
    return data;
  }
};

/** Natural frequency of the hand's spring, [Hz], its damping ratio, and the share of the body's other links in m. */
Footfall.Machine.frequency = 1.5;
Footfall.Machine.zeta = 0.7;
Footfall.Machine.share = 0.1;
