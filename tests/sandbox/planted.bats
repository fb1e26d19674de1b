#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# planted.bats - outside of the sandbox, nothing runs that a workspace names: neither the
# host nor the terminal nor a command starts a program of its git configuration.
bats_require_minimum_version 1.5.0

setup() {
	work=$(realpath "$BATS_TEST_TMPDIR")
	export HOME=$work/home XDG_CACHE_HOME=$work/cache XDG_STATE_HOME=$work/state
	mkdir -m 700 "$HOME" "$XDG_CACHE_HOME" "$XDG_STATE_HOME" "$work/ws"
	cd "$work/ws"
	unset MORTISE_SANDBOX_READ MORTISE_SANDBOX_WRITE
	plant
}

# A repository with a changed file whose configuration names the program $work/plant for
# everything that git can run. It notes that it ran in $work/ran.
plant() {
	printf '#!/bin/sh\necho "$0 $*" >>%s/ran\ncat\n' "$work" >"$work/plant"
	chmod 755 "$work/plant"
	git init -q
	echo one >file
	git add file
	git -c user.name=a -c user.email=a@b commit -qm one
	echo two >file
	echo '* filter=planted diff=planted merge=planted' >.gitattributes
	for key in core.fsmonitor core.sshCommand core.pager core.editor core.askPass \
		core.alternateRefsCommand core.gitProxy sequence.editor diff.external \
		diff.planted.command diff.planted.textconv merge.planted.driver \
		filter.planted.clean filter.planted.smudge filter.planted.process gpg.program \
		gpg.ssh.program credential.helper interactive.diffFilter pager.status \
		pager.config pager.version uploadpack.packObjectsHook; do
		git config "$key" "$work/plant"
	done
	for alias in status version config rev-parse diff; do
		git config "alias.$alias" "!$work/plant"
	done
	git config core.hooksPath "$work/ws/hooks"
	git config remote.origin.url "ext::$work/plant"
	git config protocol.ext.allow always
	git config extensions.partialClone origin
	mkdir hooks .git/hooks -p
	for hook in post-index-change reference-transaction fsmonitor-watchman post-checkout \
		pre-commit; do
		cp "$work/plant" "hooks/$hook"
		cp "$work/plant" ".git/hooks/$hook"
	done
	for program in git rg bash sh mortise mortise-runner; do
		cp "$work/plant" "$program"
	done
	touch -d '1 hour ago' file
}

# nothing_ran COMMAND...: run it here, and require that no planted program ran
nothing_ran() {
	run timeout 60 "$@" </dev/null
	[ ! -e "$work/ran" ] || { echo "$*: $(cat "$work/ran")"; return 1; }
}

@test "what is planted runs with the user's own git" {
	run git status
	[ -e "$work/ran" ]
}

@test "commands and the terminal run nothing of it" {
	printf '[turn]\ntext = Done.\n' >"$work/script"
	nothing_ran mortise config show
	nothing_ran mortise doctor
	nothing_ran mortise sandbox
	nothing_ran mortise sandbox explain .git/config
	nothing_ran mortise skills
	nothing_ran mortise tools list
	nothing_ran mortise mcp list
	nothing_ran mortise policy test 'git status'
	nothing_ran mortise conversations
	nothing_ran mortise --plain -m "script:$work/script" 'look at @file'
	nothing_ran mortise conversations
}

@test "a conversation runs nothing of it outside of the sandbox" {
	cat >"$work/script" <<-END
		[turn]
		[call bash]
		command = echo changed >other; rm file
		[turn]
		text = Done.
	END
	nothing_ran mortise run -t go -m "script:$work/script"
	[ -e other ]
	nothing_ran mortise diff
	nothing_ran mortise discard
	[ -e file ]
	nothing_ran mortise run -t go -m "script:$work/script" --add-dir "$work/ws/hooks"
	printf '[turn]\ntext = Done.\n' >"$work/script"
	nothing_ran mortise resume -t again
	nothing_ran mortise fork last
}

@test "the status at the start does not run filters of the repository" {
	printf '[turn]\ntext = Done.\n' >"$work/script"
	for mode in auto off; do
		nothing_ran mortise run -t go -m "script:$work/script" -o sandbox.mode=$mode
		run ! grep -qh "M file" "$XDG_STATE_HOME"/mortise/conversations/*/events.jsonl
	done
	git config --remove-section filter.planted
	nothing_ran mortise run -t go -m "script:$work/script" -o sandbox.mode=off
	run -0 grep -h " M file" "$XDG_STATE_HOME"/mortise/conversations/*/events.jsonl
}

@test "a .git file that names another repository is not followed" {
	mkdir "$work/ws/sub" "$work/victim"
	git init -q "$work/victim"
	echo "gitdir: $work/victim/.git" >sub/.git
	cd sub
	run ! timeout 120 mortise sandbox run -- touch "$work/victim/.git/new"
	printf '[turn]\ntext = Done.\n' >"$work/script"
	nothing_ran mortise run -t go -m "script:$work/script"
}
