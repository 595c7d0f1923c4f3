// SPDX-License-Identifier: BSD-2-Clause
// Names from the program, always as text: short to read, whole in the title.

import type { JSX } from "preact";
import { base_name, clip, short_name } from "./format";

const SHOWN = 200;

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
			{clip(short_name(text), SHOWN)}
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
			{clip(base_name(file), SHOWN) + end}
		</span>
	);
}

/** "a/b.c:3" as one text. */
export function PlaceText({ place }: { place: string | null }): JSX.Element | null {
	return place ? (
		<span class="place" title={place}>
			{clip(base_name(place), SHOWN)}
		</span>
	) : null;
}

export function Types({
	types,
	most = 3,
}: {
	types: readonly string[];
	most?: number;
}): JSX.Element | null {
	if (!types.length) return null;
	const more = types.length - most;

	return (
		<span class="types" title={types.join("\n")}>
			{types.slice(0, most).map((t) => (
				<span class="type" key={t}>
					{clip(t, 60)}
				</span>
			))}
			{more > 0 && <span class="more">+{more}</span>}
		</span>
	);
}
