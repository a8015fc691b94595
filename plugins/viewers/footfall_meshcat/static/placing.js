"use strict";

/** A ghost of a new object at the pointer; a click creates the object there. */
Footfall.Placing = class {
  /** `place`: a function that takes the centre [x, y, z] of the wanted object, [m]. */
  constructor(viewer, pointer, place) {
    Object.assign(this, { viewer, pointer, place });
    this.shape = null; // { kind, size }, as in the payload, or null
    this.pressed = null; // start of a click, [pixels]
    const { Color, Mesh, MeshStandardMaterial } = MeshCat.THREE;
    const color = new Color("#1f6feb").convertSRGBToLinear();
    this.ghost = new Mesh(undefined, new MeshStandardMaterial({ color, transparent: true, opacity: 0.45 }));
    this.ghost.visible = false;
    viewer.meshcat.scene_tree.find(["New object"]).object.add(this.ghost);
    const stage = pointer.stage;
    stage.addEventListener("pointermove", () => this.move());
    stage.addEventListener("pointerdown", (event) => (this.pressed = [event.clientX, event.clientY]));
    stage.addEventListener("pointerup", (event) => this.up(event));
  }

  /** Start with a shape { kind, size }, or end with null. */
  set(shape) {
    this.shape = shape;
    if (shape) {
      this.ghost.geometry.dispose();
      // The page does not know the content of a mesh file: a ball stands for it.
      this.ghost.geometry = Footfall.geometry(shape.kind === "mesh" ? { kind: "sphere", size: [this.reach([0, 0, 1])] } : shape);
    }
    this.move();
  }

  /** The extent of the shape from its centre along a unit vector, [m]. */
  reach([x, y, z]) {
    const { kind, size } = this.shape;
    const [a, b, c] = size;
    if (kind === "box") return (Math.abs(x) * a + Math.abs(y) * b + Math.abs(z) * c) / 2;
    if (kind === "cylinder") return a * Math.hypot(x, y) + (b / 2) * Math.abs(z);
    return kind === "sphere" ? a : 0.1 * this.viewer.size;
  }

  /** The centre of an object on the surface at the pointer, world, [m]; null if there is none. */
  centre() {
    const { bodies, terrain, meshcat } = this.viewer;
    const hit = this.pointer.first([...bodies.meshes, terrain.frame]);
    if (!hit) return null;
    const turn = meshcat.scene.quaternion.clone().invert();
    const normal = this.pointer.normal(hit).applyQuaternion(turn).toArray();
    const lift = 1.01 * this.reach(normal);
    return this.pointer.world(hit.point).map((part, k) => part + lift * normal[k]);
  }

  move() {
    const centre = this.shape && this.pointer.inside ? this.centre() : null;
    if (!centre && !this.ghost.visible) return;
    this.ghost.visible = centre !== null;
    if (centre) this.ghost.position.fromArray(centre);
    this.viewer.redraw();
  }

  /** End of a press: a press that did not turn the camera is a click. */
  up({ button, clientX, clientY }) {
    const [x, y] = this.pressed || [Infinity, Infinity];
    this.pressed = null;
    if (!this.shape || button !== 0 || Math.hypot(clientX - x, clientY - y) > 5) return;
    const centre = this.centre();
    if (centre) this.place(centre);
  }
};
