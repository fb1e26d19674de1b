#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# ssh.bats - the runtime ssh, with an sshd of the present user on the loopback interface.
bats_require_minimum_version 1.5.0
load ../wait

setup_file() {
	work=$BATS_FILE_TMPDIR
	sshd=/usr/sbin/sshd
	[ -x "$top_builddir/mortise-bundle-start" ] || absent "built without a static C library" || return 0
	[ -x $sshd ] && command -v ssh-keygen >/dev/null || absent "no OpenSSH server" || return 0
	ssh-keygen -q -t ed25519 -N '' -f "$work/host"
	ssh-keygen -q -t ed25519 -N '' -f "$work/user"
	cp "$work/user.pub" "$work/authorized"
	mkdir "$work/remote-home" "$work/plugins"
	cp "$top_builddir"/plugins/tools/{bash,editor,recall}.so "$work/plugins"
	mkdir -p /run/sshd 2>/dev/null || true
	for port in $((20000 + RANDOM % 10000)) $((20000 + RANDOM % 10000)) $((20000 + RANDOM % 10000)); do
		cat >"$work/sshd_config" <<-END
			Port $port
			ListenAddress 127.0.0.1
			HostKey $work/host
			PidFile $work/sshd.pid
			AuthorizedKeysFile $work/authorized
			StrictModes no
			UsePAM no
			PasswordAuthentication no
			KbdInteractiveAuthentication no
			SetEnv HOME=$work/remote-home TMPDIR=${TMPDIR:-/tmp}
		END
		$sshd -f "$work/sshd_config" -E "$work/sshd.log" && break
	done
	[ -s "$work/sshd.pid" ] || sleep 0.2
	[ -s "$work/sshd.pid" ] || absent "sshd cannot start here" || return 0
	cat >"$work/ssh_config" <<-END
		Host there
		HostName 127.0.0.1
		HostKeyAlias there
		Port $port
		IdentityFile $work/user
		IdentitiesOnly yes
		UserKnownHostsFile $work/known
		GlobalKnownHostsFile /dev/null
	END
	printf 'there %s\n' "$(cut -d ' ' -f 1,2 "$work/host.pub")" >"$work/known"
	ssh -F "$work/ssh_config" -o BatchMode=yes there true || absent "sshd accepts no login here" || return 0
	# Shared: the bundle is made once.
	mkdir -m 700 "$work/cache"
	XDG_CACHE_HOME=$work/cache MORTISE_CORE_PLUGIN_PATH=$(plugins) mortise bundle >"$work/bundle"
}

teardown_file() {
	[ ! -s "$BATS_FILE_TMPDIR/sshd.pid" ] || kill "$(cat "$BATS_FILE_TMPDIR/sshd.pid")" || true
}

# The tools of this test are few, so the bundle is small.
plugins() {
	echo "${MORTISE_CORE_PLUGIN_PATH/"$top_builddir/plugins/tools"/$BATS_FILE_TMPDIR/plugins}"
}

setup() {
	skip_absent
	work=$BATS_FILE_TMPDIR
	mine=$BATS_TEST_TMPDIR
	export XDG_CACHE_HOME=$work/cache XDG_STATE_HOME=$mine/state HOME=$mine/home
	MORTISE_CORE_PLUGIN_PATH=$(plugins)
	mkdir -m 700 "$HOME" "$mine/ws" "$mine/far" "$XDG_STATE_HOME"
	cd "$mine/ws"
	cp "$work/ssh_config" "$work/known" "$mine"
	sed -i "s,$work/known,$mine/known," "$mine/ssh_config"
}

# play SCRIPT OPTION...
play() {
	printf '%s\n' "$1" >"$mine/script"
	shift
	timeout 120 mortise run --model "script:$mine/script" -t go \
		-o controller.runtime=ssh -o runtime.ssh.host=there -o runtime.ssh.config="$mine/ssh_config" \
		-o runtime.ssh.workspace="$mine/far" -o controller.tools=bash,editor \
		-o controller.confirmation=never "$@"
}

@test "tools run on the host, in its workspace, and the bundle is copied once" {
	rm -rf "$work/remote-home/.cache"
	run -0 play '[turn]
[call execute_bash]
command = pwd; echo "home $HOME"; echo made > made; echo "client ${SSH_CONNECTION%% *}"
[turn]
text = Done.'
	[[ "$output" == *"$mine/far"* ]]
	[[ "$output" == *"client 127.0.0.1"* ]]
	[ "$(cat "$mine/far/made")" = made ]
	[ ! -e "$mine/ws/made" ]
	bundle=$(basename "$(cat "$work/bundle")")
	[ "$(ls "$work/remote-home/.cache/mortise/bundles")" = "$bundle" ]
	run -0 diff -r "$(cat "$work/bundle")" "$work/remote-home/.cache/mortise/bundles/$bundle"

	inode=$(stat -c %i "$work/remote-home/.cache/mortise/bundles/$bundle")
	run -0 play "[turn]
[call str_replace_editor]
command = view
path = $mine/far/made
[turn]
text = Done."
	[[ "$output" == *made* ]]
	[ "$(stat -c %i "$work/remote-home/.cache/mortise/bundles/$bundle")" = "$inode" ]
}

@test "the sandbox is created on the host" {
	mortise sandbox show --json | jq -e .namespaces >/dev/null || skip "no user namespaces here"
	unset MORTISE_SANDBOX_WRITE
	echo a >"$work/remote-home/private"
	run -0 play "[turn]
[call execute_bash]
command = touch /usr/outside; echo \"code \$?\"; cat $work/remote-home/private; touch inside
[turn]
text = Done."
	[[ "$output" == *"code 1"* ]]
	[[ "$output" == *"private: No such file"* ]]
	[ ! -e /usr/outside ]
	[ -e "$mine/far/inside" ]
}

@test "tools get the variables that the user passes, and a secret is masked" {
	export NOTE='one two' MY_TOKEN=1234567890abcdef VIRTUAL_ENV=/nowhere
	run -0 play '[turn]
[call execute_bash]
command = echo "note $NOTE, length ${#MY_TOKEN}, env ${VIRTUAL_ENV-none}"; echo "$MY_TOKEN"
[turn]
text = Done.' -o core.pass_env=NOTE,MY_TOKEN,VIRTUAL_ENV
	[[ "$output" == *"note one two, length 16, env none"* ]]
	run ! grep -r "$MY_TOKEN" "$mine/state" "$work/remote-home/.cache/mortise/conversations"
}

@test "the prompt names the workspace of the host" {
	run -0 play '[turn]
text = Done.' --json
	context=$(grep -h '"workspace_context"' <<<"$output" | grep working_dir)
	[[ "$context" == *"\"working_dir\":\"$mine/far\""* ]]
}

@test "doctor starts a runner on the host" {
	mortise doctor --json -o controller.runtime=ssh -o runtime.ssh.host=there \
		-o runtime.ssh.config="$mine/ssh_config" -o runtime.ssh.workspace="$mine/far" >"$mine/out" || true
	run -0 jq -r '.[] | select(.name == "runtime") | .text' "$mine/out"
	[[ "$output" == "ssh: a runner starts and ends in "* ]]
}

# fails OPTION...: run with a runtime that cannot start a runner
fails() {
	run play '[turn]
[call execute_bash]
command = touch ran
[turn]
text = Done.' "$@"
	[ ! -e "$mine/far/ran" ]
}

@test "an unknown host key is a sentence" {
	: >"$mine/known"
	fails
	[[ "$output" == *"the host key of there is unknown; check and accept it with \`ssh there\`"* ]]
}

@test "a changed host key is a sentence" {
	printf 'there %s\n' "$(cut -d ' ' -f 1,2 "$work/user.pub")" >"$mine/known"
	fails
	[[ "$output" == *"the host key of there has changed, which may be an attack; if the change is expected, remove the old key with \`ssh-keygen -R there\`"* ]]
}

@test "a refused login is a sentence" {
	ssh-keygen -q -t ed25519 -N '' -f "$mine/other"
	sed -i "s,$work/user,$mine/other," "$mine/ssh_config"
	fails
	[[ "$output" == *"there refused the login; add a key to ssh-agent or to ssh's configuration, until \`ssh -o BatchMode=yes there true\` succeeds"* ]]
}

@test "a host without sshd, and one that does not exist, are sentences" {
	sed -i 's/^Port .*/Port 1/' "$mine/ssh_config"
	fails
	[[ "$output" == *"there refused the connection; check that sshd runs there, and that \`ssh there\` works"* ]]
	fails -o runtime.ssh.host=none.invalid
	[[ "$output" == *"the address of none.invalid is unknown; check \`host\` in [runtime.ssh]"* ]]
	fails -o runtime.ssh.host=-oProxyCommand=touch\ ran
	[ ! -e ran ]
}

# A login shell that runs what it gets with other programs.
stand_in() {
	mkdir "$mine/bin"
	cat >"$mine/bin/$1"
	chmod 755 "$mine/bin/$1"
	sed "s,^,command=\"PATH=$mine/bin:\$PATH; eval \\\\\"\$SSH_ORIGINAL_COMMAND\\\\\"\" ," "$work/user.pub" >"$work/authorized"
}

@test "a full disk and another architecture are sentences, and leave no part of a bundle" {
	rm -rf "$work/remote-home/.cache"
	stand_in tar <<<'#!/bin/sh
cat > /dev/null; echo "tar: bin: Cannot write: No space left on device" >&2; exit 2'
	fails
	[[ "$output" == *"the disk of there is full: the bundle cannot be copied to ~/.cache/mortise of there; free some space there"* ]]
	[ -z "$(ls "$work/remote-home/.cache/mortise/bundles")" ]
	rm -r "$mine/bin"
	stand_in uname <<<'#!/bin/sh
case $1 in -m) echo riscv64 ;; *) echo Linux ;; esac'
	fails
	cp "$work/user.pub" "$work/authorized"
	[[ "$output" == *"there is a Linux-riscv64 system, but this runner is for Linux-$(uname -m); choose another \`host\` in [runtime.ssh]"* ]]
}

# ended COMMAND: no process has this command line
ended() { ! pgrep -f "$1" >/dev/null; }

@test "after a cut, the call is an error, and the next one has a new connection" {
	play '[turn]
[call execute_bash]
command = echo first > first; sleep 643.5
[turn]
[call execute_bash]
command = echo second > second
[turn]
text = Done.' >"$mine/out" 2>&1 &
	run=$!
	until_true [ -s "$mine/far/first" ]
	client=$(pgrep -f "^ssh -T .* -F $mine/ssh_config ")
	kill -9 "$client"
	wait "$run"
	grep -q 'runner exited' "$mine/out"
	[ "$(cat "$mine/far/second")" = second ]
	until_true ended 'sleep 643[.]5'
}

@test "kill -9 of the conversation ends the tools there, and the conversation resumes on the host" {
	play '[turn]
[call execute_bash]
command = echo first > first; sleep 644.5
[turn]
[call execute_bash]
command = echo resumed > resumed
[turn]
text = Done.' >"$mine/out" 2>&1 &
	run=$!
	until_true [ -s "$mine/far/first" ]
	kill -9 "$(pgrep -f "^mortise run .*$mine/script ")"
	wait "$run" || true
	until_true ended 'sleep 644[.]5'
	run -0 timeout 120 mortise resume -t more
	[ "$(cat "$mine/far/resumed")" = resumed ]
}
