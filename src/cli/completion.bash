# Completion of mprof for bash, printed by: mprof completion bash

# _mprof_options COMMAND: what may stand behind it, a word in a line; "=" at its end: a value follows
_mprof_options()
{
	case $1 in
@OPTIONS@
	esac
}

_mprof()
{
	local line=${COMP_LINE:0:COMP_POINT} command=${COMP_WORDS[1]} cur
	cur=${line##*[[:space:]]}
	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		mapfile -t COMPREPLY < <(compgen -W '@COMMANDS@' -- "$cur")
		return
	fi
	case $cur in
	-*)
		mapfile -t COMPREPLY < <(compgen -W "$(_mprof_options "$command")" -- "$cur")
		[[ ${COMPREPLY[0]} != *= ]] || compopt -o nospace
		# What stands before "=" is a word of its own for readline.
		[[ $cur != *=* || ${COMP_WORDBREAKS} != *=* ]] || COMPREPLY=("${COMPREPLY[@]#"${cur%%=*}="}")
		# A value of which no words are known may be a file.
		[[ -n ${COMPREPLY[*]} ]] || { COMPREPLY=() && compopt -o default; }
		;;
	*)
		case $command in
		@PIDS@) mapfile -t COMPREPLY < <(compgen -W "$(cd /proc && echo [0-9]*)" -- "$cur") ;;
		run) mapfile -t COMPREPLY < <(compgen -c -- "$cur") && compopt -o default ;;
		help) mapfile -t COMPREPLY < <(compgen -W '@COMMANDS@' -- "$cur") ;;
		completion) mapfile -t COMPREPLY < <(compgen -W 'bash zsh fish' -- "$cur") ;;
		*) compopt -o default ;;
		esac
		;;
	esac
}

complete -F _mprof mprof
