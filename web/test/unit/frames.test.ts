// SPDX-License-Identifier: BSD-2-Clause
import assert from "node:assert/strict";
import test from "node:test";
import { type Measure, make_tree } from "../../src/data/tree";
import {
	type FrameOptions,
	type Frames,
	children,
	find_names,
	find_path,
	frame_at,
	make_frames,
	path_of,
} from "../../src/flame/frames";
import { of_known_type, places, types, path_text } from "../../src/flame/info";
import { next_match, step } from "../../src/flame/keys";
import { compile, exactly, find, of_type } from "../../src/flame/search";
import { tree_block } from "../lib/made";

const tree = make_tree(
	tree_block([
		{ path: ["main", ["a", 3], "leaf"], allocs: 10, size: 8, frees: 4, type: "one" },
		{ path: ["main", ["a", 5], "leaf"], allocs: 2, size: 8, type: "two" },
		{
			path: ["main", "b", "b", "b", "leaf"],
			allocs: 3,
			size: 100,
			frees: 3,
			temporary: 2,
		},
		{ path: ["main", "b"], allocs: 1, size: 5 },
	]),
);
const usual: FrameOptions = {
	measure: "bytes",
	inverted: false,
	hidden: new Set(),
	collapse: false,
	cut: 0,
};
const frames = (o: Partial<FrameOptions> = {}): Frames => make_frames(tree, { ...usual, ...o });
const value = (fr: Frames, ...names: string[]): number => {
	const f = find_names(tree, fr, names);

	return fr.depth[f] === names.length ? fr.value[f] : 0;
};

test("chains that differ only in the line are one frame", () => {
	const fr = frames();

	assert.equal(fr.value[0], 401);
	assert.equal(value(fr, "main", "a"), 96);
	assert.equal(value(fr, "main", "b"), 305);
	assert.equal(value(fr, "main", "b", "b", "b", "leaf"), 300);
	const a = find_names(tree, fr, ["main", "a"]);
	assert.deepEqual(places(tree, fr, a), ["/made/up.c:3", "/made/up.c:5"]);
	assert.deepEqual(types(tree, fr, a, "bytes"), ["one", "two"]);
	assert.equal(of_known_type(tree, fr, a, "bytes"), 96);
	assert.equal(of_known_type(tree, fr, 0, "bytes"), 96);
	assert.equal(of_known_type(tree, fr, find_names(tree, fr, ["main", "b"]), "bytes"), 0);
});

test("every measure has its own widths", () => {
	assert.equal(value(frames({ measure: "kept_bytes" }), "main", "a"), 64);
	assert.equal(value(frames({ measure: "kept_bytes" }), "main", "b"), 5);
	assert.equal(value(frames({ measure: "allocs" }), "main"), 16);
	assert.equal(value(frames({ measure: "temporary" }), "main"), 2);
	assert.equal(value(frames({ measure: "temporary" }), "main", "a"), 0);
});

test("the inverted graph begins with the functions that allocate", () => {
	const fr = frames({ inverted: true });

	assert.equal(fr.value[0], 401);
	assert.equal(value(fr, "leaf"), 396);
	assert.equal(value(fr, "leaf", "a", "main"), 96);
	assert.equal(value(fr, "b", "main"), 5);
	assert.deepEqual(types(tree, fr, find_names(tree, fr, ["leaf", "a"]), "bytes"), [
		"one",
		"two",
	]);
});

test("what is below the cut is not followed, and its sum stays", () => {
	const fr = frames({ inverted: true, cut: 0.5 });

	assert.equal(value(fr, "leaf", "a"), 96);
	assert.equal(value(fr, "leaf", "a", "main"), 0);
	assert.equal(value(fr, "leaf", "b", "b", "b", "main"), 300);
});

test("what is inside of a frame below the cut has no place, and is found all the same", () => {
	const fr = frames({ cut: 0.5 });
	const whole = frames({});
	const placed = (f: Frames): number => f.order.length;
	const path = path_of(whole, find_names(tree, whole, ["main", "a", "leaf"]));

	assert.equal(path.length, 3);
	assert.ok(placed(fr) < placed(whole));
	assert.deepEqual(path_of(fr, find_path(fr, path)), path);
	assert.equal(fr.depth[find_path(fr, path)], -1);
	assert.equal(fr.depth[find_path(fr, path.slice(0, 2))], 2);
	assert.equal(fr.value[find_names(tree, fr, ["main", "a", "leaf"])], 96);
	assert.equal(fr.value[0], whole.value[0]);
});

test("a hidden function leaves what it calls to its caller", () => {
	const fr = frames({ hidden: new Set(["a"]) });

	assert.equal(value(fr, "main", "a"), 0);
	assert.equal(value(fr, "main", "leaf"), 96);
	assert.equal(value(frames({ hidden: new Set(["a"]), inverted: true }), "leaf", "main"), 96);
});

test("recursion is one frame if it is collapsed", () => {
	assert.equal(value(frames({ collapse: true }), "main", "b", "leaf"), 300);
	assert.equal(value(frames({ collapse: true, inverted: true }), "leaf", "b", "main"), 300);
});

test("functions that call each other are each one frame if recursion is collapsed", () => {
	const t = make_tree(
		tree_block([
			{ path: ["main", "a", "b", "a", "b", "leaf"], allocs: 4, size: 10 },
			{ path: ["main", "a", "b", "a", "leaf"], allocs: 1, size: 7 },
			{ path: ["main", "?", "x", "?", "y"], allocs: 1, size: 3 },
		]),
	);
	const fr = make_frames(t, { ...usual, collapse: true });
	const inverted = make_frames(t, { ...usual, collapse: true, inverted: true });
	const of = (f: Frames, ...names: string[]): number => {
		const at = find_names(t, f, names);

		return f.depth[at] === names.length ? f.value[at] : 0;
	};

	assert.equal(of(fr, "main", "a"), 47);
	assert.equal(of(fr, "main", "a", "b", "leaf"), 40);
	assert.equal(of(fr, "main", "a", "leaf"), 7);
	assert.equal(of(fr, "main", "a", "b", "a"), 0);
	assert.equal(of(inverted, "leaf", "b", "a", "main"), 40);
	assert.equal(of(inverted, "leaf", "a", "main"), 7);
	// Functions that have no name are not the same one.
	assert.equal(of(fr, "main", "?", "x", "?", "y"), 3);
});

test("types are those of the blocks that the measure counts, the most first", () => {
	const t = make_tree(
		tree_block([
			{
				path: ["main", ["a", 1]],
				allocs: 9,
				size: 8,
				frees: 9,
				temporary: 9,
				type: "freed",
			},
			{ path: ["main", ["a", 2]], allocs: 1, size: 8, peak: 0, type: "kept" },
			{ path: ["main", ["a", 3]], allocs: 4, size: 8, peak: 2, type: "most" },
		]),
	);

	for (const inverted of [false, true]) {
		const of = (measure: Measure, query = ""): string[] => {
			const fr = make_frames(t, { ...usual, measure, inverted });
			const a = find_names(t, fr, inverted ? ["a"] : ["main", "a"]);
			const found = find(t, fr, compile(query), measure);

			assert.ok(a > 0);
			return query ? [String(found?.frames)] : types(t, fr, a, measure);
		};

		assert.deepEqual(of("bytes"), ["freed", "most", "kept"]);
		assert.deepEqual(of("kept_bytes"), ["most", "kept"]);
		assert.deepEqual(of("peak_bytes"), ["freed", "most"]);
		assert.deepEqual(of("temporary"), ["freed"]);
		assert.deepEqual(of("kept_bytes", "type:freed"), ["0"]);
		assert.deepEqual(of("bytes", "type:freed"), ["1"]);
	}
});

test("frames are beside each other, heaviest first, and are found by place", () => {
	const fr = frames();
	const [b, a] = children(fr, find_names(tree, fr, ["main"]));

	assert.equal(tree.keys[fr.key[b]].name, "b");
	assert.equal(fr.x0[a], fr.x0[b] + fr.value[b]);
	assert.equal(frame_at(fr, 2, 304.9), b);
	assert.equal(frame_at(fr, 2, 305), a);
	assert.equal(frame_at(fr, 3, 304.9), -1);
	assert.equal(frame_at(fr, 99, 1), -1);
});

test("a path leads back to its frame, and a wrong one as far as it is right", () => {
	const fr = frames();
	const f = find_names(tree, fr, ["main", "b", "b"]);

	assert.equal(find_path(fr, path_of(fr, f)), f);
	assert.equal(find_path(fr, [...path_of(fr, f), 12345]), f);
	assert.equal(find_path(fr, [12345]), 0);
	assert.equal(
		path_text(tree, fr, f),
		"main  /made/up.c:1\nb  /made/up.c:1\nb  /made/up.c:1",
	);
});

test("arrows lead along the frames", () => {
	const fr = frames();
	const main = step(fr, 0, "ArrowDown");
	const b = step(fr, main, "ArrowDown");
	const a = step(fr, b, "ArrowRight");

	assert.equal(tree.keys[fr.key[a]].name, "a");
	assert.equal(step(fr, a, "ArrowRight"), a);
	assert.equal(step(fr, a, "ArrowLeft"), b);
	assert.equal(step(fr, a, "ArrowUp"), main);
	assert.equal(step(fr, 0, "ArrowUp"), 0);
});

test("Enter goes from match to match, among those that are seen, and round again", () => {
	const fr = frames();
	const of = (...names: string[]): number => find_names(tree, fr, names);
	const hits = find(tree, fr, compile("leaf"), "bytes")?.hits ?? null;
	const [a, b] = [of("main", "a", "leaf"), of("main", "b", "b", "b", "leaf")];

	assert.equal(next_match(fr, hits, 0, -1, false), a);
	assert.equal(next_match(fr, hits, 0, a, false), b);
	assert.equal(next_match(fr, hits, 0, b, false), a);
	assert.equal(next_match(fr, hits, 0, a, true), b);
	assert.equal(next_match(fr, hits, of("main", "b"), -1, false), b);
	assert.equal(next_match(fr, hits, of("main", "b"), b, false), b);
	assert.equal(next_match(fr, null, 0, -1, false), -1);
});

test("a search counts frames, and what they cover only once", () => {
	const fr = frames();
	const b = find(tree, fr, compile("B"), "bytes");

	assert.equal(b?.frames, 3);
	assert.equal(b?.functions, 1);
	assert.equal(b?.covered, 305);
	assert.equal(find(tree, fr, compile(exactly("lea")), "bytes")?.frames, 0);
	assert.equal(find(tree, fr, compile("/^(a|leaf)$/"), "bytes")?.covered, 396);
	assert.equal(compile("/(/"), null);
	assert.equal(compile("  "), null);
});

test("a search for a type finds the frames that request it, and no others of that function", () => {
	const one = find(tree, frames(), compile("type:ONE"), "bytes");
	const whole = find(tree, frames({ inverted: true }), compile(of_type("two")), "bytes");

	assert.deepEqual([one?.frames, one?.functions, one?.covered], [1, 1, 96]);
	assert.deepEqual([whole?.frames, whole?.functions, whole?.covered], [1, 1, 396]);
	assert.equal(find(tree, frames(), compile(of_type("tw")), "bytes")?.frames, 0);
	assert.equal(compile("type:"), null);
	assert.equal(compile('type:"'), null);
});

test("indices that lead nowhere are unknown functions, not failures", () => {
	const bad = tree_block([{ path: ["main", "x"], allocs: 1, size: 1 }]);

	bad.nodes.up = [7, -3];
	bad.nodes.site = [99, -5];
	bad.leaves.node = [1000];
	bad.functions.name = [555];
	const t = make_tree(bad);
	assert.equal(make_frames(t, usual).value[0], 1);
});
