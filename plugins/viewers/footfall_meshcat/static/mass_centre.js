"use strict";

/** The centre of mass of all moving bodies: a black and white ball, and its plumb line. */
Footfall.MassCentre = class {
  /** `size` of the scene, [m]. */
  constructor(meshcat, size) {
    const THREE = MeshCat.THREE;
    this.group = meshcat.scene_tree.find(["Centre of mass"]).object;
    this.group.visible = false;
    const over = { depthTest: false, transparent: true };
    const map = Footfall.MassCentre.octants();
    this.ball = new THREE.Mesh(
      new THREE.SphereGeometry(0.028 * size, 32, 24).rotateX(Math.PI / 2),
      new THREE.MeshBasicMaterial({ map, ...over }),
    );
    this.line = new THREE.Mesh(
      new THREE.CylinderGeometry(1, 1, 1, 8).rotateX(Math.PI / 2).translate(0, 0, -0.5),
      new THREE.MeshBasicMaterial({ color: 0x1d2733, opacity: 0.55, ...over }),
    );
    this.line.scale.set(0.003 * size, 0.003 * size, 1);
    this.line.renderOrder = 3;
    this.ball.renderOrder = 4;
    this.foot = new THREE.Mesh(new THREE.RingGeometry(0.012 * size, 0.024 * size, 32), this.line.material); // the end of the line
    this.foot.renderOrder = 3;
    this.group.add(this.line, this.foot, this.ball);
  }

  get visible() {
    return this.group.visible;
  }

  set visible(on) {
    this.group.visible = on;
  }

  /** Put the ball at `com` and let the line hang down to `ground` [m], both in world axes. */
  set(com, ground) {
    if (!Number.isFinite(com[0] + com[1] + com[2])) return;
    for (const part of [this.ball, this.line]) part.position.fromArray(com);
    this.foot.position.set(com[0], com[1], ground);
    this.line.scale.z = Math.max(com[2] - ground, 1e-9);
  }

  /** A texture of a sphere with black and white octants. */
  static octants() {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [64, 64];
    const context = canvas.getContext("2d");
    for (let k = 0; k < 8; k++) {
      const [column, row] = [k % 4, Math.floor(k / 4)];
      context.fillStyle = (column + row) % 2 ? "#ffffff" : "#1d2733";
      context.fillRect(16 * column, 32 * row, 16, 32);
    }
    const texture = new MeshCat.THREE.CanvasTexture(canvas);
    texture.encoding = MeshCat.THREE.sRGBEncoding;
    return texture;
  }
};
