#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# mortise tools call: a signal cancels the call instead of terminating its program.
bats_require_minimum_version 1.5.0
load ../wait

setup() {
	export MORTISE_SANDBOX_WRITE=$BATS_TEST_TMPDIR # tools leave files there
	export HOME=$BATS_TEST_TMPDIR/home XDG_STATE_HOME=$BATS_TEST_TMPDIR/state
	export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
	work=$BATS_TEST_TMPDIR/work
	mkdir -p "$work" "$HOME"
	chmod 700 "$work" "$HOME"
	cd "$work"
	cat > waits.c <<-'END'
		#include <fcntl.h>
		#include <mortise/tool.h>
		#include <poll.h>
		#include <string.h>
		#include <unistd.h>
		static void touch(const char *name)
		{
			close(open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
		}
		static int run(const struct mt_tool_host *host, void *self, struct mt_call *call)
		{
			struct pollfd cancel = { .fd = host->cancel_fd(call), .events = POLLIN };
			int deaf = 0;
			(void)self;
			host->arg_bool(call, "deaf", &deaf);
			touch("started");
			while (deaf)
				pause();
			poll(&cancel, 1, -1);
			touch("cancelled");
			return host->fail(call, MT_ECANCELLED, "The wait was cancelled.");
		}
		MT_TOOL(run, "waits", .name = "waits", .description = "Waits.",
			.schema = "{\"type\":\"object\","
				  "\"properties\":{\"deaf\":{\"type\":\"boolean\"}}}")
	END
	${CC:-cc} -std=gnu17 -shared -fPIC -I"$top_srcdir/sdk-headers" -o waits.so waits.c
	chmod 755 waits.so
	call=(mortise tools call -o "core.plugin_path+=$work" -o controller.tools=waits waits)
}

# in_background ARGUMENT...: the command with SIGINT as at a terminal; sets `pid`
in_background() {
	env --default-signal=INT,TERM "${call[@]}" "$@" >output 2>&1 3>&- &
	pid=$!
	until_true test -e started
}

@test "SIGINT and SIGTERM cancel the call, which ends on its own" {
	for signal in INT TERM; do
		rm -f started cancelled
		in_background
		kill -"$signal" "$pid"
		code=0
		wait "$pid" || code=$?
		cat output
		[ "$code" -eq $((128 + $(kill -l "$signal"))) ]
		[ -e cancelled ]
		grep -q '^mortise: ' output
	done
}

@test "a second signal ends a call that does not react" {
	in_background '{"deaf": true}'
	kill -INT "$pid"
	kill -INT "$pid"
	code=0
	wait "$pid" || code=$?
	cat output
	[ "$code" -eq 130 ]
}

@test "arguments come from a file or from standard input, and errors say why" {
	bash=(mortise tools call execute_bash)
	printf '\n{"command": "echo from a file"}\n' >args.json
	run -0 "${bash[@]}" @args.json
	[ "$output" = "from a file" ]
	run -0 "${bash[@]}" - <args.json
	[ "$output" = "from a file" ]
	# more than one argument of a process can have
	{
		printf '{"command": ": '
		head -c 300000 /dev/zero | tr '\0' x
		printf '; echo end"}'
	} >args.json
	run -0 "${bash[@]}" - < <(cat args.json)
	[ "$output" = end ]
	run -2 "${bash[@]}" @missing.json
	[ "$output" = "mortise: cannot open missing.json: No such file or directory" ]
	run -2 "${bash[@]}" - </dev/null
	[ "$output" = "mortise: standard input is empty; it must contain the arguments as a JSON object" ]
	truncate -s 80M large.json
	run -2 "${bash[@]}" @large.json
	[ "$output" = "mortise: large.json: larger than 67108864 bytes" ]
	run -2 "${bash[@]}" - <large.json
	[ "$output" = "mortise: standard input: larger than 67108864 bytes" ]
	echo '{"command": 1' >args.json
	run -2 "${bash[@]}" @args.json
	[[ "$output" == "mortise: Failed to parse tool call arguments: {\"command\": 1 ("*")" ]]
	run -2 "${bash[@]}" 'command=ls'
	[ "$output" = "mortise: the arguments must be a JSON object, @FILE, or - for standard input" ]
}

# ended_by SIGNAL: send SIGNAL, wait for the process; it leaves nothing in TMPDIR
ended_by() {
	kill "-$1" "$pid"
	wait "$pid" || true
	until_true eval 'test -z "$(ls -A "$TMPDIR")"'
	run ls -A "$TMPDIR"
	[ -z "$output" ]
}

# serve_one_call: messages of a client that calls the tool
serve_one_call() {
	printf '{"jsonrpc":"2.0",%s}\n' \
		'"id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}' \
		'"method":"notifications/initialized"' \
		'"id":2,"method":"tools/call","params":{"name":"waits","arguments":{}}' >&7
}

@test "no directory is left behind, whichever signal ends the program" {
	export TMPDIR=$work/tmp
	mkdir "$TMPDIR"
	printf '[it waits]\ncall = waits\nresult = x\n' >waits.cases
	slow="-o mcp.slow.command=$work/slow"
	waits="-o core.plugin_path+=$work -o controller.tools=waits"
	printf '#!/bin/sh\n>"%s/started"\nexec sleep 600\n' "$work" >slow
	chmod 755 slow
	mkfifo in
	exec 7<>in
	for signal in INT TERM HUP; do
		for command in "plugins test $work/waits.so" "mcp test slow $slow" \
			"tools list $slow" "tools call $waits waits" "tools serve $waits"; do
			rm -f started
			env --default-signal=INT,TERM,HUP mortise $command <in >output 2>&1 3>&- 7>&- &
			pid=$!
			[[ $command != *serve* ]] || serve_one_call
			until_true test -e started
			kill "-$signal" "$pid"
			wait "$pid" || true
			for _ in {1..500}; do # the runner ends by itself
				[ -n "$(ls -A "$TMPDIR")" ] || break
				sleep 0.02
			done
			run ls -A "$TMPDIR"
			echo "$command, $signal: $output"
			[ -z "$output" ]
		done
	done
	exec 7>&-
}

# ignores_hangups PID
ignores_hangups() {
	[[ $(sed -n 's/^SigIgn:.*\(.\)$/\1/p' "/proc/$1/status") == [13579bdf] ]]
}

@test "under nohup neither a call nor a server nor a run catches SIGHUP" {
	printf '[turn]\n[call waits]\n' >script
	mkfifo in
	exec 7<>in
	common="-o core.plugin_path+=$work -o controller.tools=waits"
	for command in "tools call $common waits" "run $common -m script:script -t go"; do
		rm -f started
		env --ignore-signal=HUP mortise $command <in >output 2>&1 3>&- 7>&- &
		pid=$!
		until_true test -e started
		ignores_hangups "$pid"
		kill -TERM "$pid"
		wait "$pid" || true
	done
	exec 7>&-
}

@test "tools serve reads its requests from a file, and exits at its end" {
	printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' \
		'{"jsonrpc":"2.0","method":"notifications/initialized"}' \
		'{"jsonrpc":"2.0","id":2,"method":"tools/list"}' >"$BATS_TEST_TMPDIR/requests"
	run mortise tools serve <"$BATS_TEST_TMPDIR/requests"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *'"id":2,"result":{"tools":['* ]]
	run mortise tools serve </dev/null
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}
