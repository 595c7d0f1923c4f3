// SPDX-License-Identifier: BSD-2-Clause
// The words of the page are true of the moment and the part that it is of.
import assert from "node:assert/strict";
import test from "node:test";
import { heaviest } from "../../src/data/culprits";
import { and_grows, says_growing } from "../../src/data/growing";
import { lacking } from "../../src/data/lacking";
import { after, duration, moment_of, peak_when } from "../../src/data/moment";
import type { Report } from "../../src/data/schema";
import {
	doubts,
	says_allocated,
	says_answer,
	says_before,
	says_cut,
	says_exact,
	says_grown,
	says_how_to_look,
	says_not_seen,
} from "../../src/data/sentences";
import { make_tree, measure_of, measures_of } from "../../src/data/tree";
import {
	bytes,
	name_with_arguments,
	name_with_both,
	name_with_parameters,
	set_full_names,
	short_name,
	time,
} from "../../src/ui/format";
import { meet_names, shown_name } from "../../src/ui/names";
import { type Chain, report, tree_block } from "../lib/made";

const plain = (text: string): string => text.replace(/\u00a0/g, " ");
const chains: Chain[] = [{ path: ["main", "f"], allocs: 3, size: 100 }];
const made = (more: Partial<Report>): Report => ({
	...report(chains),
	duration_ns: 5e9,
	peak: { time_ns: 1.25e9, live_bytes: 300, live_blocks: 3 },
	from: "start",
	...more,
});
const at_peak = (more: Partial<Report> = {}): Report => made({ options: ["--at=peak"], ...more });

test("at the peak nothing is said as if it was the end", () => {
	const r = at_peak();
	const { title, when, kept, keeps } = moment_of(r);

	assert.deepEqual([title, when, kept, keeps].map(plain), [
		"Live at the peak",
		"at the peak, 1.25 s after the start",
		"Live",
		"has",
	]);
	assert.equal(
		plain(says_answer(r)),
		"300 B in 3 blocks live at the peak, 1.25 s after the start.",
	);
	assert.match(says_how_to_look(r) ?? "", /looked for in the end, not at the peak/);
	assert.match(says_exact(r), /^Every block that was live at the peak is here, /);
	assert.ok(lacking(r).includes("No timeline: this page is of one moment, the peak."));
	assert.match(
		plain(
			says_grown(
				"f",
				"kept_bytes",
				{
					before: {
						allocs: 1,
						bytes: 1,
						frees: 0,
						kept_blocks: 1,
						kept_bytes: 1,
					},
					now: {
						allocs: 3,
						bytes: 3,
						frees: 0,
						kept_blocks: 3,
						kept_bytes: 3,
					},
				},
				keeps,
			),
		),
		/^f has 2 B more: 3 B in 3 blocks; before, 1 B in 1 block$/,
	);
});

test("at the peak the flame graph is of what was live, whatever a link says", () => {
	const t = make_tree(tree_block(chains), true);

	assert.deepEqual(measures_of(t), ["peak_bytes"]);
	assert.equal(measure_of("kept_bytes", t), "peak_bytes");
	assert.ok(measures_of(make_tree(tree_block(chains))).includes("kept_bytes"));
});

test("at the peak chains that were cut are told by what was live of them", () => {
	const block = tree_block(chains);

	assert.deepEqual(says_cut(make_tree(block, true)), []);
	block.nodes.site[0] = -1;
	assert.deepEqual(says_cut(make_tree(block, true)), [
		"3 blocks have a call chain whose outer part is not known.",
	]);
});

test("the end, a moment on the way, and the ends of many are told apart", () => {
	const timeline = {
		time_ns: [0, 2e9],
		live_bytes: [0, 8],
		live_blocks: [0, 1],
		allocs: null,
		peak: 1,
		sites: [],
		rest: [0, 8],
	};
	const words = (r: Report): string[] => {
		const { title, when } = moment_of(r);

		return [title, plain(when)];
	};

	assert.deepEqual(words(made({})), ["Kept at the end", "at the end"]);
	assert.deepEqual(words(made({ duration_ns: undefined, timeline })), [
		"Live so far",
		"2.00 s after the start, when this was written",
	]);
	assert.deepEqual(words(made({ merged: 2 })), [
		"Kept at the end of each",
		"at the end of each",
	]);
});

test("times are counted from what they are counted from", () => {
	assert.equal(plain(after(made({}), 1e9)), "1.00 s after the start");
	assert.equal(plain(after(made({ from: "attach" }), 1e9)), "1.00 s after mprof attached");
	assert.equal(
		plain(after(made({ from: undefined }), 1e9)),
		"1.00 s after the profile began",
	);
	assert.equal(plain(peak_when(made({}))), "1.25 s after the start");
	assert.equal(peak_when(made({ peak: undefined })), "the most at any time");
	assert.equal(plain(duration(made({})) ?? ""), "5.00 s");
	assert.equal(
		plain(duration(made({ from: "attach" })) ?? ""),
		"5.00 s since mprof attached",
	);
});

test("a sum of profiles took no time, has no timeline for that reason, and nobody's peak", () => {
	const r = made({ merged: 2, pid: 0, peak: undefined });

	assert.equal(duration(r), null);
	assert.equal(peak_when(r), "the highest of any one");
	assert.match(lacking(r).join("\n"), /^No timeline: this is the sum of 2 profiles, /m);
	assert.match(says_exact(r), /^Every request and every free of the 2 profiles was counted/);
});

test("what --ignore-fn left out is said with how much it is, and nothing is exact then", () => {
	const left_out = { allocs: 7, bytes: 700, frees: 2, freed_bytes: 200, peak_bytes: 500 };
	const options = ["--ignore-fn=g", "--ignore-fn=h"];

	assert.deepEqual(doubts(made({ options })), []);
	assert.deepEqual(doubts(made({ options, left_out })).map(plain), [
		"Left out by --ignore-fn=g --ignore-fn=h: 7 requests of 700 B, 2 of them freed; " +
			"they are in no other figure; the peak is that of all, " +
			"and 500 B of it is of these.",
	]);
	assert.deepEqual(
		doubts(
			at_peak({
				options: ["--at=peak", ...options],
				left_out: { ...left_out, frees: 0 },
			}),
		).map(plain),
		["Left out by --ignore-fn=g --ignore-fn=h: 7 blocks of 700 B."],
	);
	assert.match(
		lacking(made({ options, left_out })).join("\n"),
		/^No timeline: what --ignore-fn/m,
	);
});

test("options that change what is shown are said", () => {
	const said = (...options: string[]): string => lacking(made({ options })).join("\n");

	assert.match(said("--inlines=no"), /inlined are not shown \(--inlines=no\)/);
	assert.match(said("--names=short"), /\(--names=short\)/);
	assert.match(said("--alloc-fn=xmalloc"), /^Who calls xmalloc counts as who requested/m);
	assert.match(
		said("--depth=1"),
		/^Paths of leaks have 1 function at most \(--depth=1\)\.$/m,
	);
	assert.doesNotMatch(said("--depth=all", "--names=full"), /--depth|--names/);
});

test("where nobody looked for what is lost it is said how to", () => {
	assert.match(
		says_how_to_look(made({})) ?? "",
		/only while the program runs: “mprof leaks PID”.*“mprof attach PID”/,
	);
	assert.match(
		says_how_to_look(made({ from: "attach" })) ?? "",
		/^The program had ended, or nobody could look at it\. “mprof leaks/,
	);
	// Who has looked and had to give up has told what resident memory was for.
	const given_up = made({ from: "attach", rss: [{}] });

	assert.match(
		says_answer(given_up),
		/is not known, for the heap could not be looked through\.$/,
	);
	assert.match(says_how_to_look(given_up) ?? "", /^It was looked for, and given up: /);
	const none = { blocks: 0, bytes: 0 };
	const reach = { lost_direct: none, lost_through: none, possible: none, reachable: none };
	assert.equal(says_how_to_look(made({ reach })), null);
	assert.equal(says_how_to_look(report([])), null);
	assert.match(
		says_answer(made({ merged: 2 })),
		/was not looked for in all of these profiles/,
	);
});

test("what was there before mprof attached is told, or how it would be", () => {
	const before = {
		walked: true,
		blocks: 9,
		bytes: 900,
		freed_blocks: 2,
		freed_bytes: 200,
		missed: 0,
		missed_bytes: 0,
		sizes: [],
	};

	assert.equal(says_before(made({})), null);
	assert.match(says_before(made({ from: "attach" })) ?? "", /attach --before=walk/);
	assert.equal(
		plain(says_before(made({ from: "attach", before })) ?? ""),
		"Before mprof attached there were 9 blocks of 900 B usable, which are in no " +
			"other figure. Freed since: 2 blocks of 200 B.",
	);
	assert.doesNotMatch(
		says_before(made({ before: { ...before, walked: false } })) ?? "",
		/freed/,
	);
	assert.match(
		says_before(made({ before: { ...before, missed: 3 } })) ?? "",
		/ 3 more are gone/,
	);
});

test("blocks have a size each only if all of them have that", () => {
	const says = (list: Chain[]): string =>
		plain(says_allocated(heaviest(make_tree(tree_block(list)), "bytes", 1)[0]));
	const f = (allocs: number, size: number, more: Partial<Chain> = {}): Chain => ({
		path: ["main", "f"],
		allocs,
		size,
		...more,
	});

	assert.equal(says([f(5, 24)]), "f allocates 120 B in 5 blocks, 24 B each");
	assert.equal(
		says([f(5, 24, { sizes_differ: true })]),
		"f allocates 120 B in 5 blocks, 24 B on average",
	);
	assert.equal(
		says([
			{ path: ["main", "f", "std::a"], allocs: 1, size: 20 },
			{ path: ["main", "f", "std::b"], allocs: 1, size: 28 },
		]),
		"f allocates 48 B in 2 blocks, 24 B on average",
	);
	assert.equal(says([f(1, 24)]), "f allocates 24 B in 1 block");
});

test("what is lost of which nobody knows who requested it is told with the rest", () => {
	const none = { blocks: 0, bytes: 0 };
	const reach = {
		lost_direct: { blocks: 7, bytes: 416 },
		lost_through: none,
		possible: none,
		reachable: none,
	};

	assert.equal(says_not_seen(made({ reach }), 7), null);
	assert.equal(says_not_seen(made({}), 0), null);
	assert.match(
		says_not_seen(made({ reach }), 5) ?? "",
		/^2 blocks, 28\.6.% of the blocks lost directly, of which it is not known/,
	);
});

test("what grows is said, how fast, and with who keeps the most", () => {
	const line = { function: "f", file: "/made/up.c", line: 1, blocks_hour: 9 };
	const growing = [
		{ ...line, bytes_hour: 4.4e6, stays: 0.5, in_size: false, never_freed: false },
		{
			...line,
			function: "g",
			bytes_hour: 9,
			stays: 1,
			in_size: false,
			never_freed: true,
		},
		{
			...line,
			function: "h",
			bytes_hour: 8,
			stays: 0,
			in_size: true,
			never_freed: false,
		},
		{
			...line,
			function: "i",
			bytes_hour: 7,
			stays: 0,
			in_size: true,
			never_freed: false,
		},
	];
	const [f] = heaviest(make_tree(tree_block(chains)), "kept_bytes", 1);

	assert.equal(
		plain(says_growing(made({ growing })) ?? ""),
		"What grows: f (up.c:1) by 4.4 MB/h, 50 % stays; g (up.c:1) by 9 B/h so far; " +
			"h (up.c:1) by 8 B/h, in size; so does 1 place more.",
	);
	assert.equal(plain(and_grows(made({ growing }), f)), "; grows 4.4 MB/h, 50 % stays");
	assert.equal(and_grows(made({ growing: growing.slice(1) }), f), "");
	assert.equal(says_growing(at_peak({ growing })), null);
	assert.equal(says_growing(made({})), null);
});

test("names that would look the same are shortened less, others stay short", () => {
	const same = ["void ns::any<long>(long)", "void ns::any<int>(int)"];
	const args = ["ns::of<A>::put(int)", "ns::of<B<int, C<D> > >::put(int)"];
	const both = ["int ns::b<A>(int)", "int ns::b<A>(long)", "int ns::b<B>(int)"];
	const deep = ["ns::d<A<int> >::put()", "ns::d<A<long> >::put()"];

	assert.equal(name_with_parameters(same[0]), "ns::any<>(long)");
	meet_names([...same, ...args, ...both, ...deep, "ns::other<int>(int)"]);
	assert.deepEqual(same.map(short_name), ["ns::any<>(long)", "ns::any<>(int)"]);
	assert.deepEqual(args.map(short_name), ["ns::of<A>::put", "ns::of<B<>>::put"]);
	assert.deepEqual(both.map(short_name), [
		"ns::b<A>(int)",
		"ns::b<A>(long)",
		"ns::b<B>(int)",
	]);
	assert.deepEqual(deep.map(short_name), deep);
	assert.equal(short_name("ns::other<int>(int)"), "ns::other<>");
	meet_names(["ns::other<long>(int)"]); // of another profile
	assert.equal(short_name("ns::other<int>(int)"), "ns::other<int>");
	const long = [1, 2].map((n) => `ns::${"a".repeat(150)}${n}${"b".repeat(150)}`);
	meet_names(long);
	assert.deepEqual(long.map(shown_name), long);
	assert.ok(shown_name("c".repeat(300)).length < 300);
});

test("with --names=full names are whole", () => {
	set_full_names(true);
	assert.equal(short_name("whole::name<int>(int)"), "whole::name<int>(int)");
	set_full_names(false);
	assert.equal(short_name("whole::name<int>(int)"), "whole::name<>");
});

test("no minute has sixty seconds", () => {
	assert.deepEqual(
		[119.9e9, 120e9, 179.4e9, 179.6e9, 3599.7e9].map((ns) => plain(time(ns))),
		["119.9 s", "2 min 0 s", "2 min 59 s", "3 min 0 s", "60 min 0 s"],
	);
});

test("less has as many digits as more", () => {
	assert.deepEqual(
		[150_000, -150_000, 99_900, -99_900].map((n) => plain(bytes(n))),
		["150 kB", "-150 kB", "99.9 kB", "-99.9 kB"],
	);
});

// It took a minute and more when each character cost as much as all before it.
test("names of a hostile program do not keep the page busy", () => {
	const n = 16000;
	const names = ["<", "(", "operator<", " [clone ", "(anonymous namespace)::", " const"]
		.map((part) => `f${part.repeat(n / part.length)}`)
		.concat(`f(${" ".repeat(n)}x)`, `a${" ".repeat(n)}b<`);
	const begin = process.cpuUsage();

	for (const name of names) {
		short_name(name);
		name_with_parameters(name);
		name_with_arguments(name);
		name_with_both(name);
	}
	const { user } = process.cpuUsage(begin);
	assert.ok(user < 10e6, `${user} µs`);
});
