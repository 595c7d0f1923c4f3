// SPDX-License-Identifier: BSD-2-Clause
// Which colour is which module.

import type { JSX } from "preact";
import type { Tree } from "../data/tree";
import { base_name, clip } from "../ui/format";
import { css, module_colour, modules_of } from "./colours";

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
					{clip(base_name(m), 40)}
				</span>
			))}
			{modules.length > SHOWN && (
				<span class="quiet">and {modules.length - SHOWN} more</span>
			)}
		</p>
	);
}
