"use strict";

/** Plots of the chosen signals over time, one per unit, by uPlot (uplot/LICENSE). */
Footfall.Plots = class {
  constructor(element, signals) {
    Object.assign(this, { element, signals, player: signals.player });
    this.made = []; // { plot, names } for each unit
    this.layout = "";
    this.zoomed = null; // start and end, [s]; null: all, or the last seconds of a live run
    this.hovered = null; // [s]
    this.timer = 0;
    element.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    element.addEventListener("pointerleave", () => this.hover(null));
  }

  /** The visible range of time, [s]. */
  range() {
    const { player } = this;
    const begin = player.following ? Math.max(player.start, player.end - Footfall.Plots.seconds) : player.start;
    const [low, high] = this.zoomed || [begin, player.end];
    return [low, high > low ? high : low + 1e-3];
  }

  zoom(range) {
    this.zoomed = range;
    this.draw();
  }

  /** Zoom about the pointer; with Shift, or sideways, move. */
  wheel(event) {
    const one = this.made[0];
    if (!one) return;
    event.preventDefault();
    const [low, high] = this.range();
    const { left, width } = one.plot.over.getBoundingClientRect();
    const at = low + ((event.clientX - left) / width) * (high - low);
    if (event.shiftKey || event.deltaX) {
      const way = ((event.deltaX || event.deltaY) / 500) * (high - low);
      this.zoom([low + way, high + way]);
      return;
    }
    const factor = Math.exp(event.deltaY / 400);
    this.zoom([at - (at - low) * factor, at + (high - at) * factor]);
  }

  hover(time) {
    if (time === this.hovered) return;
    this.hovered = time;
    if (this.series) this.signals.tell(time ?? this.player.time, this.series);
  }

  /** Draw soon, at most ten times a second. */
  soon() {
    if (this.timer || !this.signals.seen || !this.signals.chosen.size) return;
    this.timer = setTimeout(() => this.draw(), 100);
  }

  draw() {
    clearTimeout(this.timer);
    this.timer = 0;
    const { signals, player } = this;
    this.lay();
    this.series = new Map([...signals.chosen.keys()].map((name) => [name, signals.source.series(name)]));
    const [min, max] = this.range();
    for (const { plot, names } of this.made) {
      const series = names.map((name) => this.series.get(name));
      plot.batch(() => {
        plot.setData([series[0].times, ...series.map(({ values }) => values)], false);
        plot.setScale("x", { min, max });
      });
    }
    signals.tell(this.hovered ?? player.time, this.series);
  }

  /** Build the plots again if the signals or the width have changed. */
  lay() {
    const groups = new Map();
    for (const [name, { entry }] of this.signals.chosen) groups.set(entry.unit, [...(groups.get(entry.unit) || []), name]);
    this.lit = [...this.signals.chosen.keys()].filter(this.signals.lit);
    const layout = JSON.stringify([[...groups], this.element.clientWidth, Footfall.ink(), this.lit]);
    if (layout === this.layout) return;
    this.layout = layout;
    for (const { plot } of this.made) plot.destroy();
    const last = groups.size - 1;
    this.made = [...groups].map(([unit, names], k) => ({ names, plot: this.plot(unit, names, k === last) }));
  }

  plot(unit, names, last) {
    const { chosen } = this.signals;
    const [ink, line] = Footfall.ink();
    const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { show: false }, font: "11px system-ui, sans-serif" };
    const options = {
      width: this.element.clientWidth,
      height: last ? 150 : 128,
      legend: { show: false },
      cursor: { sync: { key: "footfall" }, drag: { x: true, y: false, setScale: false }, points: { size: 5 } },
      scales: { x: { time: false } },
      series: [{}, ...names.map((name) => ({ ...this.stroke(name), stroke: chosen.get(name).color, spanGaps: false, points: { show: false } }))],
      axes: [
        { ...axis, size: last ? 34 : 8, values: last ? undefined : (_, splits) => splits.map(() => ""), label: undefined },
        { ...axis, size: 54, label: unit === "1" ? undefined : unit, labelSize: 16, labelGap: 0, labelFont: "11px system-ui, sans-serif" },
      ],
      hooks: {
        draw: [(plot) => this.present(plot, ink)],
        setCursor: [(plot) => plot.cursor.left >= 0 && this.hover(plot.posToVal(plot.cursor.left, "x"))],
        setSelect: [(plot) => this.select(plot)],
        ready: [(plot) => plot.over.addEventListener("click", () => this.go(plot))],
      },
    };
    return new uPlot(options, [[], ...names.map(() => [])], this.element);
  }

  /** The stroke of a curve: strong for signals of the selected link, otherwise faint. */
  stroke(name) {
    if (!this.lit.length) return { width: 1.5 };
    return this.lit.includes(name) ? { width: 3 } : { width: 1.5, alpha: 0.4 };
  }

  /** Draw a line at the shown time. */
  present(plot, ink) {
    const x = Math.round(plot.valToPos(this.player.time, "x", true)) + 0.5;
    const { left, top, width, height } = plot.bbox;
    if (x < left || x > left + width) return;
    const { ctx } = plot;
    ctx.save();
    [ctx.strokeStyle, ctx.globalAlpha] = [ink, 0.7];
    ctx.beginPath();
    ctx.moveTo(x, top);
    ctx.lineTo(x, top + height);
    ctx.stroke();
    ctx.restore();
  }

  /** Zoom to the marked range. */
  select(plot) {
    const { left, width } = plot.select;
    if (width < 4) return;
    this.dragged = performance.now();
    plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
    this.zoom([plot.posToVal(left, "x"), plot.posToVal(left + width, "x")]);
  }

  /** Go to the time that was clicked. */
  go(plot) {
    if (performance.now() - (this.dragged ?? -Infinity) > 100) this.player.seek(plot.posToVal(plot.cursor.left, "x"));
  }
};

/** Visible time range of a live run, [s]. */
Footfall.Plots.seconds = 8;

/** The page's current colours of text and of fine lines. */
Footfall.ink = function () {
  const style = getComputedStyle(document.body);
  return ["--quiet", "--grid"].map((name) => style.getPropertyValue(name).trim());
};
