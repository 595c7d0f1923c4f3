// SPDX-License-Identifier: BSD-2-Clause
// A table that can be sorted and filtered; long ones come in pages.

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { useStore } from "../state/store";
import { count, plural } from "./format";
import { type Finder, type Sortable, filtered, next_sort, parse_sort, sorted } from "./rows";

export interface Column<R> extends Sortable<R> {
	title: string;
	hint?: string;
	numeric?: boolean;
	cell: (row: R) => ComponentChildren;
}

interface Props<R> {
	caption: string;
	columns: Column<R>[];
	rows: readonly R[];
	finder: Finder<R>; // what the filter looks at
	usual: string; // the order without a choice
	empty: string;
}

const PAGE = 100;
const MANY = 8; // columns: they stand closer

const class_of = (c: { numeric?: boolean }): string | undefined =>
	c.numeric ? "figure" : undefined;

function Head<R>({ c, sort }: { c: Column<R>; sort: string }): JSX.Element {
	const { set } = useStore();
	const now = parse_sort(sort);
	const mine = now?.id === c.id;
	const order = mine ? (now.down ? "descending" : "ascending") : undefined;

	return (
		<th scope="col" role="columnheader" class={class_of(c)} aria-sort={order}>
			<button
				type="button"
				title={c.hint}
				onClick={() =>
					set({ sort: next_sort(sort, c.id, c.numeric === true) })
				}
			>
				{c.title}
				<span class="arrow" aria-hidden="true">
					{mine ? (now.down ? "▾" : "▴") : ""}
				</span>
			</button>
		</th>
	);
}

function Pager({
	shown,
	all,
	more,
}: {
	shown: number;
	all: number;
	more: (n: number) => void;
}): JSX.Element | null {
	if (shown >= all) return null;
	return (
		<p class="pager">
			<span>
				{count(shown)} of {plural(all, "row")}
			</span>
			<button type="button" onClick={() => more(shown + 5 * PAGE)}>
				Show {count(Math.min(5 * PAGE, all - shown))} more
			</button>
		</p>
	);
}

export function Table<R>(p: Props<R>): JSX.Element {
	const { state, set } = useStore();
	const [page, set_page] = useState(PAGE);
	const sort = state.sort || p.usual;
	const rows = useMemo(
		() => filtered(p.rows, p.finder, state.filter),
		[p.rows, state.filter],
	);
	const shown = useMemo(() => sorted(rows, p.columns, sort, page), [rows, sort, page]);

	useEffect(() => set_page(PAGE), [state.filter, sort, p.rows]);
	if (!p.rows.length) return <p class="empty">{p.empty}</p>;
	return (
		<section class="sheet">
			<div class="bar">
				<input
					type="search"
					class="filter"
					data-slash
					placeholder="Filter"
					aria-label="Filter the rows"
					value={state.filter}
					onInput={(e) => set({ filter: e.currentTarget.value })}
				/>
				<span class="quiet" role="status">
					{rows.length < p.rows.length && `${count(rows.length)} of `}
					{plural(p.rows.length, "row")}
				</span>
			</div>
			<div class="wide" tabIndex={0} role="region" aria-label={p.caption}>
				<table
					role="table"
					class={p.columns.length > MANY ? "many" : undefined}
				>
					<caption>
						<span>{p.caption}</span>
					</caption>
					<thead>
						<tr role="row">
							{p.columns.map((c) => (
								<Head
									key={c.id}
									c={c as Column<unknown>}
									sort={sort}
								/>
							))}
						</tr>
					</thead>
					<tbody>
						{shown.map((row, i) => (
							<tr key={i} role="row">
								{p.columns.map((c) => (
									<td
										key={c.id}
										role="cell"
										class={class_of(c)}
										data-title={c.title}
									>
										{c.cell(row)}
									</td>
								))}
							</tr>
						))}
					</tbody>
				</table>
			</div>
			<Pager shown={shown.length} all={rows.length} more={set_page} />
		</section>
	);
}
