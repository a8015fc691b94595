"use strict";

/**
 * Time in a page: plays, steps and scrubs the history, with the bar at the bottom.
 *
 * For a run, it follows the newest frame, and the buttons control the run, until the user looks
 * back. The run continues meanwhile, and "Live" returns to it.
 */
Footfall.Player = class {
  /** `run`: null, or an object whose `send` takes { type: "play" } and the like. */
  constructor(viewer, history, run = null) {
    Object.assign(this, { viewer, history, run });
    viewer.history = history;
    this.time = history.start;
    this.speed = 1;
    this.playing = false; // whether the history is playing
    this.following = run !== null;
    this.state = null; // status of the run
    this.shown = NaN; // the drawn time
    this.watchers = []; // called when the time or the history has changed
    this.part = (id) => document.getElementById(id);
    this.marks = new Footfall.Marks(this);
    this.part("bar").hidden = run !== null; // until a run sends a status; a run that is only shown does not
    if (!run) this.part("pace").querySelector("[value='0']").remove(); // unlimited speed
    this.listen();
    new ResizeObserver(([{ target }]) => {
      document.body.style.setProperty("--bar", `${target.offsetHeight}px`); // bottom of everything above the bar
    }).observe(this.part("bar"));
    this.last = performance.now();
    this.tick = this.tick.bind(this);
    this.tick();
  }

  listen() {
    const click = (id, act) => this.part(id).addEventListener("click", act);
    click("run", () => this.toggle());
    click("step", () => this.step(1));
    click("back", () => this.step(-1));
    click("restart", () => this.restart());
    click("live", () => this.follow());
    this.part("slider").addEventListener("input", () => this.seek(Number(this.part("slider").value)));
    this.part("pace").addEventListener("change", (event) => this.pace(Number(event.target.value)));
    const key = (...entry) => Footfall.keys.add("Time", ...entry);
    key(" ", "play and pause", () => this.toggle());
    key([".", "ArrowRight"], "one step on", () => this.step(1), { repeat: true });
    key([",", "ArrowLeft"], "one step back", () => this.step(-1), { repeat: true });
    key("Home", "to the beginning", () => this.seek(this.start));
    key("End", this.run ? "to the present: live" : "to the end", () => (this.run ? this.follow() : this.seek(this.end)));
    key("[", "slower", () => this.shift(-1));
    key("]", "faster", () => this.shift(1));
    if (this.run) key("0", "restart", () => this.restart());
    else key("L", "play in a loop", () => this.part("loop").click());
  }

  get start() {
    return this.history.start;
  }

  get end() {
    return this.history.end;
  }

  /** Whether a run is advancing. */
  get alive() {
    return this.run !== null && this.state !== null && !this.state.ended;
  }

  /** Whether the buttons control the run. */
  get steering() {
    return this.following && this.alive;
  }

  toggle() {
    if (this.steering) this.run.send({ type: this.state.playing ? "pause" : "play" });
    else this.play(!this.playing);
  }

  play(on) {
    if (on && this.time >= this.end) this.time = this.start;
    if (on) this.leave();
    this.playing = on && this.end > this.start;
    this.refresh();
  }

  /** Show a past time. */
  seek(time) {
    this.leave();
    this.time = Math.min(Math.max(time, this.start), this.end);
    this.refresh();
  }

  /** Stop, and move by `count` frames; a followed run makes a step. */
  step(count) {
    if (this.steering && count > 0) {
      this.run.send({ type: "step", n: count });
      return;
    }
    const { frames } = this.history;
    if (!frames.length) return;
    const from = this.following ? frames.length - 1 : this.history.row(this.time);
    const between = count < 0 && this.time > frames[from].time ? 1 : 0; // back to the frame itself
    this.playing = false;
    this.seek(frames[Math.min(Math.max(from + count + between, 0), frames.length - 1)].time);
  }

  restart() {
    if (!this.alive) {
      this.seek(this.start);
      return;
    }
    this.run.send({ type: "restart" });
    this.follow();
  }

  /** Leave the present for the history. */
  leave() {
    if (!this.following) return;
    this.following = false;
    this.time = this.end;
  }

  /** Return to the present. */
  follow() {
    [this.following, this.playing] = [this.run !== null, false];
    const { frames } = this.history;
    if (frames.length) this.viewer.show(frames[frames.length - 1]);
    this.refresh();
  }

  pace(speed) {
    if (this.steering) this.run.send({ type: "speed", value: speed });
    else this.speed = speed || 10;
    this.refresh();
  }

  /** Move by `count` places in the list of speeds. */
  shift(count) {
    const { options, selectedIndex } = this.part("pace");
    const k = Math.min(Math.max(selectedIndex + count, 0), options.length - 1);
    this.pace(Number(options[k].value));
  }

  /** Take the status of a run. */
  status(state) {
    this.state = state;
    this.part("bar").hidden = false;
    if (state.problem && state.problem !== this.problem) this.marks.add("message", state.time, state.problem);
    this.problem = state.problem;
    for (const { kind, time, text, end } of state.events || []) this.marks.add(kind, time, text, end ?? Infinity);
    this.refresh();
  }

  /** Take a new frame of a run. */
  take(frame) {
    if (frame.time < this.end) this.marks.clear();
    this.history.push(frame);
    if (this.following) {
      this.time = frame.time;
      this.viewer.show(frame);
    }
    this.moved = true;
  }

  /** The scene at a time as the data URL of an image, see the viewer's `picture`. */
  picture(time, pause, kind) {
    this.seek(time);
    this.shown = this.time;
    return this.viewer.picture({ ...this.history.at(this.time), time: this.time, wall: NaN }, pause, kind);
  }

  tick() {
    requestAnimationFrame(this.tick);
    const now = performance.now();
    if (this.playing) this.advance((this.speed * (now - this.last)) / 1000);
    this.last = now;
    if (!this.following && this.time !== this.shown && this.history.frames.length) {
      const wall = this.playing ? now / 1000 : NaN;
      this.viewer.show({ ...this.history.at(this.time), time: this.time, wall });
      this.moved = true;
    }
    this.shown = this.following ? NaN : this.time;
    if (this.moved) this.draw();
  }

  advance(dt) {
    this.time += dt;
    if (this.time < this.end) return;
    const length = this.end - this.start;
    if (this.alive) this.follow();
    else if (this.part("loop").checked && length > 0) this.time = this.start + ((this.time - this.start) % length);
    else {
      this.time = this.end;
      this.play(false);
    }
  }

  /** Move the slider to the current time. */
  draw() {
    this.moved = false;
    const { start, end } = this;
    const slider = this.part("slider");
    Object.assign(slider, { min: start, max: end });
    slider.value = this.time;
    slider.ariaValueText = `${this.time.toFixed(2)} s`;
    Footfall.write(this.part("progress"), "textContent", `${this.time.toFixed(2)} / ${end.toFixed(2)} s`);
    this.marks.draw(start, end);
    for (const watch of this.watchers) watch();
  }

  /** Update the look of the buttons. */
  refresh() {
    const { steering, run } = this;
    const going = steering ? this.state.playing : this.playing;
    Footfall.write(this.part("run"), "textContent", going ? "❚❚" : "▶");
    Footfall.write(this.part("run"), "ariaLabel", going ? "pause" : "play");
    Footfall.write(this.part("live"), "ariaPressed", `${this.following}`);
    this.part("live").hidden = run === null || this.state?.ended === true;
    this.part("loop").parentElement.hidden = this.alive;
    this.choice(steering ? this.state.speed : this.speed);
    this.moved = true;
  }

  choice(speed) {
    const pace = this.part("pace");
    if (document.activeElement === pace && pace.matches(":open")) return;
    const known = [...pace.options].some((option) => Number(option.value) === speed);
    if (!known) pace.add(new Option(`${speed}`, speed));
    if (Number(pace.value) !== speed) pace.value = speed;
  }
};

/** Marks of events along the timeline: a click goes to the event. */
Footfall.Marks = class {
  constructor(player) {
    this.player = player;
    this.element = document.getElementById("marks");
    this.clear();
  }

  clear() {
    [this.all, this.drawn] = [[], ""];
    this.element.replaceChildren();
  }

  /** `kind`: impact, push, event or message; from `time` to `end` [s]. Extends a mark that exists already. */
  add(kind, time, text, end = time) {
    const known = this.all.findLast((one) => one.kind === kind && one.time === time);
    if (known?.text === text && known.end === end) return;
    if (known) Object.assign(known, { text, end });
    else this.all.push({ kind, time, text, end });
    this.drawn = "";
    this.player.moved = true;
  }

  draw(start, end) {
    const drawn = `${start} ${end}`;
    if (drawn === this.drawn || !this.all.length) return;
    this.drawn = drawn;
    const place = (time) => (100 * Math.min(Math.max(time - start, 0), end - start)) / (end - start || 1);
    const shown = this.all.filter(({ time, end: last }) => last >= start && time <= end);
    const marks = shown.slice(-Footfall.Marks.most).map(({ kind, time, text, end: last }) => {
      const mark = document.createElement("span");
      mark.dataset.kind = kind;
      mark.style.left = `${place(time)}%`;
      mark.style.width = `${place(last) - place(time)}%`;
      mark.title = `${time.toFixed(3)} s: ${text}`;
      mark.addEventListener("click", () => this.player.seek(time));
      return mark;
    });
    this.element.replaceChildren(...marks);
  }
};

/** Largest number of drawn marks (the newest). */
Footfall.Marks.most = 300;

/** Build the page of a recording, from embedded data or from files beside it. */
Footfall.openRecording = async function () {
  const content = async (id) => {
    const embedded = document.getElementById(id);
    if (!embedded) return (await fetch(`${id}${location.search}`)).arrayBuffer();
    const text = atob(embedded.textContent.trim());
    return Footfall.inflate(Uint8Array.from(text, (letter) => letter.charCodeAt(0)));
  };
  if (!window.MeshCat) {
    const library = document.createElement("script");
    library.textContent = new TextDecoder().decode(await content("library"));
    document.head.append(library);
  }
  const viewer = new Footfall.Viewer(document.getElementById("stage"), Footfall.unpack(await content("scene")));
  const motion = Footfall.unpack(await content("motion"));
  const player = new Footfall.Player(viewer, Footfall.History.of(motion));
  const recorded = new Footfall.RecordedSignals(motion);
  viewer.readings = (name, frame) => recorded.row(name, frame);
  const signals = new Footfall.Signals(player, recorded);
  signals.refresh();
  const selection = new Footfall.Selection(player, signals);
  const tree = new Footfall.Tree(selection);
  window.footfall = { viewer, player, signals, selection, tree };
  for (const { kind, time, text, end } of motion.header.marks || []) player.marks.add(kind, time, text, end);
  const { speed = 1, loop = true } = motion.header.play || {};
  player.part("loop").checked = loop;
  player.pace(speed);
  player.play(!matchMedia("(prefers-reduced-motion: reduce)").matches);
};
