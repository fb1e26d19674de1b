/* SPDX-License-Identifier: MIT
 *
 * test-oom.c - memory runs out at every allocation of making, appending,
 * recording, opening and reading. */
#include "logs.h"
#include "oom.h"

static void test_make(void)
{
	AUTO(json)
	json_object *in =
		json("{\"action\":\"read\",\"args\":{\"path\":\"/"
		     "a\",\"translated_ipython_code\":"
		     "\"print(file_editor(**{'path': '/b', 'view_range': [1, 2]}))\"}}");
	int failed = 0, made = 0;

	OOM_EACH({
		struct error err = ERROR_NONE;
		AUTO(event) struct event *e = event_from_json(in, &err);

		failed += !e && err.code == MT_ENOMEM;
		made += e != NULL;
	});
	CHECK(made > 0 && failed > 0);
}

static void test_append(void)
{
	struct evlog *log = open_log(test_path("append"), EVLOG_CREATE, NULL);
	AUTO(json)
	json_object *reply = json("{\"record\":\"llm_reply\",\"response_id\":\"r\"}");
	AUTO(json)
	json_object *state = json("{\"record\":\"state\",\"plugin\":\"p\","
				  "\"text\":\"t\"}");
	AUTO(free) char *big = malloc(20001);
	int64_t good = 0, replies = 0;
	bool fine = true;

	memset(big, 'b', 20000);
	big[20000] = '\0';
	/* 64 events and replies are the first room: the loops pass the border */
	for (int i = 0; i < 63; i++, good++)
		say(log, SOURCE_USER, "m");
	for (int i = 0; i < 3; i++)
		OOM_EACH({
			int status = say(log, SOURCE_USER, i == 1 ? big : "small");

			good += status == MT_OK;
			fine = fine && evlog_count(log) == good;
		});
	for (int i = 0; i < 40; i++)
		OOM_EACH({
			replies += evlog_record(log, reply, NULL) == MT_OK;
			fine = fine && evlog_replies(log) == replies;
		});
	OOM_EACH(evlog_record(log, state, NULL));
	CHECK(fine);
	evlog_close(log);
	log = open_log(test_path("append"), EVLOG_READ, NULL);
	CHECK(log && evlog_count(log) == good && evlog_replies(log) == replies);
	evlog_close(log);
}

static void test_open(void)
{
	for (int with_checkpoint = 1; with_checkpoint >= 0; with_checkpoint--) {
		int opened = 0, refused = 0, wrong = 0;

		if (!with_checkpoint)
			unlink(test_path("append/events.index"));
		OOM_EACH({
			struct evlog *log = NULL;
			struct error err = ERROR_NONE;
			int status = evlog_open(test_path("append"), EVLOG_READ, NULL,
						&log, NULL, &err);

			opened += status == MT_OK;
			refused += status == MT_ENOMEM;
			wrong += status != MT_OK && status != MT_ENOMEM;
			if (log) {
				AUTO(event) struct event *e = evlog_event(log, 0, NULL);
				AUTO(json) json_object *r = evlog_reply(log, "r", NULL);

				(void)e;
				(void)r;
				evlog_state(log, "p", NULL);
			}
			evlog_close(log);
		});
		CHECK(opened > 0 && refused > 0 && wrong == 0);
	}
}

int main(void)
{
	if (!mkdtemp(top))
		return 1;
	test_make();
	test_append();
	test_open();
	dir_remove(top, NULL);
	return tap_done();
}
