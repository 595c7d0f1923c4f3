// SPDX-License-Identifier: BSD-2-Clause
// Colours of frames. All are as light as each other, so that text can be read on each.

import type { Tree } from "../data/tree";

export const COLOURINGS = ["change", "module", "function"] as const;
export type Colouring = (typeof COLOURINGS)[number];

/** What is chosen; without a choice a difference has the colours of what has changed. */
export function colouring(chosen: Colouring | "", t: Tree): Colouring {
	if (t.change) return chosen || "change";
	return chosen === "function" ? "function" : "module";
}

/** A colour as a pixel of ImageData on a little-endian machine. */
export function pixel(r: number, g: number, b: number): number {
	return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

/** Lightness 0 to 1, chroma, hue in degrees. Source: Björn Ottosson, "A perceptual color
 * space". */
export function oklch(l: number, c: number, hue: number): number {
	const a = c * Math.cos((hue * Math.PI) / 180);
	const b = c * Math.sin((hue * Math.PI) / 180);
	const x = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3;
	const y = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
	const z = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
	const rgb = [
		4.0767416621 * x - 3.3077115913 * y + 0.2309699292 * z,
		-1.2684380046 * x + 2.6097574011 * y - 0.3413193965 * z,
		-0.0041960863 * x - 0.7034186147 * y + 1.707614701 * z,
	].map((v) => {
		const s = v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055;

		return Math.round(255 * Math.min(Math.max(s, 0), 1));
	});

	return pixel(rgb[0], rgb[1], rgb[2]);
}

export const css = (p: number): string => `rgb(${p & 255} ${(p >> 8) & 255} ${(p >> 16) & 255})`;

function hash(text: string): number {
	let h = 0x811c9dc5;

	for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
	h ^= h >>> 15;
	return h >>> 0;
}

/** Hues that are far from each other, for the modules in their order. */
const HUES = [235, 75, 165, 300, 35, 195, 345, 120, 265, 55];

function module_hue(modules: readonly string[], module: string | null): number | null {
	const i = module === null ? -1 : modules.indexOf(module);

	return i < 0 ? null : HUES[i % HUES.length];
}

/** The modules of the tree: the program itself, and then in the order in which chains meet them. */
export function modules_of(t: Tree): string[] {
	const main = t.keys.find((k) => k.name === "main")?.module ?? null;
	const all = [main, ...t.keys.map((k) => k.module)];

	return [...new Set(all.filter((m): m is string => m !== null))];
}

/** The colour of a module's frames, give or take a shade. */
export function module_colour(
	modules: readonly string[],
	module: string | null,
	dark: boolean,
	shade = 0,
): number {
	const hue = module_hue(modules, module);

	return oklch((dark ? DARK : LIGHT) + shade, hue === null ? 0.008 : 0.062, hue ?? 250);
}

const LIGHT = 0.845;
const DARK = 0.42;

/**
 * From -1, all gone, by 0, as it was, to 1, all new: blue, grey and red, which people who see no
 * green tell apart, too, and with more of the colour at both ends.
 */
export function change_colour(part: number, dark: boolean): number {
	const much = Math.sqrt(Math.min(Math.abs(part), 1));

	return oklch(
		(dark ? DARK : LIGHT) - (dark ? -0.06 : 0.1) * much,
		0.004 + 0.13 * much,
		part > 0 ? 32 : 255,
	);
}

export interface Palette {
	of_key: Uint32Array;
	of_frame?: (f: number) => number; // in the place of that
	match: number;
	ground: number;
	ink: string;
}

/** A colour for each function. */
export function palette(t: Tree, how: Colouring, dark: boolean): Palette {
	const modules = modules_of(t);
	const of_key = Uint32Array.from(t.keys, (k) => {
		const shade = ((hash(k.name) % 7) - 3) * 0.012;

		if (how === "function")
			return oklch(
				(dark ? DARK : LIGHT) + shade / 2,
				0.07,
				(hash(k.name) >>> 3) % 360,
			);
		return module_colour(modules, k.module, dark, shade);
	});

	return {
		of_key,
		match:
			how === "change"
				? oklch(dark ? 0.62 : 0.86, 0.17, 110)
				: oklch(dark ? 0.58 : 0.78, 0.16, 340),
		ground: dark ? pixel(22, 24, 28) : pixel(255, 255, 255),
		ink: dark ? "#eef0f3" : "#16181c",
	};
}
