// SPDX-License-Identifier: BSD-2-Clause
import assert from "node:assert/strict";
import test from "node:test";
import { choices, last_of_each, snapshots } from "../../src/data/choices";
import { heaviest } from "../../src/data/culprits";
import { BlockError, decode } from "../../src/data/decode";
import { heights, quantile } from "../../src/data/lifetimes";
import {
	blamed,
	chain_of,
	chains_with,
	compare_chains,
	inwards,
	name_of,
} from "../../src/data/paths";
import { relatives } from "../../src/data/relatives";
import { make_rows } from "../../src/data/rows";
import { lacking } from "../../src/data/lacking";
import type { PageIndex, Report, Timeline } from "../../src/data/schema";
import {
	doubts,
	says_allocated,
	says_answer,
	says_lost,
	says_kept,
	says_missing,
	says_runtime,
	seen_by,
} from "../../src/data/sentences";
import { at_moment, is_least, layers, rates, stacked } from "../../src/data/series";
import { make_tree } from "../../src/data/tree";
import { paint } from "../../src/flame/paint";
import { find_path, make_frames } from "../../src/flame/frames";
import { path_text } from "../../src/flame/info";
import { START, type State, from_fragment, to_fragment } from "../../src/state/fragment";
import {
	bytes,
	clip,
	inner_name,
	isolated,
	named,
	round_bytes,
	share,
	short_name,
	time,
} from "../../src/ui/format";
import { visible, all_visible } from "../../src/data/visible";
import { filtered, in_text, next_sort, sorted } from "../../src/ui/rows";
import { type Chain, entry, pack, report, rows_block, tree_block } from "../lib/made";

const plain = (text: string): string => text.replace(/\u00a0/g, " ");

test("a block is read as it was written", async () => {
	const index: PageIndex = { schema: "mprof.page.v1", version: "ünï", profiles: [] };

	assert.deepEqual(
		await decode<PageIndex>(`\n${pack(index)}\n`, "mprof.page.v1", "it"),
		index,
	);
});

const index_of = (...profiles: [title: string, until_ns?: number][]): PageIndex => ({
	schema: "mprof.page.v1",
	version: "1",
	profiles: profiles.map(([title, until_ns], i) => entry(title, i, until_ns)),
});

test("profiles of one process are told apart by how far they go, others by their names", () => {
	const index = index_of(
		["a (pid 1)", 5e8],
		["a (pid 1)", 2e9],
		["b (pid 2)", 1e9],
		["a (pid 1)"],
	);

	assert.deepEqual(
		choices(index).map((c) => plain(c.title)),
		[
			"All 2 processes, 2 moments of them besides",
			"a (pid 1), 0.50 s",
			"a (pid 1), 2.00 s",
			"b (pid 2)",
			"a (pid 1)",
		],
	);
});

test("of several processes there is a list first; each counts once, by its last profile", () => {
	const index = index_of(["a (pid 1)", 5], ["b (pid 2)", 5], ["a (pid 1)", 9]);
	const last = (i: PageIndex): string[] => last_of_each(i.profiles).map((p) => p.report);

	assert.deepEqual(
		choices(index).map((c) => c.of),
		["all", "profile", "profile", "profile"],
	);
	assert.deepEqual(last(index), ["mprof-report-1", "mprof-report-2"]);
	const moments = index_of(["a (pid 1)", 5], ["a (pid 1)", 9]);
	assert.deepEqual(
		choices(moments).map((c) => c.of),
		["profile", "profile"],
	);
	assert.deepEqual(last(index_of(["a (pid 1)", 5], ["a (pid 1)", 5])), ["mprof-report-0"]);
	// Two sums of profiles are of no process, and so not of the same one.
	const sums = index_of(["sum of 2 profiles", 5], ["sum of 2 profiles", 9]);
	assert.equal(choices(sums)[0].title, "All 2 profiles");
	assert.deepEqual(snapshots(sums, 2), []);
	assert.equal(choices({ ...index, growth: "g" })[0].of, "difference");
});

test("the same number and program are another process if it began at another time", () => {
	const index = index_of(["a (pid 1)", 5e8], ["a (pid 1)", 2e9], ["a (pid 1)", 1e9]);

	index.profiles[0].started_ns = index.profiles[2].started_ns = 1e18;
	index.profiles[1].started_ns = 2e18;
	// Two processes of that number, or one that has executed itself.
	assert.deepEqual(
		choices(index).map((c) => plain(c.title)),
		[
			"All 2 profiles, 1 moment of them besides",
			"a (pid 1), 0.50 s",
			"a (pid 1), 2.00 s",
			"a (pid 1), 1.00 s",
		],
	);
	assert.deepEqual(snapshots(index, 3), [{ profile: 1, ns: 5e8 }]);
	assert.deepEqual(snapshots(index, 2), []);
});

test("a page that has not got all says how many there are, even with one", () => {
	const index = index_of(["a (pid 1)", 5], ["b (pid 2)", 5]);

	assert.equal(choices({ ...index, missing: 3 })[0].title, "2 of 5 processes");
	const one = { ...index_of(["a (pid 1)", 5]), missing: 1 };
	assert.deepEqual(
		choices(one).map((c) => c.title),
		["1 of 2 processes", "a (pid 1)"],
	);
	assert.match(plain(says_missing(1)), /^1 more profile is not in this page /);
	assert.match(plain(says_missing(1300)), /^1,300 more profiles are not in this page /);
});

test("the snapshots of a profile are those of its process that end before it, in order", () => {
	const index = index_of(
		["a (pid 1)", 9],
		["a (pid 1)", 5],
		["b (pid 2)", 4],
		["a (pid 1)", 3],
		["a (pid 1)"],
	);

	// The first choice is the list.
	assert.deepEqual(snapshots(index, 0), []);
	assert.deepEqual(snapshots(index, 1), [
		{ profile: 4, ns: 3 },
		{ profile: 2, ns: 5 },
	]);
	assert.deepEqual(snapshots(index, 2), [{ profile: 4, ns: 3 }]);
	assert.deepEqual(snapshots(index, 3), []);
	assert.deepEqual(snapshots(index, 5), []);
	const alone = index_of(["a (pid 1)", 9], ["a (pid 1)", 5]);
	assert.deepEqual(snapshots(alone, 0), [{ profile: 1, ns: 5 }]);
	assert.deepEqual(snapshots({ ...index, growth: "g" }, 0), []);
});

test("what a profile has not got is said, and why", () => {
	const r = report([{ path: ["main"], allocs: 1, size: 8 }]);
	const whole = report([{ path: ["main"], allocs: 1, size: 8, type: "a" }]);
	const timeline = {
		time_ns: [1],
		live_bytes: [8],
		live_blocks: [1],
		allocs: null,
		peak: 0,
		sites: [],
		rest: [8],
	};
	const module = (path: string, names: string): Report["modules"][0] => ({ path, names });

	assert.deepEqual(lacking({ ...whole, timeline, modules: [module("/a/b", "DWARF")] }), []);
	assert.match(
		lacking({ ...r, timeline }).join("\n"),
		/^No types of sizes: debugging information tells of none/,
	);
	assert.match(
		lacking({ ...r, timeline, options: ["--types=none"] }).join("\n"),
		/^No types of sizes: they were not wanted \(--types=none\)\.$/,
	);
	assert.match(lacking(whole).join("\n"), /^No timeline: [^\n]*--timeline=0[^\n]*\.$/);
	assert.match(
		lacking({
			...whole,
			timeline,
			modules: [
				module("/a/b", ".dynsym"),
				module("/c", ".symtab"),
				module("/d/e", "none; the file is gone or cannot be read"),
			],
		}).join("\n"),
		/^Only exported functions of b and e have names: /,
	);
});

test("a damaged block, and one of another schema, are errors with a sentence", async () => {
	const other = pack({ schema: "mprof.page.v2" });

	await assert.rejects(
		decode<PageIndex>("%%%", "mprof.page.v1", "The list"),
		/The list in this page is damaged/,
	);
	await assert.rejects(
		decode<PageIndex>(pack("x").slice(8), "mprof.page.v1", "The list"),
		BlockError,
	);
	await assert.rejects(
		decode<PageIndex>(other, "mprof.page.v1", "The list"),
		/The list in this page is not mprof.page.v1/,
	);
});

test("the engine is told as it was recorded, and never guessed", () => {
	const r = report([]);

	assert.equal(seen_by({ ...r, engines: ["trap"] }), "seen by traps");
	assert.equal(
		seen_by({ ...r, engines: ["trap", "fast"] }),
		"seen by traps and the fast engine",
	);
	assert.match(
		seen_by({ ...r, engines: ["fast", "unknown"] }),
		/fast engine and what is not/,
	);
	assert.equal(seen_by({ ...r, engines: null }), "engine not recorded");
});

test("the fragment keeps all that is shown", () => {
	const state: State = {
		profile: 2,
		view: "flame",
		measure: "temporary",
		inverted: true,
		zoom: [3, 0, 17],
		path: ["a b", "c\nd"],
		search: "std::vector<int, x & y>#%",
		hidden: ["one", "operator()"],
		collapse: true,
		colour: "function",
		fn: "f(int)",
		filter: "a=b&c",
		sort: "-kept",
	};

	assert.deepEqual(from_fragment(`#${to_fragment(state)}`), state);
	assert.equal(to_fragment(START), "");
	assert.deepEqual(from_fragment(""), START);
});

test("a fragment that makes no sense is as the start", () => {
	assert.deepEqual(
		from_fragment(
			"#view=nonsense&by=x&zoom=1e99.-2.y&profile=-1&colour=%ff&callers=yes",
		),
		START,
	);
});

test("figures are short and exact enough", () => {
	assert.deepEqual(
		[0, 999, 1000, 1023876, 99950, 999499, 1e15].map((n) => plain(bytes(n))),
		["0 B", "999 B", "1.0 kB", "1.0 MB", "100 kB", "999 kB", "1.0 PB"],
	);
	assert.deepEqual([share(1, 0), share(1, 3), share(1, 1e6), share(1, 1)].map(plain), [
		"",
		"33.3 %",
		"< 0.1 %",
		"100 %",
	]);
	assert.deepEqual(
		[0, 5, 2500, 1.5e6, 251e6, 12.34e9, 200e9].map((n) => plain(time(n))),
		["0 s", "5 ns", "3 µs", "1.5 ms", "0.25 s", "12.3 s", "3 min 20 s"],
	);
});

test("long names are short without arguments, and operators stay", () => {
	const cases = {
		main: "main",
		"std::vector<int, std::allocator<int> >::push_back(int const&)":
			"std::vector<>::push_back",
		"void std::f<int>(int)": "std::f<>",
		"a::operator<<(int)": "a::operator<<",
		"a<b>::operator()(int) const": "a<>::operator()",
		"a::operator<(a const&)": "a::operator<",
		"(anonymous namespace)::f(int)": "{anonymous}::f",
		"operator new(unsigned long)": "operator new",
		"<alloc::vec::Vec<T> as core::Clone>::clone":
			"<alloc::vec::Vec<T> as core::Clone>::clone",
		"broken<": "broken<",
	};

	for (const [long, short] of Object.entries(cases)) assert.equal(short_name(long), short);
	assert.equal(clip("abcdefghij", 5), "abc…j");
	assert.ok(short_name("x<".repeat(5000)).length > 0);
});

test("rows are sorted by a column, equal ones stay, and a filter wants every word", () => {
	const rows = [
		{ n: 2, t: "b" },
		{ n: 10, t: "a" },
		{ n: 2, t: "C" },
	];
	const columns = [{ id: "n", value: (r: { n: number }) => r.n }];

	assert.deepEqual(
		sorted(rows, columns, "-n").map((r) => r.t),
		["a", "b", "C"],
	);
	assert.deepEqual(
		sorted(rows, columns, "n").map((r) => r.t),
		["b", "C", "a"],
	);
	assert.deepEqual(sorted(rows, columns, "nothing"), rows);
	assert.deepEqual(
		filtered(
			rows,
			in_text((r) => `${r.n} ${r.t}`),
			" c 2",
		).map((r) => r.t),
		["C"],
	);
	assert.equal(next_sort("", "n", true), "-n");
	assert.equal(next_sort("-n", "n", true), "n");
	assert.equal(next_sort("-n", "t", false), "t");
});

test("the first rows of a long table are those of all in order", () => {
	const rows = Array.from({ length: 1000 }, (_, i) => ({ i, n: (i * 7919) % 101 }));
	const columns = [
		{ id: "n", value: (r: { n: number }) => r.n },
		{
			id: "c",
			compare: (a: { n: number }, b: { n: number }) => (a.n % 10) - (b.n % 10),
		},
	];

	for (const sort of ["n", "-n", "c", "-c"])
		for (const n of [1, 10, 100, 999, 1000, 5000])
			assert.deepEqual(
				sorted(rows, columns, sort, n),
				sorted(rows, columns, sort).slice(0, n),
			);
	assert.deepEqual(
		sorted(rows, columns, "n").map((r) => r.n),
		rows.map((r) => r.n).sort((a, b) => a - b),
	);
});

test("rows tell their chains by a node of the tree and a depth", () => {
	const chains = [
		{ path: ["main", "red", "std::make"], allocs: 5, size: 10, type: "widget" },
		{ path: ["main", "blue", "std::make"], allocs: 5, size: 10, frees: 5 },
		{ path: ["main", "blue"], allocs: 1, size: 1, frees: 1, temporary: 1 },
	];
	const t = make_tree(tree_block(chains));
	const rows = make_rows(rows_block(chains));
	const [red, blue] = rows.leaks.node;
	const names = (node: number, depth?: number): string[] =>
		chain_of(t, node, depth).map((n) => name_of(t, n));

	assert.deepEqual(names(red), ["main", "red", "std::make"]);
	assert.deepEqual(names(red, 2), ["red", "std::make"]);
	assert.deepEqual(inwards(t, blue), ["std::make", "blue", "main"]);
	assert.equal(name_of(t, blamed(t, red)), "red");
	assert.equal(name_of(t, blamed(t, red, 1)), "std::make");
	assert.equal(name_of(t, blamed(t, -1)), "?");
	assert.ok(compare_chains(t, blue, red) < 0 && compare_chains(t, red, blue) > 0);
	assert.deepEqual(rows.types(0), ["widget"]);
	assert.deepEqual(rows.buckets(1), [{ from: 1024, blocks: 1 }]);
	const has = chains_with(t, "red");
	assert.deepEqual(
		[has(red, 2), has(red, 1), has(red, Infinity), has(blue, 2)],
		[true, false, true, false],
	);
	assert.ok(chains_with(t, "up.c:1")(blue, 3));
});

test("callers and callees have what was requested over each arc", () => {
	const t = make_tree(
		tree_block([
			{ path: ["main", "f", "g"], allocs: 2, size: 10 },
			{ path: ["main", "f", "g", "g", "f"], allocs: 3, size: 1 },
			{ path: ["f"], allocs: 1, size: 5 },
		]),
	);
	const named = (
		list: { fn: number; bytes: number; calls: number }[],
	): [string, number, number][] => list.map((r) => [t.functions[r.fn], r.bytes, r.calls]);
	const of = relatives(t, t.functions.indexOf("f"));

	assert.deepEqual(named(of.callers), [
		["main", 23, 5],
		["g", 3, 3],
	]);
	assert.deepEqual(named(of.callees), [["g", 23, 5]]);
});

test("the caller that keeps what a shared function makes is named, not the function", () => {
	const tree = make_tree(
		tree_block([
			{
				path: ["main", ["red", 4], "make"],
				allocs: 5,
				size: 10,
				type: "widget",
			},
			{ path: ["main", "blue", "make"], allocs: 5, size: 10, frees: 5 },
		]),
	);
	const [first, ...others] = heaviest(tree, "kept_bytes", 5);

	assert.equal(plain(says_kept(first)), "red keeps 50 B in 5 blocks, none of it ever freed");
	assert.equal(first.place, "/made/up.c:4");
	assert.equal(first.through, "make");
	assert.deepEqual(first.types, ["widget"]);
	assert.deepEqual(others, []);
});

test("what the runtime keeps is set apart from what the program's own code keeps", () => {
	const chains = [
		{ path: ["main", "f", "std::pool"], allocs: 1, size: 72704, runtime: true },
		{ path: ["main", "f", "std::make"], allocs: 2, size: 10 },
		{ path: ["main", "puts"], allocs: 1, size: 1024, runtime: true },
	];
	const [f, ...others] = heaviest(make_tree(tree_block(chains)), "kept_bytes", 5);

	assert.deepEqual([f.name, f.kept_bytes, f.kept_blocks], ["f", 20, 2]);
	assert.deepEqual(others, []);
	assert.equal(
		plain(says_runtime(report(chains)) ?? ""),
		"and 73.7 kB of the runtime's own (std::pool 72.7 kB, puts 1.0 kB)",
	);
	assert.equal(says_runtime(report(chains.slice(1, 2))), null);
});

test("what is lost is the answer, and who loses it; else that nobody looked", () => {
	const chains = [
		{ path: ["main", "drop"], allocs: 9, size: 100, lost: 3, hanging: 48 },
		{ path: ["main", "slip"], allocs: 9, size: 10, lost: 4 },
		{ path: ["main", "hold"], allocs: 9, size: 1000, lost: 0 },
	];
	const list = heaviest(make_tree(tree_block(chains)), "lost_bytes", 5);
	const r = report(chains);
	const none = { blocks: 0, bytes: 0 };
	const reach = { lost_direct: none, lost_through: none, possible: none, reachable: none };
	const lost_direct = { blocks: 7, bytes: 416 };
	const lost_through = { blocks: 1, bytes: 48 };

	assert.deepEqual(list.map(says_lost).map(plain), [
		"drop loses 300 B in 3 blocks of the 9 it keeps; 48 B more hang on it",
		"slip loses 40 B in 4 blocks of the 9 it keeps",
	]);
	assert.match(says_kept(list[0]), /none of it ever freed; lost 3 of 9$/);
	assert.match(
		plain(says_answer(r)),
		/^10.0 kB in 27 blocks kept at the end; whether .* was not looked for/,
	);
	assert.match(says_answer({ ...r, reach }), /^Nothing is lost/);
	assert.match(
		plain(
			says_answer({
				...r,
				reach: { ...reach, possible: { blocks: 2, bytes: 70 } },
			}),
		),
		/^Nothing is certainly lost; 70 B in 2 blocks may be/,
	);
	assert.match(
		plain(says_answer({ ...r, reach: { ...reach, lost_direct, lost_through } })),
		/^416 B in 7 blocks lost, and through them 48 B in 1: nothing led to them/,
	);
	assert.equal(says_answer(report([])), "");
});

test("of several functions that allocate for a site the heaviest is named, or none", () => {
	const through = (sizes: number[]): string | null =>
		heaviest(
			make_tree(
				tree_block(
					sizes.map((size, i) => ({
						path: ["main", `std::f${i}`],
						allocs: 1,
						size,
					})),
				),
			),
			"kept_bytes",
			5,
		)[0].through;

	assert.equal(through([1, 20, 3]), "std::f1");
	assert.equal(through([10, 10, 1]), null);
	assert.equal(through([10, 10]), null);
});

test("the heaviest causes come first, however many places there are", () => {
	const chains = Array.from({ length: 60 }, (_, i) => ({
		path: ["main", `caller${i % 7}`, `f${i % 20}`],
		allocs: 10,
		size: 1 + ((i * 37) % 60),
		frees: (i * 13) % 11,
	}));
	const tree = make_tree(tree_block(chains));
	const all = heaviest(tree, "kept_bytes", 1000);

	assert.deepEqual(
		all.map((c) => c.kept_bytes),
		all.map((c) => c.kept_bytes).sort((a, b) => b - a),
	);
	assert.equal(
		all.reduce((sum, c) => sum + c.kept_bytes, 0),
		tree.own.kept_bytes.reduce((a, b) => a + b, 0),
	);
	for (const n of [1, 5, 20])
		assert.deepEqual(heaviest(tree, "kept_bytes", n), all.slice(0, n));
});

test("a function whose callers all keep some of it is named itself", () => {
	const tree = make_tree(
		tree_block([
			{ path: ["main", "red", "make"], allocs: 4, size: 10, frees: 2 },
			{ path: ["main", "blue", "make"], allocs: 4, size: 10, frees: 1 },
		]),
	);
	const [first] = heaviest(tree, "bytes", 5);

	assert.equal(plain(says_allocated(first)), "make allocates 80 B in 8 blocks, 10 B each");
	assert.equal(
		plain(says_kept(first)),
		"make keeps 50 B in 5 blocks; 3 of the 8 it allocated were freed",
	);
});

test("what was not seen is said, and nothing else", () => {
	const r = report([{ path: ["main"], allocs: 1, size: 1 }]);

	assert.deepEqual(doubts(r), []);
	r.totals.truncated_chains = 1;
	r.unseen = {
		lost_events: 7,
		doubtful_calls: 0,
		other_requests: 0,
		other_frees: 0,
		taken_functions: 0,
		pauses: 0,
		paused_ns: 0,
		missed_blocks: 0,
		missed_bytes: 0,
		paused_frees: 0,
		untrapped: false,
		spared_lifetimes: false,
		spared_timeline: false,
		spared_depth: 0,
	};
	assert.equal(doubts(r).length, 2);
	assert.match(doubts(r)[0], /^7 events could not be counted/);
	r.unseen.spared_depth = 4;
	r.totals.truncated_cut = 1;
	assert.deepEqual(doubts(r).slice(2).map(plain), [
		"To keep to --max-memory 1 chain of calls was cut, the last ones to 4 frames.",
	]);
	r.unseen.spared_lifetimes = r.unseen.spared_timeline = true;
	assert.equal(doubts(r).length, 5);
	r.unseen.untrapped = true;
	assert.match(doubts(r)[0], /^No allocator was found in the program: nothing was counted/);
	r.merged = 3;
	assert.match(doubts(r)[0], /^No allocator was found in some of the 3 profiles: /);
});

test("what a pause has hidden is said, each part of it if there is some", () => {
	const r = report([{ path: ["main"], allocs: 1, size: 1 }]);
	const unseen = {
		lost_events: 0,
		doubtful_calls: 0,
		other_requests: 0,
		other_frees: 0,
		taken_functions: 0,
		pauses: 2,
		paused_ns: 3.5e9,
		missed_blocks: 3,
		missed_bytes: 700,
		paused_frees: 1,
		untrapped: false,
		spared_lifetimes: false,
		spared_timeline: false,
		spared_depth: 0,
	};

	r.unseen = unseen;
	assert.deepEqual(doubts(r).map(plain), [
		"Nothing was seen in 2 pauses of 3.50 s in all.",
		"3 blocks of 700 B that were there when a pause began may have been freed in it: " +
			"they count as freed, and not as kept.",
		"1 free of blocks that were requested in a pause, or before it was attached to.",
	]);
	r.unseen = { ...unseen, missed_blocks: 0, missed_bytes: 0, paused_frees: 0 };
	assert.equal(doubts(r).length, 1);
});

const series = (sites: number): Timeline => ({
	time_ns: [0, 1e9, 3e9],
	live_bytes: [0, 100 + sites, 50 + sites],
	live_blocks: [0, 2, 1],
	allocs: [0, 10, 20],
	peak: 1,
	sites: Array.from({ length: sites }, (_, i) => ({
		function: `f${i}`,
		file: null,
		line: 0,
		bytes: [0, 1, 1],
	})),
	rest: [0, 100, 50],
});

test("layers add up to what is live, ten sites and the rest", () => {
	const t = series(13);
	const list = layers(t);

	assert.equal(list.length, 11);
	assert.deepEqual(list[10].bytes, [0, 103, 53]);
	assert.deepEqual(stacked(list)[0], t.live_bytes);
	assert.deepEqual(stacked(layers(series(0))), [[0, 100, 50]]);
	assert.deepEqual(rates(t), [null, 10, 5]);
	assert.equal(rates({ ...t, allocs: null }), null);
	// Two points that are closer together than the clock is good for.
	const close = [0, 1e9, 1e9 + 5e5, 1e9 + 2e7, 1e9 + 4e7, 1e9 + 4e7];
	assert.deepEqual(
		rates({ ...t, time_ns: close, allocs: [0, 10, 2010, 2010, 2030, 2040] })?.map(
			(rate) => rate && Math.round(rate),
		),
		[null, 10, 2009, 0, 1000, 1500],
	);
	assert.deepEqual(rates({ ...t, time_ns: [0, 1, 2], allocs: [0, 1, 2] }), [
		null,
		null,
		null,
	]);
});

test("what sites held is the least they did where all is not known and something is left", () => {
	const t = series(2);

	assert.deepEqual(
		[0, 1, 2].map((i) => is_least(t, i)),
		[false, true, true],
	);
	assert.deepEqual(
		[0, 1, 2].map((i) => is_least({ ...t, exact: [false, true, false] }, i)),
		[false, false, true],
	);
	assert.ok(!is_least(series(0), 1));
});

test("sites stand in the order of what they held at the moment, and the rest is last", () => {
	const t = series(3);

	t.sites[1].bytes = [0, 9, 3];
	t.sites[2].bytes = [0, 5, 5];
	const list = layers(t);
	const names = (at: number): string[] => at_moment(list, at).map((i) => list[i].name);

	assert.deepEqual(names(1), ["f1", "f2", "f0", "the rest"]);
	assert.deepEqual(names(2), ["f2", "f1", "f0", "the rest"]);
});

test("half of the blocks and all of them have a bucket", () => {
	const b = [
		{ from: 0, blocks: 1 },
		{ from: 4, blocks: 8 },
		{ from: 64, blocks: 1 },
	];

	assert.equal(quantile(b, 0.5), 4);
	assert.equal(quantile(b, 1), 64);
	assert.equal(quantile([], 0.5), null);
	assert.deepEqual(heights(b, 0, 3), [0.125, 0, 1, 0]);
});

test("pixels have the colour of their frame; those that share one cost nothing more", () => {
	const chains = Array.from({ length: 5000 }, (_, i) => ({
		path: ["main", `f${i}`],
		allocs: 1,
		size: 1,
	}));
	const t = make_tree(
		tree_block([...chains, { path: ["main", "wide"], allocs: 5000, size: 1 }]),
	);
	const fr = make_frames(t, {
		measure: "bytes",
		inverted: false,
		hidden: new Set(),
		collapse: false,
		cut: 0,
	});
	const of_key = Uint32Array.from(t.keys, (k) =>
		k.name === "main" ? 0xff0000aa : k.name === "wide" ? 0xff00bb00 : 0xffcc0000,
	);
	const pixels = new Uint32Array(100 * 60);
	const labels = paint(
		pixels,
		100,
		60,
		fr,
		{ from: 0, to: 10000, top: 0, row: 20 },
		{ of_key, ground: 0xffffffff, match: 0, hits: null, dim_above: 0 },
		30,
	);

	assert.equal(pixels[20 * 100 + 50], 0xff0000aa);
	assert.equal(pixels[40 * 100 + 10], 0xff00bb00);
	assert.ok(pixels.subarray(40 * 100 + 50, 40 * 100 + 100).every((p) => p === 0xffcc0000));
	assert.equal(pixels[39 * 100], 0xffffffff);
	assert.deepEqual(
		labels.map((l) => l.row),
		[0, 1, 2],
	);
});

test("what stands at an axis is as round as it is, and no rounder", () => {
	const shown = [0, 500, 750e3, 1e6, 1.25e6, 1.5e6, 12.5e9].map((n) => plain(round_bytes(n)));

	assert.deepEqual(shown, ["0 B", "500 B", "750 kB", "1 MB", "1.25 MB", "1.5 MB", "12.5 GB"]);
});

test("a site is where most of it is in one frame: from main, or from the allocators", () => {
	const spot = (chains: Chain[], by: "bytes" | "kept_bytes" = "bytes"): string => {
		const t = make_tree(tree_block(chains));
		const { at, name } = heaviest(t, by, 1)[0];
		const o = { measure: by, hidden: new Set<string>(), collapse: false, cut: 0 };
		const fr = make_frames(t, { ...o, inverted: at.inverted });
		const f = find_path(fr, at.zoom);

		assert.equal(t.keys[fr.key[f]].name, name);
		const names = path_text(t, fr, f)
			.split("\n")
			.map((l) => l.split("  ")[0]);
		return [
			...names,
			fr.value[f],
			...(at.inverted ? ["inverted"] : []),
			...(at.whole ? [] : ["in part"]),
		].join(" ");
	};
	const lib = ["std::make", "std::new"];

	assert.equal(spot([{ path: ["main", "f", ...lib], allocs: 4, size: 10 }]), "main f 40");
	assert.equal(
		spot([
			{ path: ["main", "a", "f", ...lib], allocs: 4, size: 10 },
			{ path: ["main", "b", "f", ...lib], allocs: 4, size: 10 },
		]),
		"f std::make std::new 80 inverted",
	);
	assert.equal(
		spot([
			{ path: ["main", "a", "f", "std::x"], allocs: 4, size: 10 },
			{ path: ["main", "b", "f", "std::y"], allocs: 5, size: 10 },
		]),
		"main b f 50 in part",
	);
});

test("what cannot be seen in a text is written out, wherever it stands in a block", async () => {
	assert.equal(visible("f(int)"), "f(int)");
	assert.equal(
		visible("a\u202eb\nc\u200b\u{e0001}\u0007"),
		"a\\u202eb\\nc\\u200b\\u{e0001}\\u0007",
	);
	assert.equal(visible("\u05e9 \u4e2d \u00e9"), "\u05e9 \u4e2d \u00e9");
	const columns = [1, 2];
	const read = await decode<{ schema: "s" }>(
		pack({ schema: "s", a: ["x\u202e", { b: "\n" }], columns, none: null }),
		"s",
		"A block",
	);
	assert.deepEqual(read, {
		schema: "s",
		a: ["x\\u202e", { b: "\\n" }],
		columns,
		none: null,
	});
	assert.equal(all_visible(columns), columns);
});

test("a name inside of a sentence turns nothing but itself, and is no sentence long", () => {
	assert.equal(named("std::vector<int>::push_back(int const&)"), "std::vector<>::push_back");
	assert.equal(isolated("\u05e9"), "\u2068\u05e9\u2069");
	assert.equal(named("x".repeat(5000)).length, 122);
	assert.match(named(`${"x".repeat(4000)}${"y".repeat(1000)}`), /^\u2068x+…y+\u2069$/);
});

test("a name without room keeps what is innermost of it", () => {
	assert.equal(inner_name("a::bc::f", 8), "a::bc::f");
	assert.equal(inner_name("a::bc::f", 7), "…bc::f");
	assert.equal(inner_name("a::bc::f", 5), "…f");
	assert.equal(inner_name("a::bc::function", 5), "…function");
	assert.equal(inner_name("plain_function", 3), "plain_function");
	assert.equal(inner_name("::f", 2), "::f");
	assert.equal(inner_name("a::f<b::c>", 2), "…f<b::c>");
	assert.equal(inner_name("a::operator<", 2), "…operator<");
});
