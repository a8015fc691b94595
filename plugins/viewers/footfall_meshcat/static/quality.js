"use strict";

/**
 * How much drawing may cost: "high" with shadows and smooth edges at the screen's own resolution,
 * "low" without them; "auto" begins high and goes low where pictures take too long.
 */
Footfall.Quality = class {
  constructor(viewer) {
    this.viewer = viewer;
    this.low = false;
    this.times = []; // between pictures that followed each other, [ms]
    this.last = NaN;
    this.chosen = Footfall.Quality.remembered();
    if (this.chosen === "low") this.reduce(true);
  }

  /** Be high, low or auto from now on. */
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

  /** Take note of a turn of the page at `now` [ms], in which it has `drawn` a picture or not. */
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

  /** Draw at little cost, or well. */
  reduce(low) {
    if (low === this.low) return;
    this.low = low;
    const { look, panel } = this.viewer;
    look.shadow.visible = !low;
    this.renew();
    panel?.refresh();
    if (this.viewer.frame) this.viewer.draw(); // at once: a new canvas is empty
  }

  /** Another renderer: whether it smooths edges is said when it is made. */
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

  /** What was chosen last; auto at first. */
  static remembered() {
    try {
      return localStorage.getItem("footfall quality") || "auto";
    } catch {
      return "auto";
    }
  }
};

/** Time between pictures beyond which they take too long, [ms]. */
Footfall.Quality.slow = 45;
/** A longer time is that of a page that nobody saw, [ms]. */
Footfall.Quality.away = 3000;
/** Pictures that are looked at together. */
Footfall.Quality.count = 9;
