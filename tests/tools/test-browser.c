/* SPDX-License-Identifier: MIT
 *
 * test-browser.c - browser.so with a real Chromium does the tasks of tests/browser.
 * BROWSER_TASK=words does those alone whose names hold the words. */
#include "browser-kit.h"

/* The place of the line of an element: "role 'name'", "role 'name' in frame". */
static const char *find_line(const char *text, const char *what)
{
	const char *in = strstr(what, " in ");
	AUTO(free) char *wanted = NULL;
	size_t frame = in ? strlen(in + 4) : 0;

	if (asprintf(&wanted, "] %.*s", in ? (int)(in - what) : 1000, what) < 0)
		return wanted = NULL;
	for (const char *at = strstr(text, wanted); at; at = strstr(at + 1, wanted)) {
		const char *bid = at;

		while (bid > text && bid[-1] != '[')
			bid--;
		if (!frame || (strncmp(bid, in + 4, frame) == 0 && bid[frame] >= '0' &&
			       bid[frame] <= '9'))
			return bid;
	}
	return NULL;
}

/* Code with the bids in place of {...}, and \n as a line's end. {=...} stands for the
 * bid that the one before it had. */
static char *with_bids(const char *code, const char *text)
{
	static char last[64], kept[64];
	struct strbuf out = STRBUF(1 << 16);

	for (const char *end; *code; code = end) {
		end = code + 1;
		if (code[0] == '\\' && code[1] == 'n') {
			strbuf_addc(&out, '\n');
			end++;
		} else if (code[0] == '\\' && code[1] == '\\') {
			strbuf_addc(&out, '\\');
			end++;
		} else if (*code == '{' && strchr(code, '}')) {
			AUTO(free) char *what = NULL;
			const char *bid;

			end = strchr(code, '}') + 1;
			what = strndup(code + 1, (size_t)(end - code) - 2);
			bid = *what == '=' ? kept : find_line(text, what);
			if (!bid)
				CHECK_MSG(false, "there is no %s in %s", what, text);
			snprintf(last, sizeof last, "%.*s",
				 bid ? (int)strcspn(bid, "]") : 1, bid ? bid : "?");
			snprintf(kept, sizeof kept, "%s", last);
			strbuf_addf(&out, "'%s'", last);
		} else {
			strbuf_addc(&out, *code);
		}
	}
	return out.text ? out.text : strdup("");
}

enum { LOOKS = 30 };

/* ---- the tasks --------------------------------------------------------------------- */

struct task {
	char name[128];
	const char *only;
	bool skipped;
	char *text; /* of the last result */
};

static void act(void *self, struct task *t, const char *code, bool good)
{
	AUTO(free) char *real = with_bids(code, t->text ? t->text : "");
	const char *text = run(self, real);

	if (has_error() == good)
		CHECK_MSG(false, "%s: %s %s\n# %s\n# %s", t->name, real,
			  good ? "succeeds" : "fails",
			  call.sentence.text ? call.sentence.text : "", text);
	/* The note is shown with the image. */
	AUTO(strbuf) struct strbuf all = STRBUF(1 << 24);

	strbuf_addf(&all, "%s%s", text, js_str(call.fields, "image_note", ""));
	free(t->text);
	t->text = strdup(all.text);
}

/* Expected output may take a while on a busy machine. */
static void look(void *self, struct task *t, const char *what, bool wanted)
{
	bool found = t->text && strstr(t->text, what);

	for (int i = 0; wanted && !found && i < LOOKS; i++) {
		act(self, t, "noop(100)", true);
		found = t->text && strstr(t->text, what);
	}

	CHECK_MSG(found == wanted, "%s: %s%s", t->name, wanted ? "" : "no ", what);
	if (found != wanted)
		printf("# %s\n", t->text ? t->text : "");
}

static void one_line(void *self, struct task *t, char *line)
{
	char *rest = strchr(line, ' ');
	char code[200];

	if (*line == '#' || !*line || !rest)
		return;
	*rest++ = '\0';
	if (strcmp(line, "task") == 0) {
		snprintf(t->name, sizeof t->name, "%s", rest);
		t->skipped = t->only && !strstr(rest, t->only);
	} else if (t->skipped) {
		return;
	} else if (strcmp(line, "open") == 0) {
		snprintf(code, sizeof code, "goto('%s/%s')", site, rest + (*rest == '/'));
		act(self, t, code, true);
	} else if (strcmp(line, "do") == 0 || strcmp(line, "fail") == 0) {
		act(self, t, rest, *line == 'd');
	} else {
		look(self, t, rest, strcmp(line, "see") == 0);
	}
}

static void tasks(void *self)
{
	const char *top = getenv("top_srcdir");
	AUTO(free) char *file = path_join(top ? top : ".", "tests/browser/tasks");
	AUTO(free) char *text = NULL;
	struct task t = { .only = getenv("BROWSER_TASK") };
	size_t len;

	CHECK(file && file_read(file, 1 << 20, &text, &len, NULL) == MT_OK);
	for (char *line = text, *next; line && *line; line = next) {
		next = strchrnul(line, '\n');
		if (*next)
			*next++ = '\0';
		one_line(self, &t, line);
	}
	free(t.text);
}

int main(void)
{
	static const char *const options[] = {
		"coordinates", "yes", "settle_time", "50ms", NULL,
	};

	if (begin()) {
		void *self = open_one(options);

		kit_check_tools(set, 3000);
		kit_file(dir, "one.txt", "the mark");
		kit_file(dir, "two.txt", "two");
		tasks(self);
		set->close(&host, &instance, self);
	}
	end();
	return tap_done();
}
