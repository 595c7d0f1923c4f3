/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/top_signals.h"

#include "base/endby.h"
#include "base/ownsignal.h"

#include <stddef.h>

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { ENDING_SIGNALS = sizeof ending_signals / sizeof *ending_signals };

static volatile sig_atomic_t told_to_end;

static void take_signal(int sig)
{
	(void)sig;
	told_to_end = 1;
}

static volatile sig_atomic_t resized;

static void take_resize(int sig)
{
	(void)sig;
	resized = 1;
}

void top_await_resizes(void)
{
	struct sigaction sa = {.sa_handler = take_resize};

	sigaction(SIGWINCH, &sa, NULL);
}

bool top_was_resized(void)
{
	bool was = resized;

	resized = 0;
	return was;
}

void top_await_signals(void)
{
	/* without SA_RESTART: interrupts waits */
	struct sigaction sa = {.sa_handler = take_signal};

	for (size_t i = 0; i < ENDING_SIGNALS; i++)
		/* Under nohup SIGHUP stays ignored. */
		if (ending_signals[i] != SIGHUP || !signal_is_ignored(SIGHUP))
			sigaction(ending_signals[i], &sa, NULL);
	/* EPIPE is noticed when printing */
	signal(SIGPIPE, SIG_IGN);
}

void top_default_signals(void)
{
	for (size_t i = 0; i < ENDING_SIGNALS; i++)
		endby_signal(ending_signals[i]);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGWINCH, SIG_DFL);
}

bool top_told_to_end(void)
{
	return told_to_end;
}

const volatile sig_atomic_t *top_end_flag(void)
{
	return &told_to_end;
}

void top_await_next_signal(void)
{
	told_to_end = 0;
}
