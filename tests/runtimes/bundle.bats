#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bundle.bats - `mortise bundle`: a runner that works in any file system.
bats_require_minimum_version 1.5.0

setup() {
	[ -x "$top_builddir/mortise-bundle-start" ] || skip "built without a static C library"
	work=$BATS_TEST_TMPDIR
	export XDG_CACHE_HOME=$work/cache
	mkdir -m 700 "$XDG_CACHE_HOME"
	# One tool is enough; the bundle is a few MB.
	mkdir "$work/plugins"
	cp "$top_builddir"/plugins/tools/bash.so "$work/plugins"
	export MORTISE_CORE_PLUGIN_PATH=$work/plugins
}

@test "the name of a bundle is a hash of its contents, and it is made once" {
	bundle=$(mortise bundle)
	[[ "$bundle" =~ ^$XDG_CACHE_HOME/mortise/bundles/[0-9a-f]{32}$ ]]
	inode=$(stat -c %i "$bundle")
	run -0 mortise bundle
	[ "$output" = "$bundle" ]
	[ "$(stat -c %i "$bundle")" = "$inode" ]

	# Another place of the same contents is another file, not another bundle.
	touch "$work/plugins/bash.so"
	run -0 mortise bundle
	[ "$output" = "$bundle" ]
	printf 'x' >>"$work/plugins/bash.so"
	run -0 mortise bundle
	[ "$output" != "$bundle" ]
	[ -d "$bundle" ]
	run -0 find "$XDG_CACHE_HOME/mortise/bundles" -name 'new-*'
	[ -z "$output" ]
}

@test "a bundle that was removed is made again" {
	bundle=$(mortise bundle)
	rm -r "$bundle"
	run -0 mortise bundle
	[ "$output" = "$bundle" ]
	[ -x "$bundle/bin/mortise-runner" ]
}

@test "without a library or program of the system, the runner and the shell start" {
	bundle=$(mortise bundle)
	unshare -Ur true 2>/dev/null || skip "no user namespaces here"
	mkdir -p "$work/root/proc"
	cp -a "$bundle" "$work/root/bundle"
	run -0 --separate-stderr unshare -Urpf --mount-proc="$work/root/proc" chroot "$work/root" \
		/bundle/bin/mortise-runner --version
	[[ "$output" == "mortise-runner "* ]]
	run -0 --separate-stderr unshare -Urpf --mount-proc="$work/root/proc" chroot "$work/root" \
		/bundle/shell/bash -c 'echo "$BASH $((6 * 7))"'
	[ "$output" = "/bundle/shell/bash 42" ]
}

@test "a runner that cannot be bundled is a sentence" {
	run -1 mortise bundle -o core.runner=/none/mortise-runner
	[ "$output" = "mortise: /none/mortise-bundle-start is not installed; build Mortise with a static C library (libc.a)" ]
	cp "$top_builddir/mortise-bundle-start" "$work"
	printf '#!/bin/sh\n' >"$work/mortise-runner"
	run -1 mortise bundle -o core.runner="$work/mortise-runner"
	[ "$output" = "mortise: $work/mortise-runner is not a 64-bit ELF program" ]
	cp "$work/mortise-bundle-start" "$work/mortise-runner"
	run -1 mortise bundle -o core.runner="$work/mortise-runner"
	[ "$output" = "mortise: $work/mortise-runner is not dynamically linked" ]
}
