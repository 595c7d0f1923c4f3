// SPDX-License-Identifier: BSD-2-Clause
// The page around the views: whose profile it is, the tabs, and what the keyboard does everywhere.

import type { JSX } from "preact";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Choice, type Snapshot, choices, snapshots, title_of_all } from "./data/choices";
import { duration, is_peak } from "./data/moment";
import type { Rows } from "./data/rows";
import type { Growth, PageIndex, Report } from "./data/schema";
import { seen_by } from "./data/sentences";
import type { Tree } from "./data/tree";
import { Flame } from "./flame/view";
import { CHANGE_VIEWS, type State, VIEWS, type View } from "./state/fragment";
import { type Store, StoreContext, read_location, useStore, write_location } from "./state/store";
import { FocusTip } from "./ui/focus_tip";
import { base_name, clip, plural } from "./ui/format";
import { Link } from "./ui/link";
import { Before } from "./views/before";
import { CallGraph } from "./views/callgraph";
import { DirectAllocation } from "./views/direct";
import { GrowthByFunction, GrowthBySite, GrowthBySize } from "./views/growth";
import { GrowthOverview } from "./views/growth_overview";
import { Leaks } from "./views/leaks";
import { Lifetimes } from "./views/lifetimes";
import { Overview } from "./views/overview";
import { Processes } from "./views/processes";
import { Sizes } from "./views/sizes";
import { Timeline } from "./views/timeline";

export interface Profile {
	report: Report | null;
	tree: Tree | null;
	rows: Rows | null;
	error: string | null;
	difference: { growth: Growth; base: Report } | null; // to the report of what was before
}

export const NOTHING: Profile = {
	report: null,
	tree: null,
	rows: null,
	error: null,
	difference: null,
};

/** Whether all there is of it has been read: a difference has no rows besides its own. */
const is_whole = (c: Choice, p: Profile): boolean =>
	c.of === "all" || (p.difference ? p.tree : p.rows) !== null;

interface Props {
	index: PageIndex;
	load: (profile: number, done: (p: Profile) => void) => void;
}

const TITLES: Record<View, string> = {
	overview: "Overview",
	flame: "Flame graph",
	timeline: "Timeline",
	leaks: "Leaks",
	sizes: "Sizes and types",
	direct: "Direct allocation",
	callgraph: "Call graph",
	lifetimes: "Lifetimes",
	before: "From before",
};

const CHANGE_TITLES: Partial<Record<View, string>> = {
	leaks: "Growth by site",
	sizes: "Growth by size",
	direct: "Growth by function",
};

function title_of(v: View, c: Choice, report: Report | null): string {
	if (c.of === "all") return "All of them";
	if (c.of === "difference") return CHANGE_TITLES[v] ?? TITLES[v];
	return v === "leaks" && report && is_peak(report) ? "By call chain" : TITLES[v];
}

/** Those there is something in. */
function views_of(c: Choice, report: Report | null, wanted: View): readonly View[] {
	if (c.of === "all") return ["overview"];
	if (c.of === "difference") return CHANGE_VIEWS;
	const walked = report ? report.before?.walked : wanted === "before";
	const one_moment = report !== null && is_peak(report);

	return VIEWS.filter((v) => (v !== "before" || walked) && (v !== "timeline" || !one_moment));
}

function Chooser({ index }: { index: PageIndex }): JSX.Element | null {
	const { state, set } = useStore();

	const list = choices(index);

	if (list.length < 2) return null;
	return (
		<label class="choice">
			<span class="quiet">Profile </span>
			<select
				value={state.profile}
				onChange={(e) =>
					set(
						{
							profile: Number(e.currentTarget.value),
							zoom: [],
							fn: "",
							filter: "",
							sort: "",
						},
						true,
					)
				}
			>
				{list.map((c, i) => (
					<option key={i} value={i}>
						{clip(c.title, 80)}{" "}
						{clip(c.entry?.arguments ?? "", 50)}
					</option>
				))}
			</select>
		</label>
	);
}

function Facts({ report, difference }: Profile): JSX.Element | null {
	const took = report ? duration(report) : null;

	if (!report) return null;
	if (difference)
		return (
			<>
				{whose(report)} since {whose(difference.base)}
			</>
		);
	return (
		<>
			{whose(report)}
			{took && ` · ${took}`}
			{` · ${seen_by(report)}`}
		</>
	);
}

const whose = (r: Report): string =>
	r.merged ? `merged of ${plural(r.merged, "profile")}` : `pid ${r.pid}`;

interface HeaderProps {
	index: PageIndex;
	choice: Choice;
	profile: Profile;
	views: readonly View[];
	view: View;
}

function Header({ index, choice, profile, views, view }: HeaderProps): JSX.Element {
	const all = choice.of === "all" ? [title_of_all(index)] : [];
	const command = profile.report?.command ?? all;

	return (
		<header>
			<div class="head">
				<h1 title={command[0]}>
					{clip(base_name(command[0] ?? "mprof"), 60)}
				</h1>
				<p class="quiet command" title={command.join(" ")}>
					{clip(command.slice(1).join(" "), 300)}
				</p>
				<p class="quiet facts-line">
					<Facts {...profile} />
				</p>
				<Chooser index={index} />
			</div>
			<Tabs
				views={views}
				view={view}
				title={(v) => title_of(v, choice, profile.report)}
			/>
		</header>
	);
}

function Tabs({
	views,
	view,
	title,
}: {
	views: readonly View[];
	view: View;
	title: (v: View) => string;
}): JSX.Element | null {
	const { state } = useStore();
	const nav = useRef<HTMLElement>(null);

	// In a narrow window it may be further right than what is seen.
	useEffect(
		() =>
			nav.current
				?.querySelector("[aria-current]")
				?.scrollIntoView({ block: "nearest", inline: "nearest" }),
		[view, views],
	);
	return (
		<nav aria-label="Views" ref={nav}>
			{views.map((v) => (
				<Link
					key={v}
					to={{
						view: v,
						sort: "",
						filter: v === view ? state.filter : "",
					}}
					current={v === view}
				>
					{title(v)}
				</Link>
			))}
		</nav>
	);
}

interface BodyProps {
	profile: Profile;
	view: View;
	number: number;
	moments: Snapshot[];
}

/** Of a difference: its sizes are those that have changed only. */
const NO_TYPES: ReadonlySet<string> = new Set();

const types_of = (r: Report): ReadonlySet<string> => new Set(r.bins.flatMap((b) => b.types));

const READING = "Reading the profile…";

const Waiting = (): JSX.Element => <p class="empty">Reading the call chains…</p>;

function Body({ profile, view, number, moments }: BodyProps): JSX.Element {
	const { report, tree, rows, error, difference } = profile;

	if (error)
		return (
			<p class="empty" role="alert">
				{error}
			</p>
		);
	if (!report) return <p class="empty">{READING}</p>;
	if (view === "flame")
		return tree ? (
			<Flame
				key={number}
				tree={tree}
				sized={difference ? NO_TYPES : types_of(report)}
			/>
		) : (
			<Waiting />
		);
	if (difference) return <DifferenceBody {...difference} now={report} view={view} />;
	return (
		<ProfileBody
			report={report}
			tree={tree}
			rows={rows}
			view={view}
			moments={moments}
		/>
	);
}

function DifferenceBody({
	growth,
	now,
	base,
	view,
}: {
	growth: Growth;
	now: Report;
	base: Report;
	view: View;
}): JSX.Element {
	const at_peak = is_peak(now);

	if (view === "leaks") return <GrowthBySite growth={growth} at_peak={at_peak} />;
	if (view === "sizes") return <GrowthBySize growth={growth} at_peak={at_peak} />;
	if (view === "direct") return <GrowthByFunction growth={growth} at_peak={at_peak} />;
	return <GrowthOverview growth={growth} now={now} base={base} />;
}

function ProfileBody({
	report,
	tree,
	rows,
	view,
	moments,
}: {
	report: Report;
	tree: Tree | null;
	rows: Rows | null;
	view: View;
	moments: Snapshot[];
}): JSX.Element {
	switch (view) {
		case "timeline":
			return <Timeline report={report} moments={moments} />;
		case "sizes":
			return <Sizes report={report} tree={tree} />;
		case "direct":
			return <DirectAllocation report={report} tree={tree} />;
		case "before":
			return <Before before={report.before} />;
		case "leaks":
		case "callgraph":
		case "lifetimes":
			return <RowsBody report={report} tree={tree} rows={rows} view={view} />;
		default:
			return <Overview report={report} tree={tree} />;
	}
}

/** The views of what is known of each call chain and function. */
function RowsBody({
	report,
	tree,
	rows,
	view,
}: {
	report: Report;
	tree: Tree | null;
	rows: Rows | null;
	view: "leaks" | "callgraph" | "lifetimes";
}): JSX.Element {
	if (!tree || !rows) return <Waiting />;
	if (view === "leaks") return <Leaks report={report} tree={tree} rows={rows} />;
	if (view === "callgraph") return <CallGraph report={report} tree={tree} rows={rows} />;
	return <Lifetimes report={report} tree={tree} rows={rows} />;
}

/** "/" goes to the search of the view, Escape leaves and empties it. */
function on_key(e: KeyboardEvent): void {
	const field = document.querySelector<HTMLInputElement>("[data-slash]");
	const typing =
		e.target instanceof HTMLInputElement || e.target instanceof HTMLSelectElement;

	if (e.key === "/" && !typing && field && !e.ctrlKey && !e.metaKey) {
		e.preventDefault();
		field.focus();
		field.select();
	} else if (e.key === "Escape" && e.target === field && field) {
		field.value = "";
		field.dispatchEvent(new Event("input", { bubbles: true }));
		field.blur();
		document.querySelector<HTMLElement>(".frames canvas")?.focus();
	}
}

export function App({ index, load }: Props): JSX.Element {
	const [state, set_state] = useState<State>(read_location);
	const [profiles, set_profiles] = useState<Record<number, Profile>>({});
	const list = useMemo(() => choices(index), [index]);
	const number = state.profile < list.length ? state.profile : 0;
	const choice = list[number];
	const profile = profiles[number] ?? NOTHING;
	const views = views_of(choice, profile.report, state.view);
	const view = views.includes(state.view) ? state.view : "overview";
	const set = useCallback(
		(change: Partial<State>, step = false) =>
			set_state((old) => {
				const next = { ...old, ...change };

				write_location(next, step);
				return next;
			}),
		[],
	);
	const store = useMemo((): Store => ({ state, set }), [state, set]);
	const moments = useMemo(() => snapshots(index, number), [index, number]);

	useEffect(() => {
		const follow = (): void => set_state(read_location());

		addEventListener("hashchange", follow);
		addEventListener("popstate", follow);
		addEventListener("keydown", on_key);
		return () => {
			removeEventListener("hashchange", follow);
			removeEventListener("popstate", follow);
			removeEventListener("keydown", on_key);
		};
	}, []);
	useEffect(() => {
		if (!profiles[number])
			load(number, (p) => set_profiles((old) => ({ ...old, [number]: p })));
	}, [number]);
	// How high the header is, is not known before: it would push all else down.
	if (!Object.keys(profiles).length) return <p class="empty">{READING}</p>;
	return (
		<StoreContext.Provider value={store}>
			<FocusTip />
			<Header
				index={index}
				choice={choice}
				profile={profile}
				views={views}
				view={view}
			/>
			<main
				data-view={view}
				data-ready={is_whole(choice, profile) ? "" : undefined}
			>
				<h2 class="hidden">{title_of(view, choice, profile.report)}</h2>
				{choice.of === "all" ? (
					<Processes index={index} />
				) : (
					<Body
						profile={profile}
						view={view}
						number={number}
						moments={moments}
					/>
				)}
			</main>
			<footer class="quiet">mprof {index.version}</footer>
		</StoreContext.Provider>
	);
}
