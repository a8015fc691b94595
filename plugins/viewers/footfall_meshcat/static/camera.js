"use strict";

/**
 * The camera: placed to see the whole scene, then moved along with its target.
 *
 * Following keeps the user's own turn, pan and zoom. Small vertical motion does not move the
 * camera, so the ground stays still below a bouncing body.
 */
Footfall.Camera = class {
  constructor(meshcat, size) {
    const { PerspectiveCamera, Vector3 } = MeshCat.THREE;
    this.meshcat = meshcat;
    this.size = size; // of the scene, [m]
    this.eye = new Vector3(1, -0.8, 0.4).normalize(); // robots face x
    this.choice = null; // a function from a frame to a point, or null
    this.anchor = new Vector3(); // the point that the camera has followed so far
    this.wanted = new Vector3();
    this.still = false; // true while something is dragged: the view must not move below the pointer
    const camera = new PerspectiveCamera(36, 1, 0.01, 100);
    meshcat.controls.dispose();
    meshcat.set_object(["Cameras", "default", "rotated"], camera);
    meshcat.set_camera(camera);
    meshcat.controls.maxPolarAngle = 0.5 * Math.PI; // from below the ground hides nearly everything
    meshcat.set_3d_pane_size();
    const watch = new ResizeObserver(() => {
      this.centre();
      meshcat.set_dirty();
    });
    for (const id of ["stage", "panel", "side", "bar"]) watch.observe(document.getElementById(id));
  }

  /** The point at which the camera looks, in world axes (z up). */
  get target() {
    return this.meshcat.scene.worldToLocal(this.meshcat.controls.target.clone());
  }

  get distance() {
    return this.meshcat.camera.position.distanceTo(this.meshcat.controls.target);
  }

  /**
   * Show the sphere of `radius` [m] around `centre` (world axes) from the default side; from
   * `higher` up if hills could hide it.
   */
  look(centre, radius, higher = 0) {
    const { camera } = this.meshcat;
    const half = (Math.PI / 360) * camera.fov;
    this.fitted = this.fit();
    camera.zoom = 1;
    const narrow = Math.atan(Math.tan(half) * this.fitted);
    const eye = this.eye.clone().setZ(this.eye.z + higher).normalize();
    this.place(centre.clone().addScaledVector(eye, radius / Math.sin(narrow)), centre);
  }

  /** The fraction of the window's height for the scene. */
  fit() {
    const { x, y } = this.free();
    return Math.min(1, y, (window.innerWidth / window.innerHeight) * x);
  }

  /** The free part of the window: fractions { x, y } of its size, and the shift of its centre, [pixels]. */
  free() {
    const [width, height] = [window.innerWidth, window.innerHeight];
    const box = (id) => {
      const part = document.getElementById(id);
      return part && !part.hidden && part.offsetWidth ? part.getBoundingClientRect() : null;
    };
    const edge = { left: 0, right: width, top: 0, bottom: height };
    const [panel, side, bar] = ["panel", "side", "bar"].map(box);
    if (bar) edge.bottom = bar.top;
    if (side && side.width < 0.6 * width) edge.right = side.left;
    else if (side) edge.bottom = side.top;
    const title = panel && panel.height < 0.25 * height; // in a corner
    if (panel && !title && panel.width < 0.6 * width) edge.left = panel.right;
    else if (panel && panel.width >= 0.4 * edge.right) edge.top = panel.bottom;
    const [w, h] = [edge.right - edge.left, edge.bottom - edge.top];
    if (w < 0.25 * width || h < 0.2 * height) return { x: 1, y: 1, shift: [0, 0] }; // almost nothing is free
    const shift = [(edge.left + edge.right - width) / 2, (edge.top + edge.bottom - height) / 2];
    return { x: w / width, y: h / height, shift };
  }

  /** Centre the view in the free part of the window, with the same fit. */
  centre() {
    const { camera } = this.meshcat;
    const [dx, dy] = this.free().shift;
    const [width, height] = [window.innerWidth, window.innerHeight];
    if (this.fitted) camera.zoom = this.fit() / this.fitted;
    camera.setViewOffset(width, height, -dx, -dy, width, height);
  }

  /** Stand at a point and look at another, both in world axes. */
  place(eye, centre) {
    const { camera, controls, scene } = this.meshcat;
    const distance = eye.distanceTo(centre);
    scene.updateMatrixWorld();
    controls.target.copy(scene.localToWorld(centre.clone()));
    camera.position.copy(scene.localToWorld(eye.clone()));
    camera.near = distance / 200;
    camera.far = 200 * distance;
    camera.updateProjectionMatrix();
    controls.update();
  }

  /** Follow `choice(frame)` from now on, as if it had been at `from` so far (null: its current point). */
  follow(choice, frame, from) {
    this.choice = choice;
    if (!choice || !frame) return;
    const point = choice(frame);
    this.anchor.copy(from || point);
    this.wanted.copy(point);
  }

  /** Store a new frame's target. */
  track(frame) {
    if (!this.choice) return;
    const point = this.choice(frame);
    if (Number.isFinite(point.x + point.y + point.z)) this.wanted.copy(point);
  }

  /** Move towards the target; `dt`: wall-clock time since the last call, [s]. */
  update(dt) {
    if (!this.choice || this.still) return false;
    const step = this.wanted.clone().sub(this.anchor);
    step.z = Math.sign(step.z) * Math.max(0, Math.abs(step.z) - 0.25 * this.size);
    if (step.length() < 1e-5 * this.size) return false;
    step.multiplyScalar(1 - Math.exp(-dt / 0.12));
    this.anchor.add(step);
    const { camera, controls, scene } = this.meshcat;
    const turned = step.applyQuaternion(scene.quaternion);
    camera.position.add(turned);
    controls.target.add(turned);
    return true;
  }
};
