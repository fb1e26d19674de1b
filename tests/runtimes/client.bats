#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# client.bats - environment and arguments of the programs that start a runner elsewhere
# (docker, ssh).
bats_require_minimum_version 1.5.0

setup() {
	work=$BATS_TEST_TMPDIR
	[ -x "$top_builddir/mortise-bundle-start" ] || skip "built without a static C library"
	export HOME=$work/home XDG_STATE_HOME=$work/s XDG_CACHE_HOME=$work/cache
	mkdir -m 700 "$HOME" "$XDG_STATE_HOME" "$XDG_CACHE_HOME" "$work/ws" "$work/bin"
	printf '#!/bin/sh\nenv >"%s"\nprintf "%%s\\n" "$@" >"%s"\nexit 3\n' "$work/seen" "$work/arguments" >"$work/bin/engine"
	ln -s engine "$work/bin/ssh"
	chmod +x "$work/bin/engine"
	printf '[turn]\n[call execute_bash]\ncommand = true\n[turn]\ntext = Done.\n' >"$work/script"
	cd "$work/ws"
}

# start RUNTIME OPTION...: with variables, of which some are secret
start() {
	run env PATH="$work/bin:$PATH" OPENAI_API_KEY=secret-1 ANTHROPIC_API_KEY=secret-2 \
		MY_PASSWORD=secret-3 NOTE=secret-5 AWS_SECRET_ACCESS_KEY=secret-4 \
		DOCKER_HOST=unix:///nowhere SSH_AUTH_SOCK=/nowhere HTTPS_PROXY=http://proxy:1 \
		timeout 60 mortise run --model "script:$work/script" -t go \
		-o controller.confirmation=never -o core.pass_env=NOTE -o controller.runtime="$@"
	[ -s "$work/seen" ] || {
		echo "$output"
		return 1
	}
}

@test "the client of an engine gets the variables that clients need, and no others" {
	start docker -o runtime.docker.engine="$work/bin/engine" -o runtime.docker.image=any
	run ! grep secret "$work/seen"
	run ! grep ^MORTISE_ "$work/seen"
	for name in HOME PATH DOCKER_HOST SSH_AUTH_SOCK HTTPS_PROXY XDG_CACHE_HOME; do
		grep "^$name=" "$work/seen"
	done
}

@test "ssh gets the variables that it needs, and no others" {
	start ssh -o runtime.ssh.host=nowhere
	run ! grep secret "$work/seen"
	run ! grep ^MORTISE_ "$work/seen"
	for name in HOME PATH SSH_AUTH_SOCK; do
		grep "^$name=" "$work/seen"
	done
}

@test "GPUs, as the engine names them" {
	ln -s engine "$work/bin/podman"
	start docker -o runtime.docker.engine="$work/bin/engine" -o runtime.docker.image=any -o runtime.docker.gpus=all
	grep -A1 -x -e --gpus "$work/arguments" | grep -x all
	start docker -o runtime.docker.engine="$work/bin/engine" -o runtime.docker.image=any -o runtime.docker.gpus=1
	grep -A1 -x -e --gpus "$work/arguments" | grep -x device=1
	start docker -o runtime.docker.engine="$work/bin/podman" -o runtime.docker.image=any -o runtime.docker.gpus=0
	grep -A1 -x -e --device "$work/arguments" | grep -x nvidia.com/gpu=0
}
