// SPDX-License-Identifier: BSD-2-Clause
// Names from the program, always as text: short to read, whole in the title.

import { Fragment, type JSX } from "preact";
import type { State } from "../state/fragment";
import { base_name, clip, count } from "./format";
import { Link } from "./link";
import { shown_name } from "./names";

const PLACE_MAX = 200;

/** A text in which lines may end behind what parts a name, rather than within a word. */
export function Breaking({ text }: { text: string }): JSX.Element {
	const parts = text.split(/(?<=::|[<(,./]|[A-Za-z0-9]_)(?=[A-Za-z_])/);

	return (
		<>
			{parts.map((part, i) => (
				<Fragment key={i}>
					{i > 0 && <wbr />}
					{part}
				</Fragment>
			))}
		</>
	);
}

export function Name({
	name,
	inlined = false,
	whole = false,
}: {
	name: string | null;
	inlined?: boolean;
	whole?: boolean; // with what stands in its brackets
}): JSX.Element {
	const text = name ?? "(unknown)";

	return (
		<span class="name" title={text}>
			<Breaking text={whole ? clip(text, PLACE_MAX) : shown_name(text)} />
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

interface TypeProps {
	type: string;
	to: Partial<State> | null;
	width: number; // characters at most
}

function Type({ type, to, width }: TypeProps): JSX.Element {
	const text = clip(type, width);

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
	width = 60,
	to,
}: {
	types: readonly string[];
	most?: number;
	width?: number;
	to?: (type: string) => Partial<State> | null;
}): JSX.Element | null {
	if (!types.length) return null;
	const more = types.length - most;
	const title = types.slice(0, TITLED).join("\n");

	return (
		<span class="types" title={more_than(title, types.length - TITLED)}>
			{types.slice(0, most).map((t) => (
				<Type key={t} type={t} to={to?.(t) ?? null} width={width} />
			))}
			{more > 0 && <span class="more">and {count(more)} more</span>}
		</span>
	);
}
