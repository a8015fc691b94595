"use strict";

/** The shapes of all bodies: one group per link, moved by its row of the pose array. */
Footfall.Bodies = class {
  constructor(meshcat, { header, arrays }) {
    this.links = new Map();
    this.root = meshcat.scene_tree.find(["Bodies"]).object;
    this.meshes = []; // visible and pickable meshes; each knows its link
    const geometries = header.shapes.map((shape) => Footfall.geometry(shape, arrays));
    const materials = header.materials.map((material) => Footfall.material(material.color));
    this.textured = Footfall.texture(meshcat, header, arrays, materials);
    this.shared = Footfall.material([1, 1, 1, 1]); // of equal shapes
    this.collision = new Footfall.CollisionShapes([...materials, this.shared]);
    for (const node of header.nodes) {
      const group = this.link(meshcat, node);
      const matrix = new MeshCat.THREE.Matrix4().fromArray(node.matrix);
      if (node.layer === "collision") {
        this.collision.add(group, geometries[node.shape], matrix);
        continue;
      }
      const own = node.materials.map((k) => materials[k]); // one per part
      const mesh = new MeshCat.THREE.Mesh(geometries[node.shape], own.length > 1 ? own : own[0]);
      mesh.name = node.name;
      mesh.userData.link = node.link;
      mesh.castShadow = mesh.receiveShadow = true;
      mesh.matrixAutoUpdate = false;
      mesh.matrix.copy(matrix);
      group.add(mesh);
      this.meshes.push(mesh);
    }
    this.copies = this.alike(header);
  }

  /** Draw equal shapes without texture together: one draw of many copies instead of many draws. */
  alike({ nodes, materials }) {
    const { Color, InstancedMesh } = MeshCat.THREE;
    const seen = nodes.filter(({ layer }) => layer !== "collision");
    const groups = new Map(); // from a geometry to its meshes and their colours
    this.meshes.forEach((mesh, k) => {
      const own = seen[k].materials;
      const { color, texture } = materials[own[0]];
      if (own.length > 1 || texture !== null || color[3] < 1) return;
      groups.set(mesh.geometry, [...(groups.get(mesh.geometry) || []), [mesh, color]]);
    });
    return [...groups].filter(([, members]) => members.length >= Footfall.Bodies.many).map(([geometry, members]) => {
      const copies = new InstancedMesh(geometry, this.shared, members.length);
      copies.castShadow = copies.receiveShadow = true;
      copies.frustumCulled = false;
      copies.matrixAutoUpdate = false;
      members.forEach(([mesh, [red, green, blue]], k) => {
        copies.setColorAt(k, new Color(red, green, blue).convertSRGBToLinear());
        mesh.layers.set(Footfall.Bodies.alike);
        mesh.userData.alike = true;
      });
      this.root.add(copies);
      return { copies, meshes: members.map(([mesh]) => mesh) };
    });
  }

  /** The group of a node's link, made on first use in the folder of its body. */
  link(meshcat, node) {
    if (!this.links.has(node.link)) {
      const group = new MeshCat.THREE.Group();
      const body = node.name.split("/")[0];
      meshcat.scene_tree.find(["Bodies", body]).object.add(group);
      this.links.set(node.link, group);
    }
    return this.links.get(node.link);
  }

  /** Move every link; `poses` holds x, y, z and quaternion x, y, z, w of each. */
  pose(poses) {
    for (const [link, group] of this.links) {
      const k = 7 * link;
      group.position.set(poses[k], poses[k + 1], poses[k + 2]);
      group.quaternion.set(poses[k + 3], poses[k + 4], poses[k + 5], poses[k + 6]);
    }
    this.place();
  }

  /** Show or hide a link. */
  show(link, on) {
    const group = this.links.get(link);
    if (group) group.visible = on;
    this.place();
  }

  /** Put the copies of equal shapes at their links; hide those of hidden links. */
  place() {
    const { Matrix4 } = MeshCat.THREE;
    const matrix = new Matrix4();
    for (const { copies, meshes } of this.copies) {
      meshes.forEach((mesh, k) => {
        const { position, quaternion, scale, visible } = mesh.parent;
        if (visible) matrix.compose(position, quaternion, scale).multiply(mesh.matrix);
        else matrix.makeScale(0, 0, 0);
        matrix.toArray(copies.instanceMatrix.array, 16 * k);
      });
      copies.instanceMatrix.needsUpdate = true;
    }
  }

  /** The box around all shapes, in world axes (z up). */
  box() {
    const { Box3 } = MeshCat.THREE;
    const box = new Box3();
    this.root.parent.updateMatrixWorld(true);
    const world = this.root.parent.matrixWorld.clone().invert();
    for (const mesh of this.meshes) {
      const local = mesh.geometry.boundingBox.clone();
      const placed = local.applyMatrix4(world.clone().multiply(mesh.matrixWorld));
      if (Number.isFinite(placed.min.x + placed.max.x)) box.union(placed);
    }
    return box;
  }
};

/** The layer of meshes drawn by a copy: they can be picked, but are not drawn themselves. */
Footfall.Bodies.alike = 1;
/** Smallest number of equal shapes that are drawn together. */
Footfall.Bodies.many = 12;

/** Put the scene's textures on its materials once the browser has read them; resolves then. */
Footfall.texture = function (meshcat, header, arrays, materials) {
  const { RepeatWrapping, Texture, sRGBEncoding } = MeshCat.THREE;
  const lay = (name, number) => new Promise((done) => {
    const image = new Image();
    image.onerror = done;
    image.onload = () => {
      URL.revokeObjectURL(image.src);
      const texture = new Texture(image);
      texture.wrapS = texture.wrapT = RepeatWrapping;
      texture.encoding = sRGBEncoding;
      texture.anisotropy = 4;
      texture.needsUpdate = true;
      header.materials.forEach((material, k) => {
        if (material.texture !== number) return;
        materials[k].map = texture;
        materials[k].needsUpdate = true;
      });
      meshcat.set_dirty();
      done();
    };
    image.src = URL.createObjectURL(new Blob([arrays[name]], { type: "image/jpeg" }));
  });
  return Promise.all(header.textures.map(lay));
};

/** Colours are given as they should look on the screen (sRGB). */
Footfall.material = function ([red, green, blue, opacity]) {
  const { Color, DoubleSide, MeshStandardMaterial } = MeshCat.THREE;
  return new MeshStandardMaterial({
    color: new Color(red, green, blue).convertSRGBToLinear(),
    roughness: 0.55,
    metalness: 0.0,
    side: DoubleSide, // mesh files are not always closed, nor wound consistently
    transparent: opacity < 1,
    opacity,
  });
};
