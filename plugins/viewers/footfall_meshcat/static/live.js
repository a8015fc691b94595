"use strict";

/** A page of a running scene: its end of the socket, and the live controls. */
Footfall.Live = class {
  constructor() {
    this.scene = null; // identity of the shown scene
    this.viewer = null;
    this.received = 0;
    this.state = null; // the newest status
    this.connect();
  }

  connect() {
    const secure = location.protocol === "https:" ? "wss" : "ws";
    this.socket = new WebSocket(`${secure}://${location.host}/socket${location.search}`);
    this.socket.binaryType = "arraybuffer";
    this.socket.onmessage = ({ data }) => {
      if (typeof data === "string") this.hear(JSON.parse(data)).catch(Footfall.explain);
      else this.take(data);
    };
    this.socket.onclose = ({ reason }) => {
      if (this.viewer) Footfall.status(`Disconnected: ${reason || "the run has ended"}.`);
      if (this.state) this.player.status({ ...this.state, ended: true });
      this.hand?.forget();
      setTimeout(() => this.connect(), 1000);
    };
  }

  send(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  async hear(message) {
    if (message.type === "hello") await this.greet(message);
    else if (message.type === "scene") await this.change(message);
    else if (message.type === "status") this.status(message);
  }

  /** The server's first message names the scene; fetch it unless it is there already. */
  async greet({ scene }) {
    if (this.scene && this.scene !== scene) {
      location.reload();
      return;
    }
    if (!this.viewer) {
      const viewer = new Footfall.Viewer(document.getElementById("stage"), await this.payload());
      this.scene = this.wanted = scene;
      this.equip(viewer);
    }
    Footfall.status("");
    this.send({ type: "ready", scene });
  }

  async payload() {
    return Footfall.unpack(await (await fetch(`scene${location.search}`)).arrayBuffer());
  }

  /** Fetch the scene again after an object was added or deleted; of several changes only the last counts. */
  async change({ scene }) {
    const busy = this.wanted !== this.scene;
    this.wanted = scene;
    if (busy) return;
    while (this.scene !== this.wanted) {
      const coming = this.wanted;
      const payload = await this.payload();
      this.hand.forget();
      this.selection.select(null);
      this.viewer.replace(payload);
      this.tree.refresh();
      this.scene = coming;
    }
    this.send({ type: "ready", scene: this.scene });
  }

  /** Build the controls that act on a run. */
  equip(viewer) {
    this.viewer = viewer;
    const pointer = new Footfall.Pointer(viewer);
    this.hand = new Footfall.Hand(viewer, pointer, (message) => this.send(message));
    this.drawing = new Footfall.HandDrawing(viewer, pointer);
    this.player = new Footfall.Player(viewer, new Footfall.History(Footfall.Live.room), this);
    this.toolbar = new Footfall.Toolbar(this);
    this.notice = new Footfall.Notice();
    this.tunables = new Footfall.Tunables(this);
    this.watched = new Footfall.WatchedSignals(this, this.player);
    this.signals = new Footfall.Signals(this.player, this.watched);
    viewer.readings = (name, frame) => this.watched.row(name, frame);
    viewer.wish = (names) => this.watched.wish(names);
    if (!this.signals.remembered.length) this.signals.remembered.push(Footfall.WatchedSignals.hand);
    this.objects = new Footfall.Objects(this, viewer, pointer);
    this.selection = new Footfall.Selection(this.player, this.signals);
    this.tree = new Footfall.Tree(this.selection);
    const choice = () => this.selection.link ?? viewer.header.tracks[0]?.[1];
    Footfall.keys.add("Hand", "G", "hold the selected link, or let go", () => this.hand.seize(choice()));
    Footfall.keys.note("Hand", "Arrows", "move the link held with G; with Shift: away from you and towards you");
    Footfall.keys.first = (event) => this.hand.key(event);
    viewer.watchers.push((frame) => this.present(frame));
    viewer.before.push(() => this.drawing.place());
  }

  /** Show the run's status; a recording has none. */
  status(news) {
    this.told = { ...this.told, ...news }; // news leaves out unchanged parts
    if (!this.viewer?.panel) return; // shown with the first frame
    if (!this.state) this.settle();
    const status = (this.state = this.told);
    this.hand.told(status.holder);
    this.hand.tip.status(status);
    this.viewer.panel?.told(status);
    this.player.status(status);
    this.viewer.contacts?.status(status);
    this.notice.status(status);
    this.tunables.status(status);
    if (this.watched.status(status)) this.signals.refresh();
    this.viewer.refreshRays();
    this.objects.status(status, this.hand.selected);
    this.toolbar.held(this.hand, this.drawing.force, this.state.hand);
  }

  /** Show the controls of a run that users can act on. */
  settle() {
    this.hand.live = true;
    Footfall.fold(window.innerWidth >= 900);
  }

  take(data) {
    const frame = this.viewer && Footfall.readFrame(data, this.viewer.header);
    if (frame) {
      // Uses every frame, also one that comes too early to be drawn.
      this.hand.report.note(frame);
      this.player.take(frame);
    }
    this.received += 1;
    this.send({ type: "shown" });
  }

  present(frame) {
    if (!this.state && this.told) this.status({});
    this.drawing.set(frame);
    this.hand.away = !this.player.following;
    this.hand.see();
    if (this.state) this.toolbar.held(this.hand, this.drawing.force, this.state.hand);
  }
};

/** Size of the history of a run's frames, [byte]. */
Footfall.Live.room = 64e6;
