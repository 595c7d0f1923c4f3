#compdef mprof
# Completion of mprof for zsh, printed by: mprof completion zsh

_mprof()
{
	local -a options
	local command=$words[2]

	if (( CURRENT == 2 )); then
		compadd -- @COMMANDS@
		return
	fi
	case $command in
@OPTIONS@
	esac
	case $command in
	@PIDS@) options+=('*:process:_pids') ;;
	run) options+=('(-)1:program:_command_names -e' '*::argument:_normal') ;;
	help) options+=('1:command:(@COMMANDS@)') ;;
	completion) options+=('1:shell:(bash zsh fish)') ;;
	*) options+=('*:file:_files') ;;
	esac
	shift words
	(( CURRENT-- ))
	_arguments -S : $options
}

if [[ $funcstack[1] = _mprof ]]; then
	_mprof "$@"
else
	compdef _mprof mprof
fi
