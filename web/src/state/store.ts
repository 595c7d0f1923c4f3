// SPDX-License-Identifier: BSD-2-Clause
// The one place where the state of the page is; the address bar follows it, and it the address bar.

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { type State, from_fragment, to_fragment } from "./fragment";

export interface Store {
	state: State;
	/** Changes some of it. @step: the browser's "back" undoes it. */
	set(change: Partial<State>, step?: boolean): void;
}

export const StoreContext = createContext<Store | null>(null);

export function useStore(): Store {
	const store = useContext(StoreContext);

	if (!store) throw new Error("no store");
	return store;
}

export const read_location = (): State => from_fragment(location.hash);

/** Writes the state to the address bar without an event of its own. */
export function write_location(s: State, step: boolean): void {
	const fragment = `#${to_fragment(s)}`;

	if (fragment === (location.hash || "#")) return;
	if (step) history.pushState(null, "", fragment);
	else history.replaceState(null, "", fragment);
}
