#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# signals.bats - a command killed by a signal leaves no temporary file, and no message unstored.
bats_require_minimum_version 1.5.0
load ../wait

setup() {
	export MORTISE_SANDBOX_WRITE=$BATS_TEST_TMPDIR # commands leave files there
	case $SANITIZE in *address*) skip "the sanitizer wants to be loaded first" ;; esac
	export HOME=$BATS_TEST_TMPDIR/home XDG_STATE_HOME=$BATS_TEST_TMPDIR/state
	export XDG_DATA_HOME=$BATS_TEST_TMPDIR/data XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
	export TMPDIR=$BATS_TEST_TMPDIR/tmp
	work=$BATS_TEST_TMPDIR/work
	mkdir -p "$work/ws" "$work/out" "$HOME" "$TMPDIR"
	chmod 700 "$work" "$HOME"
	cd "$work"
	# rename(2) to $HELD waits: it creates `held`, and reads a byte from the pipe `on`.
	cat >hold.c <<-'END'
		#define _GNU_SOURCE
		#include <fcntl.h>
		#include <stdlib.h>
		#include <string.h>
		#include <sys/syscall.h>
		#include <unistd.h>
		int rename(const char *from, const char *to)
		{
			const char *held = getenv("HELD");
			char byte;
			int on;

			if (held && strcmp(to, held) == 0) {
				on = open(getenv("ON"), O_RDWR | O_CLOEXEC);
				close(open(getenv("STARTED"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
				while (read(on, &byte, 1) < 0)
					;
				close(on);
			}
			return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
		}
	END
	${CC:-cc} -std=gnu17 -shared -fPIC -o hold.so hold.c
	export STARTED=$work/started ON=$work/on
}

# ended_by SIGNAL HELD COMMAND...: send it while the command waits; `code`
ended_by() {
	rm -f started on
	mkfifo on
	exec 7<>on
	env --default-signal=INT,TERM,HUP LD_PRELOAD="$work/hold.so" HELD="$2" "${@:3}" \
		>output 2>&1 </dev/null 3>&- 7>&- &
	pid=$!
	until_true test -e started
	kill "-$1" "$pid"
	echo >&7
	code=0
	wait "$pid" || code=$?
	exec 7>&-
	cat output
}

# make_pack TEXT: p.tar.gz with one skill
make_pack() {
	mkdir -p p/skills/one
	printf -- '---\nname: one\ndescription: %s\n---\nText.\n' "$1" >p/skills/one/SKILL.md
	rm -f p.tar.gz
	mortise skills pack "$work/p"
}

@test "a command killed by a signal leaves its target intact and no temporary files" {
	printf '[turn]\n[call execute_bash]\ncommand = test ! -p %s || { >%s; exec sleep 600; }\n\n[turn]\n[call finish]\nmessage = Done.\n' \
		"$ON" "$STARTED" >script
	mortise run -C "$work/ws" -m script:script -t go </dev/null
	mortise conversations export last "$work/recording.json"
	make_pack First
	mortise skills install "$work/p.tar.gz"
	packs=$XDG_DATA_HOME/mortise/skills.d
	cp "$packs/p.tar.gz" first
	make_pack Second
	for signal in INT TERM HUP; do
		# NAME|DIRECTORY that keeps its list of files|HELD|COMMAND
		while IFS='|' read -r name dir held command; do
			echo "$name, $signal"
			echo old >"$work/out/out.json"
			cp first "$packs/p.tar.gz"
			before=$(ls -A "$dir")
			ended_by "$signal" "$held" $command
			[ "$code" -gt 128 ]
			[ "$(ls -A "$dir")" = "$before" ]
			[ -z "$(ls -A "$TMPDIR")" ]
			[ "$(cat "$work/out/out.json")" = old ]
			cmp first "$packs/p.tar.gz" || cmp p.tar.gz "$packs/p.tar.gz"
		done <<-END
			replay|$work/out||mortise replay -C $work/ws $work/recording.json
			export|$work/out|$work/out/out.json|mortise conversations export last $work/out/out.json
			install|$packs|$packs/p.tar.gz|mortise skills install $work/p.tar.gz
		END
	done
}

no_command_is_left() { ! pgrep -f "head -n 1 $work/on"; }

@test "run: a signal ends the command that prints the key, too" {
	mkfifo "$work/on"
	exec 7<>"$work/on"
	for signal in INT TERM HUP; do
		rm -f started
		env --default-signal=INT,TERM,HUP mortise run -m openai/gpt-4.1 -t go \
			-o llm.api_key_command="touch $work/started; head -n 1 $work/on" \
			>output 2>&1 </dev/null 3>&- 7>&- &
		pid=$!
		until_true test -e started
		kill "-$signal" "$pid"
		code=0
		wait "$pid" || code=$?
		[ "$code" -eq $((128 + $(kill -l "$signal"))) ]
		until_true no_command_is_left
	done
	exec 7>&-
}

@test "resume: a signal before the loop runs pauses it, and the message is stored" {
	printf '[turn]\ntext = Hello.\n' >script
	mortise run -q -C "$work/ws" -m script:script -t go </dev/null
	mkfifo "$work/on"
	exec 7<>"$work/on"
	for signal in INT TERM; do
		rm -f started
		env --default-signal=INT,TERM mortise resume -m openai/gpt-4.1 -t "message $signal" \
			-o llm.base_url=http://127.0.0.1:1/v1 \
			-o llm.api_key_command="touch $work/started; head -n 1 $work/on" \
			>output 2>&1 </dev/null 3>&- 7>&- &
		pid=$!
		until_true test -e started
		kill "-$signal" "$pid"
		echo a-key-of-this-test >&7
		code=0
		wait "$pid" || code=$?
		cat output
		[ "$code" -eq $((128 + $(kill -l "$signal"))) ]
		grep -q '^paused: ' output
		run mortise conversations show last
		[[ "$output" == *"message $signal"* ]]
	done
	# a second signal does not wait for the start
	rm -f started
	env --default-signal=INT,TERM mortise resume -m openai/gpt-4.1 -t more \
		-o llm.base_url=http://127.0.0.1:1/v1 \
		-o llm.api_key_command="touch $work/started; head -n 1 $work/on" \
		>output 2>&1 </dev/null 3>&- 7>&- &
	pid=$!
	until_true test -e started
	kill -INT "$pid"
	kill -TERM "$pid"
	code=0
	wait "$pid" || code=$?
	[ "$code" -gt 128 ]
	until_true no_command_is_left
	echo a-key-of-this-test >&7
	exec 7>&-
	printf '[turn]\ntext = Hello.\n\n[turn]\nexpect last contains = message TERM\ntext = Resumed.\n' >script
	run mortise resume -q -m script:script -o llm.api_key_command="echo a-key-of-this-test"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *Resumed. ]]
}
