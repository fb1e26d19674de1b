/* SPDX-License-Identifier: MIT
 *
 * axtree.h - formats an accessibility tree as BrowserGym does, one line per node. The
 * vectors of OpenHands have this text; models read the shorter one of outline.h. */
#ifndef TESTS_TOOLS_AXTREE_H
#define TESTS_TOOLS_AXTREE_H

#include "literal.h"
#include "plugins/tools/browser/outline.h"
#include "utf8.h"
#include <string.h>

struct ax_options {
	bool with_visible, with_clickable, with_som, with_center, with_box;
	bool keep_generic;        /* print a `generic` without attributes too */
	bool keep_redundant;      /* print text that the parent's name contains */
	bool visible_only, bid_only, som_only;
	bool hide_bids, hide_bid_if_invisible;
	int decimals;             /* of coordinates */
	const char *const *ignored_roles;      /* NULL-terminated; NULL: default */
	const char *const *ignored_properties; /* likewise */
};

/* Default if the option is NULL. */
static const char *const ignored_roles[] = { "LineBreak", NULL };
static const char *const ignored_properties[] = {
	"editable", "readonly", "level", "settable", "multiline", "invalid", "focusable",
	NULL,
};

struct entry {
	const char *id; /* of the node; borrowed */
	json_object *node;
	bool met;
};

struct printer {
	struct strbuf *out;
	const struct ax_options *options;
	const char *const *roles, *const *properties;
	ax_mark_fn *mark;
	void *arg;
	struct entry *table; /* by hash of the id; `size` is a power of two */
	size_t size;
	bool cut;
};

/* State passed from a node to its children. */
struct above {
	bool filtered;
	struct mt_str name;
};

/* ---- nodes by their id ------------------------------------------------------- */

static struct entry *axtree_slot(const struct printer *p, const char *id)
{
	size_t hash = 1469598103934665603u;

	for (const char *c = id; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 1099511628211u;
	hash ^= hash >> 29;
	for (;; hash++) {
		struct entry *e = &p->table[hash & (p->size - 1)];

		if (!e->id || strcmp(e->id, id) == 0)
			return e;
	}
}

static int axtree_index_nodes(struct printer *p, json_object *nodes, struct error *err)
{
	size_t n = json_object_array_length(nodes);

	if (n > AX_NODES_MAX)
		return fail(err, MT_ELIMIT, "the page has more than %d nodes",
			    AX_NODES_MAX);
	for (p->size = 16; p->size < 2 * n; p->size *= 2)
		;
	p->table = calloc(p->size, sizeof *p->table);
	if (!p->table)
		return out_of_memory(err);
	for (size_t i = 0; i < n; i++) {
		json_object *node = json_object_array_get_idx(nodes, i);
		const char *id = js_str(node, "nodeId", NULL);
		struct entry *e = id ? axtree_slot(p, id) : NULL;

		if (e && !e->id)
			*e = (struct entry){ id, node, false };
	}
	return MT_OK;
}

/* ---- one line ----------------------------------------------------------------- */

static bool axtree_is_in(const char *const *list, const char *word)
{
	for (; *list; list++)
		if (strcmp(*list, word) == 0)
			return true;
	return false;
}

static struct mt_str axtree_text_of(json_object *value)
{
	if (!json_object_is_type(value, json_type_string))
		return (struct mt_str){ "", 0 };
	return (struct mt_str){ json_object_get_string(value),
				(size_t)json_object_get_string_len(value) };
}

static void axtree_put_text(struct strbuf *out, struct mt_str s)
{
	AUTO(strbuf) struct strbuf cut = STRBUF(AX_LINE_MAX + 8);
	size_t n = utf8_cut(s.ptr, s.len, AX_LINE_MAX);

	if (n == s.len) {
		literal_put_text(out, s.ptr, s.len);
		return;
	}
	strbuf_addn(&cut, s.ptr, n);
	strbuf_add(&cut, "...");
	literal_put_text(out, cut.text, cut.len);
}

static void axtree_put_value(struct strbuf *out, json_object *value)
{
	if (json_object_is_type(value, json_type_string))
		axtree_put_text(out, axtree_text_of(value));
	else
		literal_put(out, value);
}

static void axtree_put_mark(const struct printer *p, struct strbuf *out,
			    const struct ax_mark *m)
{
	const struct ax_options *o = p->options;
	int d = o->decimals;

	if (o->with_box && m->has_box)
		strbuf_addf(out, ", box=\"(%.*f,%.*f,%.*f,%.*f)\"", d, m->x, d, m->y, d,
			    m->x + m->width, d, m->y + m->height);
	if (o->with_center && m->has_box)
		strbuf_addf(out, ", center=\"(%.*f,%.*f)\"", d, m->x + m->width / 2, d,
			    m->y + m->height / 2);
	if (o->with_clickable && m->clickable)
		strbuf_add(out, ", clickable");
	if (o->with_visible && m->visibility >= 0.5)
		strbuf_add(out, ", visible");
	if (o->with_som && m->som)
		strbuf_add(out, ", som");
}

static void axtree_put_properties(const struct printer *p, struct strbuf *out,
				  json_object *node)
{
	static const char *const bare[] = { "required", "focused", "atomic", NULL };
	json_object *list = js_get(node, "properties");

	if (!json_object_is_type(list, json_type_array))
		return;
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		json_object *one = json_object_array_get_idx(list, i);
		const char *name = js_str(one, "name", NULL);
		json_object *value = NULL;

		if (!name || axtree_is_in(p->properties, name) ||
		    !json_object_is_type(js_get(one, "value"), json_type_object) ||
		    !json_object_object_get_ex(js_get(one, "value"), "value", &value))
			continue;
		if (!axtree_is_in(bare, name)) {
			strbuf_addf(out, ", %s=", name);
			axtree_put_value(out, value);
		} else if (json_object_get_boolean(value)) {
			strbuf_addf(out, ", %s", name);
		}
	}
}

static bool is_filtered(const struct ax_options *o, const char *bid,
			const struct ax_mark *m)
{
	if (!bid)
		return o->bid_only || o->som_only;
	return m &&
	       ((o->visible_only && m->visibility < 0.5) || (o->som_only && !m->som));
}

/* The line is written completely or not at all. */
static void axtree_put_line(struct printer *p, int depth, const struct strbuf *line)
{
	size_t before = p->out->len;

	if (line->error)
		p->out->error = line->error;
	if (before)
		strbuf_addc(p->out, '\n');
	for (int i = 0; i < depth && i < AX_INDENT_MAX; i++)
		strbuf_addc(p->out, '\t');
	strbuf_addn(p->out, line->text, line->len);
	if (p->out->error == MT_ELIMIT) {
		strbuf_cut(p->out, before);
		p->out->error = MT_OK;
		p->cut = true;
	}
}

static void put_node(struct printer *p, json_object *node, const char *role, int depth,
		     const char *bid, const struct ax_mark *mark,
		     const struct strbuf *attributes)
{
	const struct ax_options *o = p->options;
	AUTO(strbuf) struct strbuf line = STRBUF(1 << 20);
	struct mt_str name = axtree_text_of(js_path(node, "name.value"));
	json_object *value = js_get(node, "value");
	bool seen = mark && mark->visibility >= 0.5;

	if (bid && !o->hide_bids && !(o->hide_bid_if_invisible && !seen))
		strbuf_addf(&line, "[%s] ", bid);
	strbuf_add(&line, role);
	if (name.len || strcmp(role, "generic") != 0) {
		strbuf_addc(&line, ' ');
		axtree_put_text(&line, utf8_trimmed(name));
	}
	if (js_get(value, "value")) {
		strbuf_add(&line, " value=");
		axtree_put_value(&line, js_get(value, "value"));
	}
	if (mark && strcmp(role, "StaticText") != 0)
		axtree_put_mark(p, &line, mark);
	strbuf_addn(&line, attributes->text, attributes->len);
	axtree_put_line(p, depth, &line);
}

/* Print a node unless it is skipped. @return true if it was printed; `self` is the state
 * passed to its children. */
static bool one_node(struct printer *p, json_object *node, int depth,
		     const struct above *above, struct above *self)
{
	const struct ax_options *o = p->options;
	const char *role = js_str(js_get(node, "role"), "value", "");
	AUTO(strbuf) struct strbuf attributes = STRBUF(1 << 20);
	const char *bid = js_str(node, "browsergym_id", NULL);
	const struct ax_mark *mark = bid ? p->mark(p->arg, bid) : NULL;
	bool skip;

	if (axtree_is_in(p->roles, role) || !js_get(node, "name"))
		return false;
	self->name = axtree_text_of(js_path(node, "name.value"));
	axtree_put_properties(p, &attributes, node);
	skip = !o->keep_generic && !attributes.len && strcmp(role, "generic") == 0;
	if (strcmp(role, "StaticText") == 0) {
		skip = skip || above->filtered ||
		       (!o->keep_redundant &&
			memmem(above->name.ptr, above->name.len, self->name.ptr,
			       self->name.len) != NULL);
	} else {
		self->filtered = is_filtered(o, bid, mark);
		skip = skip || self->filtered;
	}
	if (!skip)
		put_node(p, node, role, depth, bid, mark, &attributes);
	return !skip;
}

static void axtree_walk(struct printer *p, struct entry *e, int depth, int level,
			const struct above *above)
{
	struct above self = { .name = { "", 0 } };
	json_object *children = js_get(e->node, "childIds");

	if (e->met || p->cut || p->out->error)
		return;
	e->met = true;
	depth += one_node(p, e->node, depth, above, &self);
	if (!json_object_is_type(children, json_type_array))
		return;
	if (level >= AX_DEPTH) {
		p->cut = p->cut || json_object_array_length(children) > 0;
		return;
	}
	for (size_t i = 0; i < json_object_array_length(children); i++) {
		struct mt_str id = axtree_text_of(json_object_array_get_idx(children, i));
		struct entry *child = axtree_slot(p, id.ptr);

		if (child->id)
			axtree_walk(p, child, depth, level + 1, &self);
	}
}

/** Append the text of a tree, {"nodes": [...]} as in the browser's protocol, with a
 *  node's bid in its `browsergym_id`. The first node is the root. Invalid nodes (visited
 *  twice, without a type) are omitted. If the buffer is full, the text ends after a
 *  complete line. @return MT_OK, MT_ELIMIT (truncated), MT_EINVAL, MT_ENOMEM. */
static int axtree_put(struct strbuf *out, json_object *tree,
		      const struct ax_options *options, ax_mark_fn *mark, void *arg,
		      struct error *err)
{
	static const struct above none = { .name = { "", 0 } };
	json_object *nodes = js_get(tree, "nodes");
	struct printer p = {
		.out = out, .options = options, .mark = mark, .arg = arg,
		.roles = options->ignored_roles ? options->ignored_roles : ignored_roles,
		.properties = options->ignored_properties ? options->ignored_properties
							  : ignored_properties,
	};
	const char *root;
	int status;

	if (!json_object_is_type(nodes, json_type_array))
		return fail(err, MT_EINVAL,
			    "the browser did not return an accessibility tree");
	root = js_str(json_object_array_get_idx(nodes, 0), "nodeId", NULL);
	status = root ? axtree_index_nodes(&p, nodes, err) : MT_OK;
	if (status == MT_OK && root)
		axtree_walk(&p, axtree_slot(&p, root), 0, 0, &none);
	free(p.table);
	if (status)
		return status;
	if (out->error)
		return fail_code(err, out->error);
	return p.cut ? MT_ELIMIT : MT_OK;
}

#endif
