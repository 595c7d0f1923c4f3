# SPDX-License-Identifier: BSD-2-Clause
# mprof: `make help` lists the targets.
#
# CC, CFLAGS, CPPFLAGS, LDFLAGS, DESTDIR and PREFIX are the user's; ours live apart. DEVELOPER=1 makes
# warnings errors; SAN=address,undefined builds with sanitizers, into a folder of its own (B).

VERSION = 4.0
PREFIX ?= /usr/local
CFLAGS ?= -O2 -g
B ?= build$(if $(SAN),-san)

ARCH := $(shell uname -m)
LIBS = -ldw -lelf -lunwind-ptrace -lunwind-generic -lZydis -lsqlite3 -ljansson -liberty -llzma -lprotobuf-c -lz -lzstd -lncursesw -ltinfo -lseccomp -lm
OUR_CPPFLAGS = -D_GNU_SOURCE -DMPROF_VERSION='"$(VERSION)"' -Isrc -Iinclude -I$(B)/gen
# Against what a hostile file may find in us. The C library checks buffers only in code that is optimized, and
# whoever says by CFLAGS or CPPFLAGS how (as Debian does) is not contradicted; sanitizers check more themselves.
FORTIFY = $(if $(SAN)$(findstring _FORTIFY_SOURCE,$(CPPFLAGS) $(CFLAGS)),,\
	$(if $(filter -O1 -O2 -O3 -Os,$(lastword $(filter -O%,$(CFLAGS)))),-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3))
HARDENING = -fPIE -fstack-protector-strong -fstack-clash-protection $(FORTIFY)
OUR_CFLAGS = -std=gnu17 -Wall -Wextra $(if $(DEVELOPER),-Werror) -fno-strict-aliasing $(HARDENING) \
	$(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer)
OUR_LDFLAGS = -pie -Wl,-z,relro,-z,now $(if $(SAN),-fsanitize=$(SAN))

# Sorted, for wildcard gives them in the order of the user's language, and the linker keeps that.
SRC := $(sort $(filter-out src/arch/% src/agent/%,$(wildcard src/*/*.c)) $(wildcard src/arch/$(ARCH)*.c))
OBJ := $(SRC:%.c=$(B)/%.o) $(B)/gen/pprof/profile.pb-c.o
# T=name: only those whose name has it
UNIT := $(patsubst tests/unit/%.c,$(B)/unit/%,$(wildcard tests/unit/*$(T)*.c))

FUZZ := $(patsubst tests/fuzz/fuzz_%.c,$(B)/fuzz/%,$(wildcard tests/fuzz/fuzz_*$(T)*.c))

# Debian's names of what mprof is built with, and of what its tests need besides.
BUILD_PACKAGES = gcc make libc6-dev libdw-dev libelf-dev libunwind-dev libzydis-dev libsqlite3-dev \
	libjansson-dev libiberty-dev liblzma-dev libprotobuf-c-dev protobuf-c-compiler zlib1g-dev \
	libzstd-dev libncurses-dev libseccomp-dev
TEST_PACKAGES = $(BUILD_PACKAGES) g++ clang libcmocka-dev bats jq util-linux binutils file mandoc sqlite3 \
	python3 python3-jsonschema perl git libxml2-utils libjemalloc2 libjemalloc-dev \
	elfutils dwz xz-utils libdebuginfod1 valgrind zstd \
	google-perftools libgoogle-perftools-dev python3-protobuf protobuf-compiler \
	libtcmalloc-minimal4 libmimalloc2.0 libglib2.0-0 libapr1 libgc1 musl-tools ecl \
	redis-tools fish zsh tmux chromium pkgconf dpkg-dev $(PAGE_PACKAGES)
# What the package is made with, and checked with.
DEB_PACKAGES = debhelper dpkg-dev git
CHECK_PACKAGES = lintian autopkgtest
# What the page is built with; node may be another one than Debian's.
PAGE_PACKAGES = esbuild $(if $(shell command -v node),,nodejs) $(if $(shell command -v npm),,npm)

# What each event goes through that the fast engine tells is optimized as one piece, if gcc does it. These objects have
# ordinary code as well, and that is what tests are linked from.
LTO := $(if $(SAN)$(findstring clang,$(shell $(CC) --version)),,-flto=auto)
NO_LTO = $(if $(LTO),-fno-lto)
EVENT_OBJ := $(addprefix $(B)/src/,$(addsuffix .o,fast/ring fast/events fast/nodes fast/threads breakpoints/watch_engine \
	breakpoints/watch session/sink record/recorder massif/timeline massif/snapshots profile/profile_event \
	profile/profile_tree profile/profile_expect profile/profile_series profile/series profile/live \
	profile/lifetimes profile/lifecounts profile/windows profile/marks profile/before))

# What gcc would draw at random is the same in each build.
$(EVENT_OBJ): private OUR_CFLAGS += $(if $(LTO),$(LTO) -ffat-lto-objects -frandom-seed=$(@F))

all: $(B)/mprof ## build mprof (the default)

$(B)/mprof: $(B)/src/main.o $(OBJ)
	$(CC) $(OUR_CFLAGS) $(CFLAGS) $(LTO) $(OUR_LDFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

# The flags are part of what an object depends on: another CFLAGS builds anew.
$(B)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(OUR_CPPFLAGS) $(CPPFLAGS) $(OUR_CFLAGS) $(CFLAGS) $(LTO)' | cmp -s - $@ || \
		echo '$(CC) $(OUR_CPPFLAGS) $(CPPFLAGS) $(OUR_CFLAGS) $(CFLAGS) $(LTO)' >$@

$(B)/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(CC) $(OUR_CPPFLAGS) $(CPPFLAGS) $(OUR_CFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

# The built-in probe definitions, as a string of C.
$(B)/gen/builtin_probes.inc: share/mprof/probes
	@mkdir -p $(@D)
	sed 's/[\\"]/\\&/g; s/^/"/; s/$$/\\n"/' $< >$@

$(B)/src/probes/probes.o: $(B)/gen/builtin_probes.inc

# The scripts of `mprof completion`, in which the options are put in by the tables that parse them.
$(B)/gen/completion_%.inc: src/cli/completion.%
	@mkdir -p $(@D)
	sed 's/[\\"]/\\&/g; s/^/"/; s/$$/\\n"/' $< >$@

$(B)/src/cli/completion.o: $(B)/gen/completion_bash.inc $(B)/gen/completion_zsh.inc \
	$(B)/gen/completion_fish.inc

# The page of `mprof report --format=html`, or why there is none: see src/html/embed.sh. What it is built with is
# part of what it depends on, so that it is made when that has been installed.
WEB := $(shell find web \( -name node_modules -o -name test -o -name dev \) -prune -o -type f -print 2>/dev/null)

$(B)/gen/page_tools: FORCE
	@mkdir -p $(@D)
	@for t in web/build.sh node npm esbuild; do command -v $$t || echo "no $$t"; done >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

$(B)/gen/page_template.inc: src/html/embed.sh $(B)/gen/page_tools $(WEB)
	@src/html/embed.sh web $(B)/web/page.html $@

$(B)/src/html/template.o: $(B)/gen/page_template.inc

page: ## build the page again, if it could not be built
	@rm -f $(B)/gen/page_template.inc
	@$(MAKE) -s all

# The agent runs in programs of others: no C library, no vector registers, nothing to relocate, and none of
# the user's flags, which might instrument it. What it is linked from is a piece of code in one section. Fields that
# are neighbours are written one by one: both together may not be aligned, and a program may have that checked.
AGENT_CFLAGS = -std=gnu17 -O2 -Wall -Wextra $(if $(DEVELOPER),-Werror) -Isrc -Iinclude \
	-ffreestanding -fPIE -fvisibility=hidden -mgeneral-regs-only -mfsgsbase -mcx16 \
	-fno-stack-protector -fcf-protection=none -fno-jump-tables -fasynchronous-unwind-tables \
	-Wstack-usage=256 \
	$(if $(findstring clang,$(shell $(CC) --version)),-Wno-unknown-warning-option,\
		-fno-tree-loop-distribute-patterns -fno-store-merging)
AGENT_SRC := $(sort $(wildcard src/agent/*.c))

$(B)/agent/%.o: src/agent/%.c $(B)/flags
	@mkdir -p $(@D)
	$(CC) $(AGENT_CFLAGS) -MMD -MP -c $< -o $@

$(B)/agent/%.elf: src/agent/blob.ld src/agent/check-blob
	$(LD) -pie --no-dynamic-linker -e 0 -T src/agent/blob.ld -o $@ $(filter %.o,$^)
	src/agent/check-blob $@

$(B)/agent/agent.elf: $(AGENT_SRC:src/agent/%.c=$(B)/agent/%.o)

$(B)/agent/%.bin: $(B)/agent/%.elf
	objcopy -O binary -j .blob $< $@

$(B)/gen/%_blob.inc: $(B)/agent/%.bin
	@mkdir -p $(@D)
	od -An -v -tx1 $< | sed 's/ \(..\)/0x\1,/g' >$@

$(B)/gen/%_elf.inc: $(B)/agent/%.elf
	@mkdir -p $(@D)
	objcopy --strip-all $< $@.elf
	od -An -v -tx1 $@.elf | sed 's/ \(..\)/0x\1,/g' >$@
	rm $@.elf

$(B)/src/fast/blob.o: $(B)/gen/agent_blob.inc $(B)/gen/agent_elf.inc

# What protoc makes of the description of pprof's format.
$(B)/gen/pprof/profile.pb-c.c: src/pprof/profile.proto
	@mkdir -p $(@D)
	protoc-c --proto_path=src/pprof --c_out=$(@D) $<

$(B)/gen/pprof/profile.pb-c.o: $(B)/gen/pprof/profile.pb-c.c $(B)/flags
	$(CC) $(OUR_CPPFLAGS) $(CPPFLAGS) $(OUR_CFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

$(B)/src/pprof/proto_read.o $(B)/src/pprof/proto_write.o: $(B)/gen/pprof/profile.pb-c.c

# The agent's own tests have it natively, with our flags and the user's, and as a blob. What knows frames is
# the test's, but where it walks over rows.
AGENT_OURS := $(filter-out %/step.o,$(AGENT_SRC:%.c=$(B)/%.o))
AGENT_NATIVE := $(AGENT_OURS) $(B)/tests/lib/agent_steps.o $(B)/src/agent/step.o
AGENT_TEST := $(filter $(B)/unit/test_agent_%,$(UNIT))

$(B)/agent/agent_steps.o: tests/lib/agent_steps.c $(B)/flags
	@mkdir -p $(@D)
	$(CC) $(AGENT_CFLAGS) -MMD -MP -c $< -o $@

$(B)/agent/agent_test.elf: $(B)/agent/agent_steps.o \
	$(patsubst src/agent/%.c,$(B)/agent/%.o,$(filter-out %/step.c,$(AGENT_SRC)))

$(AGENT_NATIVE): private OUR_CFLAGS += -ffreestanding -fno-omit-frame-pointer -mgeneral-regs-only
$(AGENT_TEST): private OUR_CFLAGS += -fno-omit-frame-pointer -fno-optimize-sibling-calls
$(AGENT_TEST): $(AGENT_OURS) $(B)/gen/agent_test_blob.inc
$(filter %/test_agent_walk,$(AGENT_TEST)): $(B)/src/agent/step.o
$(filter-out %/test_agent_walk,$(AGENT_TEST)): $(B)/tests/lib/agent_steps.o

# A unit test is one file in tests/unit; it may use every room but main.
$(B)/unit/%: tests/unit/%.c $(OBJ)
	@mkdir -p $(@D)
	$(CC) $(OUR_CPPFLAGS) $(CPPFLAGS) -Itests $(OUR_CFLAGS) $(CFLAGS) -MMD -MP -o $@ $(filter %.c %.o,$^) \
		$(OUR_LDFLAGS) $(NO_LTO) $(LDFLAGS) $(LIBS) -lcmocka

unit-tests: $(UNIT)

# A fuzz target is one file in tests/fuzz. What gives it its data replays a corpus, or is clang's libFuzzer.
FUZZ_DRIVER = tests/fuzz/replay.c
$(B)/fuzz/%: tests/fuzz/fuzz_%.c tests/fuzz/fuzz.h tests/fuzz/replay.c $(OBJ)
	@mkdir -p $(@D)
	$(CC) $(OUR_CPPFLAGS) $(CPPFLAGS) $(OUR_CFLAGS) $(CFLAGS) -o $@ $< $(FUZZ_DRIVER) $(OBJ) \
		$(OUR_LDFLAGS) $(NO_LTO) $(LDFLAGS) $(LIBS)

fuzz-targets: $(FUZZ)

# An mprof in which whoever reads a program's files is taken over: what that can do still, the tests see.
OVERTAKEN = apart inside
TAKEN_OVER = $(OVERTAKEN:%=$(B)/taken_over/%.o) $(B)/taken_over/taken_over.o

$(B)/taken_over/%.o: OUR_CPPFLAGS += -DMPROF_TAKEN_OVER
$(B)/taken_over/%.o: src/confine/%.c $(B)/flags
	@mkdir -p $(@D)
	$(CC) $(OUR_CPPFLAGS) $(CPPFLAGS) $(OUR_CFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

$(B)/taken_over/%.o: tests/lib/%.c $(B)/flags
	@mkdir -p $(@D)
	$(CC) $(OUR_CPPFLAGS) $(CPPFLAGS) $(OUR_CFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

$(B)/mprof-taken-over: $(B)/src/main.o $(filter-out $(OVERTAKEN:%=$(B)/src/confine/%.o),$(OBJ)) $(TAKEN_OVER)
	$(CC) $(OUR_CFLAGS) $(CFLAGS) $(OUR_LDFLAGS) $(NO_LTO) $(LDFLAGS) -o $@ $^ $(LIBS)

# What threads share: the agent and its ring, those who copy memory, the one that holds what tells of the tracer; and the
# journal, whose processes are threads there. Their tests once more for ThreadSanitizer, with no more rooms than they
# need. gcc's does not know fences; each word that is read and written at the same time is atomic besides.
TSAN_OBJ := $(patsubst %.c,build-tsan/%.o,$(sort $(wildcard src/base/*.c src/proc/*.c src/attach/*.c \
	src/arch/$(ARCH)*.c)) src/still/pieces.c $(patsubst %,src/fast/%.c,blob owner ring threads))
thread-tests:
	@$(MAKE) -s SAN=thread B=build-tsan CFLAGS='-O1 -g -Wno-tsan' OBJ='$(TSAN_OBJ)' T= \
		UNIT='$(patsubst %,build-tsan/unit/test_%,agent_known agent_ring agent_tree still_pieces \
			fast_owner attach_hang)' unit-tests

# Benchmarks of rooms by themselves.
$(B)/bench/%: bench/%.c $(OBJ)
	@mkdir -p $(@D)
	$(CC) $(OUR_CPPFLAGS) $(CPPFLAGS) $(OUR_CFLAGS) $(CFLAGS) -o $@ $< $(OBJ) $(OUR_LDFLAGS) $(NO_LTO) $(LDFLAGS) $(LIBS)

# Installs what is missing; without root or apt-get it only says what that is.
define install_packages
	@missing=; for p in $(1); do \
		[ "$$(dpkg-query -W -f='$${db:Status-Status}' $$p 2>/dev/null)" = installed ] || \
			missing="$$missing $$p"; done; \
	[ -z "$$missing" ] || { echo "installing:$$missing"; \
		{ apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
			apt-get install -y -qq --no-install-recommends $$missing; } >/dev/null || \
		{ echo "cannot install$$missing: run apt-get install$$missing as root"; exit 1; }; }
endef

deps: ## install what the build needs (Debian)
	$(call install_packages,$(BUILD_PACKAGES))

test-deps:
	$(call install_packages,$(TEST_PACKAGES))

page-deps:
	$(call install_packages,$(PAGE_PACKAGES))

deb-deps:
	$(call install_packages,$(BUILD_PACKAGES) $(DEB_PACKAGES))

deb: deb-deps ## a Debian package in build/deb, from a copy of the tree
	@debian/make-deb $(B)/deb

check-packages: deb-deps ## build the package, check it with lintian and its own tests, and build it again to the byte
	$(call install_packages,$(CHECK_PACKAGES))
	@B='$(abspath $(B))' tests/packages/packages.sh

# What one needs to see mprof at work on a fresh machine.
demo: deps page-deps ## install, build, and profile a sample program
	@$(MAKE) -s all
	@mkdir -p $(B)/demo
	$(CC) -g -O0 -o $(B)/demo/widgets examples/widgets.c
	$(B)/mprof run --data=$(B)/demo/mprof.data -- $(B)/demo/widgets
	@! $(B)/mprof report --format=html -o $(B)/demo/widgets.html $(B)/demo/mprof.data || \
		echo "the page is $(B)/demo/widgets.html"

unit: test-deps ## run the tests that take seconds; T=name runs those whose name has it
	@$(MAKE) -s -j2 DEVELOPER=1 unit-tests
	@env --default-signal B='$(abspath $(B))' T='$(T)' MAKE='$(MAKE)' tests/run unit

check: test-deps ## run all tests; T=name runs those whose name has it
	@$(MAKE) -s -j2 DEVELOPER=1 all unit-tests
	@env --default-signal B='$(abspath $(B))' T='$(T)' MAKE='$(MAKE)' tests/run

check-engines: all test-deps ## run the command tests that run programs with each other engine: fast, and auto
	@env --default-signal B='$(abspath $(B))' T='$(T)' MAKE='$(MAKE)' tests/run engines

bench: all ## measure what a malloc/free pair costs, against the floor and ltrace
	@B='$(abspath $(B))' MPROF='$(abspath $(B))/mprof' bench/run.sh

SECONDS = 60
fuzz: ## run the fuzz target T for SECONDS (60), with clang's libFuzzer
	@MAKE='$(MAKE)' tests/fuzz/run build-fuzz '$(T)' '$(SECONDS)'

soak: all ## attach, detach and kill for a long time, printing figures (needs redis for a part)
	@B='$(abspath $(B))' MPROF='$(abspath $(B))/mprof' tests/soak/soak.sh

# What the analysers of gcc and clang say of each file; clang's are those of clang-tidy, all of them (.clang-tidy). A file
# of which neither says anything has a stamp, until it or a header changes: that its object is made anew tells.
LINT := $(patsubst %.c,$(B)/lint/%.ok,$(SRC) src/main.c $(AGENT_SRC))
LINT_FLAGS = $(OUR_CPPFLAGS) -std=gnu17
$(filter $(B)/lint/src/agent/%,$(LINT)): private LINT_FLAGS = $(filter -I% -std=% -m%,$(AGENT_CFLAGS)) -ffreestanding
# gcc 12 reads what is written best as it is written: of optimized code it has more doubts that are none. Nor does it
# see that a block belongs to whom it is written to through a parameter, as by strdup() into an array: clang's analyser
# and LeakSanitizer, with each unit test and with faults.bats, look for leaks. And what is written in a loop, or by
# memcpy() from a pointer, it takes for uninitialized: clang's looks for that.
GCC_WRONG = -Wno-analyzer-malloc-leak -Wno-analyzer-use-of-uninitialized-value
# Who reads passes a place to read to, who writes one to write from.
$(B)/lint/src/attach/task.ok: private GCC_WRONG += -Wno-analyzer-null-argument
# A task whose watch is asked for something has been looked for by its watch.
$(B)/lint/src/breakpoints/observer_engine.ok: private GCC_WRONG += -Wno-analyzer-null-dereference
# What was held has been found.
$(B)/lint/src/profile/before.ok: private GCC_WRONG += -Wno-analyzer-null-dereference

$(B)/lint/%.ok: %.c $(B)/%.o .clang-tidy
	@mkdir -p $(@D)
	gcc -fanalyzer -Wall -Wextra -Werror $(GCC_WRONG) -DMPROF_ANALYZER $(LINT_FLAGS) -S -o /dev/null $<
	clang-tidy --quiet $< -- $(LINT_FLAGS)
	@touch $@

lint-files: $(LINT)

lint: ## the rules of the house, the analysers of gcc and clang, clang-tidy and mandoc
	tests/lint/house.py
	@$(MAKE) -s -k -j2 lint-files
	mandoc -T lint -W warning man/*.1 man/*.5 man/*.7

# The sections of the manual, and what is written for the folder that is installed to.
MAN = 1 5 7
AT_PREFIX = sed -e 's|/usr/local\>|$(PREFIX)|g' -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|'

install: all ## install below DESTDIR/PREFIX
	install -D -m 755 $(B)/mprof $(DESTDIR)$(PREFIX)/bin/mprof
	install -D -m 644 include/mprof/mprof.h $(DESTDIR)$(PREFIX)/include/mprof/mprof.h
	install -d $(DESTDIR)$(PREFIX)/share/pkgconfig $(MAN:%=$(DESTDIR)$(PREFIX)/share/man/man%)
	umask 022; $(AT_PREFIX) share/mprof.pc.in >$(DESTDIR)$(PREFIX)/share/pkgconfig/mprof.pc
	umask 022; for page in man/*.[$(subst $() ,,$(MAN))]; do \
		$(AT_PREFIX) $$page >$(DESTDIR)$(PREFIX)/share/man/man$${page##*.}/$${page##*/} || exit; done
	install -D -m 644 share/mprof/probes $(DESTDIR)$(PREFIX)/share/mprof/probes
	install -d $(DESTDIR)$(PREFIX)/share/bash-completion/completions \
		$(DESTDIR)$(PREFIX)/share/zsh/vendor-completions \
		$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	umask 022; $(B)/mprof completion bash >$(DESTDIR)$(PREFIX)/share/bash-completion/completions/mprof
	umask 022; $(B)/mprof completion zsh >$(DESTDIR)$(PREFIX)/share/zsh/vendor-completions/_mprof
	umask 022; $(B)/mprof completion fish >$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/mprof.fish

clean: ## remove what was built
	rm -rf build build-san build-clang build-fuzz build-tsan

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 10

-include $(OBJ:.o=.d) $(AGENT_NATIVE:.o=.d) $(wildcard $(B)/agent/*.d) $(B)/src/main.d $(UNIT:%=%.d) $(TAKEN_OVER:.o=.d)
FORCE:
.PHONY: lint-files deb-deps deb check-packages page-deps all page unit-tests thread-tests fuzz-targets fuzz deps test-deps demo unit check check-engines bench soak lint install clean help FORCE
.DELETE_ON_ERROR:
