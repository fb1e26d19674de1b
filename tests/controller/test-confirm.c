/* SPDX-License-Identifier: MIT
 *
 * test-confirm.c - confirmation by risk and policy; combined risks of several
 * analyzers; limits of shared budgets. */
#include "controller/plugins/analyzers.h"
#include "features/approval/approval.h"
#include "features/budget.h"

#include "tap.h"

#include <string.h>

static const struct {
	struct approval_policy policy;
	bool waits[4]; /* UNKNOWN, LOW, MEDIUM, HIGH */
} policies[] = {
	{ { CONFIRM_NEVER, RISK_HIGH, true }, { false, false, false, false } },
	{ { CONFIRM_ALWAYS, RISK_HIGH, false }, { true, true, true, true } },
	{ { CONFIRM_RISKY, RISK_HIGH, true }, { true, false, false, true } },
	{ { CONFIRM_RISKY, RISK_HIGH, false }, { false, false, false, true } },
	{ { CONFIRM_RISKY, RISK_MEDIUM, false }, { false, false, true, true } },
	{ { CONFIRM_RISKY, RISK_LOW, true }, { true, true, true, true } },
};

enum {
	U = RISK_UNKNOWN,
	L = RISK_LOW,
	M = RISK_MEDIUM,
	H = RISK_HIGH,
	NO = RISK_UNCLASSIFIED
};

/* The combined risk of several analyzers. */
static const struct {
	int risks[3];
	bool propagate;
	int joined;
} joins[] = {
	{ { U, L, M }, false, M },   { { U, L, L }, false, L },   { { U, L, M }, true, U },
	{ { NO, L, M }, false, U },  { { L, L, NO }, false, U },  { { M, NO, U }, false, U },
	{ { NO, H, L }, false, H },  { { NO, NO, NO }, false, U }, { { NO, H, L }, true, U },
	{ { NO, RISK_FAILED, L }, false, U },
};

static void test_accounts(void)
{
	struct budget root = { 0 }, a = { .parent = &root }, b = { .parent = &root };
	AUTO(json) json_object *kept = NULL;
	struct budget back = { 0 };
	char text[256] = "";

	budget_set_limit(&root, LIMIT_COST, 1.5);
	budget_set_limit(&a, LIMIT_ITERATIONS, 2);
	budget_spend(&a, LIMIT_COST, 1);
	CHECK_MSG(!budget_account_reached(&b, LIMITS_STEP, text, sizeof text),
		  "nothing is reached");
	budget_spend(&b, LIMIT_COST, 0.5);
	budget_spend(&b, LIMIT_COST, -1); /* unknown */
	CHECK_MSG(budget_account_reached(&a, LIMITS_STEP, text, sizeof text),
		  "delegates share what the root may spend");
	CHECK_STR(text, "Agent reached maximum budget for conversation."
			"Current budget: 1.50, max budget: 1.50");
	budget_set_limit(&back, LIMIT_COST, 0.001);
	budget_spend(&back, LIMIT_COST, 0.0042);
	CHECK_MSG(budget_account_reached(&back, LIMITS_STEP, text, sizeof text),
		  "of little money");
	CHECK_STR(text, "Agent reached maximum budget for conversation."
			"Current budget: 0.0042, max budget: 0.001");
	budget_set_limit(&back, LIMIT_COST, 0.00000015);
	CHECK_MSG(budget_account_reached(&back, LIMITS_STEP, text, sizeof text),
		  "of very little money");
	CHECK_STR(text, "Agent reached maximum budget for conversation."
			"Current budget: 0.0042, max budget: 0.00000015");
	back = (struct budget){ 0 };
	CHECK_MSG(a.quotas[LIMIT_COST].used == 1 && b.quotas[LIMIT_COST].used == 0.5 &&
			  root.quotas[LIMIT_COST].used == 1.5,
		  "the bill adds up");
	CHECK_MSG(budget_raise(&b) && root.quotas[LIMIT_COST].max == 3, "it is raised");
	CHECK_MSG(!budget_raise(&b), "once");
	budget_spend(&a, LIMIT_ITERATIONS, 1);
	budget_spend(&a, LIMIT_ITERATIONS, 1);
	CHECK_MSG(budget_account_reached(&a, LIMITS_STEP, text, sizeof text),
		  "its own limit");
	CHECK_STR(text, "Agent reached maximum iteration. Current iteration: 2, max "
			"iteration: 2");
	CHECK_MSG(!budget_account_reached(&b, LIMITS_STEP, text, sizeof text),
		  "is not that of the other");
	kept = budget_json(&root);
	budget_set_limit(&back, LIMIT_COST, 1.5);
	budget_from_json(&back, kept);
	CHECK_MSG(back.quotas[LIMIT_COST].used == 1.5 && back.quotas[LIMIT_COST].max == 3,
		  "the log keeps what was raised");
}

int main(void)
{
	for (size_t i = 0; i < sizeof policies / sizeof *policies; i++)
		for (int risk = RISK_UNKNOWN; risk <= RISK_HIGH; risk++)
			CHECK_MSG(approval_needed(&policies[i].policy, (enum risk)risk) ==
					  policies[i].waits[risk + 1],
				  "policy %zu: risk %s", i, risk_name((enum risk)risk));
	for (size_t i = 0; i < ARRAY_LEN(joins); i++)
		CHECK_MSG((int)analyzers_join_risks(joins[i].risks, 3, joins[i].propagate,
						    RISK_UNKNOWN) == joins[i].joined,
			  "the %zu. risks join", i);
	test_accounts();
	return tap_done();
}
