#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# The screen of mprof top, in a terminal that tmux is. Runs with both engines, by MPROF_ENGINE.

bats_require_minimum_version 1.5.0
load ../lib/common
load ../lib/live

# terminal COMMAND: a terminal of 100 columns and 20 lines runs it in a shell, and stays when it has ended
terminal() {
	export LC_ALL=C.UTF-8
	env "MPROF_TEST_MARK=$MARK" tmux -S "$D/tm" -f /dev/null new-session -d -x 100 -y 20 \
		"$1; echo ended with \$?; exec sleep 1000" || fail "tmux does not start"
	tm set-option -g status off
}

tm() {
	tmux -S "$D/tm" "$@" 3>&-
}

# keys KEY...: somebody presses them
keys() {
	tm send-keys "$@"
}

seen() {
	tm capture-pane -p >screen && grep -Eq -- "$1" screen
}

gone_from_screen() {
	tm capture-pane -p >screen && ! grep -Eq -- "$1" screen
}

# shows REGEX: a line of the screen, soon
shows() {
	until_true "the screen has no /$1/" seen "$1" || fail "" "$(cat screen)"
}

# hides REGEX: no line of it, soon
hides() {
	until_true "the screen has /$1/" gone_from_screen "$1" || fail "" "$(cat screen)"
}

# work COMMAND...: the program has done it
work() {
	local word
	for word; do
		tell_await topped "$word" "^did $word\$" || return 1
	done
}

# watched [OPTION...]: topped is shown, having done something
watched() {
	start topped "$T/topped"
	terminal "'$MPROF' top --interval=0.2 $* $PID"
	shows '^ *live bytes\*  .*call site'
	work 'red 20' 'blue 30' 'churn 9'
	shows "^live $((20 * 5003 + 30 * 211)) bytes in 50 blocks; "
}

# quit [KEY]: it ends with 0, and leaves the program
quit() {
	keys "${1:-q}"
	shows '^ended with 0$'
	finish topped
	tm kill-server
}

@test "the screen shows what the program knows of itself" {
	watched
	shows '^process [0-9]+ \(.*topped\), .*, tracing, engine (trap|fast), tracer busy'
	shows '^RSS [0-9]+ KiB, 1 thread; truncated chains 0, unknown frees 0, events lost 0'
	shows '^ +100060 +20 +0 +0\.0 +0  make_red \(topped\.c:[0-9]+\)'
	shows '^ +6330 +30 +0 +0\.0 +0  bläue \(topped\.c:[0-9]+\)'
	shows '^ +0 +0 +0 +0\.0 +9  churn \(topped\.c:[0-9]+\)'
	work 'drop 10'
	shows '^live 56360 bytes in 40 blocks; '
	work 'old 3'
	shows 'unknown frees 3,'
	quit
}

# order NAME NAME: the first row is called that, and the last
order() {
	tm capture-pane -p >screen
	[ "$(grep -oE '  [^ ]+ \(topped' screen | head -n 1)" = "  $1 (topped" ] &&
		[ "$(grep -oE '  [^ ]+ \(topped' screen | tail -n 1)" = "  $2 (topped" ]
}

@test "keys sort, and the heading tells by what" {
	watched
	until_true "not by live bytes" order make_red churn
	keys T
	shows 'temporary\*'
	until_true "not by temporary" order churn bläue
	keys '<' '<' '<'
	shows 'live bytes\*'
	keys '>'
	shows 'growth\*'
	keys A
	shows 'allocs/s\*'
	quit
}

@test "a filter is typed, kept and taken away" {
	watched
	keys / R E D
	shows '^filter: RED_'
	hides churn
	keys BSpace BSpace BSpace c h
	shows 'churn'
	keys Enter
	shows '^only rows with "ch"; Esc shows all'
	hides make_red
	keys / Escape
	shows make_red
	quit
}

@test "Esc shows all rows again, and a filter that nothing has says so" {
	watched
	keys / n o s u c h Enter
	shows '^no row has "nosuch" in it; Esc shows all$'
	hides make_red
	keys Escape
	shows make_red
	shows '^Enter chains'
	quit
}

@test "a row opens to its chains, and closes" {
	watched
	shows '^Enter chains  [?] help  q quit'
	keys Enter
	shows '^Esc closes this'
	shows '^100060 bytes in 20 blocks live, 20 allocated'
	shows '^    make_red \(topped\.c:[0-9]+\)$'
	shows '^    keep_red \(topped\.c:[0-9]+\)$'
	shows '^    main \(topped\.c:[0-9]+\)$'
	keys Escape
	shows 'live bytes\*'
	keys Down Enter
	shows '^6330 bytes in 30 blocks live'
	quit
}

@test "what is opened goes on, and is frozen only if it says so" {
	watched
	keys Enter
	shows '^100060 bytes in 20 blocks live, 20 allocated'
	work 'red 1'
	shows '^105063 bytes in 21 blocks live, 21 allocated'
	work 'drop 21'
	shows '^0 bytes in 0 blocks live, 21 allocated'
	work 'red 2'
	shows '^10006 bytes in 2 blocks live, 23 allocated'
	keys Space
	shows '^frozen; Esc closes this'
	work 'red 1'
	keys Space
	shows '^15009 bytes in 3 blocks live, 24 allocated'
	keys Escape
	quit
}

@test "a size opens to who requests it, and has a word for a type that is not known" {
	watched
	keys b
	shows '^ +100060 .* 5003  struct red_thing'
	hides ' 7019  '
	keys Enter
	shows '^requests of 5003 bytes *$'
	shows '^100060 bytes in 20 blocks live, 20 allocated'
	shows '^    keep_red \(topped\.c:[0-9]+\)$'
	keys Escape b Enter
	shows '^of a thread it is not known who requests what'
	quit
}

@test "callers tell call sites apart, and sizes have their types, and threads their names" {
	watched
	keys +
	shows 'make_red \(topped\.c:[0-9]+\) < keep_red >$'
	keys -
	hides 'make_red .* < '
	keys b
	shows '^ +100060 .* 5003  struct red_thing'
	keys b
	shows '^ *bytes requested\*.* thread  name$'
	shows " $PID  topped *\$"
	keys b
	shows '  make_red \(topped'
	quit
}

@test "frozen it stays as it is, and then goes on" {
	watched
	keys Space
	shows '^frozen: Space goes on'
	work 'red 1'
	keys +
	shows 'make_red .* < keep_red'
	seen '^live 106390 bytes in 50 blocks' || fail "$(cat screen)"
	keys Space
	shows '^live 111393 bytes in 51 blocks'
	quit
}

@test "where the terminal is narrow columns give way, and names lose their middle" {
	watched --filter=bläue
	tm resize-window -x 80 -y 20
	shows '^ *live bytes\* +growth +allocs/s  call site'
	shows '^ +6330 +0 +0\.0  bläue \(topped\.c:[0-9]+\)$'
	tm resize-window -x 60 -y 20
	shows '^ *live bytes\* +growth  call site'
	shows '^ +6330 +0  bläue \(topped\.c:[0-9]+\)$'
	# What is at the top is broken, and not cut.
	shows 'slowdown [0-9.-]+$'
	shows 'events lost 0$'
	tm resize-window -x 30 -y 24
	shows '^ +6330  bläue \.{4}c:[0-9]+\)$'
	tm resize-window -x 120 -y 30
	shows '^ *live bytes\* +blocks +growth +allocs/s +temporary  call site'
	shows 'bläue \(topped\.c:[0-9]+\)$'
	tm resize-window -x 20 -y 3
	shows '^process '
	tm resize-window -x 100 -y 20
	shows 'bläue \(topped\.c'
	quit
}

@test "what the program is called steers no terminal" {
	mkdir dir
	cp "$T/topped" "$D/$(printf 'a\033]0;x\007\033[31mb')"
	start topped "$D/$(printf 'a\033]0;x\007\033[31mb')"
	terminal "'$MPROF' top --interval=0.2 $PID"
	shows '\.\.\.\\033\[31mb\), '
	quit
}

@test "help tells the keys, and any key closes it" {
	watched
	keys '?'
	shows '^ q +quit'
	tm resize-window -x 60 -y 40
	shows '^ L G A T   sort by live bytes, growth, allocations a second,$'
	shows '^temporary blocks$'
	keys x
	hides '^ q +quit'
	quit
}

@test "it saves, and goes on" {
	watched
	keys s
	shows "^the profile is in $D/mprof\\.data"
	json mprof.data
	[ "$(total allocs)" = 59 ]
	work 'red 1'
	shows '^live 111393 bytes in 51 blocks'
	quit
}

@test "when it quits the program is as it was, with a profile" {
	start topped "$T/topped"
	before "$PID"
	terminal "'$MPROF' top --interval=0.2 --data=mine.data $PID"
	shows 'live bytes\*'
	work 'red 4'
	shows '^live 20012 bytes'
	keys q
	shows "^mprof: the profile is in $D/mine\\.data"
	shows '^ended with 0$'
	json mine.data
	[ "$(total allocs)" = 4 ]
	tm kill-server
	clean "$PID"
	finish topped
}

@test "it quits a session of others, or detaches it" {
	start topped "$T/topped"
	attach "$PID"
	terminal "'$MPROF' top --interval=0.2 $PID; '$MPROF' top --interval=0.2 $PID"
	shows 'live bytes\*'
	keys q
	answered status
	shows 'live bytes\*'
	tm clear-history
	work 'red 2'
	shows '^live 10006 bytes'
	keys d
	shows "^mprof: the profile is in $D/mprof\\.data"
	shows '^ended with 0$'
	ended "$FRONT"
	tm kill-server
	clean "$PID"
	finish topped
}

@test "when the process ends the last figures stay, with word of the profile" {
	watched
	finish topped
	shows 'the profile is in .*mprof\.data|ended with its process'
	# The sentence is as long as it is.
	tm resize-window -x 30 -y 20
	shows 'q quits$'
	tm resize-window -x 100 -y 20
	shows '^live 106390 bytes in 50 blocks'
	keys q
	shows '^ended with 0$'
	tm kill-server
	nobody_left
}

@test "a terminal that is not known is one sentence" {
	start topped "$T/topped"
	terminal "TERM=nosuchterminal '$MPROF' top $PID"
	shows '^mprof: top: the terminal is of a kind .*TERM=nosuchterminal'
	shows '^ended with 2$'
	keys q
	tm kill-server
	# Which takes a while to end: the next one is not to ask it.
	rm -f "$D/tm"
	[ "$(tracer_of "$PID")" = 0 ]
	start other "$T/topped"
	PID=$topped_pid
	terminal "TERM= '$MPROF' top $PID"
	shows '^ended with 2$'
	tm kill-server
	finish topped
	finish other
}

@test "a terminal that goes away lets the program go" {
	watched
	tm kill-server
	clean "$PID"
	[ -s mprof.data ]
	finish topped
}

# tmux has no terminal so large.
@test "a terminal of more columns and lines than there can be is drawn on as far as it goes" {
	start topped "$T/topped"
	python3 - "$MPROF" "$PID" <<-'EOT'
		import fcntl, os, pty, select, struct, sys, termios, time
		pid, fd = pty.fork()
		if not pid:
		    os.environ["TERM"] = "xterm"
		    os.execl(sys.argv[1], sys.argv[1], "top", "--interval=0.2", sys.argv[2])
		def read_on(seconds):
		    until, text = time.monotonic() + seconds, b""
		    while time.monotonic() < until:
		        if select.select([fd], [], [], 0.05)[0]:
		            try:
		                text += os.read(fd, 65536)
		            except OSError:
		                break
		    return text
		def until_drawn():
		    while b"live" not in read_on(0.3):
		        if os.waitpid(pid, os.WNOHANG)[0]:
		            sys.exit("it has ended")
		fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("4H", 24, 80, 0, 0))
		until_drawn()
		for lines, columns in (24, 32768), (32768, 80), (65535, 65535), (0, 0), (24, 80):
		    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("4H", lines, columns, 0, 0))
		    read_on(0.5)
		os.write(fd, b"q")
		while True:
		    read_on(0.2)
		    done, status = os.waitpid(pid, os.WNOHANG)
		    if done:
		        sys.exit(status and "status %#x" % status)
	EOT
	clean "$PID"
	finish topped
}
