// SPDX-License-Identifier: BSD-2-Clause
// The line that tells all of the frame that is selected, and what can be done with it.

import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Tree } from "../data/tree";
import type { State } from "../state/fragment";
import { useStore } from "../state/store";
import { base_name, clip, grown_by, share, signed } from "../ui/format";
import { Link } from "../ui/link";
import { Name, PlaceText, Types } from "../ui/name";
import type { Changes } from "./change";
import type { FrameOptions, Frames } from "./frames";
import { of_known_type, path_text, places, types } from "./info";
import { figure, in_words } from "./words";

export interface Shown {
	tree: Tree;
	frames: Frames;
	options: FrameOptions;
	changes: Changes | null;
	f: number;
}

/** Of a frame of a difference: both figures, and what has become of the one. */
function ChangeFigures({ c, options, f }: Shown & { c: Changes }): JSX.Element {
	const [before, now] = [c.before[f], c.now[f]];
	const m = options.measure;

	return (
		<>
			<b>
				{now === before
					? "As before"
					: signed(figure(m, now - before), now - before)}
			</b>
			<span class="quiet">
				{before === now
					? in_words(m, now)
					: `${in_words(m, now)}, before ${figure(m, before)}`}
			</span>
			{now !== before && (
				<span class="quiet">
					{before ? grown_by(before, now) : "all new"}
				</span>
			)}
		</>
	);
}

export function Figures(p: Shown): JSX.Element {
	const { frames: fr, options, f } = p;
	const up = fr.parent[f];

	if (p.changes) return <ChangeFigures {...p} c={p.changes} />;
	return (
		<>
			<b>{in_words(options.measure, fr.value[f])}</b>
			{f > 0 && (
				<span class="quiet">{share(fr.value[f], fr.value[0])} of all</span>
			)}
			{up > 0 && (
				<span class="quiet">
					{share(fr.value[f], fr.value[up])} of{" "}
					{options.inverted ? "the callee" : "the caller"}
				</span>
			)}
			{f > 0 &&
				fr.self[f] > 0 &&
				!options.inverted &&
				fr.self[f] < fr.value[f] && (
					<span class="quiet">
						{in_words(options.measure, fr.self[f])} by itself
					</span>
				)}
		</>
	);
}

const TYPES = 4; // the others are a hover away
const COPY = "Copy path";

function Copy({ text }: { text: () => string }): JSX.Element {
	const [said, say] = useState(COPY);

	return (
		<button
			type="button"
			class="copy"
			aria-live="polite"
			onClick={() =>
				copy(text()).then(
					() => say("Copied"),
					() => say("Not allowed"),
				)
			}
		>
			{said}
		</button>
	);
}

/** The clipboard is closed to pages from disk in some browsers; the old way is not. */
async function copy(text: string): Promise<void> {
	try {
		await navigator.clipboard.writeText(text);
	} catch {
		const area = document.createElement("textarea");

		area.value = text;
		document.body.append(area);
		area.select();
		const done = document.execCommand("copy");
		area.remove();
		if (!done) throw new Error("refused");
	}
}

/** To the sizes of blocks of a type, which may be in doubt: "widget?". */
const of_that_type =
	(sized: ReadonlySet<string>) =>
	(type: string): Partial<State> | null => {
		const filter = type.replace(/\?$/, "");

		return sized.has(filter) ? { view: "sizes", filter } : null;
	};

export function Details(p: Shown & { sized: ReadonlySet<string> }): JSX.Element {
	const { state, set } = useStore();
	const { tree, frames, options, f, sized } = p;
	const key = f > 0 ? tree.keys[frames.key[f]] : null;
	const where = useMemo(() => places(tree, frames, f), [tree, frames, f]);
	const of = useMemo(() => types(tree, frames, f, options.measure), [tree, frames, f]);
	const known = useMemo(
		() => of_known_type(tree, frames, f, options.measure),
		[tree, frames, f],
	);

	const leave_out = (): void => {
		const hidden = [...new Set([...state.hidden, key?.name ?? ""])];

		set({ hidden, zoom: [] }, true);
	};

	return (
		<div class="details">
			<div class="what" aria-live="polite">
				<p class="row">
					{key ? (
						<Name name={key.name} inlined={key.inlined} />
					) : (
						<span class="name">all</span>
					)}
					{where.map((w) => (
						<PlaceText key={w} place={w} />
					))}
					{key?.module && (
						<span class="quiet" title={key.module}>
							in{" "}
							<bdi>{clip(base_name(key.module), 60)}</bdi>
						</span>
					)}
				</p>
				<p class="row">
					<Figures {...p} />
					{of.length > 0 && !p.changes && known < frames.value[f] && (
						<span class="quiet">
							types are known of{" "}
							{share(known, frames.value[f])}:
						</span>
					)}
					<Types
						types={of}
						most={TYPES}
						width={34}
						to={of_that_type(sized)}
					/>
				</p>
			</div>
			{key && (
				<p class="row actions">
					<Copy key={f} text={() => path_text(tree, frames, f)} />
					<button type="button" onClick={leave_out}>
						Leave out
					</button>
					{!tree.change && (
						<Link
							class="button"
							to={{ view: "callgraph", fn: key.name }}
						>
							Call graph
						</Link>
					)}
					<Link
						class="button"
						to={{
							view: "leaks",
							filter: short_filter(key.name),
						}}
					>
						{tree.change ? "Growth" : "Leaks"}
					</Link>
					{state.zoom.length > 0 && (
						<button
							type="button"
							onClick={() => set({ zoom: [] }, true)}
						>
							Zoom out
						</button>
					)}
				</p>
			)}
		</div>
	);
}

/** The filter takes words apart; the longest one without blanks finds the function's rows. */
const short_filter = (name: string): string =>
	name.split(/\s+/).reduce((a, b) => (b.length > a.length ? b : a), "");
