// SPDX-License-Identifier: BSD-2-Clause
// What the blocks of the page hold, as the C side writes them; see man/mprof.1 for the report.

export interface IndexEntry {
	title: string;
	program: string;
	arguments: string; // their beginning
	pid: number; // 0: of no process
	totals: Pick<
		Totals,
		"allocs" | "alloc_bytes" | "kept_objects" | "kept_bytes" | "peak_bytes"
	>;
	report: string;
	tree: string;
	rows: string;
	started_ns?: number; // since 1970, rounded; not known of old profiles
	until_ns?: number; // of the process's life; not known of old profiles
}

export interface PageIndex {
	schema: "mprof.page.v1";
	version: string;
	profiles: IndexEntry[];
	at?: "peak"; // the moment that all of it is of, if not the end
	missing?: number; // so many more profiles there are, not in this page
	growth?: string; // the page is of what has changed from the second to the first
}

export interface Totals {
	allocs: number;
	alloc_bytes: number;
	frees: number;
	free_bytes: number;
	kept_objects: number;
	kept_bytes: number;
	peak_bytes: number;
	failed_allocs: number;
	unknown_frees: number;
	inherited_frees: number;
	truncated_chains: number;
	truncated_cut?: number;
	guessed_chains?: number;
}

/** What was not seen; missing in the report if everything was. */
export interface Unseen {
	lost_events: number;
	doubtful_calls: number;
	other_requests: number;
	other_frees: number;
	taken_functions: number;
	pauses: number;
	paused_ns: number;
	missed_blocks: number;
	missed_bytes: number;
	paused_frees: number;
	untrapped: boolean;
	spared_lifetimes: boolean;
	spared_timeline: boolean;
	spared_depth: number;
}

/** As far as people look at an element of a path. */
export interface Place {
	function: string | null;
	file: string | null;
	line: number | null;
	module: string | null;
	inlined?: boolean;
}

export interface Bin {
	size: number;
	allocs: number;
	bytes: number;
	frees: number;
	kept_bytes: number;
	types: string[];
}

/** Bytes by class of size: small, medium, large, extra large. */
export interface Classes {
	s: number;
	m: number;
	l: number;
	x: number;
}

export interface Direct {
	function: string;
	bytes: Classes;
	kept: Classes;
	calls: number;
	types: string[];
}

export interface TimelineSite {
	function: string;
	file: string | null;
	line: number;
	bytes: number[];
}

export interface Timeline {
	time_ns: number[];
	live_bytes: number[];
	live_blocks: number[];
	allocs: number[] | null;
	peak: number | null;
	sites: TimelineSite[];
	rest: number[];
	exact?: boolean[]; // the sites held no more than that; else at least
}

/** The report without what repeats the tree: that is in the rows. */
export interface Report {
	schema: "mprof.report.v1";
	command: string[];
	pid: number;
	merged?: number; // the sum of so many profiles
	from?: "start" | "attach"; // not known of old profiles
	peak?: { time_ns: number; live_bytes: number; live_blocks: number };
	options?: string[]; // those that change what is in it
	left_out?: LeftOut;
	before?: Before;
	engines: ("trap" | "fast" | "unknown")[] | null;
	duration_ns?: number;
	totals: Totals;
	unseen?: Unseen;
	recorded?: { min_size: number; max_size: number | null };
	modules: { path: string; names: string }[]; // names: where those of its functions are from
	bins: Bin[];
	direct: Direct[];
	timeline?: Timeline | null;
	runtime: { kind: string; blocks: number; bytes: number }[];
	reach?: Reach;
	rss?: unknown[]; // somebody has looked at the process in the end
	growing?: Growing[]; // the fastest first; missing if there are no windows
}

/** A line of the program's own code that grows. */
export interface Growing {
	function: string;
	file: string | null;
	line: number;
	bytes_hour: number;
	blocks_hour: number;
	stays: number; // the part of its blocks
	in_size: boolean; // its blocks become larger, not more
	never_freed: boolean;
}

/** What --ignore-fn has left out of all figures. */
export interface LeftOut {
	allocs: number;
	bytes: number;
	frees: number;
	freed_bytes: number;
	peak_bytes: number; // of these; the peak is that of all
}

/** What was there before mprof attached; usable bytes. */
export interface Before {
	walked: boolean; // or only counted
	blocks: number;
	bytes: number;
	freed_blocks: number;
	freed_bytes: number;
	missed: number; // they are gone, which was not seen
	missed_bytes: number;
	sizes: BeforeSize[];
}

export interface BeforeSize {
	usable: number;
	blocks: number;
	freed: number;
	missed: number;
}

export interface Sum {
	blocks: number;
	bytes: number;
}

/** What led to blocks at the end; usable bytes. */
export interface Reach {
	lost_direct: Sum;
	lost_through: Sum;
	possible: Sum;
	reachable: Sum;
}

/** The tree as it stands in the page; data/tree.ts makes typed arrays of it. */
export interface TreeBlock {
	schema: "mprof.tree.v1";
	strings: string[];
	modules: number[];
	functions: { name: number[]; module: number[]; same?: number[] };
	sites: {
		function: number[];
		file: number[];
		line: number[];
		inlined: number[];
		own: number[];
	};
	nodes: { up: number[]; site: number[] };
	leaves: {
		node: number[];
		allocs: number[];
		bytes: number[];
		size: number[]; // of each block; -1: there are several
		frees: number[];
		kept_blocks: number[];
		kept_bytes: number[];
		peak_blocks: number[];
		peak_bytes: number[];
		temporary: number[];
		runtime_blocks: number[];
		runtime_bytes: number[];
	};
	/** For each leaf; missing if nobody looked for what is lost. */
	lost?: {
		lost_blocks: number[];
		lost_bytes: number[];
		hanging_blocks: number[];
		hanging_bytes: number[];
	};
	types: { node: number[]; name: number[]; certain: number[] };
}

/** The figures of one side of a difference. */
export interface Side {
	allocs: number;
	bytes: number;
	frees: number;
	kept_blocks: number;
	kept_bytes: number;
}

export interface Change {
	before: Side;
	now: Side;
}

export interface GrownPath extends Change {
	truncated: boolean;
	path: GrownElement[];
	// What of it the runtime keeps on purpose.
	runtime?: Record<"before" | "now", Pick<Side, "kept_blocks" | "kept_bytes">>;
}

/** Of a place there is only what tells it from others in both profiles. */
export interface OwnPlace extends Place {
	own: boolean; // of the program's own code, which the C side decides
}

export interface GrownElement extends OwnPlace {
	offset: number | null;
}

/** What has changed; what has not is not in it. */
export interface Growth extends Change {
	schema: "mprof.growth.v1";
	paths_by: "function" | "line" | "offset";
	sizes: (Change & { size: number; types: string[] })[];
	paths: GrownPath[];
	direct: (Change & { function: string; module: string | null })[];
	runtime: { kind: string; before: number; now: number }[]; // bytes kept
}

/** What the report has of each chain and function, in columns; doc/page.md tells what they are. */
export interface RowsBlock {
	schema: "mprof.rows.v1";
	strings: string[];
	types: number[][];
	leaks: {
		node: number[];
		depth: number[];
		truncated: number[];
		kept_bytes: number[];
		allocs: number[];
		frees: number[];
		types: number[];
		verdict?: number[];
		lost_bytes?: number[];
		through_bytes?: number[];
	};
	functions: {
		function: number[];
		cycle: number[];
		self_bytes: number[];
		total_bytes: number[];
		called: number[];
		recursive: number[];
	};
	lifetimes: { node: number[]; frees: number[]; temporary: number[]; buckets: number[] };
	buckets: { power: number[]; blocks: number[] };
}

export const classes_sum = (c: Classes): number => c.s + c.m + c.l + c.x;
