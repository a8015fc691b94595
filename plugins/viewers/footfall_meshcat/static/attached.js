"use strict";

/** Copies of one geometry that are fixed to links: one draw for all; initially hidden. */
Footfall.Attached = class {
  /**
   * `places`: { link, matrix } of each copy: its row of the poses, and its place and size in the
   * link's frame, a three.js matrix; `parts`: pairs of a geometry and a material.
   */
  constructor(meshcat, folder, places, parts) {
    const { DynamicDrawUsage, InstancedBufferAttribute, InstancedMesh } = MeshCat.THREE;
    this.places = places;
    this.group = meshcat.scene_tree.find([folder]).object;
    this.group.visible = false;
    this.matrices = new InstancedBufferAttribute(new Float32Array(16 * places.length), 16);
    this.matrices.setUsage(DynamicDrawUsage);
    for (const [geometry, material] of parts) {
      const mesh = new InstancedMesh(geometry, material, places.length);
      mesh.instanceMatrix = this.matrices;
      mesh.frustumCulled = false;
      mesh.renderOrder = 3;
      this.group.add(mesh);
    }
  }

  get exists() {
    return this.places.length > 0;
  }

  get visible() {
    return this.group.visible;
  }

  set visible(on) {
    this.group.visible = on;
  }

  /** Move all with the links of a frame. */
  set({ poses }) {
    const { Matrix4, Quaternion, Vector3 } = MeshCat.THREE;
    const [matrix, unit] = [new Matrix4(), new Vector3(1, 1, 1)];
    this.places.forEach(({ link, matrix: own }, k) => {
      const at = new Vector3().fromArray(poses, 7 * link);
      const turn = new Quaternion().fromArray(poses, 7 * link + 3);
      matrix.compose(at, turn, unit).multiply(own).toArray(this.matrices.array, 16 * k);
    });
    this.matrices.needsUpdate = true;
  }

  /** A material of a colour that is visible through everything, with an `opacity`. */
  static paint(color, opacity = 1) {
    const { Color, MeshBasicMaterial } = MeshCat.THREE;
    const shown = new Color(color).convertSRGBToLinear();
    return new MeshBasicMaterial({ color: shown, opacity, depthTest: false, transparent: true });
  }
};

/** The frame of every link: x red, y green, z blue, each `length` [m] long. */
Footfall.linkFrames = function (meshcat, { links }, length) {
  const { CylinderGeometry, Matrix4 } = MeshCat.THREE;
  const turns = { "#d9383a": ["Z", -1], "#2f9e44": ["Y", 0], "#2166d1": ["X", 1] };
  const rods = Object.entries(turns).map(([color, [axis, quarter]]) => {
    const rod = new CylinderGeometry(0.03 * length, 0.03 * length, length, 8).translate(0, length / 2, 0);
    return [rod[`rotate${axis}`]((quarter * Math.PI) / 2), Footfall.Attached.paint(color)];
  });
  const places = Array.from({ length: links }, (_, link) => ({ link, matrix: new Matrix4() }));
  return new Footfall.Attached(meshcat, "Link frames", places, rods);
};

/** A rod along the axis of each joint, `length` [m] long; thicker for sliding joints. */
Footfall.jointAxes = function (meshcat, { joints = [] }, length) {
  const { CylinderGeometry, Matrix4, Quaternion, Vector3 } = MeshCat.THREE;
  const places = joints.map(([, link, ...twist]) => {
    const [v, w] = [new Vector3(...twist.slice(0, 3)), new Vector3(...twist.slice(3))];
    const turns = w.length() > 1e-6;
    const axis = (turns ? w : v).clone();
    const rate = axis.length() || 1;
    // The point of a turning axis that is nearest to the link's origin: w x v / |w|^2.
    const at = turns ? w.clone().cross(v).divideScalar(rate * rate) : new Vector3();
    const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), axis.divideScalar(rate));
    const wide = turns ? 1 : 2.2;
    return { link, matrix: new Matrix4().compose(at, turn, new Vector3(wide, 1, wide)) };
  });
  const rod = new CylinderGeometry(0.025 * length, 0.025 * length, length, 8);
  return new Footfall.Attached(meshcat, "Joint axes", places, [[rod, Footfall.Attached.paint("#b5179e", 0.85)]]);
};

/** The box of uniform density with the mass, centre of mass and inertia of each link. */
Footfall.inertiaBoxes = function (meshcat, { inertias = [] }) {
  const { BoxGeometry, Matrix4, Vector3 } = MeshCat.THREE;
  const places = inertias.flatMap(([mass, x, y, z, ...inertia], link) => {
    if (!(mass > 0)) return [];
    const { moments, turn } = Footfall.principal(inertia);
    const half = (moments[0] + moments[1] + moments[2]) / 2;
    const size = moments.map((moment) => Math.sqrt(Math.max((12 * (half - moment)) / mass, 0)));
    return [{ link, matrix: new Matrix4().compose(new Vector3(x, y, z), turn, new Vector3(...size)) }];
  });
  const paint = Footfall.Attached.paint;
  const edges = Footfall.boxEdges(0.035);
  const parts = [[new BoxGeometry(1, 1, 1), paint("#7b2cbf", 0.16)], [edges, paint("#7b2cbf", 0.8)]];
  return new Footfall.Attached(meshcat, "Inertia boxes", places, parts);
};

/** Flat strips of a width along the edges of the faces of a cube of size 1. */
Footfall.boxEdges = function (width) {
  const { BufferAttribute, BufferGeometry } = MeshCat.THREE;
  const corners = [];
  const index = [];
  const [outer, inner] = [0.5, 0.5 - width];
  for (let axis = 0; axis < 3; axis++) {
    for (const side of [-0.5, 0.5]) {
      const first = corners.length / 3;
      for (const reach of [outer, inner]) {
        for (const [a, b] of [[1, 1], [-1, 1], [-1, -1], [1, -1]]) {
          const point = [0, 0, 0];
          [point[axis], point[(axis + 1) % 3], point[(axis + 2) % 3]] = [side, a * reach, b * reach];
          corners.push(...point);
        }
      }
      for (let k = 0; k < 4; k++) {
        const [a, b] = [first + k, first + ((k + 1) % 4)];
        index.push(a, b, b + 4, a, b + 4, a + 4, b, a, b + 4, b + 4, a, a + 4); // seen from both sides
      }
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(corners), 3));
  geometry.setIndex(index);
  return geometry;
};

/**
 * Principal moments of an inertia xx, yy, zz, xy, xz, yz, and the rotation to their axes: Jacobi's
 * rotations, each of which makes one off-diagonal entry zero.
 */
Footfall.principal = function ([xx, yy, zz, xy, xz, yz]) {
  const { Matrix4, Quaternion } = MeshCat.THREE;
  const A = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
  const V = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  for (let sweep = 0; sweep < 12; sweep++) {
    for (const [p, q] of [[0, 1], [0, 2], [1, 2]]) {
      if (Math.abs(A[p][q]) < 1e-14 * (A[0][0] + A[1][1] + A[2][2])) continue;
      const angle = 0.5 * Math.atan2(2 * A[p][q], A[q][q] - A[p][p]);
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      for (const row of [...A, ...V]) [row[p], row[q]] = [c * row[p] - s * row[q], s * row[p] + c * row[q]];
      for (let k = 0; k < 3; k++) [A[p][k], A[q][k]] = [c * A[p][k] - s * A[q][k], s * A[p][k] + c * A[q][k]];
    }
  }
  const matrix = new Matrix4().set(...V[0], 0, ...V[1], 0, ...V[2], 0, 0, 0, 0, 1);
  return { moments: [A[0][0], A[1][1], A[2][2]], turn: new Quaternion().setFromRotationMatrix(matrix) };
};
