"use strict";

/**
 * The camera: placed to see the whole scene, then moved along with what it follows.
 *
 * Following keeps the user's own turn, pan and zoom. Small vertical motion does not move the
 * camera, so that the ground stays still below something that bounces.
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
    this.still = false; // while something is dragged: the pointer must not move what it points by
    const camera = new PerspectiveCamera(36, 1, 0.01, 100);
    meshcat.controls.dispose();
    meshcat.set_object(["Cameras", "default", "rotated"], camera);
    meshcat.set_camera(camera);
    meshcat.controls.maxPolarAngle = 0.5 * Math.PI; // from below the ground hides nearly everything
    meshcat.set_3d_pane_size();
  }

  /** Where the camera looks, in world axes (z up). */
  get target() {
    return this.meshcat.scene.worldToLocal(this.meshcat.controls.target.clone());
  }

  get distance() {
    return this.meshcat.camera.position.distanceTo(this.meshcat.controls.target);
  }

  /** Show the sphere of `radius` [m] around `centre` (world axes) from the default side. */
  look(centre, radius) {
    const { camera, controls, scene } = this.meshcat;
    const half = (Math.PI / 360) * camera.fov;
    const narrow = Math.min(half, Math.atan(Math.tan(half) * camera.aspect));
    const distance = radius / Math.sin(narrow);
    scene.updateMatrixWorld();
    controls.target.copy(scene.localToWorld(centre.clone()));
    const eye = centre.clone().addScaledVector(this.eye, distance);
    camera.position.copy(scene.localToWorld(eye));
    camera.near = distance / 200;
    camera.far = 200 * distance;
    controls.update();
  }

  /** Follow `choice(frame)` from now on, as if it had been at `from` so far (null: where it is). */
  follow(choice, frame, from) {
    this.choice = choice;
    if (!choice || !frame) return;
    const point = choice(frame);
    this.anchor.copy(from || point);
    this.wanted.copy(point);
  }

  /** Take note of a new frame. */
  track(frame) {
    if (!this.choice) return;
    const point = this.choice(frame);
    if (Number.isFinite(point.x + point.y + point.z)) this.wanted.copy(point);
  }

  /** Move towards what is followed; `dt`: wall-clock time since the last call, [s]. */
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
