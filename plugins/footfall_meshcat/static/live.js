"use strict";

/** The page's end of the socket (footfall_meshcat/messages.py); comes back when the run restarts. */
Footfall.Live = class {
  constructor() {
    this.scene = null; // identity of the scene that is shown
    this.viewer = null;
    this.received = 0;
    this.connect();
  }

  connect() {
    this.socket = new WebSocket(`ws://${location.host}/socket`);
    this.socket.binaryType = "arraybuffer";
    this.socket.onmessage = (message) => {
      if (typeof message.data === "string") this.hear(JSON.parse(message.data));
      else this.take(message.data);
    };
    this.socket.onclose = () => {
      if (this.viewer) Footfall.status("Disconnected: the run has ended.");
      setTimeout(() => this.connect(), 1000);
    };
  }

  send(message) {
    this.socket.send(JSON.stringify(message));
  }

  hear(message) {
    if (message.type === "hello" || message.type === "scene") this.greet(message).catch(Footfall.explain);
  }

  /** The server's first message names the scene; fetch it unless it is there already. */
  async greet({ scene }) {
    if (this.scene && this.scene !== scene) {
      location.reload();
      return;
    }
    if (!this.viewer) {
      const payload = Footfall.unpack(await (await fetch("scene")).arrayBuffer());
      this.viewer = new Footfall.Viewer(document.getElementById("stage"), payload);
      this.scene = scene;
    }
    Footfall.status("");
    this.send({ type: "ready", scene });
  }

  /** A frame: four numbers as float64, then float32 values (FramePacker in messages.py). */
  take(data) {
    const { links, contacts } = this.viewer.header;
    const [time, wall] = new Float64Array(data, 0, 4);
    const values = new Float32Array(data, 32);
    let start = 0;
    const next = (count) => values.subarray(start, (start += count));
    const poses = next(7 * links);
    const com = next(3);
    const position = next(3 * contacts);
    this.viewer.show({ time, wall, poses, com, position, force: next(3 * contacts) });
    this.received += 1;
    this.send({ type: "shown" });
  }
};

window.footfall = new Footfall.Live();
