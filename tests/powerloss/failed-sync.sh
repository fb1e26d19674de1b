#!/bin/bash
[ -n "$BASH_VERSION" ] || exec bash "$0" "$@"
# SPDX-License-Identifier: MIT
# failed-sync.sh - each sync of a conversation fails once, and those behind it succeed
# again, as they do after a real failure: the conversation ends with one error, which is
# reported once, and nothing leaves it after that: no request, no call, no acknowledgment.
case $SANITIZE in *address*) echo "1..0 # SKIP the sanitizer wants to be loaded first"; exit 0 ;; esac
tools=$top_builddir/tests/powerloss
work=$(realpath "$(mktemp -d)")
# The library that records or fails calls writes its journal there.
export MORTISE_SANDBOX_WRITE=$work
trap '[ -z "$model" ] || kill "$model"; until_true remove' EXIT
export OPENAI_API_KEY=sk-of-a-test
# The work continues if a snapshot of the workspace cannot be synced.
export MORTISE_WORKSPACE_SNAPSHOTS=no

n=0
tell() { # tell STATUS NAME
	n=$((n + 1))
	if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}
. "$top_srcdir/tests/wait.bash"
# a runner that is still ending appends to its journal
remove() { rm -rf "$work" 2>/dev/null; }

mkfifo "$work/hold"
begin_model() {
	"$tools/model" --steps 3 --command 'printf %020000d {i}; echo {i} >>ran' \
		--log "$work/model.log" <"$work/hold" >"$work/model.out" &
	model=$!
	exec 8>"$work/hold"
	until_true grep -q '^port ' "$work/model.out"
	base=http://127.0.0.1:$(sed -n 's/^port //p' "$work/model.out")/v1
}
end_model() {
	exec 8>&-
	wait "$model"
	model=
}

one() { # one NAME N: with the N-th sync failing
	rm -rf "$work/run" "$work/state" "$work/ws" "$work/journal"
	mkdir -m 700 "$work/run" "$work/state" "$work/ws"
	export XDG_RUNTIME_DIR=$work/run XDG_STATE_HOME=$work/state
	: >"$work/model.out"
	begin_model
	"$1" "$2" >"$work/out" 2>"$work/err" 8>&-
	code=$?
	end_model
}
# The host does not pass LD_PRELOAD to the runner, which creates the files of long output.
cat >"$work/runner" <<END
#!/bin/sh
export LD_PRELOAD=$tools/record.so POWERLOSS_ROOT=$work/state POWERLOSS_JOURNAL=$work/journal
exec $top_builddir/mortise-runner "\$@"
END
chmod 700 "$work/runner"

preloaded() {
	MORTISE_CORE_RUNNER=$work/runner LD_PRELOAD=$tools/record.so \
		POWERLOSS_ROOT=$work/state POWERLOSS_JOURNAL=$work/journal \
		POWERLOSS_FAIL=$1 timeout 120 mortise run -C "$work/ws" -m openai/mock \
		-o "llm.base_url=$base" "${@:2}"
}
task() { preloaded "$1" --json -t "a task"; }
text() { preloaded "$1" -t "a task"; }
message() { # the message comes by a command, which is acknowledged
	{
		echo '{"type":"message","id":1,"text":"go"}'
		until_true grep -q 'exit_code\|^mortise: ' "$work/out" "$work/err"
		echo '{"type":"message","id":2,"text":"on"}'
		until_true grep -q '"type":"result","id":2\|^mortise: ' "$work/out" "$work/err"
	} | preloaded "$1" --json --keep
}
# One line reports the failure, with the path. Clients that read JSON get it once more, in
# the line about the end and in the answer to a command.
reported_once() {
	local lines
	lines=$(cat "$work/out" "$work/err" | grep -v '"type":"\(end\|result\)"' |
		grep 'cannot [a-z]* /\|did not start a step')
	[[ $lines == *"cannot sync $work/state/mortise"* && $lines != *$'\n'* ]]
}

for job in task text message; do
	for ((i = 1; i < 200; i++)); do
		one "$job" "$i"
		if [ ! -s "$work/journal" ]; then
			tell 1 "$job: nothing was recorded"
			break
		fi
		"$tools/simulate" "$work/journal" "$work/state" failed >"$work/told"
		status=$?
		! grep -q '^no sync failed' "$work/told" || break
		((status == 0 && code > 0 && code < 124)) && reported_once
		failed=$?
		tell $failed "$job: nothing leaves after sync $i failed, reported once (exit code $code)"
		[ "$failed" = 0 ] ||
			sed 's/^/# /' "$work/told" "$work/err" <(tail -n 5 "$work/out" | cut -c 1-300)
	done
	((i > 8 && code == 0))
	tell $? "$job: it has $((i - 1)) syncs, and succeeds without a failure"
done
echo "1..$n"
