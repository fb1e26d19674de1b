/* SPDX-License-Identifier: MIT
 *
 * test-event-facts.c - the facts of a log are the same with and without the file that
 * stores them, whatever that file contains. */
#include "context/event-facts.h"
#include "context/event-names.h"

#include "files.h"
#include "js.h"
#include "tap.h"

#include <stdlib.h>
#include <unistd.h>

enum { TURNS = 1000, NEW = 10 };

static char dir[64], file[96];
static int32_t ids[TURNS * 3];
static struct error err;

static void give_up(void)
{
	printf("Bail out! %s\n", err.text);
	exit(1);
}

static void put(struct evlog *log, struct event *e, const char *meta)
{
	if (!e ||
	    (meta && js_set(e->json, "tool_call_metadata",
			    js_parse_object(meta, strlen(meta), &err))) ||
	    evlog_append(log, e, &err))
		give_up();
	event_unref(e);
}

/* A message, a call, its result; every other reply makes two calls. One call in five is
 * refused before it becomes an action. */
static void put_turn(struct evlog *log, int n, const char *kind)
{
	char meta[256];
	json_object *args = json_object_new_object();
	struct event *e;

	js_set_str(args, "content", "So.");
	put(log, event_action("message", SOURCE_USER, args, &err), NULL);
	snprintf(meta, sizeof meta,
		 "{\"function_name\":\"execute_bash\",\"tool_call_id\":\"%s_%d\","
		 "\"total_calls_in_response\":1,\"llm_response_id\":\"%s_%d\"}",
		 kind, n, kind, n / 2);
	if (n % 5 == 0) {
		put(log, event_observation("error", SOURCE_AGENT, -1, "x", 1, NULL, &err),
		    meta);
		return;
	}
	args = json_object_new_object();
	js_set_str(args, "command", "ls");
	e = event_action("run", SOURCE_AGENT, args, &err);
	if (e && n % 7 == 0)
		js_set_str(e->json, "reasoning_content", "Hm.");
	put(log, e, meta);
	args = json_object_new_object();
	js_set_str(args, "command", "ls");
	put(log,
	    event_observation("run", SOURCE_AGENT, evlog_count(log) - 1, "x", 1, args,
			      &err),
	    meta);
}

static struct evlog *open_log(enum evlog_open mode)
{
	struct evlog_options o = { .sync = SYNC_NONE };
	struct evlog *log = NULL;

	if (evlog_open(dir, mode, &o, &log, NULL, &err))
		give_up();
	return log;
}

/* Facts are equal if their groups are: the numbers may differ. */
static bool are_same(const struct view_fact *a, const struct view_fact *b, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (a[i].call != b[i].call || a[i].batch != b[i].batch ||
		    a[i].loop != b[i].loop || a[i].is_action != b[i].is_action ||
		    a[i].thinking != b[i].thinking || a[i].answered != b[i].answered)
			return false;
	return true;
}

/* `*ret_kept`: a fact was known before an event was read. */
static bool agrees(struct evlog *log, const struct view_fact *wanted, size_t count,
		   bool *ret_kept)
{
	struct event_facts *f = event_facts_new(log);
	bool more, same;

	*ret_kept = event_facts_of(f, 1) != NULL;
	same = event_facts_read(f, ids, count, 0, &more, &err) == MT_OK && !more &&
	       are_same(event_facts_list(f), wanted, count);
	event_facts_free(f);
	return same;
}

static void check(struct evlog *log, const struct view_fact *wanted, size_t count,
		  bool kept, const char *name)
{
	bool is_kept, same = agrees(log, wanted, count, &is_kept);

	CHECK_MSG(same && is_kept == kept, "%s: the same facts, %s", name,
		  kept ? "kept" : "read again");
}

static void damage(struct evlog *log, const struct view_fact *wanted, size_t count)
{
	AUTO(free) char *text = NULL;
	size_t len, good = 0, tries = 0;
	bool kept;

	CHECK(file_read(file, 1 << 24, &text, &len, &err) == MT_OK);
	for (size_t at = 0; at < len; at += at < 128 ? 1 : 4099, tries++) {
		text[at] ^= 1;
		file_write(file, text, len, 0600, false, &err);
		good += agrees(log, wanted, count, &kept) && !kept;
		text[at] ^= 1;
	}
	CHECK_MSG(good == tries, "%zu of %zu changed bytes are found", good, tries);
	good = tries = 0;
	for (size_t at = 0; at < len; at += at < 128 ? 1 : 4099, tries++) {
		file_write(file, text, at, 0600, false, &err);
		good += agrees(log, wanted, count, &kept) && !kept;
	}
	CHECK_MSG(good == tries, "%zu of %zu cuts are found", good, tries);
	file_write(file, text, len, 0600, false, &err);
}

static void names(void)
{
	struct event_names n = EVENT_NAMES;

	CHECK(event_names_number(&n, NULL) == -1 && event_names_number(&n, "") == -1);
	CHECK(event_names_number(&n, "a") == 0 && event_names_number(&n, "b") == 1 &&
	      event_names_number(&n, "a") == 0);
	event_names_clear(&n);
	CHECK(event_names_load(&n, "a\0b", 4) && event_names_number(&n, "b") == 1);
	event_names_clear(&n);
	CHECK(!event_names_load(&n, "a\0a", 4));
	event_names_clear(&n);
	CHECK(!event_names_load(&n, "a\0\0b", 5));
	event_names_clear(&n);
	CHECK(!event_names_load(&n, "ab", 2));
	event_names_clear(&n);
}

int main(void)
{
	struct view_fact *wanted = NULL;
	struct event_facts *f;
	struct evlog *log;
	size_t count = 0;
	bool more;

	snprintf(dir, sizeof dir, "/tmp/mortise-facts-%d", (int)getpid());
	snprintf(file, sizeof file, "%s/events.facts", dir);
	names();
	log = open_log(EVLOG_CREATE);
	for (int i = 0; i < TURNS - NEW; i++)
		put_turn(log, i, "call");
	for (; count < (size_t)evlog_count(log); count++)
		ids[count] = (int32_t)count;
	f = event_facts_new(log);
	CHECK(event_facts_read(f, ids, count, 0, &more, &err) == MT_OK);
	wanted = malloc(sizeof ids / sizeof *ids * sizeof *wanted);
	memcpy(wanted, event_facts_list(f), count * sizeof *wanted);
	CHECK(wanted[1].answered && wanted[1].is_action && wanted[1].batch >= 0);
	CHECK(wanted[3].is_action && !wanted[3].answered && !wanted[4].answered);
	check(log, wanted, count, false, "no file");
	event_facts_save(f);
	event_facts_free(f);
	check(log, wanted, count, true, "the file");
	damage(log, wanted, count);
	check(log, wanted, count, true, "the file again");
	evlog_close(log);

	log = open_log(EVLOG_WRITE);
	for (int i = TURNS - NEW; i < TURNS; i++)
		put_turn(log, i, i % 2 ? "call" : "other");
	for (; count < (size_t)evlog_count(log); count++)
		ids[count] = (int32_t)count;
	f = event_facts_new(log);
	CHECK(event_facts_read(f, ids, count, 0, &more, &err) == MT_OK);
	memcpy(wanted, event_facts_list(f), count * sizeof *wanted);
	event_facts_free(f);
	check(log, wanted, count, true, "a file of the shorter log");
	unlink(file);
	check(log, wanted, count, false, "the longer log");
	evlog_close(log);
	free(wanted);
	dir_remove(dir, &err);
	return tap_done();
}
