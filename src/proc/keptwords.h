/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROC_KEPTWORDS_H
#define MPROF_PROC_KEPTWORDS_H

#include <stdint.h>
#include <sys/types.h>

/* Words that a process has given to the kernel, which gives them back with an event: those of its
 * epoll sets and of its POSIX timers. Programs pass addresses, which may be stored nowhere else. */

/* Called with each word; anything but 0 ends the reading. */
typedef int kept_word_fn(uint64_t word, void *ctx);

/**
 * Call @fn with all such words of a process. What cannot be read is skipped: older kernels do not
 * list timers.
 * Returns what @fn did if that is not 0, or -errno.
 */
int kept_words_each(pid_t pid, kept_word_fn *fn, void *ctx);

/* The same with the text of /proc/PID/fdinfo/FD, proc_pid_fdinfo(5), and of /proc/PID/timers. */
int kept_words_in_epoll(const char *text, kept_word_fn *fn, void *ctx);
int kept_words_in_timers(const char *text, kept_word_fn *fn, void *ctx);

#endif
