/* SPDX-License-Identifier: MIT
 *
 * snapshot.c - reads the boxes of a page and its frames, and the part of the window that
 * each node may occupy. */
#include "look.h"
#include <string.h>

/* Styles to request with the snapshot. */
static const char *const style_names[] = { "overflow-y", "position", "overflow-x" };

static int64_t int_at(json_object *list, size_t i, int64_t fallback)
{
	json_object *v = list && i < json_object_array_length(list)
				 ? json_object_array_get_idx(list, i)
				 : NULL;

	return v ? json_object_get_int64(v) : fallback;
}

static double snapshot_number_at(json_object *list, size_t i)
{
	json_object *v = list && i < json_object_array_length(list)
				 ? json_object_array_get_idx(list, i)
				 : NULL;

	return v ? json_object_get_double(v) : 0;
}

static int snapshot_by_id(const void *a, const void *b)
{
	const struct node *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static bool snapshot_is_text(json_object *strings, json_object *styles, size_t i,
			     const char *text)
{
	int64_t n = int_at(styles, i, -1);

	return n >= 0 && (size_t)n < js_length(strings) &&
	       strcmp(json_object_get_string(
			      json_object_array_get_idx(strings, (size_t)n)),
		      text) == 0;
}

static bool scrolls(json_object *strings, json_object *styles, size_t i)
{
	return snapshot_is_text(strings, styles, i, "auto") ||
	       snapshot_is_text(strings, styles, i, "scroll");
}

/* Is the content of a box larger than the box, in width (2) or height (3)? */
static bool spills(const struct document *d, size_t box, size_t side)
{
	json_object *shown = list_at(d->json, "layout.clientRects");
	json_object *held = list_at(d->json, "layout.scrollRects");

	if (box >= js_length(shown) || box >= js_length(held))
		return false;
	return snapshot_number_at(json_object_array_get_idx(held, box), side) >
	       snapshot_number_at(json_object_array_get_idx(shown, box), side) + 1;
}

/* Read the vertical part of its content that a box shows. */
static void read_scroll(const struct document *d, size_t box, struct node *n)
{
	json_object *shown = list_at(d->json, "layout.clientRects");
	json_object *held = list_at(d->json, "layout.scrollRects");

	if (box >= js_length(shown) || box >= js_length(held) || !spills(d, box, 3))
		return;
	n->scroll_top = snapshot_number_at(json_object_array_get_idx(held, box), 1);
	n->scroll_view = snapshot_number_at(json_object_array_get_idx(shown, box), 3);
	n->scroll_height = snapshot_number_at(json_object_array_get_idx(held, box), 3);
}

static void read_boxes(struct document *d, json_object *strings)
{
	json_object *which = list_at(d->json, "layout.nodeIndex");
	json_object *bounds = list_at(d->json, "layout.bounds");
	json_object *styles = list_at(d->json, "layout.styles");

	for (size_t i = 0; i < js_length(which) && i < js_length(bounds); i++) {
		int64_t n = int_at(which, i, -1);
		json_object *box = json_object_array_get_idx(bounds, i);

		if (n < 0 || (size_t)n >= d->count || d->nodes[n].has_box ||
		    !json_object_is_type(box, json_type_array))
			continue;
		d->nodes[n].has_box = true;
		d->nodes[n].box = (struct rect){ snapshot_number_at(box, 0),
		snapshot_number_at(box, 1),
						 snapshot_number_at(box, 2),
						 snapshot_number_at(box, 3) };
		box = i < js_length(styles) ? json_object_array_get_idx(styles, i) : NULL;
		if (js_length(box) < ARRAY_LEN(style_names))
			continue;
		d->nodes[n].clips = !snapshot_is_text(strings, box, 0, "visible");
		d->nodes[n].is_placed = !snapshot_is_text(strings, box, 1, "static");
		d->nodes[n].is_fixed = snapshot_is_text(strings, box, 1, "fixed");
		d->nodes[n].is_absolute = snapshot_is_text(strings, box, 1, "absolute");
		d->nodes[n].scrollable = (scrolls(strings, box, 0) && spills(d, i, 3)) ||
					 (scrolls(strings, box, 2) && spills(d, i, 2));
		if (d->nodes[n].scrollable)
			read_scroll(d, i, &d->nodes[n]);
	}
}

static void read_attributes(struct document *d, json_object *strings)
{
	static const char *const around[] = { "LABEL", "BODY", "HTML" };
	json_object *all = list_at(d->json, "nodes.attributes");
	json_object *names = list_at(d->json, "nodes.nodeName");

	for (size_t i = 0; i < js_length(all) && i < d->count; i++) {
		json_object *list = json_object_array_get_idx(all, i);

		for (size_t k = 0; k < ARRAY_LEN(around); k++)
			d->nodes[i].is_around |=
				snapshot_is_text(strings, names, i, around[k]);
		if (!json_object_is_type(list, json_type_array))
			continue;
		for (size_t k = 0; k + 1 < js_length(list); k += 2)
			if (snapshot_is_text(strings, list, k, "draggable"))
				d->nodes[i].draggable =
					snapshot_is_text(strings, list, k + 1, "true");
	}
}

static const char *string_at(json_object *strings, int64_t n)
{
	return n >= 0 && (size_t)n < js_length(strings)
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

	d->count = js_length(ids);
	d->nodes = calloc(d->count + 1, sizeof *d->nodes);
	if (!d->nodes)
		return out_of_memory(err);
	for (size_t i = 0; i < d->count; i++)
		d->nodes[i] = (struct node){ .id = int_at(ids, i, 0), .inner = -1,
					     .is_element = int_at(types, i, 0) == 1 };
	for (size_t i = 0; i < js_length(clickable); i++)
		if ((size_t)int_at(clickable, i, -1) < d->count)
			d->nodes[int_at(clickable, i, 0)].clickable = true;
	for (size_t i = 0; i < js_length(holders); i++)
		if ((size_t)int_at(holders, i, -1) < d->count)
			d->nodes[int_at(holders, i, 0)].inner = (int)int_at(held, i, -1);
	read_attributes(d, strings);
	read_family(d, strings);
	read_boxes(d, strings);
	return MT_OK;
}

struct rect snapshot_rect_meet(struct rect a, struct rect b)
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

/* Position in the window of the page in an element: inside the frame and padding, which
 * the snapshot does not report. */
static struct rect inner_box(struct look *l, const struct document *d,
			     const struct node *n)
{
	struct rect box = { d->x + n->box.x, d->y + n->box.y, n->box.width,
			    n->box.height };
	AUTO(json) json_object *model = NULL;
	json_object *quad;

	if (page_call(l->b, "DOM.getBoxModel",
		      browser_json("backendNodeId", 'i', n->id, NULL), l->wait, &model,
		      NULL))
		return box;
	quad = list_at(model, "model.content");
	if (js_length(quad) != 8)
		return box;
	return (struct rect){ snapshot_number_at(quad, 0), snapshot_number_at(quad, 1),
			      snapshot_number_at(quad, 4) - snapshot_number_at(quad, 0),
			      snapshot_number_at(quad, 5) - snapshot_number_at(quad, 1) };
}

/* Compute the part of the window that each node may occupy, limited by ancestors that
 * scroll or clip. Nodes with a fixed position, and nodes positioned by an ancestor above
 * one that clips, are not clipped. The first two elements of the page clip to the
 * window. */
static int clip_nodes(struct document *d, struct error *err)
{
	json_object *parents = list_at(d->json, "nodes.parentIndex");
	struct {
		struct rect flow, placed; /* for its content */
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
		own->flow = n->clips && n->has_box && own->depth > 2
				    ? snapshot_rect_meet(n->seen, box)
				    : n->seen;
		own->placed = n->is_placed ? own->flow : above[parent].placed;
	}
	free(above);
	return MT_OK;
}

/* Position and name the documents inside this one. */
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
		inner->clip = snapshot_rect_meet(n->seen, box);
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

int snapshot_take(struct look *l)
{
	json_object *styles = list_styles();
	int status = page_call(l->b, "DOMSnapshot.captureSnapshot",
			       browser_json("computedStyles", 'o', styles,
					    "includeDOMRects", 'b', 1, NULL),
			       l->wait, &l->snapshot, l->err);
	json_object *all = list_at(l->snapshot, "documents");
	json_object *strings = list_at(l->snapshot, "strings");

	for (size_t i = 0; !status && i < js_length(all) && i < FRAMES_MAX; i++) {
		struct document *d = &l->documents[l->count++];
		int64_t name;

		d->json = json_object_array_get_idx(all, i);
		name = js_int(d->json, "frameId", -1);
		d->frame_id = name >= 0 && (size_t)name < js_length(strings)
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
		      snapshot_by_id);
	return status;
}

struct node *snapshot_node(const struct document *d, int64_t id)
{
	struct node key = { .id = id };

	return id ? bsearch(&key, d->nodes, d->count, sizeof key, snapshot_by_id) : NULL;
}
