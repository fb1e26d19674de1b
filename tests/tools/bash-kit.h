/* SPDX-License-Identifier: MIT
 *
 * bash-kit.h - a shell in a temporary directory, and calls of it in one line. */
#ifndef TESTS_BASH_KIT_H
#define TESTS_BASH_KIT_H

#include "files.h"
#include "plugins/tools/bash/run.h"
#include "tap.h"
#include <stdint.h>
#include <time.h>

struct kit {
	char directory[32];
	struct run *run;
	struct run_result last; /* of the last call */
	uint64_t raw_bytes;
	int cancel_fd;
};

static inline void kit_raw(void *arg, const char *bytes, size_t len)
{
	struct kit *k = arg;

	(void)bytes;
	k->raw_bytes += len;
}

/* `quiet_ms`: the no-change time-out. */
static inline bool kit_open_style(struct kit *k, int quiet_ms, enum run_style style)
{
	struct error err = ERROR_NONE;

	*k = (struct kit){ .directory = "/tmp/mortise-bash-XXXXXX", .cancel_fd = -1 };
	if (!mkdtemp(k->directory))
		return false;
	const struct run_config config = {
		.shell = "bash", .directory = k->directory, .timeout_ms = 60000,
		.no_change_ms = quiet_ms, .style = style, .raw = kit_raw, .arg = k,
	};

	return run_new(&config, &k->run, &err) == MT_OK;
}

static inline bool kit_open(struct kit *k, int quiet_ms)
{
	return kit_open_style(k, quiet_ms, RUN_STYLE_V0);
}

static inline void kit_close(struct kit *k)
{
	run_result_clear(&k->last);
	run_free(k->run);
	dir_remove(k->directory, NULL);
}

static inline const char *kit_call(struct kit *k, const char *command, size_t len,
				   bool is_input, double timeout)
{
	struct error err = ERROR_NONE;
	const struct run_call call = {
		.command = command, .len = len, .is_input = is_input,
		.timeout = timeout, .time_left_ms = -1, .cancel_fd = k->cancel_fd,
	};

	run_result_clear(&k->last);
	if (run_call(k->run, &call, &k->last, &err) != MT_OK) {
		printf("# %s\n", err.text);
		strbuf_reset(&k->last.content);
		strbuf_add(&k->last.content, err.text);
	}
	return k->last.content.text;
}

/* Run a command to its end; floods take minutes on a busy machine. */
static inline const char *sh(struct kit *k, const char *command)
{
	return kit_call(k, command, strlen(command), false, 600);
}

/* Type text or a key. */
static inline const char *type(struct kit *k, const char *text)
{
	return kit_call(k, text, strlen(text), true, -1);
}

/* Start a command that does not end; back when it is quiet. */
static inline const char *start(struct kit *k, const char *command)
{
	return kit_call(k, command, strlen(command), false, -1);
}

/* Type until `wanted` has come: programs may take a while to answer. */
static inline bool type_until(struct kit *k, const char *text, const char *wanted)
{
	time_t until = time(NULL) + 30;
	bool found = strstr(type(k, text), wanted) != NULL;

	while (!found && !k->last.ended && time(NULL) < until)
		found = strstr(start(k, ""), wanted) != NULL;
	return found;
}

#endif
