"use strict";

/** A page of a running scene: its end of the socket, and what belongs to it. */
Footfall.Live = class {
  constructor() {
    this.scene = null; // identity of the scene that is shown
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
    this.socket.onclose = () => {
      if (this.viewer) Footfall.status("Disconnected: the run has ended.");
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

  /** An object came or went: fetch the scene again; of several changes only the last counts. */
  async change({ scene }) {
    const busy = this.wanted !== this.scene;
    this.wanted = scene;
    if (busy) return;
    while (this.scene !== this.wanted) {
      const coming = this.wanted;
      const payload = await this.payload();
      this.hand.forget();
      this.viewer.replace(payload);
      this.scene = coming;
    }
    this.send({ type: "ready", scene: this.scene });
  }

  /** Make what reaches into a run. */
  equip(viewer) {
    this.viewer = viewer;
    const pointer = new Footfall.Pointer(viewer);
    this.hand = new Footfall.Hand(viewer, pointer, (message) => this.send(message));
    this.drawing = new Footfall.HandDrawing(viewer, pointer);
    this.toolbar = new Footfall.Toolbar(this);
    this.notice = new Footfall.Notice();
    this.tunables = new Footfall.Tunables(this);
    this.signals = new Footfall.Signals(this);
    this.objects = new Footfall.Objects(this, viewer, pointer);
    viewer.watchers.push((frame) => this.present(frame));
    viewer.before.push(() => this.drawing.place());
  }

  /** Show what the run says of itself; a recording that is played says nothing. */
  status(status) {
    if (!this.viewer) return;
    if (!this.state) this.settle();
    this.state = status;
    this.hand.told(status.holder);
    this.hand.tip.status(status);
    this.viewer.panel?.told(status);
    this.toolbar.status(status);
    this.notice.status(status);
    this.tunables.status(status);
    this.signals.status(status);
    this.objects.status(status, this.hand.selected);
    this.toolbar.held(this.hand, this.drawing.force, this.state.hand);
  }

  /** The run can be reached into: make room for what that takes. */
  settle() {
    this.hand.live = true;
    const gui = this.viewer.meshcat.gui;
    document.getElementById("tree-section").append(gui.domElement);
    gui.open();
    this.toolbar.fold(window.innerWidth >= 900);
  }

  take(data) {
    const frame = this.viewer && Footfall.readFrame(data, this.viewer.header);
    if (frame) {
      // Every frame counts here, also one that comes too soon after another to be drawn.
      this.hand.report.note(frame);
      this.signals.take(frame);
      this.viewer.show(frame);
    }
    this.received += 1;
    this.send({ type: "shown" });
  }

  present(frame) {
    this.drawing.set(frame);
    this.hand.see();
    this.signals.redraw();
    if (this.state) this.toolbar.held(this.hand, this.drawing.force, this.state.hand);
  }
};

window.footfall = new Footfall.Live();
