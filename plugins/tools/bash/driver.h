/* SPDX-License-Identifier: MIT
 *
 * driver.h - the script that our bash runs between two commands.
 *
 * It runs as PROMPT_COMMAND of an interactive shell, to which bash returns after every
 * interrupt and error. Bash never reads a line from the terminal. Nothing in it forks,
 * unless there are jobs in the background.
 *
 *   - Two loops and a second copy of them in the array catch a `break` in the user's
 *     command; the kill at the end makes bash start over.
 *   - set -e, -x, -v and a DEBUG trap last for one command.
 *   - The word that starts a command is gN or kN, where N is its number. The remainder of
 *     a word cut by an interrupt begins with neither letter. A word that was sent again,
 *     because it seemed lost, starts nothing.
 *   - `eval` of the text from a file needs no quoting, no echo and no PS2, an unfinished
 *     quote is an error instead of a wait for the rest of it.
 *   - Bash reports jobs only where it reads commands itself. Its reports on background
 *     jobs are printed after the command.
 *   - The eval is in a sourced file: there, bash removes foreground programs from its list
 *     of jobs when they end, as it does where it reads commands itself.
 *   - A command with a pipeline is followed by a function that notes the exit codes of
 *     its parts.
 *   - The redirections of eval close our descriptors for the command; bash keeps them
 *     meanwhile as close-on-exec copies.
 *   - With DRIVER_STATE, variables, functions and options (if they are not those of a new
 *     shell) are written to a memory file after each command that was started with kN. A
 *     shell that takes over, because the command of this one continues in the background,
 *     reads them. */
#ifndef BASH_DRIVER_H
#define BASH_DRIVER_H

#define DRIVER_SOCKET 240
#define DRIVER_FILE 241
#define DRIVER_STATE 242
#define DRIVER_SOURCE 243
#define DRIVER_FIELDS 7

/* Appended to a command with a pipeline: eval itself leaves only its own status. */
#define DRIVER_PIPE "\n{ __mortise_pipe; } 2>/dev/null"

/* The file that is sourced; without it, the same text is run by eval. */
static const char driver_source[] =
	"builtin eval \"$__mortise_c\" 240>&- 241>&- 242>&- 243>&-\n";

static const char driver_loop[] =
	"{ __mortise_s=$?; builtin set +exv; builtin trap - DEBUG; } >&- 2>&-\n"
	"builtin jobs -n -s >&2\n"
	"while :; do while :; do\n"
	"__mortise_arm\n"
	"builtin printf '%s\\0' \"$__mortise_n\" \"$__mortise_s\" \"${!-}\""
	" \"${PWD-}\" \"${PATH-}\" \"$EUID\" \"$__mortise_q\" >&240\n"
	"[[ $__mortise_r != k* ]] || __mortise_keep\n"
	"while :; do\n"
	"IFS= builtin read -r -u 240 __mortise_r ||"
	" (( $? > 128 )) || builtin exit 0\n"
	"[[ $__mortise_r == [gk]* && ${__mortise_r:1} != \"$__mortise_n\" ]] &&"
	" builtin break\n"
	"done\n"
	"__mortise_n=${__mortise_r:1}\n"
	"IFS= builtin read -r -d '' -u 241 __mortise_c\n"
	"__mortise_p=$__mortise_s __mortise_s=0 __mortise_b=${!-}"
	" __mortise_e= __mortise_q=\n"
	"if __mortise_rc \"$__mortise_p\"; then\n"
	"builtin eval \"$__mortise_x\"\n"
	"else\n"
	"builtin eval \"$__mortise_x\"\n"
	"fi\n"
	"{ __mortise_s=$?; builtin set +exv; builtin trap - DEBUG; } >&- 2>&-\n"
	"[[ -z $__mortise_e ]] || __mortise_s=$__mortise_e\n"
	"[[ ${!-} == \"$__mortise_b\" && $__mortise_j == ' ' ]] || __mortise_jobs >&2\n"
	"builtin jobs >&- 2>&-\n"
	"done; done";

/* The first PROMPT_COMMAND, from the environment. */
static const char driver_init[] =
	"builtin export -n __mortise_d; builtin unset PROMPT_COMMAND\n"
	"builtin set +o history; __mortise_o=$BASHOPTS/$SHELLOPTS\n"
	/* The state of the previous shell; its directory may have changed since. */
	"if [[ -n ${__mortise_v-} && -s /proc/self/fd/242 ]]; then\n"
	"builtin export -n __mortise_v\n"
	"builtin eval 'builtin unset $(builtin compgen -e);"
	" builtin source /proc/self/fd/242' 240>&- 241>&- 243>&- </dev/null >/dev/null 2>&1\n"
	"[[ ${PWD-} -ef . ]] || builtin cd \"$__mortise_v\" 2>/dev/null\n"
	"fi\n"
	"builtin unset PROMPT_COMMAND __mortise_v\n"
	"__mortise_keep() { :; }\n"
	/* A limit of file sizes (ulimit -f) does not end the shell. */
	"[[ ! -e /proc/self/fd/242 ]] || __mortise_keep() {\n"
	"builtin trap '' XFSZ; {\n"
	"[[ $BASHOPTS/$SHELLOPTS == \"$__mortise_o\" ]] ||"
	" { builtin shopt -p; builtin set +o; }\n"
	"builtin declare -p; builtin declare -f\n"
	"builtin declare -xF; builtin alias -p; builtin umask -p\n"
	"} >|/proc/self/fd/242 2>/dev/null; builtin trap - XFSZ; }\n"
	"__mortise_n=0 __mortise_r= __mortise_e= __mortise_q=\n"
	"__mortise_rc() { builtin return \"$1\"; }\n"
	"__mortise_pipe() { __mortise_e=$? __mortise_w=(\"${PIPESTATUS[@]}\")\n"
	"builtin printf -v __mortise_q '%s ' \"${__mortise_w[@]}\"; }\n"
	"__mortise_j=' '\n"
	"__mortise_x='builtin source /proc/self/fd/243'\n"
	"[[ -r /proc/self/fd/243 ]] ||"
	" __mortise_x='builtin eval \"$__mortise_c\" 240>&- 241>&- 242>&- 243>&-'\n"
	/* Print bash's reports on background jobs: new ones, ended ones. */
	"__mortise_jobs() {\n"
	"builtin local line number= pid= back all=' '\n"
	"while IFS= builtin read -r line; do\n"
	"if [[ $line =~ ^(\\[([0-9]+)\\].)?\\ *([0-9]+)\\  ]]; then\n"
	"if [[ -n ${BASH_REMATCH[1]} ]]; then\n"
	"__mortise_job; number=${BASH_REMATCH[2]} back=; fi\n"
	"pid=${BASH_REMATCH[3]}; fi\n"
	"[[ $line != *\\& ]] || back=1\n"
	"done <<<\"$(builtin jobs -l)\"\n"
	"__mortise_job\n"
	"while IFS= builtin read -r line; do\n"
	"[[ $line =~ ^\\[([0-9]+)\\] && $all == *\" ${BASH_REMATCH[1]}:\"* &&"
	" $line != *' Running '* ]] && builtin printf '%s\\n' \"$line\"\n"
	"done <<<\"$(builtin jobs -n)\"\n"
	"__mortise_j=$all; }\n"
	"__mortise_job() {\n"
	"[[ -n $number ]] || builtin return 0\n"
	"if [[ $__mortise_j == *\" $number:$pid \"* ]]; then all+=\"$number:$pid \"\n"
	"elif [[ -n $back || $pid == \"${!-}\" ]]; then\n"
	"all+=\"$number:$pid \"; builtin printf '[%s] %s\\n' \"$number\" \"$pid\"\n"
	"fi; }\n"
	"if (( BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501 )); then\n"
	"__mortise_arm() { [[ ${PROMPT_COMMAND@a} != *r* ]] || builtin kill -9 \"$$\"\n"
	"PROMPT_COMMAND=('' 'builtin eval \"$__mortise_d\"'"
	" 'builtin eval \"$__mortise_d\"' 'builtin kill -INT \"$$\"'); }\n"
	"else\n"
	"__mortise_arm() { PROMPT_COMMAND='builtin eval \"$__mortise_d\";"
	" builtin eval \"$__mortise_d\"; builtin kill -INT \"$$\"'; }\n"
	"fi\n"
	"if [[ -n ${__mortise_f-} ]]; then builtin eval"
	" 'builtin source \"$__mortise_f\"' 240>&- 241>&- 242>&- 243>&-; fi\n"
	"builtin unset __mortise_f\n"
	"builtin eval \"$__mortise_d\"\n"
	"builtin kill -INT \"$$\"";

#endif
