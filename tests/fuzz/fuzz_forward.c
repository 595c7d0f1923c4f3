/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as an operator new or delete, of which it is told whether it only passes on. */
#include "fuzz.h"

#include "arch/forward.h"

#define AT UINT64_C(0x400000)

struct code {
	const uint8_t *bytes;
	size_t n;
	uint8_t turn; /* which callee, and which landing, is at which address */
	unsigned asked;
};

static size_t read_code(void *ctx, uint64_t at, uint8_t *out, size_t len)
{
	const struct code *c = ctx;

	if (at < AT || at - AT >= c->n)
		return 0;
	const size_t left = c->n - (at - AT), n = left < len ? left : len;

	memcpy(out, c->bytes + (at - AT), n);
	return n;
}

static struct arch_callee callee(void *ctx, uint64_t at)
{
	const struct code *c = ctx;

	return (struct arch_callee){
		(enum arch_callee_kind)((at + c->turn) % (ARCH_CALLEE_ENDS + 1)),
		(uint8_t)(at >> 3 & 3)};
}

static enum arch_landing landing(void *ctx, uint64_t call, uint64_t *at)
{
	struct code *c = ctx;

	c->asked++;
	*at = AT + (call * 31 + c->turn) % (c->n + 1);
	return (enum arch_landing)((call + c->turn) % (ARCH_LANDING_UNKNOWN + 1));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 3)
		return 0;
	char *bytes = fuzz_text(data + 3, size - 3);
	struct code code = {(uint8_t *)bytes, size - 3, data[0], 0};
	const struct arch_forward_host host = {read_code, callee, callee, landing, &code};
	const struct arch_forwarded f = {
		.at = AT,
		.size = size - 3,
		.gives = data[1] & 1,
		.arg = data[1] >> 1 & 3,
		.align_arg = data[2] & 1 ? ARCH_FORWARD_NO_ARG : data[2] >> 1 & 3,
	};
	const char *why = NULL, *same = NULL;
	const int err = arch_forwards(&host, &f, &why);

	FUZZ_EXPECT(err == 0 || err == -ENOTSUP);
	FUZZ_EXPECT(!err == !why);
	/* what is proved does not depend on what was looked at before */
	FUZZ_EXPECT(arch_forwards(&host, &f, &same) == err && same == why);
	free(bytes);
	return 0;
}
