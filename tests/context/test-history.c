/* SPDX-License-Identifier: MIT
 *
 * test-history.c - delegations, and summaries in their places, of short and long logs. */
#include "context/history.h"

#include "../events/logs.h"
#include "growth.h"

#include <unistd.h>

enum { EVENTS_MAX = 20000 };

static struct error err;
static struct evlog *log_now;

static struct evlog *new_log(const char *name)
{
	struct evlog *log = open_log(test_path(name), EVLOG_CREATE, NULL);

	if (!log) {
		printf("Bail out!\n");
		exit(1);
	}
	return log;
}

static void append(struct evlog *log, const char *text)
{
	AUTO(json) json_object *given = json(text);
	AUTO(event) struct event *e = event_from_json(given, &err);

	if (!e || evlog_append(log, e, &err)) {
		printf("Bail out! %s: %s\n", text, err.text);
		exit(1);
	}
}

/* `D`: begins a delegation. `d`: ends the innermost one without a cause. A digit: ends
 * the delegation with this id. `.`: anything else. `<`: undo down to the id behind it. */
static struct evlog *lay(const char *name, const char *events)
{
	struct evlog *log = new_log(name);
	char text[200];

	for (const char *p = events; *p; p++) {
		if (*p == 'D') {
			append(log, "{\"action\":\"delegate\",\"args\":{\"agent\":\"a\","
				    "\"inputs\":{}}}");
		} else if (*p == '.') {
			say(log, SOURCE_AGENT, "So.");
		} else if (*p == '<') {
			snprintf(text, sizeof text, "{\"record\":\"rewind\",\"to\":%c}",
				 *++p);
			record(log, text, &err);
		} else {
			snprintf(text, sizeof text,
				 "{\"observation\":\"delegate\",\"cause\":%d,\"extras\":"
				 "{\"outputs\":{}}}",
				 *p == 'd' ? -1 : *p - '0');
			append(log, text);
		}
	}
	return log;
}

/* One character for each event and the next one: the number of its delegation. */
static void owners(const struct evlog *log, char *ret)
{
	int64_t id;

	for (id = 0; id <= evlog_count(log); id++) {
		int64_t owner = evlog_delegation_owner(log, id);

		*ret++ = owner < 0 ? '-' : (char)('0' + owner);
	}
	*ret = '\0';
}

static void ends(const struct evlog *log, char *ret)
{
	for (int64_t id = 0; id < evlog_count(log); id++) {
		int64_t end = evlog_delegation_end(log, id);

		*ret++ = end < 0 ? '-' : (char)('0' + end);
	}
	*ret = '\0';
}

static const struct {
	const char *events, *ends, *owners;
} cases[] = {
	{ ".D.1.", "-3---", "--11--" },
	{ ".D.d.", "-3---", "--11--" },
	{ "D.D.20.", "5-4----", "-00220--" },
	{ "D.D.dd.", "5-4----", "-00220--" },
	/* inner delegations end with the outer one */
	{ "D.D.0.D", "4------", "-0022--6" },
	/* nothing to end, ends twice */
	{ ".d.D.33.", "---5----", "----33---" },
	/* an end is undone, then comes again */
	{ "D.0.<1.0", "5-----", "-00000-" },
	/* the beginning is undone */
	{ ".D.<0.1.", "------", "-------" },
};

static void check_case(size_t i)
{
	char name[32], got[32];

	snprintf(name, sizeof name, "case-%zu", i);
	struct evlog *log = lay(name, cases[i].events);

	for (int again = 0; again < 2; again++) {
		ends(log, got);
		CHECK_STR(got, cases[i].ends);
		owners(log, got);
		CHECK_STR(got, cases[i].owners);
		evlog_close(log);
		log = open_log(test_path(name), EVLOG_READ, NULL);
	}
	evlog_close(log);
}

/* ---- summaries ---------------------------------------------------------- */

static void condense(struct evlog *log, int64_t forgotten, int64_t offset)
{
	char text[300];

	snprintf(text, sizeof text,
		 "{\"action\":\"condensation\",\"source\":\"agent\",\"args\":{"
		 "\"forgotten_event_ids\":[%lld],\"summary\":\"S%lld\","
		 "\"summary_offset\":%lld,\"keep_summaries\":true}}",
		 (long long)forgotten, (long long)evlog_count(log), (long long)offset);
	append(log, text);
}

/* Events as `.`, summaries as the last digit of their event. */
static void view_text(struct evlog *log, char *ret)
{
	struct history *h = history_new(log, 0);
	AUTO(free) struct view_item *items = NULL;
	size_t count = 0;

	CHECK(history_view(h, &items, &count, &err) == MT_OK);
	for (size_t i = 0; i < count; i++)
		*ret++ = items[i].event >= 0 ? '.' : items[i].text[items[i].len - 1];
	*ret = '\0';
	history_free(h);
}

static void check_summaries(void)
{
	struct evlog *log = new_log("summaries");
	char got[32];

	for (int i = 0; i < 6; i++)
		say(log, SOURCE_USER, "So.");
	condense(log, 0, 2);
	view_text(log, got);
	CHECK_STR(got, "..6...");
	condense(log, 1, 2);
	view_text(log, got);
	CHECK_STR(got, "..76..");
	condense(log, 2, 99);
	view_text(log, got);
	CHECK_STR(got, "..76.8");
	condense(log, 3, -1);
	view_text(log, got);
	CHECK_STR(got, "9..768");
	/* a condensation that is forgotten takes its summary along */
	condense(log, 7, 1);
	view_text(log, got);
	CHECK_STR(got, "90..68");
	evlog_close(log);
}

/* ---- long logs ---------------------------------------------------------- */

static void view_all(size_t start)
{
	struct history *h = history_new(log_now, (int64_t)start);
	struct view_item *items = NULL;
	size_t count;

	if (history_view(h, &items, &count, &err))
		printf("Bail out! %s\n", err.text);
	free(items);
	history_free(h);
}

/* The newest events of the log. */
static void view_newest(size_t count)
{
	view_all((size_t)evlog_count(log_now) - count);
}

static void find_owners(size_t count)
{
	int64_t first = evlog_count(log_now) - (int64_t)count, found = 0;

	for (int round = 0; round < 20; round++)
		for (int64_t id = first; id < evlog_count(log_now); id++)
			found += evlog_delegation_owner(log_now, id);
	CHECK(found != 0);
}

static void check_growth(const char *what, void (*fn)(size_t count))
{
	double ratio = growth(fn, EVENTS_MAX / GROWTH_FACTOR);

	CHECK_MSG(ratio < GROWTH_LINEAR_MAX,
		  "%s: %d times the events, %.1f times as long", what, GROWTH_FACTOR,
		  ratio);
}

static void check_long(void)
{
	log_now = new_log("delegations");
	for (int i = 0; i < EVENTS_MAX; i++)
		append(log_now, "{\"action\":\"delegate\",\"args\":{\"agent\":\"a\","
				"\"inputs\":{}}}");
	check_growth("delegations that do not end", view_newest);
	check_growth("owners", find_owners);
	evlog_close(log_now);
	log_now = new_log("long");
	for (int i = 0; i < EVENTS_MAX; i++)
		condense(log_now, i, 0);
	check_growth("summaries", view_newest);
	evlog_close(log_now);
}

int main(void)
{
	if (!mkdtemp(top))
		return 1;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		check_case(i);
	check_summaries();
	check_long();
	dir_remove(top, NULL);
	return tap_done();
}
