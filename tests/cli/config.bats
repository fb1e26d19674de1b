#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# mortise config, as a person uses it.

setup() {
	export HOME="$BATS_TEST_TMPDIR/home" XDG_CACHE_HOME="$BATS_TEST_TMPDIR/cache"
	export XDG_CONFIG_HOME="$HOME/config" XDG_STATE_HOME="$HOME/state"
	export MORTISE_SYSTEM_CONFIG="$BATS_TEST_TMPDIR/etc"
	mkdir -p "$XDG_CONFIG_HOME/mortise" "$BATS_TEST_TMPDIR/project/.mortise"
	ini="$XDG_CONFIG_HOME/mortise/mortise.ini"
	project="$BATS_TEST_TMPDIR/project/.mortise/mortise.ini"
	cd "$BATS_TEST_TMPDIR/project"
}

@test "show: every value, INI that can be read back, JSON" {
	printf '[llm]\nmodel = a/b\n[llm.cheap]\nmodel = c/d\n' > "$ini"
	run mortise config show
	[ "$status" -eq 0 ]
	[[ "$output" == *"# $ini:2"*"model = a/b"* ]]
	mortise config > "$BATS_TEST_TMPDIR/shown.ini"
	run mortise config show --config "$BATS_TEST_TMPDIR/shown.ini" --json
	[ "$status" -eq 0 ]
	[ "$(jq -r '."llm.cheap".model.value' <<< "$output")" = c/d ]
	[ "$(jq -r .llm.timeout.value <<< "$output")" = 300s ]
}

@test "explain: value, meaning, origin, what it stands over" {
	printf '[llm]\ntimeout = 10s\n' > "$ini"
	MORTISE_LLM_TIMEOUT=20s run mortise config explain llm.timeout -o llm.timeout=30s
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "llm.timeout = 30s" ]
	[[ "$output" == *"set:  [llm] timeout = 30s  (-o)"* ]]
	[[ "$output" == *"over: [llm] timeout = 20s  (MORTISE_LLM_TIMEOUT)"* ]]
	[[ "$output" == *"over: [llm] timeout = 10s  ($ini:2)"* ]]
	[[ "$output" == *"over: built in: 300s"* ]]
	run mortise config explain llm.timout
	[ "$status" -eq 1 ]
	[[ "$output" == *"did you mean \`timeout\`?"* ]]
}

@test "a fault: file, line, suggestion, and nothing else happens" {
	printf '[llm]\nmodel = a/b\n\nmodle = c/d\n' > "$ini"
	for command in "config show" "config check" "plugins"; do
		run mortise $command
		[ "$status" -eq 2 ]
		[ "$output" = "mortise: $ini:4: [llm] unknown option \`modle\`; did you mean \`model\`?" ]
	done
}

@test "check: options of plugins and names of the wiring" {
	[ -e "$top_builddir/plugins/tools/editor.so" ] || skip "no editor built"
	printf '[tool.editor]\nnonsense = 1\n[tool.x]\nplugin = editr\n' > "$ini"
	run mortise config check -o controller.agent=nobody
	[ "$status" -eq 2 ]
	[[ "$output" == *"$ini:2: [tool.editor] unknown option \`nonsense\`"* ]]
	[[ "$output" == *"[tool.x]: there is no tool \`editr\`; did you mean \`editor\`?"* ]]
	[[ "$output" == *"-o: [controller] \`agent\`: there is no agent \`nobody\`"* ]]
}

@test "a project counts when it is trusted, as it is" {
	printf '[llm]\nmodel = project/model\n' > "$project"
	run mortise config explain llm.model
	[[ "$output" == *"is not trusted and was not read: mortise config trust"* ]]
	[[ "$output" == *"llm.model = (unset)"* ]]
	run mortise config trust
	[ "$status" -eq 0 ]
	run mortise config explain llm.model
	[ "${lines[0]}" = "llm.model = project/model" ]
	printf '[llm]\nmodel = other/model\n' > "$project"
	run mortise config explain llm.model
	[[ "$output" == *"is not trusted"* ]]
	printf '[core]\nplugin_path = .\n' > "$project"
	mortise config trust .
	run mortise config show
	[ "$status" -eq 2 ]
	[[ "$output" == *"mortise.ini:2: a project may not set \`plugin_path\` of [core]"* ]]
	cd /
	run mortise config show
	[ "$status" -eq 0 ]
	run mortise config show -C "$BATS_TEST_TMPDIR/project"
	[ "$status" -eq 2 ]
}

@test "keys are never shown" {
	printf '[llm]\nextra_headers = Authorization: Bearer sesame\nproxy = http://u:sesame@x\n' > "$ini"
	for command in "show" "show --json" "explain llm.extra_headers" "explain llm" "check"; do
		run mortise config $command
		[[ "$output" != *sesame* ]]
	done
}

@test "the manual has every key with its default" {
	for section in core llm controller grant.x; do
		mortise config explain $section -o grant.x.env=X | grep -v '^ ' |
		while read -r key _ rest; do
			row=$(grep "^| $key |" "$top_srcdir/doc/configuration.md") ||
				{ echo "no row for $section.$key"; return 1; }
			value=${rest%%  (*}
			case "$key $value" in
			*"(unset)" | runner* | prompt_dir* | model_table* | state_dir* | env* | plugin_path*) ;;
			*) [[ "$row" == *"| $value |"* ]] ||
				{ echo "$section.$key: $value, but: $row"; return 1; } ;;
			esac
		done
	done
}
