#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# All measurements as one markdown report. Each section is a script of its own that can be run alone;
# what tool is missing is said in its place.
#
#	MPROF=build/mprof B=build bench/run.sh [SECTION...]
#
# RUNS (5) samples of each number.

here=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
export RUNS=${RUNS:-5}
[ $# -gt 0 ] || set -- pair engine programs timeline unwinding events memory attach looks report page names sitetypes widgets threads logs slowdown told postgres

cat <<-EOT
	# mprof: what it costs

	$(nproc) processors ($(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)),
	Linux $(uname -r), $(uname -m), load $(cut -d ' ' -f 1-3 /proc/loadavg) before the first sample.
	Medians of $RUNS samples unless a table says otherwise. What is compared was sampled in turns;
	only ratios carry over to other machines, and a loaded machine makes all of it worse.
EOT
for section; do
	printf '\n'
	"$here/$section.sh" || echo "bench: $section.sh failed" >&2
done
printf '\nLoad %s after the last sample, %d seconds in all.\n' "$(cut -d ' ' -f 1-3 /proc/loadavg)" "$SECONDS"
