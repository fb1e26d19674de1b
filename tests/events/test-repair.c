/* SPDX-License-Identifier: MIT
 *
 * test-repair.c - logs that were cut, damaged, or whose writer was killed. */
#include "events/evlog-internal.h"
#include "logs.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* A log of some 30 records, blobs among them. */
static void make_log(const char *dir)
{
	struct evlog *log = open_log(dir, EVLOG_CREATE, NULL);
	AUTO(free) char *big = malloc(20001);

	memset(big, 'b', 20000);
	big[20000] = '\0';
	for (int i = 0; i < 20; i++) {
		char text[64];

		snprintf(text, sizeof text, "text %d, äöü \"quoted\"\n", i);
		say(log, SOURCE_USER, i % 7 == 3 ? big : text);
		if (i % 3 == 0)
			record(log, "{\"record\":\"llm_reply\",\"response_id\":\"r\"}",
			       NULL);
		if (i % 6 == 1)
			record(log, "{\"record\":\"dispatch\",\"action\":1}", NULL);
	}
	evlog_close(log);
}

struct opened {
	int status;
	int64_t events, replies;
	bool reported, readable;
	uint64_t size;
};

/* Open the log, read all its events, append one. */
static struct opened open_all(const char *dir)
{
	struct evlog_options o = { .sync = SYNC_NONE };
	struct opened r = { 0 };
	struct error err = ERROR_NONE;
	struct evlog *log = NULL;
	AUTO(free) char *report = NULL;

	r.status = evlog_open(dir, EVLOG_WRITE, &o, &log, &report, &err);
	if (r.status) {
		printf("# %s\n", err.text);
		return r;
	}
	r.events = evlog_count(log);
	r.replies = evlog_replies(log);
	r.reported = report != NULL;
	r.size = evlog_size(log);
	r.readable = true;
	for (int64_t i = 0; i < r.events; i++) {
		AUTO(event) struct event *e = evlog_event(log, i, NULL);

		r.readable = r.readable && e && e->id == i;
	}
	r.readable = r.readable && say(log, SOURCE_USER, "more") == MT_OK &&
		     said(log, r.events, "more");
	evlog_close(log);
	return r;
}

static void put_file(const char *dir, const char *name, const char *text, size_t len)
{
	char path[256];

	snprintf(path, sizeof path, "%s/%s", dir, name);
	file_write(path, text, len, 0600, false, NULL);
}

/* Events and replies in the whole lines of a text; a line that lacks nothing
 * but its end is whole. */
static void count_lines(const char *text, size_t len, int64_t *events, int64_t *replies)
{
	*events = *replies = 0;
	while (len > 0) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) : len;
		AUTO(json) json_object *o = js_parse_object(text, n, NULL);

		if (!o)
			return;
		*events += js_get(o, "id") != NULL;
		*replies += strcmp(js_str(o, "record", ""), "llm_reply") == 0;
		text += n + (end != NULL);
		len -= n + (end != NULL);
	}
}

static void test_cut_everywhere(void)
{
	const char *dir = test_path("whole");
	AUTO(free) char *text = NULL;
	size_t len = 0, bad = 0, torn = 0;

	make_log(dir);
	file_read(test_path("whole/events.jsonl"), 1 << 20, &text, &len, NULL);
	dir_make(test_path("cut"), NULL);
	for (size_t n = 0; n <= len; n++) {
		const char *cut = test_path("cut");
		int64_t events, replies;
		AUTO(free) char *kept = NULL;
		size_t kept_len = 0;
		struct opened r;

		put_file(cut, "events.jsonl", text, n);
		r = open_all(cut);
		count_lines(text, n, &events, &replies);
		if (r.status || !r.readable || r.events != events ||
		    r.replies != replies || r.reported != (n > 0 && text[n - 1] != '\n'))
			bad++;
		if (file_read(test_path("cut/events.torn-1"), 1 << 20, &kept, &kept_len,
			      NULL) == MT_OK) {
			torn++;
			/* what was cut off is there, byte for byte */
			if (r.size + kept_len != n ||
			    memcmp(kept, text + r.size, kept_len) != 0)
				bad++;
		}
		unlink(test_path("cut/events.torn-1"));
		unlink(test_path("cut/events.index"));
		unlink(test_path("cut/state.json"));
	}
	CHECK_MSG(bad == 0, "a log of %zu bytes cut at every byte: %zu wrong", len, bad);
	CHECK(torn > 0);
}

/* Copy a file of the complete log to the cut one. */
static void copy_whole(const char *name)
{
	AUTO(free) char *text = NULL;
	char path[64];
	size_t len = 0;

	snprintf(path, sizeof path, "whole/%s", name);
	file_read(test_path(path), 1 << 20, &text, &len, NULL);
	put_file(test_path("cut"), name, text, len);
}

/* With one of the files that know how many events there were: none of their ids is used
 * again, and what is missing is reported. */
static void test_cut_below_checkpoint(const char *left)
{
	AUTO(free) char *text = NULL;
	int64_t events, replies, all;
	size_t len = 0, bad = 0;

	file_read(test_path("whole/events.jsonl"), 1 << 20, &text, &len, NULL);
	count_lines(text, len, &all, &replies);
	for (size_t n = 0; n <= len; n++) {
		struct opened r;

		put_file(test_path("cut"), "events.jsonl", text, n);
		unlink(test_path("cut/events.index"));
		unlink(test_path("cut/state.json"));
		copy_whole(left);
		count_lines(text, n, &events, &replies);
		r = open_all(test_path("cut"));
		if (r.status || !r.readable || r.events != all ||
		    (events < all && !r.reported))
			bad++;
		unlink(test_path("cut/events.torn-1"));
	}
	CHECK_MSG(bad == 0, "a log cut at every byte, with %s: %zu wrong", left, bad);
	dir_remove(test_path("cut"), NULL);
	dir_make(test_path("cut"), NULL);
}

static void test_damage(void)
{
	static const struct {
		const char *line;
		int64_t events;
		bool report;
	} cases[] = {
		{ "{\"id\":20,\"action\":\"null\",\"args\":{}}\n", 21, false },
		{ "{\"id\":22,\"action\":\"null\",\"args\":{}}\n", 21,
		  true }, /* not dense, and nothing says that one is missing */
		{ "{\"id\":5,\"action\":\"null\",\"args\":{}}\n", 21, true },
		{ "{\"action\":\"null\",\"args\":{}}\n", 21, true },
		{ "{\"id\":20}\n", 20, true },
		{ "\n", 20, false },
		{ "nonsense\n", 20, true },
		{ "[]\n", 20, true },
		{ "{\"id\":20,\"action\":\"null\"}}\n", 21, true },
		{ "{\"id\":20,\"action\":\"null\",\"x\":\"\xff\"}\n", 21, true },
		{ "{\"id\":20,\"action\":\"null\",\"x\":[1,]}\n", 21, true },
		{ "{\"record\":\"unknown\",\"x\":1}\n", 20, false },
		{ "{\"record\":\"rewind\",\"to\":900}\n", 20, false },
		{ "bad\n{\"id\":20,\"action\":\"null\",\"args\":{}}\n", 21, true },
		{ "{\"id\":20, a bad event}\n{\"id\":21,\"action\":\"null\",\"args\":{}}\n",
		  22, true },
		{ "{\"id\":20,\"action\":\"nullify\",\"args\":{}}\n", 21, true },
	};
	AUTO(free) char *text = NULL;
	size_t len = 0;

	file_read(test_path("whole/events.jsonl"), 1 << 20, &text, &len, NULL);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(strbuf) struct strbuf all = STRBUF(1 << 20);
		char name[32];
		struct opened r;

		strbuf_addn(&all, text, len);
		strbuf_add(&all, cases[i].line);
		snprintf(name, sizeof name, "damage-%zu", i);
		dir_make(test_path(name), NULL);
		put_file(test_path(name), "events.jsonl", all.text, all.len);
		r = open_all(test_path(name));
		CHECK_MSG(!r.status && r.readable && r.events == cases[i].events &&
				  r.reported == cases[i].report,
			  "damage %zu", i);
	}

	/* an event type of the future is not damage */
	struct evlog *log = NULL;
	struct error err = ERROR_NONE;
	AUTO(strbuf) struct strbuf line = STRBUF(256);

	strbuf_add(&line, "{\"id\":0,\"action\":\"teleport\",\"args\":{}}");
	evlog_line_seal(&line);
	strbuf_addc(&line, '\n');
	dir_make(test_path("future"), NULL);
	put_file(test_path("future"), "events.jsonl", line.text, line.len);
	CHECK(evlog_open(test_path("future"), EVLOG_WRITE, NULL, &log, NULL, &err) ==
	      MT_EUNSUPPORTED);
	CHECK_MSG(strstr(err.text, "teleport"), "%s", err.text);
}

/* Whatever is done to the checkpoint, the log opens the same. */
static void test_bad_checkpoint(void)
{
	static const char *const files[] = { "events.index", "state.json" };
	size_t bad = 0;

	for (size_t f = 0; f < ARRAY_LEN(files); f++) {
		char path[64];
		AUTO(free) char *text = NULL;
		size_t len = 0;

		snprintf(path, sizeof path, "whole/%s", files[f]);
		file_read(test_path(path), 1 << 20, &text, &len, NULL);
		for (size_t n = 0; n < len; n++) {
			struct evlog *log;

			put_file(test_path("whole"), files[f], text, n);
			log = open_log(test_path("whole"), EVLOG_READ, NULL);
			bad += !log || evlog_count(log) != 20 || evlog_replies(log) != 7;
			evlog_close(log);
			text[n] ^= 0x55;
			put_file(test_path("whole"), files[f], text, len);
			text[n] ^= 0x55;
			log = open_log(test_path("whole"), EVLOG_READ, NULL);
			bad += !log || evlog_count(log) != 20 || evlog_replies(log) != 7;
			evlog_close(log);
		}
	}
	CHECK_MSG(bad == 0, "%zu damaged checkpoints were believed", bad);
}

/* ---- one byte or one piece is damaged ------------------------------------- */

struct original {
	char *text;
	size_t len;
	char *events[64]; /* text of each event */
	int64_t count;
};

/* Reads the content of each event. */
static void read_original(const char *dir, struct original *o)
{
	struct evlog *log = open_log(dir, EVLOG_READ, NULL);

	o->count = evlog_count(log);
	for (int64_t i = 0; i < o->count; i++) {
		AUTO(event) struct event *e = evlog_event(log, i, NULL);

		o->events[i] = strdup(event_arg(e, "content"));
	}
	evlog_close(log);
}

/* Number of the event in whose line a byte stands, its newline not counted; -1. */
static int64_t event_at(const struct original *o, size_t place)
{
	size_t start = place;
	const char *end;
	int64_t id = -1;

	while (start > 0 && o->text[start - 1] != '\n')
		start--;
	end = memchr(o->text + start, '\n', o->len - start);
	if (end && o->text + place < end)
		sscanf(o->text + start, "{\"id\":%" SCNd64, &id);
	return id;
}

/* Number of lost or changed events; the text of those from `from` to `to` may differ. */
static int lost_events(struct evlog *log, const struct original *o, int64_t from,
		       int64_t to)
{
	int lost = 0;

	for (int64_t i = 0; i < o->count && i < evlog_count(log); i++) {
		AUTO(event) struct event *e = evlog_event(log, i, NULL);

		if (i >= from && i <= to)
			lost += !e || e->id != i;
		else if (!e || e->id != i ||
			 strcmp(event_arg(e, "content"), o->events[i]) != 0)
			lost++;
	}
	return lost;
}

/* Open what is in the directory for writing, and add to it: nothing else is lost, the
 * new event comes behind the old ones, and all is the same when it is read again. */
static bool is_kept(const char *dir, const struct original *o, int64_t from, int64_t to)
{
	for (int round = 0; round < 3; round++) {
		struct evlog *log = open_log(dir, EVLOG_WRITE, NULL);
		/* how many were lost at the end, nothing may tell */
		bool good = log &&
			    evlog_count(log) >= (to == o->count - 1 ? from : o->count) &&
			    lost_events(log, o, from, to) == 0;

		good = good && say(log, SOURCE_USER, "more") == MT_OK &&
		       said(log, evlog_count(log) - 1, "more");
		evlog_close(log);
		if (!good) {
			printf("# round %d, events %d to %d\n", round, (int)from,
			       (int)to);
			return false;
		}
		if (round == 1)
			unlink(test_path("hurt/events.index"));
	}
	return true;
}

static void begin_hurt(const char *text, size_t len, bool with_index)
{
	const char *dir = test_path("hurt");

	dir_remove(dir, NULL);
	dir_make(dir, NULL);
	if (symlink("../whole/blobs", test_path("hurt/blobs")) != 0)
		return;
	put_file(dir, "events.jsonl", text, len);
	if (with_index) {
		AUTO(free) char *index = NULL;
		size_t n = 0;

		file_read(test_path("whole/events.index"), 1 << 20, &index, &n, NULL);
		put_file(dir, "events.index", index, n);
	}
}

static unsigned chance = 99;

static unsigned dice(unsigned n)
{
	chance = chance * 1103515245 + 12345;
	return (chance >> 8) % n;
}

/* A byte becomes another one, with and without the index. */
static void test_mutations(const struct original *o)
{
	static const char bytes[] = "\0\n\"{}x,7";
	int bad = 0, cases = 0;

	for (size_t n = 0; n < o->len; n += 1 + dice(3)) {
		int64_t id = event_at(o, n);
		char was = o->text[n];

		o->text[n] = dice(2) ? bytes[dice(sizeof bytes - 1)] : (char)dice(256);
		begin_hurt(o->text, o->len, dice(2));
		cases++;
		if (!is_kept(test_path("hurt"), o, id, id) && bad++ < 5)
			printf("# byte %zu: %02x to %02x\n", n, (unsigned char)was,
			       (unsigned char)o->text[n]);
		o->text[n] = was;
	}
	CHECK_MSG(bad == 0, "%d bytes changed, %d times more than one record was lost",
		  cases, bad);
}

/* A piece is taken out of the middle: what it touched is lost, nothing else. */
static void test_holes(const struct original *o)
{
	int bad = 0, cases = 0;

	for (size_t n = 0; n < o->len; n += 1 + dice(40)) {
		size_t len = 1 + dice(dice(2) ? 20 : 800);
		AUTO(strbuf) struct strbuf text = STRBUF(1 << 20);
		int64_t from = -1, to = -1;

		if (n + len > o->len)
			break;
		for (size_t i = n; i < n + len; i++) {
			int64_t id = event_at(o, i);

			from = from < 0 ? id : from;
			to = id >= 0 ? id : to;
		}
		strbuf_addn(&text, o->text, n);
		strbuf_addn(&text, o->text + n + len, o->len - n - len);
		begin_hurt(text.text, text.len, dice(2));
		cases++;
		if (!is_kept(test_path("hurt"), o, from, to) && bad++ < 5)
			printf("# %zu bytes from %zu\n", len, n);
	}
	CHECK_MSG(bad == 0, "%d pieces taken out, %d times more was lost", cases, bad);
}

/* The report names file, line, missing event and remedy, and is given once. */
static void test_told(const struct original *o)
{
	char *at = memmem(o->text, o->len, "text 5,", 7);
	const struct evlog_options options = { .sync = SYNC_NONE };
	const char *const words[] = { "/events.jsonl, line 9: its checksum does not match",
				      "events.damaged-", "Event 5 is missing",
				      "delete events.index" };
	struct evlog *log = NULL;
	AUTO(free) char *report = NULL, *again = NULL;

	at[5] = '6';
	begin_hurt(o->text, o->len, false);
	at[5] = '5';
	evlog_open(test_path("hurt"), EVLOG_WRITE, &options, &log, &report, NULL);
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		CHECK_MSG(report && strstr(report, words[i]), "%s: %s", words[i], report);
	CHECK(evlog_head(log, 5)->missing);
	evlog_close(log);
	unlink(test_path("hurt/events.index"));
	log = NULL;
	evlog_open(test_path("hurt"), EVLOG_WRITE, &options, &log, &again, NULL);
	CHECK_MSG(!again, "it is reported once: %s", again ? again : "");
	evlog_close(log);
}

static void test_damaged_records(void)
{
	struct original o = { 0 };

	file_read(test_path("whole/events.jsonl"), 1 << 20, &o.text, &o.len, NULL);
	read_original(test_path("whole"), &o);
	test_mutations(&o);
	test_holes(&o);
	test_told(&o);
	free(o.text);
	for (int64_t i = 0; i < o.count; i++)
		free(o.events[i]);
}

static void show(struct evlog *log, const struct event *e, void *arg)
{
	char text[32];
	int n = snprintf(text, sizeof text, "%lld\n", (long long)e->id);

	(void)log;
	file_write_all(*(int *)arg, text, (size_t)n);
}

static void child_writes(const char *dir, int out)
{
	struct evlog *log = open_log(dir, EVLOG_WRITE, NULL);

	if (!log)
		_exit(1);
	evlog_subscribe(log, show, &out);
	for (;;)
		say(log, SOURCE_USER, "a line of some length, so that it takes a while");
}

/* Every event that was shown before the kill is in the log. */
static void test_kill(void)
{
	const char *dir = test_path("kill");
	int64_t before = 0;
	int bad = 0;

	evlog_close(open_log(dir, EVLOG_CREATE, NULL));
	for (int round = 0; round < 20; round++) {
		int fds[2], status;
		AUTO(strbuf) struct strbuf seen = STRBUF(1 << 20);
		char buf[512];
		ssize_t n;
		pid_t child;
		const char *last;

		if (pipe(fds) != 0)
			return;
		child = fork();
		if (child == 0) {
			close(fds[0]);
			child_writes(dir, fds[1]);
		}
		close(fds[1]);
		/* let it show some, a different number each time */
		while (seen.len < (size_t)(round * 97 + 1) &&
		       (n = read(fds[0], buf, sizeof buf)) > 0)
			strbuf_addn(&seen, buf, (size_t)n);
		kill(child, SIGKILL);
		while ((n = read(fds[0], buf, sizeof buf)) > 0)
			strbuf_addn(&seen, buf, (size_t)n);
		waitpid(child, &status, 0);
		close(fds[0]);
		if (seen.len > 0 && seen.text[seen.len - 1] == '\n')
			strbuf_cut(&seen, seen.len - 1);
		last = memrchr(seen.text, '\n', seen.len);

		int64_t shown = atoll(last ? last + 1 : seen.text);
		struct opened r = open_all(dir);

		bad += r.status || !r.readable || r.events <= shown || shown < before;
		before = r.events;
	}
	CHECK_MSG(bad == 0, "20 writers killed: %d logs lack what was shown", bad);
}

int main(void)
{
	if (!mkdtemp(top))
		return 1;
	test_cut_everywhere();
	test_cut_below_checkpoint("events.index");
	test_cut_below_checkpoint("state.json");
	test_damage();
	test_damaged_records();
	test_bad_checkpoint();
	test_kill();
	dir_remove(top, NULL);
	return tap_done();
}
