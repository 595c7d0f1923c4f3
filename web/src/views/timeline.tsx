// SPDX-License-Identifier: BSD-2-Clause
// What was live over the time, by the sites that requested it.

import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Snapshot } from "../data/choices";
import { no_timeline } from "../data/lacking";
import type { Report, Timeline as Series } from "../data/schema";
import { type Layer, layers, rates } from "../data/series";
import type { State } from "../state/fragment";
import { useStore } from "../state/store";
import { Bytes } from "../ui/bar";
import { count, plural, share, time } from "../ui/format";
import { Link } from "../ui/link";
import { Name, PlaceText } from "../ui/name";
import { useDark } from "../ui/theme";
import { layer_colours, plot_bytes, plot_rates } from "./plots";

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

	return (
		<table class="moment">
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
				<tr>
					<th scope="col">Site</th>
					<th scope="col">Live</th>
					<th scope="col">Share</th>
				</tr>
			</thead>
			<tbody>
				{list.map((l, i) => (
					<tr key={i}>
						<td>
							<span
								class="swatch"
								style={{
									backgroundColor: colours[i],
								}}
							/>{" "}
							{!l.is_site ? (
								l.name
							) : (
								<>
									<Name name={l.name} />{" "}
									<PlaceText
										place={l.place}
									/>
								</>
							)}
						</td>
						<td class="figure">
							<Bytes n={l.bytes[at]} />
						</td>
						<td class="figure quiet">
							{share(l.bytes[at], live)}
						</td>
					</tr>
				))}
			</tbody>
		</table>
	);
}

function Plots({
	t,
	moments,
	kept,
	list,
	hover,
}: {
	t: Series;
	moments: Snapshot[];
	kept: Kept[];
	list: Layer[];
	hover: (i: number | null) => void;
}): JSX.Element {
	const { set } = useStore();
	const dark = useDark();
	const upper = useRef<HTMLDivElement>(null);
	const lower = useRef<HTMLDivElement>(null);

	useEffect(() => {
		if (!upper.current || !lower.current) return undefined;
		const hooks = {
			hover,
			click: (i: number) => {
				const to = nearest(t, kept, i)?.to;

				if (to) set(to, true);
			},
			leads: (i: number) => nearest(t, kept, i) !== undefined,
		};
		const plots = [
			plot_bytes(upper.current, t, moments, list, dark, 320, hooks),
			plot_rates(lower.current, t, dark, 130, hooks),
		];
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
	return (
		<>
			<h2>Live bytes</h2>
			<div
				class="plot upper"
				ref={upper}
				role="img"
				aria-label="Live bytes over time; the figures are in the table"
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
