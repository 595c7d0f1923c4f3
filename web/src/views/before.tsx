// SPDX-License-Identifier: BSD-2-Clause
// What was there before mprof attached, by usable size: that is all that is known of it.

import type { JSX } from "preact";
import type { Before as Known, BeforeSize } from "../data/schema";
import { Bytes, Share } from "../ui/bar";
import { count } from "../ui/format";
import { in_text } from "../ui/rows";
import { type Column, Table } from "../ui/table";

const left = (s: BeforeSize): number => s.blocks - s.freed - s.missed;

const sum = (list: readonly BeforeSize[], bytes: (s: BeforeSize) => number): number =>
	list.reduce((n, s) => n + bytes(s), 0);

function in_bytes(
	id: string,
	title: string,
	hint: string,
	blocks: (s: BeforeSize) => number,
	all: readonly BeforeSize[],
): Column<BeforeSize> {
	const whole = sum(all, (s) => s.usable * blocks(s));

	return {
		id,
		title,
		hint,
		numeric: true,
		value: (s) => s.usable * blocks(s),
		cell: (s) => (
			<>
				<Bytes n={s.usable * blocks(s)} />
				<Share part={s.usable * blocks(s)} whole={whole} />
			</>
		),
	};
}

const in_blocks = (
	id: string,
	title: string,
	hint: string,
	blocks: (s: BeforeSize) => number,
): Column<BeforeSize> => ({
	id,
	title,
	hint,
	numeric: true,
	value: blocks,
	cell: (s) => count(blocks(s)),
});

const columns_of = (all: readonly BeforeSize[]): Column<BeforeSize>[] => [
	in_blocks("usable", "Usable", "Bytes of each block that can be used", (s) => s.usable),
	in_blocks("blocks", "Blocks", "Blocks that were there", (s) => s.blocks),
	in_bytes("bytes", "Bytes", "Usable bytes that were there", (s) => s.blocks, all),
	in_blocks("freed", "Freed", "Blocks freed since", (s) => s.freed),
	in_blocks("missed", "Unseen", "Blocks that are gone, which was not seen", (s) => s.missed),
	in_blocks("left", "Left", "Blocks that are left", left),
	in_bytes("kept", "Bytes left", "Usable bytes that are left", left, all),
];

export function Before({ before }: { before: Known | undefined }): JSX.Element {
	const sizes = before?.sizes ?? [];

	return (
		<Table
			caption="What was there before mprof attached, by whomever it was requested"
			columns={columns_of(sizes)}
			rows={sizes}
			finder={in_text((s) => `${s.usable}`)}
			usual="-bytes"
			empty="There was nothing on the heap."
		/>
	);
}
