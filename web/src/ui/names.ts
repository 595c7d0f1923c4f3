// SPDX-License-Identifier: BSD-2-Clause
// How far the names of a page are shortened: not so far that two different ones look the same.

import {
	clip,
	name_with_arguments,
	name_with_both,
	name_with_parameters,
	names_are_full,
	plain_name,
	short_name,
	show_as,
} from "./format";

/** So many characters of a name are shown. */
const NAME_MAX = 200;

/** From short to long: what a name may be shown as. */
const FORMS = [
	plain_name,
	name_with_parameters,
	name_with_arguments,
	name_with_both,
	(name: string): string => name,
];

const met = new Map<string, Set<string>>(); // all names, by their first form as it is seen

const uncut = new Set<string>(); // only in their middle they differ

const seen = (text: string): string => clip(text, NAME_MAX);

/** The first form that all of them differ in. */
function tell_apart(names: readonly string[]): void {
	const differ = (form: (name: string) => string): boolean =>
		new Set(names.map((n) => seen(form(n)))).size === names.length;
	const form = FORMS.find(differ);

	for (const n of names) {
		show_as(n, form ? form(n) : n);
		if (!form) uncut.add(n);
	}
}

/** A name as a table shows it. */
export const shown_name = (name: string): string =>
	names_are_full() || uncut.has(name) ? short_name(name) : clip(short_name(name), NAME_MAX);

/** These are names of the page, which will be shown. */
export function meet_names(names: Iterable<string>): void {
	const grown = new Set<Set<string>>();

	for (const n of names) {
		const short = seen(plain_name(n));
		const group = met.get(short) ?? new Set();

		met.set(short, group);
		if (!group.has(n) && group.add(n).size > 1) grown.add(group);
	}
	for (const group of grown) tell_apart([...group]);
}
