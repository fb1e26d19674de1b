#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# doctor.bats - mortise doctor: what this machine offers, and what is missing.
bats_require_minimum_version 1.5.0

setup() {
	export HOME=$BATS_TEST_TMPDIR/home XDG_CONFIG_HOME=$BATS_TEST_TMPDIR/config
	export XDG_STATE_HOME=$BATS_TEST_TMPDIR/state XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
	export MORTISE_SYSTEM_CONFIG=$BATS_TEST_TMPDIR/etc
	mkdir -p "$HOME" "$XDG_CONFIG_HOME/mortise" "$BATS_TEST_TMPDIR/ws"
	ini=$XDG_CONFIG_HOME/mortise/mortise.ini
	printf '[llm]\nmodel = openai/gpt-4.1\napi_key_env = TEST_KEY\n' >"$ini"
	export TEST_KEY=a-long-secret-value
	cd "$BATS_TEST_TMPDIR/ws"
}

# line NAME: level and text of a line
line() {
	jq -r --arg name "$1" '.[] | select(.name == $name) | .level + " " + .text' <<<"$json"
}

doctor() { json=$(mortise doctor --json "$@"); }

@test "one line each, without color if not on a terminal" {
	run -0 mortise doctor
	[[ "$output" != *$'\e'* ]]
	for name in kernel Landlock seccomp "user namespaces" "control groups" "limit memory" \
		"limit processes" "limit open_files" "limit cpu_time" "limit wall_time" \
		"limit output" "limit disk_written" configuration model plugins rg git runtime state; do
		[ "$(grep -cE "^(ok|warning|problem) +$name  " <<<"$output")" -eq 1 ] || {
			echo "$name" >&2
			return 1
		}
	done
	[ "$(grep -cvE '^(ok|warning|problem) ' <<<"$output")" -eq 0 ]
	run ! grep -F "$TEST_KEY" <<<"$output"
}

@test "color on a terminal" {
	command -v script >/dev/null || skip "script is not installed"
	run env -u NO_COLOR TERM=xterm script -qec "mortise doctor" /dev/null
	[[ "$output" == *$'\e['* ]]
	run env NO_COLOR=1 TERM=xterm script -qec "mortise doctor" /dev/null
	[[ "$output" != *$'\e['* ]]
}

@test "limits: the value, and what enforces it" {
	doctor -o limits.memory=100M -o limits.processes=0 -o limits.cpu_time=90s -o limits.cgroups=no
	[[ "$(line "limit memory")" == *"100 MiB"*"sampled"* ]]
	[[ "$(line "limit processes")" == *"no limit"* ]]
	[[ "$(line "limit cpu_time")" == *"1 min 30 s"* ]]
	[[ "$(line "control groups")" == "warning disabled by [limits] cgroups"* ]]
	doctor
	if [ "$(id -u)" -eq 0 ] && [ -w /sys/fs/cgroup/pids ]; then
		[[ "$(line "limit processes")" == "ok 4096"*"control group"* ]]
	fi
	[ "$(find /sys/fs/cgroup -type d -name 'doctor-*' 2>/dev/null | wc -l)" -eq 0 ]
}

@test "the runtime: a runner is started with it" {
	export TMPDIR=$BATS_TEST_TMPDIR/tmp
	mkdir "$TMPDIR"
	doctor
	[[ "$(line runtime)" == *"local: a runner starts and ends in "* ]]
	doctor -o sandbox.mode=off
	[[ "$(line runtime)" =~ ^ok\ local:\ a\ runner\ starts\ and\ ends\ in\ [0-9]+\ ms$ ]]
	run -1 mortise doctor -o controller.runtime=nosuch
	grep -q '^problem *runtime *nosuch: unknown runtime' <<<"$output"
	run -1 mortise doctor -o core.runner=/nosuch
	grep '^problem *runtime *local: .*/nosuch' <<<"$output"
	run -0 ls "$TMPDIR"
	[ -z "$output" ]
}

@test "a model without a key" {
	unset TEST_KEY
	run -1 mortise doctor --json
	json=$output
	[[ "$(line model)" == "problem "*"TEST_KEY"* ]]
}

@test "no model" {
	: >"$ini"
	run -1 mortise doctor --json
	json=$output
	[[ "$(line model)" == "problem "* ]]
}

@test "errors of the configuration: one line each, with file and line" {
	printf '[llm]\nmodle = x\n[core]\nsync = often\n' >"$ini"
	run -1 mortise doctor
	[[ "$output" == *"problem "*"$ini:2: [llm] unknown option \`modle\`"* ]]
	[[ "$output" == *"problem "*"$ini:4: [core] \`sync\`"* ]]
	[[ "$output" == *"kernel"* ]]
}

@test "plugins that were refused" {
	mkdir "$BATS_TEST_TMPDIR/plugins"
	chmod 755 "$BATS_TEST_TMPDIR/plugins"
	echo "not a plugin" >"$BATS_TEST_TMPDIR/plugins/bad.so"
	doctor -o core.plugin_path+="$BATS_TEST_TMPDIR/plugins"
	[[ "$(line plugins)" == "warning "*"mortise plugins --refused"* ]]
}

@test "programs that tools need" {
	mkdir "$BATS_TEST_TMPDIR/bin"
	echo '{"mcpServers": {"other": {"command": "absent-program"}}}' >"$BATS_TEST_TMPDIR/mcp.json"
	ln -s "$(command -v mortise)" "$BATS_TEST_TMPDIR/bin/mortise"
	json=$(PATH=$BATS_TEST_TMPDIR/bin mortise doctor --json -o controller.tools+=browser -o mcp.x.command=npx \
		-o core.mcp_json="$BATS_TEST_TMPDIR/mcp.json")
	[[ "$(line git)" == "warning "* ]]
	[[ "$(line chromium)" == "warning "* ]]
	[[ "$(line "mcp x")" == "warning "*"npx"* ]]
	[[ "$(line "mcp other")" == "warning "*"absent-program"* ]]
}

@test "a state directory that cannot be written" {
	: >"$BATS_TEST_TMPDIR/file"
	run -1 mortise doctor --json -o core.state_dir="$BATS_TEST_TMPDIR/file/state"
	json=$output
	[[ "$(line state)" == "problem "* ]]
}

@test "no arguments" {
	run -2 mortise doctor now
}
