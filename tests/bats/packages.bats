#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# What make install puts where, and whether debian/ agrees with the Makefile. `make check-packages` builds the package.

bats_require_minimum_version 1.5.0
load ../lib/common

# installed [VARIABLE=VALUE...]: what has been built is installed below ./root; nothing is built for it
installed() {
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL \
		make -s -C "$ROOT" -o all install B="$B" DESTDIR="$D/root" "$@" 2>install.err || fail "$(cat install.err)"
}

# variable NAME: a variable of the Makefile, one word a line
variable() {
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL \
		make -s -C "$ROOT" --eval="print-it:;@printf '%s\\n' \$($1)" print-it
}

# field NAME: of the changelog's latest entry
field() {
	dpkg-parsechangelog -l "$ROOT/debian/changelog" -S "$1"
}

@test "make install puts the program, its header, manual, probes and completions there, for all to read" {
	(umask 077 && installed PREFIX=/usr)
	(cd root && find . -type f -printf '%m %P\n' | sort -k 2) >files
	diff - files <<-END
		755 usr/bin/mprof
		644 usr/include/mprof/mprof.h
		644 usr/share/bash-completion/completions/mprof
		644 usr/share/fish/vendor_completions.d/mprof.fish
		644 usr/share/man/man1/mprof.1
		644 usr/share/man/man5/mprof.data.5
		644 usr/share/man/man5/mprof.probes.5
		644 usr/share/man/man7/mprof-recipes.7
		644 usr/share/mprof/probes
		644 usr/share/pkgconfig/mprof.pc
		644 usr/share/zsh/vendor-completions/_mprof
	END
	bash -n root/usr/share/bash-completion/completions/mprof
	cmp root/usr/share/mprof/probes "$ROOT/share/mprof/probes"
}

@test "the manual names the files where they have been installed" {
	installed PREFIX=/opt/tools
	grep -qx '\.It Pa /opt/tools/share/mprof/probes' root/opt/tools/share/man/man1/mprof.1
	not grep -r /usr/local root/opt
	mandoc -T lint -W warning root/opt/tools/share/man/man*/*
}

@test "a program built with what pkg-config says of mprof tells mprof of its blocks" {
	installed PREFIX=/usr
	export PKG_CONFIG_LIBDIR=$D/root/usr/share/pkgconfig PKG_CONFIG_SYSROOT_DIR=$D/root
	pkg-config --validate mprof
	[ "$(pkg-config --modversion mprof)" = "$(variable VERSION)" ]
	[ "$("$MPROF" --version)" = "mprof $(pkg-config --modversion mprof)" ]
	[ -r "$(pkg-config --variable=probes mprof)" ]
	printf '#include <mprof/mprof.h>\nint main(void)\n{\n\tstatic char pool[77];\n\tmprof_malloclike(pool, 77);\n}\n' >told.c
	# shellcheck disable=SC2046
	cc -g $(pkg-config --cflags --libs mprof) -o told told.c
	limited "$MPROF" run --data=told.data --format=json -o told.json ./told
	[ "$(jq -c '[.bins[] | select(.size == 77) | .allocs]' told.json)" = '[1]' ] || fail "$(jq -c .bins told.json)"
}
