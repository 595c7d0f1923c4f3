# Completion of mprof for fish, printed by: mprof completion fish

complete -c mprof -f -n __fish_use_subcommand -a '@COMMANDS@'
complete -c mprof -f -n '__fish_seen_subcommand_from @PIDS@' -a '(__fish_complete_pids)'
complete -c mprof -n '__fish_seen_subcommand_from run' -a '(__fish_complete_command)'
complete -c mprof -f -n '__fish_seen_subcommand_from help' -a '@COMMANDS@'
complete -c mprof -f -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'
@OPTIONS@
