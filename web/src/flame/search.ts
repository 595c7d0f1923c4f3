// SPDX-License-Identifier: BSD-2-Clause
// What a search finds: functions by a part of their name, "whole name", or /regular expression/.

import type { Tree } from "../data/tree";
import type { Frames } from "./frames";

export type Test = (text: string) => boolean;

/** The test of a query; null if there is none, or while an expression is not finished. */
export function compile(query: string): Test | null {
	const q = query.trim();

	if (!q || q === "/" || q === '"') return null;
	if (q.startsWith("/")) {
		try {
			const re = new RegExp(q.slice(1).replace(/\/$/, ""), "i");
			return (text) => re.test(text);
		} catch {
			return null;
		}
	}
	if (q.length > 1 && q.startsWith('"') && q.endsWith('"')) {
		const whole = q.slice(1, -1);
		return (text) => text === whole;
	}
	const part = q.toLowerCase();
	return (text) => text.toLowerCase().includes(part);
}

/** The query that finds that very name. */
export const exactly = (name: string): string => `"${name}"`;

export interface Found {
	keys: Uint8Array; // 1 for the functions that match
	frames: number;
	functions: number;
	covered: number; // of the measure, each part once
}

export function find(t: Tree, fr: Frames, test: Test | null): Found | null {
	if (!test) return null;
	const keys = Uint8Array.from(t.keys, (k) => (test(k.name) ? 1 : 0));
	const inside = new Uint8Array(fr.n);
	const seen = new Set<string>();
	const found: Found = { keys, frames: 0, functions: 0, covered: 0 };

	for (let f = 1; f < fr.n; f++) {
		const hit = fr.value[f] > 0 && keys[fr.key[f]] === 1;

		inside[f] = hit || inside[fr.parent[f]] ? 1 : 0;
		if (!hit) continue;
		found.frames++;
		seen.add(t.keys[fr.key[f]].name);
		if (!inside[fr.parent[f]]) found.covered += fr.value[f];
	}
	found.functions = seen.size;
	return found;
}
