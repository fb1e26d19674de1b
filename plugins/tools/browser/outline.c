/* SPDX-License-Identifier: MIT
 *
 * outline.c - formats a page for a model. The nodes of the tree become items; items that
 * repeat others or are only boxes around them are left out; the others are printed. */
#include "outline.h"
#include "literal.h"
#include "space.h"
#include "utf8.h"
#include <string.h>

enum {
	NAMES_MAX = 2000,
	PIECES_MAX = 40,    /* items of a table row on one line */
	URL_MAX = 300,
	LINE_MAX = 1 << 20,
};

/* Properties of roles. */
enum {
	ACTOR = 1,      /* the role implies that it accepts actions */
	NAMED = 2,      /* the name consists of the texts in it */
	BOX = 4,        /* omitted without a name, unless it contains several items */
	PLAIN = 8,      /* the role is not printed before a text */
	THIN = 16,      /* always omitted without a name */
	LANDMARK = 32,  /* printed without a bid */
	CELL = 64,
	SOLID = 128,    /* its content repeats its value */
	TEXT = 256,
	NOTHING = 512,  /* omitted even with a name */
	CAPTION = 1024, /* its texts name the box that contains it */
};

static const struct role {
	const char *name;
	unsigned is;
} roles[] = {
	{ "StaticText", TEXT },
	{ "LineBreak", NOTHING }, { "ListMarker", NOTHING },
	{ "button", ACTOR | NAMED }, { "link", ACTOR | NAMED }, { "option", ACTOR | NAMED },
	{ "tab", ACTOR | NAMED }, { "menuitem", ACTOR | NAMED },
	{ "menuitemcheckbox", ACTOR | NAMED }, { "menuitemradio", ACTOR | NAMED },
	{ "treeitem", ACTOR | NAMED }, { "DisclosureTriangle", ACTOR | NAMED },
	{ "checkbox", ACTOR | NAMED }, { "radio", ACTOR | NAMED },
	{ "switch", ACTOR | NAMED }, { "textbox", ACTOR }, { "searchbox", ACTOR },
	{ "combobox", ACTOR }, { "listbox", ACTOR }, { "slider", ACTOR },
	{ "spinbutton", ACTOR }, { "Date", ACTOR | SOLID }, { "InputTime", ACTOR | SOLID },
	{ "DateTime", ACTOR | SOLID }, { "ColorWell", ACTOR | SOLID },
	{ "heading", NAMED }, { "image", NAMED },
	{ "cell", BOX | CELL | PLAIN | NAMED }, { "gridcell", BOX | CELL | PLAIN | NAMED },
	{ "columnheader", BOX | CELL | PLAIN | NAMED },
	{ "rowheader", BOX | CELL | PLAIN | NAMED },
	{ "generic", BOX | PLAIN }, { "paragraph", BOX | PLAIN }, { "listitem", BOX },
	{ "LabelText", BOX }, { "row", BOX | LANDMARK | NAMED },
	{ "list", THIN }, { "rowgroup", THIN }, { "MenuListPopup", THIN },
	{ "strong", THIN }, { "emphasis", THIN }, { "code", THIN }, { "time", THIN },
	{ "term", NAMED }, { "DescriptionList", THIN },
	{ "Legend", BOX | CAPTION }, { "Figcaption", BOX | CAPTION },
	{ "caption", BOX | CAPTION },
	{ "article", BOX | LANDMARK }, { "navigation", BOX | LANDMARK },
	{ "main", BOX | LANDMARK }, { "banner", BOX | LANDMARK },
	{ "contentinfo", BOX | LANDMARK }, { "complementary", BOX | LANDMARK },
	{ "form", BOX | LANDMARK }, { "search", BOX | LANDMARK },
	{ "table", BOX | LANDMARK }, { "grid", BOX | LANDMARK },
};

/* Roles of tables that only lay out a page. */
static const struct alias {
	const char *role, *as;
} layout[] = {
	{ "LayoutTable", "generic" },
	{ "LayoutTableRow", "row" },
	{ "LayoutTableCell", "cell" },
};

struct item {
	json_object *node;           /* borrowed */
	const char *role, *bid;      /* borrowed; bid NULL: none */
	unsigned is;
	struct mt_str name;
	bool actionable;
	const struct ax_mark *mark;  /* NULL: none */
	struct item *child, *next;
};

struct outline {
	struct strbuf *out;
	const struct outline_options *options;
	ax_mark_fn *mark;
	void *arg;
	json_object *nodes;          /* by id, without those already visited */
	struct item *items;
	size_t count;
	struct mt_str *names;        /* of visible controls, which their labels repeat */
	size_t name_count;
	bool deep, full;             /* levels, or text beyond the buffer, omitted */
	bool unseen;                 /* part of the page is out of view */
};

/* Facts about ancestors that affect the items in them. */
struct above {
	bool label;
	struct mt_str name, value, box; /* box: the name of the next item, of any type */
};

static unsigned role_is(const char *role)
{
	for (size_t i = 0; i < ARRAY_LEN(roles); i++)
		if (strcmp(roles[i].name, role) == 0)
			return roles[i].is;
	return 0;
}

static const char *shown_role(const char *role)
{
	for (size_t i = 0; i < ARRAY_LEN(layout); i++)
		if (strcmp(layout[i].role, role) == 0)
			return layout[i].as;
	return role;
}

static struct mt_str text_at(json_object *node, const char *path)
{
	json_object *value = js_path(node, path);

	if (!json_object_is_type(value, json_type_string))
		return (struct mt_str){ "", 0 };
	return space_trimmed(
		(struct mt_str){ json_object_get_string(value),
				 (size_t)json_object_get_string_len(value) });
}

/* The value as text, numbers too. */
static struct mt_str outline_value_of(json_object *node)
{
	json_object *value = js_path(node, "value.value");
	const char *text = value ? json_object_get_string(value) : NULL;

	return (struct mt_str){ text ? text : "", text ? strlen(text) : 0 };
}

static bool outline_same_text(struct mt_str a, struct mt_str b)
{
	return a.len == b.len && memcmp(a.ptr, b.ptr, a.len) == 0;
}

static bool holds_text(struct mt_str whole, struct mt_str part)
{
	return part.len && memmem(whole.ptr, whole.len, part.ptr, part.len);
}

/* ---- items ------------------------------------------------------------------------- */

static int outline_index_nodes(struct outline *o, json_object *nodes, struct error *err)
{
	size_t n = js_length(nodes);

	if (n > AX_NODES_MAX)
		return fail(err, MT_ELIMIT, "the page has more than %d nodes",
			    AX_NODES_MAX);
	o->items = calloc(n + 1, sizeof *o->items);
	o->names = calloc(NAMES_MAX, sizeof *o->names);
	o->nodes = json_object_new_object();
	for (size_t i = 0; i < n && o->nodes; i++) {
		json_object *node = json_object_array_get_idx(nodes, i);
		const char *id = js_str(node, "nodeId", NULL);

		if (id && !json_object_object_get_ex(o->nodes, id, NULL) &&
		    js_set_new(o->nodes, id, json_object_get(node)))
			return out_of_memory(err);
	}
	return o->items && o->names && o->nodes ? MT_OK : out_of_memory(err);
}

static bool has_property(json_object *node, const char *wanted)
{
	json_object *list = js_get(node, "properties");
	size_t n = js_length(list);

	for (size_t i = 0; i < n; i++) {
		json_object *p = json_object_array_get_idx(list, i);

		if (strcmp(js_str(p, "name", ""), wanted) == 0)
			return js_bool(js_get(p, "value"), "value", false);
	}
	return false;
}

static struct item *item_new(struct outline *o, json_object *node, const char *role)
{
	struct item *it = &o->items[o->count++];
	const struct ax_mark *m;

	it->node = node;
	it->role = role;
	it->is = role_is(role);
	it->name = text_at(node, "name.value");
	it->bid = js_str(node, "browsergym_id", NULL);
	m = it->mark = it->bid && !(it->is & TEXT) ? o->mark(o->arg, it->bid) : NULL;
	if (m && strcmp(role, "LabelText") != 0) /* a label refers to its control */
		it->actionable = m->clickable || m->draggable || m->scrollable ||
				 has_property(node, "focusable");
	if (m && m->visibility >= 0.5 && (it->is & ACTOR) && it->name.len &&
	    o->name_count < NAMES_MAX)
		o->names[o->name_count++] = it->name;
	return it;
}

/* Is the item useful to a reader, not only a box or blank? */
static bool says_something(const struct item *it)
{
	return it->name.len || it->actionable || (it->is & ACTOR);
}

/* Append the item of a node, or those of its children if it has none. `filtered`: the
 * parent node is out of view, and so are its texts. */
static void items_add(struct outline *o, const char *id, int level, bool filtered,
		      struct item ***tail)
{
	json_object *node = id ? json_object_object_get(o->nodes, id) : NULL;
	json_object *children = js_get(node, "childIds");
	const char *role = shown_role(js_str(js_get(node, "role"), "value", ""));
	struct item *it = NULL, **own;
	bool printed = js_get(node, "name") && !(role_is(role) & NOTHING);

	if (!node)
		return;
	json_object_object_del(o->nodes, id); /* the tree still references it */
	if (printed && !((role_is(role) & TEXT) && filtered))
		it = item_new(o, node, role);
	else
		o->unseen = o->unseen || (printed && text_at(node, "name.value").len);
	filtered =
		it && o->options->visible_only && it->mark && it->mark->visibility < 0.5;
	o->unseen = o->unseen ||
		    (it && it->mark && it->mark->visibility < 0.5 && says_something(it));
	if (it && !filtered) {
		**tail = it;
		*tail = &it->next;
		own = &it->child;
		tail = &own;
	}
	o->deep = o->deep || (level >= AX_DEPTH && js_length(children));
	for (size_t i = 0; level < AX_DEPTH && i < js_length(children); i++)
		items_add(o,
			  json_object_get_string(json_object_array_get_idx(children, i)),
			  level + 1, filtered, tail);
}

/* ---- omitted items ----------------------------------------------------------------- */

static bool names_control(const struct outline *o, struct mt_str text)
{
	static const char ends[] = ":* ";

	while (text.len && strchr(ends, text.ptr[text.len - 1]))
		text.len--;
	for (size_t i = 0; text.len && i < o->name_count; i++) {
		struct mt_str name = o->names[i];

		while (name.len && strchr(ends, name.ptr[name.len - 1]))
			name.len--;
		if (outline_same_text(name, text))
			return true;
	}
	return false;
}

/* Does it only repeat another item? */
static bool outline_is_repeated(const struct outline *o, const struct item *it,
				const struct above *above)
{
	if (it->is & TEXT)
		return !it->name.len ||
		       outline_same_text(it->name, space_trimmed(above->value)) ||
		       holds_text(above->name, it->name) ||
		       (above->label && names_control(o, it->name));
	if (it->actionable || (it->is & ACTOR))
		return false;
	if ((it->is & THIN) && !it->name.len)
		return true;
	return (it->is & NAMED) && !(it->is & CELL) && holds_text(above->name, it->name);
}

static bool outline_is_text(const struct item *it)
{
	return it && (it->is & TEXT);
}

/* A single text in an unnamed item becomes its name, also in a plain box. */
static void outline_fold(struct item *it)
{
	const struct item *child = it->child;
	bool boxed = child && (child->is & PLAIN) && child->name.len && !child->child &&
		     !child->actionable && (!(it->is & PLAIN) || (it->is & CELL));

	if (it->name.len || (it->is & ACTOR) || !child || child->next ||
	    !(boxed || outline_is_text(child)))
		return;
	it->name = child->name;
	it->child = NULL;
}

/* Is it more than a box around the items in it? */
static bool is_needed(const struct item *it)
{
	const struct item *child = it->child;
	bool text = false;

	if ((it->is & (ACTOR | TEXT | CELL)) || it->actionable)
		return true;
	if (strcmp(it->role, "heading") == 0)
		return !(child && !child->next && (child->is & ACTOR) &&
			 outline_same_text(child->name, it->name));
	if (!(it->is & BOX) || it->name.len)
		return true;
	for (const struct item *c = child; c; c = c->next)
		text = text || outline_is_text(c);
	return child && child->next && (text || strcmp(it->role, "generic") != 0);
}

/* Replace an item by those in it. @return the position after them. */
static struct item **outline_splice(struct item **at)
{
	struct item *it = *at, **end = &it->child;

	while (*end)
		end = &(*end)->next;
	*end = it->next;
	*at = it->child;
	return it->child == it->next ? at : end;
}

/* Number of items in a row that fits on one line: cells, and single items in cells. */
static size_t pieces_of(const struct item *row)
{
	size_t n = 0;

	for (const struct item *cell = row->child; cell; cell = cell->next) {
		n++;
		for (const struct item *c = cell->child; c; c = c->next, n++)
			if (c->child)
				return SIZE_MAX;
		if (cell->child && !(cell->is & CELL))
			return SIZE_MAX;
	}
	return n;
}

static bool is_line(const struct item *it)
{
	return strcmp(it->role, "row") == 0 && it->child && pieces_of(it) <= PIECES_MAX;
}

/* Turn a row that does not fit on a line into a box, and its cells too. */
static void open_row(struct item *row)
{
	for (struct item **at = &row->child; *at;) {
		struct item *it = *at;
		bool box = (it->is & CELL) && !it->actionable && !it->name.len &&
			   !(it->child && it->child->next);

		at = box ? outline_splice(at) : &it->next;
	}
}

static struct above hear(const struct item *it, const struct above *above)
{
	struct above self = *above;

	if (it->name.len)
		self.name = it->is & NAMED ? it->name : (struct mt_str){ "", 0 };
	if (it->is & CELL) /* its name repeats its content */
		self.name = (struct mt_str){ "", 0 };
	if (it->is & CAPTION)
		self.name = above->box;
	self.box = it->name;
	if (it->is & ACTOR)
		self.value = outline_value_of(it->node);
	self.label = self.label || strcmp(it->role, "LabelText") == 0;
	return self;
}

static void simplify(const struct outline *o, struct item **at, const struct above *above)
{
	while (*at) {
		struct item *it = *at;
		struct above self = hear(it, above);

		if (outline_is_repeated(o, it, above)) {
			outline_splice(at);
			continue;
		}
		if (it->is & SOLID)
			it->child = NULL;
		simplify(o, &it->child, &self);
		if ((it->is & (CELL | LANDMARK)) && (it->is & NAMED) && it->child)
			it->name = (struct mt_str){ "", 0 };
		outline_fold(it);
		if (strcmp(it->role, "row") == 0 && !is_line(it))
			open_row(it);
		at = is_needed(it) ? &it->next : outline_splice(at);
	}
}

/* ---- a line -------------------------------------------------------------------------- */

static void outline_put_text(struct strbuf *out, struct mt_str s, size_t max)
{
	AUTO(strbuf) struct strbuf cut = STRBUF(AX_LINE_MAX + 8);
	size_t n = utf8_cut(s.ptr, s.len, max);

	strbuf_addn(&cut, s.ptr, n);
	strbuf_add(&cut, n < s.len ? "..." : "");
	if (cut.error)
		out->error = cut.error;
	else
		literal_put_text(out, cut.text ? cut.text : "", cut.len);
}

static void outline_put_value(struct strbuf *out, const struct item *it)
{
	json_object *value = js_path(it->node, "value.value");
	struct mt_str text = outline_value_of(it->node);

	if ((it->is & TEXT) || !text.len || outline_same_text(text, it->name))
		return;
	strbuf_add(out, " value=");
	if (json_object_is_type(value, json_type_string))
		outline_put_text(out, text, AX_LINE_MAX);
	else if (json_object_is_type(value, json_type_double)) /* a float in the page */
		strbuf_addf(out, "%.7g", json_object_get_double(value));
	else
		literal_put(out, value);
}

/* Length of the start of a URL shared with the page's URL: its origin, or all of it if a
 * fragment follows. */
static size_t own_part(const char *page, const char *url)
{
	const char *host = page ? strstr(page, "://") : NULL;
	size_t origin = host ? (size_t)(host + 3 - page) + strcspn(host + 3, "/") : 0;
	size_t whole = page ? strcspn(page, "#") : 0;

	if (whole && strncmp(page, url, whole) == 0 && url[whole] == '#')
		return whole;
	return origin && strncmp(page, url, origin) == 0 && url[origin] == '/' ? origin
									       : 0;
}

static void outline_put_url(const struct outline *o, struct strbuf *out,
			    struct mt_str url)
{
	AUTO(free) char *text = strndup(url.ptr, utf8_cut(url.ptr, url.len, URL_MAX));

	if (!text)
		out->error = MT_ENOMEM;
	else if (strncmp(text, "javascript:", 11) != 0 && strncmp(text, "about:", 6) != 0)
		strbuf_addf(out, " -> %s%s", text + own_part(o->options->url, text),
			    strlen(text) < url.len ? "..." : "");
}

static bool only_options(const struct item *it)
{
	const struct item *c = it->child;

	while (c && strcmp(c->role, "option") == 0 && !c->child)
		c = c->next;
	return it->child && !c;
}

/* Print a true property as its name; omit a false one. */
static void put_property(struct strbuf *out, const struct item *it, const char *name,
			 json_object *value)
{
	static const char *const little[] = {
		"url", "editable", "readonly", "level", "settable", "multiline", "focusable",
		"orientation", "autocomplete", "hasPopup", "multiselectable", "busy", "live",
		"relevant", "atomic", "root", "details", "describedby", "labelledby",
		"controls", "flowto", "owns", "roledescription", "keyshortcuts", "hidden",
		"valuetext",
	};
	const char *text = value ? json_object_get_string(value) : NULL;

	if (value && !text)
		out->error = MT_ENOMEM;
	for (size_t i = 0; i < ARRAY_LEN(little); i++)
		if (strcmp(name, little[i]) == 0)
			return;
	if (!text || (only_options(it) && strcmp(name, "expanded") == 0))
		return;
	if (strcmp(name, "expanded") == 0)
		strbuf_add(out, strcmp(text, "false") ? ", expanded" : ", collapsed");
	else if (strcmp(text, "true") == 0)
		strbuf_addf(out, ", %s", name);
	else if (*text && strcmp(text, "false") != 0) {
		strbuf_addf(out, ", %s=", name);
		if (json_object_is_type(value, json_type_string))
			outline_put_text(out, (struct mt_str){ text, strlen(text) },
					 URL_MAX);
		else
			literal_put(out, value);
	}
}

static double outline_number_of(json_object *properties, const char *name)
{
	for (size_t i = 0; i < js_length(properties); i++) {
		json_object *one = json_object_array_get_idx(properties, i);

		if (strcmp(js_str(one, "name", ""), name) == 0)
			return json_object_get_double(js_path(one, "value.value"));
	}
	return 0;
}

/* Browsers report 0 for a limit that the page does not set. */
static bool is_limit(json_object *properties, const char *name)
{
	return (strcmp(name, "valuemin") == 0 || strcmp(name, "valuemax") == 0) &&
	       outline_number_of(properties, "valuemin") <
		       outline_number_of(properties, "valuemax");
}

static void outline_put_properties(const struct outline *o, struct strbuf *out,
				   const struct item *it)
{
	json_object *list = js_get(it->node, "properties");
	const struct ax_mark *m = it->mark;

	for (size_t i = 0; i < js_length(list); i++)
		if (strcmp(js_str(json_object_array_get_idx(list, i), "name", ""),
			   "url") == 0)
			outline_put_url(o, out,
					text_at(json_object_array_get_idx(list, i),
						"value.value"));
	if (m && m->clickable && it->actionable && !(it->is & ACTOR))
		strbuf_add(out, ", clickable");
	if (m && m->draggable)
		strbuf_add(out, ", draggable");
	if (m && m->scrollable && m->scroll_height > 0)
		strbuf_addf(out, ", scrollable=%.0f-%.0f/%.0fpx", m->scroll_top,
			    m->scroll_top + m->scroll_view, m->scroll_height);
	else if (m && m->scrollable)
		strbuf_add(out, ", scrollable");
	for (size_t i = 0; i < js_length(list); i++) {
		json_object *one = json_object_array_get_idx(list, i);
		const char *name = js_str(one, "name", "");

		if (strncmp(name, "valuem", 6) != 0 || is_limit(list, name))
			put_property(out, it, name, js_path(one, "value.value"));
	}
}

static void outline_put_head(const struct outline *o, struct strbuf *out,
			     const struct item *it)
{
	bool plain = it->is & TEXT || (it->is & PLAIN && it->name.len);

	if (it->bid && !(it->is & TEXT) &&
	    (!(it->is & LANDMARK) || it->actionable || it->name.len))
		strbuf_addf(out, "[%s] ", it->bid);
	if (!plain)
		strbuf_addf(out, "%s%s", it->role, it->name.len ? " " : "");
	if (it->name.len)
		outline_put_text(out, it->name, AX_LINE_MAX);
	outline_put_value(out, it);
	if (!(it->is & TEXT) && strcmp(it->role, "RootWebArea") != 0)
		outline_put_properties(o, out, it);
}

/* The options of a closed list have no box. select_option selects them by their text. */
static void outline_put_option(const struct outline *o, struct strbuf *out,
			       const struct item *it)
{
	if (it->bid && it->mark && it->mark->has_box)
		strbuf_addf(out, "[%s] ", it->bid);
	outline_put_text(out, it->name, AX_LINE_MAX);
	outline_put_properties(o, out, it);
}

static void outline_put_options(const struct outline *o, struct strbuf *out,
				const struct item *it)
{
	size_t n = 0, more = 0;

	for (const struct item *c = it->child; c; c = c->next) {
		if (n >= OUTLINE_OPTIONS && !o->options->long_lists) {
			more++;
			continue;
		}
		strbuf_add(out, n++ ? " | " : ": ");
		outline_put_option(o, out, c);
	}
	if (more)
		strbuf_addf(out, " | and %zu more; find(text) shows all", more);
}

/* Print a cell that accepts no action as its text or the items in it. */
static void outline_put_cell(const struct outline *o, struct strbuf *out,
			     const struct item *it)
{
	bool plain = (it->is & CELL) && !it->actionable;

	if (plain && !it->child && it->name.len)
		outline_put_text(out, it->name, AX_LINE_MAX);
	if (!plain)
		outline_put_head(o, out, it);
	for (const struct item *c = it->child; c; c = c->next) {
		strbuf_add(out, c == it->child && plain ? "" : " ");
		outline_put_head(o, out, c);
	}
}

static void outline_put_row(const struct outline *o, struct strbuf *out,
			    const struct item *it)
{
	outline_put_head(o, out, it);
	for (const struct item *c = it->child; c; c = c->next) {
		strbuf_add(out, c == it->child ? ": " : " | ");
		outline_put_cell(o, out, c);
	}
}

/* ---- the whole page ---------------------------------------------------------------- */

/* The line is written completely or not at all. */
static void outline_put_line(struct outline *o, int depth, const struct strbuf *line)
{
	size_t before = o->out->len;

	if (line->error)
		o->out->error = line->error;
	if (before)
		strbuf_addc(o->out, '\n');
	for (int i = 0; i < depth && i < AX_INDENT_MAX; i++)
		strbuf_addc(o->out, '\t');
	strbuf_addn(o->out, line->text, line->len);
	if (o->out->error == MT_ELIMIT) {
		strbuf_cut(o->out, before);
		o->out->error = MT_OK;
		o->full = true;
	}
}

/* The page itself is not a level. */
static void put_items(struct outline *o, const struct item *it, int depth)
{
	for (; it && !o->full && !o->out->error; it = it->next) {
		AUTO(strbuf) struct strbuf line = STRBUF(LINE_MAX);
		bool page = strcmp(it->role, "RootWebArea") == 0, whole = true;

		if (it->mark && it->mark->visibility < 0.5)
			strbuf_addc(&line, '~');
		if (is_line(it)) {
			outline_put_row(o, &line, it);
		} else {
			outline_put_head(o, &line, it);
			whole = only_options(it);
			if (whole)
				outline_put_options(o, &line, it);
		}
		outline_put_line(o, depth, &line);
		if (!whole)
			put_items(o, it->child, page ? depth : depth + 1);
	}
}

int outline_put(struct strbuf *out, json_object *tree,
		const struct outline_options *options, ax_mark_fn *mark, void *arg,
		bool *ret_unseen, struct error *err)
{
	static const struct above none = { .name = { "", 0 },
					   .value = { "", 0 },
					   .box = { "", 0 } };
	json_object *nodes = js_get(tree, "nodes");
	struct outline o = { .out = out, .options = options, .mark = mark, .arg = arg };
	struct item *first = NULL, **tail = &first;
	int status;

	if (!json_object_is_type(nodes, json_type_array))
		return fail(err, MT_EINVAL,
			    "the browser did not return an accessibility tree");
	status = outline_index_nodes(&o, nodes, err);
	if (!status) {
		items_add(&o, js_str(json_object_array_get_idx(nodes, 0), "nodeId", NULL),
			  0, false, &tail);
		simplify(&o, &first, &none);
		put_items(&o, first, 0);
	}
	*ret_unseen = o.unseen;
	json_object_put(o.nodes);
	free(o.items);
	free(o.names);
	if (status)
		return status;
	if (out->error)
		return fail_code(err, out->error);
	return o.deep || o.full ? MT_ELIMIT : MT_OK;
}
