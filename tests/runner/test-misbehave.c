/* SPDX-License-Identifier: MIT
 *
 * test-misbehave.c - tools that crash, hang, flood and escape: each costs one
 * call, with one clear sentence, and the other worker continues. */
#include "js.h"
#include "kit.h"

static const struct {
	const char *args;
	int64_t timeout_ms;
	int status, signal;
	bool crashed;
	const char *error; /* a part of the sentence */
} deeds[] = {
	{ "{\"what\":\"crash\"}", 0, MT_EIO, SIGSEGV, true,
	  "`do` of `bad` (call 1): the worker of bad.so was killed by signal 11 "
	  "(Segmentation fault); the next call starts a new one" },
	{ "{\"what\":\"wild\"}", 0, MT_EIO, SIGSEGV, true, "signal 11" },
	{ "{\"what\":\"abort\"}", 0, MT_EIO, SIGABRT, true,
	  "was killed by signal 6 (Aborted)" },
	{ "{\"what\":\"exit\"}", 0, MT_EIO, 0, true, "exited with code 0" },
	{ "{\"what\":\"close_all\"}", 0, MT_EIO, 0, true,
	  "corrupted its connection to the runner" },
	{ "{\"what\":\"scribble\"}", 0, MT_EIO, 0, true,
	  "corrupted its connection to the runner" },
	{ "{\"what\":\"hang\"}", 50, MT_ETIMEOUT, SIGKILL, true,
	  "did not finish within 50 ms and ignored its cancellation; its worker was "
	  "killed" },
	{ "{\"what\":\"spin\"}", 50, MT_ETIMEOUT, SIGKILL, true, "ignored its cancellation" },
	{ "{\"what\":\"leak\"}", 0, MT_EIO, 0, false,
	  "no descriptor is left: Too many open files" },
	{ "{\"what\":\"end_thread\"}", 0, MT_EINVAL, 0, false,
	  "`do` ended the thread of its call (pthread_exit)" },
	{ "{\"what\":\"return_twice\"}", 0, MT_OK, 0, false, "" },
	{ "{\"what\":\"print\"}", 0, MT_OK, 0, false, "" },
};

static void check_deeds(struct kit *k)
{
	char *neighbor = strdup(kit_call(k, "many", "options", "{}")->text);
	char *private_dir = strdup(kit_call(k, "many", "places", "{}")->text);

	for (size_t n = 0; n < ARRAY_LEN(deeds); n++) {
		const struct outcome *o =
			kit_start(k, 1, "bad", "do", deeds[n].args, deeds[n].timeout_ms);

		KIT_UNTIL(k, o->done || k->closed);
		CHECK_MSG(o->status == deeds[n].status &&
				  o->crashed == deeds[n].crashed &&
				  (o->signal == deeds[n].signal),
			  "%s: status %d, signal %d", deeds[n].args, o->status,
			  o->signal);
		CHECK_MSG(o->error && strstr(o->error, deeds[n].error), "says: %s",
			  o->error);
		CHECK_STR(kit_call(k, "bad", "do", "{\"what\":\"echo\",\"text\":\"on\"}")
				  ->text,
			  "on");
	}
	CHECK_STR(kit_call(k, "many", "options", "{}")->text, neighbor);
	CHECK_STR(kit_call(k, "many", "places", "{}")->text, private_dir);
	free(neighbor);
	free(private_dir);
}

static int number(const struct outcome *o)
{
	return o->text ? (int)strtol(o->text, NULL, 10) : -1;
}

static void check_neighbor(struct kit *k)
{
	int before = number(kit_call(k, "bad", "do", "{\"what\":\"pid\"}"));

	CHECK(strstr(kit_call(k, "open-crash", "do", "{}")->error,
		     "the worker of open-crash.so was killed by signal 6"));
	CHECK(number(kit_call(k, "bad", "do", "{\"what\":\"pid\"}")) == before);
	/* Descriptors leaked: the worker is replaced when it is idle. */
	kit_call(k, "bad", "do", "{\"what\":\"leak\"}");
	CHECK(number(kit_call(k, "bad", "do", "{\"what\":\"descriptors\"}")) < 20);
	CHECK(number(kit_call(k, "bad", "do", "{\"what\":\"pid\"}")) != before);
}

static void check_both_calls(struct kit *k)
{
	strbuf_reset(&k->output);
	kit_start(k, 5, "many", "listen", "{}", -1);
	KIT_UNTIL(k, strstr(k->output.text, "ready"));
	kit_start(k, 6, "bad", "do", "{\"what\":\"hang\"}", -1);
	kit_start(k, 7, "bad", "do", "{\"what\":\"echo\"}", -1);
	KIT_UNTIL(k, strstr(k->output.text, "hanging"));
	runner_cancel(k->link, 6);
	KIT_UNTIL(k, k->calls[6].done && k->calls[7].done);
	CHECK(k->calls[6].status == MT_ECANCELLED && k->calls[6].crashed);
	CHECK(strstr(k->calls[6].error, "(call 6) ignored its cancellation"));
	CHECK(k->calls[7].status == MT_EIO && k->calls[7].crashed);
	CHECK(strstr(k->calls[7].error, "because another call did not finish"));
	CHECK_MSG(!k->calls[5].done, "a call of another worker runs on");
	CHECK(runner_input(k->link, 5, "still here", 10) == MT_OK);
	KIT_UNTIL(k, k->calls[5].done);
	CHECK_STR(k->calls[5].text, "heard: still here");
}

static void check_refused(struct kit *k)
{
	static const struct {
		const char *instance, *error;
	} cases[] = {
		{ "newer-abi",
		  "newer-abi.so: built for plugin ABI 1.3, but this runner has 1.0; update mortise" },
		{ "wrong-size",
		  "wrong-size.so: toolset `refused` has no functions or an invalid size" },
		{ "no-symbol", "no-symbol.so: not a mortise plugin: it has no "
			       "mortise_plugin_v1" },
		{ "needs-more",
		  "needs-more.so: requires features that this runner does not have (0x10000000000); update mortise" },
		{ "no-toolset", "no-toolset.so: unknown toolset `refused`" },
		{ "text", "text.so: not a plugin: " },
		{ "absent", "absent.so: not a plugin: " },
		{ "bare", "bare.so: plugin path must be absolute" },
	};

	for (size_t n = 0; n < ARRAY_LEN(cases); n++)
		for (int twice = 0; twice < 2; twice++) {
			const struct outcome *o =
				kit_call(k, cases[n].instance, "do", "{}");

			CHECK_MSG(o->status < 0 && !o->crashed &&
					  strstr(o->error, cases[n].error),
				  "%s: %s", cases[n].instance, o->error);
		}
}

static bool gone(int pid)
{
	for (int n = 0; n < PATIENCE_MS / 10; n++) {
		if (kill(pid, 0) < 0)
			return true;
		usleep(10000);
	}
	return false;
}

static int read_number(const char *path)
{
	FILE *f = fopen(path, "r");
	int n = -1;

	if (f && fscanf(f, "%d", &n) != 1)
		n = -1;
	if (f)
		fclose(f);
	return n;
}

/* A command that detaches itself in every usual way, then tells its number. */
static const char *flee(char *args, size_t room, const char *what, const char *file)
{
	unlink(file);
	snprintf(args, room,
		 "{\"what\":\"%s\",\"file\":\"%s\",\"command\":"
		 "\"trap '' HUP TERM; (setsid sh -c 'trap \\\"\\\" HUP TERM; echo $$ > "
		 "%s.new; "
		 "mv %s.new %s; while :; do sleep 1000; done' < /dev/null > /dev/null "
		 "2>&1 &) \"}",
		 what, file, file, file, file);
	return args;
}

static void check_orphans(struct kit *k)
{
	char args[4096], *file = kit_dir("orphan");
	const struct outcome *o;
	int pid, other;

	/* Processes of a live worker are left alone, those of a dead one are killed. */
	kit_call(k, "bad", "do", flee(args, sizeof args, "start", file));
	CHECK(kit_wait_file(file));
	other = read_number(file);
	CHECK(other > 0 && kill(other, 0) == 0);
	o = kit_call(k, "bad", "do", flee(args, sizeof args, "start_and_crash", file));
	CHECK(o->crashed);
	pid = read_number(file);
	CHECK(pid > 0 && pid != other);
	CHECK_MSG(gone(pid), "what a crashed tool left behind is ended");
	CHECK(gone(other));
	unlink(file);
	kit_call(k, "bad", "do", "{\"what\":\"daemon\"}");
}

static void check_memory(void)
{
	struct runner_spec spec;
	struct kit k;

	if (getenv("SANITIZE") && strstr(getenv("SANITIZE"), "address")) {
		SKIP("address space cannot be limited under ASan");
		return;
	}
	kit_spec(&spec);
	spec.memory_max = 512 << 20;
	CHECK(kit_open_spec(&k, &spec));
	CHECK_STR(kit_call(&k, "bad", "do", "{\"what\":\"memory\"}")->error,
		  "no memory is left");
	CHECK_STR(kit_call(&k, "bad", "do", "{\"what\":\"reply_without_memory\"}")->error,
		  "out of memory: a part of the answer of `do` is lost");
	kit_done(&k);
}

int main(void)
{
	struct runner_instance *list;
	struct runner_spec spec;
	char text[1100];
	struct kit k;
	FILE *f;

	kit_spec(&spec);
	list = kit_instances(&spec.instance_count);
	snprintf(text, sizeof text, "%s-text.so", kit_dir("not"));
	f = fopen(text, "w");
	if (f) {
		fputs("this is a text, no plugin\n", f);
		fclose(f);
	}
	list[spec.instance_count++] = (struct runner_instance){ .name = "text",
								.component = "x",
								.plugin = text };
	list[spec.instance_count++] = (struct runner_instance){ .name = "absent",
		.component = "x", .plugin = plugin_path("absent.so") };
	list[spec.instance_count++] = (struct runner_instance){ .name = "bare",
								.component = "x",
								.plugin = "bare.so" };
	spec.instances = list;
	CHECK(kit_open_spec(&k, &spec));
	check_deeds(&k);
	check_neighbor(&k);
	check_both_calls(&k);
	check_refused(&k);
	check_orphans(&k);
	kit_done(&k);
	CHECK_MSG(kit_all_gone(), "nothing is left running, daemons included");
	check_memory();
	unlink(text);
	return tap_done();
}
