/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/stop_cost.h"

/* A bare stop, as measured by make bench on the machine of bench/NOTES.md. */
enum { OWN_NS = 2500, AWAY_NS = 4500 };

void stop_cost_init(struct stop_cost *c)
{
	*c = (struct stop_cost){ .own_ns = OWN_NS, .away_ns = AWAY_NS };
}

void stop_cost_goes(struct stop_cost *c, pid_t tid, uint64_t ran_ns, uint64_t now_ns)
{
	c->tid = tid;
	c->ran_ns = ran_ns;
	c->went_ns = now_ns;
}

/* A step towards the median of all samples: a median, so that a task that once had to wait for a
 * processor, or a call that took long, hardly matters. */
static uint32_t approach(uint32_t median, uint64_t sample, unsigned samples)
{
	enum { FIRST = 32, FAST = 8, SLOW = 32 };
	const uint32_t step = median / (samples < FIRST ? FAST : SLOW) + 1;

	if (sample > median)
		return median < UINT32_MAX / 2 ? median + step : median;
	return sample < median ? median - step : median;
}

void stop_cost_comes(struct stop_cost *c, pid_t tid, bool ended, uint64_t ran_ns, uint64_t came_ns)
{
	if (ended && c->tid == tid && ran_ns > c->ran_ns && came_ns > c->went_ns) {
		c->own_ns = approach(c->own_ns, ran_ns - c->ran_ns, c->samples);
		c->away_ns = approach(c->away_ns, came_ns - c->went_ns, c->samples);
		c->samples++;
	}
	c->tid = 0;
}
