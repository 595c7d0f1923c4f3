// SPDX-License-Identifier: BSD-2-Clause
// Which colour is which module.

import type { JSX } from "preact";
import type { Tree } from "../data/tree";
import { base_name, clip } from "../ui/format";
import { type Colouring, change_colour, css, module_colour, modules_of } from "./colours";

const SHOWN = 8;

export function Legend({ tree, dark }: { tree: Tree; dark: boolean }): JSX.Element {
	const modules = modules_of(tree);

	return (
		<p class="row legend">
			{modules.slice(0, SHOWN).map((m) => (
				<span key={m} title={m}>
					<span
						class="swatch"
						style={{
							backgroundColor: css(
								module_colour(modules, m, dark),
							),
						}}
					/>{" "}
					<bdi>{clip(base_name(m), 40)}</bdi>
				</span>
			))}
			{modules.length > SHOWN && (
				<span class="quiet">and {modules.length - SHOWN} more</span>
			)}
		</p>
	);
}

const PARTS: [part: number, words: string][] = [
	[-1, "all gone"],
	[-0.25, "less"],
	[0, "as before"],
	[0.25, "more"],
	[1, "all new"],
];

/** What the colours and the width of a difference mean. */
export function ChangeLegend({ dark, how }: { dark: boolean; how: Colouring }): JSX.Element {
	return (
		<p class="row legend">
			{(how === "change" ? PARTS : []).map(([part, words]) => (
				<span key={words}>
					<span
						class="swatch"
						style={{
							backgroundColor: css(
								change_colour(part, dark),
							),
						}}
					/>{" "}
					{words}
				</span>
			))}
			<span class="quiet">
				The width of a call chain is what it had before or has now,
				whichever is more.
			</span>
		</p>
	);
}
