// SPDX-License-Identifier: BSD-2-Clause
// Names from the program, always as text: short to read, whole in the title.

import type { JSX } from "preact";
import type { State } from "../state/fragment";
import { base_name, clip, count } from "./format";
import { Link } from "./link";
import { shown_name } from "./names";

const PLACE_MAX = 200;

export function Name({
	name,
	inlined = false,
}: {
	name: string | null;
	inlined?: boolean;
}): JSX.Element {
	const text = name ?? "(unknown)";

	return (
		<span class="name" title={text}>
			{shown_name(text)}
			{inlined && <span class="tag">inlined</span>}
		</span>
	);
}

export function Place({
	file,
	line,
}: {
	file: string | null;
	line?: number | null;
}): JSX.Element | null {
	if (!file) return null;
	const end = line ? `:${line}` : "";

	return (
		<span class="place" title={file + end}>
			{clip(base_name(file), PLACE_MAX) + end}
		</span>
	);
}

/** "a/b.c:3" as one text. */
export function PlaceText({ place }: { place: string | null }): JSX.Element | null {
	return place ? (
		<span class="place" title={place}>
			{clip(base_name(place), PLACE_MAX)}
		</span>
	) : null;
}

function Type({ type, to }: { type: string; to: Partial<State> | null }): JSX.Element {
	const text = clip(type, 60);

	if (!to) return <span class="type">{text}</span>;
	return (
		<Link class="type" to={to}>
			{text}
		</Link>
	);
}

const TITLED = 20; // types, at most

const more_than = (text: string, more: number): string =>
	more > 0 ? `${text}\nand ${count(more)} more` : text;

/** @to: where the name of one leads, if anywhere. */
export function Types({
	types,
	most = 3,
	to,
}: {
	types: readonly string[];
	most?: number;
	to?: (type: string) => Partial<State> | null;
}): JSX.Element | null {
	if (!types.length) return null;
	const more = types.length - most;
	const title = types.slice(0, TITLED).join("\n");

	return (
		<span class="types" title={more_than(title, types.length - TITLED)}>
			{types.slice(0, most).map((t) => (
				<Type key={t} type={t} to={to?.(t) ?? null} />
			))}
			{more > 0 && <span class="more">and {count(more)} more</span>}
		</span>
	);
}
