// SPDX-License-Identifier: BSD-2-Clause
// Whether the reader wants it dark; canvases have to be told.

import { useEffect, useState } from "preact/hooks";

export function useDark(): boolean {
	const query = matchMedia("(prefers-color-scheme: dark)");
	const [dark, set] = useState(query.matches);

	useEffect(() => {
		const follow = (): void => set(query.matches);

		query.addEventListener("change", follow);
		return () => query.removeEventListener("change", follow);
	}, []);
	return dark;
}
