#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# loops.bats - loop detection on whole runs: ten that wait with the waiting call, none of
# which is stopped; ten that poll by repeated commands, which are found and continue with
# the waiting call that the hint names; and recorded runs that are resumed.

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
	cd "$work"
	run_it=(mortise run -C ws --model "script:$work/script" -t go
		-o tool.bash.no_change_timeout=100ms -o controller.tools+=background_job)
}

teardown() { touch "$work/ws/go"; }

log() { cat state/mortise/conversations/*/events.jsonl; }
nudges() { log | grep -c '"nudge"' || true; }

sh_() { printf '[turn]\n[call execute_bash]\ncommand = %s\n\n' "$1"; }
job() { printf '[turn]\n[call background_job]\ndo = %s\n%s\n\n' "$1" "${2-}"; }
view() { printf '[turn]\n[call str_replace_editor]\ncommand = view\npath = %s\n\n' "$1"; }
think() { printf '[turn]\n[call think]\nthought = It still runs (%s).\n\n' "$1"; }

# A waiting call returns between two lines of output, which are further apart than
# no_change_timeout.
until_go='until [ -e go ]; do sleep 0.02; done'
counts='n=0; until [ -e go ]; do n=$((n + 1)); echo "step $n"; sleep 0.3; done'

# wait_ KIND N: the n-th wait of a patient run.
wait_() {
	case $1 in
	silent | counting | words) sh_ '' ;;
	job | job-counting) job wait $'id := 1\ntimeout := 0.05' ;;
	job-read) job read 'id := 1' ;;
	job-list) job list ;;
	two-jobs) job wait "id := $(($2 % 2 + 1))"$'\ntimeout := 0.05' ;;
	both) if (($2 % 2)); then sh_ ''; else job wait $'id := 1\ntimeout := 0.05'; fi ;;
	thinking) if (($2 % 3)); then sh_ ''; else think "$2"; fi ;;
	esac
}

# starts KIND: the command that the run waits for.
starts() {
	case $1 in
	counting) sh_ "$counts" ;;
	words) sh_ 'until [ -e go ]; do head -c 3 /dev/urandom | base64; sleep 0.3; done' ;;
	job | job-read | job-list) job start "command = $until_go" ;;
	job-counting) job start "command = $counts" ;;
	two-jobs) for _ in 1 2; do job start "command = $until_go"; done ;;
	both) job start "command = $until_go" && sh_ "$until_go" ;;
	*) sh_ "$until_go" ;;
	esac
}

patient() {
	{
		starts "$1"
		for ((n = 0; n < 20; n++)); do wait_ "$1" $n; done
		printf '[turn]\nexpect last lacks = repeating yourself\n'
		printf '[call finish]\nmessage = Waited.\n'
	} >script
	run "${run_it[@]}"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(nudges)" -eq 0 ]
	[[ "$output" == *"Waited."* ]]
}

# poll KIND N: the n-th poll.
poll() {
	case $1 in
	same) sh_ 'cat status' ;;
	sleeping) sh_ 'sleep 0.01; cat status' ;;
	fails) sh_ 'test -e never' ;;
	refused) sh_ 'curl -sS http://127.0.0.1:9/' ;;
	clock) sh_ 'date; cat status' ;;
	pid) sh_ 'echo "worker $$ is busy, $RANDOM kB"' ;;
	words) sh_ 'head -c 6 /dev/urandom | base64 | tr 0-9 a-j' ;;
	listing) sh_ 'date +%s%N >stamp; ls -la' ;;
	alternating) if (($2 % 2)); then sh_ 'cat status'; else sh_ 'ls status'; fi ;;
	viewed) view "$work/ws/status" ;;
	esac
}

# polls KIND STEPS: the loop is found after STEPS, and the agent then waits by one call.
polls() {
	echo building >ws/status
	{
		for ((n = 0; n < $2; n++)); do poll "$1" $n; done
		printf '[turn]\nexpect last contains = You are repeating yourself.\n'
		printf 'expect last contains = make one call that waits\n'
		printf 'expect last contains = until CONDITION; do sleep 5; done\n'
		printf 'expect last contains = background_job with do=wait\n'
		printf '[call execute_bash]\ncommand = until [ $((++n)) = 3 ]; do sleep 0.1; done\n\n'
		printf '[turn]\nexpect last lacks = repeating yourself\n'
		printf '[call finish]\nmessage = Waited.\n'
	} >script
	run "${run_it[@]}" -o tool.bash.no_change_timeout=20s
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(nudges)" -eq 1 ]
	[[ "$output" == *"Waited."* ]]
}

@test "patient: a silent command" { patient silent; }
@test "patient: a command that counts" { patient counting; }
@test "patient: a command that prints other words" { patient words; }
@test "patient: a job" { patient job; }
@test "patient: a job that counts" { patient job-counting; }
@test "patient: reading a job" { patient job-read; }
@test "patient: listing jobs" { patient job-list; }
@test "patient: two jobs in turn" { patient two-jobs; }
@test "patient: a command and a job in turn" { patient both; }
@test "patient: a command, thinking in between" { patient thinking; }

@test "polling: the same output" { polls same 4; }
@test "polling: sleeping before each look" { polls sleeping 4; }
@test "polling: a test that fails" { polls fails 4; }
@test "polling: a server that refuses" { polls refused 4; }
@test "polling: output with the time" { polls clock 4; }
@test "polling: output with other numbers" { polls pid 4; }
@test "polling: other words each time" { polls words 8; }
@test "polling: a listing with times and sizes" { polls listing 4; }
@test "polling: two commands in turn" { polls alternating 6; }
@test "polling: viewing a file" { polls viewed 4; }

@test "recorded: each run is a loop exactly if OpenHands calls it one" {
	vectors=$top_srcdir/../shared/vectors/stuck_detector.json
	[ -e "$vectors" ] || skip "no recorded runs"
	run python3 "$top_srcdir/tests/model/loops-recorded.py" "$vectors"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == "33 loops found, 0 wrong,"* ]]
}
