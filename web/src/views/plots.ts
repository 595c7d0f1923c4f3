// SPDX-License-Identifier: BSD-2-Clause
// The two plots of the timeline, by uPlot: stacked areas of live bytes, and requests per second.

import uPlot from "uplot";
import type { Snapshot } from "../data/choices";
import type { Timeline } from "../data/schema";
import { type Layer, rates, stacked } from "../data/series";
import { css, oklch } from "../flame/colours";
import { bytes, count, round_bytes, time } from "../ui/format";

const SYNC = "mprof-timeline";
const AXIS = 84; // as wide as 1,000,000,000

/** Colours of the layers; the last is the rest, without any hue. */
export function layer_colours(n: number, dark: boolean): string[] {
	const hues = [235, 75, 165, 345, 120, 300, 35, 195, 265, 55];

	return Array.from({ length: n }, (_, i) =>
		css(
			i === n - 1
				? oklch(dark ? 0.4 : 0.86, n === 1 ? 0.07 : 0.006, 250)
				: oklch(
						(dark ? 0.6 : 0.74) + (i % 2) * 0.05,
						0.1,
						hues[i % hues.length],
					),
		),
	);
}

const ink = (dark: boolean): string => (dark ? "#9aa1ab" : "#636a74");
const lines = (dark: boolean): string => (dark ? "#2c3036" : "#e9ebee");

function axes(dark: boolean, value: (v: number) => string): uPlot.Axis[] {
	const common = {
		stroke: ink(dark),
		grid: { stroke: lines(dark), width: 1 },
		ticks: { show: false },
		font: "12px system-ui",
	};

	return [
		{
			...common,
			size: 30,
			values: (_, list) => list.map((v) => time(v * 1e9)),
			space: 80,
		},
		{ ...common, size: AXIS, values: (_, list) => list.map(value) },
	];
}

interface Hooks {
	hover: (index: number | null) => void;
	click: (index: number) => void;
	/** Whether a click there leads to anything. */
	leads: (index: number) => boolean;
}

function options(
	width: number,
	height: number,
	dark: boolean,
	value: (v: number) => string,
	h: Hooks,
): uPlot.Options {
	return {
		width,
		height,
		legend: { show: false },
		axes: axes(dark, value),
		cursor: {
			sync: { key: SYNC },
			// The point is not where the pointer is, so it would pass for dragged.
			drag: { x: false, y: false, click: () => undefined },
			points: { show: false },
			// At a point: it is the figures of that one which are told.
			move: (u, left, top) => [
				left < 0 ? left : u.valToPos(u.data[0][u.posToIdx(left)], "x"),
				top,
			],
		},
		scales: {
			x: { time: false },
			y: { range: (_, __, max) => [0, max > 0 ? max * 1.08 : 1] },
		},
		series: [{}],
		hooks: {
			setCursor: [
				(u) => {
					const i = u.cursor.idx ?? null;

					u.over.style.cursor =
						i !== null && h.leads(i) ? "pointer" : "";
					h.hover(i);
				},
			],
			ready: [
				(u) =>
					u.over.addEventListener("click", () => {
						if (typeof u.cursor.idx === "number")
							h.click(u.cursor.idx);
					}),
			],
		},
	};
}

/** A line across the plot at a moment, and what it is. */
function mark(u: uPlot, ns: number, text: string, dark: boolean): void {
	const g = u.ctx;
	const dpr = devicePixelRatio || 1;
	const x = u.valToPos(ns / 1e9, "x", true);

	g.save();
	g.strokeStyle = g.fillStyle = dark ? "#eef0f3" : "#16181c";
	g.lineWidth = dpr;
	g.setLineDash([3 * dpr, 3 * dpr]);
	g.beginPath();
	g.moveTo(x, u.bbox.top);
	g.lineTo(x, u.bbox.top + u.bbox.height);
	g.stroke();
	g.font = `600 ${12 * dpr}px system-ui`;
	g.textBaseline = "top";
	const right = x + g.measureText(text).width + 8 * dpr > u.bbox.left + u.bbox.width;
	g.textAlign = right ? "right" : "left";
	g.fillText(text, x + (right ? -5 : 5) * dpr, u.bbox.top + 2 * dpr);
	g.restore();
}

function mark_all(u: uPlot, t: Timeline, moments: Snapshot[], dark: boolean): void {
	moments.forEach((m, i) => mark(u, m.ns, `${i + 1}`, dark));
	if (t.peak !== null)
		mark(u, t.time_ns[t.peak], `peak ${bytes(t.live_bytes[t.peak])}`, dark);
}

/** The areas; the first layer is on top. */
export function plot_bytes(
	where: HTMLElement,
	t: Timeline,
	moments: Snapshot[],
	list: Layer[],
	dark: boolean,
	height: number,
	h: Hooks,
): uPlot {
	const o = options(where.clientWidth, height, dark, round_bytes, h);
	const colours = layer_colours(list.length, dark);

	o.series.push(
		...list.map((l, i) => ({
			label: l.name,
			fill: colours[i],
			stroke:
				list.length === 1
					? css(oklch(dark ? 0.7 : 0.55, 0.12, 250))
					: colours[i],
			width: list.length === 1 ? 1.5 : 0.5,
			points: { show: false },
		})),
	);
	o.hooks = { ...o.hooks, draw: [(u) => mark_all(u, t, moments, dark)] };
	return new uPlot(o, [t.time_ns.map((v) => v / 1e9), ...stacked(list)], where);
}

/** Requests per second; null where the profile does not tell. */
export function plot_rates(
	where: HTMLElement,
	t: Timeline,
	dark: boolean,
	height: number,
	h: Hooks,
): uPlot | null {
	const y = rates(t);

	if (!y) return null;
	const o = options(where.clientWidth, height, dark, (v) => count(Math.round(v)), h);
	const stepped = uPlot.paths.stepped?.({ align: -1 });

	o.series.push({
		label: "requests per second",
		stroke: css(oklch(dark ? 0.7 : 0.55, 0.1, 165)),
		width: 1.2,
		fill: css(oklch(dark ? 0.32 : 0.93, 0.04, 165)),
		points: { show: false },
		...(stepped && { paths: stepped }),
	});
	return new uPlot(o, [t.time_ns.map((v) => v / 1e9), y], where);
}
