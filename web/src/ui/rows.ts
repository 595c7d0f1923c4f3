// SPDX-License-Identifier: BSD-2-Clause
// Rows of a table: which are shown, and in which order.

export interface Sortable<R> {
	id: string;
	value: (row: R) => number | string;
}

export interface Sort {
	id: string;
	down: boolean;
}

/** "-bytes" is the column bytes, descending. */
export function parse_sort(text: string): Sort | null {
	const down = text.startsWith("-");
	const id = down ? text.slice(1) : text;

	return id ? { id, down } : null;
}

/** What a click on a column's head makes of it: figures begin with the largest. */
export function next_sort(text: string, id: string, numeric: boolean): string {
	const now = parse_sort(text);

	if (now?.id === id) return now.down ? id : `-${id}`;
	return numeric ? `-${id}` : id;
}

/** A new list; rows that are equal stay in the order they came in. */
export function sorted<R>(
	rows: readonly R[],
	columns: readonly Sortable<R>[],
	sort: string,
): readonly R[] {
	const by = parse_sort(sort);
	const column = by && columns.find((c) => c.id === by.id);

	if (!by || !column) return rows;
	const sign = by.down ? -1 : 1;
	return rows
		.map((row, i) => ({ row, i, v: column.value(row) }))
		.sort((a, b) => sign * compare(a.v, b.v) || a.i - b.i)
		.map((e) => e.row);
}

function compare(a: number | string, b: number | string): number {
	if (typeof a === "number" && typeof b === "number") return a - b;
	return String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0;
}

/** Rows whose text has every word. */
export function filtered<R>(
	rows: readonly R[],
	text: (row: R) => string,
	filter: string,
): readonly R[] {
	const words = filter.toLowerCase().split(/\s+/).filter(Boolean);

	if (!words.length) return rows;
	return rows.filter((row) => {
		const t = text(row).toLowerCase();

		return words.every((w) => t.includes(w));
	});
}
