#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# misbehave.bats - tools that crash, hang or flood cost one observation with one clear
# sentence; the shell of the same runner and the conversation continue.

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
	export MORTISE_CORE_PLUGIN_PATH="$top_builddir/tests/plugins,$MORTISE_CORE_PLUGIN_PATH"
}

# misbehave WHAT SENTENCE: set a variable in the shell, misbehave, ask the shell.
misbehave() {
	cat >"$work/script" <<EOF
[turn]
[call execute_bash]
command = kept=yes

[turn]
[call do]
what = $1

[turn]
expect last contains = $2
[call execute_bash]
command = echo "kept: \$kept"

[turn]
expect last contains = kept: yes
[call do]
what = echo

[turn]
[call finish]
message = lived on
EOF
	run mortise run -C "$work/ws" --model "script:$work/script" -q -t go \
		-o controller.tools="bash, bad, finish" "${@:3}"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$output" = "lived on" ]
}

@test "a tool that segfaults" {
	died="killed by signal"
	case $SANITIZE in *address*) died="exited with code 1" ;; esac # by ASan's handler
	misbehave crash "$died"
}
@test "a tool that aborts" { misbehave abort "killed by signal"; }
@test "a tool that exits" { misbehave exit "do"; }
@test "a tool that prints on standard output" { misbehave print ""; }
@test "a tool that replies endlessly" { misbehave reply_flood ""; }
@test "a tool that writes live output endlessly" { misbehave output_flood ""; }
@test "a tool that leaks descriptors" { misbehave leak ""; }
@test "a tool that closes every descriptor" { misbehave close_all "do"; }

@test "a tool that loops forever is killed at its deadline" {
	misbehave spin "do" -o tool.bad.deadline=1s
}

@test "plugins that cannot be loaded are refused, each with one error message" {
	echo "not a library" >"$work/text.so"
	run mortise plugins check "$work/text.so"
	[ "$status" -ne 0 ]
	[ "${#lines[@]}" -eq 1 ]
	run mortise plugins check "$top_builddir/tests/plugins/newer-abi.so"
	[ "$status" -ne 0 ]
	[[ "$output" == *"update mortise"* ]]
	for p in wrong-size no-symbol needs-more; do
		run mortise plugins check "$top_builddir/tests/plugins/$p.so"
		[ "$status" -ne 0 ]
		[ "${#lines[@]}" -eq 1 ]
	done
}

@test "a runner that cannot be used ends the conversation with 6, not after many steps" {
	for i in 1 2 3 4 5; do printf '[turn]\n[call execute_bash]\ncommand = true\n\n'; done \
		>"$work/script"
	for runner in /no/such/runner /bin/false; do
		run mortise run -C "$work/ws" --model "script:$work/script" -t go \
			-o "core.runner=$runner"
		[ "$status" -eq 6 ]
		[[ "$output" == *"the runner failed 3 times in a row"* ]]
	done
}
