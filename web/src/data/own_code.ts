// SPDX-License-Identifier: BSD-2-Clause
// Which function of a chain is to blame: the innermost one of the program's own code. That a
// std::string allocates is true and tells nobody anything.

const LIBRARY_NAME =
	/^(?:[\w:<>,*& ]+ )?(?:std::|__gnu_cxx::|__gnu_debug::|operator new|operator delete)/;
const LIBRARY_FILE = /^(?:\/usr\/(?!src\/)|\/lib|\/build\/glibc)|\/(?:include\/c\+\+|bits)\//;
const LIBRARY_MODULE = /^\/(?:usr\/)?lib(?:32|64|x32)?\//;
const WRAPPERS =
	/^(?:x|g_|ck_)?(?:malloc|calloc|realloc|strdup|strndup|memalign|aligned_alloc)\d*$/;

/** Whether a person would look for the cause here. */
export function is_own(name: string | null, file: string | null, module: string | null): boolean {
	if (name === null || LIBRARY_NAME.test(name) || WRAPPERS.test(name)) return false;
	if (module !== null && LIBRARY_MODULE.test(module)) return false;
	return file !== null && !LIBRARY_FILE.test(file);
}
