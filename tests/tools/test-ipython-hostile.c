/* SPDX-License-Identifier: MIT
 *
 * test-ipython-hostile.c - ipython.so with kernels that behave badly; and what
 * kernels may be called. */
#include "ipython-kit.h"
#include <signal.h>
#include <unistd.h>

static char spec_dir[256];

/* A kernel.json; @return its directory, for the option `kernel`. */
static const char *install(const char *json)
{
	char path[512];

	snprintf(path, sizeof path, "%s/kernel.json", spec_dir);
	CHECK(file_write(path, json, strlen(json), 0600, false, NULL) == MT_OK);
	return spec_dir;
}

static const char *hostile(const char *how)
{
	const char *source = getenv("top_srcdir");
	char json[2048];

	snprintf(json, sizeof json,
		 "{\"argv\":[\"/usr/bin/python3\",\"%s/tests/tools/"
		 "hostile-kernel.py\",\"%s\",\"{connection_file}\"],\"language\":\"bad\","
		 "\"env\":{\"TEST_OF\":\"${HOME}/$nothing\"}}",
		 source ? source : ".", how);
	return install(json);
}

static void test_hostile(void)
{
	static const struct {
		const char *how;
		int64_t start_ms, timeout_ms;
		int status;
		const char *sentence, *text;
	} cases[] = {
		{ "gone", 20000, 0, MT_EIO, "exit code 7: this kernel cannot start", "" },
		{ "silent", 300, 0, MT_ETIMEOUT, "the kernel did not respond within", "" },
		{ "key", 2000, 0, MT_EDENIED, "without a valid signature", "" },
		{ "good", 20000, 20000, MT_OK, "", "[Jupyter current working directory" },
		{ "deaf", 20000, 200, MT_OK, "", "[Execution timed out (0.2 seconds).]\n[The cell "
		  "ignored the interrupt, so the kernel was killed" },
		{ "garbage", 20000, 20000, MT_OK, "", "[Part of the output may be missing" },
		{ "endless", 20000, 20000, MT_OK, "", "the kernel was killed" },
		{ "shapes", 20000, 20000, MT_OK, "", "bad \xef\xbf\xbd bytes\nof another" },
		{ "lost", 20000, 20000, MT_OK, "", "[Part of the output may be missing" },
	};

	for (size_t n = 0; n < ARRAY_LEN(cases); n++) {
		struct mt_instance i = { .kernel = hostile(cases[n].how),
					 .start_timeout = cases[n].start_ms,
					 .timeout = cases[n].timeout_ms };
		struct mt_call c = { .cancel_fd = -1 };

		CHECK(kit_open(&i));
		int status = kit_run(&i, &c, "1", -1);

		CHECK_MSG(status == cases[n].status, "%s: %d", cases[n].how, status);
		CHECK_MSG(strstr(c.sentence.text, cases[n].sentence) != NULL, "%s: %s",
			  cases[n].how, c.sentence.text);
		CHECK_MSG(strstr(c.text.text, cases[n].text) != NULL, "%s: %.400s",
			  cases[n].how, c.text.text);
		call_clear(&c);
		kit_close(&i);
	}
}

static void test_specs(void)
{
	static const struct {
		const char *json, *sentence;
	} cases[] = {
		{ "", "kernel.json: " },
		{ "[]", "kernel.json: " },
		{ "{}", "`argv` must be a list" },
		{ "{\"argv\":[]}", "`argv` must be a list" },
		{ "{\"argv\":[1]}", "`argv` must be a list of strings" },
		{ "{\"argv\":[\"/there/is/none\"]}", "program `/there/is/none` not found" },
		{ "{\"argv\":[\"no-such-program-here\"]}", "not found" },
		{ "{\"argv\":[\"true\"],\"env\":5}", "the kernel exited at startup (exit code 0)" },
	};
	struct mt_call c = { .cancel_fd = -1 };

	for (size_t n = 0; n < ARRAY_LEN(cases); n++) {
		struct mt_instance i = { .kernel = install(cases[n].json) };

		CHECK(kit_open(&i));
		CHECK(kit_run(&i, &c, "1", -1) < 0);
		CHECK_MSG(strstr(c.sentence.text, cases[n].sentence) != NULL, "%s: %s",
			  cases[n].json, c.sentence.text);
		kit_close(&i);
	}
	struct mt_instance i = { .kernel = "/there/is/none" };

	CHECK(kit_open(&i));
	CHECK(kit_run(&i, &c, "1", -1) == MT_ENOTFOUND);
	CHECK(strstr(c.sentence.text,
		     "`/there/is/none` of the option `kernel` has no kernel.json"));
	kit_close(&i);
	call_clear(&c);
}

int main(void)
{
	const char *home = getenv("HOME");

	signal(SIGPIPE, SIG_IGN);
	kit_load();
	snprintf(spec_dir, sizeof spec_dir, "%s/kernel-XXXXXX", home ? home : "/tmp");
	if (!mkdtemp(spec_dir)) {
		printf("Bail out! no directory\n");
		return 1;
	}
	test_specs();
	if (access("/usr/lib/python3/dist-packages/zmq", F_OK) == 0)
		test_hostile();
	else
		SKIP("no python3-zmq");
	dir_remove(spec_dir, NULL);
	return tap_done();
}
