"use strict";

/** Light, shadow and background, for scenes that face x. Positions are in world axes (z up). */
Footfall.Look = class {
  constructor(meshcat) {
    const THREE = MeshCat.THREE;
    for (const name of ["Lights", "Grid", "Axes"]) meshcat.delete_path([name]);
    meshcat.renderer.outputEncoding = THREE.sRGBEncoding;
    this.scene = meshcat.scene;
    this.dark(false);

    const sky = new THREE.HemisphereLight(0xffffff, 0x8f99a6, 0.47);
    sky.position.set(0, 0, 1);
    this.key = new THREE.DirectionalLight(0xfffaf2, 0.52);
    this.fill = new THREE.DirectionalLight(0xe8f0ff, 0.24);
    this.key.castShadow = true;
    this.key.shadow.mapSize.set(2048, 2048);
    this.key.shadow.bias = -0.0004;
    this.key.shadow.radius = 3;
    for (const [name, light] of Object.entries({ Sky: sky, Key: this.key, Fill: this.fill })) {
      meshcat.set_object(["Lights", name], light);
      if (light.target) meshcat.scene.add(light.target);
    }
  }

  /** The background of a dark page or a light one. */
  dark(on) {
    this.scene.background = on ? Footfall.gradient("#10161d", "#2a333d") : Footfall.gradient("#dfe6ee", "#f8fafc");
  }

  /** Forget the data of an old renderer. */
  renew() {
    this.key.shadow.map?.dispose();
    this.key.shadow.map = null;
    this.scene.background.needsUpdate = true;
  }

  /** Aim lights and shadow at the sphere of `target` and `radius`, world axes, [m]. */
  aim(target, radius) {
    const { Vector3 } = MeshCat.THREE;
    const place = (light, x, y, z) => {
      light.target.position.copy(target);
      light.position.copy(target).add(new Vector3(x, y, z).setLength(4 * radius));
    };
    place(this.key, 0.75, 0.35, 1.15);
    place(this.fill, 0.2, -1, 0.45);
    const box = this.key.shadow.camera;
    if (box.right !== 2 * radius) {
      box.right = box.top = 2 * radius;
      box.left = box.bottom = -2 * radius;
      box.near = radius;
      box.far = 8 * radius;
      this.key.shadow.normalBias = 0.004 * radius;
      box.updateProjectionMatrix();
    }
  }

  /** The shadows, as something that can be shown and hidden. */
  get shadow() {
    const key = this.key;
    return {
      get visible() {
        return key.castShadow;
      },
      set visible(on) {
        key.castShadow = on;
      },
    };
  }
};

/** A background with a colour gradient from the top to the bottom of the window. */
Footfall.gradient = function (top, bottom) {
  const canvas = document.createElement("canvas");
  canvas.width = 2;
  canvas.height = 256;
  const context = canvas.getContext("2d");
  const fill = context.createLinearGradient(0, 0, 0, canvas.height);
  fill.addColorStop(0, top);
  fill.addColorStop(1, bottom);
  context.fillStyle = fill;
  context.fillRect(0, 0, canvas.width, canvas.height);
  const texture = new MeshCat.THREE.CanvasTexture(canvas);
  texture.encoding = MeshCat.THREE.sRGBEncoding;
  return texture;
};
