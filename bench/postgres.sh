#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What a postgres does under pgbench while mprof is attached to it with the fast engine and follows its new
# backends: transactions a second, by those of the same server alone. Clients connect once, or anew for each
# transaction (-C), which is a fork each time.
#
# PG_SECONDS (8) of each in RUNS turns; CLIENTS (4), SCALE_FACTOR (5) of pgbench. PG_BIN: where its programs are.
# postgres does not run as root: then it runs as "postgres", or as nobody.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
PG_SECONDS=${PG_SECONDS:-8}
CLIENTS=${CLIENTS:-4}
SCALE_FACTOR=${SCALE_FACTOR:-5}
PG_BIN=${PG_BIN:-$(printf '%s\n' /usr/lib/postgresql/*/bin | tail -n 1)}
db=$tmp/db

echo "## postgres"
echo
[ -x "$PG_BIN/initdb" ] && [ -x "$PG_BIN/pgbench" ] || { echo "There is no postgres: nothing measured."; exit 0; }
need_mprof

# As whom postgres may run, and where it may write.
as_server=(env HOME="$db")
if [ "$(id -u)" = 0 ]; then
	user=postgres
	id "$user" >/dev/null 2>&1 || user=nobody
	as_server=(setpriv --reuid "$user" --regid "$(id -g "$user")" --clear-groups "${as_server[@]}")
fi

begin_server() {
	mkdir "$db" && chmod 755 "$tmp" && chmod 777 "$db"
	quiet "${as_server[@]}" "$PG_BIN/initdb" -D "$db/data" -A trust -U bench || return 1
	printf '%s\n' "listen_addresses = ''" "unix_socket_directories = '$db'" "fsync = off" >>"$db/data/postgresql.conf"
	"${as_server[@]}" "$PG_BIN/postgres" -D "$db/data" </dev/null >"$tmp/server" 2>&1 &
	server=$!
	started+=("$server")
	for ((i = 0; i < 300; i++)); do
		"$PG_BIN/pg_isready" -q -h "$db" && break
		sleep 0.1
	done
	quiet "$PG_BIN/pgbench" -i -q -s "$SCALE_FACTOR" -h "$db" -U bench postgres
}

# Transactions a second of pgbench with these options.
tps() { # NAME OPTION...
	local name=$1
	shift
	if quiet "$PG_BIN/pgbench" -n -h "$db" -U bench -c "$CLIENTS" -j 2 -T "$PG_SECONDS" "$@" postgres; then
		sed -n 's/^tps = \([0-9.]*\).*/\1/p' "$tmp/out" >>"$tmp/$name"
	else
		echo - >>"$tmp/$name"
	fi
}

observed() { # COMMAND...: while the server is observed
	"$MPROF" attach --engine=fast --trace-children=yes -o /dev/null --data=/dev/null "$server" \
		</dev/null >"$tmp/mprof" 2>&1 &
	local front=$!
	started+=("$front")
	until grep -q 'attached to' "$tmp/mprof"; do
		kill -0 "$front" 2>/dev/null || { cat "$tmp/mprof" >&2; echo - >>"$tmp/$2"; return; }
		sleep 0.1
	done
	"$@"
	quiet "$MPROF" detach "$server"
	wait "$front"
}

begin_server || { echo "postgres does not start: nothing measured."; exit 0; }
names=("select only" "select only, a connection for each" "TPC-B")
options=("-S" "-S -C" "")
for ((turn = 0; turn < RUNS; turn++)); do
	for k in "${!names[@]}"; do
		# shellcheck disable=SC2086
		tps "alone.$k" ${options[k]}
		# shellcheck disable=SC2086
		observed tps "fast.$k" ${options[k]}
	done
done

echo "Transactions a second of $CLIENTS clients while mprof is attached with the fast engine and follows new backends;"
echo "medians of $RUNS turns of $PG_SECONDS seconds."
echo
table pgbench alone observed "by alone" goal
for k in "${!names[@]}"; do
	row "${names[k]}" "$(num "$(median "alone.$k")" 0)" "$(num "$(median "fast.$k")" 0)" \
		"$(num "$(ratio "fast.$k" "alone.$k")")" "0.80"
done
