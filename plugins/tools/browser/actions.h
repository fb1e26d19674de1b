/* SPDX-License-Identifier: MIT
 *
 * actions.h - the actions of the browser, written as Python calls: click('12'), fill('5',
 * 'text'). Parsing only; act.h executes them. */
#ifndef BROWSER_ACTIONS_H
#define BROWSER_ACTIONS_H

#include "error.h"
#include "js.h"

enum {
	ACTIONS_MAX = 50,           /* calls in one text */
	ACTIONS_TEXT_MAX = 1 << 20, /* bytes of the text */
	ACTION_PARAMS = 4,
};

/** Groups of actions, as an agent offers them. noop is always available. */
enum {
	ACTIONS_BID = 1u << 0,
	ACTIONS_NAV = 1u << 1,
	ACTIONS_TAB = 1u << 2,
	ACTIONS_CHAT = 1u << 3,
	ACTIONS_INFEASIBLE = 1u << 4,
	ACTIONS_COORD = 1u << 5,
	ACTIONS_OWN = 1u << 6,     /* not in BrowserGym */
};

enum action_id {
	ACT_NOOP, ACT_SCREENSHOT, ACT_FIND, ACT_CONSOLE, ACT_ACCEPT_DIALOG,
	ACT_DISMISS_DIALOG, ACT_GOTO, ACT_GO_BACK, ACT_GO_FORWARD, ACT_SCROLL, ACT_FILL,
	ACT_SELECT_OPTION, ACT_SELECT_TEXT, ACT_CLICK, ACT_DBLCLICK, ACT_HOVER,
	ACT_PRESS, ACT_FOCUS,
	ACT_CLEAR, ACT_DRAG_AND_DROP, ACT_UPLOAD_FILE, ACT_NEW_TAB, ACT_TAB_CLOSE,
	ACT_TAB_FOCUS, ACT_SEND_MSG_TO_USER, ACT_REPORT_INFEASIBLE, ACT_MOUSE_CLICK,
	ACT_MOUSE_DBLCLICK, ACT_MOUSE_MOVE, ACT_MOUSE_DOWN, ACT_MOUSE_UP,
	ACT_MOUSE_DRAG_AND_DROP, ACT_MOUSE_UPLOAD_FILE, ACT_KEYBOARD_PRESS,
	ACT_KEYBOARD_DOWN, ACT_KEYBOARD_UP, ACT_KEYBOARD_TYPE, ACT_KEYBOARD_INSERT_TEXT,
	ACTION_COUNT,
};

/** Type of a parameter: a text (a number becomes one), a number, a text or a list of
 *  texts, a list of texts, True or False. */
enum { PARAM_NONE, PARAM_TEXT, PARAM_NUMBER, PARAM_TEXTS, PARAM_LIST, PARAM_BOOL };

struct action_kind {
	const char *name;
	unsigned groups;
	struct action_param {
		const char *name;
		int type;
		bool optional;
	} params[ACTION_PARAMS];
};

extern const struct action_kind action_kinds[ACTION_COUNT];

/** One call. Names are not looked up by browser_calls_parse. */
struct py_call {
	char *name;
	json_object *args;  /* an array: positional arguments */
	json_object *named; /* an object: keyword arguments */
	enum action_id id;  /* set by actions_bind */
	json_object *values[ACTION_PARAMS]; /* set by actions_bind; borrowed */
};

struct py_calls {
	struct py_call *all;
	size_t count;
};

/** Parse calls with literal arguments. `strict`: the text may contain nothing else but
 *  white space and comments; otherwise calls are found between other words. An error
 *  message begins with its type: SyntaxError, ValueError.
 *  @return MT_OK (any number of calls, also none), MT_EINVAL, MT_ELIMIT. */
int browser_calls_parse(const char *text, size_t len, bool strict, struct py_calls *ret,
			struct error *err);
void browser_calls_clear(struct py_calls *calls);

/** Look the names up among `groups`, and bind and check the arguments. Errors: ValueError
 *  (no call; several, unless `multi`), NameError, TypeError. */
int actions_bind(struct py_calls *calls, unsigned groups, bool multi, struct error *err);

#endif
