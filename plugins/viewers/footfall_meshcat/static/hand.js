"use strict";

/**
 * The user's hand: the link held by the pointer, and its messages to the run.
 *
 * Drag: a press on a link holds it at that point. Touch: a press puts a ball on its surface. Both
 * then move in a plane that faces the camera; with Shift or the wheel, along the view.
 */
Footfall.Hand = class {
  /** `send`: a function that takes a message for the run. */
  constructor(viewer, pointer, send) {
    Object.assign(this, { viewer, pointer, send });
    this.mode = "drag";
    this.live = false; // whether the run accepts hands
    this.away = false; // whether the page shows the past
    this.free = true; // whether presses are for the hand: not while an object is being placed
    this.held = null; // { name, pointerId, plane, offset, x, y }, or null
    this.hovered = null;
    this.selected = null; // the last body held
    this.holder = null; // "you", "other" or null, from the run's status
    this.highlight = new Footfall.Highlight(viewer);
    this.tip = new Footfall.TouchTip(viewer, pointer);
    this.report = new Footfall.HandReport(send);
    this.nextLook = 0;
    this.listen();
  }

  listen() {
    const stage = this.pointer.stage;
    const on = (name, act, options) => stage.addEventListener(name, act, options);
    on("pointerdown", (event) => this.press(event));
    on("pointermove", (event) => this.move(event));
    on("pointerup", (event) => this.up(event));
    on("pointercancel", (event) => this.up(event));
    on("lostpointercapture", (event) => this.up(event));
    on("wheel", (event) => this.wheel(event), { capture: true, passive: false });
    on("pointerleave", () => this.held || this.hover(null));
    window.addEventListener("blur", () => this.release());
    window.addEventListener("pagehide", () => this.release());
    document.addEventListener("visibilitychange", () => document.hidden && this.release());
  }

  /** Whether the hand may take hold of something. */
  get ready() {
    return this.live && this.free && !this.away && this.holder !== "other" && !this.held;
  }

  /** Drag or touch, from the next press on. */
  choose(mode) {
    this.release();
    this.mode = mode;
    this.hover(null);
  }

  press(event) {
    if (event.button !== 0 || !event.isPrimary || !this.ready) return;
    const picked = this.pointer.pick();
    if (!picked) return;
    event.preventDefault();
    this.pointer.stage.setPointerCapture(event.pointerId);
    this.viewer.meshcat.controls.enabled = false;
    this.viewer.camera.still = true;
    const start = this.mode === "touch" ? this.tip.on(picked) : picked.point;
    const plane = new Footfall.DragPlane(this.pointer, start);
    const { clientX: x, clientY: y, pointerId } = event;
    const [startX, startY] = this.pointer.project(this.pointer.world(start)) || [x, y];
    this.held = { name: picked.name, pointerId, plane, offset: [x - startX, y - startY], x, y };
    this.selected = picked.name.split("/")[0];
    this.hover(picked);
    this.report.grab(this.pointer.world(start), this.mode, picked);
  }

  /** Hold a link by the keyboard, at the centre of its shapes; let go if something is held. */
  seize(link) {
    const group = this.viewer.bodies.links.get(link);
    const name = (this.viewer.header.link_names || [])[link];
    if (this.held) this.release();
    else if (this.ready && group && name) {
      const { Vector3 } = MeshCat.THREE;
      const local = Footfall.boxOf(group).getCenter(new Vector3());
      const point = group.localToWorld(local.clone());
      const [x, y] = this.pointer.project(this.pointer.world(point)) || [0, 0];
      const plane = new Footfall.DragPlane(this.pointer, point);
      this.held = { name, pointerId: null, plane, offset: [0, 0], x, y };
      this.viewer.camera.still = true;
      this.selected = name.split("/")[0];
      this.hovered = { link, name };
      this.highlight.set(link);
      this.report.grab(this.pointer.world(point), "drag", { name, local });
    }
  }

  /** Move the link held by the keyboard; return whether the key was used. */
  key({ key, shiftKey }) {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
    if (!way || this.held?.pointerId !== null) return false;
    const { stride } = Footfall.Hand;
    if (shiftKey) this.held.plane.push(-way[1] * stride * this.held.plane.pixel);
    else [this.held.x, this.held.y] = [this.held.x + stride * way[0], this.held.y + stride * way[1]];
    this.follow();
    return true;
  }

  move(event) {
    if (!this.held) {
      this.look();
      return;
    }
    if (event.pointerId !== this.held.pointerId) return;
    const { held } = this;
    if (event.shiftKey) {
      held.plane.push((held.y - event.clientY) * held.plane.pixel);
      held.offset[0] += event.clientX - held.x;
      held.offset[1] += event.clientY - held.y;
    }
    [held.x, held.y] = [event.clientX, event.clientY];
    this.follow();
  }

  wheel(event) {
    if (!this.held) return;
    event.preventDefault();
    event.stopPropagation();
    const pixels = event.deltaMode === 1 ? 16 * event.deltaY : event.deltaY;
    this.held.plane.push(-pixels * this.held.plane.pixel);
    this.follow();
  }

  /** Send the pointer's new position of the hand. */
  follow() {
    const { plane, offset, x, y } = this.held;
    const point = plane.at(x - offset[0], y - offset[1]);
    if (this.mode === "touch" && this.held.pointerId !== null) this.tip.show(point);
    this.report.move(this.pointer.world(point));
  }

  up(event) {
    if (this.held && event.pointerId === this.held.pointerId) this.release();
  }

  /**
   * Store the holder of the hand from the run's status.
   *
   * The run takes the hand from a page that was silent for long, e.g. on a busy machine. A page that
   * still holds something then sends it again.
   */
  told(holder) {
    this.holder = holder;
    if (this.held && holder === null) this.report.repeat();
  }

  /** Let go, if something is held. */
  release() {
    if (!this.held) return;
    const { pointerId } = this.held;
    this.held = null;
    const stage = this.pointer.stage;
    if (pointerId !== null && stage.hasPointerCapture(pointerId)) stage.releasePointerCapture(pointerId);
    this.viewer.meshcat.controls.enabled = true;
    this.viewer.camera.still = false;
    this.report.release();
    this.look();
  }

  /** Update after bodies have moved below the pointer. */
  see() {
    if (this.pointer.inside && !this.held) this.look();
  }

  /** Highlight the link that a press would hold; less often if the search takes long. */
  look() {
    const start = performance.now();
    if (start < this.nextLook) return;
    this.hover(this.pointer.inside && this.live && this.free && !this.away ? this.pointer.pick() : null);
    const end = performance.now();
    this.nextLook = end + Math.max(30, 10 * (end - start));
  }

  hover(picked) {
    this.hovered = picked;
    this.highlight.set(picked ? picked.link : null);
    this.tip.show(picked && this.mode === "touch" ? this.tip.on(picked) : null);
    const taken = this.holder === "other" ? "not-allowed" : "grab";
    const idle = picked ? taken : "";
    this.pointer.stage.style.cursor = this.held ? "grabbing" : this.free ? idle : "crosshair";
  }

  /** Forget the held and the highlighted link, after a change of the scene. */
  forget() {
    this.release();
    this.hover(null);
  }
};

/** Distance that an arrow key moves the held link, [pixels]. */
Footfall.Hand.stride = 10;
