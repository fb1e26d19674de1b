/* SPDX-License-Identifier: MIT
 *
 * fuzz-controller.c - any sequence of commands to a conversation, with a model that
 * says what the bytes say: every state is valid, no waiting action is lost, even if
 * another process resumes the conversation, and "stop" is always accepted. */
#include "controller/machine.h"

enum { OPS_MAX = 24 };

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static const uint8_t *next;
static size_t left;

static unsigned roll(unsigned n)
{
	if (!left)
		return 0;
	left--;
	return *next++ % n;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	if (!kit_begin() || uv_loop_init(&loop))
		abort();
	return atexit(kit_end);
}

static void check(const char *fault)
{
	if (!*fault)
		return;
	fprintf(stderr, "%s\n", fault);
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct conversation *c;
	AUTO(free) char *dir = NULL;

	next = bytes;
	left = n;
	write_script();
	c = kit_new(&loop, settings, roll(2));
	for (int i = 0; i < OPS_MAX && left; i++) {
		const char *fault = "";

		c = one_op(c, &fault);
		check(fault);
		check(wrong(c));
	}
	conversation_stop(c, "stopped");
	if (c->state != STATE_STOPPED)
		check("stop was not accepted");
	if (!all_answered(c))
		check("an action is left without an answer");
	dir = strdup(c->dir);
	kit_close(&loop, c);
	dir_remove(dir, NULL);
	return 0;
}
