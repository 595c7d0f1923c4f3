// SPDX-License-Identifier: BSD-2-Clause
// Live bytes over time in one line, on the overview.

import type { JSX } from "preact";
import type { Timeline } from "../data/schema";
import { bytes, time } from "../ui/format";
import { Link } from "../ui/link";

const WIDTH = 1000;
const HEIGHT = 70;

export function Spark({ timeline: t }: { timeline: Timeline }): JSX.Element | null {
	const n = t.time_ns.length;

	if (n < 2) return null;
	const end = t.time_ns[n - 1] || 1;
	const most = Math.max(...t.live_bytes, 1);
	const x = (i: number): string => ((WIDTH * t.time_ns[i]) / end).toFixed(1);
	const y = (i: number): string =>
		(HEIGHT - ((HEIGHT - 4) * t.live_bytes[i]) / most).toFixed(1);
	const line = t.time_ns.map((_, i) => `${x(i)},${y(i)}`).join(" ");
	const at =
		t.peak === null ? "" : `, at most ${bytes(most)} after ${time(t.time_ns[t.peak])}`;

	return (
		<Link
			to={{ view: "timeline" }}
			class="spark"
			label={`Live bytes over ${time(end)}${at}: open the timeline`}
		>
			<svg
				viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
				preserveAspectRatio="none"
				aria-hidden="true"
			>
				<polygon points={`0,${HEIGHT} ${line} ${WIDTH},${HEIGHT}`} />
				<polyline points={line} />
				{t.peak !== null && (
					<line x1={x(t.peak)} x2={x(t.peak)} y1="0" y2={HEIGHT} />
				)}
			</svg>
			<span class="quiet">
				Live bytes over {time(end)}
				{at}
			</span>
		</Link>
	);
}
