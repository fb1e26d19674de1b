/* SPDX-License-Identifier: MIT
 *
 * test-machine.c - random commands to a conversation whose actions wait for
 * approval, with delegates and a condenser: every state is valid, no waiting action is
 * lost, even if the process exits in between, and "stop" is always accepted. */
#include "controller/machine.h"

#include "exit-code.h"
#include "tap.h"

enum { SEEDS = 24, OPS = 40 };

static uint64_t dice;

static unsigned roll(unsigned n)
{
	dice = dice * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(dice >> 33) % n;
}

/* Counts of events: a test whose commands are all refused proves nothing. */
static unsigned delegations, condensations, undone;

static void count_events(struct conversation *c)
{
	for (int64_t id = 0; id < evlog_count(c->log); id++) {
		const struct evlog_head *head = evlog_head(c->log, id);

		undone += head->undone;
		delegations += !head->type->is_action &&
			       strcmp(head->type->name, "delegate") == 0;
		condensations += strcmp(head->type->name, "condensation") == 0;
	}
}

static void one_seed(unsigned seed)
{
	struct conversation *c;
	const char *fault = "";
	int n;

	dice = seed;
	write_script();
	c = kit_new(&loop, settings, roll(2));
	for (n = 0; n < OPS && !*fault; n++) {
		c = one_op(c, &fault);
		if (!*fault)
			fault = wrong(c);
	}
	CHECK_MSG(!*fault, "seed %u: %d commands: %s (state %s)", seed, n, fault,
		  state_name(c->state));
	conversation_stop(c, "stopped");
	CHECK_MSG(c->state == STATE_STOPPED, "seed %u: it stops", seed);
	CHECK_MSG(all_answered(c), "seed %u: no action is left without an answer", seed);
	count_events(c);
	kit_close(&loop, c);
}

int main(void)
{
	const char *more = getenv("MACHINE_SEEDS");
	unsigned seeds = more ? (unsigned)strtoul(more, NULL, 10) : SEEDS;

	if (!kit_begin())
		return 1;
	uv_loop_init(&loop);
	for (unsigned seed = 1; seed <= seeds; seed++)
		one_seed(seed);
	CHECK_MSG(waited > seeds, "actions waited: %u times", waited);
	CHECK_MSG(delegations && condensations && undone,
		  "%u delegations ended, %u condensations, %u events undone", delegations,
		  condensations, undone);
	uv_loop_close(&loop);
	kit_end();
	return tap_done();
}
