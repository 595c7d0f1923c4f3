# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154,SC1091,SC2034
# What shells complete behind mprof. In bash and fish it is asked for; zsh reads the script.

bats_require_minimum_version 1.7.0
load ../lib/common

setup_file() {
	need_mprof
}

# completes LINE: what bash offers at its end, a word in a line
completes() {
	COMP_LINE=$1 COMP_POINT=${#1} limited bash --norc -c '
		compopt() { [[ $2 != default ]] || echo "(files)"; }
		source ./mprof.bash
		read -ra COMP_WORDS <<<"$COMP_LINE"
		[[ $COMP_LINE != *" " ]] || COMP_WORDS+=("")
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		_mprof
		printf "%s\n" "${COMPREPLY[@]}"' bash
}

offers() { # LINE WORD...
	completes "$1" >offered
	diff <(printf '%s\n' "${@:2}") offered
}

@test "bash completes commands, options, their values, and processes" {
	"$MPROF" completion bash >mprof.bash
	bash -n mprof.bash
	offers 'mprof re' report
	offers 'mprof d' detach doctor diff
	offers 'mprof run --eng' --engine=trap --engine=fast --engine=auto
	offers 'mprof run --engine=' trap fast auto
	offers 'mprof run --engine=f' fast
	offers 'mprof report --no-p' --no-pager
	offers 'mprof report --engine=' '(files)' ''
	offers 'mprof run --dat' --data=
	offers 'mprof run --data=' '(files)' ''
	offers 'mprof completion f' fish
	offers 'mprof help att' attach
	for command in attach top doctor heap 'control save'; do
		completes "mprof $command $$" | grep -qx $$ || fail "no process behind $command"
	done
	completes 'mprof report ' | grep -qx '(files)'
	completes 'mprof run bas' | grep -qx bash
}

@test "every option that a command takes is completed" {
	"$MPROF" completion bash >mprof.bash
	local commands
	mapfile -t commands < <(completes 'mprof ' | grep -v completion)
	[ "${#commands[@]}" -ge 15 ]
	for command in "${commands[@]}"; do
		completes "mprof $command -" | sed 's/=.*//' | sort -u >offered
		[ -s offered ]
		# The help has the first of each line from elsewhere.
		"$MPROF" help "$command" | grep -oE '^  --[a-z][a-z_-]*[a-z]' | tr -d ' ' | sort -u >told
		[ -z "$(comm -13 offered told)" ] || fail "$command: not completed: $(comm -13 offered told)"
		while read -r option; do
			said=$("$MPROF" "$command" "$option=no-such-value" no-such-thing 2>&1 </dev/null) || true
			[[ $said != *'unknown option'* ]] || fail "$command does not know $option"
		done <offered
	done
}

@test "fish completes the same" {
	command -v fish >/dev/null || skip "fish is not installed"
	"$MPROF" completion fish >mprof.fish
	export HOME=$D
	fish_offers() {
		limited fish --no-config -c "source mprof.fish; complete -C '$1'" | cut -f1 | sort | tr '\n' ' '
	}
	[ "$(fish_offers 'mprof repo')" = 'report ' ]
	[ "$(fish_offers 'mprof run --engine=')" = '--engine=auto --engine=fast --engine=trap ' ]
	[[ $(fish_offers 'mprof report --no-p') = '--no-pager ' ]]
	[[ $(fish_offers 'mprof run --no-p') != *--no-pager* ]]
}

@test "zsh can read the script, and knows what is completed by it" {
	command -v zsh >/dev/null || skip "zsh is not installed"
	"$MPROF" completion zsh >_mprof
	zsh -f -n _mprof
	limited zsh -f -c '
		autoload -Uz compinit && compinit -u -d ./dump
		_arguments() { print -rl -- $@ >arguments }
		source ./_mprof
		words=(mprof run --engine=) CURRENT=3
		_mprof
		print -r -- $_comps[mprof]' >out
	[ "$(cat out)" = _mprof ]
	grep -qx '\*--engine=:value:(trap fast auto)' arguments
	grep -qx '\*--data=:value:_files' arguments
}

@test "another shell, or none, is told in a sentence" {
	run -2 "$MPROF" completion
	[[ $output = 'mprof: completion: for which shell?'* ]]
	run -2 "$MPROF" completion tcsh
	run -2 "$MPROF" completion bash zsh
}
