#!/bin/bash
[ -n "$BASH_VERSION" ] || exec bash "$0" "$@"
# SPDX-License-Identifier: MIT
# powerloss.sh - simulated losses of power: what had been acknowledged is on the disk,
# whatever else of it is lost, and every conversation is opened, shown, exported, and
# resumed. record.c writes down what real conversations do to their files, simulate.c
# makes of it what a disk may hold afterwards.
#
# POWERLOSS_CASES (default 60) and POWERLOSS_FIRST (the number of the first case) can be
# set.
case $SANITIZE in *address*) echo "1..0 # SKIP the sanitizer wants to be loaded first"; exit 0 ;; esac
cases=${POWERLOSS_CASES:-60}
first=${POWERLOSS_FIRST:-0}
tools=$top_builddir/tests/powerloss
work=$(realpath "$(mktemp -d)")
# The library that records or fails calls writes its journal there.
export MORTISE_SANDBOX_WRITE=$work
# A snapshot may still be written when its journal is read.
export MORTISE_WORKSPACE_SNAPSHOTS=no
trap '[ -z "$model" ] || kill "$model"; until_true remove' EXIT
mkdir -m 700 "$work/ws" "$work/run"
export XDG_RUNTIME_DIR=$work/run OPENAI_API_KEY=sk-of-a-test

# a runner that is still ending appends to its journal
remove() { rm -rf "$work" 2>/dev/null; }

n=0
tell() { # tell STATUS NAME
	n=$((n + 1))
	if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}
. "$top_srcdir/tests/wait.bash"
# ---- what is recorded --------------------------------------------------------------

mkfifo "$work/hold"
"$tools/model" --steps 3 --command 'echo step {i}' --log "$work/model.log" \
	<"$work/hold" >"$work/model.out" &
model=$!
exec 8>"$work/hold"
until_true grep -q '^port ' "$work/model.out"
base=http://127.0.0.1:$(sed -n 's/^port //p' "$work/model.out")/v1

cat >"$work/script" <<'END'
[turn]
text = I look.
[call execute_bash]
command = echo one
[call think]
thought = two calls

[turn]
[call execute_bash]
command = head -c 25000 /dev/zero | tr '\0' x

[turn]
[call execute_bash]
command = seq 20000

[turn]
[call task_tracker]
command = plan
task_list = [{"id": "1", "title": "look", "status": "todo"}]
[call finish]
message = done

[turn]
[call execute_bash]
command = echo again

[turn]
[call finish]
message = done again

[turn]
[call finish]
message = done at last
END
for i in {1..40}; do printf '[turn]\n[call finish]\nmessage = done\n\n'; done >"$work/end"

# The host does not pass LD_PRELOAD to the runner, whose workers write the files of output.
cat >"$work/runner" <<END
#!/bin/sh
. "$work/recording"
export LD_PRELOAD=$tools/record.so POWERLOSS_ROOT POWERLOSS_JOURNAL
exec $top_builddir/mortise-runner "\$@"
END
chmod 700 "$work/runner"

recorded() { # NAME COMMAND...: run with everything written down
	local name=$1
	shift
	printf 'POWERLOSS_ROOT=%s\nPOWERLOSS_JOURNAL=%s\n' "$XDG_STATE_HOME" "$journal" \
		>"$work/recording"
	MORTISE_CORE_RUNNER=$work/runner LD_PRELOAD=$tools/record.so POWERLOSS_ROOT=$XDG_STATE_HOME POWERLOSS_JOURNAL=$journal \
		"$@" >"$work/out" 2>"$work/err"
	local code=$?
	[ "$code" = 0 ] || sed 's/^/# /' "$work/err"
	return "$code"
}
job() {
	recorded "$@"
	tell $? "recorded: $1"
}
newest() { ls -t "$XDG_STATE_HOME/mortise/conversations" | head -n 1; }
begin_journal() {
	export XDG_STATE_HOME=$work/$1
	journal=$work/$1.journal
	mkdir -m 700 "$XDG_STATE_HOME"
}
end_journal() {
	"$tools/simulate" "$journal" "$XDG_STATE_HOME" verify
	tell $? "the journal $1 explains every file"
}
lines_to() { # a conversation that receives commands while it runs
	{
		echo '{"type":"message","text":"go"}'
		until_true grep -q '"type":"state","state":"finished"' "$work/out"
		echo '{"type":"message","text":"and now"}'
		until_true grep -q 'done again' "$work/out"
	} | mortise run --json --keep -C "$work/ws" -m "script:$work/script"
}
export -f lines_to until_true 2>/dev/null
export work

begin_journal life
mkdir "$work/ws/.mortise"
printf '[llm]\n' >"$work/ws/.mortise/mortise.ini"
job "a project is trusted" mortise config -C "$work/ws" trust
job "a first conversation" mortise run --json -C "$work/ws" -m "script:$work/script" -t "a task"
id=$(newest)
job "it is resumed with another setting" mortise resume --json "$id" -t "more" \
	-o core.sync=barrier
job "it is forked" mortise fork "$id"
fork=$(ls "$XDG_STATE_HOME/mortise/conversations" | grep -v "^$id$")
mortise conversations export "$id" "$work/exported" 2>/dev/null
job "it is imported" mortise conversations import "$work/exported"
job "a model is asked" mortise run -q -C "$work/ws" -m openai/mock -o "llm.base_url=$base" -t "a task"
job "messages come while it runs" bash -c lines_to
job "the fork continues" mortise resume --json "$fork" -t "another way"
job "the fork is deleted" mortise conversations delete "$fork"
job "older ones are pruned" mortise conversations prune --keep 3
end_journal life

begin_journal each
job "each event is synced" mortise run --json -C "$work/ws" -m "script:$work/script" \
	-o core.sync=event -t "a task"
end_journal each

# ---- what is left of it --------------------------------------------------------------

# One sentence and no crash. fine CODE ERRORS
fine() { (($1 < 128)) && { (($1 == 0)) || [ -s "$2" ]; }; }

# check ID EVENTS: a conversation of the image; what is wrong goes to $work/wrong
check() {
	local id=$1 events=$2 code
	timeout 120 mortise conversations show "$id" --json --all >"$work/shown" 2>"$work/err"
	code=$?
	fine "$code" "$work/err" || echo "show: exit code $code" >>"$work/wrong"
	if ((events >= 0)); then
		((code == 0)) || echo "show: $(cat "$work/err")" >>"$work/wrong"
		jq -c "select(.id < $events)" "$work/shown" >"$work/promised"
		(($(wc -l <"$work/promised") == events)) || echo "show: events are gone" >>"$work/wrong"
		! grep 'of this conversation is missing' "$work/promised" >>"$work/wrong"
	fi
	timeout 120 mortise conversations export "$id" >"$work/exported" 2>"$work/err"
	code=$?
	fine "$code" "$work/err" || echo "export: exit code $code" >>"$work/wrong"
	((events < 0 || code == 0)) || echo "export: $(cat "$work/err")" >>"$work/wrong"
	timeout 120 mortise resume --json "$id" -m "script:$work/end" -t "continue" \
		>"$work/resumed" 2>"$work/err" </dev/null
	code=$?
	fine "$code" "$work/err" || echo "resume: exit code $code" >>"$work/wrong"
	if ((events >= 0)); then
		((code == 0)) || echo "resume: exit code $code: $(cat "$work/err")" >>"$work/wrong"
		jq -e .format "$XDG_STATE_HOME/mortise/conversations/$id/meta.json" >/dev/null ||
			echo "meta.json is damaged" >>"$work/wrong"
	fi
}

one() { # one JOURNAL CASE
	rm -rf "$work/image"
	: >"$work/wrong"
	"$tools/simulate" "$work/$1.journal" "$work/image" "$2" >"$work/case" 2>&1 ||
		echo "the simulation found a loss" >>"$work/wrong"
	export XDG_STATE_HOME=$work/image
	timeout 120 mortise conversations list --all >"$work/listed" 2>"$work/err" ||
		echo "list: exit code $?: $(cat "$work/err")" >>"$work/wrong"
	while read -r what id events; do
		[ "$what" != conversation ] || check "$id" "$events"
	done <"$work/case"
	[ ! -s "$work/wrong" ]
	tell $? "case $2 of $1"
	[ ! -s "$work/wrong" ] || sed 's/^/# /' "$work/case" "$work/wrong"
}

# A program that never syncs loses something: the simulation would see it.
for ((i = 0, losses = 0; i < 20; i++)); do
	rm -rf "$work/image"
	POWERLOSS_NO_SYNC=1 "$tools/simulate" "$work/life.journal" "$work/image" "$i" |
		grep -q '^lost' && losses=$((losses + 1))
done
((losses > 3))
tell $? "without any sync, things are lost in $losses of 20 cases"

for ((i = first; i < first + cases; i++)); do
	if ((i % 6 == 5)); then
		POWERLOSS_EACH=1 one each "$i"
	else
		one life "$i"
	fi
done
echo "1..$n"
