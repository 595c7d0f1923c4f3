// SPDX-License-Identifier: BSD-2-Clause
// The answer first: how much, when, how exact, and who.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { type Culprit, type Order, heaviest } from "../data/culprits";
import { and_grows, says_growing } from "../data/growing";
import { lacking } from "../data/lacking";
import { is_peak, moment_of, peak_when } from "../data/moment";
import type { Report } from "../data/schema";
import {
	doubts,
	says_allocated,
	says_answer,
	says_before,
	says_cut,
	says_exact,
	says_how_to_look,
	says_kept,
	says_live,
	says_lost,
	says_not_seen,
	says_requested,
	says_runtime,
	says_temporary,
} from "../data/sentences";
import { type Tree, total_of } from "../data/tree";
import { exactly } from "../flame/search";
import type { State } from "../state/fragment";
import { Share } from "../ui/bar";
import { bytes, count, plural, share } from "../ui/format";
import { Link } from "../ui/link";
import { Breaking, Name, PlaceText, Types } from "../ui/name";
import { Spark } from "./spark";

const SHOWN = 5;

const nothing_kept = (r: Report): string =>
	r.totals.allocs
		? "Nothing is kept: all that was allocated was freed."
		: "Nothing is kept: nothing was allocated.";

interface FigureProps {
	title: string;
	value: string;
	exact: string;
	note: string;
	main?: boolean;
}

export function Figure({ title, value, exact, note, main }: FigureProps): JSX.Element {
	return (
		<div class={main ? "fact main" : "fact"}>
			<dt>{title}</dt>
			<dd title={exact}>{value}</dd>
			<dd class="quiet">{note}</dd>
		</div>
	);
}

/** At the peak nothing else is known than what was live. */
function FiguresAtPeak({ report }: { report: Report }): JSX.Element {
	const { kept_bytes, kept_objects, peak_bytes } = report.totals;
	const { title } = moment_of(report);

	return (
		<dl class="facts">
			<Figure
				main
				title={title}
				value={bytes(kept_bytes)}
				exact={`${count(kept_bytes)} bytes`}
				note={`${plural(kept_objects, "block")}, ${peak_when(report)}`}
			/>
			{peak_bytes !== kept_bytes && (
				<Figure
					title="Peak of all"
					value={bytes(peak_bytes)}
					exact={`${count(peak_bytes)} bytes`}
					note="with what was left out"
				/>
			)}
		</dl>
	);
}

function Figures({ report }: { report: Report }): JSX.Element {
	const t = report.totals;
	const part = share(t.kept_bytes, t.alloc_bytes) || "0 %";

	return (
		<dl class="facts">
			<Figure
				main
				title={moment_of(report).title}
				value={bytes(t.kept_bytes)}
				exact={`${count(t.kept_bytes)} bytes`}
				note={`${plural(t.kept_objects, "block")}, ${part} of bytes`}
			/>
			<Figure
				title={report.left_out ? "Peak of all" : "Peak"}
				value={bytes(t.peak_bytes)}
				exact={`${count(t.peak_bytes)} bytes`}
				note={peak_when(report)}
			/>
			<Figure
				title="Allocated"
				value={bytes(t.alloc_bytes)}
				exact={`${count(t.alloc_bytes)} bytes`}
				note={plural(t.allocs, "block")}
			/>
			<Figure
				title="Freed"
				value={bytes(t.free_bytes)}
				exact={`${count(t.free_bytes)} bytes`}
				note={plural(t.frees, "block")}
			/>
		</dl>
	);
}

/** @list: what is to be kept in mind. @exact: what is so if there is nothing. */
export function Exactness({ list, exact }: { list: string[]; exact: string }): JSX.Element {
	if (!list.length)
		return (
			<p class="exact fine">
				<b>Exact.</b> {exact}
			</p>
		);
	return (
		<div class="exact">
			<b>Read with care:</b>
			<ul>
				{list.map((s) => (
					<li key={s}>{s}</li>
				))}
			</ul>
		</div>
	);
}

/** @list: what the profile has not got. */
function Lacking({ list }: { list: string[] }): JSX.Element | null {
	if (!list.length) return null;
	return (
		<ul class="lacking quiet">
			{list.map((s) => (
				<li key={s}>{s}</li>
			))}
		</ul>
	);
}

interface ListProps {
	title: string;
	none: string;
	by: Order;
	tree: Tree | null;
	whole: number;
	of: string; // what that is
	says: (c: Culprit) => string;
	rest?: string | null; // what is set apart
}

/** The frame of a place; if there is more of it elsewhere, that is found, too. */
const in_graph = (c: Culprit): Partial<State> => ({
	inverted: c.at.inverted,
	zoom: c.at.zoom,
	search: c.at.whole ? "" : exactly(c.name),
	hidden: [],
	collapse: false,
});

function Culprits({ title, none, by, tree, whole, of, says, rest }: ListProps): JSX.Element {
	const list = useMemo(() => tree && heaviest(tree, by, SHOWN), [tree, by]);

	return (
		<section class="top" aria-busy={!list}>
			<h2>{title}</h2>
			{list && !list.length && <p class="quiet">{none}</p>}
			{list?.length !== 0 && <p class="quiet basis">{of}</p>}
			<ol>
				{(list ?? []).map((c) => (
					<li key={c.name + (c.place ?? "")}>
						<Link
							to={{
								view: "flame",
								measure: by,
								...in_graph(c),
							}}
						>
							<span class="says" title={c.name}>
								<Breaking text={says(c)} />
							</span>
						</Link>
						<span class="row">
							<PlaceText place={c.place} />
							{c.through && (
								<span class="quiet">
									through{" "}
									<Name name={c.through} />
								</span>
							)}
							<Types types={c.types} most={2} />
						</span>
						<span class="part">{share(c[by], whole)}</span>
						<Share part={c[by]} whole={whole} />
					</li>
				))}
			</ol>
			{rest && <p class="quiet rest">{rest}</p>}
		</section>
	);
}

/** What is lost, if anybody looked; else that what is kept need not be. */
function Answer({ report, tree }: { report: Report; tree: Tree | null }): JSX.Element {
	const answer = says_answer(report);
	const how = says_how_to_look(report);
	const lost = report.reach?.lost_direct;
	const seen = tree ? total_of(tree, "lost_blocks") : 0;
	const requested = tree ? total_of(tree, "lost_bytes") : 0;
	const unknown = says_not_seen(report, seen);
	const growing = says_growing(report);

	return (
		<>
			{answer && <p class="answer">{answer}</p>}
			{growing && <p class="growing">{growing}</p>}
			{how && <p class="quiet how">{how}</p>}
			{lost && lost.blocks > 0 && (
				<div class="tops">
					<Culprits
						title="Lose the most"
						none={unknown ?? ""}
						by="lost_bytes"
						tree={tree}
						whole={requested}
						of={says_requested(requested, seen)}
						says={(c) => says_lost(c) + and_grows(report, c)}
						rest={seen > 0 && unknown ? `and ${unknown}` : null}
					/>
				</div>
			)}
		</>
	);
}

/** What was there before mprof attached, and where to see more of it. */
function FromBefore({ report }: { report: Report }): JSX.Element | null {
	const text = says_before(report);

	if (!text) return null;
	return (
		<p class="before">
			{text}
			{report.before?.walked && (
				<>
					{" "}
					<Link to={{ view: "before", sort: "", filter: "" }}>
						By size
					</Link>
				</>
			)}
		</p>
	);
}

interface ListsProps {
	report: Report;
	tree: Tree | null;
}

function ListAtPeak({ report, tree }: ListsProps): JSX.Element {
	return (
		<div class="tops one">
			<Culprits
				title="Have the most at the peak"
				none={
					report.totals.kept_bytes
						? "The program's own code had nothing."
						: "Nothing was live."
				}
				by="kept_bytes"
				tree={tree}
				whole={report.totals.kept_bytes}
				of="% of bytes live at the peak"
				says={says_live}
				rest={says_runtime(report)}
			/>
		</div>
	);
}

function Lists({ report, tree }: ListsProps): JSX.Element {
	const temporary = useMemo(() => (tree ? total_of(tree, "temporary") : 0), [tree]);
	const t = report.totals;

	return (
		<div class="tops">
			<Culprits
				title="Keep the most"
				none={
					t.kept_bytes
						? "The program's own code keeps nothing."
						: nothing_kept(report)
				}
				by="kept_bytes"
				tree={tree}
				whole={t.kept_bytes}
				of="% of bytes kept"
				says={(c) => says_kept(c) + and_grows(report, c)}
				rest={says_runtime(report)}
			/>
			<Culprits
				title="Allocate the most"
				none="Nothing was allocated."
				by="bytes"
				tree={tree}
				whole={t.alloc_bytes}
				of="% of bytes allocated"
				says={says_allocated}
			/>
			<Culprits
				title="Make the most temporary blocks"
				none="No block was freed before the next request."
				by="temporary"
				tree={tree}
				whole={temporary}
				of="% of temporary blocks"
				says={says_temporary}
			/>
		</div>
	);
}

export function Overview({ report, tree }: ListsProps): JSX.Element {
	const peak = is_peak(report);
	const list = useMemo(
		() => [...doubts(report), ...(peak && tree ? says_cut(tree) : [])],
		[report, tree],
	);

	// The list of who loses the most would push all else down when it is there.
	if (report.reach?.lost_direct.blocks && !tree)
		return (
			<div class="overview">
				<Answer report={report} tree={tree} />
			</div>
		);
	return (
		<div class="overview">
			<Answer report={report} tree={tree} />
			{peak ? <FiguresAtPeak report={report} /> : <Figures report={report} />}
			<FromBefore report={report} />
			<Exactness list={list} exact={says_exact(report)} />
			<Lacking list={lacking(report)} />
			{report.timeline && <Spark timeline={report.timeline} />}
			{peak ? (
				<ListAtPeak report={report} tree={tree} />
			) : (
				<Lists report={report} tree={tree} />
			)}
		</div>
	);
}
