/* SPDX-License-Identifier: MIT
 *
 * test-replay.c - the actions that are taken from a recording, and equality of
 * results. */
#include "../events/logs.h"
#include "features/replay-internal.h"
#include "events/trajectory.h"
#include "oom.h"

#include <dirent.h>

/* Only one at a time. */
static int open_file(const char *path, struct replay **ret, struct error *err)
{
	const char *dir = test_path("imported");

	dir_remove(dir, NULL);
	return replay_open_file(path, dir, ret, err);
}

static struct replay *open_text(const char *text, struct error *err)
{
	struct replay *r = NULL;
	const char *path = test_path("recording.json");

	file_write(path, text, strlen(text), 0600, false, NULL);
	return open_file(path, &r, err) ? NULL : r;
}

/* The types of the actions that are taken, with a blank between. */
static const char *types(const struct replay *r)
{
	static char text[4096];

	text[0] = '\0';
	for (size_t i = 0; i < r->end; i++) {
		size_t len = strlen(text);

		snprintf(text + len, sizeof text - len, "%s%s", len ? " " : "",
			 evlog_head(r->log, r->actions[i].recorded)->type->name);
	}
	return text;
}

#define RUN(id_, text_) \
	"{\"id\":" id_ ",\"source\":\"agent\",\"action\":\"run\",\"args\":{\"command\":\"" \
	text_ "\"}}"
#define RESULT(id_, cause_, text_, code_) \
	"{\"id\":" id_ ",\"cause\":" cause_ ",\"source\":\"agent\",\"observation\":\"run\"," \
	"\"content\":\"" text_ "\",\"extras\":{\"command\":\"x\",\"metadata\":{" \
	"\"exit_code\":" code_ "}}}"
#define SAY(id_, who_, text_) \
	"{\"id\":" id_ ",\"source\":\"" who_ "\",\"action\":\"message\",\"args\":{" \
	"\"content\":\"" text_ "\",\"wait_for_response\":true}}"

static const char sample[] =
	"[{\"id\":0,\"source\":\"environment\",\"action\":\"change_agent_state\","
	"\"args\":{\"agent_state\":\"init\"}}," SAY(
		"2", "user",
		"task") ","
			"{\"id\":3,\"source\":\"user\",\"action\":\"recall\",\"args\":{\"recall_type\":\"knowledge\",\"query\":\"task\"}}," RUN(
				"4",
				"ls") "," RESULT("5", "4", "a\\n",
						 "0") "," SAY("6", "agent",
							      "which?") "," SAY("7",
										"user",
										"that") ","
											"{\"id\":8,\"source\":\"environment\",\"action\":\"message\",\"args\":{"
											"\"content\":\"note\"}},"
											"{\"id\":9,\"source\":\"agent\",\"observation\":\"null\",\"content\":\"\","
											"\"extras\":{}}," RUN("10", "false") "," RESULT(
												"11",
												"10",
												"",
												"1") ","
												     "{\"id\":12,\"source\":\"agent\",\"action\":\"finish\",\"args\":{}}]";

static void test_taken(void)
{
	struct error err = ERROR_NONE;
	AUTO(replay) struct replay *r = open_text(sample, &err);

	CHECK_MSG(r != NULL, "opened %s", err.text);
	if (!r)
		return;
	CHECK_STR(replay_task(r), "task");
	CHECK_STR(types(r), "run message message run finish");
	CHECK(replay_until(r, 7, &err) == MT_OK);
	CHECK_STR(types(r), "run message message");
	CHECK(replay_until(r, 9, &err) == MT_OK);
	CHECK_STR(types(r), "run message message");
	CHECK(replay_until(r, 12, &err) == MT_OK);
	CHECK_STR(types(r), "run message message run finish");
	CHECK(replay_until(r, 13, &err) == MT_EINVAL);
	CHECK_MSG(strstr(err.text, "the last one of the recording is 12"), "%s",
		  err.text);
}

static void on_difference(void *arg, const struct replay_difference *d)
{
	snprintf(arg, 256, "%d %s %s|%s", (int)d->recorded, d->what, d->want, d->got);
}

static void test_compare(void)
{
	static const struct {
		const char *type, *text;
		int code;
		const char *differs;
	} cases[] = {
		{ "run", "a\n", 0, "" },
		{ "run", "a", 0, "" },
		{ "run", "a  \n\n", 0, "" },
		{ "run", " a", 0, "4 output a\n| a" },
		{ "run", "a", 1, "4 exit code 0|1" },
		{ "error", "a", 0, "4 observation run: a\n|error: a" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct error err = ERROR_NONE;
		AUTO(replay) struct replay *r = open_text(sample, &err);
		char got[256] = "", extras[128];
		AUTO(event) struct event *e = NULL;

		snprintf(extras, sizeof extras,
			 "{\"command\":\"x\",\"metadata\":{\"exit_code\":%d}}",
			 cases[i].code);
		e = event_observation(cases[i].type, SOURCE_AGENT, 40, cases[i].text,
				      strlen(cases[i].text), json(extras), &err);
		if (!r || !e) {
			CHECK_MSG(false, "%s", err.text);
			continue;
		}
		r->actions[0].now = 40;
		r->next = 1;
		replay_compare(r, e, on_difference, got);
		CHECK_STR(got, cases[i].differs);
		CHECK(replay_report(r).same + replay_report(r).different == 1 &&
		      replay_report(r).left == 4);
		replay_compare(r, e, on_difference, got);
		CHECK_MSG(replay_report(r).same + replay_report(r).different == 1,
			  "counted once");
	}
}

static void test_refused(void)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "[" RUN("0", "ls") "]", "does not start with a user message" },
		{ "[" SAY("0", "agent", "hi") "]", "does not start with" },
		{ "[{\"observation\":\"null\",\"content\":\"\",\"extras\":{}}]",
		  "no user message" },
		{ "[]", "no events" },
		{ "{", "recording.json" },
		{ "[{\"action\":\"dance\"}]", "dance" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct error err = ERROR_NONE;
		AUTO(replay) struct replay *r = open_text(cases[i].text, &err);

		CHECK_MSG(!r && strstr(err.text, cases[i].says), "%s", err.text);
	}
}

/* Those of real files, in their order; nothing of them is carried out. */
static void check_real(const char *path, json_object *events)
{
	struct error err = ERROR_NONE;
	struct replay *r = NULL;
	size_t place = 0, count = json_object_array_length(events);
	bool all = true;

	if (open_file(path, &r, &err)) {
		CHECK_MSG(false, "%s: %s", path, err.text);
		return;
	}
	for (size_t i = 0; i < r->count; i++) {
		const struct evlog_head *head =
			evlog_head(r->log, r->actions[i].recorded);
		int64_t id = replay_original_id(r, r->actions[i].recorded);

		while (place < count &&
		       js_int(json_object_array_get_idx(events, place), "id", -1) != id)
			place++;
		all = all && place < count &&
		      strcmp(js_str(json_object_array_get_idx(events, place), "action",
				    ""),
			     head->type->name) == 0;
	}
	CHECK_MSG(all && r->count > 0, "%s: %zu actions", path, r->count);
	replay_free(r);
}

static void test_real(void)
{
	const char *srcdir = getenv("top_srcdir");
	char dir[512], path[1024];
	struct dirent *entry;
	DIR *d;

	snprintf(dir, sizeof dir, "%s/../shared/vectors/trajectories/v0",
		 srcdir ? srcdir : ".");
	d = opendir(dir);
	if (!d) {
		SKIP("no recorded trajectories next to the sources");
		return;
	}
	while ((entry = readdir(d))) {
		struct trajectories t = { 0 };

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof path, "%s/%s", dir, entry->d_name);
		if (trajectory_load(path, &t, NULL) == MT_OK && t.count == 1)
			check_real(path, t.items[0].events);
		trajectory_clear(&t);
	}
	closedir(d);
}

static void test_oom(void)
{
	const char *path = test_path("recording.json");
	bool good = true;

	file_write(path, sample, sizeof sample - 1, 0600, false, NULL);
	OOM_EACH({
		struct error err = ERROR_NONE;
		AUTO(replay) struct replay *r = NULL;
		int status = open_file(path, &r, &err);

		good = good && (status == MT_OK) == (r != NULL) && status == err.code;
	});
	CHECK_MSG(good, "opened, or refused with a reason");
}

int main(void)
{
	if (!mkdtemp(top))
		return 1;
	test_taken();
	test_compare();
	test_refused();
	test_real();
	test_oom();
	dir_remove(top, NULL);
	return tap_done();
}
