// SPDX-License-Identifier: BSD-2-Clause
// A link to another state of the page: a real one, so that it can be copied and opened anew.

import type { ComponentChildren, JSX } from "preact";
import { type State, to_fragment } from "../state/fragment";
import { useStore } from "../state/store";

interface Props {
	to: Partial<State>;
	children: ComponentChildren;
	class?: string;
	label?: string;
	current?: boolean;
}

export function Link({ to, children, class: style, label, current }: Props): JSX.Element {
	const { state } = useStore();

	return (
		<a
			class={style}
			href={`#${to_fragment({ ...state, ...to })}`}
			aria-label={label}
			aria-current={current ? "page" : undefined}
		>
			{children}
		</a>
	);
}
