// SPDX-License-Identifier: BSD-2-Clause
// From a block of the page to the value in it.

import { all_visible } from "./visible";

/** A block that is not what it should be; the sentence is for people. */
export class BlockError extends Error {}

function bytes_of(base64: string): Uint8Array<ArrayBuffer> {
	const text = atob(base64);
	const bytes = new Uint8Array(text.length);

	for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
	return bytes;
}

/** The text in base64 of zlib's format. */
export async function inflate(base64: string): Promise<string> {
	const packed = new Blob([bytes_of(base64)]).stream();
	const plain = packed.pipeThrough(new DecompressionStream("deflate"));

	return new Response(plain).text();
}

/** Parses a block and holds its schema against the one that is wanted. */
export async function decode<T extends { schema: string }>(
	base64: string,
	schema: T["schema"],
	what: string,
): Promise<T> {
	let value: unknown;

	if (typeof DecompressionStream === "undefined")
		throw new BlockError(
			"This browser is too old for this page: it has no DecompressionStream, " +
				"which others have had since 2023",
		);
	try {
		value = JSON.parse(await inflate(base64.trim()));
	} catch (e) {
		throw new BlockError(`${what} in this page is damaged: ${String(e)}`);
	}
	if (!has_schema<T>(value, schema))
		throw new BlockError(`${what} in this page is not ${schema}`);
	return all_visible(value) as T;
}

function has_schema<T extends { schema: string }>(value: unknown, schema: string): value is T {
	return (
		typeof value === "object" &&
		value !== null &&
		(value as { schema?: unknown }).schema === schema
	);
}

/** The block of that id in the document; its text is let go once it has been read. */
export async function read_block<T extends { schema: string }>(
	id: string,
	schema: T["schema"],
	what: string,
): Promise<T> {
	const element = document.getElementById(id);

	if (!element) throw new BlockError(`${what} is missing in this page`);
	return decode<T>(element.textContent ?? "", schema, what);
}
