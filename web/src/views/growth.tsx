// SPDX-License-Identifier: BSD-2-Clause
// What has changed from one profile to another: by site, by size, by the function that requests.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { blamed_in, details_of, names_inwards } from "../data/elements";
import type { Change, Growth, GrownPath, Side } from "../data/schema";
import { exactly } from "../flame/search";
import type { State } from "../state/fragment";
import { Bytes, Changed } from "../ui/bar";
import { count } from "../ui/format";
import { Link } from "../ui/link";
import { Name, Place, Types } from "../ui/name";
import { in_text } from "../ui/rows";
import { type Column, Table } from "../ui/table";
import { Chain } from "./leaks";

type Figure = keyof Side;

/** By how much a figure has changed. */
export const grown = (c: Change, figure: Figure): number => c.now[figure] - c.before[figure];

function change<R extends Change>(id: Figure, title: string, hint: string): Column<R> {
	return {
		id,
		title,
		hint,
		numeric: true,
		value: (r) => grown(r, id),
		cell: (r) => (
			<Changed n={grown(r, id)} bytes={id === "bytes" || id === "kept_bytes"} />
		),
	};
}

function side<R extends Change>(of: "before" | "now", id: Figure, title: string): Column<R> {
	return {
		id: `${of}_${id}`,
		title,
		numeric: true,
		value: (r) => r[of][id],
		cell: (r) => (id === "kept_bytes" ? <Bytes n={r[of][id]} /> : count(r[of][id])),
	};
}

/** What a row is, and then its figures. At the peak there is only what was live. */
function columns_of<R extends Change>(what: Column<R>[], at_peak: boolean): Column<R>[] {
	if (at_peak)
		return [
			change("kept_bytes", "Live", "By how many bytes more, or less, was live"),
			...what,
			side("before", "kept_bytes", "Live before"),
			side("now", "kept_bytes", "Live now"),
			change(
				"kept_blocks",
				"Blocks",
				"By how many blocks more, or fewer, were live",
			),
			side("before", "kept_blocks", "Blocks before"),
			side("now", "kept_blocks", "Blocks now"),
		];
	return [
		change("kept_bytes", "Kept", "By how many bytes more, or less, is kept"),
		...what,
		side("before", "kept_bytes", "Kept before"),
		side("now", "kept_bytes", "Kept now"),
		change("kept_blocks", "Blocks", "By how many blocks more, or fewer, are kept"),
		side("before", "kept_blocks", "Blocks before"),
		side("now", "kept_blocks", "Blocks now"),
		change("bytes", "Allocated", "By how many bytes more, or less, was allocated"),
		change("allocs", "Requests", "By how many blocks more, or fewer, were allocated"),
		change("frees", "Frees", "By how many blocks more, or fewer, were freed"),
	];
}

/** Whether it is of one of the two profiles only. */
export const news = (c: Change): string =>
	!c.before.allocs ? "appeared" : !c.now.allocs ? "vanished" : "";

function News({ of }: { of: Change }): JSX.Element | null {
	const text = news(of);

	return text ? <span class="tag">{text}</span> : null;
}

const NONE = "Nothing has changed.";

/** Rows that have grown the most first: by what is kept, then by what was allocated. */
const by_growth = <R extends Change>(rows: readonly R[]): R[] =>
	[...rows].sort(
		(a, b) =>
			grown(b, "kept_bytes") - grown(a, "kept_bytes") ||
			grown(b, "bytes") - grown(a, "bytes") ||
			grown(b, "allocs") - grown(a, "allocs"),
	);

/** The chain of a row, so that it can be told from all others. */
export const GrownChain = ({ growth, p }: { growth: Growth; p: GrownPath }): JSX.Element => (
	<Chain
		path={p.path}
		truncated={p.truncated}
		detail={details_of(growth.paths).get(p)}
		places={growth.paths_by !== "function"}
	/>
);

/** Where a path is in the flame graph: by what is kept, unless nothing of it ever was. */
export const in_graph = (p: GrownPath): Partial<State> => ({
	view: "flame",
	measure: p.before.kept_bytes || p.now.kept_bytes ? "kept_bytes" : "bytes",
	inverted: true,
	zoom: [],
	search: "",
	hidden: [],
	collapse: false,
	path: names_inwards(p.path),
});

const WHERE: Column<GrownPath>[] = [
	{
		id: "where",
		title: "Where",
		value: (p) => blamed_in(p.path)?.function ?? "",
		cell: (p) => {
			const e = blamed_in(p.path);

			return (
				<>
					<Link to={in_graph(p)}>
						<Name name={e?.function ?? null} />
					</Link>{" "}
					<Place file={e?.file ?? null} line={e?.line} />
					<News of={p} />
				</>
			);
		},
	},
];
const path_of = (growth: Growth): Column<GrownPath> => ({
	id: "path",
	title: "Call chain",
	value: (p) => names_inwards(p.path).join(),
	cell: (p) => <GrownChain growth={growth} p={p} />,
});

interface Props {
	growth: Growth;
	at_peak: boolean; // all of it is what was live then
}

const changed = (at_peak: boolean): string =>
	at_peak ? "What has changed in what was live at the peak" : "What has changed";

export function GrowthBySite({ growth, at_peak }: Props): JSX.Element {
	return (
		<Table
			caption={`${changed(at_peak)}, by the call chain that requested it`}
			columns={[...columns_of(WHERE, at_peak), path_of(growth)]}
			rows={useMemo(() => by_growth(growth.paths), [growth])}
			finder={in_text(
				(p) =>
					p.path
						.map((e) => `${e.function ?? ""} ${e.file ?? ""}`)
						.join(" ") + ` ${news(p)}`,
			)}
			usual="-kept_bytes"
			empty={NONE}
		/>
	);
}

const SIZE: Column<Growth["sizes"][number]>[] = [
	{
		id: "size",
		title: "Size",
		numeric: true,
		hint: "Bytes of each block",
		value: (s) => s.size,
		cell: (s) => count(s.size),
	},
	{
		id: "types",
		title: "Types of that size",
		value: (s) => s.types.join(" "),
		cell: (s) => (
			<>
				<Types types={s.types} most={2} />
				<News of={s} />
			</>
		),
	},
];

export function GrowthBySize({ growth, at_peak }: Props): JSX.Element {
	return (
		<Table
			caption={`${changed(at_peak)}, by the size of blocks`}
			columns={columns_of(SIZE, at_peak)}
			rows={useMemo(() => by_growth(growth.sizes), [growth])}
			finder={in_text((s) => `${s.size} ${s.types.join(" ")} ${news(s)}`)}
			usual="-kept_bytes"
			empty={NONE}
		/>
	);
}

const FUNCTION: Column<Growth["direct"][number]>[] = [
	{
		id: "name",
		title: "Function",
		value: (f) => f.function,
		cell: (f) => (
			<>
				<Link
					to={{
						view: "flame",
						measure: "bytes",
						inverted: true,
						zoom: [],
						path: [f.function],
						search: exactly(f.function),
					}}
				>
					<Name name={f.function} />
				</Link>
				<News of={f} />
			</>
		),
	},
];

export function GrowthByFunction({ growth, at_peak }: Props): JSX.Element {
	return (
		<Table
			caption={`${changed(at_peak)}, by the function that requests memory`}
			columns={columns_of(FUNCTION, at_peak)}
			rows={useMemo(() => by_growth(growth.direct), [growth])}
			finder={in_text((f) => `${f.function} ${news(f)}`)}
			usual="-kept_bytes"
			empty={NONE}
		/>
	);
}
