/* SPDX-License-Identifier: MIT
 *
 * observe.c - looking at a page: its frames, boxes and accessibility trees become one
 * tree in which what can be acted on has a bid. Nothing runs in the page for it. */
#include "internal.h"
#include "clock.h"
#include "utf8.h"
#include <string.h>

enum { BUSY_MS = 10000, LOADING_MS = 3000, URL_SHOWN = 300, ADDRESS_SHOWN = 2000 };

struct rect {
	double x, y, width, height;
};

/* Styles that the snapshot brings. */
static const char *const style_names[] = { "overflow-y", "position", "overflow-x" };

/* A node of the snapshot. */
struct node {
	int64_t id, parent; /* parent 0: none */
	json_object *ax;    /* the node of the accessibility tree; borrowed; NULL: none */
	const char *tag, *text; /* text: the first of its own; borrowed; NULL: none */
	struct rect box;
	bool is_element, has_box, clickable, draggable, scrollable;
	bool is_around;   /* a label, or the whole page: others in it are what counts */
	bool clips, is_placed, is_absolute, is_fixed; /* by its style: overflow, position */
	int inner;        /* document in it; -1: none */
	struct rect seen; /* what of the window it may fill */
};

/* A document of the snapshot: the page or a frame in it. */
struct document {
	json_object *json;
	const char *frame_id;
	unsigned frame;      /* place in browser.frames */
	double x, y;         /* of its origin in the window */
	struct rect clip;    /* what of the window it may fill */
	struct node *nodes;  /* by id */
	size_t count;
	bool reached;
};

struct look {
	struct browser *b;
	const struct view *view;
	const struct cdp_wait *wait;
	struct error *err;
	json_object *snapshot;
	struct document documents[FRAMES_MAX];
	size_t count;
	json_object *nodes;  /* of all trees */
	char *focused;       /* of observation */
};

/* ---- the snapshot ---------------------------------------------------------------- */

static int64_t int_at(json_object *list, size_t i, int64_t fallback)
{
	json_object *v = list && i < json_object_array_length(list)
				 ? json_object_array_get_idx(list, i)
				 : NULL;

	return v ? json_object_get_int64(v) : fallback;
}

static double number_at(json_object *list, size_t i)
{
	json_object *v = list && i < json_object_array_length(list)
				 ? json_object_array_get_idx(list, i)
				 : NULL;

	return v ? json_object_get_double(v) : 0;
}

static json_object *list_at(json_object *o, const char *path)
{
	json_object *list = js_path(o, path);

	return json_object_is_type(list, json_type_array) ? list : NULL;
}

static size_t length(json_object *list)
{
	return list ? json_object_array_length(list) : 0;
}

static int by_id(const void *a, const void *b)
{
	const struct node *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static bool is_text(json_object *strings, json_object *styles, size_t i, const char *text)
{
	int64_t n = int_at(styles, i, -1);

	return n >= 0 && (size_t)n < length(strings) &&
	       strcmp(json_object_get_string(
			      json_object_array_get_idx(strings, (size_t)n)),
		      text) == 0;
}

static bool scrolls(json_object *strings, json_object *styles, size_t i)
{
	return is_text(strings, styles, i, "auto") ||
	       is_text(strings, styles, i, "scroll");
}

/* Does a box hold more than it shows, in width (2) or height (3)? */
static bool spills(const struct document *d, size_t box, size_t side)
{
	json_object *shown = list_at(d->json, "layout.clientRects");
	json_object *held = list_at(d->json, "layout.scrollRects");

	if (box >= length(shown) || box >= length(held))
		return false;
	return number_at(json_object_array_get_idx(held, box), side) >
	       number_at(json_object_array_get_idx(shown, box), side) + 1;
}

static void read_boxes(struct document *d, json_object *strings)
{
	json_object *which = list_at(d->json, "layout.nodeIndex");
	json_object *bounds = list_at(d->json, "layout.bounds");
	json_object *styles = list_at(d->json, "layout.styles");

	for (size_t i = 0; i < length(which) && i < length(bounds); i++) {
		int64_t n = int_at(which, i, -1);
		json_object *box = json_object_array_get_idx(bounds, i);

		if (n < 0 || (size_t)n >= d->count || d->nodes[n].has_box ||
		    !json_object_is_type(box, json_type_array))
			continue;
		d->nodes[n].has_box = true;
		d->nodes[n].box = (struct rect){ number_at(box, 0), number_at(box, 1),
						 number_at(box, 2), number_at(box, 3) };
		box = i < length(styles) ? json_object_array_get_idx(styles, i) : NULL;
		if (length(box) < ARRAY_LEN(style_names))
			continue;
		d->nodes[n].clips = !is_text(strings, box, 0, "visible");
		d->nodes[n].is_placed = !is_text(strings, box, 1, "static");
		d->nodes[n].is_fixed = is_text(strings, box, 1, "fixed");
		d->nodes[n].is_absolute = is_text(strings, box, 1, "absolute");
		d->nodes[n].scrollable = (scrolls(strings, box, 0) && spills(d, i, 3)) ||
					 (scrolls(strings, box, 2) && spills(d, i, 2));
	}
}

static void read_attributes(struct document *d, json_object *strings)
{
	static const char *const around[] = { "LABEL", "BODY", "HTML" };
	json_object *all = list_at(d->json, "nodes.attributes");
	json_object *names = list_at(d->json, "nodes.nodeName");

	for (size_t i = 0; i < length(all) && i < d->count; i++) {
		json_object *list = json_object_array_get_idx(all, i);

		for (size_t k = 0; k < ARRAY_LEN(around); k++)
			d->nodes[i].is_around |= is_text(strings, names, i, around[k]);
		if (!json_object_is_type(list, json_type_array))
			continue;
		for (size_t k = 0; k + 1 < length(list); k += 2)
			if (is_text(strings, list, k, "draggable"))
				d->nodes[i].draggable =
					is_text(strings, list, k + 1, "true");
	}
}

static const char *string_at(json_object *strings, int64_t n)
{
	return n >= 0 && (size_t)n < length(strings)
		       ? json_object_get_string(
				 json_object_array_get_idx(strings, (size_t)n))
		       : NULL;
}

static void read_family(struct document *d, json_object *strings)
{
	json_object *parents = list_at(d->json, "nodes.parentIndex");
	json_object *names = list_at(d->json, "nodes.nodeName");
	json_object *values = list_at(d->json, "nodes.nodeValue");

	for (size_t i = 0; i < d->count; i++) {
		int64_t parent = int_at(parents, i, -1);
		const char *text = d->nodes[i].is_element
					   ? NULL
					   : string_at(strings, int_at(values, i, -1));

		d->nodes[i].tag = string_at(strings, int_at(names, i, -1));
		if (parent < 0 || (size_t)parent >= i)
			continue;
		d->nodes[i].parent = d->nodes[parent].id;
		if (text && text[strspn(text, " \n\t\r")] && !d->nodes[parent].text)
			d->nodes[parent].text = text;
	}
}

static int read_nodes(struct document *d, json_object *strings, struct error *err)
{
	json_object *ids = list_at(d->json, "nodes.backendNodeId");
	json_object *types = list_at(d->json, "nodes.nodeType");
	json_object *clickable = list_at(d->json, "nodes.isClickable.index");
	json_object *holders = list_at(d->json, "nodes.contentDocumentIndex.index");
	json_object *held = list_at(d->json, "nodes.contentDocumentIndex.value");

	d->count = length(ids);
	d->nodes = calloc(d->count + 1, sizeof *d->nodes);
	if (!d->nodes)
		return out_of_memory(err);
	for (size_t i = 0; i < d->count; i++)
		d->nodes[i] = (struct node){ .id = int_at(ids, i, 0), .inner = -1,
					     .is_element = int_at(types, i, 0) == 1 };
	for (size_t i = 0; i < length(clickable); i++)
		if ((size_t)int_at(clickable, i, -1) < d->count)
			d->nodes[int_at(clickable, i, 0)].clickable = true;
	for (size_t i = 0; i < length(holders); i++)
		if ((size_t)int_at(holders, i, -1) < d->count)
			d->nodes[int_at(holders, i, 0)].inner = (int)int_at(held, i, -1);
	read_attributes(d, strings);
	read_family(d, strings);
	read_boxes(d, strings);
	return MT_OK;
}

static struct rect meet(struct rect a, struct rect b)
{
	double right = a.x + a.width < b.x + b.width ? a.x + a.width : b.x + b.width;
	double foot = a.y + a.height < b.y + b.height ? a.y + a.height : b.y + b.height;
	double x = a.x > b.x ? a.x : b.x, y = a.y > b.y ? a.y : b.y;

	if (right <= x || foot <= y)
		return (struct rect){ x, y, 0, 0 };
	return (struct rect){ x, y, right - x, foot - y };
}

static int frame_find(struct browser *b, const char *id, const char *label)
{
	size_t i = 0;

	while (i < b->frame_count && strcmp(b->frames[i].id, id) != 0)
		i++;
	if (i == FRAMES_MAX)
		return -1;
	if (i == b->frame_count) {
		b->frames[b->frame_count++] = (struct frame){ 0 };
		snprintf(b->frames[i].id, sizeof b->frames[i].id, "%s", id);
		snprintf(b->frames[i].label, sizeof b->frames[i].label, "%s", label);
	}
	return (int)i;
}

/* Where in the window the page in an element begins: inside its frame and padding,
 * which the snapshot does not tell. */
static struct rect inner_box(struct look *l, const struct document *d,
			     const struct node *n)
{
	struct rect box = { d->x + n->box.x, d->y + n->box.y, n->box.width,
			    n->box.height };
	AUTO(json) json_object *model = NULL;
	json_object *quad;

	if (page_call(l->b, "DOM.getBoxModel", js_make("backendNodeId", 'i', n->id, NULL),
		      l->wait, &model, NULL))
		return box;
	quad = list_at(model, "model.content");
	if (length(quad) != 8)
		return box;
	return (struct rect){ number_at(quad, 0), number_at(quad, 1),
			      number_at(quad, 4) - number_at(quad, 0),
			      number_at(quad, 5) - number_at(quad, 1) };
}

/* What of the window each node may fill: within what scrolls or clips above it. What
 * has a fixed place, and what is placed by a parent above one that clips, is not
 * clipped. What the page itself clips (its first two elements) is the window. */
static int clip_nodes(struct document *d, struct error *err)
{
	json_object *parents = list_at(d->json, "nodes.parentIndex");
	struct {
		struct rect flow, placed; /* for what is inside it */
		int depth;
	} *above = calloc(d->count + 1, sizeof *above), *own;

	if (!above)
		return out_of_memory(err);
	for (size_t i = 0; i < d->count; i++) {
		int64_t parent = int_at(parents, i, -1);
		struct node *n = &d->nodes[i];
		struct rect box = { d->x + n->box.x, d->y + n->box.y, n->box.width,
				    n->box.height };

		own = &above[i];
		own->flow = own->placed = n->seen = d->clip;
		if (parent < 0 || (size_t)parent >= i)
			continue;
		own->depth = above[parent].depth + 1;
		if (!n->is_fixed)
			n->seen = n->is_absolute ? above[parent].placed
						 : above[parent].flow;
		own->flow = n->clips && n->has_box && own->depth > 2 ? meet(n->seen, box)
								     : n->seen;
		own->placed = n->is_placed ? own->flow : above[parent].placed;
	}
	free(above);
	return MT_OK;
}

/* Where the documents inside this one are, and what they are called. */
static void place_inner(struct look *l, struct document *d)
{
	for (size_t i = 0; i < d->count; i++) {
		const struct node *n = &d->nodes[i];
		struct document *inner;
		struct element *e;
		struct rect box;
		int frame;

		if (n->inner <= 0 || (size_t)n->inner >= l->count)
			continue;
		inner = &l->documents[n->inner];
		e = inner->reached ? NULL : element_add(l->b, d->frame, n->id, true);
		frame = e ? frame_find(l->b, inner->frame_id, e->bid) : -1;
		if (frame < 0)
			continue;
		inner->reached = true;
		inner->frame = (unsigned)frame;
		box = inner_box(l, d, n);
		inner->clip = meet(n->seen, box);
		inner->x = box.x - js_number(inner->json, "scrollOffsetX", 0);
		inner->y = box.y - js_number(inner->json, "scrollOffsetY", 0);
	}
}

static json_object *list_styles(void)
{
	json_object *list = json_object_new_array();

	for (size_t i = 0; list && i < ARRAY_LEN(style_names); i++)
		js_add_new(list, json_object_new_string(style_names[i]));
	return list;
}

static int take_snapshot(struct look *l)
{
	json_object *styles = list_styles();
	int status = page_call(l->b, "DOMSnapshot.captureSnapshot",
			       js_make("computedStyles", 'o', styles, "includeDOMRects",
				       'b', 1, NULL),
			       l->wait, &l->snapshot, l->err);
	json_object *all = list_at(l->snapshot, "documents");
	json_object *strings = list_at(l->snapshot, "strings");

	for (size_t i = 0; !status && i < length(all) && i < FRAMES_MAX; i++) {
		struct document *d = &l->documents[l->count++];
		int64_t name;

		d->json = json_object_array_get_idx(all, i);
		name = js_int(d->json, "frameId", -1);
		d->frame_id = name >= 0 && (size_t)name < length(strings)
				      ? json_object_get_string(
						json_object_array_get_idx(strings,
									  (size_t)name))
				      : "";
		status = read_nodes(d, strings, l->err);
	}
	if (status || !l->count)
		return status ? status
			      : fail(l->err, MT_EIO, "the browser has no open page");
	struct document *page = &l->documents[0];

	page->reached = frame_find(l->b, page->frame_id, "") >= 0;
	page->x = -js_number(page->json, "scrollOffsetX", 0);
	page->y = -js_number(page->json, "scrollOffsetY", 0);
	page->clip = (struct rect){ 0, 0, l->b->config.chrome.width,
				    l->b->config.chrome.height };
	for (size_t i = 0; i < l->count && !status; i++) {
		if (!l->documents[i].reached)
			continue;
		status = clip_nodes(&l->documents[i], l->err);
		place_inner(l, &l->documents[i]);
	}
	for (size_t i = 0; i < l->count; i++)
		qsort(l->documents[i].nodes, l->documents[i].count, sizeof(struct node),
		      by_id);
	return status;
}

/* ---- the trees ---------------------------------------------------------------------- */

static struct ax_mark mark_of(const struct document *d, const struct node *n,
			      const char *role)
{
	static const char *const usual[] = {
		"button", "link", "textbox", "searchbox", "combobox", "listbox", "option",
		"checkbox", "radio", "switch", "slider", "spinbutton", "tab", "menuitem",
		"menuitemcheckbox", "menuitemradio", "treeitem", NULL,
	};
	struct rect box = { d->x + n->box.x, d->y + n->box.y, n->box.width,
			    n->box.height };
	struct rect seen = meet(box, n->seen);
	double area = box.width * box.height;
	struct ax_mark m = { .has_box = n->has_box, .x = box.x, .y = box.y,
			     .width = box.width, .height = box.height,
			     .clickable = n->clickable, .draggable = n->draggable,
			     .scrollable = n->scrollable };

	m.visibility = n->has_box && area > 0 ? seen.width * seen.height / area : 0;
	/* Taller than where it is seen: in view as soon as it fills much of that. */
	if (area > 0 && seen.width * seen.height > 0 &&
	    seen.width * seen.height >= n->seen.width * n->seen.height / 3)
		m.visibility = 1;
	/* A label leads to its field, which has a mark of its own. */
	m.som = (m.clickable || m.draggable) && m.visibility >= 0.5 &&
		strcmp(role, "LabelText") != 0;
	for (const char *const *u = usual; *u && !m.som; u++)
		m.som = m.visibility >= 0.5 && strcmp(*u, role) == 0;
	return m;
}

static bool is_focused(json_object *node)
{
	json_object *list = list_at(node, "properties");

	for (size_t i = 0; i < length(list); i++) {
		json_object *p = json_object_array_get_idx(list, i);

		if (strcmp(js_str(p, "name", ""), "focused") == 0)
			return js_bool(js_get(p, "value"), "value", false);
	}
	return false;
}

/* An option of a closed list has no box: it is in view with its list. */
static bool is_option(const char *role)
{
	return strcmp(role, "option") == 0 || strcmp(role, "MenuListPopup") == 0;
}

/* What the page's author hides from assistive programs, or gives no role, is shown all
 * the same if a mouse would find something to do there. */
static bool is_for_mice(const struct node *n)
{
	return n->is_element && n->has_box && !n->is_around &&
	       (n->clickable || n->draggable || n->scrollable);
}

static bool show_ignored(const struct node *n, json_object *node)
{
	if (!is_for_mice(n))
		return false;
	js_set(node, "role", js_make("value", 's', "generic", NULL));
	return js_set(node, "name", js_make("value", 's', "", NULL)) == MT_OK;
}

static struct node *node_find(const struct document *d, int64_t id)
{
	struct node key = { .id = id };

	return id ? bsearch(&key, d->nodes, d->count, sizeof key, by_id) : NULL;
}

/* A shape is known by what it is drawn with: circle, rect, path. */
static void add_tag(const struct node *n, json_object *node)
{
	json_object *list = list_at(node, "properties");

	if (list && n->tag)
		js_add_new(list, js_make("name", 's', "tag", "value", 'o',
					 js_make("value", 's', n->tag, NULL), NULL));
}

static int name_node(struct look *l, const struct document *d, json_object *node)
{
	struct node *n = node_find(d, js_int(node, "backendDOMNodeId", 0));
	const char *role;
	struct element *e;

	if (!n || !n->is_element)
		return MT_OK;
	n->ax = node;
	if (js_bool(node, "ignored", false) && !show_ignored(n, node))
		return MT_OK;
	role = js_str(js_get(node, "role"), "value", "");
	e = element_add(l->b, d->frame, n->id, false);
	if (!e)
		return out_of_memory(l->err);
	e->shown = true;
	e->mark = mark_of(d, n, role);
	if (!strcmp(role, "graphics-symbol"))
		add_tag(n, node);
	if (!n->has_box && is_option(role))
		e->mark.visibility = 1;
	if (is_focused(node))
		snprintf(l->focused, BID_MAX, "%s", e->bid);
	return js_set_str(node, "browsergym_id", e->bid);
}

/* A node that the accessibility tree lacks: shapes of a drawing, parts that are hidden
 * from it. It stands below the nearest that is there. */
static int add_missing(struct look *l, struct document *d, struct node *n,
		       json_object *nodes)
{
	struct node *above = n;
	AUTO(json) json_object *node = NULL;
	json_object *children;
	char id[32];

	do
		above = node_find(d, above->parent);
	while (above && !above->ax);
	snprintf(id, sizeof id, "dom-%lld", (long long)n->id);
	node = js_make("nodeId", 's', id, "backendDOMNodeId", 'i', n->id, "role", 'o',
		       js_make("value", 's', "generic", NULL), "name", 'o',
		       js_make("value", 's', n->text ? n->text : "", NULL), "properties",
		       'o', json_object_new_array(), "childIds", 'o',
		       json_object_new_array(), NULL);
	children = above ? list_at(above->ax, "childIds") : NULL;
	if (!children)
		return MT_OK;
	if (json_object_array_add(children, json_object_new_string(id)) ||
	    json_object_array_add(nodes, json_object_get(node)))
		return out_of_memory(l->err);
	return name_node(l, d, node);
}

/* Ids of nodes are those of their tree: make them different from the others'. */
static json_object *own_id(const struct document *d, const char *id)
{
	char text[64];

	snprintf(text, sizeof text, "%u:%s", d->frame, id);
	return json_object_new_string(text);
}

/* Lines of text, which its node holds whole, and the space between elements. */
static bool says_nothing(json_object *node)
{
	const char *role = js_str(js_get(node, "role"), "value", "");
	const char *name = js_str(js_get(node, "name"), "value", "");

	return strcmp(role, "InlineTextBox") == 0 ||
	       (strcmp(role, "StaticText") == 0 && name[strspn(name, " \n\t\r")] == '\0');
}

static void own_ids(struct look *l, const struct document *d, json_object *node,
		    json_object **roots)
{
	struct node key = { .id = js_int(node, "backendDOMNodeId", 0) };
	const struct node *n = bsearch(&key, d->nodes, d->count, sizeof key, by_id);
	json_object *children = list_at(node, "childIds"), *own = json_object_new_array();
	int inner = n ? n->inner : -1;

	for (size_t i = 0; i < length(children); i++)
		js_add_new(own,
			   own_id(d, json_object_get_string(
					     json_object_array_get_idx(children, i))));
	if (inner > 0 && (size_t)inner < l->count && roots[inner])
		js_add_new(own, json_object_get(roots[inner]));
	js_set(node, "nodeId", own_id(d, js_str(node, "nodeId", "")));
	js_set(node, "childIds", own);
}

static int read_tree(struct look *l, struct document *d, json_object **roots)
{
	AUTO(json) json_object *tree = NULL;
	int status = page_call(l->b, "Accessibility.getFullAXTree",
			       js_make("frameId", 's', d->frame_id, NULL), l->wait, &tree,
			       l->err);
	json_object *nodes = list_at(tree, "nodes");

	if (status == MT_EINVAL && d != l->documents) { /* the frame has just gone */
		*l->err = ERROR_NONE;
		return MT_OK;
	}
	for (size_t i = 0; !status && i < length(nodes); i++)
		status = name_node(l, d, json_object_array_get_idx(nodes, i));
	for (size_t i = 0; nodes && !status && i < d->count; i++)
		if (!d->nodes[i].ax && is_for_mice(&d->nodes[i]))
			status = add_missing(l, d, &d->nodes[i], nodes);
	for (size_t i = 0; !status && i < length(nodes); i++) {
		json_object *node = json_object_array_get_idx(nodes, i);

		if (says_nothing(node))
			continue;
		own_ids(l, d, node, roots);
		if (i == 0)
			roots[d - l->documents] = json_object_get(js_get(node, "nodeId"));
		js_add_new(l->nodes, json_object_get(node));
	}
	return status;
}

/* From the innermost out: a frame's root is known before the node that holds it; the
 * page's own comes first in the list for that reason, too. */
static int read_trees(struct look *l)
{
	json_object *roots[FRAMES_MAX] = { NULL };
	json_object *all = json_object_new_array();
	int status = all ? MT_OK : out_of_memory(l->err);

	for (size_t i = l->count; i-- > 0 && !status;) {
		json_object *own = json_object_new_array();

		l->nodes = own;
		if (l->documents[i].reached)
			status = read_tree(l, &l->documents[i], roots);
		for (size_t k = 0; i > 0 && k < length(own); k++)
			js_add_new(all,
				   json_object_get(json_object_array_get_idx(own, k)));
		if (i == 0) {
			for (size_t k = 0; k < length(all); k++)
				js_add_new(own,
					   json_object_get(
						   json_object_array_get_idx(all, k)));
			break;
		}
		json_object_put(own);
		l->nodes = NULL;
	}
	for (size_t i = 0; i < FRAMES_MAX; i++)
		json_object_put(roots[i]);
	json_object_put(all);
	return status;
}

/* ---- all together ------------------------------------------------------------------- */

static const struct ax_mark *find_mark(void *arg, const char *bid)
{
	struct element *e = element_by_bid(arg, bid);

	return e ? &e->mark : NULL;
}

static int put_tree(struct look *l, struct observation *o)
{
	AUTO(json) json_object *tree = js_make("nodes", 'o', l->nodes, NULL);
	struct ax_options options = { .with_clickable = true, .keep_useful = true,
				      .property_max = URL_SHOWN };
	int status = MT_ELIMIT;

	l->nodes = NULL;
	o->tree = STRBUF(l->b->config.tree_max);
	/* Of a page that is too long as a whole, what is in view is of more use than
	 * its beginning. */
	for (o->whole = l->view->whole;; o->whole = false) {
		options.with_visible = o->whole;
		options.visible_only = !o->whole;
		strbuf_reset(&o->tree);
		status = ax_put(&o->tree, tree, &options, find_mark, l->b, l->err);
		if (status != MT_ELIMIT || !o->whole)
			break;
	}
	o->cut = status == MT_ELIMIT;
	return o->cut ? MT_OK : status;
}

/* A page that is not the one looked at before has bids of its own. */
static int same_page(struct look *l)
{
	AUTO(json) json_object *tree = NULL;
	int status = page_call(l->b, "Page.getFrameTree", NULL, l->wait, &tree, l->err);
	json_object *frame = js_path(tree, "frameTree.frame");
	const char *loader = js_str(frame, "loaderId", "");

	if (!status && strcmp(loader, l->b->loader) != 0) {
		elements_clear(l->b);
		snprintf(l->b->loader, sizeof l->b->loader, "%s", loader);
	}
	for (size_t i = 0; i < l->b->element_count; i++)
		l->b->elements[i].shown = false;
	return status;
}

static char *shortened(const char *url)
{
	size_t len = strlen(url), n = utf8_cut(url, len, ADDRESS_SHOWN);
	char *text;

	return asprintf(&text, "%.*s%s", (int)n, url, n < len ? "..." : "") < 0 ? NULL
										: text;
}

static int list_tabs(struct browser *b, const struct cdp_wait *wait,
		     struct observation *o, struct error *err)
{
	AUTO(json) json_object *targets = NULL;
	int status = cdp_call(b->cdp, "", "Target.getTargets", NULL, wait, &targets, err);
	json_object *list = list_at(targets, "targetInfos");

	o->tab_count = b->tab_count;
	o->active = b->active;
	for (size_t i = 0; i < length(list); i++) {
		json_object *info = json_object_array_get_idx(list, i);

		for (size_t t = 0; t < b->tab_count; t++) {
			if (strcmp(b->tabs[t].target, js_str(info, "targetId", "")) != 0)
				continue;
			free(o->tabs[t]);
			o->tabs[t] = shortened(js_str(info, "url", ""));
			if (t == b->active && !o->url) {
				o->url = shortened(js_str(info, "url", ""));
			}
		}
	}
	return status;
}

static int look_once(struct look *l, struct observation *ret)
{
	int status = same_page(l);

	if (!status)
		status = take_snapshot(l);
	if (!status)
		status = read_trees(l);
	if (!status)
		status = put_tree(l, ret);
	if (!status && l->view->picture != SCREENSHOT_NO)
		status = screenshot_take(l->b, l->view->picture, l->wait, &ret->picture,
					 l->err);
	if (!status)
		status = list_tabs(l->b, l->wait, ret, l->err);
	for (size_t i = 0; i < l->count; i++)
		free(l->documents[i].nodes);
	json_object_put(l->snapshot);
	json_object_put(l->nodes);
	return status;
}

static void observation_new(struct observation *o)
{
	*o = (struct observation){ .tree = STRBUF(1), .notes = STRBUF(NOTES_MAX),
				   .picture = STRBUF(1) };
}

/* A page whose scripts never pause does not answer: after BUSY_MS, or half of the time if
 * that is less, they are stopped, and the rest is for a second try. A large page on a busy
 * machine needs most of it. */
int browser_look(struct browser *b, const struct view *view, const struct cdp_wait *wait,
		 struct observation *ret, struct error *err)
{
	int64_t now = clock_ms(), first = (wait->until - now) / 2;
	bool loading = b->tab_count && tab_of(b)->loading;
	AUTO(free) struct look *l = calloc(1, sizeof *l);
	struct cdp_wait half;
	int status;

	/* An address that does not answer keeps the page before from answering, too. */
	if (first > (loading ? LOADING_MS : BUSY_MS))
		first = loading ? LOADING_MS : BUSY_MS;
	half = (struct cdp_wait){ now + first, wait->cancel_fd };
	observation_new(ret);
	if (!l || !b->tab_count)
		return fail(err, MT_EIO, "the browser has no open page");
	*l = (struct look){ .b = b, .view = view, .wait = &half, .err = err,
			    .focused = ret->focused };
	status = look_once(l, ret);
	if (status == MT_ETIMEOUT) {
		page_interrupt(b);
		observation_clear(ret);
		observation_new(ret);
		*err = ERROR_NONE;
		*l = (struct look){ .b = b, .view = view, .wait = wait, .err = err,
				    .focused = ret->focused };
		status = look_once(l, ret);
	}
	if (status == MT_ETIMEOUT && b->tab_count)
		tab_of(b)->crashed = true;
	page_end(b);
	strbuf_addn(&ret->notes, b->notes.text, b->notes.len);
	strbuf_reset(&b->notes);
	return status;
}

void observation_clear(struct observation *o)
{
	free(o->url);
	strbuf_clear(&o->tree);
	strbuf_clear(&o->notes);
	strbuf_clear(&o->picture);
	for (size_t i = 0; i < TABS_MAX; i++)
		free(o->tabs[i]);
}
