/* SPDX-License-Identifier: MIT
 *
 * input.c - mouse and keyboard input. */
#include "browser-internal.h"
#include "utf8.h"
#include <ctype.h>
#include <string.h>

enum { ALT = 1, CONTROL = 2, META = 4, SHIFT = 8 };

static const struct {
	const char *name;
	int bit;
} modifier_names[] = {
	{ "Alt", ALT }, { "Control", CONTROL }, { "Ctrl", CONTROL },
	{ "ControlOrMeta", CONTROL }, { "Meta", META }, { "Shift", SHIFT },
};

/* Keys that do not type a character: DOM name and code. */
static const struct key {
	const char *name, *code;
	int number;
	const char *text;
} keys[] = {
	{ "Enter", "Enter", 13, "\r" }, { "Tab", "Tab", 9, NULL },
	{ "Escape", "Escape", 27, NULL }, { "Backspace", "Backspace", 8, NULL },
	{ "Delete", "Delete", 46, NULL }, { "Insert", "Insert", 45, NULL },
	{ "Home", "Home", 36, NULL }, { "End", "End", 35, NULL },
	{ "PageUp", "PageUp", 33, NULL }, { "PageDown", "PageDown", 34, NULL },
	{ "ArrowLeft", "ArrowLeft", 37, NULL }, { "ArrowUp", "ArrowUp", 38, NULL },
	{ "ArrowRight", "ArrowRight", 39, NULL }, { "ArrowDown", "ArrowDown", 40, NULL },
	{ "Alt", "AltLeft", 18, NULL }, { "Control", "ControlLeft", 17, NULL },
	{ "Shift", "ShiftLeft", 16, NULL }, { "Meta", "MetaLeft", 91, NULL },
	{ "CapsLock", "CapsLock", 20, NULL }, { "ContextMenu", "ContextMenu", 93, NULL },
	{ "Space", "Space", 32, " " }, { " ", "Space", 32, " " },
	{ "F1", "F1", 112, NULL }, { "F2", "F2", 113, NULL }, { "F3", "F3", 114, NULL },
	{ "F4", "F4", 115, NULL }, { "F5", "F5", 116, NULL }, { "F6", "F6", 117, NULL },
	{ "F7", "F7", 118, NULL }, { "F8", "F8", 119, NULL }, { "F9", "F9", 120, NULL },
	{ "F10", "F10", 121, NULL }, { "F11", "F11", 122, NULL },
	{ "F12", "F12", 123, NULL },
};

int input_modifier(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(modifier_names); i++)
		if (strlen(modifier_names[i].name) == len &&
		    strncasecmp(modifier_names[i].name, name, len) == 0)
			return modifier_names[i].bit;
	return 0;
}

int input_mouse(struct browser *b, const char *type, double x, double y,
		const char *button, int buttons, int count, int modifiers,
		const struct cdp_wait *wait, struct error *err)
{
	b->mouse_x = x;
	b->mouse_y = y;
	return page_call(b, "Input.dispatchMouseEvent",
			 browser_json("type", 's', type, "x", 'd', x, "y", 'd', y,
				      "button", 's', button, "buttons", 'i',
				      (int64_t)buttons, "clickCount", 'i', (int64_t)count,
				      "modifiers", 'i', (int64_t)modifiers, NULL),
			 wait, NULL, err);
}

/* Editing command for a key with Control. */
static const char *command_of(char letter)
{
	switch (letter) {
	case 'a':
		return "selectAll";
	case 'c':
		return "copy";
	case 'v':
		return "paste";
	case 'x':
		return "cut";
	case 'z':
		return "undo";
	case 'y':
		return "redo";
	}
	return NULL;
}

static json_object *browser_input_character(const char *key, bool down, int modifiers)
{
	unsigned char c = (unsigned char)*key;
	bool typed = down && !(modifiers & (CONTROL | ALT | META));
	char code[8] = "";
	json_object *o =
		browser_json("type", 's',
			     !down   ? "keyUp"
			     : typed ? "keyDown"
				     : "rawKeyDown",
			     "key", 's', key, "modifiers", 'i', (int64_t)modifiers, NULL);

	if (isalpha(c))
		snprintf(code, sizeof code, "Key%c", toupper(c));
	else if (isdigit(c))
		snprintf(code, sizeof code, "Digit%c", c);
	if (*code) {
		js_set_str(o, "code", code);
		js_set_int(o, "windowsVirtualKeyCode", toupper(c));
	}
	if (typed)
		js_set_str(o, "text", key);
	if (down && modifiers == CONTROL && command_of((char)tolower(c))) {
		json_object *list = json_object_new_array();

		js_add_new(list, json_object_new_string(command_of((char)tolower(c))));
		js_set_new(o, "commands", list);
	}
	return o;
}

static const struct key *key_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (strcasecmp(keys[i].name, name) == 0)
			return &keys[i];
	return NULL;
}

int input_key(struct browser *b, const char *key, bool down, int modifiers,
	      const struct cdp_wait *wait, struct error *err)
{
	const struct key *k = key_find(key);
	json_object *params;
	bool typed = k && k->text && down && !(modifiers & (CONTROL | ALT | META));

	if (!k && (!*key || utf8_count(key, strlen(key)) != 1))
		return fail(err, MT_EINVAL,
			    "ValueError: unknown key `%s`; use characters and names "
			    "such as Enter, ArrowDown, Control+a",
			    key);
	if (k) {
		params = browser_json("type", 's',
				      !down   ? "keyUp"
				      : typed ? "keyDown"
					      : "rawKeyDown",
				      "key", 's',
				      *k->code == 'S' && k->number == 32 ? " " : k->name,
				      "code", 's', k->code, "windowsVirtualKeyCode", 'i',
				      (int64_t)k->number, "modifiers", 'i',
				      (int64_t)modifiers, NULL);
		if (typed)
			js_set_str(params, "text", k->text);
	} else {
		params = browser_input_character(key, down, modifiers);
	}
	return page_call(b, "Input.dispatchKeyEvent", params, wait, NULL, err);
}

/* "Control+Shift+a", "+", "Control++" */
int input_press(struct browser *b, const char *comb, const struct cdp_wait *wait,
		struct error *err)
{
	const char *held[4];
	size_t count = 0;
	int modifiers = 0, status = MT_OK;
	const char *plus;

	while (count < 4 && (plus = strchr(comb + (*comb != '\0'), '+')) && plus[1]) {
		int bit = input_modifier(comb, (size_t)(plus - comb));

		if (!bit)
			return fail(err, MT_EINVAL,
				    "ValueError: unknown modifier `%.*s`; "
				    "use Alt, Control, Meta or Shift",
				    (int)(plus - comb), comb);
		held[count++] = bit == ALT       ? "Alt"
				: bit == CONTROL ? "Control"
				: bit == META    ? "Meta"
						 : "Shift";
		modifiers |= bit;
		comb = plus + 1;
	}
	for (size_t i = 0; i < count && !status; i++)
		status = input_key(b, held[i], true, modifiers, wait, err);
	if (!status)
		status = input_key(b, comb, true, modifiers, wait, err);
	if (!status)
		status = input_key(b, comb, false, modifiers, wait, err);
	for (size_t i = count; i-- > 0 && (!status || status == MT_EINVAL);) {
		int up = input_key(b, held[i], false, 0, wait, err);

		status = status ? status : up;
	}
	return status;
}
