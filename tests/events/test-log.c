/* SPDX-License-Identifier: MIT
 *
 * test-log.c - the log: appending, reading back, blobs, records, the lock,
 * subscribers, the checkpoint. */
#include "logs.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

static void test_basic(void)
{
	const char *dir = test_path("basic");
	struct evlog *log = open_log(dir, EVLOG_CREATE, NULL);
	struct error err = ERROR_NONE;
	struct stat st;

	CHECK(log && evlog_count(log) == 0);
	CHECK(say(log, SOURCE_USER, "one") == MT_OK &&
	      say(log, SOURCE_AGENT, "two") == MT_OK);
	CHECK(evlog_count(log) == 2 && said(log, 0, "one") && said(log, 1, "two"));
	CHECK(evlog_head(log, 1)->source == SOURCE_AGENT && !evlog_head(log, 2));

	AUTO(event) struct event *e = evlog_event(log, 0, NULL);

	CHECK(evlog_append(log, e, &err) == MT_EINVAL);
	CHECK(strlen(js_str(e->json, "timestamp", "")) == 27);
	evlog_close(log);

	CHECK(stat(test_path("basic/events.jsonl"), &st) == 0 &&
	      (st.st_mode & 0777) == 0600);
	CHECK(stat(test_path("basic"), &st) == 0 && (st.st_mode & 0777) == 0700);
	err = ERROR_NONE;
	CHECK(evlog_open(dir, EVLOG_CREATE, NULL, &log, NULL, &err) == MT_EEXIST);
	err = ERROR_NONE;
	CHECK(evlog_open(test_path("none"), EVLOG_WRITE, NULL, &log, NULL, &err) ==
	      MT_ENOTFOUND);

	log = open_log(dir, EVLOG_READ, NULL);
	CHECK(log && evlog_count(log) == 2 && said(log, 1, "two"));
	CHECK(say(log, SOURCE_USER, "x") == MT_EDENIED);
	evlog_close(log);
}

static void test_records(void)
{
	const char *dir = test_path("records");
	struct evlog *log = open_log(dir, EVLOG_CREATE, NULL);
	struct error err = ERROR_NONE;
	size_t len;

	CHECK(record(log, "{\"x\":1}", &err) == MT_EINVAL);
	CHECK(record(log, "{\"record\":\"dispatch\",\"action\":0}", NULL) == MT_EINVAL);
	for (int i = 0; i < 200; i++) {
		char text[128];

		snprintf(text, sizeof text,
			 "{\"text\":\"t%d\",\"record\":\"llm_reply\",\"response_id\":\"r-"
			 "%d\"}",
			 i, i);
		record(log, text, NULL);
		say(log, SOURCE_AGENT, "a");
	}
	record(log, "{\"record\":\"dispatch\",\"action\":3}", NULL);
	record(log, "{\"record\":\"state\",\"plugin\":\"p\\\"q\",\"text\":\"old\"}",
	       NULL);
	record(log, "{\"record\":\"state\",\"plugin\":\"p\\\"q\",\"text\":\"new\"}",
	       NULL);
	record(log, "{\"record\":\"later\",\"what\":[1]}", NULL);
	for (int pass = 0; pass < 4; pass++) {
		AUTO(json) json_object *reply = evlog_reply(log, "r-77", NULL);

		CHECK_STR(js_str(reply, "text", ""), "t77");
		CHECK(evlog_replies(log) == 200 && !evlog_reply(log, "r-200", NULL));
		CHECK_STR(evlog_last_reply(log), "r-199");
		CHECK(evlog_dispatched(log, 3) && !evlog_dispatched(log, 2));
		CHECK_STR(evlog_state(log, "p\"q", &len), "new");
		CHECK(len == 3 && !evlog_state(log, "other", NULL));
		evlog_close(log);
		if (pass == 1)
			unlink(test_path("records/events.index"));
		if (pass == 2)
			CHECK(truncate(test_path("records/events.index"), 1000) == 0);
		log = open_log(dir, EVLOG_WRITE, NULL);
	}
	evlog_close(log);
}

static void test_rewind(void)
{
	const char *dir = test_path("rewind");
	struct evlog *log = open_log(dir, EVLOG_CREATE, NULL);

	for (int i = 0; i < 5; i++)
		say(log, SOURCE_USER, "m");
	CHECK(record(log, "{\"record\":\"rewind\",\"to\":5}", NULL) == MT_EINVAL);
	CHECK(record(log, "{\"record\":\"rewind\",\"to\":2}", NULL) == MT_OK);
	say(log, SOURCE_USER, "m");
	for (int pass = 0; pass < 3; pass++) {
		char undone[8] = "";

		for (int i = 0; i < 6; i++)
			undone[i] = evlog_head(log, i)->undone ? 'u' : '.';
		CHECK_STR(undone, "...uu.");
		evlog_close(log);
		if (pass == 1)
			unlink(test_path("rewind/events.index"));
		log = open_log(dir, EVLOG_WRITE, NULL);
	}
	CHECK(record(log, "{\"record\":\"rewind\",\"to\":-1}", NULL) == MT_OK);
	CHECK(evlog_head(log, 0)->undone);
	evlog_close(log);
}

/* URLs whose bytes alone are kept, and some that are texts like others. */
static void test_data_urls(void)
{
	static const struct {
		const char *head, *tail;
		bool bytes;
	} cases[] = {
		{ "data:image/png;base64,", "", true },
		{ "data:image/png;base64,", "QQ==", true },
		{ "data:image/png;base64,", "QR==", false }, /* bits left over */
		{ "data:image/png;base64,", "\n", false },
		{ "data:image/png;charset=x;base64,", "", false },
		{ "data:image/PNG;base64,", "", false },
		{ "data:image/png,", "", false },
		{ "date:image/png;base64,", "", false },
	};
	const char *dir = test_path("data");
	struct evlog *log = open_log(dir, EVLOG_CREATE, NULL);
	char *urls[ARRAY_LEN(cases)];
	AUTO(free) char *text = NULL;
	size_t len;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct strbuf url = STRBUF(1 << 20);

		strbuf_add(&url, cases[i].head);
		for (int n = 0; n < 5000; n++)
			strbuf_addf(&url, "A%03d", n % 1000);
		strbuf_add(&url, cases[i].tail);
		urls[i] = strbuf_take(&url);
		CHECK(say(log, SOURCE_USER, urls[i]) == MT_OK);
	}
	evlog_close(log);
	CHECK(file_read(test_path("data/events.jsonl"), 1 << 20, &text, &len, NULL) ==
	      MT_OK);
	log = open_log(dir, EVLOG_WRITE, NULL);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char *line = text, *end;

		for (size_t n = 0; n < i && line; n++)
			line = strchr(line, '\n') + 1;
		end = strchr(line, '\n');
		CHECK_MSG(said(log, (int64_t)i, urls[i]) &&
				  cases[i].bytes == !!memmem(line, (size_t)(end - line),
							     "\"data\":\"image/png\"",
							     18),
			  "%s...%s reads as it was written", cases[i].head,
			  cases[i].tail);
		free(urls[i]);
	}
	evlog_close(log);
}

static void test_blobs(void)
{
	const char *dir = test_path("blobs");
	struct evlog *log = open_log(dir, EVLOG_CREATE, NULL);
	AUTO(free) char *big = malloc(50001);
	struct stat st;
	char name[65];

	memset(big, 'b', 50000);
	memcpy(big + 100, "\n\"\\ü", 5);
	big[50000] = '\0';
	CHECK(say(log, SOURCE_USER, big) == MT_OK && said(log, 0, big));

	AUTO(event)
	struct event *odd = event_action("call_tool", SOURCE_AGENT,
					 json("{\"name\":\"x\",\"arguments\":{\"$blob\":"
					      "\"me\",\"l\":[{\"$blob\":null}]}}"),
					 NULL);

	CHECK(evlog_append(log, odd, NULL) == MT_OK);
	CHECK(evlog_blob(log, "hello", 5, name, NULL) == MT_OK);
	CHECK_STR(name,
		  "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824");
	evlog_close(log);
	CHECK(stat(test_path("blobs/events.jsonl"), &st) == 0 && st.st_size < 2000);
	log = open_log(dir, EVLOG_WRITE, NULL);
	CHECK(said(log, 0, big));

	AUTO(event) struct event *back = evlog_event(log, 1, NULL);

	CHECK(back && js_equal(back->json, odd->json));
	evlog_close(log);
	dir_remove(test_path("blobs/blobs"), NULL);
	log = open_log(dir, EVLOG_WRITE, NULL);

	AUTO(event) struct event *gone = evlog_event(log, 0, NULL);

	CHECK(gone && strstr(event_arg(gone, "content"), "missing"));
	evlog_close(log);
}

static void test_mask(void)
{
	AUTO(mask) struct mask *mask = mask_new();
	struct evlog *log;
	AUTO(free) char *text = NULL;
	size_t len;

	mask_add(mask, "sekret-1", 8);
	mask_add(mask, "", 0);
	log = open_log(test_path("mask"), EVLOG_CREATE, mask);

	AUTO(event)
	struct event *e =
		event_action("call_tool", SOURCE_AGENT,
			     json("{\"name\":\"say_sekret-1\",\"arguments\":{\"a\":[\"a "
				  "sekret-1\",{\"b\":\"sekret-1\"}]}}"),
			     NULL);
	AUTO(json)
	json_object *r = json("{\"record\":\"llm_reply\",\"response_id\":\"1\","
			      "\"calls\":[{\"arguments\":\"sekret-1\"}]}");

	CHECK(evlog_append(log, e, NULL) == MT_OK && evlog_record(log, r, NULL) == MT_OK);
	CHECK_STR(js_str(json_object_array_get_idx(js_get(r, "calls"), 0), "arguments",
			 ""),
		  "sekret-1");
	evlog_close(log);
	CHECK(file_read(test_path("mask/events.jsonl"), 1 << 20, &text, &len, NULL) ==
	      MT_OK);
	CHECK(text && strstr(text, "a <secret_hidden>"));
	CHECK_MSG(strstr(text, "\"name\":\"say_sekret-1\""), "the name of a tool stays");
	text[strstr(text, "say_sekret-1") - text + 4] = '-';
	CHECK(!strstr(text, "sekret-1"));
	CHECK(js_bool(e->json, EVENT_MASKED, false) &&
	      strstr(text,
		     "{\"arguments\":\"<secret_hidden>\",\"secrets_masked\":true}"));
}

struct heard {
	int64_t ids[16];
	int count;
};

static void hear(struct evlog *log, const struct event *e, void *arg)
{
	struct heard *h = arg;

	h->ids[h->count++] = e->id;
	if (e->id == 0)
		say(log, SOURCE_AGENT, "nested");
}

static void test_subscribers(void)
{
	struct evlog *log = open_log(test_path("subscribers"), EVLOG_CREATE, NULL);
	struct heard first = { .count = 0 }, second = { .count = 0 };
	AUTO(free) char *huge = malloc(2000001);

	evlog_subscribe(log, hear, &first);
	evlog_subscribe(log, hear, &second);
	say(log, SOURCE_USER, "one");
	/* "nested" of the second subscriber is event 2 */
	CHECK(first.count == 3 && first.ids[0] == 0 && first.ids[1] == 1 &&
	      first.ids[2] == 2);
	CHECK(second.count == 3 && second.ids[2] == 2);
	memset(huge, 'h', 2000000);
	huge[2000000] = '\0';
	say(log, SOURCE_USER, huge);
	CHECK(first.count == 4 && second.count == 4 && said(log, 3, huge));
	evlog_close(log);
}

static void test_lock(void)
{
	const char *dir = test_path("lock");
	struct evlog *log = open_log(dir, EVLOG_CREATE, NULL), *other = NULL;
	struct error err = ERROR_NONE;
	char pid[32];
	int ready[2], status;
	pid_t child;

	snprintf(pid, sizeof pid, "process %ld", (long)getpid());
	CHECK(evlog_open(dir, EVLOG_WRITE, NULL, &other, NULL, &err) == MT_EDENIED);
	CHECK_MSG(strstr(err.text, pid), "%s", err.text);
	other = open_log(dir, EVLOG_READ, NULL);
	CHECK(other != NULL);
	evlog_close(other);
	evlog_close(log);

	CHECK(pipe(ready) == 0);
	child = fork();
	if (child == 0) {
		log = open_log(dir, EVLOG_WRITE, NULL);
		file_write_all(ready[1], log ? "y" : "n", 1);
		pause();
		_exit(0);
	}
	CHECK(read(ready[0], pid, 1) == 1 && pid[0] == 'y');
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	log = open_log(dir, EVLOG_WRITE, NULL);
	CHECK(log != NULL);
	evlog_close(log);
	close(ready[0]);
	close(ready[1]);
}

/* The file system refuses to grow the file further than a limit. */
static void test_full(void)
{
	const char *dir = test_path("full");
	struct evlog *log = open_log(dir, EVLOG_CREATE, NULL);
	struct rlimit old, tight;
	struct error err = ERROR_NONE;
	uint64_t size;

	say(log, SOURCE_USER, "one");
	size = evlog_size(log);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	tight = old;
	tight.rlim_cur = size + 20;
	setrlimit(RLIMIT_FSIZE, &tight);

	AUTO(event)
	struct event *e =
		event_action("message", SOURCE_USER, json("{\"content\":\"two\"}"), NULL);

	CHECK(evlog_append(log, e, &err) == MT_EIO);
	CHECK_MSG(err.text[0], "%s", err.text);
	CHECK(e->id == -1 && evlog_count(log) == 1 && evlog_size(log) == size);
	setrlimit(RLIMIT_FSIZE, &old);
	CHECK(evlog_append(log, e, NULL) == MT_OK && e->id == 1);
	evlog_close(log);
	log = open_log(dir, EVLOG_WRITE, NULL);
	CHECK(evlog_count(log) == 2 && said(log, 1, "two"));
	evlog_close(log);
}

static void test_read(void)
{
	struct evlog *log = open_log(test_path("read"), EVLOG_CREATE, NULL);
	AUTO(strbuf) struct strbuf out = STRBUF(1 << 20);
	uint64_t first;
	int64_t n;

	say(log, SOURCE_USER, "one");
	first = evlog_size(log);
	say(log, SOURCE_USER, "two");
	n = evlog_read(log, 0, &out, 10);
	CHECK(n == (int64_t)first && out.len == first && out.text[first - 1] == '\n');
	n = evlog_read(log, first, &out, 100000);
	CHECK(n == (int64_t)(evlog_size(log) - first) && strstr(out.text, "two"));
	CHECK(evlog_read(log, evlog_size(log), &out, 100) == 0);
	CHECK(evlog_read(log, UINT64_MAX, &out, 100) == 0);
	evlog_close(log);
}

static void test_checkpoint(void)
{
	const char *dir = test_path("checkpoint");
	struct evlog *log = open_log(dir, EVLOG_CREATE, NULL);
	AUTO(json) json_object *state = json("{\"steps\":7}");
	struct stat st;

	CHECK(!evlog_checkpoint(log));
	evlog_set_checkpoint(log, state);
	for (int i = 0; i < 2500; i++)
		say(log, SOURCE_USER, "m");
	CHECK(stat(test_path("checkpoint/events.index"), &st) == 0);
	evlog_close(log);
	log = open_log(dir, EVLOG_WRITE, NULL);
	CHECK(evlog_count(log) == 2500 && js_int(evlog_checkpoint(log), "steps", 0) == 7);
	CHECK(said(log, 2499, "m") && said(log, 0, "m"));
	evlog_close(log);
	/* a checkpoint of a log that was emptied: the ids stay taken */
	CHECK(truncate(test_path("checkpoint/events.jsonl"), 0) == 0);
	log = open_log(dir, EVLOG_WRITE, NULL);
	CHECK(log && evlog_count(log) == 2500 && !evlog_checkpoint(log));
	CHECK(evlog_head(log, 0)->missing && evlog_head(log, 2499)->missing);
	CHECK(say(log, SOURCE_USER, "m") == MT_OK && said(log, 2500, "m"));
	evlog_close(log);
}

static void test_format(void)
{
	struct evlog *log = open_log(test_path("format"), EVLOG_CREATE, NULL);
	struct error err = ERROR_NONE;

	evlog_close(log);
	file_write(test_path("format/meta.json"), "{\"format\":2}", 12, 0600, false,
		   NULL);
	CHECK(evlog_open(test_path("format"), EVLOG_WRITE, NULL, &log, NULL, &err) ==
	      MT_EUNSUPPORTED);
	file_write(test_path("format/meta.json"), "{\"format\":1}", 12, 0600, false,
		   NULL);
	log = open_log(test_path("format"), EVLOG_WRITE, NULL);
	CHECK(log != NULL);
	evlog_close(log);
}

static int answer_blob(void *arg, const char *name, size_t max, char **ret,
		       size_t *ret_len, struct error *err)
{
	(void)name, (void)max;
	*ret = strdup(arg);
	*ret_len = strlen(arg);
	return *ret ? MT_OK : out_of_memory(err);
}

/* 0, or the number of the first thing that is wrong. */
static int read_in_copy(struct evlog *log)
{
	char text[] = "from the parent";
	int fd = evlog_detach_copy(log, answer_blob, text, NULL);

	if (fd < 0 || unlink(test_path("copy/events.jsonl")) != 0)
		return 1;
	if (!said(log, 0, "small") || !said(log, 1, text))
		return 2;
	if (say(log, SOURCE_USER, "x") != MT_EDENIED || write(fd, "x", 1) >= 0)
		return 3;
	if (record(log, "{\"record\":\"later\"}", NULL) != MT_EDENIED)
		return 4;
	return 0;
}

/* A forked copy reads the log without opening a file, and cannot change it. */
static void test_copy(void)
{
	struct evlog *log = open_log(test_path("copy"), EVLOG_CREATE, NULL),
		     *again = NULL;
	AUTO(free) char *large = malloc(40001);
	int status = 0;
	pid_t pid;

	if (!large) {
		CHECK(!"memory");
		return;
	}
	memset(large, 'l', 40000);
	large[40000] = '\0';
	say(log, SOURCE_USER, "small");
	say(log, SOURCE_USER, large);
	for (int i = 0; i < 300; i++)
		say(log, SOURCE_USER, "more");
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		_exit(read_in_copy(log));
	waitpid(pid, &status, 0);
	CHECK_MSG(status == 0, "the copy ends with 0, not %x", (unsigned)status);
	CHECK(said(log, 1, large) && say(log, SOURCE_USER, "x") == MT_OK);
	CHECK(evlog_open(test_path("copy"), EVLOG_WRITE, NULL, &again, NULL, NULL) < 0);
	evlog_close(log);
}

/* 0, or the number of the first thing that is wrong. `sizes`: where the parent tells how
 * long the log is. */
static int follow_in_copy(struct evlog *log, int sizes)
{
	uint64_t size;
	int fd = evlog_detach_copy(log, answer_blob, NULL, NULL);

	if (fd < 0 || unlink(test_path("follow/events.jsonl")) != 0)
		return 1;
	if (read(sizes, &size, sizeof size) != sizeof size || evlog_count(log) != 1)
		return 2;
	if (evlog_follow(log, size, NULL) || evlog_count(log) != 2 || !said(log, 1, "b"))
		return 3;
	if (evlog_follow(log, size, NULL) || evlog_count(log) != 2)
		return 4;
	if (read(sizes, &size, sizeof size) != sizeof size)
		return 5;
	if (evlog_follow(log, size, NULL) || evlog_count(log) != 3 || !said(log, 2, "d"))
		return 6;
	if (!evlog_head(log, 1)->undone || evlog_head(log, 2)->undone)
		return 7;
	return evlog_follow(log, size + 1000, NULL) == MT_EIO ? 0 : 8;
}

/* A forked copy follows what its parent appends, as far as the parent says. */
static void test_follow(void)
{
	struct evlog *log = open_log(test_path("follow"), EVLOG_CREATE, NULL);
	uint64_t sizes[2];
	int status = 0, ends[2];
	pid_t pid;

	CHECK(pipe(ends) == 0 && say(log, SOURCE_USER, "a") == MT_OK);
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		_exit(follow_in_copy(log, ends[0]));
	CHECK(say(log, SOURCE_USER, "b") == MT_OK);
	sizes[0] = evlog_size(log);
	CHECK(record(log, "{\"record\":\"rewind\",\"to\":0}", NULL) == MT_OK);
	CHECK(say(log, SOURCE_USER, "d") == MT_OK);
	sizes[1] = evlog_size(log);
	CHECK(write(ends[1], sizes, sizeof sizes) == sizeof sizes);
	waitpid(pid, &status, 0);
	CHECK_MSG(status == 0, "the copy ends with 0, not %x", (unsigned)status);
	close(ends[0]);
	close(ends[1]);
	evlog_close(log);
}

/* Reading a whole log does not evict the newest events from memory. */
static void test_cache(void)
{
	struct evlog *log = open_log(test_path("cache"), EVLOG_CREATE, NULL);
	struct event *newest, *again;

	for (int i = 0; i < 500; i++)
		say(log, SOURCE_USER, "So.");
	newest = evlog_event(log, 499, NULL);
	for (int64_t id = 0; id < 499; id++)
		event_unref(evlog_event(log, id, NULL));
	again = evlog_event(log, 499, NULL);
	CHECK(newest && newest == again);
	event_unref(newest);
	event_unref(again);
	evlog_close(log);
}

int main(void)
{
	if (!mkdtemp(top))
		return 1;
	test_basic();
	test_copy();
	test_follow();
	test_records();
	test_rewind();
	test_blobs();
	test_data_urls();
	test_mask();
	test_subscribers();
	test_lock();
	test_full();
	test_read();
	test_checkpoint();
	test_format();
	test_cache();
	dir_remove(top, NULL);
	return tap_done();
}
