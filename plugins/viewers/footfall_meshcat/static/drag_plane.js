"use strict";

/** The plane in which the hand moves: through the picked point, facing the camera. */
Footfall.DragPlane = class {
  /** `point` in the viewer's own axes. */
  constructor(pointer, point) {
    this.pointer = pointer;
    this.depth = this.along(point);
    this.nearest = 0.05 * this.depth;
    this.furthest = 20 * this.depth;
  }

  /** The distance of a point along the view, [m]. */
  along(point) {
    const { camera } = this.pointer.viewer.meshcat;
    const { Vector3 } = MeshCat.THREE;
    const eye = camera.getWorldPosition(new Vector3());
    return point.clone().sub(eye).dot(camera.getWorldDirection(new Vector3()));
  }

  /** The size of a pixel in this plane, [m]. */
  get pixel() {
    const { camera } = this.pointer.viewer.meshcat;
    const half = Math.tan((Math.PI / 360) * camera.fov);
    return (2 * this.depth * half) / (camera.zoom * this.pointer.stage.clientHeight);
  }

  /** Move the plane away from the camera, [m]. */
  push(length) {
    this.depth = Math.min(Math.max(this.depth + length, this.nearest), this.furthest);
  }

  /** The point where the ray through a place in the window meets the plane, in the viewer's own axes. */
  at(x, y) {
    const { camera } = this.pointer.viewer.meshcat;
    const ray = this.pointer.aim(x, y);
    const forward = camera.getWorldDirection(new MeshCat.THREE.Vector3());
    return ray.at(this.depth / ray.direction.dot(forward), new MeshCat.THREE.Vector3());
  }
};
