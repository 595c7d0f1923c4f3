// SPDX-License-Identifier: BSD-2-Clause
// What was live over the time, by the sites that requested it.

import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Report, Timeline as Series } from "../data/schema";
import { type Layer, layers, rates } from "../data/series";
import { useStore } from "../state/store";
import { Bytes } from "../ui/bar";
import { count, plural, share, time } from "../ui/format";
import { Link } from "../ui/link";
import { Name, PlaceText } from "../ui/name";
import { useDark } from "../ui/theme";
import { layer_colours, plot_bytes, plot_rates } from "./plots";

const NEAR = 0.03; // of the time: so close to the peak or the end means that moment

/** What a click at a point leads to: there are graphs of the peak and the end, of no other
 * moment. */
function moment_of(t: Series, i: number): "peak_bytes" | "kept_bytes" | null {
	const last = t.time_ns.length - 1;
	const end = t.time_ns[last] || 1;
	const off = (j: number): number => Math.abs(t.time_ns[i] - t.time_ns[j]) / end;

	if (t.peak !== null && off(t.peak) <= NEAR && off(t.peak) <= off(last)) return "peak_bytes";
	return off(last) <= NEAR ? "kept_bytes" : null;
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
							{l.place === null ? (
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
	list,
	hover,
}: {
	t: Series;
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
				const measure = moment_of(t, i);

				if (measure)
					set(
						{
							view: "flame",
							measure,
							zoom: [],
							inverted: false,
						},
						true,
					);
			},
		};
		const plots = [
			plot_bytes(upper.current, t, list, dark, 320, hooks),
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
	}, [t, list, dark]);
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

function Drawn({ t }: { t: Series }): JSX.Element {
	const list = useMemo(() => layers(t), [t]);
	const [at, set_at] = useState<number | null>(null);
	const dark = useDark();
	const colours = layer_colours(list.length, dark);
	const usual = t.peak ?? t.time_ns.length - 1;

	return (
		<div class={dark ? "timeline drawn-dark" : "timeline"}>
			<div class="drawn">
				<Plots t={t} list={list} hover={set_at} />
				{!t.sites.length && (
					<p class="quiet">
						This profile has no series of single sites.
					</p>
				)}
			</div>
			<aside>
				<At t={t} list={list} at={at ?? usual} colours={colours} />
				<p class="row">
					{t.peak !== null && (
						<Link
							class="button"
							to={{
								view: "flame",
								measure: "peak_bytes",
								zoom: [],
								inverted: false,
							}}
						>
							Flame graph of the peak
						</Link>
					)}
					<Link
						class="button"
						to={{
							view: "flame",
							measure: "kept_bytes",
							zoom: [],
							inverted: false,
						}}
					>
						Flame graph of the end
					</Link>
				</p>
			</aside>
		</div>
	);
}

export function Timeline({ report }: { report: Report }): JSX.Element {
	const t = report.timeline;

	if (!t || !t.time_ns.length)
		return (
			<p class="empty">
				This profile has no timeline: the program ended before a point was
				kept, or it was made by an mprof that kept none.
			</p>
		);
	return <Drawn t={t} />;
}
