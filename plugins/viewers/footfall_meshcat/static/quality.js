"use strict";

/**
 * Quality of the drawing: "high" with shadows, smooth edges and blur behind panels, at the screen's
 * own resolution, "low" without them; "auto" starts high and changes to low if pictures take too long.
 */
Footfall.Quality = class {
  constructor(viewer) {
    this.viewer = viewer;
    this.low = false;
    this.times = []; // times between successive pictures, [ms]
    this.last = NaN;
    this.chosen = Footfall.Quality.remembered();
    if (this.chosen === "low") this.reduce(true);
  }

  /** Set the quality to high, low or auto. */
  choose(quality, remember = true) {
    this.chosen = quality;
    this.times = [];
    this.reduce(quality === "low");
    if (!remember) return;
    try {
      localStorage.setItem("footfall quality", quality);
    } catch {
      // a browser may forbid it
    }
  }

  /** Record an animation frame at `now` [ms]; `drawn`: whether it drew a picture. */
  note(now, drawn) {
    const took = now - this.last;
    this.last = drawn ? now : NaN;
    if (this.chosen !== "auto" || this.low || !(took < Footfall.Quality.away)) return;
    this.times.push(took);
    if (this.times.length < Footfall.Quality.count) return;
    const middle = this.times.sort((a, b) => a - b)[this.times.length >> 1];
    this.times = [];
    if (middle > Footfall.Quality.slow) this.reduce(true);
  }

  /** Use the low or the high quality. */
  reduce(low) {
    if (low === this.low) return;
    this.low = low;
    const { look, panel } = this.viewer;
    look.shadow.visible = !low;
    document.body.classList.toggle("low", low);
    this.renew();
    panel?.refresh();
    if (this.viewer.frame) this.viewer.draw(); // at once, since a new canvas is empty
  }

  /** Build a new renderer: smooth edges can only be set at its creation. */
  renew() {
    const { meshcat, look } = this.viewer;
    const { PCFSoftShadowMap, WebGLRenderer } = MeshCat.THREE;
    const old = meshcat.renderer;
    const renderer = new WebGLRenderer({ antialias: !this.low, alpha: true });
    renderer.shadowMap.enabled = true;
    renderer.shadowMap.type = PCFSoftShadowMap;
    renderer.outputEncoding = old.outputEncoding;
    renderer.setPixelRatio(this.low ? Math.min(1, window.devicePixelRatio) : window.devicePixelRatio);
    old.domElement.replaceWith(renderer.domElement);
    meshcat.renderer = renderer;
    look.renew();
    old.dispose();
    old.forceContextLoss();
    meshcat.set_3d_pane_size();
    this.viewer.camera?.centre();
  }

  /** The last chosen quality; by default auto. */
  static remembered() {
    try {
      return localStorage.getItem("footfall quality") || "auto";
    } catch {
      return "auto";
    }
  }
};

/** Time between pictures above which they are too slow, [ms]. */
Footfall.Quality.slow = 45;
/** Time between pictures above which the page was hidden, [ms]. */
Footfall.Quality.away = 3000;
/** Number of pictures that are judged together. */
Footfall.Quality.count = 9;
