"use strict";

/** Drawing of the hand in frames: the spring, the force on the held link, and its value. */
Footfall.HandDrawing = class {
  constructor(viewer, pointer) {
    Object.assign(this, { viewer, pointer });
    this.tag = document.getElementById("force");
    this.hand = null;
    this.made = false;
  }

  /** Build the drawing; it needs the scene's size, which comes with the first frame. */
  make() {
    const THREE = MeshCat.THREE;
    const { meshcat, size } = this.viewer;
    this.arrow = new Footfall.Arrows(meshcat, 1, this.viewer.arrowStyle("Hand", "#8b2fc9"));
    this.folder = meshcat.scene_tree.find(["Hand"]).object;
    const color = new THREE.Color("#8b2fc9").convertSRGBToLinear();
    const over = { color, depthTest: false, transparent: true };
    this.spring = new THREE.Mesh(this.coil(), new THREE.MeshBasicMaterial({ ...over, opacity: 0.8 }));
    const ball = (radius, material) => new THREE.Mesh(new THREE.SphereGeometry(radius * size, 24, 16), material);
    const white = new THREE.MeshBasicMaterial({ ...over, color: 0xffffff });
    this.target = new THREE.Group();
    this.target.add(ball(0.017, new THREE.MeshBasicMaterial(over)), ball(0.011, white));
    [this.spring, ...this.target.children].forEach((part, k) => (part.renderOrder = 3 + k));
    this.folder.add(this.spring, this.target);
    this.made = true;
  }

  /** A spring of length 1 along z, straight at its ends. */
  coil() {
    const { CatmullRomCurve3, TubeGeometry, Vector3 } = MeshCat.THREE;
    const [turns, steps, width] = [8, 16, 0.027 * this.viewer.size];
    const points = [];
    for (let k = 0; k <= turns * steps; k++) {
      const share = k / (turns * steps);
      const ends = Math.min(1, 12 * share, 12 * (1 - share));
      const angle = (2 * Math.PI * k) / steps;
      points.push(new Vector3(ends * width * Math.cos(angle), ends * width * Math.sin(angle), share));
    }
    return new TubeGeometry(new CatmullRomCurve3(points), turns * steps, 0.0032 * this.viewer.size, 6);
  }

  /** Draw the hand of a frame: position, held point, force and moment; NaN: none. */
  set({ hand }) {
    if (!this.made) this.make();
    const there = hand && hand.slice(0, 9).every(Number.isFinite);
    this.hand = there ? Array.from(hand) : null;
    this.folder.visible = there;
    this.tag.hidden = !there;
    if (!there) return;
    const { Vector3 } = MeshCat.THREE;
    const [target, point, force] = [0, 3, 6].map((k) => new Vector3().fromArray(this.hand, k));
    this.arrow.set(point.toArray(), force.toArray());
    this.target.position.copy(target);
    const along = target.clone().sub(point);
    this.spring.position.copy(point);
    this.spring.scale.z = Math.max(along.length(), 1e-9);
    this.spring.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), along.normalize());
    this.tag.textContent = Footfall.newtons(force.length());
  }

  /** Size of the force, [N]; 0 without a hand. */
  get force() {
    return this.hand ? Math.hypot(...this.hand.slice(6, 9)) : 0;
  }

  /** Put the value beside the arrow's tip; call it whenever camera or hand have moved. */
  place() {
    if (!this.hand) return;
    const { scale, longest } = this.arrow;
    const stretch = Math.min(scale, longest / (this.force || 1));
    const tip = [3, 4, 5].map((k) => this.hand[k] + stretch * this.hand[k + 3]);
    const at = this.pointer.project(tip);
    this.tag.hidden = !at;
    if (at) this.tag.style.transform = `translate(${at[0].toFixed(1)}px, ${at[1].toFixed(1)}px)`;
  }
};

/** A force as text. */
Footfall.newtons = function (force) {
  return `${force.toFixed(force < 9.995 ? 2 : force < 99.95 ? 1 : 0)} N`;
};
