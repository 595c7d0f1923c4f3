// SPDX-License-Identifier: BSD-2-Clause
// Paints frames into pixels. One line of pixels is made for each row and copied down, and frames
// that share a pixel are passed over by a search, so that the cost is bounded by the width of the
// window, not by the number of frames.

import { type Frames, first_right_of } from "./frames";

export interface Window {
	from: number; // what part is seen, in units of the measure
	to: number;
	top: number; // how far it is scrolled, in pixels of the device
	row: number; // the height of a row, in pixels of the device
}

export interface Paints {
	of_key: Uint32Array;
	of_frame?: (f: number) => number; // in the place of that
	ground: number;
	match: number;
	hits: Uint8Array | null; // frames that match the search, or null without one
	dim_above: number; // frames of less depth are behind the zoom: paler
}

export interface Label {
	frame: number;
	x: number;
	width: number;
	row: number;
}

/** A colour half way to the ground. */
export function pale(p: number, ground: number): number {
	return (((p >>> 1) & 0x7f7f7f) + ((ground >>> 1) & 0x7f7f7f) + 0xff000000) >>> 0;
}

function colour_of(fr: Frames, f: number, p: Paints): number {
	const k = fr.key[f];
	let c = p.of_frame?.(f) ?? (k < 0 ? pale(0xff888888, p.ground) : p.of_key[k]);

	if (p.hits && k >= 0) c = p.hits[f] ? p.match : pale(c, p.ground);
	return fr.depth[f] < p.dim_above ? pale(c, p.ground) : c;
}

/** Paints one row into @line; labels wide enough for text go to @labels. */
function paint_row(
	line: Uint32Array,
	fr: Frames,
	depth: number,
	w: Window,
	p: Paints,
	least: number,
	labels: Label[],
): void {
	const width = line.length;
	const scale = width / (w.to - w.from);
	const high = fr.rows[depth + 1];
	let i = first_right_of(fr, fr.rows[depth], high, w.from);

	line.fill(p.ground);
	while (i < high) {
		const f = fr.order[i];
		const left = (fr.x0[f] - w.from) * scale;
		const right = left + fr.value[f] * scale;

		if (left >= width) break;
		const a = Math.max(Math.round(left), 0);
		const b = Math.min(Math.max(Math.round(right), a + 1), width);
		// A gap where there is room for one.
		line.fill(colour_of(fr, f, p), a, b - a > 3 && b < width ? b - 1 : b);
		if (b - a >= least) labels.push({ frame: f, x: a, width: b - a, row: depth });
		i++;
		if (right - left < 1)
			i = Math.max(i, first_right_of(fr, i, high, w.from + (a + 1) / scale));
	}
}

/** Paints what is seen; returns the frames that have room for a text. */
export function paint(
	pixels: Uint32Array,
	width: number,
	height: number,
	fr: Frames,
	w: Window,
	p: Paints,
	least: number,
): Label[] {
	const labels: Label[] = [];
	const line = new Uint32Array(width);
	const depths = fr.rows.length - 1;

	pixels.fill(p.ground);
	for (let d = Math.max(Math.floor(w.top / w.row), 0); d < depths; d++) {
		const y = d * w.row - w.top;

		if (y >= height) break;
		paint_row(line, fr, d, w, p, least, labels);
		for (let l = Math.max(y, 0); l < Math.min(y + w.row - 1, height); l++)
			pixels.set(line, l * width);
	}
	return labels;
}
