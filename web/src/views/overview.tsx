// SPDX-License-Identifier: BSD-2-Clause
// The answer first: how much, when, how exact, and who.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { type Culprit, type Order, heaviest } from "../data/culprits";
import { lacking } from "../data/lacking";
import type { Report } from "../data/schema";
import {
	doubts,
	moments,
	says_allocated,
	says_answer,
	says_lost,
	says_kept,
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
const NOTHING_KEPT = "Nothing is kept: all that was allocated was freed.";

interface FigureProps {
	title: string;
	value: string;
	exact: string;
	note: string;
	main?: boolean;
}

function Figure({ title, value, exact, note, main }: FigureProps): JSX.Element {
	return (
		<div class={main ? "fact main" : "fact"}>
			<dt>{title}</dt>
			<dd title={exact}>{value}</dd>
			<dd class="quiet">{note}</dd>
		</div>
	);
}

function Figures({ report }: { report: Report }): JSX.Element {
	const t = report.totals;
	const m = moments(report);
	const part = share(t.kept_bytes, t.alloc_bytes) || "0 %";

	return (
		<dl class="facts">
			<Figure
				main
				title="Kept at the end"
				value={bytes(t.kept_bytes)}
				exact={`${count(t.kept_bytes)} bytes`}
				note={`${plural(t.kept_objects, "block")}, ${part} of all`}
			/>
			<Figure
				title="Peak"
				value={bytes(t.peak_bytes)}
				exact={`${count(t.peak_bytes)} bytes`}
				note={
					m.peak_at
						? `${m.peak_at} after the start`
						: "the most at any time"
				}
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

/** @list: what is to be kept in mind. */
export function Exactness({ list }: { list: string[] }): JSX.Element {
	if (!list.length)
		return (
			<p class="exact fine">
				<b>Exact.</b> Every request and every free was counted, and every
				call chain was followed to its end.
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

function Culprits({ title, none, by, tree, whole, says, rest }: ListProps): JSX.Element {
	const list = useMemo(() => tree && heaviest(tree, by, SHOWN), [tree, by]);

	return (
		<section class="top" aria-busy={!list}>
			<h2>{title}</h2>
			{list && !list.length && <p class="quiet">{none}</p>}
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

	return (
		<>
			{answer && <p class="answer">{answer}</p>}
			{(report.reach?.lost_direct.blocks ?? 0) > 0 && (
				<div class="tops">
					<Culprits
						title="Lose the most"
						none="Who requested what is lost is not known."
						by="lost_bytes"
						tree={tree}
						whole={tree ? total_of(tree, "lost_bytes") : 0}
						says={says_lost}
					/>
				</div>
			)}
		</>
	);
}

export function Overview({ report, tree }: { report: Report; tree: Tree | null }): JSX.Element {
	const temporary = useMemo(() => (tree ? total_of(tree, "temporary") : 0), [tree]);
	const t = report.totals;

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
			<Figures report={report} />
			<Exactness list={doubts(report)} />
			<Lacking list={lacking(report)} />
			{report.timeline && <Spark timeline={report.timeline} />}
			<div class="tops">
				<Culprits
					title="Keep the most"
					none={
						t.kept_bytes
							? "The program's own code keeps nothing."
							: NOTHING_KEPT
					}
					by="kept_bytes"
					tree={tree}
					whole={t.kept_bytes}
					says={says_kept}
					rest={says_runtime(report)}
				/>
				<Culprits
					title="Allocate the most"
					none="Nothing was allocated."
					by="bytes"
					tree={tree}
					whole={t.alloc_bytes}
					says={says_allocated}
				/>
				<Culprits
					title="Make the most temporary blocks"
					none="No block was freed before the next request."
					by="temporary"
					tree={tree}
					whole={temporary}
					says={says_temporary}
				/>
			</div>
		</div>
	);
}
