/* SPDX-License-Identifier: MIT
 *
 * script.c - the dialect of the scripted model: turns from a file instead of a network.
 * doc/script.md describes the file.
 *
 * The number of replies in the conversation selects the turn, so a resumed conversation
 * continues where it was. Expectations of a turn are checked while the request is
 * encoded; its errors and its text are returned when the request is sent. */
#define MORTISE_PROVISIONAL
#define MT_PLUGIN_VERSION "0.1"
#include "files.h"
#include "js.h"
#include "script-parse.h"
#include "utf8.h"
#include <inttypes.h>
#include <mortise/dialect.h>
#include <string.h>
#include <sys/stat.h>

enum {
	SHOWN = 120, /* bytes of a text that a failed expectation shows */
	PIECE = 64,  /* bytes of a text per piece */
};

/* The last file; it is read again after a change. */
static struct {
	char *path;
	struct stat stat;
	struct script script;
} kept;

static bool script_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_dev == b->st_dev &&
	       a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static void script_forget(void)
{
	free(kept.path);
	kept.path = NULL;
	script_clear(&kept.script);
}

static int script_load(const char *path, struct error *err)
{
	AUTO(free) char *text = NULL;
	struct stat st = { 0 };
	size_t len;
	int status;

	if (stat(path, &st) == 0 && kept.path && strcmp(kept.path, path) == 0 &&
	    script_same_file(&st, &kept.stat))
		return MT_OK;
	script_forget();
	status = file_read(path, SCRIPT_MAX_FILE, &text, &len, err);
	if (!status)
		status = script_parse(path, text, len, &kept.script, err);
	if (status)
		return status;
	kept.path = strdup(path);
	kept.stat = st;
	if (!kept.path) {
		script_forget();
		return out_of_memory(err);
	}
	return MT_OK;
}

/* The turn that responds; `ret_path` is for messages. */
static int find_turn(const struct mt_dialect_host *host, struct mt_exchange *x,
		     const struct script_turn **ret, const char **ret_path,
		     struct error *err)
{
	const char *name = host->option(x, "model");
	AUTO(free) char *path = NULL;
	int64_t n = host->reply_index(x);
	int status;

	if (!name || !*name)
		name = host->option(x, "script");
	if (!name || !*name)
		return fail(
			err, MT_EINVAL,
			"the scripted model requires a file; set model = script:FILE, "
			"or `script`");
	path = path_expand(name);
	if (!path)
		return out_of_memory(err);
	status = script_load(path, err);
	if (status)
		return status;
	if (n < 0 || (size_t)n >= kept.script.count)
		return fail(err, MT_EINVAL,
			    "%s: the script has %zu turn%s, but turn %" PRId64
			    " was requested; add a [turn], or finish the task in the "
			    "last one",
			    kept.path, kept.script.count,
			    kept.script.count == 1 ? "" : "s", n + 1);
	*ret = &kept.script.turns[n];
	*ret_path = kept.path;
	return MT_OK;
}

/* ---- expectations ---------------------------------------------------------- */

static const char *role_name(int role)
{
	switch (role) {
	case MT_ROLE_SYSTEM:
		return "system";
	case MT_ROLE_USER:
		return "user";
	case MT_ROLE_ASSISTANT:
		return "assistant";
	case MT_ROLE_TOOL:
		return "tool";
	default:
		return "unknown";
	}
}

static void message_text(const struct mt_dialect_host *host, const struct mt_request *r,
			 size_t m, struct strbuf *out)
{
	for (size_t p = 0; p < host->part_count(r, m); p++) {
		struct mt_str text = { 0 };
		const char *mime = host->part(r, m, p, &text, NULL);

		if (mime)
			strbuf_addf(out, "[%s]", mime);
		else
			strbuf_addn(out, text.ptr, text.len);
	}
}

static bool script_passes(const struct script_expect *e, const char *text, size_t len)
{
	switch (e->test) {
	case SCRIPT_CONTAINS:
		return e->value.len == 0 ||
		       memmem(text, len, e->value.bytes, e->value.len);
	case SCRIPT_LACKS:
		return e->value.len == 0 ||
		       !memmem(text, len, e->value.bytes, e->value.len);
	case SCRIPT_IS:
		return len == e->value.len && memcmp(text, e->value.bytes, len) == 0;
	}
	return false;
}

/* Append "text", truncated and on one line. */
static void script_show(struct strbuf *out, const char *text, size_t len)
{
	size_t cut = utf8_cut(text, len, SHOWN);

	strbuf_addc(out, '"');
	js_put_escaped(out, text, cut);
	strbuf_add(out, cut < len ? "...\"" : "\"");
}

static int differs(const char *path, const struct script_expect *e, const char *what,
		   const char *got, size_t len, struct error *err)
{
	static const char *const tests[] = { "contain", "lack", "be" };
	AUTO(strbuf) struct strbuf text = STRBUF(4096);

	strbuf_addf(&text, "%s:%u: expected %s to %s ", path, e->line, what,
		    tests[e->test]);
	script_show(&text, e->value.bytes, e->value.len);
	strbuf_add(&text, ", got ");
	script_show(&text, got, len);
	return fail(err, MT_EINVAL, "%s", text.text);
}

static int script_check_text(const char *path, const struct script_expect *e,
			     const char *what, const char *text, size_t len,
			     struct error *err)
{
	return script_passes(e, text, len) ? MT_OK
					   : differs(path, e, what, text, len, err);
}

/* The last message of a role (0: of any). */
static int check_message(const struct mt_dialect_host *host, const struct mt_request *r,
			 const char *path, const struct script_expect *e, int role,
			 const char *what, struct error *err)
{
	AUTO(strbuf) struct strbuf text = STRBUF(SCRIPT_MAX_FILE);

	for (size_t m = host->message_count(r); m-- > 0;) {
		if (role && host->message_role(r, m) != role)
			continue;
		message_text(host, r, m, &text);
		return script_check_text(path, e, what, text.text, text.len, err);
	}
	return fail(err, MT_EINVAL, "%s:%u: expected %s, but there is none", path,
		    e->line, what);
}

/* Check the messages of a role (0: of any): one must match, or none may contain the
 * text. */
static int check_any(const struct mt_dialect_host *host, const struct mt_request *r,
		     const char *path, const struct script_expect *e, int role,
		     struct error *err)
{
	AUTO(strbuf) struct strbuf text = STRBUF(SCRIPT_MAX_FILE);
	bool all = e->test == SCRIPT_LACKS;

	for (size_t m = 0; m < host->message_count(r); m++) {
		if (role && host->message_role(r, m) != role)
			continue;
		strbuf_reset(&text);
		message_text(host, r, m, &text);
		if (script_passes(e, text.text, text.len) == all)
			continue;
		return all ? differs(path, e,
				     role ? "every user message" : "every message",
				     text.text, text.len, err)
			   : MT_OK;
	}
	if (all)
		return MT_OK;
	return differs(path, e, role ? "a user message" : "any message", text.text,
		       text.len, err);
}

static int check_tool(const struct mt_dialect_host *host, const struct mt_request *r,
		      const char *path, const struct script_expect *e, struct error *err)
{
	AUTO(strbuf) struct strbuf names = STRBUF(65536);
	bool offered = false;

	for (size_t t = 0; t < host->tool_count(r); t++) {
		struct mt_str name = { 0 };

		host->tool(r, t, &name, NULL, NULL);
		offered |= name.len == e->value.len &&
			   memcmp(name.ptr, e->value.bytes, name.len) == 0;
		if (t)
			strbuf_add(&names, ", ");
		strbuf_addn(&names, name.ptr, name.len);
	}
	if (offered == (e->subject == SCRIPT_TOOL))
		return MT_OK;
	return fail(err, MT_EINVAL, "%s:%u: expected %s tool %s, got %.300s", path,
		    e->line, offered ? "no" : "the", e->value.bytes,
		    names.len ? names.text : "no tools");
}

/* Each tool as "name: description" and its parameters. */
static int script_check_tools(const struct mt_dialect_host *host,
			      const struct mt_request *r, const char *path,
			      const struct script_expect *e, struct error *err)
{
	AUTO(strbuf) struct strbuf all = STRBUF(SCRIPT_MAX_FILE);

	for (size_t t = 0; t < host->tool_count(r); t++) {
		struct mt_str name = { 0 }, about = { 0 }, schema = { 0 };

		host->tool(r, t, &name, &about, &schema);
		strbuf_addf(&all, "%.*s: %.*s\n%.*s\n", (int)name.len, name.ptr,
			    (int)about.len, about.ptr, (int)schema.len, schema.ptr);
	}
	return script_check_text(path, e, "the tools", all.len ? all.text : "", all.len,
				 err);
}

static int script_check(const struct mt_dialect_host *host, const struct mt_request *r,
			const char *path, const struct script_expect *e,
			struct error *err)
{
	size_t count = host->message_count(r);
	const char *role = count ? role_name(host->message_role(r, count - 1)) : "none";
	char number[32];

	switch (e->subject) {
	case SCRIPT_LAST:
		return check_message(host, r, path, e, 0, "the last message", err);
	case SCRIPT_USER:
		return check_any(host, r, path, e, MT_ROLE_USER, err);
	case SCRIPT_SYSTEM:
		return check_message(host, r, path, e, MT_ROLE_SYSTEM,
				     "the system message", err);
	case SCRIPT_ANY:
		return check_any(host, r, path, e, 0, err);
	case SCRIPT_ROLE:
		return script_check_text(path, e, "the role of the last message", role,
					 strlen(role), err);
	case SCRIPT_MESSAGES:
		snprintf(number, sizeof number, "%zu", count);
		return script_check_text(path, e, "the number of messages", number,
					 strlen(number), err);
	case SCRIPT_TOOL:
	case SCRIPT_NO_TOOL:
		return check_tool(host, r, path, e, err);
	case SCRIPT_TOOLS:
		return script_check_tools(host, r, path, e, err);
	}
	return MT_OK;
}

/* ---- the dialect ------------------------------------------------------------ */

static int script_encode(const struct mt_dialect_host *host, struct mt_exchange *x,
			 const struct mt_request *request)
{
	const struct script_turn *turn;
	struct error err = ERROR_NONE;
	const char *path;
	int status = find_turn(host, x, &turn, &path, &err);

	for (size_t i = 0; !status && i < turn->expect_count; i++)
		status = script_check(host, request, path, &turn->expects[i], &err);
	if (status) {
		host->error(x, MT_ERROR_BAD_REQUEST, -1, "%s", err.text);
		return status;
	}
	return host->local(x, turn->delay_ms);
}

static int script_put_string(struct mt_exchange *x, const struct script_text *t,
			     int (*put)(struct mt_exchange *x, const char *text,
					size_t len))
{
	int status = MT_OK;

	for (size_t at = 0, n; at < t->len && !status; at += n) {
		n = utf8_cut(t->bytes + at, t->len - at, PIECE);
		if (!n)
			n = t->len - at < PIECE ? t->len - at : PIECE;
		status = put(x, t->bytes + at, n);
	}
	return status;
}

static int put_turn(const struct mt_dialect_host *host, struct mt_exchange *x,
		    const struct script_turn *t)
{
	struct mt_usage usage = {
		.size = sizeof usage, .input = t->input, .output = t->output,
		.cache_read = t->cache_read, .cache_write = t->cache_write,
		.reasoning = t->reasoning_tokens, .cost = t->cost,
	};
	int status = script_put_string(x, &t->reasoning, host->reasoning);

	if (!status)
		status = script_put_string(x, &t->text, host->text);
	for (size_t i = 0; i < t->call_count && !status; i++) {
		const struct script_call *c = &t->calls[i];

		status = host->tool_call(x, i, c->id.bytes, c->name.bytes, c->args.text,
					 c->args.len);
	}
	if (!status && t->opaque.bytes)
		status = host->opaque(x, t->opaque.bytes, t->opaque.len);
	if (!status && t->id.bytes)
		status = host->response_id(x, t->id.bytes);
	if (!status)
		status = host->usage(x, &usage);
	if (status)
		return status;
	if (t->stop.bytes)
		return host->stopped(x, t->stop.bytes);
	return host->stopped(x, t->call_count ? "tool_calls" : "stop");
}

static int script_feed(const struct mt_dialect_host *host, struct mt_exchange *x,
		       int status, const char *type, const char *bytes, size_t len)
{
	const struct script_turn *t;
	struct error err = ERROR_NONE;
	const char *path;

	(void)status, (void)type, (void)bytes, (void)len;
	if (find_turn(host, x, &t, &path, &err))
		return host->error(x, MT_ERROR_BAD_REQUEST, -1, "%s", err.text);
	if (t->error_kind && (!t->error_times || host->attempt(x) <= t->error_times))
		return host->error(x, t->error_kind, t->error_wait_ms, "%s",
				   t->error_text.len ? t->error_text.bytes
						     : "the script set this error");
	return put_turn(host, x, t);
}

static int script_end(const struct mt_dialect_host *host, struct mt_exchange *x,
		      int status)
{
	(void)host, (void)x, (void)status;
	return MT_OK;
}

static const struct mt_dialect dialect = {
	.size = sizeof dialect,
	.providers = "{\"script\":{\"local\":true,\"file\":true}}",
	.encode = script_encode,
	.feed = script_feed,
	.end = script_end,
};

MT_DIALECT(&dialect, "dialect-script", .name = "script",
	   .summary = "Plays the turns of a scripted model from a file.")
