// SPDX-License-Identifier: BSD-2-Clause
// Call chains as a difference has them: lists of functions, from the outside in, of neither tree.

import type { OwnPlace, Place } from "./schema";

/** The function to look at first: the innermost one of own code, or else that which allocates. */
export const blamed_in = (path: readonly OwnPlace[]): OwnPlace | undefined =>
	[...path].reverse().find((e) => e.own) ?? path[path.length - 1];

/** Names from the function that allocates outwards: a path of the inverted graph. */
export const names_inwards = (path: readonly Place[]): string[] =>
	[...path].reverse().map((e) => e.function ?? "?");
