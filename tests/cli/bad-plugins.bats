#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bad-plugins.bats - messages to the user about each bad plugin of bad-plugins.table, when
# it is loaded or called; no process of it is left running.
bats_require_minimum_version 1.5.0

setup() {
	work=$BATS_TEST_TMPDIR/work
	dir=$work/plugins
	export HOME=$work/home XDG_STATE_HOME=$work/state XDG_CACHE_HOME=$work/cache
	export XDG_CONFIG_HOME=$work/config
	mkdir -p "$dir" "$HOME" "$XDG_STATE_HOME" "$work/ws"
	chmod 700 "$work" "$dir" "$XDG_STATE_HOME"
	table=$top_srcdir/tests/cli/bad-plugins.table
	[ -s "$table" ]
}

# in_place COMMAND... : in the directory by which `left` finds processes
in_place() { cd "$work/ws" && "$@"; }

# The processes in that directory.
left() {
	for process in /proc/[0-9]*; do
		case $(readlink "$process/cwd" 2>/dev/null) in "$work/ws"*) echo "$process" ;; esac
	done
}

teardown() {
	for _ in {1..600}; do
		[ -n "$(left)" ] || return 0
		sleep 0.05
	done
	for process in $(left); do readlink "$process/exe"; done
	return 1
}

# rows KIND... : the rows of the table of these kinds, fields separated by |
rows() {
	grep -E "^($(IFS='|' && echo "$*")) *\|" "$table" | sed 's/ *| */|/g'
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
	source) echo "$2" ;;
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
	for time in 1 2; do
		run in_place mortise plugins --refused
		echo "$output"
		[ "$status" -eq 0 ]
		[ "${#lines[@]}" -eq 1 ]
		[[ "$output" == "$dir/bad.so: "*"$1"* ]]
	done
	run in_place mortise plugins check "$dir/bad.so"
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 1 ]
	[[ "$output" == "$dir/bad.so: "*"$1"* ]]
}

@test "plugins that cannot be loaded" {
	export MORTISE_CORE_PLUGIN_PATH=$dir
	while IFS='|' read -r kind code sentence; do
		source_of "$kind" "$code" >"$work/bad.c"
		${CC:-cc} -std=gnu17 -w -shared -fPIC -I"$top_srcdir/sdk-headers" \
			-o "$dir/bad.so" "$work/bad.c"
		chmod 755 "$dir/bad.so"
		echo "$kind|$code"
		is_refused "$(as_sanitized "$sentence")"
	done < <(rows descriptor component set tool before constructor params source)
}

@test "files that are not plugins" {
	export MORTISE_CORE_PLUGIN_PATH=$dir
	while IFS='|' read -r kind command sentence; do
		rm -f "$dir/bad.so"
		bare '' '' '' >"$work/good.c"
		${CC:-cc} -std=gnu17 -w -shared -fPIC -I"$top_srcdir/sdk-headers" \
			-o "$work/good.so" "$work/good.c"
		(cd "$work" && eval "$command")
		echo "$command"
		is_refused "$sentence"
		[ ! -p "$dir/bad.so" ] || rm "$dir/bad.so"
	done < <(rows file)
}

@test "tools that misbehave when they are called" {
	export MORTISE_CORE_PLUGIN_PATH=$top_builddir/tests/plugins,$top_builddir/plugins/runtimes
	while IFS='|' read -r kind deed wanted sentence; do
		case $SANITIZE in *address*) continue ;; esac
		rm -f "$work/there"
		limit=60s
		[[ $sentence != *"did not finish"* ]] || limit=1s
		run in_place mortise tools call -o controller.tools=bad -o tool.bad.deadline=$limit do \
			"{\"what\":\"$deed\",\"file\":\"$work/there\",
			\"command\":\"touch $work/there; exec sleep 1000\"}"
		echo "$deed: $status: ${output:0:400}"
		[ "$status" -eq "$wanted" ]
		[[ "$output" == *"$sentence"* ]]
		if [ "$wanted" -ne 0 ]; then
			[ "$(grep -c '^mortise: ' <<<"$output")" -eq 1 ]
		fi
	done < <(rows call)
}

@test "agents, condensers and analyzers that misbehave in a forked copy" {
	export MORTISE_CORE_PLUGIN_PATH=$top_builddir/tests/plugins,$MORTISE_CORE_PLUGIN_PATH
	export HARM_FILE=$work/keep
	touch "$HARM_FILE"
	file=$(realpath "$top_builddir/tests/plugins/harm.so")
	printf '[turn]\n[call execute_bash]\ncommand = true\n[turn]\n[call finish]\nmessage = done\n' \
		>"$work/script"
	while IFS='|' read -r kind deed wanted sentence; do
		option=deed limit=60s
		[[ $sentence != *"did not return"* ]] || limit=300ms
		[[ $deed != check/* ]] || option=check_deed
		[[ $deed != system/* ]] || option=system_deed
		case $kind in agent) use=agent=harm ;; *) use=${kind}s=harm ;; esac
		case $SANITIZE$deed in
		*address*memory) continue ;; # has no limit
		*address*exit) sentence="(" ;; # its leak check aborts
		esac
		rm -rf "$XDG_STATE_HOME/mortise"
		run --separate-stderr in_place mortise run -q -C "$work/ws" -m "script:$work/script" -t go \
			-o "controller.$use" -o "$kind.harm.$option=${deed#*/}" \
			-o "$kind.harm.deadline=$limit" -o controller.confirmation=risky </dev/null
		echo "$kind $deed: $status: $output $stderr"
		[ "$status" -eq "$wanted" ]
		if [ "$wanted" -eq 0 ]; then
			[ "$output" = "$sentence" ]
		else
			[ "$(grep -cF "$file" <<<"$stderr")" -eq 1 ]
			[[ "$stderr" == *"$kind"*"$file"*"$sentence"* ]]
		fi
		if [ "$kind $option $wanted" = "agent deed 1" ]; then
			jq -es 'map(select(.observation == "agent_state_changed")) | last
				| .extras.agent_state == "error"' \
				"$XDG_STATE_HOME"/mortise/conversations/*/events.jsonl
		fi
	done < <(rows agent condenser analyzer)
	[ -e "$HARM_FILE" ]
}

@test "an orphaned process is detected" {
	(cd "$work/ws" && exec sleep 1000) >/dev/null 2>&1 3>&- &
	for _ in {1..600}; do
		[ -z "$(left)" ] || break
		sleep 0.05
	done
	[ -n "$(left)" ]
	kill "$!"
}

@test "the table has at least 140 rows" {
	[ "$(grep -c '^[a-z]* *|' "$table")" -ge 140 ]
}
