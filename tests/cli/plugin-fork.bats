#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# plugin-fork.bats - agents, condensers and analyzers of third parties run in forked
# copies of the conversation process: they can harm neither it nor its log.

bats_require_minimum_version 1.5.0
load ../wait

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state"
	chmod 700 "$work/state"
	cd "$work/ws"
	export XDG_STATE_HOME=$work/state
	export MORTISE_CORE_PLUGIN_PATH="$top_builddir/tests/plugins,$MORTISE_CORE_PLUGIN_PATH"
	file=$top_builddir/tests/plugins/harm.so
	harm=(mortise run -q -C "$work/ws" -o controller.agent=harm -t go)
}

# No process that a test started is left.
teardown() {
	[ -z "$model" ] || kill "$model"
	[ -z "$(left)" ]
}

# The processes of mortise in the directory of this test.
left() {
	for process in /proc/[0-9]*; do
		case $(readlink "$process/cwd" "$process/exe" 2>/dev/null) in
		"$work/ws"*/mortise*) echo "$process" ;;
		esac
	done
}

log() { cat "$work"/state/mortise/conversations/*/events.jsonl; }

@test "the output of a plugin is not among the events" {
	run "${harm[@]}" --json -o agent.harm.deed=print
	echo "$output"
	[ "$status" -eq 0 ]
	jq -es 'length > 3' <<<"$output"
	[[ "$output" != *"on standard"* ]]
	[[ "$output" == *"print: it worked"* ]]
}

@test "while it is loaded, a plugin reads no other file of its directory" {
	python3 -c 'import ctypes, sys; sys.exit(ctypes.CDLL(None).syscall(444, 0, 0, 1) < 1)' ||
		skip "the kernel lacks Landlock"
	mkdir "$work/plugins" "$work/plugins/data.so"
	cp "$file" "$work/plugins/harm.so"
	export MORTISE_CORE_PLUGIN_PATH="$work/plugins,$MORTISE_CORE_PLUGIN_PATH"
	for secret in secret.ini key.so.txt other.so data.so/secret; do
		echo key >"$work/plugins/$secret"
		export HARM_NEIGHBOR=$secret
		run "${harm[@]}" -o agent.harm.deed=neighbor
		echo "$output"
		[ "$output" = "neighbor: Permission denied" ]
	done
}

@test "a plugin has libraries of its own, in any directory" {
	mkdir "$work/plugins" "$work/far"
	for which in near far; do
		echo "int $which(void) { return 1; }" >"$work/lib.c"
		at=$work/plugins
		[ $which = near ] || at=$work/far
		${CC:-cc} -shared -fPIC -o "$at/lib$which.so" "$work/lib.c"
	done
	cat >"$work/agent.c" <<-'END'
		#define MORTISE_PROVISIONAL
		#include <mortise/agent.h>
		int near(void), far(void);
		static int text(const struct mt_host *h, struct mt_ctx *c, struct mt_str *ret)
		{
			*ret = (struct mt_str)MT_STR("A test.");
			return MT_OK;
		}
		static int advance(const struct mt_host *h, const struct mt_agent_out *out,
			struct mt_ctx *c, const struct mt_in *in)
		{
			return near() + far() == 2 ? out->action(c, "finish",
				(struct mt_str)MT_STR("{\"final_thought\": \"both\"}")) : MT_EIO;
		}
		static const struct mt_agent agent = { .size = sizeof agent,
			.flags = MT_AGENT_NO_MODEL, .system = text, .advance = advance };
		MT_AGENT(&agent, "linked", .name = "linked")
	END
	${CC:-cc} -std=gnu17 -shared -fPIC -I"$top_srcdir/sdk-headers" \
		-o "$work/plugins/linked.so" "$work/agent.c" -L"$work/far" -lfar \
		-L"$work/plugins" -lnear -Wl,-rpath,"$work/far:\$ORIGIN"
	export MORTISE_CORE_PLUGIN_PATH="$work/plugins,$MORTISE_CORE_PLUGIN_PATH"
	for time in 1 2; do # the second time from the cache
		run mortise run -q -C "$work/ws" -o controller.agent=linked -t go
		echo "$output"
		[ "$output" = both ]
	done
	mortise plugins check --json "$work/plugins/linked.so" | jq -r '.libraries[]' >"$work/all"
	grep -Fx "$work/far/libfar.so" "$work/all"
}

@test "the output of a plugin is logged at debug, masked and limited" {
	debug=(-o core.log_level=debug -o core.log_file="$work/log")
	run "${harm[@]}" -o agent.harm.deed=print -o core.log_level=info \
		-o core.log_file="$work/log"
	[ "$output" = "print: it worked" ]
	run -1 grep 'printed:' "$work/log"
	run env OUR_KEY="on standard" mortise run -q -C "$work/ws" -o controller.agent=harm \
		-t go "${debug[@]}" -o llm.api_key_env=OUR_KEY -o agent.harm.deed=print
	echo "$output"
	[ "$output" = "print: it worked" ]
	grep 'debug harm: advance printed: ' "$work/log"
	grep -F '{"words":"<secret_hidden> output"}' "$work/log"
	grep 'words <secret_hidden> error' "$work/log"
	rm "$work/log"
	run "${harm[@]}" "${debug[@]}" -o agent.harm.deed=flood
	[ "$output" = "flood: it worked" ]
	[ "$(wc -c <"$work/log")" -lt 100000 ]
	grep 'advance printed: a line of many .* (cut)' "$work/log"
	rm "$work/log"
	run "${harm[@]}" "${debug[@]}" -o agent.harm.deed=scribble \
		-o agent.harm.deadline=1s
	[ "$status" -eq 6 ]
	grep 'advance printed: garbage' "$work/log"
}

@test "the file of a plugin is loaded in a copy only, which cannot write" {
	export HARM_LOADED=$work/loaded
	run "${harm[@]}"
	echo "$output"
	[ "$output" = "nothing was tried" ]
	[ ! -e "$work/loaded" ]
	rm -rf "$work/state/mortise"
	run "${harm[@]}" -o agent.harm.run=inside
	[ "$output" = "nothing was tried" ]
	[ -e "$work/loaded" ]
	# a resumed conversation runs the plugin in the same place
	rm "$work/loaded"
	mortise resume last -q -t again
	[ -e "$work/loaded" ]
}

@test "a message with an unknown role is refused when it is added" {
	for how in fork inside; do
		run "${harm[@]}" -o agent.harm.run=$how -o agent.harm.odd_role=yes
		[ "$status" -eq 0 ]
		[ "$output" = "role: Invalid argument" ]
	done
}

@test "log messages of a plugin are logged" {
	run --separate-stderr "${harm[@]}" -o core.log_level=info
	[ "$output" = "nothing was tried" ]
	[[ "$stderr" == *" info harm: the deed is done"* ]]
}

@test "long log messages and reasons of a plugin are cut, between characters" {
	mkdir "$work/plugins"
	cat >"$work/wordy.c" <<-'END'
		#define MORTISE_PROVISIONAL
		#include <mortise/agent.h>
		#include <string.h>
		static int begin(const struct mt_host *host, struct mt_ctx *ctx, struct mt_str *ret_text)
		{
			*ret_text = (struct mt_str)MT_STR("Wordy.");
			return MT_OK;
		}
		static int advance(const struct mt_host *host, const struct mt_agent_out *out,
				   struct mt_ctx *ctx, const struct mt_in *in)
		{
			static char text[6001];
			memset(text, 'x', 6000);
			memcpy(text + 510, "\xc3\xa9", 2);
			memcpy(text + 4094, "\xc3\xa9", 2);
			host->log(ctx, MT_LOG_WARNING, "%s", text);
			host->refuse(ctx, "%s", text);
			return MT_EINVAL;
		}
		static const struct mt_agent agent = { .size = sizeof agent,
			.flags = MT_AGENT_NO_MODEL, .system = begin, .advance = advance };
		MT_AGENT(&agent, "wordy", .name = "wordy")
	END
	${CC:-cc} -std=gnu17 -shared -fPIC -I"$top_srcdir/sdk-headers" \
		-o "$work/plugins/wordy.so" "$work/wordy.c"
	chmod 755 "$work/plugins/wordy.so"
	export MORTISE_CORE_PLUGIN_PATH="$work/plugins,$MORTISE_CORE_PLUGIN_PATH"
	for how in inside fork; do
		run mortise run -q -C "$work/ws" -o controller.agent=wordy \
			-o agent.wordy.run=$how -t go
		[ "$status" -eq 6 ]
		grep -qE " warning wordy: x{510}éx{3582} " <<<"$output"
		grep -qE "agent wordy: x{300}" <<<"$output"
	done
}

@test "texts with a length: the log and the reason of agents and analyzers" {
	mkdir "$work/plugins"
	cat >"$work/given.c" <<-'END'
		#define MORTISE_PROVISIONAL
		#include <mortise/agent.h>
		#include <mortise/analyzer.h>
		static const struct mt_str logged = { "loggedxx", 6 }, failed = { "failedxx", 6 };
		static int begin(const struct mt_host *host, struct mt_ctx *ctx, struct mt_str *ret_text)
		{
			*ret_text = (struct mt_str)MT_STR("Given.");
			return MT_OK;
		}
		static int advance(const struct mt_host *host, const struct mt_agent_out *out,
				   struct mt_ctx *ctx, const struct mt_in *in)
		{
			host->log_text(ctx, MT_LOG_WARNING, (struct mt_str){ NULL, 0 });
			host->log_text(ctx, MT_LOG_WARNING, logged);
			host->refuse_text(ctx, (struct mt_str){ NULL, 0 });
			host->refuse_text(ctx, failed);
			return MT_EINVAL;
		}
		static int open_(const struct mt_host *host, const struct mt_analyzer_out *out,
				 struct mt_ctx *ctx, void **ret_instance)
		{
			return out->refuse_text(ctx, failed);
		}
		static int analyze(const struct mt_host *host, const struct mt_analyzer_out *out,
				   struct mt_ctx *ctx, const struct mt_in *in)
		{
			return MT_OK;
		}
		static const struct mt_agent agent = { .size = sizeof agent,
			.flags = MT_AGENT_NO_MODEL, .system = begin, .advance = advance };
		static const struct mt_analyzer analyzer = { .size = sizeof analyzer,
			.open = open_, .advance = analyze };
		static const struct mt_component parts[] = {
			{ .size = sizeof *parts, .kind = MT_KIND_AGENT, .name = "given",
			  .version_minor = MT_AGENT_MINOR, .functions = &agent },
			{ .size = sizeof *parts, .kind = MT_KIND_ANALYZER, .name = "given",
			  .version_minor = MT_ANALYZER_MINOR, .functions = &analyzer } };
		MT_PLUGIN(.name = "given", .version = "1", .license = "MIT",
			  .components = parts, .component_count = 2)
	END
	${CC:-cc} -std=gnu17 -shared -fPIC -I"$top_srcdir/sdk-headers" \
		-o "$work/plugins/given.so" "$work/given.c"
	chmod 755 "$work/plugins/given.so"
	export MORTISE_CORE_PLUGIN_PATH="$work/plugins,$MORTISE_CORE_PLUGIN_PATH"
	for how in inside fork; do
		run mortise run -q -C "$work/ws" -o controller.agent=given \
			-o agent.given.run=$how -t go
		[ "$status" -eq 6 ]
		grep -q " warning given: logged " <<<"$output"
		grep -q "agent given: failed (" <<<"$output"
		run mortise policy show -C "$work/ws" -o controller.analyzers=given \
			-o analyzer.given.run=$how
		[ "$status" -ne 0 ]
		[ "$output" = "mortise: [analyzer.given] failed" ]
	done
}

@test "SIGINT and SIGTERM end a plugin that does not return" {
	for deed in sleep spin; do
		for signal in INT TERM; do
			rm -rf "$work/state/mortise"
			: >"$work/out"
			env --default-signal=INT "${harm[@]}" --json -o agent.harm.deed=$deed \
				-o agent.harm.deadline=60s >"$work/out" 2>&1 &
			pid=$!
			until_true pgrep -x -P $pid "asleep|spinning"
			SECONDS=0
			kill -$signal $pid
			wait $pid || status=$?
			cat "$work/out"
			[ "$SECONDS" -lt 10 ]
			[ "$status" -ne 0 ]
			log | jq -es 'map(select(.observation == "agent_state_changed"))
				| last | .extras.agent_state == "paused"'
		done
	done
}

@test "a copy that is killed, and a host that is" {
	"${harm[@]}" -o agent.harm.deed=sleep -o agent.harm.deadline=60s >"$work/out" 2>&1 &
	pid=$!
	until_true pgrep -x -P $pid asleep
	kill -9 $(pgrep -x -P $pid asleep)
	wait $pid || status=$?
	cat "$work/out"
	[ "$status" -eq 6 ]
	grep -F "harm.so was killed in advance (SIGKILL)" "$work/out"
	rm -rf "$work/state/mortise"
	"${harm[@]}" -o agent.harm.deed=sleep -o agent.harm.deadline=60s >"$work/out" 2>&1 &
	pid=$!
	until_true pgrep -x -P $pid asleep
	copy=$(pgrep -x -P $pid asleep)
	# /proc shows protected processes to root alone
	[ "$(id -u)" != 0 ] || [ "$(left | wc -l)" -eq 2 ]
	kill -9 $pid
	wait $pid || true
	until_true test ! -e "/proc/$copy"
}

# converse SCRIPT [OPTION...]: an agent that queries a model, executes its calls, and logs
# its processes
converse() {
	script=$1
	shift
	mortise run -q -C "$work/ws" -o controller.agent=asker \
		-o core.log_level=debug -o core.log_file="$work/log" --model "script:$script" \
		-t go "$@"
}

# What the agent logged of its calls: "start PID CALLS PLACES STATE" and the same of replies.
calls() {
	sed -n 's/.* info asker: \(start\|replied\) in \([0-9]*\), call \([0-9]*\), \([0-9]*\) places, state "\(.*\)" .*/\1 \2 \3 \4 \5/p' \
		"$work/log"
}

@test "an agent keeps its copy, which gets the events and the reply of each call" {
	printf '%s\n' '[turn]' '[call think]' 'thought = one' '' '[turn]' '[call think]' \
		'thought = two' '' '[turn]' '[call finish]' 'message = All is well.' \
		>"$work/script"
	run converse "$work/script"
	echo "$output"
	cat "$work/log"
	[ "$output" = "All is well." ]
	calls | awk '$3 != NR { exit 1 }
		$1 == "start" && $4 < 2 * ++n { exit 1 }
		$1 == "replied" && ($4 != 0 || $6 != $2) { exit 1 }'
	[ "$(calls | cut -d' ' -f1 | paste -sd' ')" = \
		"start replied start replied start replied" ]
	[ "$(calls | cut -d' ' -f2 | sort -u | wc -l)" -eq 1 ]
	[ "$(grep -c 'advance printed: printed at the start ' "$work/log")" -eq 3 ]
	[ "$(grep -c 'advance printed: printed after the reply ' "$work/log")" -eq 3 ]
}

@test "a copy makes 100 calls, whether or not the agent looks at the events" {
	for i in {1..70}; do
		printf '%s\n' '[turn]' '[call think]' "thought = number $i" ''
	done >"$work/script"
	printf '%s\n' '[turn]' '[call finish]' 'message = All is well.' >>"$work/script"
	for look in -o "-o agent.asker.blind=yes -o"; do
		rm -rf "$work/state/mortise" "$work/log"
		run converse "$work/script" $look controller.stuck_detection=no
		[ "$output" = "All is well." ]
		[ "$(calls | wc -l)" -eq 142 ]
		calls | awk -v look="$look" '$3 == 100 { full++ }
			$1 == "start" && $4 < (look == "-o" ? 2 * ++n : 0) { bad++ }
			$1 == "start" && NR > 1 && $6 == "" { bad++ }
			{ copies[$2] } END { exit bad || full != 1 || length(copies) != 2 }'
	done
}

# think N: a script of N steps and an end
think() {
	for ((i = 1; i <= $1; i++)); do
		printf '%s\n' '[turn]' '[call think]' "thought = number $i" ''
	done
	printf '%s\n' '[turn]' '[call finish]' 'message = All is well.'
}

@test "a copy that breaks after some calls is replaced, with a warning" {
	think 20 >"$work/script"
	while IFS='|' read -r deed words; do
		# the leak check at the exit aborts
		[[ $deed != exit || $SANITIZE != *address* ]] || words="crashed in advance (SIG"
		rm -rf "$work/state/mortise" "$work/log"
		run converse "$work/script" -o controller.stuck_detection=no \
			-o agent.asker.worn=11 -o agent.asker.worn_deed=$deed
		echo "$output"
		[ "$output" = "All is well." ]
		[ "$(grep -cF "warning asker: $(realpath "$file") $words" "$work/log")" -eq 4 ]
		grep -F ', in call 11 of its copy; calling it again in a new copy' "$work/log"
		# each call that broke is made again, with the same events
		calls | awk '$3 == 11 { broken = $1 $4; next }
			broken && (broken != $1 $4 || $3 != 1) { bad++ }
			{ broken = "" } END { exit bad || NR != 46 }'
		log | jq -es 'map(select(.record == "llm_reply")) | length == 21'
	done <<-'end'
		exit|exited in advance (code 0)
		crash|crashed in advance (SIGSEGV)
	end
}

@test "a plugin that breaks in its first call fails, and so does one that is too slow" {
	think 3 >"$work/script"
	run converse "$work/script" -o agent.asker.worn=1 -o agent.asker.worn_deed=crash
	[ "$status" -eq 6 ]
	[ "$(calls | wc -l)" -eq 1 ]
	rm -rf "$work/state/mortise" "$work/log"
	run converse "$work/script" -o agent.asker.worn=3 -o agent.asker.worn_deed=spin \
		-o agent.asker.deadline=1s
	echo "$output"
	[ "$status" -eq 6 ]
	[[ "$output" == *"did not return from advance within 1 s"* ]]
	[ "$(calls | wc -l)" -eq 3 ]
}

@test "a plugin that leaks gets a new copy when it has no memory left" {
	think 40 >"$work/script"
	run converse "$work/script" -o controller.stuck_detection=no -o agent.asker.leak=yes
	echo "$output"
	[ "$output" = "All is well." ]
	[[ $SANITIZE != *address* ]] || return 0 # has no limit
	grep -F "warning asker: $(realpath "$file") is out of memory in advance, in call" \
		"$work/log"
	[ "$(calls | cut -d' ' -f2 | sort -u | wc -l)" -gt 3 ]
}

@test "a copy that is killed between two steps is replaced, and a resume starts another" {
	{
		printf '%s\n' '[turn]' '[call execute_bash]'
		echo "command = kill -9 \$(sed -n 's/.* replied in \([0-9]*\),.*/\1/p' $work/log)"
		printf '%s\n' '' '[turn]' '[call finish]' 'message = All is well.' '' \
			'[turn]' '[call finish]' 'message = Again.'
	} >"$work/script"
	# in the sandbox, the command could not kill it
	export MORTISE_SANDBOX_MODE=off MORTISE_CONTROLLER_CONFIRMATION=never
	run converse "$work/script"
	echo "$output"
	[ "$output" = "All is well." ]
	run mortise resume last -q -t again -o core.log_level=info -o core.log_file="$work/log"
	echo "$output"
	[ "$output" = "Again." ]
	calls
	[ "$(calls | cut -d' ' -f1,3 | paste -sd' ')" = \
		"start 1 replied 2 start 1 replied 2 start 1 replied 2" ]
	[ "$(calls | cut -d' ' -f2 | sort -u | wc -l)" -eq 3 ]
	# the next copy has the state that one copy kept
	calls | awk '$1 == "start" && NR > 1 && $6 != pid { exit 1 } { pid = $2 }'
}

@test "a plugin that fails when it reads the reply" {
	printf '%s\n' '[turn]' '[call finish]' 'message = All is well.' >"$work/script"
	while IFS='|' read -r deed deadline words; do
		# the leak check at the exit aborts
		[[ $deed != exit || $SANITIZE != *address* ]] || words="crashed in advance (SIG"
		rm -rf "$work/state/mortise"
		run converse "$work/script" -o agent.asker.reply_deed=$deed \
			-o agent.asker.deadline=$deadline
		echo "$output"
		[ "$status" -eq 6 ]
		[[ "$output" == *"$(realpath "$file") $words"* ]]
		log | jq -es 'map(select(.record == "llm_reply")) | length == 1'
	done <<-'end'
		exit|10s|exited in advance (code 0)
		crash|10s|crashed in advance (SIG
		spin|1s|did not return from advance within 1 s
		scribble|10s|made an invalid request in advance
	end
}

# A model that answers when there is a file `answer`: with a call of finish.
answer_when_asked() {
	python3 - "$work" 3>&- <<'end' &
import http.server, json, os, sys, time
class Model(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        open(sys.argv[1] + "/asked", "w").close()
        while not os.path.exists(sys.argv[1] + "/answer"):
            time.sleep(0.01)
        call = {"id": "1", "type": "function", "function": {
            "name": "finish", "arguments": json.dumps({"message": "All is well."})}}
        body = json.dumps({"id": "r1", "choices": [{"finish_reason": "tool_calls", "message": {
            "role": "assistant", "content": None, "tool_calls": [call]}}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *args):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Model)
with open(sys.argv[1] + "/port.new", "w") as f:
    f.write(str(server.server_port))
os.rename(sys.argv[1] + "/port.new", sys.argv[1] + "/port")
server.serve_forever()
end
	model=$!
	until_true test -e "$work/port"
}

# The process has exited, whether or not its parent has read its status.
dead() {
	[ ! -e "/proc/$1" ] || grep -q '^State:.Z' "/proc/$1/status"
}

@test "a copy that ends while it waits for the reply is replaced" {
	answer_when_asked
	mortise run -q -C "$work/ws" -o controller.agent=asker \
		-o core.log_level=info -o core.log_file="$work/log" --model mock \
		-o llm.base_url="http://127.0.0.1:$(cat "$work/port")/v1" -o llm.stream=no \
		-t go >"$work/out" 2>&1 3>&- &
	pid=$!
	until_true test -e "$work/asked"
	copy=$(calls | cut -d' ' -f2)
	kill -9 "$copy"
	until_true dead "$copy"
	touch "$work/answer"
	wait $pid || status=$?
	cat "$work/out" "$work/log"
	[ "${status:-0}" -eq 0 ]
	[ "$(cat "$work/out")" = "All is well." ]
	[ "$(calls | cut -d' ' -f1,3 | paste -sd' ')" = "start 1 replied 1" ]
	[ "$(calls | tail -1 | cut -d' ' -f2)" != "$copy" ]
}

@test "a copy that dies after it was handed the reply is replaced" {
	answer_when_asked
	XDG_STATE_HOME=$work/state mortise run -q -C "$work/ws" -o controller.agent=asker \
		-o core.log_level=info -o core.log_file="$work/log" --model mock \
		-o llm.base_url="http://127.0.0.1:$(cat "$work/port")/v1" -o llm.stream=no \
		-t go >"$work/out" 2>&1 3>&- &
	pid=$!
	until_true test -e "$work/asked"
	copy=$(calls | cut -d' ' -f2)
	kill -STOP "$copy"
	touch "$work/answer"
	# logged just before the copy gets it
	until_true grep -qr '"record":"llm_reply"' "$work/state/mortise/conversations"
	kill -9 "$copy"
	wait $pid || status=$?
	cat "$work/out" "$work/log"
	[ "${status:-0}" -eq 0 ]
	[ "$(cat "$work/out")" = "All is well." ]
	[ "$(calls | tail -1 | cut -d' ' -f2)" != "$copy" ]
}

@test "a request that is cancelled leaves no copy that waits" {
	answer_when_asked
	mkfifo "$work/commands"
	mortise run -C "$work/ws" -o controller.agent=asker --json --keep-alive \
		-o core.log_level=info -o core.log_file="$work/log" --model mock \
		-o llm.base_url="http://127.0.0.1:$(cat "$work/port")/v1" -o llm.stream=no \
		-t go <"$work/commands" >"$work/out" 2>&1 3>&- &
	pid=$!
	exec 4>"$work/commands"
	until_true test -e "$work/asked"
	copy=$(calls | cut -d' ' -f2)
	[ -d "/proc/$copy" ]
	echo '{"type":"pause","id":"1"}' >&4
	until_true test ! -e "/proc/$copy"
	until_true grep -q '"state":"paused"' "$work/out"
	cat "$work/out"
	touch "$work/answer"
	echo '{"type":"resume","id":"2"}' >&4
	until_true grep -q '"final_thought":"All is well."' "$work/out"
	exec 4>&-
	wait $pid
	[ "$(calls | cut -d' ' -f1 | paste -sd' ')" = "start start replied" ]
}

@test "a condenser that fails: its check and its advance" {
	printf '[turn]\n[call finish]\nmessage = done\n' >"$work/script"
	one=(mortise run -q -C "$work/ws" --model "script:$work/script" -t go
		-o controller.condensers=harm)
	run "${one[@]}"
	[ "$output" = done ]
	run "${one[@]}" -o condenser.harm.check_deed=crash
	echo "$output"
	[ "$status" -ne 0 ]
	[[ "$output" == *"[condenser.harm]: $(realpath "$file") crashed in check (SIGSEGV)"* ]]
	run "${one[@]}" -o condenser.harm.refuse=this
	[[ "$output" == *"[condenser.harm]: this does not suit it"* ]]
	run "${one[@]}" -o condenser.harm.deed=exit
	echo "$output"
	[ "$status" -eq 6 ]
	[[ "$output" == *"condenser harm: $(realpath "$file") "*" in advance ("* ]]
}

@test "an analyzer that fails counts as UNKNOWN" {
	printf '%s\n' '[turn]' '[call execute_bash]' 'command = touch one' '[turn]' \
		'[call finish]' 'message = done' >"$work/script"
	one=(mortise run -q -C "$work/ws" --model "script:$work/script" -t go
		-o controller.analyzers=harm -o controller.on_ask=stop -o sandbox.mode=off)
	run "${one[@]}" </dev/null
	echo "$output"
	[ "$output" = done ]
	[ -e "$work/ws/one" ]
	rm "$work/ws/one"
	for deed in exit crash; do
		run "${one[@]}" -o analyzer.harm.deed=$deed </dev/null
		echo "$output"
		[ "$status" -eq 8 ]
		[[ "$output" == *"awaiting_user_confirmation: risk UNKNOWN"* ]]
		[[ "$output" == *"analyzer harm failed: $(realpath "$file") "*" in advance ("* ]]
		[ ! -e "$work/ws/one" ]
	done
}

@test "an analyzer that cannot list its rules is named" {
	for deed in crash odd_status; do
		run mortise policy show -C "$work/ws" -o controller.analyzers=harm \
			-o analyzer.harm.rules_deed=$deed
		[ "$status" -ne 0 ]
		[ "${#lines[@]}" -eq 1 ]
		[[ "$output" == *"analyzer harm: $file "*" rules"* ]]
	done
}

@test "an analyzer has no conversation: requests, prompts and states are refused" {
	printf '%s\n' '[turn]' '[call execute_bash]' 'command = touch one' '[turn]' \
		'[call finish]' 'message = done' >"$work/script"
	for run in fork inside; do
		rm -f "$work/ws/one"
		run mortise run -q -C "$work/ws" --model "script:$work/script" -t go \
			-o controller.analyzers=harm -o controller.confirmation=risky \
			-o analyzer.harm.read=yes -o analyzer.harm.run=$run </dev/null
		echo "$output"
		[ "$status" -eq 0 ]
		[ "$output" = done ]
		[ -e "$work/ws/one" ]
	done
}

@test "a project cannot choose where a plugin runs, nor can dialects" {
	mkdir "$work/ws/.mortise"
	for kind in agent condenser; do
		printf '[%s.harm]\nrun = inside\n' $kind >"$work/ws/.mortise/mortise.ini"
		run mortise config trust "$work/ws"
		[ "$status" -ne 0 ]
		[[ "$output" == *"a project cannot set \`run\` of [$kind.harm]"* ]]
	done
	rm -r "$work/ws/.mortise"
	run "${harm[@]}" -o runtime.local.run=fork
	[ "$status" -ne 0 ]
	[[ "$output" == *"run"* ]]
}

# The events of a run without times and ids.
events() {
	log | jq -cS 'del(.timestamp, .crc, .id, .response_id, .worked)
		| del(.. | .llm_response_id?, .pid?, .conversation?, .openhands_version?,
		.usage?, .created?, .first_token_ms?, .ms?)' |
		sed "s,$work/[a-z]*,WORK,g; s,WORK/mortise/conversations/[^]]*],SPOOL],g"
}

@test "built-in agents, condensers and analyzers behave the same in a copy" {
	{
		for i in 1 2 3 4 5 6; do
			printf '%s\n' '[turn]' "text = step $i" '[call execute_bash]' \
				"command = echo $i; seq 9000 | head -c 40000" \
				'security_risk = LOW' ''
		done
		printf '%s\n' '[turn]' '[call think]' 'thought = hm' '[call no_such_tool]' \
			'x = 1' '' '[turn]' '[call finish]' 'message = All is well.'
	} >"$work/script"
	for how in inside fork; do
		rm -rf "$work/state/mortise" "$work"/ws/*
		run mortise run -q -C "$work/ws" --model "script:$work/script" -t go \
			-o controller.condensers="observation_masking, amortized, recent" \
			-o condenser.observation_masking.attention_window=2 \
			-o condenser.amortized.max_size=12 -o condenser.amortized.keep_first=1 \
			-o condenser.recent.max_events=20 -o controller.confirmation=risky \
			-o agent.codeact.run=$how -o condenser.amortized.run=$how \
			-o condenser.recent.run=$how \
			-o condenser.observation_masking.run=$how \
			-o analyzer.llm.run=$how -o analyzer.policy.run=$how \
			-o tool.bash.result_style=v0 # without times and paths
		echo "$output"
		[ "$status" -eq 0 ]
		[ "$output" = "All is well." ]
		events >"$work/$how"
	done
	grep -q condensation "$work/fork"
	diff <(grep -v '"record"' "$work/inside") <(grep -v '"record"' "$work/fork")
}

@test "a condenser that queries its model, and one that keeps a state" {
	{
		for i in 1 2 3 4 5 6; do
			printf '%s\n' '[turn]' '[call execute_bash]' "command = echo $i" ''
		done
		printf '%s\n' '[turn]' '[call finish]' 'message = All is well.'
	} >"$work/script"
	for i in 1 2 3 4 5 6; do printf '[turn]\ntext = A SUMMARY\n\n'; done \
		>"$work/summaries"
	for how in inside fork; do
		rm -rf "$work/state/mortise"
		run mortise run -q -C "$work/ws" --model "script:$work/script" -t go \
			-o controller.condensers=llm -o condenser.llm.max_size=10 \
			-o condenser.llm.keep_first=1 -o condenser.llm.llm=s \
			-o llm.s.model="script:$work/summaries" -o condenser.llm.run=$how
		echo "$output"
		[ "$output" = "All is well." ]
		events >"$work/$how"
	done
	grep -q 'A SUMMARY' "$work/fork"
	diff <(grep -v '"record"' "$work/inside") <(grep -v '"record"' "$work/fork")
}

@test "a copy reads events and texts that are stored in files only" {
	for i in {1..90}; do
		printf '%s\n' '[turn]' '[call execute_bash]' \
			"command = echo $i; head -c 29000 /dev/zero | tr '\\0' x" ''
	done >"$work/script"
	printf '%s\n' '[turn]' '[call finish]' 'message = All is well.' >>"$work/script"
	for how in inside fork; do
		rm -rf "$work/state/mortise"
		run --separate-stderr mortise run -q -C "$work/ws" \
			--model "script:$work/script" -t go -o core.log_level=info \
			-o controller.max_iterations=200 -o controller.stuck_detection=no \
			-o controller.condensers=harm -o condenser.harm.read=yes \
			-o condenser.harm.run=$how -o tool.bash.result_style=v0
		[ "$output" = "All is well." ]
		grep -o 'info harm: .* places, .* bytes' <<<"$stderr" >"$work/$how"
	done
	[ "$(wc -l <"$work/fork")" -ge 90 ]
	tail -1 "$work/fork"
	diff "$work/inside" "$work/fork"
	[ "$(tail -1 "$work/fork" | cut -d' ' -f5)" -gt 2600000 ]
}

# The texts that the agent and the condenser have read, without processes.
seen() {
	sed -n 's/.* info asker: \([a-z]*\) in [0-9]*, call [0-9]*, \(.* places\), .*/\1 \2/p
		s/.* info \(harm: .* bytes\)/\1/p' "$work/log"
}

@test "an agent, a condenser and an analyzer with copies of their own" {
	for i in {1..12}; do
		printf '%s\n' '[turn]' '[call execute_bash]' "command = echo $i" \
			'security_risk = LOW' ''
	done >"$work/script"
	printf '%s\n' '[turn]' '[call finish]' 'message = All is well.' >>"$work/script"
	for how in inside fork; do
		rm -rf "$work/state/mortise" "$work/log"
		run converse "$work/script" -o controller.condensers=harm \
			-o controller.analyzers=harm -o controller.confirmation=risky \
			-o condenser.harm.read=yes -o analyzer.harm.read=yes \
			-o agent.asker.run=$how -o condenser.harm.run=$how \
			-o analyzer.harm.run=$how -o tool.bash.result_style=v0 \
			-o controller.stuck_detection=no
		echo "$output"
		grep -qx "All is well." <<<"$output"
		seen >"$work/$how"
	done
	[ "$(wc -l <"$work/fork")" -eq 39 ]
	[ "$(calls | cut -d' ' -f2 | sort -u | wc -l)" -eq 1 ]
	diff "$work/inside" "$work/fork"
}

@test "a copy that waits sees reverted events and those of another delegation" {
	cat >"$work/m.ini" <<-END
		[controller]
		agent = asker
		tools = think, finish, delegate
		delegates = other
		condensers = harm
		[controller.other]
		base = default
		agent = asker
		condensers = harm
		tools = think, finish
		delegates =
		[condenser.harm]
		read = yes
	END
	delegate=$(printf '%s\n' '[turn]' '[call delegate]' 'agent = other' 'task = a task')
	think=$(printf '%s\n' '[turn]' '[call think]' 'thought = a' '[turn]' '[call finish]' \
		'message = ok')
	printf '%s\n\n' "$delegate" "$think" "$delegate" "$think" "$think" "$think" \
		>"$work/script"
	for how in inside fork; do
		rm -rf "$work/state/mortise" "$work/log"
		run python3 "$top_srcdir/tests/controller/talk.py" message:go wait:finished \
			undo message:"once more" wait:finished stop -- \
			mortise run -C "$work/ws" --config "$work/m.ini" --json --keep \
			--model "script:$work/script" -o core.log_level=info \
			-o core.log_file="$work/log" -o agent.asker.run=$how \
			-o condenser.harm.run=$how -o controller.stuck_detection=no
		echo "$output"
		[ "$status" -eq 0 ]
		[[ "$output" == *'{"type":"rewind","to":'* ]]
		seen >"$work/$how"
	done
	cat "$work/fork"
	[ "$(wc -l <"$work/fork")" -gt 20 ]
	diff "$work/inside" "$work/fork"
}

@test "plugins info says where a component runs, and why" {
	while IFS='|' read -r name option place why; do
		run mortise plugins info $name ${option:+-o $option}
		echo "$output"
		[ "$status" -eq 0 ]
		grep -qxF "  runs in $place: $why" <<<"$output"
		run mortise plugins info $name ${option:+-o $option} --json
		echo "$output"
		jq -e --arg place "$place" --arg why "$why" \
			'.[0] | .runs_in == $place and .why == $why' <<<"$output"
	done <<-'END'
	tool/bash||a worker process|all tools do
	agent/codeact||the conversation process|it is part of Mortise
	agent/codeact|agent.codeact.run=fork|forked copies of the conversation process|`run` of [agent.codeact] is set (-o)
	agent/harm||forked copies of the conversation process|it is not part of Mortise
	condenser/harm||forked copies of the conversation process|it is not part of Mortise
	analyzer/harm|analyzer.harm.run=inside|the conversation process|`run` of [analyzer.harm] is set (-o)
	dialect/openai||the conversation process|it is called for each piece of a response
	runtime/local||the conversation process|it does input and output
	END
}
