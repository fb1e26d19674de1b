/* SPDX-License-Identifier: MIT
 *
 * actions.c - parses calls in a text; the table of callable actions. */
#include "actions.h"
#include "array.h"
#include "literal.h"
#include <string.h>

#define BID { "bid", PARAM_TEXT, false }
#define BUTTON { "button", PARAM_TEXT, true }
#define AT_X(name) { name, PARAM_NUMBER, false }

const struct action_kind action_kinds[ACTION_COUNT] = {
	[ACT_NOOP] = { "noop", ~0u, { { "wait_ms", PARAM_NUMBER, true } } },
	[ACT_SCREENSHOT] = { "screenshot", ACTIONS_OWN, { { "marked", PARAM_BOOL, true } } },
	[ACT_FIND] = { "find", ACTIONS_OWN, { { "text", PARAM_TEXT, false } } },
	[ACT_CONSOLE] = { "console", ACTIONS_OWN, { { 0 } } },
	[ACT_ACCEPT_DIALOG] = { "accept_dialog", ACTIONS_OWN,
				{ { "text", PARAM_TEXT, true } } },
	[ACT_DISMISS_DIALOG] = { "dismiss_dialog", ACTIONS_OWN, { { 0 } } },
	[ACT_GOTO] = { "goto", ACTIONS_NAV, { { "url", PARAM_TEXT, false } } },
	[ACT_GO_BACK] = { "go_back", ACTIONS_NAV, { { 0 } } },
	[ACT_GO_FORWARD] = { "go_forward", ACTIONS_NAV, { { 0 } } },
	[ACT_SCROLL] = { "scroll", ACTIONS_BID | ACTIONS_COORD,
			 { { "delta_x", PARAM_NUMBER, false },
			   { "delta_y", PARAM_NUMBER, false } } },
	[ACT_FILL] = { "fill", ACTIONS_BID, { BID, { "value", PARAM_TEXT, false } } },
	[ACT_SELECT_OPTION] = { "select_option", ACTIONS_BID,
				{ BID, { "options", PARAM_TEXTS, false } } },
	[ACT_SELECT_TEXT] = { "select_text", ACTIONS_OWN,
			      { BID, { "text", PARAM_TEXT, true } } },
	[ACT_CLICK] = { "click", ACTIONS_BID,
			{ BID, BUTTON, { "modifiers", PARAM_LIST, true } } },
	[ACT_DBLCLICK] = { "dblclick", ACTIONS_BID,
			   { BID, BUTTON, { "modifiers", PARAM_LIST, true } } },
	[ACT_HOVER] = { "hover", ACTIONS_BID, { BID } },
	[ACT_PRESS] = { "press", ACTIONS_BID, { BID, { "key_comb", PARAM_TEXT, false } } },
	[ACT_FOCUS] = { "focus", ACTIONS_BID, { BID } },
	[ACT_CLEAR] = { "clear", ACTIONS_BID, { BID } },
	[ACT_DRAG_AND_DROP] = { "drag_and_drop", ACTIONS_BID,
				{ { "from_bid", PARAM_TEXT, false },
				  { "to_bid", PARAM_TEXT, false } } },
	[ACT_UPLOAD_FILE] = { "upload_file", ACTIONS_BID,
			      { BID, { "file", PARAM_TEXTS, false } } },
	[ACT_NEW_TAB] = { "new_tab", ACTIONS_TAB, { { 0 } } },
	[ACT_TAB_CLOSE] = { "tab_close", ACTIONS_TAB, { { 0 } } },
	[ACT_TAB_FOCUS] = { "tab_focus", ACTIONS_TAB, { { "index", PARAM_NUMBER, false } } },
	[ACT_SEND_MSG_TO_USER] = { "send_msg_to_user", ACTIONS_CHAT,
				   { { "text", PARAM_TEXT, false } } },
	[ACT_REPORT_INFEASIBLE] = { "report_infeasible", ACTIONS_INFEASIBLE,
				    { { "reason", PARAM_TEXT, false } } },
	[ACT_MOUSE_CLICK] = { "mouse_click", ACTIONS_COORD, { AT_X("x"), AT_X("y"), BUTTON } },
	[ACT_MOUSE_DBLCLICK] = { "mouse_dblclick", ACTIONS_COORD,
				 { AT_X("x"), AT_X("y"), BUTTON } },
	[ACT_MOUSE_MOVE] = { "mouse_move", ACTIONS_COORD, { AT_X("x"), AT_X("y") } },
	[ACT_MOUSE_DOWN] = { "mouse_down", ACTIONS_COORD, { AT_X("x"), AT_X("y"), BUTTON } },
	[ACT_MOUSE_UP] = { "mouse_up", ACTIONS_COORD, { AT_X("x"), AT_X("y"), BUTTON } },
	[ACT_MOUSE_DRAG_AND_DROP] = { "mouse_drag_and_drop", ACTIONS_COORD,
				      { AT_X("from_x"), AT_X("from_y"), AT_X("to_x"),
					AT_X("to_y") } },
	[ACT_MOUSE_UPLOAD_FILE] = { "mouse_upload_file", ACTIONS_COORD,
				    { AT_X("x"), AT_X("y"),
				      { "file", PARAM_TEXTS, false } } },
	[ACT_KEYBOARD_PRESS] = { "keyboard_press", ACTIONS_COORD,
				 { { "key", PARAM_TEXT, false } } },
	[ACT_KEYBOARD_DOWN] = { "keyboard_down", ACTIONS_COORD,
				{ { "key", PARAM_TEXT, false } } },
	[ACT_KEYBOARD_UP] = { "keyboard_up", ACTIONS_COORD,
			      { { "key", PARAM_TEXT, false } } },
	[ACT_KEYBOARD_TYPE] = { "keyboard_type", ACTIONS_COORD,
				{ { "text", PARAM_TEXT, false } } },
	[ACT_KEYBOARD_INSERT_TEXT] = { "keyboard_insert_text", ACTIONS_COORD,
				       { { "text", PARAM_TEXT, false } } },
};

/* ---- reading -------------------------------------------------------------- */

static void call_clear(struct py_call *c)
{
	free(c->name);
	json_object_put(c->args);
	json_object_put(c->named);
}

void browser_calls_clear(struct py_calls *calls)
{
	for (size_t i = 0; i < calls->count; i++)
		call_clear(&calls->all[i]);
	free(calls->all);
	*calls = (struct py_calls){ 0 };
}

/* Skip the name of a keyword argument and its `=`. @return the length of the name; 0: not
 * a keyword argument. */
static size_t keyword(struct cursor *c)
{
	struct cursor ahead = *c;
	size_t n = cursor_name(&ahead);

	ahead.at += n;
	cursor_blanks(&ahead);
	if (!n || !cursor_takes(&ahead, '=') ||
	    (ahead.at < ahead.end && *ahead.at == '='))
		return 0;
	cursor_blanks(&ahead);
	*c = ahead;
	return n;
}

static int browser_actions_add_argument(struct cursor *c, struct py_call *call,
					struct error *err)
{
	const char *start = c->at;
	size_t n = keyword(c);
	AUTO(free) char *name = n ? strndup(start, n) : NULL;
	json_object *value = NULL;
	int status;

	if (n && !name)
		return out_of_memory(err);
	status = literal_read(c, &value, err);
	if (status)
		return status;
	if (!n && call->named && json_object_object_length(call->named)) {
		json_object_put(value);
		return fail(err, MT_EINVAL,
			    "SyntaxError: positional argument follows keyword argument");
	}
	if (n && json_object_object_get_ex(call->named, name, NULL)) {
		json_object_put(value);
		return fail(err, MT_EINVAL, "SyntaxError: repeated argument `%s`", name);
	}
	if (n)
		return js_set(call->named, name, value);
	if (json_object_array_add(call->args, value)) {
		json_object_put(value);
		return out_of_memory(err);
	}
	return MT_OK;
}

/* Parse a call; the cursor is after its name. */
static int browser_actions_read_arguments(struct cursor *c, struct py_call *call,
					  struct error *err)
{
	cursor_blanks(c);
	if (!cursor_takes(c, '('))
		return fail(err, MT_EINVAL, "SyntaxError: missing `(` after `%s`",
			    call->name);
	call->args = json_object_new_array();
	call->named = json_object_new_object();
	if (!call->args || !call->named)
		return out_of_memory(err);
	for (;;) {
		int status;

		cursor_blanks(c);
		if (cursor_takes(c, ')'))
			return MT_OK;
		status = browser_actions_add_argument(c, call, err);
		if (status)
			return status;
		cursor_blanks(c);
		if (!cursor_takes(c, ',') && (c->at == c->end || *c->at != ')'))
			return fail(err, MT_EINVAL,
				    "SyntaxError: missing `,` or `)` in the call of `%s`",
				    call->name);
	}
}

static int browser_actions_add_call(struct py_calls *calls, struct py_call *call,
				    struct error *err)
{
	if (calls->count >= ACTIONS_MAX)
		return fail(err, MT_ELIMIT, "ValueError: more than %d actions at once",
			    ACTIONS_MAX);
	if (ARRAY_ADD(calls->all, calls->count, ACTIONS_MAX))
		return out_of_memory(err);
	calls->all[calls->count++] = *call;
	*call = (struct py_call){ 0 };
	return MT_OK;
}

static bool is_action(const char *name)
{
	for (size_t i = 0; i < ACTION_COUNT; i++)
		if (strcmp(action_kinds[i].name, name) == 0)
			return true;
	return false;
}

/* Parse a call at the cursor. Unless `strict`, text that does not parse is ignored,
 * except if an action's name directly precedes a parenthesis. */
static int browser_actions_read_one(struct cursor *c, bool strict, struct py_calls *calls,
				    struct error *err)
{
	size_t n = cursor_name(c);
	struct py_call call = { .name = n ? strndup(c->at, n) : NULL };
	struct error why = ERROR_NONE;
	struct cursor after = *c;
	bool meant;
	int status;

	if (n && !call.name)
		return out_of_memory(err);
	if (!n && strict)
		return fail(err, MT_EINVAL,
			    "SyntaxError: `%.*s` is not a call such as "
			    "click('12')",
			    (int)(c->end - c->at < 20 ? c->end - c->at : 20), c->at);
	after.at += n ? n : 1;
	c->at = after.at;
	if (!n)
		return MT_OK;
	meant = strict ||
		(after.at < after.end && *after.at == '(' && is_action(call.name));
	status = browser_actions_read_arguments(&after, &call, &why);
	if (status == MT_OK) {
		c->at = after.at;
		status = browser_actions_add_call(calls, &call, err);
	} else if (meant || status == MT_ENOMEM) {
		status = fail(err, status, "%s", why.text);
	} else {
		status = MT_OK;
	}
	call_clear(&call);
	return status;
}

int browser_calls_parse(const char *text, size_t len, bool strict, struct py_calls *ret,
			struct error *err)
{
	struct cursor c = { text, text, text + len };
	int status = MT_OK;

	*ret = (struct py_calls){ 0 };
	if (len > ACTIONS_TEXT_MAX)
		return fail(err, MT_ELIMIT,
			    "ValueError: the code is longer than %d bytes",
			    ACTIONS_TEXT_MAX);
	for (cursor_blanks(&c); c.at < c.end && status == MT_OK; cursor_blanks(&c))
		status = browser_actions_read_one(&c, strict, ret, err);
	if (status)
		browser_calls_clear(ret);
	return status;
}

/* ---- binding --------------------------------------------------------------- */

static bool are_texts(json_object *list)
{
	for (size_t i = 0; i < json_object_array_length(list); i++)
		if (!json_object_is_type(json_object_array_get_idx(list, i),
					 json_type_string))
			return false;
	return true;
}

static bool actions_fits(json_object *value, int type)
{
	enum json_type is = json_object_get_type(value);

	switch (type) {
	case PARAM_TEXT:
		return is == json_type_string || is == json_type_int;
	case PARAM_NUMBER:
		return is == json_type_int || is == json_type_double;
	case PARAM_TEXTS:
		return is == json_type_string ||
		       (is == json_type_array && are_texts(value));
	case PARAM_BOOL:
		return is == json_type_boolean;
	case PARAM_LIST:
		return is == json_type_array && are_texts(value);
	}
	return false;
}

static const char *type_words(int type)
{
	static const char *const words[] = {
		[PARAM_NONE] = "nothing", [PARAM_TEXT] = "a string in quotes",
		[PARAM_NUMBER] = "a number", [PARAM_TEXTS] = "a string or a list of strings",
		[PARAM_LIST] = "a list of strings",
		[PARAM_BOOL] = "True or False",
	};

	return words[type];
}

/* Report a keyword argument that is not one of the first `count` parameters. */
static int unknown_name(const struct py_call *c, size_t count, struct error *err)
{
	const struct action_param *params = action_kinds[c->id].params;

	json_object_object_foreach(c->named, name, value) {
		bool known = false;

		(void)value;
		for (size_t i = 0; i < count; i++)
			known = known || strcmp(params[i].name, name) == 0;
		if (!known)
			fail(err, MT_EINVAL, "TypeError: %s() has no argument `%s`",
			     c->name, name);
	}
	return MT_EINVAL;
}

static int bind_one(struct py_call *c, struct error *err)
{
	const struct action_kind *k = &action_kinds[c->id];
	size_t given = json_object_array_length(c->args), count = 0, used = 0;

	while (count < ACTION_PARAMS && k->params[count].type != PARAM_NONE)
		count++;
	if (given > count)
		return fail(err, MT_EINVAL,
			    "TypeError: %s() takes at most %zu arguments, but %zu were "
			    "given",
			    c->name, count, given);
	for (size_t i = 0; i < count; i++) {
		const struct action_param *p = &k->params[i];
		json_object *v = i < given ? json_object_array_get_idx(c->args, i) : NULL;
		bool named = json_object_object_get_ex(c->named, p->name,
						       i < given ? NULL : &v);

		used += named;
		if (named && i < given)
			return fail(err, MT_EINVAL,
				    "TypeError: %s() got two values for "
				    "`%s`",
				    c->name, p->name);
		if (!named && i >= given && !p->optional)
			return fail(err, MT_EINVAL,
				    "TypeError: %s() is missing the argument `%s`",
				    c->name, p->name);
		if (v ? !actions_fits(v, p->type) : !p->optional)
			return fail(err, MT_EINVAL, "TypeError: `%s` of %s() must be %s",
				    p->name, c->name, type_words(p->type));
		c->values[i] = v;
	}
	if (used < (size_t)json_object_object_length(c->named))
		return unknown_name(c, count, err);
	return MT_OK;
}

int actions_bind(struct py_calls *calls, unsigned groups, bool multi, struct error *err)
{
	if (calls->count == 0)
		return fail(err, MT_EINVAL,
			    "ValueError: the code contains no action; use calls such "
			    "as click('12')");
	if (calls->count > 1 && !multi)
		return fail(err, MT_EINVAL,
			    "ValueError: %zu actions were given, but only one is "
			    "allowed at a time",
			    calls->count);
	for (size_t i = 0; i < calls->count; i++) {
		struct py_call *c = &calls->all[i];
		size_t id = 0;
		int status;

		while (id < ACTION_COUNT &&
		       (strcmp(action_kinds[id].name, c->name) != 0 ||
			!(action_kinds[id].groups & groups)))
			id++;
		if (id == ACTION_COUNT)
			return fail(err, MT_EINVAL, "NameError: unknown action `%s`",
				    c->name);
		c->id = (enum action_id)id;
		status = bind_one(c, err);
		if (status)
			return status;
	}
	return MT_OK;
}
