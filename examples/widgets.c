/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The producer and the consumer.
 *
 * Two producers make widgets, red ones and blue ones, as a coin falls. A consumer should give back
 * every widget it is done with, but forgets the red ones: a leak. Ten thousand widgets are made;
 * the coin is a generator of our own, started so that it says "blue" 4,981 times everywhere.
 *
 *	cc -g -o widgets widgets.c && mprof run ./widgets
 */
#include <stdlib.h>

enum color { BLUE, RED };

typedef struct {
	enum color color;
	int payload[50];
} widget;

enum { WIDGETS = 10000 };

static unsigned long long seed = 1;

/* Knuth's linear congruential generator for 64 bits; the highest bit is the most random one. */
static int coin_shows_red(void)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (int)(seed >> 63);
}

widget *make_widget(void)
{
	widget *w = malloc(sizeof(widget));

	if (!w)
		exit(1);
	return w;
}

widget *make_red_widget(void)
{
	widget *w = make_widget();

	w->color = RED;
	return w;
}

widget *make_blue_widget(void)
{
	widget *w = make_widget();

	w->color = BLUE;
	return w;
}

/* The mistake: red widgets are consumed, too, but never freed. */
void consume_widget(widget *w)
{
	if (w->color != RED)
		free(w);
}

int main(void)
{
	static widget *made[WIDGETS];

	for (int i = 0; i < WIDGETS; i++)
		made[i] = coin_shows_red() ? make_red_widget() : make_blue_widget();
	for (int i = 0; i < WIDGETS; i++)
		consume_widget(made[i]);
	return 0;
}
