// SPDX-License-Identifier: BSD-2-Clause
// The canvas of the flame graph: as large as the window onto the frames, drawn only when something
// has changed, and then at the next frame of the screen.

import { inner_name, isolated, short_name } from "../ui/format";
import type { Key } from "../data/tree";
import type { Palette } from "./colours";
import { type Frames, frame_at } from "./frames";
import { type Label, paint } from "./paint";

export const ROW = 20; // pixels of a style sheet
const FONT = '11.5px ui-monospace, "SF Mono", Menlo, "DejaVu Sans Mono", Consolas, monospace';
const LEAST_TEXT = 34;
const ZOOM_MS = 180;
const NARROWEST = 1e-7; // of the whole, that the wheel zooms to
const PAPER = 1000; // as wide as this it can be read on a sheet
const PAPER_LARGEST = 16000; // rows of pixels that a browser has for a canvas

interface Span {
	from: number;
	to: number;
}

/** A part of the frames, in pixels of the device but for its upper edge. */
interface Sheet {
	dpr: number;
	width: number;
	height: number;
	top: number;
}

export class FlameCanvas {
	private frames: Frames | null = null;
	private keys: Key[] = [];
	private palette: Palette | null = null;
	private matches: Uint8Array | null = null;
	private span: Span = { from: 0, to: 1 };
	private zoomed = 0;
	/** The reader has gone elsewhere by the wheel: what is seen is not that of the frame. */
	free = false;
	selected = -1;
	private hovered = -1;
	private wanted = 0; // the request for a drawing, or 0
	private image: ImageData | null = null;
	private char_width = 0;
	/** What stands before the name of a frame. */
	sign_of: ((f: number) => string) | null = null;
	/** How long the last drawing took, for measurements. */
	last_ms = 0;

	constructor(
		private canvas: HTMLCanvasElement,
		private scroller: HTMLElement,
	) {}

	release(): void {
		cancelAnimationFrame(this.wanted);
		this.frames = null;
	}

	/** @again: as before, only finer. */
	show(frames: Frames, keys: Key[], zoomed: number, again: boolean): void {
		this.frames = frames;
		this.keys = keys;
		this.selected = this.hovered = -1;
		this.zoomed = zoomed;
		this.free &&= again;
		if (!this.free) this.span = this.span_of(zoomed);
		this.redraw();
	}

	paint_with(palette: Palette, matches: Uint8Array | null): void {
		this.palette = palette;
		this.matches = matches;
		this.redraw();
	}

	private span_of(f: number): Span {
		const fr = this.frames;

		if (!fr || !(fr.value[f] > 0) || fr.depth[f] < 0)
			return { from: 0, to: Math.max(fr?.value[0] ?? 1, 1) };
		return { from: fr.x0[f], to: fr.x0[f] + fr.value[f] };
	}

	/** Makes @f as wide as the canvas, in a short movement unless the reader wants none. */
	zoom(f: number): void {
		const from = this.span;
		const to = this.span_of(f);
		const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
		const begin = performance.now();

		this.zoomed = f;
		this.free = false;
		if (still) {
			this.span = to;
			return this.redraw();
		}
		const step = (now: number): void => {
			const t = Math.min(Math.max((now - begin) / ZOOM_MS, 0), 1);
			const e = 1 - (1 - t) ** 3;

			this.span = {
				from: from.from + (to.from - from.from) * e,
				to: from.to + (to.to - from.to) * e,
			};
			this.draw();
			this.wanted = t < 1 && this.frames ? requestAnimationFrame(step) : 0;
		};
		cancelAnimationFrame(this.wanted);
		this.wanted = requestAnimationFrame(step);
	}

	/** How much of the whole is seen. */
	part(): number {
		return (this.span.to - this.span.from) / (this.span_of(-1).to || 1);
	}

	/** So many times as much is seen, but at @x, in pixels, what is there now. */
	widen(times: number, x: number): void {
		const { from, to } = this.span;
		const whole = this.span_of(-1).to;
		const at = from + (x / Math.max(this.canvas.clientWidth, 1)) * (to - from);
		const width = Math.min(Math.max((to - from) * times, whole * NARROWEST, 1), whole);

		this.move_to(at - ((at - from) * width) / (to - from), width);
	}

	/** Moves what is seen to the right, by pixels of the style sheet. */
	pan(x: number): void {
		const width = this.span.to - this.span.from;

		this.move_to(
			this.span.from + (x / Math.max(this.canvas.clientWidth, 1)) * width,
			width,
		);
	}

	private move_to(from: number, width: number): void {
		const whole = this.span_of(-1).to;
		const begin = Math.min(Math.max(from, 0), whole - width);

		cancelAnimationFrame(this.wanted);
		this.wanted = 0;
		this.span = { from: begin, to: begin + width };
		this.free = width < whole || this.zoomed > 0;
		this.redraw();
	}

	/** Marks a frame; -1: none. */
	mark(selected: number, hovered: number): void {
		if (selected === this.selected && hovered === this.hovered) return;
		this.selected = selected;
		this.hovered = hovered;
		this.redraw();
	}

	redraw(): void {
		if (!this.wanted)
			this.wanted = requestAnimationFrame(() => {
				this.wanted = 0;
				this.draw();
			});
	}

	/** The frame at a place of the canvas, in pixels of the style sheet, or -1. */
	at(x: number, y: number): number {
		const fr = this.frames;
		const width = this.canvas.clientWidth;

		if (!fr || !width) return -1;
		const depth = Math.floor((y + this.scroller.scrollTop) / ROW);
		return frame_at(
			fr,
			depth,
			this.span.from + (x / width) * (this.span.to - this.span.from),
		);
	}

	/** Left edge and width of a frame on the canvas, and the upper edge of its row. */
	place(f: number): { x: number; y: number; width: number } {
		const fr = this.frames;
		const width = this.canvas.clientWidth;

		if (!fr) return { x: 0, y: 0, width: 0 };
		const scale = width / (this.span.to - this.span.from);
		const x = Math.max((fr.x0[f] - this.span.from) * scale, 0);
		const end = Math.min((fr.x0[f] + fr.value[f] - this.span.from) * scale, width);
		return {
			x,
			y: fr.depth[f] * ROW - this.scroller.scrollTop,
			width: Math.max(end - x, 1),
		};
	}

	/** Scrolls so that the row of @f is seen. */
	reveal(f: number): void {
		const y = (this.frames?.depth[f] ?? 0) * ROW;
		const room = this.scroller.clientHeight;

		if (y < this.scroller.scrollTop) this.scroller.scrollTop = y;
		else if (y + ROW > this.scroller.scrollTop + room)
			this.scroller.scrollTop = y + ROW - room;
	}

	/** What is seen of the frames: of a window a part. */
	private sheet(): Sheet {
		const dpr = Math.max(Math.round(devicePixelRatio * 4) / 4, 1);

		return {
			dpr,
			width: Math.round(this.canvas.clientWidth * dpr),
			height: Math.round(this.canvas.clientHeight * dpr),
			top: this.scroller.scrollTop,
		};
	}

	/**
	 * Draws all frames for paper, now: whoever prints does not wait for the next frame of the
	 * screen. null: draws for the screen again.
	 */
	print(palette: Palette | null): void {
		const rows = (this.frames?.rows.length ?? 1) - 1;
		const dpr = Math.min(2, PAPER_LARGEST / Math.max(rows * ROW, 1));
		const height = Math.round(rows * ROW * dpr);

		if (!palette) return this.redraw();
		this.draw({ dpr, width: Math.round(PAPER * dpr), height, top: 0 }, palette);
	}

	private draw(sheet = this.sheet(), palette = this.palette): void {
		const begin = performance.now();
		const fr = this.frames;
		const g = this.canvas.getContext("2d");
		const { dpr, width, height, top } = sheet;

		if (!fr || !g || !palette || !width || !height) return;
		if (!this.image || this.image.width !== width || this.image.height !== height) {
			this.canvas.width = width;
			this.canvas.height = height;
			this.image = g.createImageData(width, height);
		}
		const row = Math.round(ROW * dpr);
		const labels = paint(
			new Uint32Array(this.image.data.buffer),
			width,
			height,
			fr,
			{ ...this.span, top: Math.round(top * dpr), row },
			{
				of_key: palette.of_key,
				of_frame: palette.of_frame,
				ground: palette.ground,
				match: palette.match,
				hits: this.matches,
				dim_above: fr.depth[this.zoomed],
			},
			LEAST_TEXT * dpr,
		);
		g.putImageData(this.image, 0, 0);
		g.setTransform(dpr, 0, 0, dpr, 0, 0);
		g.fillStyle = palette.ink;
		this.texts(g, labels, dpr, top);
		if (palette === this.palette) this.outlines(g);
		this.last_ms = performance.now() - begin;
	}

	private texts(
		g: CanvasRenderingContext2D,
		labels: Label[],
		dpr: number,
		top: number,
	): void {
		g.font = FONT;
		g.textBaseline = "middle";
		g.direction = "ltr";
		this.char_width ||= g.measureText("0".repeat(50)).width / 50;
		for (const l of labels) {
			const room = l.width / dpr - 8;

			g.fillText(
				this.fitted(g, this.label_of(l.frame, room), room),
				l.x / dpr + 4,
				l.row * ROW - top + ROW / 2,
			);
		}
	}

	/** As much of a text as there is room for. */
	private fitted(g: CanvasRenderingContext2D, text: string, room: number): string {
		const fits = Math.floor(room / this.char_width);

		// The font gives all of these the same width, and measuring takes long.
		if (/^[ -~…]*$/.test(text))
			return text.length > fits
				? `${text.slice(0, Math.max(fits - 1, 1))}…`
				: text;
		const chars = [...text];
		for (let n = Math.min(chars.length, fits); n > 1;) {
			const some = n < chars.length ? `${chars.slice(0, n - 1).join("")}…` : text;

			const { width } = g.measureText(some);
			if (width <= room) return some;
			n = Math.min(n - 1, Math.floor((n * room) / width));
		}
		return "…";
	}

	private label_of(f: number, room: number): string {
		const k = this.keys[this.frames?.key[f] ?? -1];
		const sign = this.sign_of?.(f) ?? "";

		if (!k) return `${sign}all`;
		const fits = Math.floor(room / this.char_width) - sign.length;
		const name = isolated(inner_name(short_name(k.name), fits).slice(0, 400));
		return sign + (k.inlined ? `${name} (inlined)` : name);
	}

	private outlines(g: CanvasRenderingContext2D): void {
		for (const [f, width] of [
			[this.hovered, 1],
			[this.selected, 2],
		]) {
			if (f < 0 || !this.frames || f >= this.frames.n) continue;
			const p = this.place(f);

			g.lineWidth = width;
			g.strokeStyle = this.palette?.ink ?? "#000";
			g.strokeRect(
				p.x + width / 2,
				p.y + width / 2 - 0.5,
				Math.max(p.width - width, 1),
				ROW - width,
			);
		}
	}
}
