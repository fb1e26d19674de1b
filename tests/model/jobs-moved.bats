#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# jobs-moved.bats - a command that times out continues as a job, and the shell is free.
bats_require_minimum_version 1.5.0

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir -p "$work/ws/sub" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
}

# A command times out after a second without output.
play() { # OPTION...
	{ cat; printf '[turn]\n[call finish]\nmessage = Done.\n'; } >"$work/script"
	run timeout 120 mortise run -C "$work/ws" --model "script:$work/script" \
		-o 'controller.tools=bash, background_job, finish' \
		-o tool.bash.no_change_timeout=1s "$@" -t go
	printf '%s\n' "$output"
	[ "$status" -eq 0 ]
}

# The shell waits, without a silence, until the job has left its exit code.
ended="until [ -s \"\$(find $BATS_TEST_TMPDIR/state -name job-1.exit)\" ]; do echo .; sleep 0.02; done"

@test "a command that times out becomes a job; the shell is free; its end is announced" {
	play <<-END
	[turn]
	[call execute_bash]
	command = echo begin; until [ -e go ]; do sleep 0.05; done; echo later; (exit 3)
	[turn]
	expect last contains = begin
	expect last contains = , now as job 1 in the background; its output is in 
	expect last contains = An empty command waits for it
	[call execute_bash]
	command = touch go; $ended
	timeout := 60
	[turn]
	expect last contains = ; done; echo later; (exit 3)\`) exited with code 3; its output is in 
	[call background_job]
	do = read
	id := 1
	[turn]
	expect last contains = later
	expect last lacks = begin
	END
	[ "$(cat "$work"/state/mortise/conversations/*/tools/bash/job-1.log)" = $'begin\nlater' ]
}

@test "the next shell has directory, variables, functions and options of the last" {
	play <<-'END'
	[turn]
	[call execute_bash]
	timeout := 60
	command <<X
	a=(1 "two words" 3); declare -A m=([k]=v); text=$'two\nlines'; export shown=yes
	f() { echo "f: $1"; }; g() { echo exported; }; export -f g; alias ll='echo alias'
	shopt -s extglob nullglob; set -f; umask 027; unset HOME; readonly fixed=1
	X
	[turn]
	[call execute_bash]
	command = cd sub; until [ -e go ]; do sleep 0.05; done
	[turn]
	expect last contains = now as job 1
	[call execute_bash]
	timeout := 60
	command <<X
	echo "${#a[@]} ${a[1]} ${m[k]} $text $(env | grep ^shown) [${HOME-none}] $fixed"
	f x; bash -c g
	ll
	shopt extglob nullglob | tr '\t\n' '  '; set -o | grep noglob; umask; echo "$PWD"
	X
	[turn]
	expect last contains = 3 two words v two
	expect last contains = lines shown=yes [none] 1
	expect last contains = f: x
	expect last contains = exported
	expect last contains = alias
	expect last contains = extglob         on nullglob        on noglob         	on
	expect last contains = 0027
	expect last contains = /ws/sub
	expect last contains = directory: 
	[call execute_bash]
	timeout := 60
	command = touch go; trap
	[turn]
	expect last lacks = not run
	END
}

@test "an empty command waits for the newest job, and input reaches it" {
	play <<-END
	[turn]
	[call execute_bash]
	command = until [ -e go ]; do sleep 0.05; done; read -r line; echo "got \$line"; read -r line
	[turn]
	expect last contains = now as job 1
	[call execute_bash]
	command = touch go
	timeout := 60
	[turn]
	[call execute_bash]
	command = 
	timeout := 60
	[turn]
	expect last contains = [The program waits for terminal input
	[call execute_bash]
	command = word
	is_input := true
	timeout := 60
	[turn]
	expect last contains = got word
	expect last contains = waits for terminal input
	[call execute_bash]
	command = C-c
	timeout := 60
	[turn]
	expect last contains = exit code 130
	expect last lacks = Job 1
	[call execute_bash]
	command = 
	[turn]
	expect last contains = No previous running command
	expect last lacks = Job 1
	END
}

@test "a job that was a command is listed, waited for and ended" {
	play <<-END
	[turn]
	[call execute_bash]
	command = trap '' INT; echo x; while :; do sleep 5; done
	[turn]
	expect last contains = now as job 1
	[call background_job]
	do = list
	[turn]
	expect last contains = 1: runs for
	[call background_job]
	do = wait
	id := 1
	timeout := 0.1
	[turn]
	expect last contains = [Job 1 runs for
	[call background_job]
	do = end
	id := 1
	[turn]
	expect last contains = [Job 1 exited with code 137
	[call execute_bash]
	command = echo free
	timeout := 60
	[turn]
	expect last contains = free
	expect last lacks = Job 1
	END
}

@test "much output of a job does not stop it and is not lost" {
	play <<-END
	[turn]
	[call execute_bash]
	command = until [ -e go ]; do sleep 0.05; done; seq 200000
	[turn]
	[call execute_bash]
	command = touch go; $ended
	timeout := 60
	[turn]
	expect last contains = exited with code 0
	END
	[ "$(wc -l <"$(find "$work/state" -name job-1.log)")" -eq 200000 ]
}

@test "a limit of file sizes does not end the shell" {
	play <<-'END'
	[turn]
	[call execute_bash]
	command = ulimit -f 1; x=kept
	timeout := 60
	[turn]
	[call execute_bash]
	command = echo "x is $x"
	timeout := 60
	[turn]
	expect last contains = x is kept
	END
}

@test "with result_style = v0 the command keeps the shell" {
	play -o tool.bash.result_style=v0 <<-'END'
	[turn]
	[call execute_bash]
	command = until [ -e go ]; do sleep 0.05; done
	[turn]
	expect last contains = [The command has no new output after 1 seconds.
	expect last lacks = job
	[call execute_bash]
	command = touch go
	[turn]
	expect last contains = is NOT executed
	[call execute_bash]
	command = C-c
	is_input := true
	END
}

# What a shell has before a command that becomes a job: the next one has it too.
moved() { # SAYS < COMMANDS, one per line
	local command
	{
		while IFS= read -r command; do
			printf '[turn]\n[call execute_bash]\ntimeout := 60\ncommand = %s\n' "$command"
		done
		cat <<-'END'
		[turn]
		[call execute_bash]
		command = until [ -e go ]; do sleep 0.05; done
		[turn]
		expect last contains = now as job 1
		[call execute_bash]
		timeout := 60
		command = echo "n=${n-none} $OLDPWD"
		[turn]
		END
		printf 'expect last contains = %s\n' "$1"
	} | play
}

@test "the next shell has values from before commands that change nothing" {
	moved "n=1 $work/ws" <<-'END'
	n=1; cd sub
	ls; cat </dev/null | wc -l
	echo $n
	END
}

@test "the next shell has values that a function changed" {
	moved "n=2" <<-'END'
	n=1; bump() { n=2; }
	bump
	true
	END
}

@test "the next shell has values that an alias or a trap changed" {
	moved "n=2" <<-'END'
	n=1; alias ls='n=2 #'
	ls
	END
	moved "n=3" <<-'END'
	n=1; trap 'n=3' USR1
	kill -USR1 $$
	END
}

@test "the next shell has nothing of a shell that has ended" {
	moved "n=none" <<-'END'
	n=1
	exit 3
	true
	END
}
