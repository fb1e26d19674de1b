/* SPDX-License-Identifier: MIT
 *
 * scope.c - the scopes of an action, and whether granted ones cover it.
 *
 * Items of a scope, of which one covers the action, or for a command each of its parts:
 *   {"action": HASH}                    this very action
 *   {"program": NAME, "sub": NAME}      that program, with that subcommand if it is named
 *   {"change": PATH} {"read": PATH}     that file; with "below" what is below it too
 *   {"tool": NAME, "toolset": NAME}     that tool of that instance
 *   {"site": "https://host"}            pages of that site */
#include "features/approval/scope.h"

#include "features/approval/action-hash.h"
#include "features/approval/scope-commands.h"
#include "utf8.h"

#include <ctype.h>
#include <string.h>

enum { TEXT_SHOWN = 400, TEXT_MAX = 64 << 10, SITE_MAX = 300 };

/* Facts about an action, collected once, for offering and checking scopes. */
struct facts {
	char hash[SHA256_HEX];
	struct command_parts parts; /* of a command */
	const char *verb;           /* type of access to a file: "change", "read";
				     * NULL: it accesses none */
	char *path;                 /* resolved path; NULL: no scope covers it */
	bool tool;                  /* a call of a tool without an action type of its
				     * own */
	char site[SITE_MAX];        /* site of a page; "": none */
};

/* ---- facts ------------------------------------------------------------------------ */

/* Scheme and host, in lowercase; none for a URL that can be parsed in two ways. */
static void read_site(const char *url, char ret[SITE_MAX])
{
	size_t scheme = strncasecmp(url, "https://", 8) == 0  ? 8
			: strncasecmp(url, "http://", 7) == 0 ? 7
							      : 0;
	size_t len = strcspn(url + scheme, "/?#");

	if (!scheme || !len || scheme + len >= SITE_MAX)
		return;
	for (size_t i = scheme; i < scheme + len; i++)
		if (!isalnum((unsigned char)url[i]) && !strchr(".-:[]", url[i]))
			return;
	for (size_t i = 0; i < scheme + len; i++)
		ret[i] = (char)tolower((unsigned char)url[i]);
	ret[scheme + len] = '\0';
}

static int read_command(const struct event *action, const struct scope_place *place,
			struct facts *f)
{
	if (js_bool(event_args(action), "is_input", false) ||
	    js_get(event_args(action), "cwd"))
		return MT_OK;
	return command_parts_read(event_arg(action, "command"), place, &f->parts);
}

static void scope_read_file(const struct event *action, const struct scope_place *place,
			    struct facts *f)
{
	const char *path = event_arg(action, "path");
	char *real = *path == '/' ? scope_path_resolve("/", path) : NULL;

	f->verb = action->type->id == ACTION_READ ? "read" : "change";
	if (real && scope_path_is_below(real, place->workspace) &&
	    !scope_path_is_protected(real, place->workspace))
		f->path = STEAL(real);
	free(real);
}

static int read_facts(const struct event *action, const struct scope_place *place,
		      struct facts *f, struct error *err)
{
	*f = (struct facts){ 0 };
	if (action_hash(action, false, f->hash, err))
		return err->code;
	if (action->type->id == ACTION_RUN && read_command(action, place, f))
		return out_of_memory(err);
	if (action->type->id == ACTION_READ || action->type->id == ACTION_WRITE ||
	    action->type->id == ACTION_EDIT)
		scope_read_file(action, place, f);
	f->tool = (action->type->id == ACTION_CALL_TOOL ||
		   action->type->id == ACTION_CALL_TOOL_MCP) &&
		  *place->tool;
	if (action->type->id == ACTION_BROWSE)
		read_site(event_arg(action, "url"), f->site);
	return MT_OK;
}

static void clear_facts(struct facts *f)
{
	command_parts_clear(&f->parts);
	free(f->path);
}

/* ---- offering --------------------------------------------------------------------- */

struct offering {
	json_object *list;
	struct strbuf text;    /* of the scope that is being made */
	json_object *items;
};

/* An item of one or two members; `b` NULL: one. */
static int scope_add_item(struct offering *o, const char *a, const char *a_value,
			  const char *b, const char *b_value)
{
	json_object *item = json_object_new_object();

	if (!o->items)
		o->items = json_object_new_array();
	if (js_set_str(item, a, a_value) || (b && js_set_str(item, b, b_value)) ||
	    js_add(o->items, item)) {
		json_object_put(item);
		return MT_ENOMEM;
	}
	return MT_OK;
}

static int scope_finish(struct offering *o)
{
	AUTO(json) json_object *scope = json_object_new_object();

	if (o->text.error || js_set_str(scope, "text", o->text.text) ||
	    js_set(scope, "items", STEAL(o->items)))
		return MT_ENOMEM;
	strbuf_reset(&o->text);
	return js_add(o->list, STEAL(scope)) ? MT_ENOMEM : MT_OK;
}

/* A text that identifies this action for the user; a long text is replaced by its
 * beginning and its hash. */
static void put_exact(const struct event *action, const char *hash, struct strbuf *out)
{
	static const char *const names[] = { "command", "code", "url", "browser_actions",
					     "path", "name" };
	bool run = action->type->id == ACTION_RUN;
	bool command = run && !js_bool(event_args(action), "is_input", false);
	const char *what = run ? event_arg(action, "command") : "";
	size_t len;

	for (size_t i = run ? ARRAY_LEN(names) : 1; i < ARRAY_LEN(names) && !*what; i++)
		what = event_arg(action, names[i]);
	len = strlen(what);
	if (command)
		strbuf_add(out, "exactly `");
	else
		strbuf_addf(out, "exactly this %s: `",
			    run ? "input" : action->type->name);
	strbuf_addn(out, what, utf8_cut(what, len, TEXT_SHOWN));
	strbuf_add(out, len > TEXT_SHOWN ? " ...`" : "`");
	if (len > TEXT_SHOWN)
		strbuf_addf(out, " (%zu bytes, SHA-256 %.16s)", len, hash);
	else if (!run && !*event_arg(action, "code") && !*event_arg(action, "url"))
		strbuf_addf(out, " (SHA-256 %.16s)", hash);
}

static int offer_exact(struct offering *o, const struct event *action,
		       const struct facts *f)
{
	put_exact(action, f->hash, &o->text);
	return scope_add_item(o, "action", f->hash, NULL, NULL) ? MT_ENOMEM
								: scope_finish(o);
}

static void scope_put_part(struct strbuf *out, const struct command_part *part,
			   bool with_sub)
{
	const char *comma = out->len ? ", " : "";

	if (*part->sub && with_sub)
		strbuf_addf(out, "%s`%s %s` with any arguments", comma, part->program,
			    part->sub);
	else if (*part->sub)
		strbuf_addf(out, "%severy `%s` command", comma, part->program);
	else
		strbuf_addf(out, "%s`%s` with any arguments", comma, part->program);
}

static bool named_before(const struct command_parts *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(p->list[i].program, p->list[n].program) == 0)
			return true;
	return false;
}

static int offer_parts(struct offering *o, const struct command_parts *p, bool with_subs)
{
	for (size_t i = 0; i < p->count; i++) {
		const struct command_part *part = &p->list[i];
		bool sub = with_subs && *part->sub;

		if (!with_subs && named_before(p, i))
			continue;
		scope_put_part(&o->text, part, with_subs);
		if (scope_add_item(o, "program", part->program, sub ? "sub" : NULL,
				   part->sub))
			return MT_ENOMEM;
	}
	return scope_finish(o);
}

static int offer_command(struct offering *o, const struct command_parts *p,
			 size_t *ret_default)
{
	bool known = true, subs = false;
	int r;

	if (p->count == 0)
		return MT_OK;
	for (size_t i = 0; i < p->count; i++) {
		known = known && p->list[i].known;
		subs = subs || *p->list[i].sub;
	}
	*ret_default = known;
	r = offer_parts(o, p, true);
	return !r && subs ? offer_parts(o, p, false) : r;
}

static int offer_path(struct offering *o, const char *verb, const char *path, bool all)
{
	strbuf_addf(&o->text, "%s `%s`%s",
		    strcmp(verb, "read") == 0 ? "reading" : "changing", path,
		    all ? " and everything in it" : "");
	return scope_add_item(o, verb, path, all ? "below" : NULL, "yes")
		       ? MT_ENOMEM
		       : scope_finish(o);
}

/* The file, its directory, the workspace. */
static int offer_file(struct offering *o, const struct facts *f, const char *workspace,
		      size_t *ret_default)
{
	AUTO(free) char *root = realpath(workspace, NULL);
	AUTO(free) char *up = strdup(f->path);
	char *slash = up ? strrchr(up, '/') : NULL;

	if (!root || !slash)
		return MT_ENOMEM;
	*slash = '\0';
	*ret_default = 2;
	if (offer_path(o, f->verb, f->path, false))
		return MT_ENOMEM;
	if (strlen(up) > strlen(root) && offer_path(o, f->verb, up, true))
		return MT_ENOMEM;
	return strcmp(f->path, root) == 0 ? MT_OK : offer_path(o, f->verb, root, true);
}

static int offer_tool(struct offering *o, const struct event *action,
		      const struct scope_place *place)
{
	if (action->type->id == ACTION_CALL_TOOL_MCP)
		strbuf_addf(&o->text, "every call of tool `%s` of server `%s`",
			    place->tool, place->toolset);
	else
		strbuf_addf(&o->text, "every call of tool `%s`", place->tool);
	return scope_add_item(o, "tool", place->tool, "toolset", place->toolset)
		       ? MT_ENOMEM
		       : scope_finish(o);
}

static int offer_all(struct offering *o, const struct event *action,
		     const struct scope_place *place, const struct facts *f,
		     size_t *ret_default)
{
	int r = offer_exact(o, action, f);

	if (!r)
		r = offer_command(o, &f->parts, ret_default);
	if (!r && f->path)
		r = offer_file(o, f, place->workspace, ret_default);
	if (!r && f->tool)
		r = offer_tool(o, action, place);
	if (!r && *f->site) {
		*ret_default = 1;
		strbuf_addf(&o->text, "pages of %s", f->site);
		r = scope_add_item(o, "site", f->site, NULL, NULL) ? MT_ENOMEM
								   : scope_finish(o);
	}
	return r;
}

int scopes_offer(const struct event *action, const struct scope_place *place,
		 json_object **ret, size_t *ret_default, struct error *err)
{
	struct offering o = { .list = json_object_new_array(), .text = STRBUF(TEXT_MAX) };
	struct facts f;
	int r = read_facts(action, place, &f, err);

	*ret_default = 0;
	if (!r && (!o.list || offer_all(&o, action, place, &f, ret_default)))
		r = out_of_memory(err);
	if (!r && *ret_default >= json_object_array_length(o.list))
		*ret_default = json_object_array_length(o.list) - 1;
	clear_facts(&f);
	strbuf_clear(&o.text);
	json_object_put(o.items);
	if (r)
		json_object_put(o.list);
	else
		*ret = o.list;
	return r;
}

/* ---- checking --------------------------------------------------------------------- */

static bool is_value(json_object *item, const char *name, const char *value)
{
	return strcmp(js_str(item, name, ""), value) == 0;
}

static bool covers_part(json_object *item, const struct command_part *part)
{
	return is_value(item, "program", part->program) &&
	       (!js_get(item, "sub") || is_value(item, "sub", part->sub));
}

/* The granted path itself is not resolved again: it is the path that was shown. */
static bool covers_path(json_object *item, const struct facts *f)
{
	const char *below = js_str(item, f->verb, "");
	size_t len = strlen(below);

	if (len <= 1 || *below != '/' || strncmp(f->path, below, len) != 0)
		return false;
	return !f->path[len] || (f->path[len] == '/' && js_get(item, "below"));
}

/* Items for all actions except commands. */
static bool covers_whole(json_object *item, const struct facts *f,
			 const struct scope_place *place)
{
	if (is_value(item, "action", f->hash))
		return true;
	if (f->path && covers_path(item, f))
		return true;
	if (f->tool && is_value(item, "tool", place->tool) &&
	    is_value(item, "toolset", place->toolset))
		return true;
	return *f->site && is_value(item, "site", f->site);
}

typedef bool covers_fn(json_object *item, const void *what,
		       const struct scope_place *place);

static bool any_item(json_object *scopes, covers_fn *covers, const void *what,
		     const struct scope_place *place)
{
	size_t count = js_length(scopes);

	for (size_t i = 0; i < count; i++) {
		json_object *items =
			js_get(json_object_array_get_idx(scopes, i), "items");
		size_t n = js_length(items);

		for (size_t k = 0; k < n; k++)
			if (covers(json_object_array_get_idx(items, k), what, place))
				return true;
	}
	return false;
}

static bool item_covers_part(json_object *item, const void *what,
			     const struct scope_place *place)
{
	(void)place;
	return covers_part(item, what);
}

static bool item_covers_whole(json_object *item, const void *what,
			      const struct scope_place *place)
{
	return covers_whole(item, what, place);
}

static bool covers_parts(json_object *scopes, const struct facts *f,
			 const struct scope_place *place)
{
	for (size_t i = 0; i < f->parts.count; i++)
		if (!any_item(scopes, item_covers_part, &f->parts.list[i], place))
			return false;
	return f->parts.count > 0;
}

bool scopes_cover(json_object *scopes, const struct event *action,
		  const struct scope_place *place)
{
	struct facts f;
	bool covered;

	if (!scopes || read_facts(action, place, &f, NULL))
		return false;
	covered = any_item(scopes, item_covers_whole, &f, place) ||
		  covers_parts(scopes, &f, place);
	clear_facts(&f);
	return covered;
}
