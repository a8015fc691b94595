"use strict";

/** The ball at the hand in touch mode: on the surface below the pointer, or at its pressed place. */
Footfall.TouchTip = class {
  constructor(viewer, pointer) {
    Object.assign(this, { viewer, pointer });
    const { Color, Mesh, MeshStandardMaterial, SphereGeometry } = MeshCat.THREE;
    const color = new Color("#8b2fc9").convertSRGBToLinear();
    const material = new MeshStandardMaterial({ color, roughness: 0.4, transparent: true, opacity: 0.85 });
    this.ball = new Mesh(new SphereGeometry(1, 32, 24), material);
    this.ball.visible = false;
    viewer.meshcat.scene_tree.find(["Tip"]).object.add(this.ball);
    this.radius = Footfall.TouchTip.usual; // [m]
  }

  /** Take the radius from the run, if it is tunable. */
  status({ tunables }) {
    this.radius = tunables.find(({ path }) => path.endsWith(".tip_radius"))?.value ?? Footfall.TouchTip.usual;
  }

  /** The centre of a ball on the picked surface, in the viewer's own axes. */
  on({ point, normal }) {
    return point.clone().addScaledVector(normal, this.radius);
  }

  /** Show the ball at a point in the viewer's own axes; null hides it. */
  show(point) {
    if (!point && !this.ball.visible) return;
    this.ball.visible = point !== null;
    if (point) this.ball.position.fromArray(this.pointer.world(point));
    // A ball that is too small to see is drawn a few pixels large.
    const seen = 0.006 * (this.viewer.camera?.distance ?? 0);
    this.ball.scale.setScalar(Math.max(this.radius, seen));
    this.viewer.redraw();
  }
};

/** Radius of the ball if the run does not send it, [m]: the default of a hand. */
Footfall.TouchTip.usual = 0.01;
