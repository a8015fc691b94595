"use strict";

/** The mouse, pen or finger over the stage: its ray, and the first surface on the ray. */
Footfall.Pointer = class {
  constructor(viewer) {
    this.viewer = viewer;
    this.stage = document.getElementById("stage");
    this.caster = new MeshCat.THREE.Raycaster();
    this.caster.layers.enable(Footfall.Bodies.alike);
    [this.x, this.y] = [0, 0]; // position in the window, [pixels]
    this.inside = false;
    this.stage.addEventListener("pointermove", (event) => this.note(event), { capture: true });
    this.stage.addEventListener("pointerdown", (event) => this.note(event), { capture: true });
    this.stage.addEventListener("pointerleave", () => (this.inside = false));
  }

  note({ clientX, clientY }) {
    [this.x, this.y, this.inside] = [clientX, clientY, true];
  }

  /** Aim the ray through a place in the window, by default the pointer's. */
  aim(x = this.x, y = this.y) {
    const { left, top, width, height } = this.stage.getBoundingClientRect();
    const { camera, scene } = this.viewer.meshcat;
    scene.updateMatrixWorld();
    camera.updateMatrixWorld();
    const at = { x: (2 * (x - left)) / width - 1, y: 1 - (2 * (y - top)) / height };
    this.caster.setFromCamera(at, camera);
    return this.caster.ray;
  }

  /** The nearest surface of `objects` below the pointer: its three.js intersection, or null. */
  first(objects) {
    this.aim();
    return this.caster.intersectObjects(objects, true).find(({ object }) => object.isMesh) || null;
  }

  /**
   * The link below the pointer, if it can be held: { link, name, mesh, point, local }, or null.
   *
   * `link`: its row of the poses; `name`: body/link; `point` in the viewer's own axes, `local` in
   * the link's frame, [m].
   */
  pick() {
    const { bodies, header } = this.viewer;
    const hit = this.first(bodies.meshes);
    const link = hit ? hit.object.userData.link : -1;
    const name = (header.link_names || [])[link];
    if (!hit || !name) return null;
    const local = hit.object.parent.worldToLocal(hit.point.clone());
    return { link, name, mesh: hit.object, point: hit.point, normal: this.normal(hit), local };
  }

  /** The outward normal at a hit, in the viewer's own axes, towards the eye. */
  normal({ face, object }) {
    const normal = face.normal.clone().transformDirection(object.matrixWorld);
    return normal.dot(this.caster.ray.direction) > 0 ? normal.negate() : normal;
  }

  /** A point of the viewer's own axes as x, y, z in the world's (z up). */
  world(point) {
    return this.viewer.meshcat.scene.worldToLocal(point.clone()).toArray();
  }

  /** The place in the window of a world point x, y, z, [pixels]; null behind the camera. */
  project([x, y, z]) {
    const { camera, scene } = this.viewer.meshcat;
    const point = scene.localToWorld(new MeshCat.THREE.Vector3(x, y, z)).project(camera);
    const { left, top, width, height } = this.stage.getBoundingClientRect();
    if (!(Math.abs(point.z) <= 1)) return null;
    return [left + ((1 + point.x) / 2) * width, top + ((1 - point.y) / 2) * height];
  }
};
