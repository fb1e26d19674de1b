#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# file-guard.bats - protected files in a sandbox without namespaces: changes are reverted.
bats_require_minimum_version 1.5.0

setup() {
	work=$BATS_TEST_TMPDIR
	export HOME=$work/home XDG_CACHE_HOME=$work/cache XDG_STATE_HOME=$work/state
	mkdir -m 700 "$HOME" "$XDG_CACHE_HOME" "$XDG_STATE_HOME" "$work/ws"
	export MORTISE_SANDBOX_NAMESPACES=no
	cd "$work/ws"
	unset MORTISE_SANDBOX_READ MORTISE_SANDBOX_WRITE
	mortise sandbox show --json | jq -e .handler >/dev/null || skip "calls cannot be held here"
	git init -q
	git config core.pager cat
	rm -rf .git/hooks/*
	printf '#!/bin/sh\nexit 0\n' >.git/hooks/post-commit
	chmod 755 .git/hooks/post-commit
	cp -a .git/config "$work/config"
}

inside() { timeout 120 mortise sandbox run -- "$@"; }

is_as_before() {
	cmp .git/config "$work/config"
	[ "$(stat -c %a .git/config)" = "$(stat -c %a "$work/config")" ]
	[ "$(ls -A -I '*.reverted' .git/hooks)" = post-commit ]
	[ "$(cat .git/hooks/post-commit)" = $'#!/bin/sh\nexit 0' ]
	[ "$(stat -c %a .git/hooks/post-commit)" = 755 ]
	git status >/dev/null
	[ ! -e ran ]
}

@test "what a command plants is reverted before its result is read" {
	cat >plant <<-E
	git config core.fsmonitor 'touch $work/ws/ran'
	printf '#!/bin/sh\ntouch ran\n' >.git/hooks/pre-commit
	chmod 755 .git/hooks/pre-commit
	rm .git/hooks/post-commit
	echo planted
	E
	cat >"$work/script" <<-E
	[turn]
	[call execute_bash]
	command = sh ./plant
	[turn]
	expect last contains = planted
	expect last contains = $work/ws/.git/config was changed while tools ran. The change was reverted
	expect last contains = $work/ws/.git/hooks/pre-commit was changed while tools ran
	expect last contains = $work/ws/.git/hooks/post-commit was changed
	[call execute_bash]
	command = git config --get core.fsmonitor; ls .git/hooks
	[turn]
	expect last contains = post-commit
	[call finish]
	message = Done.
	E
	run -0 timeout 120 mortise run -C "$work/ws" --model "script:$work/script" -t go -o controller.confirmation=auto
	[[ "$output" == *"The change was reverted"* ]]
	is_as_before
	grep -q fsmonitor .git/config.reverted
	[ -e .git/hooks/pre-commit.reverted ]
}

@test "what changes in the background is reverted with the next call, or at the end" {
	cat >"$work/script" <<-E
	[turn]
	[call execute_bash]
	command = (until [ -e go ]; do sleep 0.05; done; git config core.fsmonitor 'touch ran'; touch went) >/dev/null 2>&1 & echo started
	[turn]
	[call execute_bash]
	command = touch go; until [ -e went ]; do sleep 0.05; done
	[turn]
	expect last contains = .git/config was changed while tools ran. The change was reverted
	[call finish]
	message = Done.
	E
	run -0 timeout 120 mortise run -C "$work/ws" --model "script:$work/script" -t go -o controller.confirmation=auto
	is_as_before
}

@test "links, moved directories and new settings do not get around it" {
	mkdir "$work/precious"
	echo x >"$work/precious/file"
	run -0 inside sh -c "mv .git/hooks h && ln -s $work/precious .git/hooks"
	is_as_before
	[ -e "$work/precious/file" ]
	rm -rf h
	run -0 inside sh -c 'mv .git g && cp -r g .git && echo "[core] fsmonitor = touch ran" >>.git/config'
	is_as_before
	rm -rf g
	run -0 inside sh -c 'for i in 1 2 3 4 5 6 7 8 9; do echo x >.git/hooks/$i; done'
	[ "$(grep -c 'was changed while tools ran' <<<"$output")" -eq 5 ]
	[[ "$output" == *"4 more protected files were changed while tools ran"* ]]
	is_as_before
	run -0 inside sh -c 'mkdir .git/hooks/sub && touch .git/hooks/sub/x && chmod 0 .git/hooks/sub; chmod 500 .git; echo x >>.git/config'
	is_as_before
	run -0 inside sh -c 'mkdir .mortise; echo x >.mortise/ignore; echo x >.git/config.worktree'
	[[ "$output" == *"$work/ws/.mortise was changed"* ]]
	[ ! -e .mortise ]
	[ ! -e .git/config.worktree ]
	rm -rf .mortise.reverted
	mkdir -p .mortise/skills
	run -0 inside sh -c 'mkdir .mortise/skills/x .mortise/skills/y.reverted; echo x >.mortise/skills/x/SKILL.md'
	[ "$(ls -A .mortise/skills)" = "" ]
	is_as_before
	run -0 inside sh -c 'ln .git/config link && echo x >>link'
	is_as_before
}

@test "the repository of a submodule is protected" {
	git init -q "$work/sub"
	git -C "$work/sub" -c user.name=a -c user.email=a@b commit -q --allow-empty -m x
	git -c protocol.file.allow=always submodule --quiet add "$work/sub" sub
	cp -a .git/config "$work/config"
	cp .git/modules/sub/config "$work/subconfig"
	run -0 inside git -C sub config core.fsmonitor 'touch ran'
	cmp .git/modules/sub/config "$work/subconfig"
	is_as_before
}

@test "verify finds it as it was" {
	version=$(mortise sandbox --json | jq .landlock)
	[ "$version" -ge 6 ] || skip "signals need Landlock 6"
	run timeout 120 mortise sandbox verify
	[[ "$output" == *"refused    change the configuration of the repository"* ]]
	[[ "$output" == *"refused    add a hook to the repository"* ]]
	is_as_before
}

@test "a command of unknown risk runs, and work with git is not reported" {
	cat >"$work/script" <<-E
	[turn]
	[call execute_bash]
	command = ./no-such-program; touch made; git add made; git -c user.name=a -c user.email=a@b commit -qm x; git branch other
	[turn]
	expect last lacks = reverted
	[call finish]
	message = Done.
	E
	run -0 timeout 120 mortise run -C "$work/ws" --model "script:$work/script" -t go -o controller.confirmation=auto
	[ -e made ]
	git rev-parse -q --verify other
}
