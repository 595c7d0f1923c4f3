// SPDX-License-Identifier: BSD-2-Clause
// What was live over the time, by the sites that requested it.

import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type uPlot from "uplot";
import type { Snapshot } from "../data/choices";
import { no_timeline } from "../data/lacking";
import type { Report, Timeline as Series } from "../data/schema";
import { type Layer, at_moment, is_least, layers, rates } from "../data/series";
import type { State } from "../state/fragment";
import { useStore } from "../state/store";
import { Bytes } from "../ui/bar";
import { bytes, count, plural, share, time } from "../ui/format";
import { Link } from "../ui/link";
import { Name, PlaceText } from "../ui/name";
import { useDark } from "../ui/theme";
import { layer_colours, plot_bytes, plot_rates } from "./plots";

const KEYS =
	"Live bytes over time; the figures are in the table. Arrows, Page up and down, " +
	"Home and End go along the time, Enter shows the tree of a moment that has one";
const MISSING = ", and what is missing above";
const NEAR = 0.03; // of the time: so close to the peak or the end means that moment

/** A moment of which there is a call tree. */
interface Kept {
	ns: number;
	to: Partial<State>;
	title: string;
}

/** The peak, the end, and the ends of other profiles of the process: of no other is there one. */
function kept_moments(t: Series, moments: readonly Snapshot[]): Kept[] {
	const graph: Partial<State> = { view: "flame", zoom: [], inverted: false };
	const list: Kept[] = moments.map((m, i) => ({
		ns: m.ns,
		to: { ...graph, measure: "kept_bytes", profile: m.profile },
		title: `Flame graph of ${i + 1}, after ${time(m.ns)}`,
	}));

	if (t.peak !== null)
		list.push({
			ns: t.time_ns[t.peak],
			to: { ...graph, measure: "peak_bytes" },
			title: "Flame graph of the peak",
		});
	list.push({
		ns: t.time_ns[t.time_ns.length - 1],
		to: { ...graph, measure: "kept_bytes" },
		title: "Flame graph of the end",
	});
	return list;
}

/** What a click at a point leads to, if one of these is near. */
function nearest(t: Series, list: readonly Kept[], i: number): Kept | undefined {
	const off = (k: Kept): number => Math.abs(t.time_ns[i] - k.ns);
	const near = NEAR * (t.time_ns[t.time_ns.length - 1] || 1);

	return list.filter((k) => off(k) <= near).sort((a, b) => off(a) - off(b))[0];
}

function At({
	t,
	list,
	at,
	colours,
}: {
	t: Series;
	list: Layer[];
	at: number;
	colours: string[];
}): JSX.Element {
	const live = t.live_bytes[at];
	const rate = rates(t)?.[at];
	const least = is_least(t, at);

	return (
		<table class="moment" role="table">
			<caption>
				<b>{time(t.time_ns[at])}</b>
				{at === t.peak
					? ", the peak"
					: at === t.time_ns.length - 1
						? ", the end"
						: ""}
				:{" "}
				<b>
					<Bytes n={live} />
				</b>{" "}
				in {plural(t.live_blocks[at], "block")}
				{typeof rate === "number" && (
					<span class="quiet">
						, {count(Math.round(rate))} requests/s
					</span>
				)}
			</caption>
			<thead class="hidden">
				<tr role="row">
					<th scope="col" role="columnheader">
						Site
					</th>
					<th scope="col" role="columnheader">
						Place
					</th>
					<th scope="col" role="columnheader">
						Live
					</th>
					<th scope="col" role="columnheader">
						Share
					</th>
				</tr>
			</thead>
			<tbody>
				{at_moment(list, at)
					.map((i) => [i, list[i]] as const)
					.map(([i, l]) => (
						<tr key={i} role="row">
							<td role="cell">
								<span
									class="swatch"
									style={{
										backgroundColor:
											colours[i],
									}}
								/>{" "}
								{l.is_site ? (
									<Name name={l.name} />
								) : least ? (
									`${l.name}${MISSING}`
								) : (
									l.name
								)}
							</td>
							<td role="cell">
								<PlaceText place={l.place} />
							</td>
							<td role="cell" class="figure">
								{least && l.is_site && "at least "}
								<Bytes n={l.bytes[at]} />
							</td>
							<td role="cell" class="figure quiet">
								{share(l.bytes[at], live)}
							</td>
						</tr>
					))}
			</tbody>
		</table>
	);
}

const FAR = 10; // points that a page goes on

/** Where a key leads from a point; null: it is none of these. */
function point_by_key(key: string, at: number, n: number): number | null {
	const to: Record<string, number> = {
		ArrowLeft: at - 1,
		ArrowRight: at + 1,
		PageDown: at - FAR,
		PageUp: at + FAR,
		Home: 0,
		End: n - 1,
	};

	return key in to ? Math.min(Math.max(to[key], 0), n - 1) : null;
}

function Plots({
	t,
	moments,
	kept,
	list,
	at,
	hover,
}: {
	t: Series;
	moments: Snapshot[];
	kept: Kept[];
	list: Layer[];
	at: number;
	hover: (i: number | null) => void;
}): JSX.Element {
	const { set } = useStore();
	const dark = useDark();
	const upper = useRef<HTMLDivElement>(null);
	const lower = useRef<HTMLDivElement>(null);
	const drawn = useRef<(uPlot | null)[]>([]);
	const follow = (i: number): void => {
		const to = nearest(t, kept, i)?.to;

		if (to) set(to, true);
	};

	useEffect(() => {
		if (!upper.current || !lower.current) return undefined;
		const hooks = {
			hover,
			click: follow,
			leads: (i: number) => nearest(t, kept, i) !== undefined,
		};
		const plots = [
			plot_bytes(upper.current, t, moments, list, dark, 320, hooks),
			plot_rates(lower.current, t, dark, 130, hooks),
		];
		drawn.current = plots;
		const fit = new ResizeObserver(() =>
			plots.forEach((p) =>
				p?.setSize({
					width: p.root.parentElement?.clientWidth ?? p.width,
					height: p.height,
				}),
			),
		);

		fit.observe(upper.current);
		return () => {
			fit.disconnect();
			plots.forEach((p) => p?.destroy());
		};
	}, [t, kept, list, dark]);
	const told = `${time(t.time_ns[at])}: ${bytes(t.live_bytes[at])}`;
	/** Puts the line of both plots at a point; null: away. */
	const point = (i: number | null): void => {
		for (const u of drawn.current)
			u?.setCursor({
				left: i === null ? -10 : u.valToPos(t.time_ns[i] / 1e9, "x"),
				top: i === null ? -10 : 0,
			});
		hover(i);
	};
	const on_key = (e: KeyboardEvent): void => {
		const to = point_by_key(e.key, at, t.time_ns.length);

		if (to !== null) point(to);
		else if (e.key === "Enter") follow(at);
		else if (e.key === "Escape") point(null);
		else return;
		e.preventDefault();
	};
	return (
		<>
			<h2>Live bytes</h2>
			<div
				class="plot upper"
				ref={upper}
				role="slider"
				tabIndex={0}
				aria-label={KEYS}
				aria-valuemin={0}
				aria-valuemax={t.time_ns.length - 1}
				aria-valuenow={at}
				aria-valuetext={told}
				onKeyDown={on_key}
				onBlur={() => point(null)}
			/>
			{t.allocs && <h2>Requests per second</h2>}
			<div
				class={t.allocs ? "plot lower" : undefined}
				ref={lower}
				role="img"
				aria-label="Requests per second over time"
			/>
		</>
	);
}

function Drawn({ t, moments }: { t: Series; moments: Snapshot[] }): JSX.Element {
	const kept = useMemo(() => kept_moments(t, moments), [t, moments]);
	const list = useMemo(() => layers(t), [t]);
	const [at, set_at] = useState<number | null>(null);
	const dark = useDark();
	const colours = layer_colours(list.length, dark);
	const usual = t.peak ?? t.time_ns.length - 1;

	return (
		<div class={dark ? "timeline drawn-dark" : "timeline"}>
			<div class="drawn">
				<Plots
					t={t}
					moments={moments}
					kept={kept}
					list={list}
					at={at ?? usual}
					hover={set_at}
				/>
				{!t.sites.length && (
					<p class="quiet">
						This profile has no series of single sites.
					</p>
				)}
			</div>
			<aside>
				<At t={t} list={list} at={at ?? usual} colours={colours} />
				{t.time_ns.some((_, i) => is_least(t, i)) && (
					<p class="quiet">
						Of a moment on the way it was noted what the
						heaviest ends of call chains held: a site held at
						least that, and what is missing is in the rest. The
						peak and the end are exact as far as all of them is
						known.
					</p>
				)}
				<p class="row">
					{kept.map((k) => (
						<Link key={k.title} class="button" to={k.to}>
							{k.title}
						</Link>
					))}
				</p>
				<p class="quiet hint">
					The call tree is kept of{" "}
					{kept.length > 1 ? "these moments" : "this moment"}: a click
					near one of them shows it. Of any other there are the sites
					above.
				</p>
			</aside>
		</div>
	);
}

export function Timeline({
	report,
	moments,
}: {
	report: Report;
	moments: Snapshot[];
}): JSX.Element {
	const t = report.timeline;

	if (!t || !t.time_ns.length) return <p class="empty">{no_timeline(report)}</p>;
	return <Drawn t={t} moments={moments} />;
}
