# mprof: `make help` lists the targets.
#
# CFLAGS, CPPFLAGS, LDFLAGS, CC, DESTDIR and PREFIX are the user's; ours live apart.
# DEVELOPER=1 makes warnings errors, SAN=address,undefined builds with sanitizers into its own folder.

VERSION = 4.0
PREFIX ?= /usr/local
CFLAGS ?= -O2 -g
B ?= build$(if $(SAN),-san)

ARCH := $(shell uname -m)
PKGS = libdw libelf libunwind-ptrace libunwind-generic sqlite3 jansson
OUR_CPPFLAGS = -D_GNU_SOURCE -DMPROF_VERSION='"$(VERSION)"' -Isrc -Iinclude
OUR_CFLAGS = -std=gnu17 -Wall -Wextra $(if $(DEVELOPER),-Werror) -fno-strict-aliasing \
	$(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer)
LIBS = -ldw -lelf -lunwind-ptrace -lunwind-generic -lZydis -lsqlite3 -ljansson -liberty
OUR_LDFLAGS = $(if $(SAN),-fsanitize=$(SAN))

SRC := $(filter-out src/arch/%,$(wildcard src/*/*.c)) src/arch/$(ARCH).c
OBJ := $(SRC:%.c=$(B)/%.o)
UNIT := $(patsubst tests/unit/%.c,$(B)/unit/%,$(wildcard tests/unit/test_*.c))

all: $(B)/mprof

$(B)/mprof: $(B)/src/main.o $(OBJ)
	$(CC) $(OUR_CFLAGS) $(CFLAGS) $(OUR_LDFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(OUR_CPPFLAGS) $(CPPFLAGS) $(OUR_CFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

# A unit test is one file in tests/unit; it may use every room but main.
$(B)/unit/%: tests/unit/%.c $(OBJ)
	@mkdir -p $(@D)
	$(CC) $(OUR_CPPFLAGS) $(CPPFLAGS) -Itests $(OUR_CFLAGS) $(CFLAGS) -MMD -MP -o $@ $< $(OBJ) \
		$(OUR_LDFLAGS) $(LDFLAGS) $(LIBS) -lcmocka

unit: $(UNIT)
	@set -e; for t in $(UNIT); do $$t; done

clean:
	rm -rf build build-san

-include $(OBJ:.o=.d) $(B)/src/main.d $(UNIT:%=%.d)
.PHONY: all unit clean
.DELETE_ON_ERROR:
