// SPDX-License-Identifier: BSD-2-Clause
// Rows of a table: which are shown, and in which order.

/** A column orders rows by their values, or by comparing them where a value would be dear. */
export interface Sortable<R> {
	id: string;
	value?: (row: R) => number | string;
	compare?: (a: R, b: R) => number;
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

type Order = (a: number, b: number) => number;

/** The order of rows by their number in the list; the sort of a column, then as they came in. */
function order_of<R>(rows: readonly R[], c: Sortable<R>, down: boolean): Order {
	const sign = down ? -1 : 1;
	const by = c.compare;

	if (by) return (a, b) => sign * by(rows[a], rows[b]) || a - b;
	const values = rows.map((row) => c.value?.(row) ?? 0);
	return (a, b) => sign * compare(values[a], values[b]) || a - b;
}

/** Puts the first @n of @list in order to its beginning, in no order among themselves. */
function select(list: Int32Array, n: number, order: Order): void {
	let low = 0;
	let high = list.length - 1;

	while (low < high) {
		const pivot = list[(low + high) >> 1];
		let i = low;
		let j = high;

		while (i <= j) {
			while (order(list[i], pivot) < 0) i++;
			while (order(list[j], pivot) > 0) j--;
			if (i > j) break;
			const other = list[i];
			list[i++] = list[j];
			list[j--] = other;
		}
		if (n - 1 <= j) high = j;
		else if (n - 1 >= i) low = i;
		else return;
	}
}

/**
 * The first @n rows, at least as many as are seen: the others need no order. Rows that are equal
 * stay in the order they came in.
 */
export function sorted<R>(
	rows: readonly R[],
	columns: readonly Sortable<R>[],
	sort: string,
	n = rows.length,
): readonly R[] {
	const by = parse_sort(sort);
	const column = by && columns.find((c) => c.id === by.id);

	if (!by || !column) return rows.slice(0, n);
	const list = Int32Array.from(rows.keys());
	const order = order_of(rows, column, by.down);
	if (n < list.length) select(list, n, order);
	return Array.from(list.subarray(0, n).sort(order), (i) => rows[i]);
}

function compare(a: number | string, b: number | string): number {
	if (typeof a === "number" && typeof b === "number") return a - b;
	return String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0;
}

/** For a word in lower case: the test of whether a row has it. */
export type Finder<R> = (word: string) => (row: R) => boolean;

/** Rows that have the word somewhere in a text of theirs. */
export const in_text =
	<R>(text: (row: R) => string): Finder<R> =>
	(word) =>
	(row) =>
		text(row).toLowerCase().includes(word);

/** Rows that have every word. */
export function filtered<R>(rows: readonly R[], finder: Finder<R>, filter: string): readonly R[] {
	const words = filter.toLowerCase().split(/\s+/).filter(Boolean);

	return words.reduce((left, word) => left.filter(finder(word)), rows);
}
