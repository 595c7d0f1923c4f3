// SPDX-License-Identifier: BSD-2-Clause
// A figure with a bar behind it that shows its share.

import type { JSX } from "preact";
import { bytes as in_bytes, count, signed } from "./format";

export function Share({ part, whole }: { part: number; whole: number }): JSX.Element {
	const width = whole > 0 ? Math.min(100, (100 * part) / whole) : 0;

	return (
		<span class="share" aria-hidden="true">
			<span style={{ width: `${width}%` }} />
		</span>
	);
}

/** Bytes for people, exact in the title. */
export function Bytes({ n }: { n: number }): JSX.Element {
	return <span title={`${count(n)} bytes`}>{in_bytes(n)}</span>;
}

/** By how much something has changed, exact in the title. */
export function Changed({ n, bytes }: { n: number; bytes: boolean }): JSX.Element {
	const exact = signed(count(n), n);

	return (
		<span
			class={n > 0 ? "grew" : n < 0 ? "shrank" : "quiet"}
			title={bytes ? `${exact} bytes` : exact}
		>
			{bytes ? signed(in_bytes(n), n) : exact}
		</span>
	);
}
