/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_ERROR_H
#define MPROF_BASE_ERROR_H

/* What went wrong, in one sentence for a person: what failed, on which pid or file, why, what to
 * do. */
struct error {
	char text[1024];
};

/**
 * Put a sentence into @e (NULL: it is dropped) and return @err, so that a failing statement can say
 * `return error_set(e, -errno, "cannot read %s: %s", ...)`. The text is cut, not overrun, if it is
 * too long; bytes that could steer a terminal are shown in octal. Returns @err.
 */
__attribute__((format(printf, 3, 4))) int error_set(struct error *e, int err, const char *fmt, ...);

#if defined(__clang_analyzer__) || defined(MPROF_ANALYZER)
/* Analyzers see one file at a time, and would not know that @err is returned. */
#define error_set(e, err, ...)                                \
	({                                                    \
		const int error_set_err = (err);              \
		(error_set)((e), error_set_err, __VA_ARGS__); \
		error_set_err;                                \
	})
#endif

#endif
