#!/bin/bash
[ -n "$BASH_VERSION" ] || exec bash "$0" "$@"
# SPDX-License-Identifier: MIT
# bad-plugins.sh - messages to the user about each bad plugin of bad-plugins.table, when
# it is loaded or called; no process of it is left running. One result for each row.
work=$(mktemp -d "${TMPDIR:-/tmp}/bad-plugins.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
dir=$work/plugins
export HOME=$work/home XDG_STATE_HOME=$work/state XDG_CACHE_HOME=$work/cache
export XDG_CONFIG_HOME=$work/config
mkdir -p "$dir" "$HOME" "$XDG_STATE_HOME" "$work/ws"
chmod 700 "$work" "$dir" "$XDG_STATE_HOME"
table=$top_srcdir/tests/cli/bad-plugins.table
standard=$MORTISE_CORE_PLUGIN_PATH
count=0

# result NAME COMMAND...: one test; the command fails at its first failing line
# (with status 77: skipped)
result() {
	count=$((count + 1))
	(
		set -eE
		trap 'echo "failed: $BASH_COMMAND"' ERR
		"${@:2}"
	) >"$work/said" 2>&1 </dev/null
	case $? in
	0) echo "ok $count - ${1//#/}" ;;
	77) echo "ok $count - ${1//#/} # SKIP not under AddressSanitizer" ;;
	*)
		echo "not ok $count - ${1//#/}"
		sed 's/^/# /' "$work/said"
		;;
	esac
}

# run COMMAND... : in the directory by which `left` finds processes
run() {
	status=0
	output=$(cd "$work/ws" && "$@" 2>&1) || status=$?
	echo "$* = $status: ${output:0:600}"
}

# The processes in that directory.
left() { readlink /proc/[0-9]*/cwd 2>/dev/null | grep -F "$work/ws"; }

nothing_is_left() {
	for _ in {1..600}; do
		left >/dev/null || return 0
		sleep 0.05
	done
	return 1
}

# rows FUNCTION KIND... : calls it with the fields of each row of these kinds
rows() {
	while IFS='|' read -r kind code third fourth; do
		result "$kind: $code" "$1" "$kind" "$code" "$third" "$fourth"
	done < <(grep -E "^($(IFS='|' && echo "${*:2}")) *\|" "$table" | sed 's/ *| */|/g')
}

compile() { # SOURCE PLUGIN
	${CC:-cc} -std=gnu17 -w -shared -fPIC -I"$top_srcdir/sdk-headers" -o "$2" "$1"
	chmod 755 "$2"
}

# a plugin with one tool: members of its descriptor, component, tool and toolset
bare() {
	cat <<-END
		#include <mortise/tool.h>
		static int run(const struct mt_tool_host *h, void *s, struct mt_call *c) { return 0; }
		static const struct mt_tool tool = { .size = sizeof tool, .name = "bare",
			.description = "x", .schema = "{}", .call = run, $3 };
		static const struct mt_toolset set = { .size = sizeof set, .tool_count = 1,
			.tools = &tool, $4 };
		#define OPTION(...) { .size = sizeof(struct mt_option), \\
			.type = MT_OPTION_INT, .name = "depth", .help = "x", __VA_ARGS__ }
		static const struct mt_option wrong_option[] = { OPTION(.fallback = "deep") };
		static const struct mt_option needless_option[] = {
			OPTION(.fallback = "1", .flags = MT_OPTION_REQUIRED) };
		static const struct mt_option reserved_option[] = { OPTION(.reserved = 1) };
		static const struct mt_option endless_option[] = { OPTION(.max = __builtin_inf()) };
		static const struct mt_option flagged_option[] = { OPTION(.flags = 1u << 9) };
		static const struct mt_component part = { .size = sizeof part,
			.kind = MT_KIND_TOOL, .version_major = MT_TOOL_MAJOR, .name = "bare",
			.functions = &set, $2 };
		MT_PLUGIN(.name = "bare", .version = "1", .license = "MIT", .components = &part,
			.component_count = 1, $1)
	END
}

# source KIND CODE : the source of a row
source_of() {
	case $1 in
	descriptor) bare "$2" '' '' ;;
	component) bare '' "$2" '' ;;
	set) bare '' '' '' "$2" ;;
	tool) bare '' '' "$2" ;;
	before) echo "$2" && bare '' '' '' ;;
	constructor) bare '' '' '' &&
		printf '%s\n' '#include <fcntl.h>' '#include <stdlib.h>' '#include <unistd.h>' \
			"__attribute__((constructor)) static void load(void) { $2 }" ;;
	params) bare '' '' "MT_PARAMS($2), .schema = 0" ;;
	source) printf '%b\n' "$2" ;;
	esac
}

# as_sanitized SENTENCE : the sentence under AddressSanitizer and its leak check
as_sanitized() {
	case $SANITIZE$1 in
	*address*'(SIGSEGV)'* | *address*'(code 3)'*) echo "exited (code 1)" ;;
	*) echo "$1" ;;
	esac
}

# is_refused SENTENCE : by discovery, which remembers it, and by a check
is_refused() {
	export MORTISE_CORE_PLUGIN_PATH=$dir
	for _ in 1 2; do
		run mortise plugins --refused
		[ "$status" -eq 0 ]
		[ "$(wc -l <<<"$output")" -eq 1 ]
		[[ "$output" == "$dir/bad.so: "*"$1"* ]]
	done
	run mortise plugins check "$dir/bad.so"
	[ "$status" -eq 1 ]
	[ "$(wc -l <<<"$output")" -eq 1 ]
	[[ "$output" == "$dir/bad.so: "*"$1"* ]]
	nothing_is_left
}

loaded() { # KIND CODE SENTENCE
	source_of "$1" "$2" >"$work/bad.c"
	compile "$work/bad.c" "$dir/bad.so"
	is_refused "$(as_sanitized "$3")"
}

no_plugin() { # KIND COMMAND SENTENCE
	rm -f "$dir/bad.so"
	bare '' '' '' >"$work/good.c"
	compile "$work/good.c" "$work/good.so"
	(cd "$work" && eval "$2")
	is_refused "$3"
	[ ! -p "$dir/bad.so" ] || rm "$dir/bad.so"
}

called() { # KIND DEED WANTED SENTENCE
	local wanted=$3 sentence=$4 limit=60s
	case $SANITIZE in *address*) exit 77 ;; esac
	export MORTISE_CORE_PLUGIN_PATH=$top_builddir/tests/plugins,$top_builddir/plugins/runtimes
	rm -f "$work/there"
	[[ $sentence != *"did not finish"* ]] || limit=1s
	run mortise tools call -o controller.tools=bad -o tool.bad.deadline=$limit do \
		"{\"what\":\"$2\",\"file\":\"$work/there\",
		\"command\":\"touch $work/there; exec sleep 1000\"}"
	[ "$status" -eq "$wanted" ]
	[[ "$output" == *"$sentence"* ]]
	[ "$wanted" -eq 0 ] || [ "$(grep -c '^mortise: ' <<<"$output")" -eq 1 ]
	nothing_is_left
}

harms() { # KIND DEED WANTED SENTENCE
	local kind=$1 deed=$2 wanted=$3 sentence=$4 option=deed limit=60s use said
	export MORTISE_CORE_PLUGIN_PATH=$top_builddir/tests/plugins,$standard
	export HARM_FILE=$work/keep
	touch "$HARM_FILE"
	[[ $sentence != *"did not return"* ]] || limit=300ms
	[[ $deed != check/* ]] || option=check_deed
	[[ $deed != system/* ]] || option=system_deed
	case $kind in agent) use=agent=harm ;; *) use=${kind}s=harm ;; esac
	case $SANITIZE$deed in
	*address*memory) exit 77 ;; # has no limit
	*address*exit) sentence="(" ;; # its leak check aborts
	esac
	rm -rf "$XDG_STATE_HOME/mortise"
	status=0
	output=$(cd "$work/ws" && mortise run -q -C . -m "script:$work/script" -t go \
		-o "controller.$use" -o "$kind.harm.$option=${deed#*/}" \
		-o "$kind.harm.deadline=$limit" -o controller.on_ask=stop \
		-o sandbox.mode=off 2>"$work/err") ||
		status=$?
	said=$(cat "$work/err")
	echo "$status: $output $said"
	[ "$status" -eq "$wanted" ]
	if [ "$wanted" -eq 0 ]; then
		[ "$output" = "$sentence" ]
	else
		[ "$(grep -cF "$harmful" <<<"$said")" -eq 1 ]
		[[ "$said" == *"$kind"*"$harmful"*"$sentence"* ]]
	fi
	if [ "$kind $option $wanted" = "agent deed 1" ]; then
		jq -es 'map(select(.observation == "agent_state_changed")) | last
			| .extras.agent_state == "error"' \
			"$XDG_STATE_HOME"/mortise/conversations/*/events.jsonl
	fi
	[ -e "$HARM_FILE" ]
	nothing_is_left
}

an_orphan_is_detected() {
	(cd "$work/ws" && exec sleep 1000) &
	for _ in {1..600}; do
		! left >/dev/null || break
		sleep 0.05
	done
	left
	kill "$!"
	nothing_is_left
}

printf '[turn]\n[call execute_bash]\ncommand = true\n[turn]\n[call finish]\nmessage = done\n' \
	>"$work/script"
harmful=$(realpath "$top_builddir/tests/plugins/harm.so")
rows loaded descriptor component set tool before constructor params source
rows no_plugin file
rows called call
rows harms agent condenser analyzer
result 'an orphaned process is detected' an_orphan_is_detected
result 'each row of the table was tested' [ "$((count - 1))" -eq "$(grep -c '^[a-z]* *|' "$table")" ]
result 'the table has at least 140 rows' [ "$count" -gt 140 ]
echo "1..$count"
