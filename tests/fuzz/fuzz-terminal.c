/* SPDX-License-Identifier: MIT
 *
 * fuzz-terminal.c - any bytes as text from outside, as Markdown and as keys:
 * nothing that steers a terminal comes through, and cuts change nothing. */
#include "../../terminal/action.h"
#include "../../terminal/keys.h"
#include "../../terminal/line-editor.h"
#include "../../terminal/markdown.h"
#include "../../terminal/prompt.h"

#include "utf8.h"
#include "visible.h"

#include <locale.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void check_clean(const char *text, size_t len, bool escapes)
{
	if (!utf8_valid(text, len))
		__builtin_trap();
	for (size_t i = 0; i < len; i++)
		if (text[i] != '\n' && utf8_control(text + i, len - i) &&
		    !(escapes && text[i] == '\033'))
			__builtin_trap();
}

static void fuzz_clean(const char *bytes, size_t n)
{
	AUTO(strbuf) struct strbuf whole = STRBUF(1 << 20), parts = STRBUF(1 << 20);
	struct cleaner a = { 0 }, b = { 0 };

	text_clean_feed(&a, &whole, bytes, n);
	for (size_t i = 0; i < n; i++)
		text_clean_feed(&b, &parts, bytes + i, 1);
	check_clean(whole.text, whole.len, false);
	if (strcmp(whole.text, parts.text) != 0)
		__builtin_trap();
	strbuf_reset(&parts);
	text_clean_line(&parts, bytes, n);
	check_clean(parts.text, parts.len, false);
	if (memchr(parts.text, '\n', parts.len))
		__builtin_trap();
}

static void run_markdown(const struct style *s, const char *bytes, size_t n, size_t step,
			 struct strbuf *out)
{
	struct markdown m;

	markdown_init(&m, s);
	for (size_t i = 0; i < n; i += step)
		markdown_feed(&m, out, bytes + i, n - i < step ? n - i : step);
	markdown_end(&m, out);
	markdown_done(&m);
}

static void fuzz_markdown(const char *bytes, size_t n)
{
	static const struct style styles[] = { { .columns = 40 },
					       { true, true, 80 },
					       { true, false, 9 } };

	for (size_t i = 0; i < ARRAY_LEN(styles); i++) {
		AUTO(strbuf) struct strbuf whole = STRBUF(8 << 20),
					   parts = STRBUF(8 << 20);

		run_markdown(&styles[i], bytes, n, n + 1, &whole);
		run_markdown(&styles[i], bytes, n, 3, &parts);
		if (strcmp(whole.text, parts.text) != 0)
			__builtin_trap();
		check_clean(whole.text, whole.len, styles[i].attributes);
	}
}

/* Nothing steers, and everything is in it: from the escaped forms the text can be had
 * back, so that two texts never look the same. */
static void fuzz_visible(const char *bytes, size_t n)
{
	AUTO(strbuf) struct strbuf out = STRBUF(1 << 20), line = STRBUF(1 << 20);

	visible_add(&out, VISIBLE_LINES, bytes, n, NULL, NULL);
	for (size_t i = 0; i < out.len; i++)
		if (out.text[i] == '\t')
			out.text[i] = ' ';
	check_clean(out.text, out.len, false);
	visible_add(&line, VISIBLE_ONE_LINE, bytes, n, NULL, NULL);
	check_clean(line.text, line.len, false);
	if (memchr(line.text, '\n', line.len) || (n > 0) != (line.len > 0))
		__builtin_trap();
	if (visible_is_plain(VISIBLE_ONE_LINE, bytes, n) !=
	    (line.len == n && (n == 0 || memcmp(line.text, bytes, n) == 0)))
		__builtin_trap();
}

/* An action of any text: each row begins with the bar, and fits. */
static void fuzz_action(const char *bytes, size_t n)
{
	AUTO(strbuf) struct strbuf out = STRBUF(1 << 20);
	AUTO(json) json_object *event = json_object_new_object();
	json_object *args = json_object_new_object();
	struct style s = { true, true, n ? (unsigned char)bytes[0] % 90 : 0 };

	json_object_object_add(event, "action", json_object_new_string("run"));
	json_object_object_add(event, "args", args);
	json_object_object_add(args, "command",
			       json_object_new_string_len(bytes, (int)n));
	json_object_object_add(args, "cwd", json_object_new_string_len(bytes, (int)n));
	action_show(&out, &s, event);
	check_clean(out.text, out.len, true);
	for (const char *row = out.text; *row; row = strchr(row, '\n') + 1)
		if (strncmp(row, "│ ", 4) != 0 && strncmp(row, "┆ ", 4) != 0)
			__builtin_trap();
}

static void on_key(void *arg, enum key key, const char *text, size_t len)
{
	struct line_editor *l = arg;

	if (key == KEY_UP)
		line_editor_up(l);
	else if (key == KEY_DOWN)
		line_editor_down(l);
	else if (key == KEY_CONTROL)
		*text == 't' ? line_editor_transpose(l) : line_editor_yank(l);
	else if (!line_editor_key(l, key, text, len))
		line_editor_insert(l, "\n", 1);
	if (l->at > l->text.len)
		__builtin_trap();
	check_clean(l->text.text, l->text.len, false);
}

static void fuzz_keys(const char *bytes, size_t n)
{
	AUTO(strbuf) struct strbuf out = STRBUF(8 << 20);
	struct line_editor l;
	struct keys k;
	struct live_region a;

	line_editor_init(&l);
	keys_init(&k, on_key, &l);
	live_region_init(&a, n ? (unsigned char)bytes[0] % 90 : 0);
	for (size_t i = 0; i < n && l.text.len < 4096; i++) {
		keys_feed(&k, bytes + i, 1);
		live_region_begin(&a);
		prompt_add(&a, "> ", &l, 5);
		live_region_draw(&a, &out, "above\n", i % 7 ? 0 : 6);
		strbuf_reset(&out);
	}
	live_region_done(&a);
	keys_done(&k);
	line_editor_done(&l);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static bool begun;

	if (!begun)
		setlocale(LC_CTYPE, "C.UTF-8");
	begun = true;
	if (n > 4096)
		return 0;
	fuzz_clean((const char *)bytes, n);
	fuzz_visible((const char *)bytes, n);
	fuzz_action((const char *)bytes, n);
	fuzz_markdown((const char *)bytes, n);
	fuzz_keys((const char *)bytes, n);
	return 0;
}
