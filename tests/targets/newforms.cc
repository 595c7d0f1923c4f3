// SPDX-License-Identifier: BSD-2-Clause
// Every form of operator new and delete, the standard ones or the program's own:
//	OWN_ARENA	they take their blocks from an arena, not from malloc
//	OWN_HEADER	they take them from malloc and keep something in front
// and a new handler, which frees what it can spare.
#include "target.h"

#include <new>

#ifdef OWN_ARENA
static char arena[1 << 20], *at = arena;

static void *take(size_t n, size_t align)
{
	at = (char *)(((uintptr_t)at + align - 1) & ~(align - 1));
	char *p = at;

	if (n > (size_t)(arena + sizeof arena - at))
		return nullptr;
	at += n;
	return p;
}

static void give(void *)
{
	STAY();
}
#endif
#ifdef OWN_HEADER
static void *take(size_t n, size_t align)
{
	void **p = (void **)malloc(n + 2 * align);

	if (!p)
		return nullptr;
	void **block = (void **)(((uintptr_t)p + 2 * align - 1) & ~(align - 1));

	block[-1] = p;
	return block;
}

static void give(void *p)
{
	if (p)
		free(((void **)p)[-1]);
}
#endif
#if defined OWN_ARENA || defined OWN_HEADER
static void *must_take(size_t n, size_t align)
{
	for (;;) {
		void *p = take(n, align);

		if (p)
			return p;
		std::new_handler handler = std::get_new_handler();

		if (!handler)
			throw std::bad_alloc();
		handler();
	}
}

static void *may_take(size_t n, size_t align) noexcept
{
	try {
		return must_take(n, align);
	} catch (const std::bad_alloc &) {
		return nullptr;
	}
}

// Called, not made part of whoever calls them.
#ifdef __clang__
#define OPERATOR NOINLINE
#else
#define OPERATOR __attribute__((noipa))
#endif
#define N size_t n
#define A std::align_val_t a
#define T const std::nothrow_t &
OPERATOR void *operator new(N) { return must_take(n, 16); }
OPERATOR void *operator new[](N) { return must_take(n, 16); }
OPERATOR void *operator new(N, T) noexcept { return may_take(n, 16); }
OPERATOR void *operator new[](N, T) noexcept { return may_take(n, 16); }
OPERATOR void *operator new(N, A) { return must_take(n, (size_t)a); }
OPERATOR void *operator new[](N, A) { return must_take(n, (size_t)a); }
OPERATOR void *operator new(N, A, T) noexcept { return may_take(n, (size_t)a); }
OPERATOR void *operator new[](N, A, T) noexcept { return may_take(n, (size_t)a); }
#define P void *p
OPERATOR void operator delete(P) noexcept { give(p); }
OPERATOR void operator delete[](P) noexcept { give(p); }
OPERATOR void operator delete(P, size_t) noexcept { operator delete(p); }
OPERATOR void operator delete[](P, size_t) noexcept { operator delete[](p); }
OPERATOR void operator delete(P, T) noexcept { operator delete(p); }
OPERATOR void operator delete[](P, T) noexcept { operator delete[](p); }
OPERATOR void operator delete(P, std::align_val_t) noexcept { give(p); }
OPERATOR void operator delete[](P, std::align_val_t) noexcept { give(p); }
OPERATOR void operator delete(P, size_t, std::align_val_t) noexcept { give(p); }
OPERATOR void operator delete[](P, size_t, std::align_val_t) noexcept { give(p); }
OPERATOR void operator delete(P, std::align_val_t, T) noexcept { give(p); }
OPERATOR void operator delete[](P, std::align_val_t, T) noexcept { give(p); }
#undef N
#undef A
#undef T
#undef P
#endif

static constexpr std::align_val_t wide{64};
static void *spare[4];
static int handled;

static void handler()
{
	if (++handled == 3)
		std::set_new_handler(nullptr);
	else
		free(spare[handled]); // what the program can spare
}

int main()
{
	void *p;

	for (int i = 0; i < 3; i++) {
		operator delete(operator new(2101));
		operator delete(operator new(2101), (size_t)2101);
		operator delete[](operator new[](2111));
		operator delete[](operator new[](2111), (size_t)2111);
		operator delete(operator new(2113, std::nothrow), std::nothrow);
		operator delete[](operator new[](2129, std::nothrow), std::nothrow);
		operator delete(operator new(2176, wide), wide);
		operator delete(operator new(2176, wide), (size_t)2176, wide);
		operator delete[](operator new[](2240, wide), wide);
		operator delete[](operator new[](2240, wide), (size_t)2240, wide);
		operator delete(operator new(2304, wide, std::nothrow), wide, std::nothrow);
		operator delete[](operator new[](2368, wide, std::nothrow), wide, std::nothrow);
	}
	operator delete(nullptr);
	operator delete[](nullptr);
	p = operator new(2131);
	MUST(p);
	p = operator new[](2432, wide, std::nothrow);
	MUST(p && !((uintptr_t)p % 64));
	bin(2101, 6, 6);
	bin(2111, 6, 6);
	bin(2113, 3, 3);
	bin(2129, 3, 3);
	bin(2176, 6, 6);
	bin(2240, 6, 6);
	bin(2304, 3, 3);
	bin(2368, 3, 3);
	bin(2131, 1, 0);
	bin(2432, 1, 0);

	for (void *&s : spare)
		s = malloc(2137);
	std::set_new_handler(handler);
	volatile size_t much = PTRDIFF_MAX - 4096;
	bool caught = false;
	try {
		p = operator new(much);
	} catch (const std::bad_alloc &) {
		caught = true;
	}
	MUST(caught && handled == 3);
	bin(2137, 4, 2);
#ifndef OWN_ARENA
	truth("failed 4\n"); // tries of malloc
#else
	truth("failed 1\n");
#endif
	truth("unknown 0\n");
	say("newforms: done\n");
	return 0;
}
