// SPDX-License-Identifier: BSD-2-Clause
// What a search finds: functions by a part of their name, "whole name", or /regular expression/;
// and behind "type:" those that request a type of such a name.

import { type Measure, type Tree, typed } from "../data/tree";
import type { Frames } from "./frames";

/** What a query asks of the name of a function, or of a type that is requested by it. */
export interface Query {
	of: "function" | "type";
	test: (text: string) => boolean;
}

const TYPE = "type:";

function test_of(q: string): Query["test"] | null {
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

/** What is meant; null if nothing is, or while an expression is not finished. */
export function compile(text: string): Query | null {
	const q = text.trim();
	const of = q.startsWith(TYPE) ? "type" : "function";
	const test = test_of(of === "type" ? q.slice(TYPE.length).trim() : q);

	return test && { of, test };
}

/** The query that finds that very name. */
export const exactly = (name: string): string => `"${name}"`;

/** The query that finds who requests that very type. */
export const of_type = (name: string): string => TYPE + exactly(name);

export interface Found {
	hits: Uint8Array; // 1 for the frames that match
	frames: number;
	functions: number;
	covered: number; // of the measure, each part once
}

/** Frames of functions of such a name. */
function named(t: Tree, fr: Frames, test: Query["test"]): Uint8Array {
	const keys = Uint8Array.from(t.keys, (k) => (test(k.name) ? 1 : 0));

	return Uint8Array.from(fr.key, (k) => keys[k] ?? 0);
}

/** Frames of functions that request such a type; in the inverted graph they are the outermost. */
function requesting(t: Tree, fr: Frames, test: Query["test"], m: Measure): Uint8Array {
	const hits = new Uint8Array(fr.n);
	const keys = new Uint8Array(t.keys.length);
	const counted = typed(t, m);
	const { of, table } = fr.chains;

	t.types.node.forEach((node, i) => {
		if (!(counted[i] > 0) || !test(t.types.name[i])) return;
		if (fr.frame_of) hits[of[node]] = 1;
		else if (of[node] > 0) keys[table.key[of[node]]] = 1;
	});
	for (let f = 1; f < fr.n; f++) if (fr.parent[f] === 0 && keys[fr.key[f]]) hits[f] = 1;
	return hits;
}

/** @m: what the frames are as wide as: the types of other blocks are not there. */
export function find(t: Tree, fr: Frames, query: Query | null, m: Measure): Found | null {
	if (!query) return null;
	const hits = (query.of === "type" ? requesting : named)(t, fr, query.test, m);
	const inside = new Uint8Array(fr.n);
	const seen = new Set<string>();
	const found: Found = { hits, frames: 0, functions: 0, covered: 0 };

	for (let f = 1; f < fr.n; f++) {
		const hit = fr.value[f] > 0 && hits[f] === 1;

		inside[f] = hit || inside[fr.parent[f]] ? 1 : 0;
		if (!hit) continue;
		found.frames++;
		seen.add(t.keys[fr.key[f]].name);
		if (!inside[fr.parent[f]]) found.covered += fr.value[f];
	}
	found.functions = seen.size;
	return found;
}
