#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# policy.bats - `mortise policy`, and the effect of analyzers on conversations.

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
	cat >"$work/rules.ini" <<'EOF'
[analyzer.policy]
rule.push = deny command=git push* reason=pushing is for people
rule.docs = low path=docs/*
EOF
	run_it=(mortise run --config "$work/rules.ini" -C "$work/ws" --model
		"script:$work/script")
}

@test "test: an unknown tool is refused with the nearest name or the known ones" {
	run mortise policy test --tool execute_bsh '{}'
	[ "$status" -eq 2 ]
	[ "$output" = "mortise: unknown tool \`execute_bsh\`; did you mean \`execute_bash\`?" ]
	run mortise policy test --tool nosuch '{}'
	[ "$status" -eq 2 ]
	[[ "$output" == "mortise: unknown tool \`nosuch\`; use one of "*"execute_bash"*"finish"* ]]
	run mortise policy test --tool fetch '{}'
	[ "$status" -eq 2 ]
	[[ "$output" == *"is not enabled; use \`-o controller.tools+=fetch\`"* ]]
	[ "$(mortise policy test --tool execute_bash 'rm -rf x')" = "$(mortise policy test 'rm -rf x')" ]
	run mortise tools call nosuch '{}'
	[ "$status" -eq 2 ]
	[[ "$output" == *"unknown tool \`nosuch\`; use one of "* ]]
}

log() { cat "$work"/state/mortise/conversations/*/events.jsonl; }

@test "test: verdict, rule and reason; as JSON too" {
	run mortise policy test --config "$work/rules.ini" 'cd x && git push'
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "denied, HIGH" ]
	[ "${lines[1]}" = "rule: rule.push" ]
	[ "${lines[2]}" = "why:  pushing is for people" ]
	mortise policy test --json "'rm' -rf x" |
		jq -e '.risk == "HIGH" and .rule == "danger.delete" and .deny == false'
	mortise policy test --json 'rm -rf /' | jq -e '.rule == "danger.delete"'
	[ "$(mortise policy test ls)" = LOW ]
	[ "$(mortise policy test --risk MEDIUM ls | head -n 1)" = MEDIUM ]
	run mortise policy test -o 'analyzer.policy.rule.a=ask command=ls' ls
	[ "${lines[0]}" = HIGH ]
	run mortise policy test -o 'analyzer.policy.rule.a=allow command=make*' 'make test'
	[ "${lines[0]}" = LOW ]
	mortise policy test --json --tool str_replace_editor --config "$work/rules.ini" -C "$work/ws" \
		'{"command": "create", "path": "'"$work"'/ws/docs/x", "file_text": "eval("}' |
		jq -e '.risk == "LOW" and .rule == "rule.docs"'
	run mortise policy test --tool nothing ls
	[ "$status" -ne 0 ]
}

@test "show: the effective rules, in order" {
	run mortise policy show --config "$work/rules.ini"
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" == *rule.push* ]]
	[[ "${lines[1]}" == *rule.docs* ]]
	[[ "${lines[2]}" == *danger.root* ]]
	[[ "$output" == *fetch-to-exec* ]]
	mortise policy show --json -o analyzer.policy.rails=no |
		jq -e 'all(.[]; .rule != "fetch-to-exec") and .[0].rule == "danger.root"'
}

@test "an invalid rule: the error has file, line and correction" {
	echo 'rule.x = dany command=x' >>"$work/rules.ini"
	run mortise policy show --config "$work/rules.ini"
	[ "$status" -eq 2 ]
	[[ "$output" == *"rules.ini:4: [analyzer.policy] rule.x: "*"did you mean \`deny\`"* ]]
	run mortise config check --config "$work/rules.ini"
	[ "$status" -eq 2 ]
	[[ "$output" == *"rules.ini:4"* ]]
	run "${run_it[@]}" -t x
	[ "$status" -ne 0 ]
	[[ "$output" == *"rules.ini:4"* ]]
}

@test "a denied call does not run, and the model reads the reason" {
	printf '[turn]\n[call execute_bash]\ncommand = touch made; git push\n\n' >"$work/script"
	printf '[turn]\nexpect last contains = pushing is for people\n[call finish]\nmessage = x\n' \
		>>"$work/script"
	run "${run_it[@]}" -t go
	[ "$status" -eq 0 ]
	[ ! -e "$work/ws/made" ]
}

@test "tools that execute require security_risk, the others do not" {
	printf '[turn]\n[call finish]\nmessage = x\n' >"$work/script"
	"${run_it[@]}" -q -t go
	log | head -n 1 | jq -e '.args.tools[] | select(.function.name == "execute_bash")
		| .function.parameters | (.required | index("security_risk")) and
		.properties.security_risk.enum == ["LOW", "MEDIUM", "HIGH"]'
	log | head -n 1 | jq -e '.args.tools[] | select(.function.name == "finish")
		| .function.parameters.properties | has("security_risk") | not'
	rm -r "$work/state/mortise/conversations"
	"${run_it[@]}" -o controller.analyzers=policy -q -t go
	log | head -n 1 | jq -e '[.args.tools[].function.parameters.properties
		| has("security_risk")] | any | not'
}

@test "security_risk is parsed, and any other value is an error" {
	cat >"$work/script" <<'EOF'
[turn]
[call execute_bash]
command = echo one
security_risk = MEDIUM

[turn]
expect last contains = one
[call execute_bash]
command = echo two
security_risk = low

[turn]
expect last contains = security_risk is LOW, MEDIUM or HIGH
[call execute_bash]
command = echo three

[turn]
[call finish]
message = x
EOF
	run "${run_it[@]}" -q -t go
	[ "$status" -eq 0 ]
	log | grep '"action":"run"' | grep 'echo one' | jq -e '.args.security_risk == 1'
	log | grep '"action":"run"' | grep 'echo three' | jq -e '.args.security_risk == 0'
	[ "$(log | grep -c 'echo two.*"action":"run"')" = 0 ]
}

@test "an unknown analyzer is refused before the conversation starts" {
	printf '[turn]\n[call finish]\nmessage = x\n' >"$work/script"
	run "${run_it[@]}" -o controller.analyzers=nothing -t go
	[ "$status" -ne 0 ]
	[[ "$output" == *"nothing"* ]]
	[ ! -d "$work/state/mortise/conversations" ] ||
		[ -z "$(ls "$work/state/mortise/conversations")" ]
}

@test "the pattern analyzer alone gives the results of OpenHands V1" {
	while IFS='|' read -r rule command; do
		got=$(mortise policy test --json -o controller.analyzers=pattern "$command" |
			jq -r '"\(.risk) \(.rule // "")"')
		[ "$got" = "$rule" ] || { echo "$command: $got"; false; }
	done <<'END'
HIGH exec.destruct.rm_rf|rm -rf x
HIGH exec.code.eval_call|grep "eval(" src
MEDIUM exec.net.curl|curl https://x
LOW |git push --force
UNKNOWN exec.destruct.hidden|$x -rf y
END
}

@test "the rating of the model does not lower UNKNOWN of the policy; HIGH stays" {
	for said in LOW MEDIUM; do
		[ "$(mortise policy test --risk $said make | head -n 1)" = UNKNOWN ]
	done
	[ "$(mortise policy test --risk HIGH make | head -n 1)" = HIGH ]
	[ "$(mortise policy test --risk HIGH ls | head -n 1)" = HIGH ]
	[ "$(mortise policy test --risk LOW 'git reset --hard' | head -n 1)" = HIGH ]
	[ "$(mortise policy test --risk LOW ls | head -n 1)" = LOW ]
}

@test "a rule of the user precedes the built-in rules" {
	run mortise policy test -o 'analyzer.policy.rule.apt=medium command=sudo apt*' \
		'sudo apt install jq'
	[ "${lines[0]}" = MEDIUM ]
	run mortise policy test -o analyzer.policy.signatures=no 'sudo id'
	[ "${lines[0]}" = UNKNOWN ]
	mortise policy show | grep -q danger.root
}

@test "the editor writes to system files only after confirmation" {
	for path in /etc/cron.d/x /usr/bin/x /home/me/.ssh/authorized_keys; do
		run mortise policy test --tool str_replace_editor \
			"{\"command\": \"create\", \"path\": \"$path\", \"file_text\": \"x\"}"
		echo "$path: $output"
		[[ "$output" == HIGH* ]]
	done
	for args in '"command": "view", "path": "/etc/passwd"' \
		'"command": "create", "path": "/usr/src/x/a.c", "file_text": "x"' \
		'"command": "create", "path": "/library/a.c", "file_text": "x"'; do
		run mortise policy test --tool str_replace_editor "{$args}"
		echo "$args: $output"
		[[ "$output" != *HIGH* ]]
	done
}

@test "a command of 1 MB asks at once, and an interrupt ends the run" {
	{
		printf '[turn]\n[call execute_bash]\ncommand = echo '
		head -c 786432 /dev/urandom | base64 -w 0
		printf ' | wc -c\n\n[turn]\n[call finish]\nmessage = x\n'
	} >"$work/script"
	mkfifo "$work/in"
	exec 9<>"$work/in"
	"${run_it[@]}" --json --keep -o controller.confirmation=always -t go >"$work/out" \
		<"$work/in" 3>&- 9>&- &
	local pid=$!
	for _ in $(seq 1000); do
		grep -q '"waits"' "$work/out" && break
		sleep 0.02
	done
	grep -o '"waits":{[^}]*' "$work/out" | head -n 1 | grep -q '"risk":"\(UNKNOWN\|LOW\)"'
	kill -INT "$pid"
	local code=0
	wait "$pid" || code=$?
	[ "$code" -ne 0 ]
}

@test "output that results name may be read, other files of a conversation not" {
	dir=$XDG_STATE_HOME/mortise/conversations/20260101-000000-0a0a0a0a
	for file in spool/bash-1.out tools/bash/job-1.log; do
		run mortise policy test "tail -n 3 $dir/$file"
		[ "$output" = LOW ]
	done
	for file in events.jsonl tools/browser/cookies spool/../events.jsonl; do
		run mortise policy test "tail -n 3 $dir/$file"
		[[ "$output" == HIGH* ]]
	done
}
