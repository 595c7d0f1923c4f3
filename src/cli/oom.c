/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/oom.h"

#include "proc/file.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SPARED = -500 }; /* in thousandths of all memory, see proc_pid_oom_score_adj(5) */

static const char file[] = "oom_score_adj";
static int before, now;
static bool lowered;
static int why_not;

static int read_score(int *score)
{
	char *text = proc_read(getpid(), file, NULL);

	if (!text)
		return -errno;
	*score = atoi(text);
	free(text);
	return 0;
}

static int write_score(int score)
{
	char text[16];

	snprintf(text, sizeof text, "%d", score);
	return proc_write(getpid(), file, text);
}

/* Save children may be killed: that costs a file, but no program. */
static void unprotect_child(void)
{
	if (lowered)
		write_score(before);
}

void oom_protect(void)
{
	why_not = read_score(&before);
	now = before;
	if (why_not || before <= SPARED)
		return;
	why_not = write_score(SPARED);
	if (!why_not)
		now = SPARED;
	else if (before > 0 && !write_score(0)) /* 0, the initial value, needs no privilege */
		now = 0;
	lowered = now != before;
	if (lowered)
		pthread_atfork(NULL, NULL, unprotect_child);
}

const char *oom_told(void)
{
	static char text[128];

	if (why_not)
		snprintf(text, sizeof text, "%d (not %d: %s)", now, SPARED, strerror(-why_not));
	else
		snprintf(text, sizeof text, "%d", now);
	return text;
}
