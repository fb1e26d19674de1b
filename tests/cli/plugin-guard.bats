#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# plugin-guard.bats - plugins that run in the host's process and crash, exit, hang or
# print there: a runtime, which is used at the first call of a tool, and agents,
# condensers and analyzers with `run = inside`.
bats_require_minimum_version 1.5.0
load ../wait

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir -p "$work/ws" && mkdir -m 755 "$work/plugins"
	export XDG_STATE_HOME=$work/state XDG_CACHE_HOME=$work/cache
	export MORTISE_SANDBOX_WRITE=$work # commands leave files there
	export MORTISE_CORE_PLUGIN_PATH=$MORTISE_CORE_PLUGIN_PATH,$work/plugins
	cat >"$work/script" <<'EOF'
[turn]
[call execute_bash]
command = echo ran > file

[turn]
[call finish]
message = finished
EOF
	run_it=(mortise run -C "$work/ws" -m "script:$work/script")
}

# runtime STATEMENT : the runtime `odd`, which is `local` with STATEMENT before its work
runtime() {
	cat >"$work/odd.c" <<-END
		#define MORTISE_PROVISIONAL
		#include <mortise/runtime.h>
		#include <signal.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <unistd.h>
		static int launch(const struct mt_host *host, const struct mt_runtime_out *out,
				  struct mt_ctx *ctx, const struct mt_in *in)
		{
			(void)host, (void)in;
			$1
			return out->arg(ctx, out->wanted(ctx, "runner")) ? MT_ENOMEM :
				out->workspace(ctx, out->wanted(ctx, "workspace"));
		}
		static const struct mt_runtime odd = { .size = sizeof odd, .launch = launch };
		MT_RUNTIME(&odd, "odd", .name = "odd", .summary = "Does odd things.")
	END
	${CC:-cc} -std=gnu17 -shared -fPIC -I"$top_srcdir/sdk-headers" -o "$work/plugins/odd.so" \
		"$work/odd.c"
	chmod 755 "$work/plugins/odd.so"
}

# resumes : the log is complete, and with the standard runtime the work is completed
resumes() {
	run mortise resume last -q -o controller.runtime=local
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *finished* ]]
	[ -e "$work/ws/file" ]
}

@test "a runtime whose program fails: the file with its error output is named" {
	runtime 'out->arg(ctx, "/bin/sh"); out->arg(ctx, "-c");
		return out->arg(ctx, "echo no such image >&2; exit 7");'
	run "${run_it[@]}" -t hi -o controller.runtime=odd
	echo "$output"
	[[ "$output" == *"the runner exited unexpectedly with exit code 7; see its error output in /"* ]]
	file=${output#*error output in }
	grep 'no such image' "${file%%$'\n'*}"
}

@test "a runtime whose program says nothing: a warning tells what is awaited" {
	runtime 'out->arg(ctx, "/bin/sleep"); return out->arg(ctx, "12");'
	run "${run_it[@]}" -t hi -o controller.runtime=odd
	echo "$output"
	[[ "$output" == *"the runner has not started within 10 s; it has 20 s more"* ]]
	[[ "$output" == *"the runner exited"* ]]
}

@test "a runtime that gives NULL: the argument is named" {
	runtime 'out->arg(ctx, "/bin/sleep"); return out->arg(ctx, NULL);'
	run "${run_it[@]}" -t hi -o controller.runtime=odd
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *"runtime odd: argument 1 of the runner is NULL"* ]]
	runtime 'return out->env(ctx, "A", NULL);'
	run "${run_it[@]}" -t hi -o controller.runtime=odd
	[[ "$output" == *"runtime odd: an environment variable has no value"* ]]
}

@test "a runtime with a workspace that does not exist: the workspace is named" {
	sandbox=$("$top_builddir/mortise-runner" --sandbox '{"network":"none"}' 2>/dev/null) || true
	[[ $sandbox == *'"enforced":true'* ]] || skip "no sandbox"
	runtime 'out->arg(ctx, out->wanted(ctx, "runner"));
		return out->workspace(ctx, "/no/such/dir");'
	run "${run_it[@]}" -t hi -o controller.runtime=odd
	echo "$output"
	[[ "$output" == *"the worker of bash.so cannot enter its sandbox or the workspace /no/such/dir"* ]]
}

@test "a runtime that fails without a reason: its status is reported" {
	runtime 'out->arg(ctx, "/bin/true"); return MT_EIO;'
	run "${run_it[@]}" -t hi -o controller.runtime=odd
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *"runtime odd: input or output failed"* ]]
	runtime 'out->arg(ctx, "/bin/true"); return 7;'
	run "${run_it[@]}" -t hi -o controller.runtime=odd
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *"returned the invalid status 7 from launch"* ]]
}

# part KIND STATEMENT : the agent, condenser or analyzer `odd`
part() {
	cat >"$work/odd.c" <<-END
		#define MORTISE_PROVISIONAL
		#include <mortise/$1.h>
		#ifdef MT_AGENT
		#define SYSTEM .system = system_text,
		static int system_text(const struct mt_host *host, struct mt_ctx *ctx, struct mt_str *ret)
		{
			return host->prompt(ctx, "system", (struct mt_str){ 0 }, ret);
		}
		#else
		#define SYSTEM
		#endif
		static int advance(const struct mt_host *host, const struct mt_$1_out *out,
				   struct mt_ctx *ctx, const struct mt_in *in)
		{
			const struct mt_str text = { "text", 4 };
			$2
		}
		static const struct mt_$1 odd = { .size = sizeof odd, SYSTEM .advance = advance };
		MT_${1^^}(&odd, "odd", .name = "odd")
	END
	${CC:-cc} -std=gnu17 -shared -fPIC -I"$top_srcdir/sdk-headers" -o "$work/plugins/odd.so" \
		"$work/odd.c"
	chmod 755 "$work/plugins/odd.so"
}

@test "the hint to resume names the plugin path, and so does the error without it" {
	export MORTISE_CORE_PLUGIN_PATH=${MORTISE_CORE_PLUGIN_PATH%,"$work/plugins"}
	for each in 'agent agent' 'condenser condensers' 'analyzer analyzers' 'runtime runtime'; do
		read -r kind option <<<"$each"
		if [ "$kind" = runtime ]; then runtime ''; else part "$kind" 'return MT_OK;'; fi
		run "${run_it[@]}" -o "core.plugin_path+=$work/plugins" -t hi \
			-o "controller.$option=odd" -o controller.max_iterations=1
		echo "$output"
		id=${output##*conversation }
		id=${id%%)*}
		[[ "$output" == *"Run \`mortise resume $id -o core.plugin_path+=$work/plugins\` to continue" ]]
		run -2 mortise resume last
		echo "$output"
		[[ "$output" == "mortise: unknown $kind \`odd\`; "*" (if the conversation was started with its plugin, reinstall it, or add its directory with -o core.plugin_path+=DIR)" ]]
		run mortise resume "$id" -o "core.plugin_path+=$work/plugins"
		echo "$output"
		[[ "$output" != *"unknown "* ]]
	done
}

@test "an invalid argument of a plugin is named" {
	while IFS='|' read -r kind option statement words; do
		if [ "$kind" = runtime ]; then
			runtime "$statement"
		else
			part "$kind" "$statement"
		fi
		run "${run_it[@]}" -t hi -o "controller.$option=odd" \
			-o controller.analyzer_failure=high -o controller.confirmation=risky </dev/null
		echo "$output"
		[[ "$output" == *"$words"* ]]
	done <<-'END'
		runtime|runtime|return out->env(ctx, "A=B", "c");|`A=B` is not a valid name of an environment variable
		agent|agent|return out->call(ctx, 7);|call 7 does not exist, because no model has replied
		agent|agent|if (in->what != MT_START) return out->call(ctx, 7); host->request_history(host->request(ctx)); host->send(ctx, host->request(ctx)); return 0;|call 7 does not exist; the reply has 1 call
		agent|agent|return host->request_message(host->request(ctx), 9, text);|9 is not the role of a message
		condenser|condensers|return out->drop(ctx, 1000, 5);|cannot drop 5 places from 1000 on; the view has
		condenser|condensers|return out->mask(ctx, 1000, text);|cannot mask place 1000; the view has
		analyzer|analyzers|return out->verdict(ctx, 9, 0, text, text);|9 is not a risk
	END
}

@test "a plugin that crashes is named, and the conversation can be resumed" {
	runtime '*(volatile int *)0 = 1;'
	run "${run_it[@]}" -t hi -o controller.runtime=odd
	echo "$output"
	[ "$status" -ne 0 ]
	[[ "$output" == *"mortise: the runtime \`odd\` ($work/plugins/odd.so) crashed in \`launch\` (SIGSEGV)"* ]] ||
		[ -n "$SANITIZE" ]
	resumes
}

@test "a plugin that aborts is named" {
	runtime 'abort();'
	run "${run_it[@]}" -t hi -o controller.runtime=odd
	[ "$status" -ne 0 ]
	[[ "$output" == *"the runtime \`odd\` ($work/plugins/odd.so) crashed in \`launch\` (SIGABRT)"* ]]
	resumes
}

@test "a plugin that calls exit is named, and that is not success" {
	runtime 'exit(0);'
	run "${run_it[@]}" -t hi -o controller.runtime=odd
	[ "$status" -eq 6 ]
	[[ "$output" == *"the runtime \`odd\` ($work/plugins/odd.so) called exit in \`launch\`"* ]]
	resumes
}

@test "a plugin that prints does not write into --json" {
	runtime 'printf("noise"); puts(" and more"); write(1, "raw\\n", 4);'
	run --separate-stderr "${run_it[@]}" -t hi --json -o controller.runtime=odd
	[ "$status" -eq 0 ]
	jq -e . >/dev/null <<<"$output"
	run ! grep -e noise -e raw <<<"$output"
	[[ "$stderr" == *"noise and more"* ]]
	[[ "$stderr" == *raw* ]]
}

@test "a second signal ends the program although a plugin never returns" {
	for signal in INT TERM; do
		rm -rf "$work/state" "$work/here" "$work/again"
		runtime "fclose(fopen(\"$work/here\", \"w\"));
			for (;; fclose(fopen(\"$work/again\", \"w\"))) pause();"
		env --default-signal "${run_it[@]}" -t hi -o controller.runtime=odd \
			>"$work/out" 2>&1 3>&- &
		pid=$!
		until_true test -e "$work/here"
		kill -$signal "$pid"
		until_true test -e "$work/again"
		kill -$signal "$pid"
		status=0
		wait "$pid" || status=$?
		[ "$status" -eq $((128 + $(kill -l $signal))) ]
		# Between the signals, a busy machine may let 5 s pass.
		grep -F "the runtime \`odd\` ($work/plugins/odd.so) did not return from \`launch\`" "$work/out"
	done
	resumes
}

@test "one signal ends the program although a plugin never returns and blocks all of them" {
	runtime "sigset_t all;
		sigfillset(&all);
		sigprocmask(SIG_SETMASK, &all, NULL);
		fclose(fopen(\"$work/here\", \"w\"));
		for (;;) pause();"
	env --default-signal "${run_it[@]}" -t hi -o controller.runtime=odd >"$work/out" 2>&1 3>&- &
	pid=$!
	until_true test -e "$work/here"
	kill -TERM "$pid"
	status=0
	wait "$pid" || status=$?
	cat "$work/out"
	[ "$status" -eq 143 ]
	grep -F "the runtime \`odd\` ($work/plugins/odd.so) did not return from \`launch\` within 5 s of the signal that ended the program" "$work/out"
	resumes
}

@test "signals end the program although a plugin ignores or blocks all of them" {
	for deed in 'for (int n = 1; n < 32; n++) signal(n, SIG_IGN);' \
		'sigset_t all; sigfillset(&all); sigprocmask(SIG_SETMASK, &all, NULL);'; do
		for signal in INT TERM; do
			rm -rf "$work/state" "$work/here"
			runtime "$deed fclose(fopen(\"$work/here\", \"w\")); for (;;) pause();"
			env --default-signal "${run_it[@]}" -t hi -o controller.runtime=odd \
				>"$work/out" 2>&1 3>&- &
			pid=$!
			until_true test -e "$work/here"
			for i in $(seq 600); do # an ignored signal is lost for a moment
				kill -$signal "$pid" 2>/dev/null || break
				sleep 0.1
			done
			kill -KILL "$pid" 2>/dev/null || true
			status=0
			wait "$pid" || status=$?
			[ "$status" -eq $((128 + $(kill -l $signal))) ]
			grep -F "did not return from \`launch\`" "$work/out"
		done
	done
	resumes
}

@test "the handlers of signals are restored when a plugin returns" {
	runtime 'signal(SIGINT, SIG_IGN); sigset_t all; sigfillset(&all);
		sigprocmask(SIG_SETMASK, &all, NULL);'
	sed -i "s|echo ran > file|touch '$work/here'; sleep 600|" "$work/script"
	env --default-signal "${run_it[@]}" -t hi -o controller.runtime=odd >"$work/out" 2>&1 3>&- &
	pid=$!
	until_true test -e "$work/here"
	kill -INT "$pid"
	status=0
	wait "$pid" || status=$?
	[ "$status" -eq 130 ]
	grep -F "paused by the user" "$work/out"
}

# inside ARGUMENT...: run with harm.so, whose components run in the host's process
inside() {
	harm=$(realpath "$top_builddir/tests/plugins/harm.so")
	export MORTISE_CORE_PLUGIN_PATH=$MORTISE_CORE_PLUGIN_PATH,$top_builddir/tests/plugins
	rm -rf "$work/state"
	run --separate-stderr "${run_it[@]}" -t hi -o agent.harm.run=inside \
		-o condenser.harm.run=inside -o analyzer.harm.run=inside "$@" </dev/null
	echo "$output $stderr"
}

@test "agents, condensers and analyzers that end the process are named with the function" {
	while read -r deed words end; do
		case $SANITIZE$deed in *address*crash) continue ;; esac
		words=${words//_/ }
		while read -r kind function option list; do
			inside -o "controller.$list" -o "$kind.harm.$option=$deed"
			[[ "$stderr" == *"mortise: the $kind \`harm\` ($harm) $words \`$function\`${end:+ $end}"* ]]
			[ "$status" -ne 0 ]
		done <<-'END'
		agent advance deed agent=harm
		agent system system_deed agent=harm
		condenser advance deed condensers=harm
		condenser check check_deed condensers=harm
		analyzer advance deed analyzers=harm
		analyzer open open_deed analyzers=harm
		END
	done <<-'END'
	exit called_exit_in
	crash crashed_in  (SIGSEGV)
	abort crashed_in  (SIGABRT)
	END
}

@test "agents, condensers and analyzers do not print into --json" {
	for list in agent=harm condensers=harm analyzers=harm; do
		inside --json -o "controller.$list" -o agent.harm.deed=print \
			-o condenser.harm.deed=print -o analyzer.harm.deed=print
		[ "$status" -eq 0 ]
		jq -e . >/dev/null <<<"$output"
		[[ "$output" != *"on standard"* ]]
		[[ "$stderr" == *"on standard output"* ]]
		[[ "$stderr" == *"words on standard error"* ]]
	done
}
