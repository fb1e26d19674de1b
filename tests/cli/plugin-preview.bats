#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# plugin-preview.bats - the preview of a call by its tool is part of the approval
# question, and does not change the call that is approved.
bats_require_minimum_version 1.5.0

setup() {
	export MORTISE_CONTROLLER_ON_ASK=stop MORTISE_SANDBOX_WRITE=$BATS_TEST_TMPDIR
	work="$BATS_TEST_TMPDIR"
	export HOME="$work/home" XDG_CACHE_HOME="$work/cache"
	export XDG_CONFIG_HOME="$HOME/config" XDG_STATE_HOME="$HOME/state"
	mkdir -p "$work/plugins" "$work/ws" "$XDG_STATE_HOME"
	chmod 700 "$work/plugins" "$XDG_STATE_HOME"
	export MORTISE_CORE_PLUGIN_PATH="$work/plugins,$MORTISE_CORE_PLUGIN_PATH"
	cat > "$work/script" <<-'END'
		[turn]
		[call send]
		to = bob

		[turn]
		[call finish]
		message = Done.
	END
	run_it=(mortise run -C "$work/ws" --model "script:$work/script"
		-o controller.tools=send,control -o controller.confirmation=always --json -t go)
}

# tool BODY OF ITS PREVIEW
tool() {
	cat > "$work/send.c" <<-END
		#include <mortise/tool.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <unistd.h>
		static int before(const struct mt_tool_host *host, void *self, struct mt_call *call)
		{
			const char *to = host->arg_str(call, "to", NULL);
			(void)self, (void)to;
			$1
		}
		static int run(const struct mt_tool_host *host, void *self, struct mt_call *call)
		{
			FILE *f = fopen("sent", "a");
			(void)self;
			if (f) {
				fprintf(f, "%s\\n", host->arg_str(call, "to", NULL));
				fclose(f);
			}
			return host->reply(call, "Sent.");
		}
		MT_TOOL(run, "send", .name = "send", .description = "Sends.", .preview = before,
			MT_PARAMS(MT_TEXT("to", MT_REQUIRED, "To whom.")))
	END
	${CC:-cc} -std=gnu17 -Wall -Wextra -Werror -shared -fPIC -I"$top_srcdir/sdk-headers" \
		-o "$work/plugins/send.so" "$work/send.c"
	chmod 755 "$work/plugins/send.so"
}

# questions: those of the output
questions() { jq -c 'select(.type == "state" and .waits).waits' <<< "$output"; }
log() { cat "$XDG_STATE_HOME"/mortise/conversations/*/events.jsonl; }

# asked: run until the action waits. The output has the complete question once.
asked() {
	run "${run_it[@]}" "$@" < /dev/null
	questions
	[ "$status" -eq 8 ]
	[ "$(questions | wc -l)" = 1 ]
	[ ! -e "$work/ws/sent" ]
}

# refuse_at_terminal COMMAND...: type n at the question
refuse_at_terminal() {
	python3 - "$@" <<'END'
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
seen, asked = b"", False
while True:
    try:
        piece = os.read(fd, 4096)
    except OSError:
        break
    seen += piece
    if not piece:
        break
    if not asked and b"instructions: " in seen:
        asked = True
        os.write(fd, b"n\n")
os.waitpid(pid, 0)
os.write(1, seen.replace(b"\r", b""))
END
}

@test "the question contains the preview, and the approved call is the one shown" {
	tool 'return host->reply(call, "Sends a letter to %s.", to);'
	asked
	[ "$(questions | jq -r .preview)" = "Sends a letter to bob." ]
	run mortise resume last --json < /dev/null
	questions
	[ "$(questions | jq -r .preview)" = "Sends a letter to bob." ]
	hash=$(questions | jq -r .hash)
	mkfifo "$work/in"
	mortise resume last --json < "$work/in" > "$work/out" 2>&1 &
	exec 8> "$work/in"
	printf '{"type":"confirm","hash":"%s"}\n' "$hash" >&8
	for _ in {1..1500}; do
		[ ! -e "$work/ws/sent" ] || break
		sleep 0.02
	done
	exec 8>&-
	wait $!
	[ "$(cat "$work/ws/sent")" = bob ]
	log | jq -se '[.[] | select(.observation == "tool")] | length == 1' > "$work/seen"
}

@test "a terminal shows it below the arguments" {
	tool 'return host->reply(call, "Two lines\nfor \033 %s", to);'
	asked
	run refuse_at_terminal mortise resume last
	echo "$output"
	[[ "$output" == *'arguments: {"to":"bob"}'*"preview: Two lines"*"    for ‹\\e› bob"*"Run it?"* ]]
}

@test "secrets in a preview are masked, and its length is limited" {
	tool 'for (int i = 0; i < 5000; i++)
			host->reply(call, "0123456789");
		return MT_OK;'
	asked
	questions | jq -e '.preview | length > 32000 and length < 33000 and
		endswith("(the preview is longer than this)")' > "$work/seen"
	tool 'return host->reply(call, "with %s", "s3cret-of-mine");'
	SERVICE_TOKEN=s3cret-of-mine asked -o grant.token.tools=send \
		-o grant.token.env=SERVICE_TOKEN
	[ "$(questions | jq -r .preview)" = "with <secret_hidden>" ]
}

@test "a preview that fails, crashes, asks or is empty does not block the question" {
	tool 'return host->fail(call, MT_EIO, "the directory of %s is closed", to);'
	asked
	[ "$(questions | jq -r .preview)" = "(no preview: the directory of bob is closed)" ]
	tool 'abort();'
	asked
	[[ "$(questions | jq -r .preview)" == "(no preview: "*"signal 6"* ]]
	tool 'struct mt_str answer, params = MT_STR("{\"question\":\"Yes?\"}");
		int r = host->request(call, "user/ask", params, &answer);
		return host->reply(call, "%d %s", r == MT_EDENIED, answer.ptr);'
	asked
	[ "$(questions | jq -r .preview)" = "1 a preview cannot send requests" ]
	tool 'return MT_OK;'
	asked
	[ "$(questions | jq -r .preview)" = null ]
}

@test "a preview that does not return is killed" {
	tool 'while (to)
			pause();
		return MT_OK;'
	asked
	[[ "$(questions | jq -r .preview)" == "(no preview: "*"did not finish within 5000 ms"* ]]
}

@test "without a question no preview is made" {
	tool 'FILE *f = fopen("asked", "w"); return f ? fclose(f) : MT_EIO;'
	run "${run_it[@]}" -o controller.confirmation=never < /dev/null
	[ "$status" -eq 0 ]
	[ "$(cat "$work/ws/sent")" = bob ]
	[ ! -e "$work/ws/asked" ]
}
