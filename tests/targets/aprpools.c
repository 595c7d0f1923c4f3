/* SPDX-License-Identifier: BSD-2-Clause */
/* Pools of the Apache Portable Runtime: cleared, used again, nested, and with a cleanup function of
 * the program that frees blocks from malloc. */
#include "target.h"

int apr_initialize(void);
void apr_terminate(void);
int apr_pool_create_ex(void **pool, void *parent, void *abort_fn, void *allocator);
void *apr_palloc(void *pool, size_t size);
void *apr_pcalloc(void *pool, size_t size);
char *apr_pstrdup(void *pool, const char *s);
void apr_pool_clear(void *pool);
void apr_pool_destroy(void *pool);
void apr_pool_cleanup_register(void *pool, const void *data, int (*plain)(void *),
			       int (*child)(void *));

static int give_back(void *p)
{
	free(p);
	return 0;
}

static void *new_pool(void *parent)
{
	void *pool;

	MUST(!apr_pool_create_ex(&pool, parent, NULL, NULL));
	return pool;
}

int main(void)
{
	char text[1500];

	MUST(!apr_initialize());
	void *outer = new_pool(NULL), *inner = new_pool(outer), *other = new_pool(NULL);
	for (int i = 0; i < 40; i++) {
		fill(apr_palloc(outer, 1409), 1409, i);
		fill(apr_pcalloc(inner, 1423), 1423, i);
		fill(apr_palloc(other, 1427), 1427, i);
	}
	apr_palloc(other, 70001); /* more than a node holds */
	memset(text, 'x', sizeof text);
	text[1428] = '\0';
	apr_pstrdup(inner, text);
	apr_pool_cleanup_register(inner, malloc(1433), give_back, give_back);
	bin(1433, 1, 1);
	apr_pool_clear(other);
	for (int i = 0; i < 5; i++)
		apr_palloc(other, 1427);
	bin(1427, 45, 40);
	bin(70001, 1, 1);
	apr_pool_destroy(outer); /* and what is inside of it */
	bin(1409, 40, 40);
	bin(1423, 40, 40);
	bin(1429, 1, 1);
	truth("unknown 0\n");
	say("aprpools: done\n");
	return 0;
}
