/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counter.so: an independent count of a program's allocations, by LD_PRELOAD.
 *
 * It shares no code with mprof and runs in the same process at the same time: mprof traps these
 * functions as the outer ones of each call, so both must count the same events to the last byte.
 *
 *	LD_PRELOAD=counter.so COUNTER_EXE=/real/path/of/program COUNTER_OUT=prefix program
 *
 * Inert unless /proc/self/exe is COUNTER_EXE, so that mprof, timeout and shells that start the
 * program are left alone. Rules of counting:
 *
 *   - calloc(n, s) has the size n * s, the aligned ones the requested size;
 *   - realloc of a block that succeeds is a free of the old size, then an allocation of the new;
 *     one that returns NULL for size 0 is a free; one that fails changes nothing;
 *   - a call that fails counts in failed_allocs, posix_memalign's EINVAL too;
 *   - free(NULL) counts nowhere; the free of a block not seen allocated is an unknown free only;
 *   - what an allocator function calls on the same thread is not counted again.
 *
 * It must not itself allocate, lock or open anything the program could notice: memory comes from
 * mmap, words from raw system calls, and the tables are lock-free, because a fork or a signal
 * may come at any instruction. A program under test must not leave an allocator call by
 * longjmp: the depth of nesting would stay raised.
 */
#include "counter.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Blocks by address. A slot stays its address's for ever, so nothing is ever moved or removed. */
struct slot {
	_Atomic uintptr_t at;
	_Atomic uint64_t block; /* 0: not live, else generation << 48 | (size + 1) */
};
#define SLOTS (UINT64_C(1) << 23)
#define SIZE_MASK ((UINT64_C(1) << 48) - 1)

static struct {
	void *(*malloc)(size_t);
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	void *(*reallocarray)(void *, size_t, size_t);
	void *(*memalign)(size_t, size_t);
	void *(*aligned_alloc)(size_t, size_t);
	int (*posix_memalign)(void **, size_t, size_t);
	void *(*valloc)(size_t);
	void *(*pvalloc)(size_t);
	void (*free)(void *);
} real;

static enum { UNKNOWN, INERT, COUNTING } mode;
static struct counter_record *record;
static struct slot *slots;
static uint64_t generation;	      /* of this process among its ancestors by fork */
static const volatile char *same_process; /* one page that reads 0 in a forked child */
static char out[3072];
static __thread int depth __attribute__((tls_model("initial-exec")));

#define ADD(field, n) __atomic_add_fetch(&(field), (n), __ATOMIC_SEQ_CST)

/* ---- getting ready, inside the first call of all ---- */

static char early[16384]; /* for what dlsym might allocate before the real functions are known */
static size_t early_used;

static void *early_alloc(size_t n)
{
	size_t at = (early_used + 15) & ~(size_t)15;

	if (n > sizeof early - at)
		return NULL;
	early_used = at + n;
	return early + at;
}

static bool is_early(const void *p)
{
	return (uintptr_t)p - (uintptr_t)early < sizeof early;
}

static bool find_real(void)
{
	static bool busy;

	if (busy)
		return false;
	busy = true;
#define FIND(f) (real.f = (__typeof__(real.f))dlsym(RTLD_NEXT, #f))
	FIND(free);
	FIND(calloc);
	FIND(realloc);
	FIND(reallocarray);
	FIND(memalign);
	FIND(aligned_alloc);
	FIND(posix_memalign);
	FIND(valloc);
	FIND(pvalloc);
	FIND(malloc); /* the last one: its presence says that all are there */
#undef FIND
	busy = false;
	return real.malloc;
}

static void *map(size_t len, int fd)
{
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE,
		       fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED, fd, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* libc may not have its environ yet, and the program may change it: ask the kernel. */
static bool wanted(void)
{
	static char env[1 << 17], exe[4096];
	size_t n = 0;
	long k, fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/environ", O_RDONLY | O_CLOEXEC);
	const char *want_exe = NULL, *want_out = NULL;

	if (fd < 0)
		return false;
	while (n < sizeof env - 1 && (k = syscall(SYS_read, fd, env + n, sizeof env - 1 - n)) > 0)
		n += (size_t)k;
	syscall(SYS_close, fd);
	for (size_t i = 0; i < n; i += strlen(env + i) + 1) {
		if (!strncmp(env + i, "COUNTER_EXE=", 12))
			want_exe = env + i + 12;
		if (!strncmp(env + i, "COUNTER_OUT=", 12))
			want_out = env + i + 12;
	}
	k = syscall(SYS_readlink, "/proc/self/exe", exe, sizeof exe - 1);
	if (!want_exe || !want_out || k < 0 || strlen(want_out) >= sizeof out - 64)
		return false;
	exe[k] = 0;
	strcpy(out, want_out);
	return !strcmp(exe, want_exe);
}

static char *digits(char *to, uint64_t v)
{
	char rev[24];
	int n = 0;

	do
		rev[n++] = (char)('0' + v % 10);
	while (v /= 10);
	while (n)
		*to++ = rev[--n];
	*to = 0;
	return to;
}

static struct counter_record *new_record(void)
{
	char name[sizeof out + 64];
	size_t len = strlen(out);
	uint64_t pid = (uint64_t)syscall(SYS_getpid);
	long fd = -1;

	memcpy(name, out, len);
	name[len] = '.';
	for (unsigned n = 0; n < 1000; n++) {
		char *end = digits(name + len + 1, pid);

		*end++ = '.';
		digits(end, n);
		fd = syscall(SYS_openat, AT_FDCWD, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
			     0600);
		if (fd >= 0 || errno != EEXIST)
			break;
	}
	if (fd < 0)
		return NULL;
	struct counter_record *r = NULL;
	if (!syscall(SYS_ftruncate, fd, sizeof *r))
		r = map(sizeof *r, (int)fd);
	syscall(SYS_close, fd);
	if (r) {
		r->magic = COUNTER_MAGIC;
		r->pid = pid;
	}
	return r;
}

/* The first call in this process, or in a forked child: a new record, an empty set of blocks. */
static void begin(void)
{
	int err = errno;

	if (mode == UNKNOWN) {
		mode = wanted() ? COUNTING : INERT;
		if (mode == INERT)
			goto out;
		slots = map(SLOTS * sizeof *slots, -1);
		char *page = map(4096, -1);
		if (!slots || !page || madvise(page, 4096, MADV_WIPEONFORK)) {
			mode = INERT; /* the test misses the record */
			goto out;
		}
		same_process = page;
	}
	generation++;
	record = new_record();
	if (!record)
		mode = INERT;
	else
		*(volatile char *)same_process = 1;
out:
	errno = err;
}

/* ---- counting ---- */

static struct slot *slot_of(const void *p, bool add)
{
	/* Neighbours stay neighbours, so that few pages are touched; the arenas are spread. */
	uint64_t i = ((uintptr_t)p >> 4) ^ ((uintptr_t)p >> 32) * UINT64_C(0x9e3779b1);

	for (uint64_t tries = 0; tries < SLOTS / 2; tries++, i++) {
		struct slot *s = &slots[i % SLOTS];
		uintptr_t at = s->at;

		if (!at && !add)
			return NULL;
		if (!at && atomic_compare_exchange_strong(&s->at, &at, (uintptr_t)p))
			return s;
		if (at == (uintptr_t)p)
			return s;
	}
	ADD(record->overflow, 1);
	return NULL;
}

static struct counter_bin *bin_of(uint64_t size)
{
	uint64_t i = size * UINT64_C(0x9e3779b97f4a7c15) >> 40, key = size + 1;

	for (unsigned tries = 0; tries < COUNTER_BINS; tries++, i++) {
		struct counter_bin *b = &record->bins[i % COUNTER_BINS];
		uint64_t k = 0;

		if (__atomic_compare_exchange_n(&b->key, &k, key, false, __ATOMIC_SEQ_CST,
						__ATOMIC_SEQ_CST) ||
		    k == key)
			return b;
	}
	ADD(record->overflow, 1);
	return &record->bins[0];
}

static void count_alloc(const void *p, uint64_t size)
{
	struct slot *s = slot_of(p, true);

	if (!s)
		return;
	uint64_t old = atomic_exchange(&s->block, generation << 48 | (size + 1));
	if (old && old >> 48 == generation)
		ADD(record->reappeared, 1);
	ADD(bin_of(size)->allocs, 1);
	uint64_t live = ADD(record->live_bytes, size);
	uint64_t peak = __atomic_load_n(&record->peak_bytes, __ATOMIC_SEQ_CST);
	while (live > peak && !__atomic_compare_exchange_n(&record->peak_bytes, &peak, live, false,
							   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
}

/* Takes the block out before the real call, since afterwards its address may be another's. */
static uint64_t take(const void *p)
{
	struct slot *s = slot_of(p, false);

	return s ? atomic_exchange(&s->block, 0) : 0;
}

static void put_back(const void *p, uint64_t block)
{
	struct slot *s = block ? slot_of(p, true) : NULL;

	if (s)
		s->block = block;
}

static void count_free(uint64_t block)
{
	uint64_t size = (block & SIZE_MASK) - 1;

	if (block && block >> 48 == generation) {
		ADD(bin_of(size)->frees, 1);
		ADD(record->live_bytes, -size);
		return;
	}
	ADD(record->unknown_frees, 1);
	if (block)
		ADD(record->inherited_frees, 1);
}

/* Returns whether this is an outer call that counts. */
static bool enter(void)
{
	if (depth++)
		return false;
	if (mode == INERT)
		return false;
	if (!same_process || !*same_process)
		begin();
	return mode == COUNTING;
}

static void *leave(bool counts, void *p, uint64_t size)
{
	if (counts && p)
		count_alloc(p, size);
	else if (counts)
		ADD(record->failed_allocs, 1);
	depth--;
	return p;
}

/* ---- the functions ---- */

#define OUR __attribute__((visibility("default")))

OUR void *malloc(size_t n)
{
	bool c = enter();

	return leave(c, real.malloc || find_real() ? real.malloc(n) : early_alloc(n), n);
}

OUR void *calloc(size_t n, size_t s)
{
	bool c = enter();

	return leave(c, real.malloc || find_real() ? real.calloc(n, s) : early_alloc(n * s), n * s);
}

static void resized(bool c, void *old, uint64_t block, void *p, size_t n, bool overflow)
{
	if (!c)
		return;
	if (!p && (overflow || n || !old)) {
		put_back(old, block);
		ADD(record->failed_allocs, 1);
		return;
	}
	if (old)
		count_free(block);
	if (p)
		count_alloc(p, n);
}

OUR void *realloc(void *old, size_t n)
{
	bool c = enter();
	uint64_t block = c && old ? take(old) : 0;
	void *p = NULL;

	if (is_early(old)) {
		p = real.malloc ? real.malloc(n) : early_alloc(n);
		if (p) /* may copy bytes beyond the old block: they are ours, and not secret */
			memcpy(p, old, n < sizeof early - (size_t)((char *)old - early)
					       ? n
					       : sizeof early - (size_t)((char *)old - early));
	} else {
		p = real.malloc || find_real() ? real.realloc(old, n) : early_alloc(n);
	}
	resized(c, old, block, p, n, false);
	depth--;
	return p;
}

OUR void *reallocarray(void *old, size_t n, size_t s)
{
	bool c = enter();
	size_t size;
	bool overflow = __builtin_mul_overflow(n, s, &size);
	uint64_t block = c && old ? take(old) : 0;
	void *p = real.malloc || find_real() ? real.reallocarray(old, n, s) : NULL;

	resized(c, old, block, p, size, overflow);
	depth--;
	return p;
}

OUR void *memalign(size_t align, size_t n)
{
	bool c = enter();

	return leave(c, real.malloc || find_real() ? real.memalign(align, n) : NULL, n);
}

OUR void *aligned_alloc(size_t align, size_t n)
{
	bool c = enter();

	return leave(c, real.malloc || find_real() ? real.aligned_alloc(align, n) : NULL, n);
}

OUR int posix_memalign(void **to, size_t align, size_t n)
{
	bool c = enter();
	int err = real.malloc || find_real() ? real.posix_memalign(to, align, n) : ENOMEM;

	leave(c, err ? NULL : *to, n);
	return err;
}

OUR void *valloc(size_t n)
{
	bool c = enter();

	return leave(c, real.malloc || find_real() ? real.valloc(n) : NULL, n);
}

OUR void *pvalloc(size_t n)
{
	bool c = enter();

	return leave(c, real.malloc || find_real() ? real.pvalloc(n) : NULL, n);
}

OUR void free(void *p)
{
	bool c = enter();

	if (c && p)
		count_free(take(p));
	if (p && !is_early(p) && (real.malloc || find_real()))
		real.free(p);
	depth--;
}
