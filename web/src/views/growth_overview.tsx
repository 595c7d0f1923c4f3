// SPDX-License-Identifier: BSD-2-Clause
// What has changed from one profile to another: the answer first.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { blamed_in, without_runtime } from "../data/elements";
import { is_peak, moment_of } from "../data/moment";
import type { Change, Growth, GrownPath, Report, Totals } from "../data/schema";
import { doubts, says_exact, says_grown, says_runtime_grown } from "../data/sentences";
import { Bytes, Changed, Share } from "../ui/bar";
import { base_name, count, isolated, plural, time } from "../ui/format";
import { Link } from "../ui/link";
import { Breaking, Place } from "../ui/name";
import { sorted } from "../ui/rows";
import { GrownChain, grown, in_graph, news } from "./growth";
import { Exactness } from "./overview";

const SHOWN = 5;

interface Row {
	title: string;
	bytes: keyof Totals;
	blocks: keyof Totals | null;
	when: boolean;
}

/** At the peak there is only what was live. */
const AT_PEAK: Row[] = [
	{ title: "Live at the peak", bytes: "kept_bytes", blocks: "kept_objects", when: true },
];

const ROWS: Row[] = [
	{ title: "Kept at the end", bytes: "kept_bytes", blocks: "kept_objects", when: false },
	{ title: "Peak", bytes: "peak_bytes", blocks: null, when: true },
	{ title: "Allocated", bytes: "alloc_bytes", blocks: "allocs", when: false },
	{ title: "Freed", bytes: "free_bytes", blocks: "frees", when: false },
];

function Cell({ row, report }: { row: Row; report: Report }): JSX.Element {
	const at = row.when ? report.peak?.time_ns : undefined;

	return (
		<td class="figure">
			<Bytes n={report.totals[row.bytes] ?? 0} />
			<span class="quiet">
				{[
					row.blocks &&
						plural(report.totals[row.blocks] ?? 0, "block"),
					at !== undefined && `after ${time(at)}`,
				]
					.filter(Boolean)
					.join(", ")}
			</span>
		</td>
	);
}

function TotalsTable({ now, base }: { now: Report; base: Report }): JSX.Element {
	const by = (key: keyof Totals): number => (now.totals[key] ?? 0) - (base.totals[key] ?? 0);

	return (
		<table class="totals">
			<caption class="hidden">Totals before and now</caption>
			<thead>
				<tr>
					<td />
					<th scope="col">Before</th>
					<th scope="col">Now</th>
					<th scope="col">Change</th>
				</tr>
			</thead>
			<tbody>
				{(is_peak(now) ? AT_PEAK : ROWS).map((row) => (
					<tr key={row.title}>
						<th scope="row">{row.title}</th>
						<Cell row={row} report={base} />
						<Cell row={row} report={now} />
						<td class="figure">
							<Changed n={by(row.bytes)} bytes />
							<span class="quiet">
								{row.blocks && (
									<Changed
										n={by(row.blocks)}
										bytes={false}
									/>
								)}
							</span>
						</td>
					</tr>
				))}
			</tbody>
		</table>
	);
}

interface ListProps {
	title: string;
	none: string;
	by: "kept_bytes" | "bytes";
	sign: 1 | -1;
	growth: Growth;
	keeps?: string; // the verb for what is there
}

function Grown({ title, none, by, sign, growth, keeps }: ListProps): JSX.Element {
	// What the runtime keeps is nobody's fault, as in the tables' answer.
	const own = (p: GrownPath): Change => (by === "bytes" ? p : without_runtime(p));
	const size = (p: GrownPath): number => sign * grown(own(p), by);
	const says = (p: GrownPath): string =>
		says_grown(blamed_in(p.path)?.function ?? "?", by, own(p), keeps);
	const rest = by === "bytes" ? null : says_runtime_grown(growth, sign);
	const { list, whole } = useMemo(() => {
		const all = growth.paths.filter((p) => size(p) > 0);

		return {
			list: sorted(all, [{ id: "size", value: size }], "-size", SHOWN),
			whole: all.reduce((sum, p) => sum + size(p), 0),
		};
	}, [growth, by, sign]);

	return (
		<section class="top">
			<h2>{title}</h2>
			{!list.length && <p class="quiet">{none}</p>}
			<ol>
				{list.map((p, i) => {
					const e = blamed_in(p.path);

					return (
						<li key={i}>
							<Link to={{ ...in_graph(p), measure: by }}>
								<span class="says">
									<Breaking text={says(p)} />
								</span>
							</Link>
							<span class="row">
								<Place
									file={e?.file ?? null}
									line={e?.line}
								/>
								<GrownChain growth={growth} p={p} />
							</span>
							<span class="part">
								<Changed n={sign * size(p)} bytes />
							</span>
							<Share part={size(p)} whole={whole} />
						</li>
					);
				})}
			</ol>
			{rest && <p class="quiet rest">{rest}</p>}
		</section>
	);
}

/** Sizes that only one of the two has. */
function Sizes({ growth }: { growth: Growth }): JSX.Element {
	return (
		<p class="row">
			{["appeared", "vanished"].map((word) => {
				const list = growth.sizes
					.filter((s) => news(s) === word)
					.sort((a, b) => a.size - b.size);
				const some = list.slice(0, 2 * SHOWN).map((s) => count(s.size));

				if (!list.length) return null;
				return (
					<span key={word}>
						<Link
							to={{
								view: "sizes",
								filter: word,
								sort: "size",
							}}
						>
							{plural(list.length, "size")} {word}
						</Link>
						<span class="quiet">
							{some.length > 0 && `: ${some.join(", ")}`}
							{list.length > some.length && ", …"}
						</span>
					</span>
				);
			})}
		</p>
	);
}

/** What stands in the way of comparing them. */
function reservations(now: Report, base: Report): string[] {
	const names = [base, now].map((r) => isolated(base_name(r.command[0] ?? "?")));
	const list =
		names[0] === names[1] ? [] : [`Before it was ${names[0]}, now it is ${names[1]}.`];

	return [
		...list,
		...doubts(base).map((s) => `Before: ${s}`),
		...doubts(now).map((s) => `Now: ${s}`),
	];
}

interface Props {
	growth: Growth;
	now: Report;
	base: Report;
}

export function GrowthOverview({ growth, now, base }: Props): JSX.Element {
	const peak = is_peak(now);
	const { keeps } = moment_of(now);
	const keep = peak ? "Have" : "Keep";
	const then = peak ? " at the peak" : "";

	return (
		<div class="overview">
			<TotalsTable now={now} base={base} />
			<Sizes growth={growth} />
			<Exactness list={reservations(now, base)} exact={says_exact(now)} />
			<div class="tops pairs">
				<Grown
					title={`${keep} more${then} than before`}
					none={`Nothing ${keeps} more${then} than before.`}
					by="kept_bytes"
					sign={1}
					growth={growth}
					keeps={keeps}
				/>
				<Grown
					title={`${keep} less${then} than before`}
					none={`Nothing ${keeps} less${then} than before.`}
					by="kept_bytes"
					sign={-1}
					growth={growth}
					keeps={keeps}
				/>
				{!peak && (
					<>
						<Grown
							title="Allocate more than before"
							none="Nothing allocates more than before."
							by="bytes"
							sign={1}
							growth={growth}
						/>
						<Grown
							title="Allocate less than before"
							none="Nothing allocates less than before."
							by="bytes"
							sign={-1}
							growth={growth}
						/>
					</>
				)}
			</div>
		</div>
	);
}
