#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# What mprof is built with, so that a file that finds a fault in it gains little.

load ../lib/common

@test "mprof is at an address of its own each time, and what the linker has resolved cannot be written" {
	readelf -hW "$MPROF" | grep -q 'Type: *DYN'
	readelf -dW "$MPROF" | grep -q '(FLAGS_1).*\bNOW\b.*\bPIE\b'
	readelf -lW "$MPROF" | grep -q GNU_RELRO
	readelf -lW "$MPROF" | grep -Eq 'GNU_STACK .* RW +0x'
	readelf -lW "$MPROF" >segments
	not grep -q 'LOAD.*RWE' segments
}

@test "buffers and stacks of mprof are checked while it runs" {
	nm -D "$MPROF" >imports
	! grep -q __asan_init imports || skip "this mprof is built with sanitizers, which check more"
	grep -q ' __stack_chk_fail' imports
	grep -q ' __sprintf_chk\| __snprintf_chk\| __vsnprintf_chk' imports
	grep -q ' __memcpy_chk\| __read_chk\| __pread64_chk\| __pread_chk' imports
}

@test "who says by CPPFLAGS how buffers are checked is not contradicted" {
	local flags
	for flags in '' CPPFLAGS=-D_FORTIFY_SOURCE=2 CFLAGS=-O0 SAN=address; do
		env -u MAKEFLAGS -u MFLAGS make -C "$ROOT" -nB $flags B="$D/b" "$D/b/src/main.o" >commands
		grep -- '-c src/main.c' commands | grep -o -- '-D_FORTIFY_SOURCE=.' || echo none
	done >said
	[ "$(tr '\n' ' ' <said)" = '-D_FORTIFY_SOURCE=3 -D_FORTIFY_SOURCE=2 none none ' ] || fail "$(cat said)"
}
