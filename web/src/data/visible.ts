// SPDX-License-Identifier: BSD-2-Clause
// Names that come from the program may have characters in them that are not seen, and that turn or
// break what stands around them. They are made visible where the data is read, so that no view need
// think of them.

const UNSEEN =
	/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/u;
const ALL_UNSEEN = new RegExp(UNSEEN, "gu");

const SHORT: Record<string, string> = { "\n": "\\n", "\t": "\\t", "\r": "\\r" };

function written(c: string): string {
	const hex = (c.codePointAt(0) ?? 0).toString(16);

	return SHORT[c] ?? (hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, "0")}`);
}

/** The text with what cannot be seen written as "\u202e", "\n". */
export const visible = (text: string): string =>
	UNSEEN.test(text) ? text.replace(ALL_UNSEEN, written) : text;

/** The same of every text in a value of JSON, which is changed. */
export function all_visible(value: unknown): unknown {
	if (typeof value === "string") return visible(value);
	if (typeof value !== "object" || value === null) return value;
	// Of columns of numbers there are many, and long ones.
	if (Array.isArray(value) && typeof value[0] === "number") return value;
	const of = value as Record<string, unknown>;
	for (const key of Object.keys(of)) {
		const was = of[key];
		const now = all_visible(was);

		if (now !== was) of[key] = now;
	}
	return value;
}
