/* SPDX-License-Identifier: MIT
 *
 * page-tree.c - merges the accessibility trees of a page and its frames into one, in which
 * elements that accept actions have a bid. */
#include "look.h"
#include <string.h>

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
	struct rect seen = snapshot_rect_meet(box, n->seen);
	double area = box.width * box.height;
	struct ax_mark m = { .has_box = n->has_box, .x = box.x, .y = box.y,
			     .width = box.width, .height = box.height,
			     .clickable = n->clickable, .draggable = n->draggable,
			     .scrollable = n->scrollable, .scroll_top = n->scroll_top,
			     .scroll_view = n->scroll_view,
			     .scroll_height = n->scroll_height };

	m.visibility = n->has_box && area > 0 ? seen.width * seen.height / area : 0;
	/* An element taller than its visible area is in view if it fills at least a third
	 * of that area. */
	if (area > 0 && seen.width * seen.height > 0 &&
	    seen.width * seen.height >= n->seen.width * n->seen.height / 3)
		m.visibility = 1;
	/* A label refers to its field, which has its own mark. */
	m.som = (m.clickable || m.draggable) && m.visibility >= 0.5 &&
		strcmp(role, "LabelText") != 0;
	for (const char *const *u = usual; *u && !m.som; u++)
		m.som = m.visibility >= 0.5 && strcmp(*u, role) == 0;
	return m;
}

static bool is_focused(json_object *node)
{
	json_object *list = list_at(node, "properties");

	for (size_t i = 0; i < js_length(list); i++) {
		json_object *p = json_object_array_get_idx(list, i);

		if (strcmp(js_str(p, "name", ""), "focused") == 0)
			return js_bool(js_get(p, "value"), "value", false);
	}
	return false;
}

/* An option of a closed list has no box: it is in view if the list is. */
static bool page_tree_is_option(const char *role)
{
	return strcmp(role, "option") == 0 || strcmp(role, "MenuListPopup") == 0;
}

/* Show elements that the page hides from assistive programs, or gives no role, if they
 * react to the mouse. */
static bool is_for_mice(const struct node *n)
{
	return n->is_element && n->has_box && !n->is_around &&
	       (n->clickable || n->draggable || n->scrollable);
}

static int show_ignored(json_object *node)
{
	js_set_new(node, "role", browser_json("value", 's', "generic", NULL));
	return js_set_new(node, "name", browser_json("value", 's', "", NULL));
}

/* Add the tag name of a shape: circle, rect, path. */
static int add_tag(const struct node *n, json_object *node)
{
	json_object *list = list_at(node, "properties");

	return list && n->tag
		       ? js_add_new(list,
				    browser_json("name", 's', "tag", "value", 'o',
						 browser_json("value", 's', n->tag, NULL),
						 NULL))
		       : MT_OK;
}

static int name_node(struct look *l, const struct document *d, json_object *node)
{
	struct node *n = snapshot_node(d, js_int(node, "backendDOMNodeId", 0));
	const char *role;
	struct element *e;

	if (!n || !n->is_element)
		return MT_OK;
	n->ax = node;
	if (js_bool(node, "ignored", false)) {
		if (!is_for_mice(n))
			return MT_OK;
		if (show_ignored(node))
			return out_of_memory(l->err);
	}
	role = js_str(js_get(node, "role"), "value", "");
	e = element_add(l->b, d->frame, n->id, false);
	if (!e)
		return out_of_memory(l->err);
	e->shown = true;
	e->mark = mark_of(d, n, role);
	if (!strcmp(role, "graphics-symbol") && add_tag(n, node))
		return out_of_memory(l->err);
	if (!n->has_box && page_tree_is_option(role))
		e->mark.visibility = 1;
	if (is_focused(node))
		snprintf(l->focused, BID_MAX, "%s", e->bid);
	return js_set_str(node, "browsergym_id", e->bid) ? out_of_memory(l->err) : MT_OK;
}

/* Add a node that the accessibility tree lacks: shapes of a drawing, hidden parts. Its
 * parent is the nearest ancestor in the tree. */
static int page_tree_add_missing(struct look *l, struct document *d, struct node *n,
				 json_object *nodes)
{
	struct node *above = n;
	AUTO(json) json_object *node = NULL;
	json_object *children;
	char id[32];

	do
		above = snapshot_node(d, above->parent);
	while (above && !above->ax);
	snprintf(id, sizeof id, "dom-%lld", (long long)n->id);
	node = browser_json("nodeId", 's', id, "backendDOMNodeId", 'i', n->id, "role",
			    'o', browser_json("value", 's', "generic", NULL), "name", 'o',
			    browser_json("value", 's', n->text ? n->text : "", NULL),
			    "properties", 'o', json_object_new_array(), "childIds", 'o',
			    json_object_new_array(), NULL);
	children = above ? list_at(above->ax, "childIds") : NULL;
	if (!children)
		return MT_OK;
	if (js_add_new(children, json_object_new_string(id)) ||
	    js_add_new(nodes, json_object_get(node)))
		return out_of_memory(l->err);
	return name_node(l, d, node);
}

/* Make the ids of nodes, which are unique per tree, unique for all trees. */
static json_object *own_id(const struct document *d, const char *id)
{
	char text[64];

	snprintf(text, sizeof text, "%u:%s", d->frame, id);
	return json_object_new_string(text);
}

/* Is the node a line of text, which its parent contains, or space between elements? */
static bool says_nothing(json_object *node)
{
	const char *role = js_str(js_get(node, "role"), "value", "");
	const char *name = js_str(js_get(node, "name"), "value", "");

	return strcmp(role, "InlineTextBox") == 0 ||
	       (strcmp(role, "StaticText") == 0 && name[strspn(name, " \n\t\r")] == '\0');
}

static int own_ids(struct look *l, const struct document *d, json_object *node,
		   json_object **roots)
{
	const struct node *n = snapshot_node(d, js_int(node, "backendDOMNodeId", 0));
	json_object *children = list_at(node, "childIds"), *own = json_object_new_array();
	int inner = n ? n->inner : -1;

	for (size_t i = 0; i < js_length(children); i++)
		js_add_new(own,
			   own_id(d, json_object_get_string(
					     json_object_array_get_idx(children, i))));
	if (inner > 0 && (size_t)inner < l->count && roots[inner])
		js_add_new(own, json_object_get(roots[inner]));
	js_set_new(node, "nodeId", own_id(d, js_str(node, "nodeId", "")));
	return js_set_new(node, "childIds", own);
}

static int read_tree(struct look *l, struct document *d, json_object **roots)
{
	AUTO(json) json_object *tree = NULL;
	int status = page_call(l->b, "Accessibility.getFullAXTree",
			       browser_json("frameId", 's', d->frame_id, NULL), l->wait,
			       &tree, l->err);
	json_object *nodes = list_at(tree, "nodes");

	if (status == MT_EINVAL && d != l->documents) { /* the frame has just gone */
		*l->err = ERROR_NONE;
		return MT_OK;
	}
	for (size_t i = 0; !status && i < js_length(nodes); i++)
		status = name_node(l, d, json_object_array_get_idx(nodes, i));
	for (size_t i = 0; nodes && !status && i < d->count; i++)
		if (!d->nodes[i].ax && is_for_mice(&d->nodes[i]))
			status = page_tree_add_missing(l, d, &d->nodes[i], nodes);
	for (size_t i = 0; !status && i < js_length(nodes); i++) {
		json_object *node = json_object_array_get_idx(nodes, i);

		if (says_nothing(node))
			continue;
		if (own_ids(l, d, node, roots))
			return out_of_memory(l->err);
		if (i == 0)
			roots[d - l->documents] = json_object_get(js_get(node, "nodeId"));
		if (js_add_new(l->nodes, json_object_get(node)))
			return out_of_memory(l->err);
	}
	return status;
}

/* Append the values of `from`. */
static int page_tree_add_all(json_object *to, json_object *from)
{
	int status = MT_OK;

	for (size_t i = 0; !status && i < js_length(from); i++)
		status = js_add_new(to,
				    json_object_get(json_object_array_get_idx(from, i)));
	return status;
}

/* Read inner documents first: a frame's root must be known before the node that contains
 * it. The nodes of the page itself come first in the list. */
int page_tree_read(struct look *l)
{
	json_object *roots[FRAMES_MAX] = { NULL };
	AUTO(json) json_object *all = json_object_new_array();
	int status = all ? MT_OK : out_of_memory(l->err);

	for (size_t i = l->count; i-- > 0 && !status;) {
		json_object *own = json_object_new_array();

		l->nodes = own;
		if (!own)
			status = out_of_memory(l->err);
		else if (l->documents[i].reached)
			status = read_tree(l, &l->documents[i], roots);
		if (!status &&
		    (i > 0 ? page_tree_add_all(all, own) : page_tree_add_all(own, all)))
			status = out_of_memory(l->err);
		if (i == 0)
			break;
		json_object_put(own);
		l->nodes = NULL;
	}
	for (size_t i = 0; i < FRAMES_MAX; i++)
		json_object_put(roots[i]);
	return status;
}
