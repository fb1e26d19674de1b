#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# setup.bats - preparation of a conversation: the setup script of the project, and
# texts that the configuration adds; secrets in user messages.
bats_require_minimum_version 1.5.0

setup() {
	work=$BATS_TEST_TMPDIR
	ws=$work/ws
	mkdir -p "$ws/.openhands" "$work/home"
	export HOME=$work/home XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config
	export XDG_DATA_HOME=$work/data
	mkdir -m 700 "$work/state" "$work/config" "$work/data"
	cat >"$work/script" <<'EOF2'
[turn]
[call execute_bash]
command = cat made; echo at-$PWD; touch later
[turn]
[call finish]
message = Done.
EOF2
	run_it=(mortise run -C "$ws" --model "script:$work/script" -t go)
}

log() { cat "$work"/state/mortise/conversations/*/events.jsonl; }

# Is a script of this workspace running?
left_here() {
	local pid
	for pid in $(pgrep -f "bash .openhands/setup.sh"); do
		[ "$(readlink "/proc/$pid/cwd")" != "$ws" ] || return 0
	done
	return 1
}

@test "the setup script runs once, before the agent, if it is trusted" {
	echo 'cd /; echo preparing; ls later 2>/dev/null; echo "made $0" >>"$OLDPWD/made"' \
		>"$ws/.openhands/setup.sh"
	run "${run_it[@]}"
	[ "$status" -eq 0 ]
	[[ "$output" == *"is not trusted"*"mortise config trust"* ]]
	[ ! -e "$ws/made" ]
	rm -rf "$work/state/mortise/conversations" "$ws/later"

	mortise config trust "$ws"
	run "${run_it[@]}"
	[ "$status" -eq 0 ]
	[ "$(cat "$ws/made")" = 'made .openhands/setup.sh' ]
	log >log
	[ "$(jq -r 'select(.observation == "run") | .content' log | head -n 1)" = preparing ]
	# the directory of the agent's shell is unchanged
	jq -r 'select(.observation == "run") | .content' log | grep -Fx "at-$ws"
	[ "$(jq -r 'select(.action == "run") | "\(.source) \(.args.hidden)"' log)" = \
		'environment true
agent false' ]
	[ "$(jq -r 'select(.observation == "run") | .extras.hidden' log)" = 'true
false' ]

	# a resume does not run the script again
	printf '[turn]\n[call finish]\nmessage = Again.\n' >>"$work/script"
	mortise resume last -t "continue"
	[ "$(wc -l <"$ws/made")" = 1 ]

	# another conversation runs it, unless the script was changed
	"${run_it[@]}"
	[ "$(wc -l <"$ws/made")" = 2 ]
	echo '# more' >>"$ws/.openhands/setup.sh"
	"${run_it[@]}"
	[ "$(wc -l <"$ws/made")" = 2 ]
	"${run_it[@]}" -o controller.setup=always
	[ "$(wc -l <"$ws/made")" = 3 ]
	mortise config trust "$ws"
	"${run_it[@]}" -o controller.setup=never
	[ "$(wc -l <"$ws/made")" = 3 ]
}

@test "a failure is reported; a script that takes too long is killed; the agent continues" {
	printf 'echo one\necho the reason >&2\nexit 3\n' >"$ws/.openhands/setup.sh"
	run "${run_it[@]}" -o controller.setup=always
	[ "$status" -eq 0 ]
	[[ "$output" == *"failed with exit code 3: the reason"* ]]
	echo "trap '' TERM; touch began; while :; do read -t 1 x; sleep 0.1; done" \
		>"$ws/.openhands/setup.sh"
	run "${run_it[@]}" -o controller.setup=always -o controller.setup_timeout=1s
	[ "$status" -eq 0 ]
	[ -e "$ws/began" ]
	[[ "$output" == *"exceeded setup_timeout"* || "$output" == *"exit code 137"* ]]
	for ((i = 0; i < 500; i++)); do
		left_here || return 0
		sleep 0.02
	done
	false
}

@test "changes in the repository are shown unless the option is off" {
	git -C "$ws" init -q -b work
	echo x >"$ws/new-file"
	git -C "$ws" config core.fsmonitor "touch $work/was-run; false"
	echo 'echo x >made-first' >"$ws/.openhands/setup.sh"
	"${run_it[@]}" -o controller.git_status=no
	[ "$(log | grep -c new-file)" = 0 ]
	rm -rf "$work/state/mortise/conversations"
	"${run_it[@]}" -o controller.setup=always
	log >log
	jq -r 'select(.action == "message" and .source == "environment") | .args.content' log >status
	grep -Fx 'Uncommitted changes at the start (git status):' status
	grep -Fx '?? new-file' status
	grep -Fx '?? made-first' status
	[ ! -e "$work/was-run" ]
}

@test "an agent without a shell gets no report, and continues" {
	echo 'touch made' >"$ws/.openhands/setup.sh"
	printf '[turn]\n[call finish]\nmessage = Done.\n' >"$work/script"
	run "${run_it[@]}" -o controller.setup=always -o controller.tools=finish
	[ "$status" -eq 0 ]
	[[ "$output" == *"setup.sh not run"* ]]
	[ ! -e "$ws/made" ]
}

@test "a project cannot enable its own setup script" {
	mkdir "$ws/.mortise"
	printf '[controller]\nsetup = always\n' >"$ws/.mortise/mortise.ini"
	run mortise config trust "$ws"
	[ "$status" -ne 0 ]
	[[ "$output" == *"a project cannot set \`setup\`"* ]]
}

@test "instructions and suffixes reach the model, each where it belongs; secrets do not" {
	python3 "$top_srcdir/tests/context/seen.py" "$work/seen" "$work/port" 3>&- &
	server=$!
	for _ in {1..600}; do [ -s "$work/port" ] || sleep 0.05; done
	export SEEN_KEY=sk-only-for-the-provider-1
	say=(--model openai/seen -o llm.stream=no -o llm.api_key_env=SEEN_KEY
		-o "llm.base_url=http://127.0.0.1:$(cat "$work/port")/v1"
		-o 'controller.instructions=Answer in verse.'
		-o 'controller.system_suffix=You are part of ACME.'
		-o 'controller.message_suffix=Remember the tests.')
	mortise run -C "$ws" "${say[@]}" -t "my key is $SEEN_KEY, use it"
	mortise resume last -t second
	kill "$server"
	first() { head -n 1 "$work/seen" | jq -r "$1"; }
	first '.messages[0].content | if type == "string" then . else .[0].text end' |
		tail -n 1 | grep -Fx 'You are part of ACME.'
	text='.messages[] | select(.role == "user") | .content |
		if type == "string" then . else (map(.text) | join("\n")) end'
	first "$text" >text
	grep -Fx 'my key is <secret_hidden>, use it' text
	[ "$(grep -Fxc 'Remember the tests.' text)" = 1 ]
	[ "$(grep -A1 -Fx '<CONVERSATION_INSTRUCTIONS>' text | tail -n 1)" = 'Answer in verse.' ]
	tail -n 1 "$work/seen" | jq -r "$text" >text
	[ "$(grep -Fxc 'Remember the tests.' text)" = 2 ]
	[ "$(grep -Fxc 'Answer in verse.' text)" = 1 ]
	run -1 grep -F "$SEEN_KEY" "$work/seen"
	log >"$work/log"
	run -1 grep -F "$SEEN_KEY" "$work/log"
}
