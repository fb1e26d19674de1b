#!/bin/sh
# SPDX-License-Identifier: MIT
# snapshots-large.sh - 100,000 small files and a file of 2 GB stay within the limit of the
# disk, the first request is not delayed, and everything comes back. Optional, because it
# takes minutes: make check TESTS=tests/controller/snapshots-large.sh LARGE=yes
[ "$LARGE" = yes ] || { echo "1..0 # SKIP LARGE=yes runs it"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The command deletes files, and writes outside of the workspace.
export MORTISE_CONTROLLER_CONFIRMATION=never MORTISE_SANDBOX_WRITE=$work
mkdir -m 700 "$work/state"
mkdir "$work/ws"
export XDG_STATE_HOME="$work/state"
cd "$work/ws" || exit 1
count=0

check() { # check NAME COMMAND...
	count=$((count + 1))
	name=$1
	shift
	if "$@"; then
		echo "ok $count - $name"
	else
		echo "not ok $count - $name"
	fi
}

state() {
	find "$work/ws" -printf '%p %y %m %T@\n' | sort | sha256sum
	find "$work/ws" -name '*.txt' -print0 | sort -z | xargs -0 cat | sha256sum
}

seq 1000 | while read -r d; do
	mkdir "d$d"
	for f in 0 1 2 3 4 5 6 7 8 9; do
		for g in 0 1 2 3 4 5 6 7 8 9; do
			echo "$d $f $g" > "d$d/$f$g.txt"
		done
	done
done
head -c 2000000000 /dev/zero > big.bin
cat > "$work/script" <<'END'
[turn]
[call execute_bash]
command = rm -rf d1*; date +%s.%N >../acted

[turn]
[call finish]
message = done
END
state > "$work/before"
for limit in 64M 4G; do
	rm -rf "$work/state/mortise"
	mortise run -C "$work/ws" -m "script:$work/script" -t go \
		-o "workspace.snapshot_file=$limit" -j > "$work/out"
	size=$(du -s --block-size=1M "$work"/state/mortise/conversations/*/snapshots | cut -f1)
	echo "# snapshot_file = $limit: $size MB"
	check "$limit: the store is within its limit" [ "$size" -lt 1100 ]
	check "$limit: the large file is named" grep -q 'do not cover: big.bin' "$work/out"
	check "$limit: the files are gone" [ ! -e d1/00.txt ]
	mortise discard --json > "$work/report"
	check "$limit: they are restored" [ "$?" -eq 0 ]
	state > "$work/after"
	check "$limit: every byte, mode and time" cmp -s "$work/before" "$work/after"
done
echo "1..$count"
