// SPDX-License-Identifier: BSD-2-Clause
// Loses blocks, a list by its head among them, and keeps others that are held on to. Then it says
// its process and waits for the end of its input: what has ended cannot be looked at.

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct part {
	struct part *next;
	char text[488];
};

static void *held[4];
static struct part *volatile head;

// What is on the stack may still look like a pointer: each is called far below main.
__attribute__((noinline)) static void forget(int n)
{
	for (int i = 0; i < n; i++) {
		char *volatile block = malloc(1000);

		block[0] = 1;
		block = NULL;
	}
}

__attribute__((noinline)) static void forget_list(int n)
{
	for (int i = 0; i < n; i++) {
		struct part *p = malloc(sizeof(*p));

		p->next = head;
		head = p;
	}
	head = NULL;
}

__attribute__((noinline)) static void hold(void)
{
	for (int i = 0; i < 4; i++)
		held[i] = malloc(2000);
}

__attribute__((noinline)) static void clear_the_stack(void)
{
	volatile char room[65536];

	for (unsigned i = 0; i < sizeof(room); i++)
		room[i] = 0;
}

int main(void)
{
	forget(30);
	forget_list(10);
	hold();
	clear_the_stack();
	dprintf(STDOUT_FILENO, "%d\n", (int)getpid());
	return read(STDIN_FILENO, &(char){ 0 }, 1) != 0 || held[0] == NULL;
}
