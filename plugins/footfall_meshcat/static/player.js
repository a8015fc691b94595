"use strict";

/** Plays a recorded motion (footfall/viewing/html.py) in a viewer. */
Footfall.Player = class {
  constructor(viewer, { header, arrays }) {
    Object.assign(this, { viewer, arrays, links: header.links, contacts: header.contacts });
    this.times = arrays.time;
    this.start = this.times[0];
    this.end = this.times[this.times.length - 1];
    this.time = this.start;
    this.speed = 1;
    this.playing = false;
    this.shown = -1;
    this.part = (id) => document.getElementById(id);
    this.part("player").hidden = false;
    this.listen();
    this.last = performance.now();
    this.tick = this.tick.bind(this);
    this.tick();
  }

  listen() {
    const slider = this.part("slider");
    slider.max = this.end - this.start;
    slider.addEventListener("input", () => this.seek(this.start + Number(slider.value)));
    this.part("play").addEventListener("click", () => this.toggle());
    this.part("speed").addEventListener("change", (event) => (this.speed = Number(event.target.value)));
    const key = (...entry) => Footfall.keys.add("Recording", ...entry);
    key(" ", "play and pause", () => this.toggle());
    key(".", "one frame on", () => this.step(1), { repeat: true });
    key(",", "one frame back", () => this.step(-1), { repeat: true });
  }

  get loop() {
    return this.part("loop").checked;
  }

  toggle() {
    this.play(!this.playing);
  }

  play(on) {
    if (on && this.time >= this.end) this.time = this.start;
    this.playing = on;
    this.part("play").textContent = on ? "❚❚" : "▶";
    this.part("play").setAttribute("aria-label", on ? "pause" : "play");
  }

  seek(time) {
    this.time = Math.min(Math.max(time, this.start), this.end);
  }

  /** Stop, and go so many frames on. */
  step(count) {
    this.play(false);
    const k = Math.min(Math.max(this.shown + count, 0), this.times.length - 1);
    this.seek(this.times[k]);
  }

  tick() {
    requestAnimationFrame(this.tick);
    const now = performance.now();
    if (this.playing) this.advance((this.speed * (now - this.last)) / 1000);
    this.last = now;
    const k = this.row(this.time);
    if (k !== this.shown) this.present(k, now / 1000);
  }

  advance(dt) {
    this.time += dt;
    if (this.time < this.end) return;
    if (this.loop && this.end > this.start) this.time = this.start + ((this.time - this.start) % (this.end - this.start));
    else {
      this.time = this.end;
      this.play(false);
    }
  }

  /** The last frame at or before a time. */
  row(time) {
    let low = 0;
    let high = this.times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  present(k, wall) {
    const rows = (name, width) => this.arrays[name].subarray(k * width, (k + 1) * width);
    this.viewer.show({
      time: this.times[k],
      wall: this.playing ? wall : NaN,
      poses: rows("poses", 7 * this.links),
      com: rows("com", 3),
      position: rows("contact_position", 3 * this.contacts),
      force: rows("contact_force", 3 * this.contacts),
    });
    this.shown = k;
    this.part("slider").value = this.times[k] - this.start;
    this.part("progress").textContent = `${this.times[k].toFixed(2)} / ${this.end.toFixed(2)} s`;
  }
};

/** Build the page from what is embedded in it: elements of compressed, base64-coded data. */
Footfall.openRecording = async function () {
  const embedded = (id) => {
    const text = atob(document.getElementById(id).textContent.trim());
    return Footfall.inflate(Uint8Array.from(text, (letter) => letter.charCodeAt(0)));
  };
  const library = document.createElement("script");
  library.textContent = new TextDecoder().decode(await embedded("library"));
  document.head.append(library);
  const scene = Footfall.unpack(await embedded("scene"));
  const motion = Footfall.unpack(await embedded("motion"));
  const viewer = new Footfall.Viewer(document.getElementById("stage"), scene);
  window.footfall = { viewer, player: new Footfall.Player(viewer, motion) };
  window.footfall.player.play(true);
};
