// SPDX-License-Identifier: BSD-2-Clause
// What a title tells whoever points at it, for whoever comes by the keyboard: under what has the
// focus, the whole of a name that is shown in part.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

interface Tip {
	text: string;
	left: number;
	/** Below what has the focus, or above it where there is no room. */
	place: { top: string } | { bottom: string };
}

const LOW = 0.65; // of the window: what is lower has its tip above

/** The longest title of an element and what is in it that tells more than is seen. */
function untold(e: HTMLElement): string {
	const all = [e, ...e.querySelectorAll<HTMLElement>("[title]")];
	const more = all
		.filter((t) => t.title && !(t.textContent ?? "").includes(t.title))
		.map((t) => t.title);

	return more.reduce((a, b) => (b.length > a.length ? b : a), "");
}

function tip_of(e: EventTarget | null): Tip | null {
	const field =
		e instanceof HTMLElement && e.matches("a:focus-visible, button:focus-visible");
	const text = field ? untold(e) : "";

	if (!field || !text) return null;
	const { left, top, bottom } = e.getBoundingClientRect();
	const above = bottom > LOW * innerHeight;
	return {
		text,
		left: Math.max(left, 0),
		place: above
			? { bottom: `${innerHeight - top + 6}px` }
			: { top: `${bottom + 6}px` },
	};
}

export function FocusTip(): JSX.Element | null {
	const [tip, set] = useState<Tip | null>(null);

	useEffect(() => {
		const show = (e: FocusEvent): void => set(tip_of(e.target));
		const hide = (): void => set(null);
		// What gets the focus may come into view only then.
		const follow = (): void => set((was) => was && tip_of(document.activeElement));
		const on_key = (e: KeyboardEvent): void => {
			if (e.key === "Escape") hide();
		};

		addEventListener("focusin", show);
		addEventListener("focusout", hide);
		addEventListener("scroll", follow, true);
		addEventListener("keydown", on_key);
		return () => {
			removeEventListener("focusin", show);
			removeEventListener("focusout", hide);
			removeEventListener("scroll", follow, true);
			removeEventListener("keydown", on_key);
		};
	}, []);
	if (!tip) return null;
	return (
		<div
			class="tip focus"
			role="tooltip"
			style={{
				left: `min(${tip.left}px, max(8px, 100vw - 640px))`,
				...tip.place,
			}}
		>
			<p class="whole">{tip.text}</p>
		</div>
	);
}
