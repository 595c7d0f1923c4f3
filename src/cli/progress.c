/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/progress.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static const char *volatile step;
static volatile sig_atomic_t seconds;

static void put(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		seconds = 0; /* nobody would see it */
}

/* Called once a second while a step goes on; a signal handler. */
static void show(int sig)
{
	char digits[] = ", 0000 s";
	int saved = errno, n = ++seconds;
	const char *what = step;

	(void)sig;
	for (int i = 5; i > 1; i--, n /= 10)
		digits[i] = (char)('0' + n % 10);
	size_t zeros = 0;
	while (zeros < 3 && digits[2 + zeros] == '0')
		zeros++;
	memmove(digits + 2, digits + 2 + zeros, sizeof digits - 2 - zeros);
	if (what) {
		put("\rmprof: ");
		put(what);
		put(digits);
		put("\033[K");
	}
	errno = saved;
}

static void tick(bool on)
{
	struct itimerval every = { { on, 0 }, { on, 0 } };

	setitimer(ITIMER_REAL, &every, NULL);
}

void progress_begin(const char *what)
{
	struct sigaction sa = { .sa_handler = show, .sa_flags = SA_RESTART };

	progress_end();
	if (!isatty(STDERR_FILENO))
		return;
	seconds = 0;
	step = what;
	sigaction(SIGALRM, &sa, NULL);
	tick(true);
}

void progress_end(void)
{
	if (!step)
		return;
	tick(false);
	step = NULL;
	if (seconds)
		put("\r\033[K");
}
