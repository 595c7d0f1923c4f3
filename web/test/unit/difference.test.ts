// SPDX-License-Identifier: BSD-2-Clause
// Two trees as one: which functions and chains are the same, and what their frames were and are.

import assert from "node:assert/strict";
import { test } from "node:test";
import { details_of, place_in, shown_of, without_runtime } from "../../src/data/elements";
import { make_difference } from "../../src/data/difference";
import type { Growth, GrownElement, GrownPath, TreeBlock } from "../../src/data/schema";
import { says_grown, says_runtime_grown } from "../../src/data/sentences";
import type { Tree } from "../../src/data/tree";
import { changes_of, part_of } from "../../src/flame/change";
import { change_colour, colouring, oklch } from "../../src/flame/colours";
import { type FrameOptions, find_names, make_frames } from "../../src/flame/frames";
import { grown_by, signed } from "../../src/ui/format";
import { type Chain, numbered, tree_block } from "../lib/made";

const NOW: Chain[] = [
	{ path: ["main", ["grows", 20]], allocs: 9, size: 100 },
	{ path: ["main", "shrinks"], allocs: 2, size: 10 },
	{ path: ["main", "both", "keep"], allocs: 1, size: 50 },
	{ path: ["main", "new", "keep"], allocs: 3, size: 50 },
];
const BASE: Chain[] = [
	{ path: ["main", "both", "keep"], allocs: 1, size: 50 },
	{ path: ["main", "gone"], allocs: 4, size: 25, frees: 1 },
	{ path: ["main", "shrinks"], allocs: 6, size: 10 },
	{ path: ["main", ["grows", 7]], allocs: 4, size: 100 },
	{ path: ["main", ["grows", 8]], allocs: 1, size: 100 },
];

const difference = (now = NOW, base = BASE): Tree => {
	const blocks = [tree_block(now), tree_block(base)];

	numbered(blocks);
	return make_difference(blocks[0], blocks[1]);
};

const options = (o: Partial<FrameOptions> = {}): FrameOptions => ({
	measure: "kept_bytes",
	inverted: false,
	hidden: new Set(),
	collapse: false,
	cut: 0,
	...o,
});

/** Width, before and now of the frame with that path. */
function frame(t: Tree, path: string[], o: FrameOptions = options()): number[] {
	const fr = make_frames(t, o);
	const f = find_names(t, fr, path);
	const c = changes_of(t, fr, o);

	assert.ok(c);
	assert.equal(f ? t.keys[fr.key[f]].name : undefined, path[path.length - 1]);
	return [fr.value[f], c.before[f], c.now[f]];
}

test("a chain is as wide as the larger of before and now, whatever lines it went through", () => {
	const t = difference();

	assert.deepEqual(frame(t, ["main", "grows"]), [900, 500, 900]);
	assert.deepEqual(frame(t, ["main", "shrinks"]), [60, 60, 20]);
	assert.deepEqual(frame(t, ["main", "gone"]), [75, 75, 0]);
	assert.deepEqual(frame(t, ["main", "new"]), [150, 0, 150]);
	assert.deepEqual(frame(t, ["main", "both"]), [50, 50, 50]);
	assert.deepEqual(frame(t, ["main"]), [1235, 685, 1120]);
	assert.deepEqual(frame(t, []), [1235, 685, 1120]);
});

test("every measure has both sides", () => {
	const t = difference();

	assert.deepEqual(frame(t, ["main", "gone"], options({ measure: "bytes" })), [100, 100, 0]);
	assert.deepEqual(frame(t, ["main", "grows"], options({ measure: "allocs" })), [9, 5, 9]);
	assert.deepEqual(frame(t, ["main"], options({ measure: "peak_bytes" })), [1260, 710, 1120]);
});

test("the inverted graph has the same figures, and follows callers of either side", () => {
	const t = difference();
	const o = options({ inverted: true });

	assert.deepEqual(frame(t, ["keep"], o), [200, 50, 200]);
	assert.deepEqual(frame(t, ["keep", "both", "main"], o), [50, 50, 50]);
	assert.deepEqual(frame(t, ["keep", "new", "main"], o), [150, 0, 150]);
	assert.deepEqual(frame(t, ["gone", "main"], o), [75, 75, 0]);
	assert.deepEqual(
		frame(t, ["shrinks"], options({ inverted: true, cut: 0.2 })),
		[60, 60, 20],
	);
	assert.deepEqual(
		frame(t, ["both", "main"], options({ inverted: true, hidden: new Set(["keep"]) })),
		[50, 50, 50],
	);
});

test("recursion collapses on both sides", () => {
	const t = difference(
		[{ path: ["main", "f", "f", "f"], allocs: 3, size: 10 }],
		[{ path: ["main", "f"], allocs: 2, size: 10 }],
	);

	for (const inverted of [false, true]) {
		const o = options({ inverted, collapse: true });

		assert.deepEqual(
			frame(t, inverted ? ["f", "main"] : ["main", "f"], o),
			[50, 20, 30],
		);
	}
});

test("functions are the same by their number, not by their name or by being inlined", () => {
	const now = tree_block([{ path: ["main", "renamed"], allocs: 3, size: 10 }]);
	const base = tree_block([{ path: ["main", "old name"], allocs: 1, size: 10 }]);

	now.functions.same = [1, 2];
	base.functions.same = [1, 2];
	base.sites.inlined = [0, 1];
	const t = make_difference(now, base);
	assert.deepEqual(frame(t, ["main", "renamed"]), [30, 10, 30]);
	base.functions.same = [1, 3];
	assert.deepEqual(frame(make_difference(now, base), ["main", "old name"]), [10, 10, 0]);
});

test("what is damaged or has no numbers has frames of its own, and cut chains are the same", () => {
	const bare = (chains: Chain[]): TreeBlock => tree_block(chains);
	const t = make_difference(bare(NOW), bare(BASE));
	const total = make_frames(t, options()).value[0];

	assert.equal(total, 1120 + 685);
	const cut = (n: number): TreeBlock => {
		const b = tree_block([{ path: ["f"], allocs: n, size: 10 }]);

		b.nodes.site[0] = -1;
		b.functions.same = [5];
		return b;
	};
	assert.equal(make_frames(make_difference(cut(3), cut(5)), options()).value[0], 50);
});

test("colours go from blue by grey to red, and a difference begins with them", () => {
	const t = difference();
	const fr = make_frames(t, options());
	const c = changes_of(t, fr, options());
	const parts = ["gone", "both", "new"].map((name) =>
		c ? part_of(c, fr, find_names(t, fr, ["main", name])) : NaN,
	);

	assert.deepEqual(parts, [-1, 0, 1]);
	for (const dark of [false, true]) {
		const [gone, both, fresh] = parts.map((p) => change_colour(p, dark));
		const red = (p: number): number => p & 255;
		const blue = (p: number): number => (p >> 16) & 255;

		assert.ok(blue(gone) - red(gone) > 60 && red(fresh) - blue(fresh) > 60);
		assert.ok(Math.abs(blue(both) - red(both)) < 8);
	}
	assert.equal(colouring("", t), "change");
	assert.equal(colouring("function", t), "function");
	assert.equal(colouring("change", { ...t, change: undefined }), "module");
	assert.equal(changes_of({ ...t, change: undefined }, fr, options()), null);
	assert.ok(oklch(0.5, 0, 0) > 0);
});

test("changes are told in words", () => {
	const side = (kept_blocks: number, allocs: number): Growth["now"] => ({
		allocs,
		bytes: allocs * 10,
		frees: 0,
		kept_blocks,
		kept_bytes: kept_blocks * 10,
	});
	const says = (before: Growth["now"], now: Growth["now"]): string =>
		says_grown("f", "kept_bytes", { before, now }).replace(/\u00a0/g, " ");

	assert.equal(
		says(side(1, 1), side(4, 4)),
		"f keeps 30 B more: 40 B in 4 blocks; before, 10 B in 1 block",
	);
	assert.equal(says(side(2, 2), side(1, 1)).slice(0, 18), "f keeps 10 B less:");
	assert.equal(says(side(0, 0), side(1, 1)), "f keeps 10 B in 1 block; before, nothing");
	assert.equal(
		says(side(3, 3), side(0, 0)),
		"f keeps nothing any more; before, 30 B in 3 blocks",
	);
	assert.equal(signed("5", 5), "+5");
	assert.equal(signed("-5", -5), "\u22125");
	assert.equal(signed("0", 0), "0");
	assert.deepEqual(
		[grown_by(2, 3), grown_by(2, 1), grown_by(2, 0), grown_by(2, 9)],
		["+50.0\u00a0%", "\u221250.0\u00a0%", "all gone", "4.5 times as much"],
	);
});

/** A changed chain; what is called "std::" is not own code. */
const grown = (names: string[], truncated = true, more: Partial<GrownElement> = {}): GrownPath => {
	const none = { allocs: 0, bytes: 0, frees: 0, kept_blocks: 0, kept_bytes: 0 };

	return {
		truncated,
		before: none,
		now: none,
		path: names.map((name) => ({
			function: name,
			file: null,
			line: null,
			offset: null,
			module: null,
			own: !name.startsWith("std::"),
			...more,
		})),
	};
};

test("chains that would look alike are told from each other, and no others", () => {
	const deep = ["std::a", "std::b", "std::c", "std::d"];
	const paths = [
		grown(["main", "one", "x", "y", "z", "f"]),
		grown(["main", "two", "x", "y", "z", "f"]),
		grown(["main", "g<int>(int)"]),
		grown(["main", "g<char>(int)"]),
		grown(["main", "alone", "x", "y", "h"]),
		grown(["own", ...deep]),
	];
	const details = details_of(paths);
	const shown = (i: number): string =>
		shown_of(paths[i].path, details.get(paths[i]) ?? "last")
			.map((e) => e.function)
			.join(" ");

	assert.deepEqual(
		paths.map((p) => details.get(p)),
		["all", "all", "whole", "whole", "last", "last"],
	);
	assert.equal(shown(0), "main one x y z f");
	assert.equal(shown(4), "alone x y h");
	assert.equal(shown(5), "own std::b std::c std::d");
});

test("lines and offsets stand behind functions where they tell chains apart", () => {
	const paths = [3, 4].map((line) => grown(["main", "f"], false, { line }));

	assert.deepEqual([...details_of(paths).values()], ["last", "last"]);
	assert.equal(place_in(paths[0].path[0]), ":3");
	assert.equal(place_in({ line: null, offset: 31 }), "+0x1f");
	assert.equal(place_in({ line: null, offset: null }), "");
});

test("what the runtime keeps more is no chain's, and is said by kind", () => {
	const side = (kept_blocks: number, kept_bytes: number) => ({
		allocs: 5,
		bytes: 5000,
		frees: 0,
		kept_blocks,
		kept_bytes,
	});
	const p: GrownPath = {
		truncated: false,
		path: [],
		before: side(1, 100),
		now: side(3, 4296),
		runtime: {
			before: { kept_blocks: 0, kept_bytes: 0 },
			now: { kept_blocks: 1, kept_bytes: 4096 },
		},
	};
	const own = without_runtime(p);
	const g = {
		runtime: [
			{ kind: "stdio buffers", before: 0, now: 4096 },
			{ kind: "locale", before: 1000, now: 500 },
			{ kind: "exit", before: 8, now: 8 },
		],
	} as unknown as Growth;

	assert.deepEqual([own.before, own.now], [side(1, 100), side(2, 200)]);
	assert.equal(without_runtime({ ...p, runtime: undefined }).now.kept_bytes, 4296);
	assert.equal(
		says_runtime_grown(g, 1)?.replace(/\u00a0/g, " "),
		"and +3.6 kB of the runtime's own (stdio buffers +4.1 kB, locale \u2212500 B)",
	);
	assert.equal(says_runtime_grown(g, -1), null);
	assert.equal(says_runtime_grown({ ...g, runtime: [] }, 1), null);
});
