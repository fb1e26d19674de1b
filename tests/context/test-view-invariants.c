/* SPDX-License-Identifier: MIT
 *
 * test-view-invariants.c - the events that must be in a view for an event to be sent. */
#include "context/view-invariants.h"

#include "growth.h"
#include "oom.h"
#include "tap.h"

#include <string.h>

enum { PLACES_MAX = 16, LONG = 20000 };

/* One character per event: `.` a message, an uppercase letter an action, lowercase its
 * result, a digit an action that is its own result; `!` before an action: thinking came
 * before it; `+`: of the reply of the action before it. */
static size_t lay(const char *text, struct view_fact *facts)
{
	bool thinking = false, same = false;
	int32_t batch = -1;
	size_t n = 0;

	for (const char *p = text; *p; p++) {
		struct view_fact f = { .batch = -1, .call = -1, .loop = -1 };

		if (*p == '!' || *p == '+') {
			thinking |= *p == '!';
			same |= *p == '+';
			continue;
		}
		if ((*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9')) {
			f.is_action = true;
			f.answered = *p <= '9';
			f.call = f.answered ? 26 + *p - '0' : *p - 'A';
			f.batch = batch = same ? batch : f.call;
			f.thinking = thinking;
			thinking = same = false;
		} else if (*p != '.') {
			f.call = *p - 'a';
		}
		facts[n++] = f;
	}
	view_invariants_number_loops(facts, n);
	return n;
}

static size_t places_of(const char *text, struct view_fact *facts,
			const struct view_fact **places)
{
	size_t n = lay(text, facts);

	for (size_t i = 0; i < n; i++)
		places[i] = &facts[i];
	return n;
}

static void flags_of(const unsigned char *flags, size_t n, char *ret)
{
	for (size_t i = 0; i < n; i++)
		ret[i] = flags[i] ? '1' : '0';
	ret[n] = '\0';
}

static const struct {
	const char *text;
	size_t place;
	const char *mates;  /* events that this one needs */
	const char *shown, *complete;
} cases[] = {
	{ "..", 1, "01", "01", "01" },
	{ ".AaBb", 2, "01100", "00001", "00011" },
	/* two calls of one reply */
	{ ".A+Bab.", 3, "011110", "000010", "011110" },
	{ ".A+Bab.", 4, "011110", "000001", "000001" },
	/* a loop that starts with thinking: its first reply, and the reply of this event */
	{ ".!AaBbCc", 6, "0110011", "0000001", "0110011" },
	{ ".!A+BabCcDd.", 6, "0111111000", "0000000010", "0111100110" },
	/* a result whose call is not there, a call without a result */
	{ ".ab", 1, "010", "001", "001" },
	{ ".AB", 1, "010", "001", "001" },
	/* a call that is its own result, alone and next to another one */
	{ ".Aa1", 3, "0001", "0001", "0001" },
	{ ".A+1a", 2, "0111", "0010", "0111" },
};

static void check_all(void)
{
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct view_fact *places[PLACES_MAX];
		struct view_fact facts[PLACES_MAX];
		unsigned char flags[PLACES_MAX] = { 0 };
		size_t n = places_of(cases[i].text, facts, places);
		char got[PLACES_MAX + 1];

		view_invariants_mates(places, n, cases[i].place, flags);
		flags_of(flags, n, got);
		CHECK_STR(got, cases[i].mates);
		for (size_t k = 0; k < n; k++)
			flags[k] = cases[i].shown[k] == '1';
		CHECK(view_invariants_complete(places, n, flags) == MT_OK);
		flags_of(flags, n, got);
		CHECK_STR(got, cases[i].complete);
	}
}

static void check_memory(void)
{
	const struct view_fact *places[PLACES_MAX];
	struct view_fact facts[PLACES_MAX];
	size_t n = places_of(".!A+BabCcDd.", facts, places);
	int failed = 0;

	OOM_EACH({
		unsigned char flags[PLACES_MAX] = { 0 };
		int r = view_invariants_complete(places, n, flags);

		failed += r == MT_ENOMEM;
	});
	CHECK(failed >= 3);
}

/* ---- allowed views and cut points ------------------------------------------ */

static const struct {
	const char *text, *shown, *applied, *cuts;
} rules[] = {
	{ "..", "11", "11", "111" },
	/* a call without its result, a result without its call */
	{ ".AaBb", "11011", "10011", "110101" },
	{ ".AaBb", "11101", "11100", "110101" },
	/* a second result */
	{ ".Aaa", "1111", "1110", "11001" },
	/* the calls of one reply, a loop */
	{ ".A+Bab.", "110111", "100001", "1100011" },
	{ ".!AaBb.", "111011", "100001", "1100011" },
	{ ".!AaBb!Cc", "0111011", "0000011", "11000101" },
	/* calls that are their own results; those of the same reply stay together */
	{ ".1Aa2", "11111", "11111", "111011" },
	{ ".A+1a2", "10111", "10001", "110011" },
	{ ".1+Aa2", "11101", "10001", "110011" },
};

static void check_rules(void)
{
	for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
		const struct view_fact *places[PLACES_MAX];
		struct view_fact facts[PLACES_MAX];
		unsigned char flags[PLACES_MAX + 1] = { 0 };
		size_t n = places_of(rules[i].text, facts, places);
		char got[PLACES_MAX + 2];

		for (size_t k = 0; k < n; k++)
			flags[k] = rules[i].shown[k] == '1';
		CHECK(view_invariants_apply(facts, n, flags) == MT_OK);
		flags_of(flags, n, got);
		CHECK_STR(got, rules[i].applied);
		CHECK(view_invariants_cuts(places, n, flags) == MT_OK);
		flags_of(flags, n + 1, got);
		CHECK_STR(got, rules[i].cuts);
	}
}

/* Each event also removes the one before it. */
static void apply_chain(size_t count)
{
	static struct view_fact facts[LONG];
	static unsigned char shown[LONG];

	for (size_t i = 0; i < count; i++)
		facts[i] = (struct view_fact){ .batch = (int32_t)(i / 2), .call = -1,
					       .loop = (int32_t)((i + 1) / 2),
					       .is_action = true };
	memset(shown, 1, count);
	shown[count - 1] = 0;
	view_invariants_apply(facts, count, shown);
	if (shown[0])
		printf("Bail out! the first event is shown\n");
}

/* Each event needs the one before it. */
static void complete_chain(size_t count)
{
	static struct view_fact facts[LONG];
	static const struct view_fact *places[LONG];
	static unsigned char shown[LONG];

	for (size_t i = 0; i < count; i++) {
		facts[i] = (struct view_fact){ .batch = (int32_t)(i / 2),
					       .call = (int32_t)i,
					       .loop = (int32_t)((i + 1) / 2),
					       .is_action = true };
		places[i] = &facts[i];
	}
	memset(shown, 0, count);
	shown[count - 1] = 1;
	view_invariants_complete(places, count, shown);
	if (!shown[0])
		printf("Bail out! the first event is not shown\n");
}

/* The results come in the opposite order. */
static void cut_nested(size_t count)
{
	static struct view_fact facts[LONG];
	static const struct view_fact *places[LONG];
	static unsigned char allowed[LONG + 1];

	for (size_t i = 0; i < count; i++) {
		bool first = i < count / 2;

		facts[i] = (struct view_fact){ .batch = -1, .loop = -1, .is_action = first,
					       .call = (int32_t)(first ? i
								       : count - 1 - i) };
		places[i] = &facts[i];
	}
	view_invariants_cuts(places, count, allowed);
	if (allowed[count / 2])
		printf("Bail out! a call may be cut from its result\n");
}

static void check_growth(const char *what, void (*fn)(size_t count))
{
	double ratio = growth(fn, LONG / GROWTH_FACTOR);

	CHECK_MSG(ratio < GROWTH_LINEAR_MAX,
		  "%s: %d times the events, %.1f times as long", what, GROWTH_FACTOR,
		  ratio);
}

static void check_rule_memory(void)
{
	const struct view_fact *places[PLACES_MAX];
	struct view_fact facts[PLACES_MAX];
	size_t n = places_of(".!A+BabCcDd.", facts, places);
	int failed = 0;

	OOM_EACH({
		unsigned char flags[PLACES_MAX + 1] = { 1 };

		failed += view_invariants_apply(facts, n, flags) == MT_ENOMEM;
		failed += view_invariants_cuts(places, n, flags) == MT_ENOMEM;
	});
	CHECK(failed >= 6);
}

int main(void)
{
	check_all();
	check_memory();
	check_rules();
	check_rule_memory();
	check_growth("a chain of groups", apply_chain);
	check_growth("a chain of needs", complete_chain);
	check_growth("nested calls", cut_nested);
	return tap_done();
}
