/* SPDX-License-Identifier: MIT
 *
 * loop-same.c - compares events for the loop detector. */
#include "features/loop-same.h"

#include "features/volatile-text.h"

#include <string.h>

static bool is_left_out(const char *name, const char *const *left_out)
{
	for (; left_out && *left_out; left_out++)
		if (strcmp(name, *left_out) == 0)
			return true;
	return false;
}

static size_t count_members(json_object *o, const char *const *left_out)
{
	size_t count = 0;

	json_object_object_foreach(o, name, value) {
		(void)value;
		count += !is_left_out(name, left_out);
	}
	return count;
}

/* Are the members equal, except for those that do not count? */
static bool same_members(json_object *a, json_object *b, const char *const *left_out)
{
	if (!json_object_is_type(a, json_type_object) ||
	    !json_object_is_type(b, json_type_object))
		return json_object_equal(a, b);
	if (count_members(a, left_out) != count_members(b, left_out))
		return false;
	json_object_object_foreach(a, name, value) {
		json_object *other;

		if (is_left_out(name, left_out))
			continue;
		if (!json_object_object_get_ex(b, name, &other) ||
		    !json_object_equal(value, other))
			return false;
	}
	return true;
}

static bool same_bytes(const char *a, size_t a_len, const char *b, size_t b_len)
{
	return a_len == b_len && memcmp(a, b, a_len) == 0;
}

static bool same_content(const struct event *a, const struct event *b, bool blank)
{
	size_t a_len, b_len;
	const char *a_text = event_content(a, &a_len), *b_text = event_content(b, &b_len);

	return blank ? volatile_text_same(a_text, a_len, b_text, b_len)
		     : same_bytes(a_text, a_len, b_text, b_len);
}

/* Screenshots are not compared: a clock in them would make them differ. */
static const char *const pictures[] = { "screenshot", "screenshot_path", "set_of_marks",
					"image_urls", "media", NULL };

static bool same_value(json_object *a, json_object *b)
{
	const char *x, *y;

	if (json_object_equal(a, b))
		return true;
	if (!a || !b)
		return false;
	x = js_text(a, NULL);
	y = js_text(b, NULL);
	return x && y && volatile_text_same(x, strlen(x), y, strlen(y));
}

/* Are the members of two results equal, except for those that change by themselves? */
static bool same_result_members(json_object *a, json_object *b)
{
	if (count_members(a, pictures) != count_members(b, pictures))
		return false;
	json_object_object_foreach(a, name, value) {
		json_object *other;

		if (!is_left_out(name, pictures) &&
		    (!json_object_object_get_ex(b, name, &other) ||
		     !same_value(value, other)))
			return false;
	}
	return true;
}

/* Members of an action that contain the model's assessment of it. */
static const char *const said[] = { "thought", "security_risk", "confirmation_state",
				    NULL };

bool loop_same_arguments(const struct event *a, const struct event *b, bool thought)
{
	return same_members(event_args(a), event_args(b), thought ? NULL : said);
}

static bool is_edit(const struct event *action)
{
	return action->type->id == ACTION_RUN_IPYTHON &&
	       strstr(event_arg(action, "code"), "edit_file_by_replace(");
}

/* Edits with a former function of Python cells: the file and the lines count. */
static bool same_edit(const struct event *a, const struct event *b)
{
	const char *x = event_arg(a, "code"), *y = event_arg(b, "code");

	for (int line = 0; line < 3; line++) {
		size_t x_len = strcspn(x, "\n"), y_len = strcspn(y, "\n");

		if (!same_bytes(x, x_len, y, y_len))
			return false;
		if (line < 2 && (!x[x_len] || !y[y_len]))
			return false; /* fewer than three lines */
		x += x_len + (x[x_len] != '\0');
		y += y_len + (y[y_len] != '\0');
	}
	return true;
}

static bool same_action(const struct event *a, const struct event *b,
			const struct stuck_options *o)
{
	bool thought = o->thought || a->type->id == ACTION_THINK; /* the whole text */

	if (is_edit(a) && is_edit(b)) {
		if (same_edit(a, b))
			return true;
		if (loop_is_plain(o))
			return false; /* not even a short text equals itself */
	}
	return loop_same_arguments(a, b, thought);
}

static bool same_command(const struct event *a, const struct event *b,
			 const struct stuck_options *o)
{
	json_object *x = js_get(event_args(a), "metadata");
	json_object *y = js_get(event_args(b), "metadata");

	return strcmp(event_arg(a, "command"), event_arg(b, "command")) == 0 &&
	       js_int(x, "exit_code", -1) == js_int(y, "exit_code", -1) &&
	       (o->exit_code || same_content(a, b, o->blank));
}

static bool same_observation(const struct event *a, const struct event *b,
			     const struct stuck_options *o)
{
	if (a->type->id == OBSERVATION_RUN)
		return same_command(a, b, o);
	return same_content(a, b, o->blank) &&
	       (o->blank ? same_result_members(event_args(a), event_args(b))
			 : same_members(event_args(a), event_args(b), NULL));
}

bool loop_same_events(struct evlog *log, const struct stuck_options *o, int64_t a,
		      int64_t b)
{
	const struct evlog_head *x = evlog_head(log, a), *y = evlog_head(log, b);
	AUTO(event) struct event *first = NULL, *second = NULL;

	if (x->type != y->type)
		return false;
	first = evlog_event(log, a, NULL);
	second = evlog_event(log, b, NULL);
	if (!first || !second)
		return false;
	return first->is_action ? same_action(first, second, o)
				: same_observation(first, second, o);
}

/* ---- python cells that do not even begin ------------------------------- */

struct cell_end {
	char *text;
	const char *first, *error; /* lines */
	size_t lines;
};

/* The lines of an output that are compared; false: it does not end as the output of a
 * cell does. */
static bool cell_lines(const struct event *e, struct cell_end *ret)
{
	static const char *const ends[] = { "[Jupyter Python interpreter:",
					    "[Jupyter current working directory:" };
	size_t len;
	const char *text = event_content(e, &len);

	while (len > 0 && strchr(" \t\r\n", text[len - 1]))
		len--;
	while (len > 0 && strchr(" \t\r\n", *text))
		text++, len--;
	ret->text = strndup(text, len);
	if (!ret->text)
		return false;
	ret->first = ret->text;
	ret->lines = 1;
	for (const char *p = ret->text; (p = strchr(p, '\n')); p++)
		ret->lines++;
	if (ret->lines < 3)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		char *line = strrchr(ret->text, '\n');

		if (strncmp(line + 1, ends[i], strlen(ends[i])) != 0)
			return false;
		*line = '\0';
	}
	ret->error = strrchr(ret->text, '\n');
	ret->error = ret->error ? ret->error + 1 : ret->text;
	return true;
}

static bool same_cell_errors(const struct cell_end *a, const struct cell_end *b)
{
	static const struct {
		const char *text;
		bool whole; /* the place of the error is compared too */
	} errors[] = {
		{ "SyntaxError: unterminated string literal (detected at line", false },
		{ "SyntaxError: invalid syntax. Perhaps you forgot a comma?", true },
		{ "SyntaxError: incomplete input", true },
	};

	if (strcmp(a->error, b->error) != 0)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(errors); i++) {
		if (!strstr(a->error, errors[i].text))
			continue;
		if (!errors[i].whole)
			return true;
		return a->lines >= 6 && b->lines >= 6 &&
		       strncmp(a->first, "Cell In[1], line", 16) == 0 &&
		       strncmp(a->first, b->first, strcspn(a->first, "\n") + 1) == 0;
	}
	return false;
}

bool loop_same_failed_cells(struct evlog *log, int64_t a, int64_t b)
{
	AUTO(event) struct event *first = evlog_event(log, a, NULL);
	AUTO(event) struct event *second = evlog_event(log, b, NULL);
	struct cell_end x = { 0 }, y = { 0 };
	bool yes = first && second && cell_lines(first, &x) && cell_lines(second, &y) &&
		   same_cell_errors(&x, &y);

	free(x.text);
	free(y.text);
	return yes;
}
