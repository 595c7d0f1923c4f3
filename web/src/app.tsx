// SPDX-License-Identifier: BSD-2-Clause
// The page around the views: whose profile it is, the tabs, and what the keyboard does everywhere.

import type { JSX } from "preact";
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import type { Rows } from "./data/rows";
import type { PageIndex, Report } from "./data/schema";
import { moments } from "./data/sentences";
import type { Tree } from "./data/tree";
import { Flame } from "./flame/view";
import { type State, VIEWS, type View } from "./state/fragment";
import { type Store, StoreContext, read_location, useStore, write_location } from "./state/store";
import { base_name, clip } from "./ui/format";
import { Link } from "./ui/link";
import { CallGraph } from "./views/callgraph";
import { DirectAllocation } from "./views/direct";
import { Leaks } from "./views/leaks";
import { Lifetimes } from "./views/lifetimes";
import { Overview } from "./views/overview";
import { Sizes } from "./views/sizes";
import { Timeline } from "./views/timeline";

export interface Profile {
	report: Report | null;
	tree: Tree | null;
	rows: Rows | null;
	error: string | null;
}

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
};

function Choice({ index }: { index: PageIndex }): JSX.Element | null {
	const { state, set } = useStore();

	if (index.profiles.length < 2) return null;
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
						},
						true,
					)
				}
			>
				{index.profiles.map((p, i) => (
					<option key={i} value={i}>
						{clip(p.title, 80)}
					</option>
				))}
			</select>
		</label>
	);
}

function Header({ index, report }: { index: PageIndex; report: Report | null }): JSX.Element {
	const command = report?.command ?? [];
	const m = report ? moments(report) : null;

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
					{report && (
						<>
							pid {report.pid}
							{m?.duration && ` · ${m.duration}`}
							{report.engine && ` · ${report.engine}`}
						</>
					)}
				</p>
				<Choice index={index} />
			</div>
			<Tabs />
		</header>
	);
}

function Tabs(): JSX.Element {
	const { state } = useStore();

	return (
		<nav aria-label="Views">
			{VIEWS.map((v) => (
				<Link
					key={v}
					to={{
						view: v,
						sort: "",
						filter: v === state.view ? state.filter : "",
					}}
					current={v === state.view}
				>
					{TITLES[v]}
				</Link>
			))}
		</nav>
	);
}

function Body({ profile, view }: { profile: Profile; view: View }): JSX.Element {
	const { report, tree, rows, error } = profile;

	if (error)
		return (
			<p class="empty" role="alert">
				{error}
			</p>
		);
	if (!report) return <p class="empty">Reading the profile…</p>;
	switch (view) {
		case "overview":
			return <Overview report={report} tree={tree} />;
		case "timeline":
			return <Timeline report={report} />;
		case "sizes":
			return <Sizes report={report} />;
		case "direct":
			return <DirectAllocation report={report} />;
	}
	if (tree && view === "flame") return <Flame key={report.pid} tree={tree} />;
	if (!tree || !rows) return <p class="empty">Reading the call chains…</p>;
	switch (view) {
		case "leaks":
			return <Leaks report={report} tree={tree} rows={rows} />;
		case "callgraph":
			return <CallGraph report={report} tree={tree} rows={rows} />;
		case "lifetimes":
			return <Lifetimes tree={tree} rows={rows} />;
	}
	return <p class="empty">Reading the call chains…</p>;
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
	const number = state.profile < index.profiles.length ? state.profile : 0;
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
	const profile = profiles[number] ?? { report: null, tree: null, rows: null, error: null };

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
	return (
		<StoreContext.Provider value={store}>
			<Header index={index} report={profile.report} />
			<main data-view={state.view} data-ready={profile.rows ? "" : undefined}>
				<h2 class="hidden">{TITLES[state.view]}</h2>
				<Body profile={profile} view={state.view} />
			</main>
			<footer class="quiet">mprof {index.version}</footer>
		</StoreContext.Provider>
	);
}
