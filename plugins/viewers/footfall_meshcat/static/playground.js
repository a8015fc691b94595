"use strict";

/** A page that simulates: the live page, whose run is a `Machine` in the page itself. */
Footfall.Playground = class extends Footfall.Live {
  connect() {
    this.events = [];
    this.run = { playing: !matchMedia("(prefers-reduced-motion: reduce)").matches, speed: 1, segment: 0, serial: 0, watched: [], watch: 0, problem: "" };
    this.open().catch(Footfall.explain);
  }

  static async content(name) {
    const text = atob(document.getElementById(name).textContent.trim());
    return Footfall.inflate(Uint8Array.from(text, (letter) => letter.charCodeAt(0)));
  }

  async payload() {
    return Footfall.unpack(await Footfall.Playground.content("scene"));
  }

  async open() {
    const { content } = Footfall.Playground;
    if (!window.MeshCat) {
      const library = document.createElement("script");
      library.textContent = new TextDecoder().decode(await content("library"));
      document.head.append(library);
    }
    const header = JSON.parse(new TextDecoder().decode(await content("playground")));
    try {
      this.machine = await Footfall.Machine.open(header, await content("wasm"), await content("memory"));
    } catch (reason) {
      throw new Error(`this browser cannot run the page: it needs WebAssembly with 64-bit memory (Chrome 133, Firefox 134 or later; Safari has none): ${reason.message}`);
    }
    await this.greet({ scene: "here" });
    this.choose(header.variants);
    document.getElementById("tunables-section").open = true;
    for (const id of ["objects-section", "touch"]) document.getElementById(id).hidden = true; // they need a server
    this.machine.run(1); // forces and poses of the first frame
    this.machine.reset();
    this.tell();
    this.last = performance.now();
    this.tick = this.tick.bind(this);
    this.tick();
    setInterval(() => this.tell(), 200);
  }

  /** Offer the laws. */
  choose(variants) {
    const menu = document.getElementById("law");
    for (const { law } of variants) menu.add(new Option(law, law));
    menu.addEventListener("change", () => {
      this.machine.use(menu.selectedIndex);
      this.events.push({ kind: "event", time: this.machine.time, text: `contact law ${menu.value}` });
      this.tell();
    });
  }

  tick() {
    requestAnimationFrame(this.tick);
    const now = performance.now();
    const passed = Math.min(now - this.last, 500) / 1000;
    this.last = now;
    if (!this.run.playing) return;
    const { step } = this.machine.variant;
    const wanted = this.run.speed === 0 ? Infinity : Math.max(1, Math.round((this.run.speed * passed) / step));
    this.advance(wanted);
  }

  /** Make steps for a limited time. */
  advance(wanted) {
    const start = performance.now();
    const before = this.machine.tick;
    let left = wanted;
    while (left > 0 && performance.now() - start < Footfall.Playground.budget) {
      const some = Math.min(left, 10);
      if (!this.machine.run(some)) {
        this.fail(`the steps ended at ${this.machine.time.toFixed(3)} s: no finite velocity, or a part that needs Python`);
        break;
      }
      left -= some;
    }
    const made = (this.machine.tick - before) * this.machine.variant.step;
    this.rate = made / Math.max(1e-3, (performance.now() - (this.rated ?? start)) / 1000);
    this.rated = performance.now();
    this.show();
  }

  fail(problem) {
    Object.assign(this.run, { playing: false, problem });
    this.tell();
  }

  show() {
    this.take(this.machine.frame(this.viewer.header, this.run));
  }

  /** What the page says to a server. */
  send(message) {
    const act = this[`on_${message.type}`];
    if (!act) return;
    if (message.serial) this.run.serial = message.serial;
    act.call(this, message);
  }

  on_play() {
    Object.assign(this.run, { playing: true, problem: "" });
    this.tell();
  }

  on_pause() {
    this.run.playing = false;
    this.tell();
  }

  on_step({ n = 1 }) {
    this.run.playing = false;
    this.advance(n);
    this.tell();
  }

  on_speed({ value }) {
    this.run.speed = value;
    this.tell();
  }

  on_restart() {
    this.machine.reset();
    this.run.segment += 1;
    this.machine.run(1);
    this.show();
    this.tell();
  }

  on_tune({ path, value }) {
    this.machine.tune(path, value);
    this.tell();
  }

  on_grab({ link, point, position }) {
    const number = this.viewer.header.link_names.indexOf(link);
    if (number < 0 || number >= this.machine.variant.links) return;
    this.held = link;
    this.machine.answer = null;
    this.machine.pulled = { link: number, point, target: position };
  }

  on_move({ position }) {
    if (this.machine.pulled) this.machine.pulled.target = position;
  }

  on_release() {
    [this.held, this.machine.pulled] = [null, null];
  }

  on_watch({ signals }) {
    Object.assign(this.run, { watched: signals, watch: this.run.watch + 1 });
    this.tell();
  }

  /** Tell the page its status, as a server does. */
  tell() {
    const { machine, run, held } = this;
    const { force = [0, 0, 0], here = null, target = null, mass = null } = (held && machine.answer) || {};
    const hand = { held: held ?? null, mode: "drag", force, moment: [0, 0, 0], size: Math.hypot(...force), position: here, target, mass };
    const tunables = machine.variant.tunables.map((one) => ({ ...one, value: machine.tuned.get(one.path) ?? one.value }));
    const bodies = this.viewer.header.tracks.map(([name]) => ({ name, deletable: false }));
    this.status({
      ...run, rate: this.rate ?? 0, behind: false, time: machine.time, ended: false, events: this.events.slice(-20), bodies, tunables,
      signals: machine.variant.signals, hand, holder: held ? "you" : null,
    });
  }
};

/** Longest time for steps in a picture, [ms]. */
Footfall.Playground.budget = 30;
