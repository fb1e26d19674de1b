#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# docker.bats - the runtime docker, with an engine of its own and images made of files of
# this system.
bats_require_minimum_version 1.5.0
load ../wait

setup_file() {
	work=$BATS_FILE_TMPDIR
	[ -x "$top_builddir/mortise-bundle-start" ] || absent "built without a static C library" || return 0
	command -v dockerd >/dev/null && command -v docker >/dev/null || absent "no Docker Engine" || return 0
	[ "$(id -u)" = 0 ] || absent "dockerd needs root" || return 0
	busybox=$(command -v busybox) && ! ldd "$busybox" >/dev/null 2>&1 || absent "no static busybox" || return 0
	run_dir=$(mktemp -d "${TMPDIR:-/tmp}/dockerd-XXXXXX")
	echo "$run_dir" >"$work/run_dir"
	dockerd --host "unix://$run_dir/socket" --data-root "$run_dir/data" --exec-root "$run_dir/exec" \
		--pidfile "$run_dir/pid" --iptables=false --bridge=none \
		--default-ulimit nofile=1024:1024 >"$work/dockerd.log" 2>&1 3>&- &
	echo $! >"$work/dockerd.pid"
	for ((i = 0; i < 150; i++)); do
		docker -H "unix://$run_dir/socket" version >/dev/null 2>&1 && break
		kill -0 "$(cat "$work/dockerd.pid")" 2>/dev/null || break
		sleep 0.1
	done
	export DOCKER_HOST=unix://$run_dir/socket
	docker version >/dev/null 2>&1 || absent "dockerd cannot start here" || return 0
	mkdir -p "$work/root/bin" "$work/plugins" "$work/none"
	cp "$busybox" "$work/root/bin/busybox"
	for name in sh ls cat touch id env; do
		ln -s busybox "$work/root/bin/$name"
	done
	tar -C "$work/root" -c . | docker import - busybox >/dev/null
	tar -C "$work/none" -c . | docker import - nothing >/dev/null
	docker run --rm --network none busybox sh -c true || absent "dockerd cannot run containers here" || return 0
	cp "$top_builddir"/plugins/tools/{bash,editor,ffi,recall,search}.so "$work/plugins"
	mkdir -m 700 "$work/cache"
}

teardown_file() {
	[ -s "$BATS_FILE_TMPDIR/dockerd.pid" ] || return 0
	pid=$(cat "$BATS_FILE_TMPDIR/dockerd.pid")
	kill "$pid" 2>/dev/null || true
	for ((i = 0; i < 150; i++)); do
		kill -0 "$pid" 2>/dev/null || break
		sleep 0.1
	done
	rm -rf "$(cat "$BATS_FILE_TMPDIR/run_dir")"
}

setup() {
	skip_absent
	work=$BATS_FILE_TMPDIR
	mine=$BATS_TEST_TMPDIR
	export XDG_CACHE_HOME=$work/cache XDG_STATE_HOME=$mine/state HOME=$mine/home
	MORTISE_CORE_PLUGIN_PATH=${MORTISE_CORE_PLUGIN_PATH/"$top_builddir/plugins/tools"/$work/plugins}
	mkdir -m 700 "$HOME" "$mine/ws" "$XDG_STATE_HOME"
	cd "$mine/ws"
}

teardown() {
	left=$(docker ps -aq 2>/dev/null) || true
	[ -z "$left" ] || docker rm -f $left >/dev/null
}

# play SCRIPT OPTION...
play() {
	printf '%s\n' "$1" >"$mine/script"
	shift
	timeout 120 mortise run --model "script:$mine/script" -t go \
		-o controller.runtime=docker -o runtime.docker.image=busybox -o runtime.docker.network=none \
		-o controller.tools=bash,editor -o controller.confirmation=never "$@"
}

is_gone() { [ -z "$(docker ps -aq)" ]; }

# gone: no container is left
gone() {
	until_true is_gone && return
	docker ps -a
	return 1
}

work_script() {
	cat <<-END
		[turn]
		[call execute_bash]
		command = echo "shell \${BASH_VERSION%%.*} in \$PWD"; [ -e /usr ] || echo 'no usr'; echo made > made
		[turn]
		[call str_replace_editor]
		command = str_replace
		path = $mine/ws/made
		old_str = made
		new_str = changed
		[turn]
		text = Done.
	END
}

@test "the shell and the editor work in an image without bash and the C library" {
	run -0 play "$(work_script)"
	[[ "$output" == *"shell 5 in $mine/ws"* ]]
	[[ "$output" == *"no usr"* ]]
	[ "$(cat made)" = changed ]
	gone
	[ -z "$(docker volume ls -q)" ]
}

# image_of NAME PROGRAM... : with these programs of this system and their libraries
image_of() {
	local name=$1 root=$mine/$1 file
	mkdir -p "$root/bin" "$root/lib64"
	for file in "${@:2}"; do
		file=$(command -v "$file")
		cp -L "$file" "$root/bin"
		ldd "$file" | grep -o '/[^ ]*' | while read -r library; do
			mkdir -p "$root${library%/*}"
			cp -L "$library" "$root$library"
		done
	done
	tar -C "$root" -c . | docker import - "$name" >/dev/null
}

# An image whose programs are linked against musl, if it is installed.
musl_image() {
	local loader=/lib/ld-musl-$(uname -m).so.1
	[ -e "$loader" ] || return 1
	cp -R "$work/root" "$mine/musl"
	mkdir -p "$mine/musl/lib"
	cp "$loader" "$mine/musl/lib"
	ln -s "${loader##*/}" "$mine/musl/lib/libc.musl-$(uname -m).so.1"
	tar -C "$mine/musl" -c . | docker import - musl >/dev/null
}

all_tools_script() {
	work_script | sed '$d' | sed '$d'
	cat <<-END
		[turn]
		[call grep]
		pattern = changed
		[turn]
		expect last contains = 1 file
		[call glob]
		pattern = ma*
		[turn]
		expect last contains = /ws/made
		[call cos]
		x = 1
		[turn]
		expect last contains = 0.5403023058681398
		text = Done.
	END
}

@test "shell, editor, search and C functions work with any C library" {
	image_of glibc bash ls cat
	images="busybox nothing glibc"
	export XDG_CONFIG_HOME=$HOME/.config
	mkdir -p -m 700 "$XDG_CONFIG_HOME/mortise"
	if musl_image; then images+=" musl"; fi
	printf '[tool.angles]\nplugin = ffi\nlibrary = libm.so.6\nsymbol = cos\nreturns = double\narg.x = double\n' \
		>"$XDG_CONFIG_HOME/mortise/mortise.ini"
	for image in $images; do
		rm -f made
		echo "in $image:"
		run play "$(all_tools_script)" -o controller.tools=bash,editor,search,angles \
			-o runtime.docker.image="$image"
		echo "$output"
		[ "$status" -eq 0 ]
		[[ "$output" == *"shell 5 in $mine/ws"* ]]
		[ "$(cat made)" = changed ]
	done
	gone
	[ -z "$(docker volume ls -q)" ]
	[[ "$images" == *musl ]] || skip "musl is not installed; the others work"
}

@test "doctor starts a runner in the container" {
	mortise doctor --json -o controller.runtime=docker -o runtime.docker.image=busybox \
		-o runtime.docker.network=none >"$mine/out" || true
	run -0 jq -r '.[] | select(.name == "runtime") | .text' "$mine/out"
	[[ "$output" == "docker: a runner starts and ends in "* ]]
	gone
	mortise doctor --json -o controller.runtime=docker -o runtime.docker.image=nosuch >"$mine/out" || true
	run -0 jq -r '.[] | select(.name == "runtime") | .level + " " + .text' "$mine/out"
	[[ "$output" == "problem docker: "*"found no image nosuch"* ]]
}

@test "tools get the variables that the user passes, and a secret is masked" {
	export NOTE='one two' MY_TOKEN=1234567890abcdef VIRTUAL_ENV=/nowhere
	run -0 play '[turn]
[call execute_bash]
command = echo "note $NOTE, length ${#MY_TOKEN}, env ${VIRTUAL_ENV-none}"; echo "$MY_TOKEN"
[turn]
text = Done.' -o core.pass_env=NOTE,MY_TOKEN,VIRTUAL_ENV
	[[ "$output" == *"note one two, length 16, env none"* ]]
	run ! grep -r "$MY_TOKEN" "$mine/state"
}

@test "they work in an image without any file" {
	run -0 play "$(work_script)" -o runtime.docker.image=nothing
	[[ "$output" == *"shell 5 in $mine/ws"* ]]
	[ "$(cat made)" = changed ]
	gone
}

@test "user, limits, mounts, labels and a read-only image are those of the configuration" {
	chmod 711 "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR"/* 2>/dev/null || true
	mkdir "$mine/data"
	echo given >"$mine/data/file"
	play '[turn]
[call execute_bash]
command = cat /data/file; touch /data/new || echo "data kept"; touch /new || echo "image kept"; touch /tmp/t && echo "tmp ok"; touch inspected; while [ -e inspected ]; do :; done
[turn]
text = Done.' -o runtime.docker.mounts="$mine/data:/data:ro" -o runtime.docker.memory=300m \
		-o runtime.docker.processes=77 -o runtime.docker.cpus=1.5 -o runtime.docker.read_only=yes \
		-o runtime.docker.labels=team=blue,stage=two >"$mine/out" 2>&1 3>&- &
	run=$!
	until_true [ -e inspected ]

	docker inspect "$(docker ps -q)" >"$mine/inspect"
	rm inspected
	wait "$run"
	jq -e '.[0].HostConfig | .Memory == 314572800 and .PidsLimit == 77 and .NanoCpus == 1500000000
		and .ReadonlyRootfs and .NetworkMode == "none"' "$mine/inspect"
	jq -e --arg user "$(id -u):$(id -g)" '.[0].Config | .User == $user
		and .Labels.team == "blue" and .Labels.stage == "two"
		and (.Labels["mortise.conversation"] | test("^[0-9]{8}-"))' "$mine/inspect"
	for text in given "data kept" "image kept" "tmp ok"; do
		grep -q "$text" "$mine/out"
	done
	[ ! -e "$mine/data/new" ]
}

@test "kill -9 of the conversation, of the client, and of what is between: nothing is left" {
	for name in 'mortise run ' 'mortise start-runner ' 'docker run '; do
		rm -f started
		play '[turn]
[call execute_bash]
command = echo > started; while :; do :; done
[turn]
text = Done.' >"$mine/out" 2>&1 3>&- &
		run=$!
		until_true [ -e started ]
		[ -e started ]
		pid=$(pgrep -o -f "^[^ ]*$name.*$mine/")
		kill -9 "$pid"
		wait "$run" || true
		gone
	done
}

# fails OPTION...: run with a runtime that cannot start a runner
fails() {
	run play '[turn]
[call execute_bash]
command = touch ran
[turn]
text = Done.' "$@"
	[ ! -e ran ]
}

@test "a kept container has its files when the conversation is resumed" {
	for ((i = 0; i < 6; i++)); do
		printf '[turn]\n[call execute_bash]\ncommand = (cat /kept || echo none) >seen 2>/dev/null; echo line >>/kept\n[turn]\ntext = Done.\n'
	done >"$mine/again"
	# once ID OPTION...: the next of these commands
	once() {
		local id=$1
		shift
		timeout 120 mortise resume "$id" -t go --model "script:$mine/again" -o sandbox.write=/ "$@"
	}
	run -0 play "$(cat "$mine/again")" -o runtime.docker.keep=yes -o sandbox.write=/
	[ "$(cat seen)" = none ]
	id=$(ls "$mine/state/mortise/conversations" | head -n 1)
	[ "$(docker ps -a --filter "label=mortise.conversation=$id" --format '{{.Names}}')" = "mortise-$id" ]
	[ -z "$(docker ps -q)" ]
	container=$(docker ps -aq)

	run -0 once "$id"
	[ "$(cat seen)" = line ]
	[ "$(docker ps -aq)" = "$container" ]

	# With other options it is another container with the same files.
	run -0 once "$id" -o runtime.docker.memory=200m
	[ "$(cat seen)" = $'line\nline' ]
	[ "$(docker ps -aq | wc -l)" = 1 ]
	[ "$(docker ps -aq)" != "$container" ]
	[ "$(docker inspect -f '{{.HostConfig.Memory}}' "mortise-$id")" = 209715200 ]

	# A process that was killed while it replaced the container left both, or only the new one.
	docker rename "mortise-$id" "mortise-$id-next"
	run -0 once "$id" -o runtime.docker.memory=200m
	[ "$(cat seen)" = $'line\nline\nline' ]
	[ "$(docker ps -a --format '{{.Names}}')" = "mortise-$id" ]

	# Another image has other files.
	docker tag busybox other
	run -0 once "$id" -o runtime.docker.image=other
	[ "$(cat seen)" = none ]
	[ "$(docker ps -aq | wc -l)" = 1 ]
}

@test "kill -9 of a conversation stops a kept container, and it is resumed" {
	printf '[turn]\n[call execute_bash]\ncommand = echo one >/kept; touch begun; sleep 60\n[turn]\n[call execute_bash]\ncommand = cat /kept >seen\n[turn]\n[call execute_bash]\ncommand = cat /kept >seen\n[turn]\ntext = Done.\n[turn]\ntext = Done.\n' >"$mine/script"
	mortise run --model "script:$mine/script" -t go -o controller.runtime=docker -o runtime.docker.image=busybox \
		-o runtime.docker.network=none -o controller.tools=bash -o controller.confirmation=never \
		-o runtime.docker.keep=yes -o sandbox.write=/ >/dev/null 2>&1 3>&- &
	pid=$!
	until_true test -e begun
	kill -9 "$pid"
	stopped() { [ -z "$(docker ps -q)" ]; }
	until_true stopped
	id=$(ls "$mine/state/mortise/conversations" | head -n 1)
	timeout 120 mortise resume "$id" -t go --model "script:$mine/script" -o sandbox.write=/
	[ "$(cat seen)" = one ]
	[ "$(docker ps -aq | wc -l)" = 1 ]
}

@test "failures are sentences" {
	fails -o runtime.docker.image=localhost:1/none
	[[ "$output" == *"docker found no image localhost:1/none; build or pull it, or correct \`image\` in [runtime.docker]"* ]]
	DOCKER_HOST=unix://$mine/none fails
	[[ "$output" == *"docker cannot reach its daemon to run busybox; start the daemon, or set DOCKER_HOST"* ]]
	fails -o runtime.docker.engine="$mine/none"
	[[ "$output" == *"cannot start $mine/none: No such file or directory"* ]]
	fails -o runtime.docker.network=absent
	[[ "$output" == *"network absent not found"* ]]
	# Registries are not reachable here: what the engine prints about a login.
	mkdir "$mine/bin"
	printf '#!/bin/sh\necho "Error response from daemon: unauthorized: authentication required" >&2\nexit 125\n' >"$mine/bin/engine"
	chmod 755 "$mine/bin/engine"
	fails -o runtime.docker.engine="$mine/bin/engine"
	[[ "$output" == *"engine got no access to the image busybox; log in to its registry with the command \`login\`"* ]]
	gone
}

@test "podman runs the same" {
	command -v podman >/dev/null || skip "no podman"
	dir=$(cat "$work/run_dir")
	printf '[containers]\ndefault_ulimits=["nofile=1024:1024","nproc=4096:4096"]\n[engine]\nruntime="runc"\ncgroup_manager="cgroupfs"\nevents_logger="none"\n' >"$mine/containers.conf"
	printf '[storage]\ndriver="vfs"\nrunroot="%s/prun"\ngraphroot="%s/pdata"\n' "$dir" "$dir" >"$mine/storage.conf"
	export CONTAINERS_CONF=$mine/containers.conf CONTAINERS_STORAGE_CONF=$mine/storage.conf
	tar -C "$work/root" -c . | podman import - localhost/busybox >/dev/null 2>&1 || skip "podman cannot be used here"
	podman run --rm --network none localhost/busybox sh -c true || skip "podman cannot run containers here"
	run -0 play "$(work_script)" -o runtime.docker.engine=podman -o runtime.docker.image=localhost/busybox
	[[ "$output" == *"shell 5 in $mine/ws"* ]]
	[ "$(cat made)" = changed ]
	[ -z "$(podman ps -aq)" ]

	script='[turn]
[call execute_bash]
command = (cat /kept || echo none) >seen 2>/dev/null; echo line >>/kept
[turn]
text = Done.'
	options=(-o runtime.docker.engine=podman -o runtime.docker.image=localhost/busybox -o sandbox.write=/)
	printf '%s\n%s\n%s\n' "$script" "$script" "$script" >"$mine/again"
	play "$(cat "$mine/again")" "${options[@]}" -o runtime.docker.keep=yes
	id=$(ls -t "$mine/state/mortise/conversations" | head -n 1)
	timeout 120 mortise resume "$id" -t go --model "script:$mine/again" "${options[@]}"
	[ "$(cat seen)" = line ]
	timeout 120 mortise resume "$id" -t go --model "script:$mine/again" "${options[@]}" -o runtime.docker.memory=200m
	[ "$(cat seen)" = $'line\nline' ]
	[ "$(podman ps -a --format '{{.Names}}')" = "mortise-$id" ]
	podman rm -f "mortise-$id"

	fails -o runtime.docker.engine=podman -o runtime.docker.image=localhost/none
	[[ "$output" == *"podman found no image localhost/none"* ]]
}
