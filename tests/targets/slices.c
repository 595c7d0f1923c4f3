/* SPDX-License-Identifier: BSD-2-Clause */
/* GLib's slices: single blocks, and a list that is freed at once. */
#include "target.h"

void *g_slice_alloc(size_t);
void *g_slice_alloc0(size_t);
void *g_slice_copy(size_t, const void *);
void g_slice_free1(size_t, void *);
void g_slice_free_chain_with_offset(size_t, void *, size_t);

struct link {
	char name[600];
	struct link *next;
	char rest[9];
};

int main(void)
{
	struct link *list = NULL;
	void *p[50];

	for (size_t i = 0; i < LENGTH(p); i++)
		p[i] = fill(i % 2 ? g_slice_alloc(589) : g_slice_alloc0(589), 589, 1);
	for (size_t i = 0; i < 30; i++)
		g_slice_free1(589, p[i]);
	for (size_t i = 30; i < 40; i++)
		g_slice_free1(577, g_slice_copy(577, p[i]));
	bin(589, 50, 30);
	bin(577, 10, 10);
	for (int i = 0; i < 25; i++) {
		struct link *l = g_slice_alloc(sizeof *l);

		l->next = list;
		list = i < 20 ? l : list;
	}
	g_slice_free_chain_with_offset(sizeof *list, list, offsetof(struct link, next));
	bin(sizeof *list, 25, 20);
	truth("unknown 0\n");
	say("slices: done\n");
	return 0;
}
