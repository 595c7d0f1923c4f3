/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * profile.proto, compressed or not. The mutator changes single fields, at any depth, and the
 * lengths of what they are in; what is compressed is changed as it is.
 */
#include "fuzz.h"

#include "pprof/read.h"

#include <stdbool.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct fuzz_file f = fuzz_file(data, size);
	struct heap_stacks stacks = {0};
	struct error e = {0};
	const int err = heap_read_proto(f.path, &stacks, &e);

	FUZZ_EXPECT(err <= 0);
	heap_stacks_release(&stacks);
	close(f.fd);
	return 0;
}

/* ---- the mutator ---- */

/* Source: protobuf's documentation, "Encoding". */
enum { VARINT, FIXED64, BYTES, FIXED32 = 5, DEPTH = 4, FIELDS = 512, BYTES_MAX = 1 << 16 };

struct field {
	const uint8_t *at, *value; /* value: behind the key, and behind the length of BYTES */
	size_t n, n_value;	   /* n: all of it */
	uint64_t key;
};

struct out {
	uint8_t v[BYTES_MAX];
	size_t n;
};

static void put(struct out *o, const void *bytes, size_t n)
{
	n = n < sizeof o->v - o->n ? n : sizeof o->v - o->n;
	memcpy(o->v + o->n, bytes, n);
	o->n += n;
}

static void put_varint(struct out *o, uint64_t v)
{
	uint8_t bytes[10];
	size_t n = 0;

	for (; v > 0x7f; v >>= 7)
		bytes[n++] = (uint8_t)(v | 0x80);
	bytes[n++] = (uint8_t)v;
	put(o, bytes, n);
}

static bool get_varint(const uint8_t **p, const uint8_t *end, uint64_t *v)
{
	*v = 0;
	for (unsigned shift = 0; shift < 64 && *p < end; shift += 7) {
		const uint8_t byte = *(*p)++;

		*v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return true;
	}
	return false;
}

static bool get_field(const uint8_t *p, const uint8_t *end, struct field *f)
{
	uint64_t n = 0;

	f->at = p;
	if (!get_varint(&p, end, &f->key))
		return false;
	f->value = p;
	switch (f->key & 7) {
	case VARINT:
		if (!get_varint(&p, end, &n))
			return false;
		n = (size_t)(p - f->value);
		break;
	case BYTES:
		if (!get_varint(&p, end, &n))
			return false;
		f->value = p;
		break;
	case FIXED64:
		n = 8;
		break;
	case FIXED32:
		n = 4;
		break;
	default:
		return false;
	}
	if (n > (size_t)(end - f->value))
		return false;
	f->n_value = n;
	f->n = (size_t)(f->value - f->at) + n;
	return true;
}

/* The fields of a message; 0: it is none. */
static size_t split(const uint8_t *p, size_t n, struct field fields[FIELDS])
{
	const uint8_t *end = p + n;
	size_t i = 0;

	for (; p < end && i < FIELDS; p += fields[i++].n)
		if (!get_field(p, end, &fields[i]))
			return 0;
	return i;
}

static void put_changed(struct out *o, const uint8_t *p, size_t n, unsigned depth);

static void put_changed_bytes(struct out *o, const uint8_t *p, size_t n)
{
	uint8_t copy[4096];

	n = n < sizeof copy / 2 ? n : sizeof copy / 2;
	memcpy(copy, p, n);
	put(o, copy, LLVMFuzzerMutate(copy, n, n + 16));
}

static void put_changed_field(struct out *o, const struct field *f, unsigned depth)
{
	static const uint64_t special[] = {0,	       1,
					   2,	       127,
					   128,	       INT32_MAX,
					   UINT32_MAX, UINT64_C(1) << 32,
					   INT64_MAX,  UINT64_C(1) << 63,
					   UINT64_MAX};
	static struct out inner[DEPTH];
	struct out *in = &inner[depth];

	put_varint(o, rand() % 16 ? f->key : (uint64_t)rand() % 256);
	if ((f->key & 7) == VARINT) {
		put_varint(o, rand() % 2
				      ? special[(size_t)rand() % (sizeof special / sizeof *special)]
				      : (uint64_t)rand() % 16);
	} else if ((f->key & 7) == BYTES) {
		in->n = 0;
		put_changed(in, f->value, f->n_value, depth + 1);
		put_varint(o, rand() % 16 ? in->n : in->n + (uint64_t)rand() % 3);
		put(o, in->v, in->n);
	} else {
		put_changed_bytes(o, f->value, f->n_value);
	}
}

static void put_changed(struct out *o, const uint8_t *p, size_t n, unsigned depth)
{
	static struct field fields[DEPTH][FIELDS];
	const size_t n_fields = depth < DEPTH ? split(p, n, fields[depth]) : 0;

	if (!n_fields) {
		put_changed_bytes(o, p, n);
		return;
	}
	const size_t which = (size_t)rand() % n_fields, other = (size_t)rand() % n_fields;
	const int how = rand() % 8;

	for (size_t i = 0; i < n_fields; i++) {
		const struct field *f = &fields[depth][i];

		if (i != which || how == 0)
			put(o, f->at, f->n);
		if (i == which && how == 0) /* another one comes behind it */
			put(o, fields[depth][other].at, fields[depth][other].n);
		if (i == which && how > 1) /* 1: it goes */
			put_changed_field(o, f, depth);
	}
}

/* libFuzzer calls it; what it takes and gives is in LLVM's documentation of libFuzzer. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	static struct out o;

	srand(seed);
	if (!size || size > BYTES_MAX / 4 || seed % 8 == 0 || data[0] == 0x1f)
		return LLVMFuzzerMutate(data, size, max);
	o.n = 0;
	put_changed(&o, data, size, 0);
	if (o.n > max)
		return LLVMFuzzerMutate(data, size, max);
	memcpy(data, o.v, o.n);
	return o.n;
}
