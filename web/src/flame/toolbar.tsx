// SPDX-License-Identifier: BSD-2-Clause
// What is chosen above the flame graph: measure, direction, search, what is left out, colours.

import type { JSX } from "preact";
import { type Measure, type Tree, measure_of, measures_of } from "../data/tree";
import { useStore } from "../state/store";
import { clip, count, plural, share, short_name } from "../ui/format";
import { COLOURINGS, type Colouring, colouring } from "./colours";
import { compile, type Found } from "./search";
import { TITLES } from "./words";

function Matches({
	found,
	total,
	query,
}: {
	found: Found | null;
	total: number | null;
	query: string;
}): JSX.Element {
	let text = "";

	if (found)
		text = found.frames
			? `${plural(found.frames, "frame")} of ` +
				plural(found.functions, "function") +
				(total === null ? "" : `, ${share(found.covered, total) || "0 %"}`)
			: "no match";
	else if (query.trim() && !compile(query)) text = "not finished";
	return (
		<output class="matches" aria-live="polite">
			{text}
		</output>
	);
}

interface Props {
	found: Found | null;
	total: number | null; // of the measure; null: parts of it mean nothing
	tree: Tree;
	go: (back: boolean) => void; // to the next match
}

const HINT =
	'A part of a name, "a whole name", or /an expression/; ' +
	"behind type: the name of a type that is requested. " +
	"Enter goes to the next match, with Shift to the one before";

const FOLDS =
	"A function that calls itself, be it through others, is one frame: " +
	"what it calls in the end hangs on the outermost call";

export function Toolbar({ found, total, tree, go }: Props): JSX.Element {
	const { state, set } = useStore();
	const colours = COLOURINGS.filter((c) => c !== "change" || tree.change);

	return (
		<div class="bar tools">
			<label>
				<span class="hidden">Width by</span>
				<select
					value={measure_of(state.measure, tree)}
					onChange={(e) =>
						set(
							{
								measure: e.currentTarget
									.value as Measure,
							},
							true,
						)
					}
				>
					{measures_of(tree).map((m) => (
						<option key={m} value={m}>
							{TITLES[m]}
						</option>
					))}
				</select>
			</label>
			<div class="switch" role="group" aria-label="Direction">
				<button
					type="button"
					aria-pressed={!state.inverted}
					onClick={() => set({ inverted: false, zoom: [] }, true)}
				>
					From main
				</button>
				<button
					type="button"
					aria-pressed={state.inverted}
					onClick={() => set({ inverted: true, zoom: [] }, true)}
				>
					From allocators
				</button>
			</div>
			<div class="find">
				<input
					type="search"
					data-slash
					class="search"
					aria-label="Search functions"
					value={state.search}
					title={HINT}
					placeholder="Search functions  ( / )"
					onInput={(e) => set({ search: e.currentTarget.value })}
					onKeyDown={(e) => {
						if (e.key === "Enter") go(e.shiftKey);
					}}
				/>
				<Matches found={found} total={total} query={state.search} />
			</div>
			<label class="check" title={FOLDS}>
				<input
					type="checkbox"
					checked={state.collapse}
					onChange={(e) =>
						set({ collapse: e.currentTarget.checked, zoom: [] })
					}
				/>{" "}
				Collapse recursion
			</label>
			<label>
				<span class="quiet">Colour by </span>
				<select
					value={colouring(state.colour, tree)}
					onChange={(e) =>
						set({ colour: e.currentTarget.value as Colouring })
					}
				>
					{colours.map((c) => (
						<option key={c} value={c}>
							{c}
						</option>
					))}
				</select>
			</label>
		</div>
	);
}

export function Hidden(): JSX.Element | null {
	const { state, set } = useStore();

	if (!state.hidden.length) return null;
	return (
		<p class="row left-out">
			<span class="quiet">{count(state.hidden.length)} left out:</span>
			{state.hidden.map((name) => (
				<button
					type="button"
					key={name}
					class="type"
					title={`Show ${name} again`}
					onClick={() =>
						set({
							hidden: state.hidden.filter(
								(h) => h !== name,
							),
							zoom: [],
						})
					}
				>
					<bdi>{clip(short_name(name), 60)}</bdi> ×
				</button>
			))}
		</p>
	);
}
