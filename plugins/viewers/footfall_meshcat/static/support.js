"use strict";

/**
 * Support of each body on declared points: the convex hull of touching points, seen from above, and
 * a dot below the centre of mass, green inside the hull and red outside.
 */
Footfall.Support = class {
  constructor(viewer) {
    this.viewer = viewer;
    const { header, meshcat } = viewer;
    this.group = meshcat.scene_tree.find(["Support polygon"]).object;
    this.group.visible = false;
    this.links = new Map(); // links of each body, by name
    (header.link_names || []).forEach((name, link) => {
      const body = name.split("/")[0];
      if (name) this.links.set(body, [...(this.links.get(body) || []), link]);
    });
    this.bodies = [...new Set(viewer.contacts.body)].slice(0, Footfall.Support.most).map((name) => this.body(name));
  }

  body(name) {
    const { BufferAttribute, BufferGeometry, DoubleSide, DynamicDrawUsage } = MeshCat.THREE;
    const { CircleGeometry, Color, LineBasicMaterial, LineLoop, Mesh } = MeshCat.THREE;
    const points = this.viewer.contacts.body.flatMap((body, k) => (body === name ? [k] : []));
    const corners = new BufferAttribute(new Float32Array(3 * points.length), 3).setUsage(DynamicDrawUsage);
    const [fan, ring] = [new BufferGeometry(), new BufferGeometry()].map((one) => one.setAttribute("position", corners));
    fan.setIndex(points.slice(2).flatMap((_, k) => [0, k + 1, k + 2]));
    const glass = Footfall.Attached.paint("#2b8a3e", 0.3);
    Object.assign(glass, { side: DoubleSide, depthWrite: false });
    const color = new Color("#2b8a3e").convertSRGBToLinear();
    const area = new Mesh(fan, glass);
    const edge = new LineLoop(ring, new LineBasicMaterial({ color, depthTest: false, transparent: true }));
    const dot = new Mesh(new CircleGeometry(0.022 * this.viewer.size, 32), Footfall.Attached.paint("#2b8a3e"));
    [area, edge, dot].forEach((part, k) => Object.assign(part, { frustumCulled: false, renderOrder: 2 + k }));
    this.group.add(area, edge, dot);
    return { name, points, corners, area, edge, dot };
  }

  get exists() {
    return this.bodies.length > 0;
  }

  get visible() {
    return this.group.visible;
  }

  set visible(on) {
    this.group.visible = on;
  }

  set(frame) {
    for (const body of this.bodies) this.place(body, frame);
  }

  place({ name, points, corners, area, edge, dot }, frame) {
    const { contacts } = this.viewer;
    const touching = points.filter((k) => contacts.at(k, frame).force > 0);
    const hull = Footfall.hull(touching.map((k) => Array.from(frame.position.slice(3 * k, 3 * k + 3))));
    area.visible = hull.length > 2;
    edge.visible = hull.length > 1;
    hull.forEach((point, k) => corners.setXYZ(k, ...point));
    corners.needsUpdate = true;
    area.geometry.setDrawRange(0, Math.max(3 * (hull.length - 2), 0));
    edge.geometry.setDrawRange(0, hull.length);
    const com = this.com(name, frame);
    dot.visible = com !== null && hull.length > 0;
    if (!dot.visible) return;
    const level = hull.reduce((sum, [, , z]) => sum + z, 0) / hull.length;
    dot.position.set(com[0], com[1], level);
    dot.material.color.set(Footfall.inside(hull, com) ? "#2b8a3e" : "#c92a2a").convertSRGBToLinear();
  }

  /** The centre of mass of a body in a frame, world, [m]; null if the masses are unknown. */
  com(name, frame) {
    const total = [0, 0, 0, 0];
    for (const link of this.links.get(name) || []) {
      const mass = this.viewer.header.inertias?.[link]?.[0] || 0;
      const at = mass ? Footfall.massCentreOf(this.viewer.header, link, frame.poses).toArray() : [0, 0, 0];
      [mass, ...at.map((part) => mass * part)].forEach((part, k) => (total[k] += part));
    }
    return total[0] > 0 ? total.slice(1).map((part) => part / total[0]) : null;
  }
};

/** Largest number of bodies with drawn support. */
Footfall.Support.most = 40;

/** The centre of mass of a link at the poses of a frame, world, [m]. */
Footfall.massCentreOf = function ({ inertias }, link, poses) {
  const { Quaternion, Vector3 } = MeshCat.THREE;
  const turn = new Quaternion().fromArray(poses, 7 * link + 3);
  const local = new Vector3(...inertias[link].slice(1, 4));
  return local.applyQuaternion(turn).add(new Vector3().fromArray(poses, 7 * link));
};

/** The corners of the convex hull of points, seen from above, counter-clockwise (Andrew 1979). */
Footfall.hull = function (points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  if (sorted.length < 3) return sorted;
  const turn = (a, b, c) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  const chain = (all) => {
    const kept = [];
    for (const point of all) {
      while (kept.length > 1 && turn(kept[kept.length - 2], kept[kept.length - 1], point) <= 0) kept.pop();
      kept.push(point);
    }
    return kept.slice(0, -1);
  };
  return [...chain(sorted), ...chain(sorted.reverse())];
};

/** Whether a point lies over a convex polygon, seen from above. */
Footfall.inside = function (hull, [x, y]) {
  if (hull.length < 3) return false;
  return hull.every(([ax, ay], k) => {
    const [bx, by] = hull[(k + 1) % hull.length];
    return (bx - ax) * (y - ay) - (by - ay) * (x - ax) >= 0;
  });
};
