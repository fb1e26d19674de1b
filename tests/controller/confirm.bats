#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# confirm.bats - actions that wait for approval, and limits, as the user sees them.
bats_require_minimum_version 1.5.0

setup() {
	export MORTISE_CONTROLLER_ON_ASK=stop
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state" "$work/run"
	chmod 700 "$work/state" "$work/run"
	export XDG_STATE_HOME=$work/state XDG_RUNTIME_DIR=$work/run
	cat >"$work/script" <<'EOF'
[turn]
[call execute_bash]
command = touch one
security_risk = MEDIUM

[turn]
[call execute_bash]
command = touch two
security_risk = HIGH

[turn]
[call execute_bash]
command = touch three
security_risk = HIGH

[turn]
[call finish]
message = All is well.
EOF
	run_it=(mortise run -C "$work/ws" --model "script:$work/script" -t go)
}

log() { cat "$work"/state/mortise/conversations/*/events.jsonl; }
count() { log | grep -c -- "$1" || true; }

# until_asked N: N actions have waited. hash: of the newest one.
until_asked() {
	for ((i = 0; i < 1000; i++)); do
		[ "$(jq -r 'select(.type == "state" and .waits).waits.hash' "$work/out" \
			2>/dev/null | uniq | wc -l)" -lt "$1" ] || return 0
		sleep 0.02
	done
	return 1
}
hash() { jq -r 'select(.waits).waits.hash' "$work/out" 2>/dev/null | tail -n 1; }

# at_terminal KEYS COMMAND...: type a line of KEYS at each question
at_terminal() {
	python3 - "$@" <<'EOF'
import os, pty, select, sys, time
keys = [k.encode().decode("unicode_escape").encode() for k in sys.argv[1].split("|")]
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
seen, at, end = b"", 0, time.time() + 30
while time.time() < end:
    if not select.select([fd], [], [], 1)[0]:
        continue
    try:
        piece = os.read(fd, 4096)
    except OSError:
        break
    if not piece:
        break
    seen += piece
    if keys and b"instructions: " in seen[at:]:
        at = len(seen)
        os.write(fd, keys.pop(0))
else:
    os.kill(pid, 9)
os.write(1, seen.replace(b"\r", b""))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
EOF
}

@test "risky: medium runs with a warning, high waits; without a user: 8" {
	run "${run_it[@]}" -o controller.confirmation=risky </dev/null
	[ "$status" -eq 8 ]
	[ -e "$work/ws/one" ]
	[ ! -e "$work/ws/two" ]
	[[ "$output" == *"! medium risk: run touch"* ]]
	[[ "$output" == *"awaiting_user_confirmation: risk HIGH"* ]]
	run mortise resume </dev/null
	[ "$status" -eq 8 ]
	[ ! -e "$work/ws/two" ]
}

@test "never: nothing waits" {
	run "${run_it[@]}" -o controller.confirmation=never </dev/null
	[ "$status" -eq 0 ]
	[ -e "$work/ws/three" ]
}

@test "without a user, an action that requires approval is refused, and the run continues" {
	sed -i '/three/ { s/$/; rm -rf x/; n; s/HIGH/LOW/ }' "$work/script"
	MORTISE_CONTROLLER_ON_ASK=refuse run "${run_it[@]}" \
		-o controller.confirmation=risky </dev/null
	[ "$status" -eq 0 ]
	[ -e "$work/ws/one" ]
	[ ! -e "$work/ws/two" ]
	[ "$(count 'requires approval (risk HIGH: the model reported this risk), and no user')" -eq 1 ]
	[ "$(count 'requires approval (risk HIGH: deletes what cannot be restored)')" -eq 1 ]
}

@test "yes, and always allow similar actions" {
	sed -i 's/HIGH/MEDIUM/; s/touch three/touch two/' "$work/script"
	run at_terminal 'y\n|a\n' "${run_it[@]}" -o controller.confirmation=always
	[ "$status" -eq 0 ]
	[[ "$output" == *'always 1: exactly `touch two` (default)'* ]]
	[[ "$output" == *'       2: `touch` with any arguments'* ]]
	[ -e "$work/ws/two" ]
	[ "$(count '"confirmation_state":"awaiting_confirmation"')" -eq 2 ]
}

@test "no with a reason: the model reads it and continues" {
	run at_terminal 'use another name\n|n\n' "${run_it[@]}" \
		-o controller.confirmation=risky
	[ "$status" -eq 8 ]
	[ ! -e "$work/ws/two" ]
	[ ! -e "$work/ws/three" ]
	[[ "$output" == *"The user says: use another name"* ]]
	[[ "$output" == *"awaiting_user_input: the user rejected the action"* ]]
}

@test "the end of the input at the question leaves it waiting" {
	run at_terminal '\x04' "${run_it[@]}" -o controller.confirmation=always
	[ "$status" -eq 8 ]
	run at_terminal 'y\n|y\n|y\n' mortise resume
	[ "$status" -eq 0 ]
	[[ "$output" == *'$ touch one'* ]]
	[ -e "$work/ws/three" ]
}

@test "answers are read from standard input" {
	: >"$work/out"
	{
		until_asked 1
		printf '{"type":"confirm","always":true,"hash":"%s"}\n' "$(hash)"
		until_asked 2
		printf '{"type":"confirm","hash":"%s"}\n' "$(hash)"
		until_asked 3
		printf '{"type":"confirm","hash":"%s"}\n' "$(hash)"
	} | "${run_it[@]}" --json -o controller.confirmation=always >"$work/out"
	[ "${PIPESTATUS[1]}" -eq 0 ]
	[ -e "$work/ws/three" ]
	jq -se '[.[] | select(.waits)][0].waits | [.scopes[].text] ==
		["exactly `touch one`", "`touch` with any arguments"] and .scope == 0
		and .kind == .scopes[0].text and .risk == "MEDIUM" and (.hash | length) == 64' "$work/out"
	# HIGH waits again, without an offer to allow similar actions
	jq -se '[.[] | select(.waits)][1].waits | .scopes == [] and .kind == ""' "$work/out"
}

@test "a project cannot disable confirmation" {
	mkdir "$work/ws/.mortise"
	printf '[controller]\nconfirm_unknown = no\n' >"$work/ws/.mortise/mortise.ini"
	run mortise config trust "$work/ws"
	[ "$status" -ne 0 ]
	[[ "$output" == *confirm_unknown* ]]
	printf '[mcp.x]\ncommand = true\ntrust_hints = yes\n' >"$work/ws/.mortise/mortise.ini"
	run mortise config trust "$work/ws"
	[ "$status" -ne 0 ]
	[[ "$output" == *trust_hints* ]]
}

# limit NAME VALUE SENTENCE
limit() {
	run "${run_it[@]}" -o controller.confirmation=never -o "controller.$1=$2"
	[ "$status" -eq 4 ]
	[[ "$output" == *"$3"* ]]
	log | grep -q "The .* stopped by a limit. $3"
}

@test "limits: steps, then resume continues" {
	limit max_iterations 1 "Agent reached maximum iteration. Current iteration: 1, max iteration: 1"
	[ -e "$work/ws/one" ]
	[ ! -e "$work/ws/two" ]
	run mortise resume
	[ "$status" -eq 4 ]
	[ -e "$work/ws/two" ]
	[[ "$output" == *"Current iteration: 2, max iteration: 2"* ]]
}

@test "limits: tool calls; the refused call has a result" {
	limit max_calls 2 "Agent reached maximum tool calls. Current calls: 2, max calls: 2"
	[ -e "$work/ws/two" ]
	[ ! -e "$work/ws/three" ]
	run mortise resume
	[ "$status" -eq 0 ]
}

@test "limits: working time" {
	limit max_time 1ms "Agent reached maximum time of work."
}

@test "OH_MAX_ITERATIONS applies unless the Mortise variable is set" {
	run_it+=(-o controller.confirmation=never)
	OH_MAX_ITERATIONS=1 run "${run_it[@]}"
	[ "$status" -eq 4 ]
	OH_MAX_ITERATIONS=1 MORTISE_CONTROLLER_MAX_ITERATIONS=9 run "${run_it[@]}"
	[ "$status" -eq 0 ]
}

@test "actions contain the accumulated cost" {
	run "${run_it[@]}" -o controller.max_budget=3 -o controller.confirmation=never
	[ "$status" -eq 0 ]
	log | grep '"action":"run"' | head -n 1 | jq -e '.llm_metrics |
		.accumulated_cost == 0 and .max_budget_per_task == 3 and
		(.accumulated_token_usage | has("prompt_tokens"))'
}

@test "the model sees which other calls of the reply were not made" {
	cat >"$work/script" <<'END'
[turn]
[call execute_bash]
command = touch one
security_risk = HIGH
[call execute_bash]
command = touch two
security_risk = LOW
[call think]
thought = well

[turn]
expect any contains = The user says: not that
expect last contains = This call was not made: the user rejected an earlier
[call finish]
message = I see.
END
	run at_terminal 'not that\n' "${run_it[@]}" -o controller.confirmation=risky
	[ "$status" -eq 0 ]
	[ -z "$(ls "$work/ws")" ]
	[ "$(count '"content":"This call was not made')" -eq 2 ]
}

@test "an attached client may answer: /always" {
	sed -i 's/HIGH/MEDIUM/; s/touch t[wh].*/touch one/' "$work/script"
	mkfifo "$work/fifo"
	exec 9<>"$work/fifo"
	"${run_it[@]}" --json --keep -o controller.confirmation=always <"$work/fifo" \
		>"$work/out" 3>&- 9>&- &
	pid=$!
	for ((i = 0; i < 1000; i++)); do
		if grep -q '"waits"' "$work/out"; then break; fi
		sleep 0.02
	done
	echo /always | timeout 30 mortise attach >"$work/attached" &
	for ((i = 0; i < 1000; i++)); do
		if grep -q '"agent_state":"finished"' "$work/out"; then break; fi
		sleep 0.02
	done
	exec 9>&-
	kill -INT "$pid" || true
	wait "$pid" || true
	[ -e "$work/ws/one" ]
	[ "$(count '"confirmation_state":"awaiting_confirmation"')" -eq 1 ]
}

@test "an analyzer that fails gives UNKNOWN, and the others still count" {
	export MORTISE_CORE_PLUGIN_PATH="$top_builddir/tests/plugins,$MORTISE_CORE_PLUGIN_PATH"
	export MORTISE_SANDBOX_MODE=off
	for odd in fails silent 99 low; do
		rm -rf "$work/state/mortise" "$work"/ws/*
		run "${run_it[@]}" -o controller.confirmation=risky \
			-o "controller.analyzers=odd-$odd" </dev/null
		[ "$status" -eq 8 ]
		[[ "$output" == *"awaiting_user_confirmation: risk UNKNOWN"* ]]
		[ ! -e "$work/ws/one" ]
	done
	# No verdict is UNKNOWN, not a failure.
	rm -rf "$work/state/mortise" "$work"/ws/*
	run "${run_it[@]}" -o controller.confirmation=risky -o controller.confirm_unknown=no \
		-o controller.analyzer_failure=high -o controller.analyzers=odd-silent </dev/null
	[ -e "$work/ws/one" ]
	[ -e "$work/ws/two" ]
	[[ "$output" != *failed* ]]
	# UNKNOWN does not wait, but HIGH of the model still does
	rm -rf "$work/state/mortise" "$work"/ws/*
	run "${run_it[@]}" -o controller.confirmation=risky -o controller.confirm_unknown=no \
		-o "controller.analyzers=odd-fails, llm" </dev/null
	[ "$status" -eq 8 ]
	[ -e "$work/ws/one" ]
	[ ! -e "$work/ws/two" ]
}

@test "at a terminal the action of a delegate is asked about too" {
	printf '%s\n' '[turn]' '[call execute_bash]' 'command = touch theirs' '[turn]' \
		'[call finish]' 'message = Ended.' >"$work/worker"
	printf '%s\n' '[turn]' '[call delegate_tasks]' 'tasks := [{"task":"x","agent":"w"}]' \
		'[turn]' '[call finish]' 'message = All is well.' >"$work/script"
	printf '%s\n' '[controller]' 'tools = bash, finish, delegate_tasks' \
		'delegates = w' 'confirmation = always' '[controller.w]' 'tools = bash, finish' \
		'llm = w' '[llm.w]' "model = script:$work/worker" >"$work/m.ini"
	run at_terminal 'y\n|yes\n' "${run_it[@]}" --config "$work/m.ini"
	[[ "$output" = *'Request from subagent '*'$ touch theirs'*'All is well.'* ]]
	[ -e "$work/ws/theirs" ]
}

# approve JSON: answer the first action that waits with these members of `confirm`.
approve() {
	: >"$work/out"
	{
		until_asked 1
		printf '{"type":"confirm","hash":"%s",%s}\n' "$(hash)" "$1"
	} | "${run_it[@]}" --json -o controller.confirmation=always >"$work/out" 2>"$work/err"
}

script_of() { # COMMAND...: one call each, then the end
	: >"$work/script"
	for command; do
		printf '[turn]\n[call execute_bash]\ncommand = %s\nsecurity_risk = MEDIUM\n\n' \
			"$command" >>"$work/script"
	done
	printf '[turn]\n[call finish]\nmessage = All is well.\n' >>"$work/script"
}

@test "an approval for the project: kept, applied later, listed, revoked" {
	script_of 'touch one' 'touch two'
	approve '"always":true,"scope":1,"keep":"project"'
	[ -e "$work/ws/two" ]
	file=$(echo "$work"/state/mortise/approvals/*.json)
	[ "$(stat -c %a "$file")" = 600 ]
	jq -e --arg ws "$(realpath "$work/ws")" '.workspace == $ws' "$file"
	# a later conversation gets one notice, and does not ask
	rm "$work"/ws/*
	run "${run_it[@]}" -o controller.confirmation=always
	[ "$status" -eq 0 ]
	[ -e "$work/ws/two" ]
	[ "$(grep -c '1 approval of this project applies; `mortise policy approvals`' \
		<<<"$output")" -eq 1 ]
	# a conversation in another workspace asks
	mkdir "$work/other"
	run mortise run -C "$work/other" --model "script:$work/script" -t go \
		-o controller.confirmation=always </dev/null
	[ "$status" -eq 8 ]
	[ ! -e "$work/other/one" ]
	# a link leads to the same project
	ln -s ws "$work/link"
	run mortise policy -C "$work/link" approvals
	[[ "$output" == *'1  `touch` with any arguments'* ]]
	run mortise policy -C "$work/ws" revoke 2
	[ "$status" -eq 2 ]
	[[ "$output" == *"unknown approval \`2\`"* ]]
	mortise policy -C "$work/ws" revoke 1
	[ "$(mortise policy -C "$work/ws" approvals --json)" = "[]" ]
	run "${run_it[@]}" -o controller.confirmation=always </dev/null
	[ "$status" -eq 8 ]
}

@test "approvals of a project that others could have written do not apply" {
	script_of 'touch one'
	approve '"always":true,"keep":"project"'
	chmod 666 "$work"/state/mortise/approvals/*.json
	run "${run_it[@]}" -o controller.confirmation=always </dev/null
	[ "$status" -eq 8 ]
	[[ "$output" == *"cannot use the approvals of this project"* ]]
	chmod 600 "$work"/state/mortise/approvals/*.json
	echo '{"approvals":3' >"$(echo "$work"/state/mortise/approvals/*.json)"
	run "${run_it[@]}" -o controller.confirmation=always </dev/null
	[ "$status" -eq 8 ]
	run mortise policy -C "$work/ws" approvals
	[ "$status" -eq 2 ]
}

@test "an approval of a conversation: listed and revoked, also while it runs" {
	script_of 'touch one' 'touch two'
	approve '"always":true,"scope":1'
	id=$(jq -r 'select(.type == "hello").conversation' "$work/out")
	run mortise policy approvals "$id"
	[[ "$output" == *'1  `touch` with any arguments'* ]]
	[ "$(mortise policy -C "$work/ws" approvals --json)" = "[]" ]
	mortise policy revoke --in "$id" 1
	[ "$(mortise policy approvals "$id" --json)" = "[]" ]
	[ "$(count '"plugin":"mortise/approvals"')" -eq 2 ]
}

@test "an approval counts only for the action that was shown" {
	script_of 'touch one'
	mkfifo "$work/in"
	exec 9<>"$work/in"
	: >"$work/out"
	"${run_it[@]}" --json -o controller.confirmation=always <"$work/in" >"$work/out" 9>&- 3>&- &
	pid=$!
	until_asked 1
	printf '%s\n' '{"type":"confirm","id":1}' \
		"{\"type\":\"confirm\",\"hash\":\"$(printf '0%.0s' {1..64})\",\"id\":2}" \
		"{\"type\":\"confirm\",\"hash\":\"$(hash)\",\"always\":true,\"scope\":9,\"id\":3}" \
		"{\"type\":\"confirm\",\"hash\":\"$(hash)\",\"always\":true,\"arguments\":{\"command\":\"ls\"},\"id\":4}" \
		"{\"type\":\"confirm\",\"hash\":\"$(hash)\",\"arguments\":{\"comand\":\"ls\"},\"id\":5}" \
		"{\"type\":\"confirm\",\"hash\":\"$(hash)\",\"arguments\":{\"command\":7},\"id\":6}" >&9
	for ((i = 0; i < 1000; i++)); do
		if grep -q '"id":6,"ok"' "$work/out"; then break; fi
		sleep 0.02
	done
	[ "$(jq -r 'select(.type == "result") | "\(.id) \(.ok)"' "$work/out")" = \
		$'1 false\n2 false\n3 false\n4 false\n5 false\n6 false' ]
	[ ! -e "$work/ws/one" ]
	printf '{"type":"confirm","hash":"%s"}\n' "$(hash)" >&9
	exec 9>&-
	wait "$pid"
	[ -e "$work/ws/one" ]
}

@test "a command that the user changed: the log and the model have the one that ran" {
	script_of 'touch one'
	sed -i 's/^\[call finish\]/expect last contains = Executed command: touch mine\n&/' "$work/script"
	export MY_KEY=geheim-0815
	printf '[grant.k]\nenv = MY_KEY\ntools = bash\n' >"$work/m.ini"
	run_it+=(--config "$work/m.ini")
	: >"$work/out"
	{
		until_asked 1
		printf '{"type":"confirm","hash":"%s","arguments":{"command":"%s"}}\n' \
			"$(hash)" 'echo geheim-0815' "$(hash)" 'touch mine'
	} | "${run_it[@]}" --json -o controller.confirmation=always >"$work/out"
	jq -se '[.[] | select(.type == "result")] | (.[0].ok | not) and .[1].ok and
		(.[0].error | contains("contains a secret"))' "$work/out"
	[ -e "$work/ws/mine" ]
	[ ! -e "$work/ws/one" ]
	run -1 grep -r geheim "$work/state"
	log | jq -se '[.[] | select(.confirms)][0] | .edited and .args.command ==
		"touch mine" and (.approved | length) == 64'
	log | jq -se '[.[] | select(.observation == "run")][0].content
		| startswith("The user edited the command before approving it.")'
}

@test "a changed command is assessed again: denied stays denied, HIGH may run" {
	script_of 'touch one'
	printf '%s\n' '[analyzer.policy]' 'rule.no = deny command=touch* path=*forbidden' \
		'rule.h = high command=touch* path=*risky' >"$work/m.ini"
	run_it+=(--config "$work/m.ini")
	: >"$work/out"
	{
		until_asked 1
		printf '{"type":"confirm","hash":"%s","arguments":{"command":"touch forbidden"}}\n' "$(hash)"
		printf '{"type":"confirm","hash":"%s","arguments":{"command":"touch risky"}}\n' "$(hash)"
	} | "${run_it[@]}" --json -o controller.confirmation=always >"$work/out"
	jq -se '[.[] | select(.type == "result")] | (.[0].ok | not) and .[1].ok and
		(.[0].error | contains("denied"))' "$work/out"
	[ ! -e "$work/ws/forbidden" ]
	[ -e "$work/ws/risky" ]
}

@test "an action that was changed in the log after its approval does not run" {
	script_of 'touch one' 'touch two'
	"${run_it[@]}" --json -o controller.confirmation=always </dev/null >"$work/out" || true
	log=$(echo "$work"/state/mortise/conversations/*/events.jsonl)
	# as if the process had been killed right after the answer
	python3 - "$log" <<'END'
import json, sys
lines = [json.loads(l) for l in open(sys.argv[1])]
waits = [l for l in lines if l.get("args", {}).get("confirmation_state")][-1]
copy = json.loads(json.dumps(waits))
copy.update(id=max(l.get("id", 0) for l in lines) + 1, confirms=waits["id"], approved="0" * 64)
copy["args"].update(confirmation_state="confirmed", command="touch other")
open(sys.argv[1], "a").write(json.dumps(copy, separators=(",", ":")) + "\n")
END
	mortise resume --json </dev/null >"$work/out" || true
	[ ! -e "$work/ws/other" ]
	grep -q 'its action is not the one that was approved' "$log"
}

@test "approvals in the old format are ignored, with one notice" {
	script_of 'touch one' 'touch two'
	"${run_it[@]}" --json -o controller.confirmation=always </dev/null >"$work/out" || true
	echo '{"record":"state","plugin":"mortise/always","text":"[\"run touch\"]"}' \
		>>"$(echo "$work"/state/mortise/conversations/*/events.jsonl)"
	run at_terminal 'y\n|\x04' mortise resume
	[ "$status" -eq 8 ]
	[[ "$output" == *"require approval again"* ]]
	run at_terminal '\x04' mortise resume
	[[ "$output" != *"require approval again"* ]]
}

@test "a hook cannot lift a denial; an action of a client is assessed" {
	script_of 'touch one'
	printf '%s\n' '[analyzer.policy]' 'rule.no = deny command=touch*' '[hook.ok]' \
		'event = before-tool' 'shell = yes' \
		'command = echo {\"decision\":\"allow\"}' >"$work/m.ini"
	run "${run_it[@]}" --config "$work/m.ini" </dev/null
	[ ! -e "$work/ws/one" ]
	[ "$(count '"error_id":"AGENT_ERROR$ACTION_DENIED"')" -eq 1 ]
	: >"$work/out"
	{
		for ((i = 0; i < 1000; i++)); do
			if grep -q '"agent_state":"finished"' "$work/out"; then break; fi
			sleep 0.02
		done
		echo '{"type":"action","action":{"action":"run","args":{"command":"touch one"}},"id":1}'
		echo '{"type":"stop"}'
	} | "${run_it[@]}" --config "$work/m.ini" --json --keep >"$work/out" || true
	jq -se '[.[] | select(.type == "result" and .id == 1)][0] | (.ok | not) and
		(.error | contains("denied"))' "$work/out"
	[ ! -e "$work/ws/one" ]
}

@test "at a terminal: a wider scope by its number, a changed command" {
	script_of 'touch one' 'touch two' 'echo no'
	run at_terminal 'a 2\n|/edit touch mine\n' "${run_it[@]}" -o controller.confirmation=always
	[ "$status" -eq 0 ]
	[ -e "$work/ws/two" ]
	[ -e "$work/ws/mine" ]
	[[ "$output" == *"Executed command: touch mine"* ]]
}

@test "a terminal shows all of a waiting action" {
	printf '[turn]\n[call execute_bash]\ncommand = touch one; echo \033[2K\r safe\342\200\256\n' \
		>"$work/script"
	run at_terminal 'n\n' "${run_it[@]}" -o controller.confirmation=always
	[[ "$output" == *'$ touch one; echo ‹\e›[2K‹\r› safe‹\u{202e}›'* ]]
	[ ! -e "$work/ws/one" ]
}

@test "an attached client sees the waiting action, and may change it" {
	script_of 'touch one' 'touch two'
	mkfifo "$work/fifo"
	exec 9<>"$work/fifo"
	"${run_it[@]}" --json --keep -o controller.confirmation=always <"$work/fifo" \
		>"$work/out" 3>&- 9>&- &
	pid=$!
	until_asked 1
	printf '/always 7\n/edit touch mine\n' | timeout 30 mortise attach >"$work/attached" 2>&1 &
	until_asked 2
	printf '/always 2 project\n' | timeout 30 mortise attach >"$work/attached2" 2>&1 &
	for ((i = 0; i < 1000; i++)); do
		if grep -q '"agent_state":"finished"' "$work/out"; then break; fi
		sleep 0.02
	done
	exec 9>&-
	kill -INT "$pid" || true
	wait "$pid" || true
	[ -e "$work/ws/mine" ]
	[ ! -e "$work/ws/one" ]
	[ -e "$work/ws/two" ]
	grep -q 'always 1: exactly `touch one` (default)' "$work/attached"
	grep -q 'no scope 7 in the list of 2' "$work/attached"
	[[ "$(mortise policy -C "$work/ws" approvals)" == *'`touch` with any arguments'* ]]
}

@test "simultaneous approvals for a project are all kept" {
	for n in 1 2 3 4 5 6; do
		mkdir "$work/$n"
		(
			work=$work/$n
			ln -s ../ws "$work/ws"
			script_of "program-$n x"
			run_it=(mortise run -C "$work/ws" --model "script:$work/script" -t go)
			approve '"always":true,"scope":1,"keep":"project"' || true
		) 3>&- &
	done
	wait
	[ "$(mortise policy -C "$work/ws" approvals --json | jq length)" -eq 6 ]
}
