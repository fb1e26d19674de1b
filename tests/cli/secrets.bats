#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# secrets.bats - masked and unmasked texts, and the content of /proc and core files.
load ../wait

setup() {
	export MORTISE_CONTROLLER_ON_ASK=stop
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state" "$work/run"
	chmod 700 "$work/state" "$work/run"
	export XDG_STATE_HOME=$work/state XDG_RUNTIME_DIR=$work/run
	run_it=(mortise run -C "$work/ws" --model "script:$work/script"
		-o llm.api_key_env=OUR_KEY)
}

log() { cat "$work"/state/mortise/conversations/*/events.jsonl 2>/dev/null; }
# A conversation survives its terminal.
teardown() {
	mortise kill >"$work/kill" 2>&1 ||
		grep "no conversation is running" "$work/kill"
	[ -z "$open" ] || rm -rf "$open"
}
# without TEXT FILE: none in it; bash does not end a test for `! grep`
without() { if grep -F -e "$1" "$2"; then return 1; fi; }
logged() { log | grep -q "$1"; }
# script KEY: the model writes it into a command, a file, its name and a last word
script() {
	cat >"$work/script" <<END
[turn]
text = I use $1 now.
[call execute_bash]
command = printf %s '$1' >got; printf '%s ' '$1'; printf %s 'ab$1z' | base64 -w 0

[turn]
[call str_replace_editor]
command = create
path = $work/ws/$1.txt
file_text = it is $1

[turn]
[call finish]
message = Done with $1.
END
}

# The system text and the tools of the first event.
offered() { log | head -n 1 | jq -S '.args'; }

# everywhere: all files that a run leaves, and the output of `resume` and `export`
everywhere() {
	mortise resume last --json -t "more of $1" 2>&1 || true
	mortise conversations export last
	mortise conversations show --all last
	cat "$work"/state/mortise/conversations/*/{events.jsonl,meta.json,state.json}
}

# one KEY: run with KEY; `seen` has all text that can be read afterwards
one() {
	rm -rf "$work"/state/* "$work"/ws/*
	script "$1"
	export OUR_KEY=$1
	"${run_it[@]}" -v --json -t "the key is $1" >"$work/seen" 2>&1
	[ "$(cat "$work/ws/got")" = "$1" ] || return 1
	[ "$(cat "$work/ws/$1.txt")" = "it is $1" ] || return 1
	everywhere "$1" >>"$work/seen" 2>&1
	log | jq -r '.tool_call_metadata.function_name // empty' | sort -u >"$work/names"
	[ "$(tr '\n' ' ' <"$work/names")" = "execute_bash finish str_replace_editor " ] || return 1
	offered >"$work/offered"
	cmp "$work/offered" "$work/offered.first"
}

first() {
	script none
	OUR_KEY= "${run_it[@]}" -q -t go
	offered >"$work/offered.first"
}

# The hashes of the actions that wait for approval, in the order of the questions.
hashes() { jq -r 'select(.waits).waits.hash' "$work/out" 2>/dev/null | uniq; }
asked() { [ "$(hashes | wc -l)" -ge "$1" ]; }
approve() { printf '{"type":"confirm","hash":"%s"}\n' "$(hashes | tail -n 1)"; }

@test "keys of 1 to 40 bytes: tools get them, from 8 bytes on nothing else has them" {
	letters=k7Qp2Vx9Lm4Rt8Zb3Nc6Wd1Hs5Jf0GyTuAeIoBvC
	first
	for len in 1 2 3 7 8 9 16 31 40; do
		key=${letters:0:len}
		one "$key"
		if [ "$len" -ge 8 ]; then
			without "$key" "$work/seen"
			without "$(printf %s "ab$key" | base64 -w 0 | cut -c 4-13)" "$work/seen"
			without 'is not masked' "$work/seen"
			grep -q '<secret_hidden>' "$work/seen"
		else
			without '<secret_hidden>' "$work/seen"
			# once in each process
			[ "$(grep -c "OUR_KEY is not masked because it has fewer" "$work/seen")" = 2 ]
		fi
	done
}

@test "dummies and words of the system text: nothing is rewritten" {
	first
	for key in test x dummy none EMPTY not-needed changeme your-api-key sk-xxxxxxxxxxxxxxxx \
		sk-no-key-required lm-studio ollama xxxxxxxxxxxx; do
		one "$key"
		without '<secret_hidden>' "$work/seen"
		[ "$(grep -c "OUR_KEY is not masked because it" "$work/seen")" = 2 ]
	done
	# masked in values, not in tools and the system text
	one execute_bash
	grep -F 'I use <secret_hidden> now' "$work/seen"
}

@test "a call with a secret that waited when its process ended is not made afterwards" {
	cat >"$work/script" <<'END'
[turn]
[call execute_bash]
command = echo hunter2-and-more >got
[call execute_bash]
command = echo hunter2-and-more >got
[call execute_bash]
command = echo harmless >other

[turn]
[call finish]
message = Done.
END
	export OUR_KEY=hunter2-and-more
	"${run_it[@]}" -q -o controller.confirmation=always -t go </dev/null || [ $? -eq 8 ]
	log | grep '"confirmation_state":"awaiting_confirmation"' | grep -q '"secrets_masked":true'
	: >"$work/out"
	{
		until_true asked 1
		approve
		until_true logged 'echo harmless.*awaiting_confirmation'
		until_true asked 2
		approve
		until_true test -e "$work/ws/other"
		until_true logged '"action":"finish"'
	} | mortise resume last --json >"$work/out"
	# the call that waited, and the one after it
	[ "$(log | grep '"observation":"error"' | grep -c 'arguments contained a secret')" -eq 2 ]
	[ ! -e "$work/ws/got" ]
	log >"$work/all"
	without hunter2 "$work/all"
}

@test "approved in the same process, the command runs as the model wrote it" {
	script hunter2-and-more
	export OUR_KEY=hunter2-and-more
	mkfifo "$work/fifo"
	"${run_it[@]}" --json --keep -o controller.confirmation=always -t go <"$work/fifo" \
		>"$work/out" 2>&1 &
	exec 9>"$work/fifo"
	until_true asked 1
	approve >&9
	until_true logged '"observation":"run"'
	exec 9>&-
	wait $! || true
	[ "$(cat "$work/ws/got")" = hunter2-and-more ]
	without hunter2 "$work/out"
}

@test "hooks read masked text" {
	printf '#!/bin/sh\ncat >>%s/hook\n' "$work" >"$work/hook.sh"
	chmod 700 "$work/hook.sh"
	printf '[hook.a]\nevent = before-tool\ncommand = %s\n[hook.b]\nevent = after-tool\ncommand = %s\n' \
		"$work/hook.sh" "$work/hook.sh" >"$work/m.ini"
	chmod 600 "$work/m.ini"
	script hunter2-and-more
	export OUR_KEY=hunter2-and-more
	"${run_it[@]}" -q --config "$work/m.ini" -t go
	grep -q 'secret_hidden' "$work/hook"
	without hunter2 "$work/hook"
	[ "$(cat "$work/ws/got")" = hunter2-and-more ]
}

# ---- /proc and core files ----------------------------------------------------

busy_script() {
	cat >"$work/script" <<'END'
[turn]
[call execute_bash]
command = touch busy; sleep 600
timeout = 600
END
}

# ours: the processes of the conversation that runs in $work/ws
ours() {
	local pid
	echo "$host"
	for pid in /proc/[0-9]*; do
		pid=${pid#/proc/}
		case $(cat "/proc/$pid/comm" 2>/dev/null) in
		mortise-runner | mortise-guard | mortise-worker)
			if mortise_of "$pid"; then echo "$pid"; fi ;;
		esac
	done
}
# Is the process a descendant of the host?
mortise_of() {
	local pid=$1
	while [ "${pid:-0}" -gt 1 ]; do
		[ "$pid" = "$host" ] && return
		pid=$(sed -n 's/^PPid:[^0-9]*//p' "/proc/$pid/status" 2>/dev/null)
	done
	return 1
}

# start [SETPRIV...]: run until the tool is busy; $host is its process
start() {
	busy_script
	export OUR_KEY=hunter2-and-more
	ulimit -c unlimited 2>/dev/null || true
	(cd "$work/ws" && exec "$@" "${run_it[@]}" -o llm.extra_headers="X-Key: hunter3-in-a-header" \
		-t go >"$work/out" 2>&1) 3>&- &
	host=$!
	until_true test -e "$work/ws/busy"
}

no_sanitizer() {
	case $SANITIZE in *address*) skip "builds with AddressSanitizer stay dumpable" ;; esac
}

@test "/proc shows no key of host and runner, not even to root" {
	start
	[ "$(ours | wc -l)" -ge 4 ]
	for pid in $(ours); do
		# readable only by root
		cat "/proc/$pid/environ" "/proc/$pid/cmdline" >"$work/proc" 2>/dev/null || true
		without hunter "$work/proc"
	done
	tr '\0' ' ' <"/proc/$host/cmdline" | grep -q 'llm.extra_headers=\*\*\*'
	kill -TERM "$host"
	wait "$host" || true
}

@test "the environment of a helper program holds the key, its /proc does not" {
	printf '#!/bin/sh\nprintf %%s "$OUR_KEY" >%s/helper\n' "$work" >"$work/mortise-ask-key"
	chmod 700 "$work/mortise-ask-key"
	PATH=$work:$PATH OUR_KEY=hunter2-and-more mortise ask-key
	[ "$(cat "$work/helper")" = hunter2-and-more ]
}

@test "mortise-chat shows no key in /proc, and its child gets it" {
	[ -x "$top_builddir/mortise-chat" ] || skip "mortise-chat is not built"
	busy_script
	mkfifo "$work/fifo"
	OUR_KEY=hunter2-and-more mortise chat --plain -C "$work/ws" -m "script:$work/script" \
		-o llm.api_key_env=OUR_KEY -o llm.extra_headers="X-Key: hunter3-in-a-header" \
		<"$work/fifo" >"$work/out" 2>&1 3>&- &
	host=$!
	exec 9>"$work/fifo"
	echo "go with hunter2-and-more" >&9
	until_true test -e "$work/ws/busy"
	for pid in "$host" $(pgrep -P "$host") $(ours); do
		cat "/proc/$pid/environ" "/proc/$pid/cmdline" >"$work/proc" 2>/dev/null || true
		without hunter "$work/proc"
	done
	[ "$(cat "/proc/$host/comm")" = mortise-chat ]
	logged 'go with <secret_hidden>'
	exec 9>&-
	kill -TERM "$host"
	wait "$host" || true
}

@test "a crash of host or runner leaves no core file" {
	no_sanitizer
	case $(cat /proc/sys/kernel/core_pattern) in core*) ;; *) skip "cores go elsewhere" ;; esac
	(cd "$work" && ulimit -c unlimited && sh -c 'kill -ABRT $$') || true
	[ -n "$(find "$work" -maxdepth 1 -name 'core*')" ] || skip "no core files here"
	start
	for pid in $(ours); do
		grep -q '^Max core file size *0 ' "/proc/$pid/limits"
	done
	# shellcheck disable=SC2046
	kill -ABRT $(ours)
	wait "$host" || true
	until_true eval 'test -z "$(pgrep -f "$work/ws" || true)"'
	[ -z "$(find "$work/ws" "$work/state" -name 'core*')" ]
}

@test "an ordinary user: the run works, its /proc entries are closed, tools are ended" {
	no_sanitizer
	[ "$(id -u)" -eq 0 ] || skip "not root"
	command -v setpriv >/dev/null || skip "setpriv is not installed"
	as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	open=$(mktemp -d)
	mkdir -m 700 "$open/ws" "$open/state" "$open/run"
	chown -R 65534:65534 "$open"
	work=$open XDG_STATE_HOME=$open/state XDG_RUNTIME_DIR=$open/run
	run_it=(mortise run -C "$work/ws" --model "script:$work/script" -o llm.api_key_env=OUR_KEY)
	"${as[@]}" test -x "$work" || skip "temporary directories are closed to an ordinary user"
	"${as[@]}" test -r "$top_builddir/mortise" || skip "the build is closed to an ordinary user"
	export HOME=$work XDG_CONFIG_HOME=$work/c XDG_CACHE_HOME=$work/k XDG_DATA_HOME=$work/d
	start "${as[@]}"
	[ "$(ours | wc -l)" -ge 4 ]
	for pid in $(ours); do
		[ -z "$("${as[@]}" cat "/proc/$pid/environ" 2>/dev/null | tr -d '\0')" ]
		cat "/proc/$pid/environ" "/proc/$pid/cmdline" >"$work/proc"
		without hunter "$work/proc"
	done
	for pid in $(ours); do
		[ "$(cat "/proc/$pid/comm")" != mortise-worker ] ||
			[ "$(cat "/proc/$pid/oom_score_adj")" -ge 300 ]
	done
	"${as[@]}" mortise ps | grep -q running
	all=$(ours)
	kill -KILL "$host"
	for pid in $all; do
		until_true test ! -e "/proc/$pid"
	done
	"${as[@]}" mortise ps >"$work/ps"
	[ "$(cat "$work/ps")" = "No conversation is running." ]
}

@test "a secret in the middle of a long output, which is cut there, is masked" {
	cat >"$work/script" <<'END'
[turn]
[call execute_bash]
command = head -c 14985 /dev/zero | tr '\0' =; printf %s 'hunter2-and-more-of-it-0123456789'; head -c 40000 /dev/zero | tr '\0' =

[turn]
[call finish]
message = Done.
END
	export OUR_KEY=hunter2-and-more-of-it-0123456789
	"${run_it[@]}" -q -o tool.bash.result_style=v0 -t go
	cat "$work"/state/mortise/conversations/*/{events.jsonl,blobs/*} >"$work/all"
	grep -q 'runcated' "$work/all"
	grep -q 'secret_hidden' "$work/all"
	without hunter2 "$work/all"
}

@test "a secret where a long line is cut is masked on both sides, in each line" {
	cat >"$work/script" <<'END'
[turn]
[call execute_bash]
command = for i in 1 2 3; do for n in 985 2000; do head -c $n /dev/zero | tr '\0' =; printf %s 'hunter2-and-more-of-it-0123456789'; done; head -c 985 /dev/zero | tr '\0' =; echo; done

[turn]
[call finish]
message = Done.
END
	export OUR_KEY=hunter2-and-more-of-it-0123456789
	"${run_it[@]}" -q -t go
	cat "$work"/state/mortise/conversations/*/events.jsonl >"$work/all"
	grep -q 'characters omitted' "$work/all"
	grep -q 'secret_hidden' "$work/all"
	without hunter2 "$work/all"
	without 3456789= "$work/all"
}

# A component of each kind, which writes the secret of its section into the log and, if it
# can, into an event.
keeper() {
	mkdir -p "$work/plugins"
	chmod 700 "$work/plugins"
	cat >"$work/keeper.c" <<'END'
#define MORTISE_PROVISIONAL
#include <mortise/agent.h>
#include <mortise/analyzer.h>
#include <mortise/condenser.h>
#include <mortise/tool.h>
#include <stdio.h>
#include <string.h>
static int call(const struct mt_tool_host *h, void *self, struct mt_call *call)
{
	struct mt_instance *i = h->call_instance(call);
	h->log(i, MT_LOG_INFO, "tool logs %s", h->option(i, "pass"));
	h->output(call, h->option(i, "pass"), strlen(h->option(i, "pass")));
	return h->reply(call, "tool: %s %s", h->option(i, "pass"), h->option(i, "key.a"));
}
static int system_text(const struct mt_host *h, struct mt_ctx *x, struct mt_str *ret)
{
	static const struct mt_str text = MT_STR("Be brief.");
	h->log(x, MT_LOG_INFO, "agent logs %s", h->option(x, "pass"));
	*ret = text;
	return MT_OK;
}
static int agent_advance(const struct mt_host *h, const struct mt_agent_out *out,
			 struct mt_ctx *x, const struct mt_in *in)
{
	char text[200];
	if (in->what == MT_REPLIED)
		return h->reply_calls(in->reply) ? out->call(x, 0) : MT_EINVAL;
	struct mt_request *r = h->request(x);
	snprintf(text, sizeof text, "agent says %s", h->option(x, "pass"));
	h->request_history(r);
	h->request_message(r, MT_ROLE_USER, (struct mt_str){ text, strlen(text) });
	h->request_tool(r, NULL);
	return h->send(x, r) > 0 ? MT_OK : MT_EIO;
}
static int condenser_advance(const struct mt_host *h, const struct mt_condenser_out *out,
			     struct mt_ctx *x, const struct mt_in *in)
{
	h->log(x, MT_LOG_INFO, "condenser logs %s", h->option(x, "pass"));
	return MT_OK;
}
static int analyzer_open(const struct mt_host *h, const struct mt_analyzer_out *out,
			 struct mt_ctx *x, void **ret)
{
	h->log(x, MT_LOG_INFO, "analyzer opens with %s", h->option(x, "pass"));
	return MT_OK;
}
static int analyzer_advance(const struct mt_host *h, const struct mt_analyzer_out *out,
			    struct mt_ctx *x, const struct mt_in *in)
{
	const char *pass = h->option(x, "pass");
	return out->verdict(x, MT_RISK_LOW, 0, (struct mt_str){ pass, strlen(pass) },
			    (struct mt_str){ pass, strlen(pass) });
}
static const struct mt_option options[] = {
	{ .size = sizeof options[0], .type = MT_OPTION_TEXT, .name = "pass",
	  .help = "Password.", .flags = MT_OPTION_SECRET },
	{ .size = sizeof options[0], .type = MT_OPTION_LIST, .name = "key.",
	  .help = "Keys.", .flags = MT_OPTION_SECRET | MT_OPTION_PREFIX },
};
static const struct mt_tool tool = { .size = sizeof tool, .name = "keeper",
	.description = "x", .schema = "{\"type\":\"object\"}", .call = call };
static const struct mt_toolset set = { .size = sizeof set, .tool_count = 1, .tools = &tool };
static const struct mt_agent agent = { .size = sizeof agent, .system = system_text,
	.advance = agent_advance };
static const struct mt_condenser condenser = { .size = sizeof condenser,
	.advance = condenser_advance };
static const struct mt_analyzer analyzer = { .size = sizeof analyzer,
	.advance = analyzer_advance, .open = analyzer_open };
#define PART(kind_, KIND, functions_)                                                    \
	{ .size = sizeof(struct mt_component), .kind = MT_KIND_##KIND,                   \
	  .version_major = MT_##KIND##_MAJOR, .version_minor = MT_##KIND##_MINOR,        \
	  .name = "keeper", .options = options, .option_count = 2,                       \
	  .functions = functions_ }
static const struct mt_component parts[] = {
	PART(tool, TOOL, &set), PART(agent, AGENT, &agent),
	PART(condenser, CONDENSER, &condenser), PART(analyzer, ANALYZER, &analyzer),
};
MT_PLUGIN(.name = "keeper", .version = "1", .license = "MIT", .components = parts,
	  .component_count = 4)
END
	${CC:-cc} -std=gnu17 -shared -fPIC -I"$top_srcdir/sdk-headers" \
		-o "$work/plugins/keeper.so" "$work/keeper.c"
	chmod 755 "$work/plugins/keeper.so"
	export MORTISE_CORE_PLUGIN_PATH="$work/plugins,$MORTISE_CORE_PLUGIN_PATH"
	secrets=(-o tool.keeper.pass=tool-s3cret -o tool.keeper.key.a=item-s3cret,other-s3cret
		-o agent.keeper.pass=agent-s3cret -o condenser.keeper.pass=condenser-s3cret
		-o analyzer.keeper.pass=analyzer-s3cret)
}

@test "secret options of plugins of every kind are masked" {
	keeper
	for where in fork inside; do
		printf '[turn]\ntext = it is agent-s3cret\n[call keeper]\n[turn]\n[call finish]\n' >"$work/script"
		run "${run_it[@]}" "${secrets[@]}" --json -o agent.keeper.run=$where \
			-o condenser.keeper.run=$where -o analyzer.keeper.run=$where \
			-o controller.agent=keeper -o controller.tools=keeper,control \
			-o controller.condensers=keeper -o controller.analyzers=keeper \
			-o core.log_level=debug -o core.log_file="$work/log" -t "I know condenser-s3cret."
		echo "$output"
		cat "$work/log"
		[ "$status" -eq 0 ]
		[[ "$output" != *-s3cret* ]]
		grep -q 'agent logs <secret_hidden>' "$work/log"
		grep -q 'condenser logs <secret_hidden>' "$work/log"
		grep -q 'analyzer opens with <secret_hidden>' "$work/log"
		grep -q 'tool logs <secret_hidden>' "$work/log"
		without -s3cret "$work/log"
		log | grep -q 'tool: <secret_hidden> <secret_hidden>, <secret_hidden>'
		run grep -r -e -s3cret "$work/state"
		[ "$status" -eq 1 ]
		rm "$work/log"
	done
}

@test "secret options of a tool are masked without a conversation" {
	keeper
	run mortise tools call -C "$work/ws" "${secrets[@]}" -o controller.tools=keeper \
		keeper '{}'
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *"tool: <secret_hidden> <secret_hidden>, <secret_hidden>"* ]]
	[[ "$output" != *-s3cret* ]]
	printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' \
		'{"jsonrpc":"2.0","method":"notifications/initialized"}' \
		'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"keeper","arguments":{}}}' |
		mortise tools serve -C "$work/ws" "${secrets[@]}" -o controller.tools=keeper \
		>"$work/answers" 2>"$work/errors"
	cat "$work/answers" "$work/errors"
	grep -q 'tool: <secret_hidden> <secret_hidden>, <secret_hidden>' "$work/answers"
	without -s3cret "$work/answers"
	without -s3cret "$work/errors"
}

@test "secret options of a dialect are masked" {
	mkdir -m 700 "$work/plugins"
	cat >"$work/talker.c" <<'END'
#define MORTISE_PROVISIONAL
#include <mortise/dialect.h>
#include <stdio.h>
#include <string.h>
static int encode(const struct mt_dialect_host *h, struct mt_exchange *x,
		  const struct mt_request *r)
{
	h->log(x, MT_LOG_WARNING, "dialect logs %s, of %s", h->option(x, "pass"),
	       h->option(x, "place"));
	return h->local(x, 0);
}
static int feed(const struct mt_dialect_host *h, struct mt_exchange *x, int status,
		const char *type, const char *bytes, size_t len)
{
	char text[200];
	snprintf(text, sizeof text, "{\"message\":\"It is %s.\"}", h->option(x, "pass"));
	return h->tool_call(x, 0, NULL, "finish", text, strlen(text));
}
static int end(const struct mt_dialect_host *h, struct mt_exchange *x, int status)
{
	return h->stopped(x, "tool_calls");
}
static const struct mt_option options[] = {
	{ .size = sizeof options[0], .type = MT_OPTION_TEXT, .name = "pass",
	  .help = "Password.", .flags = MT_OPTION_SECRET },
	{ .size = sizeof options[0], .type = MT_OPTION_TEXT, .name = "place",
	  .help = "Place.", .fallback = "here" },
};
static const struct mt_dialect dialect = { .size = sizeof dialect,
	.providers = "{\"talker\":{\"local\":true}}", .encode = encode, .feed = feed,
	.end = end };
MT_DIALECT(&dialect, "talker", .name = "talker", .options = options, .option_count = 2)
END
	${CC:-cc} -std=gnu17 -shared -fPIC -I"$top_srcdir/sdk-headers" \
		-o "$work/plugins/talker.so" "$work/talker.c"
	chmod 755 "$work/plugins/talker.so"
	export MORTISE_CORE_PLUGIN_PATH="$work/plugins,$MORTISE_CORE_PLUGIN_PATH"
	run mortise run -C "$work/ws" --model talker/any -o dialect.talker.pass=dialect-s3cret -t go
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *"dialect logs <secret_hidden>, of here"* ]]
	[[ "$output" == *"It is <secret_hidden>."* ]]
	[[ "$output" != *dialect-s3cret* ]]
	run grep -r -e dialect-s3cret "$work/state"
	[ "$status" -eq 1 ]
}
