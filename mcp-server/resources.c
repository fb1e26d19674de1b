/* SPDX-License-Identifier: MIT
 *
 * resources.c - offers the files of the workspace as resources. */
#include "resources.h"

#include "array.h"
#include "files.h"
#include "hex.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

enum {
	PATHS_MAX = 20000, /* files that are listed */
	PATHS_DEPTH_MAX = 32,
	ENTRIES_MAX = 200000, /* directory entries examined for one list */
	PAGE = 500,
	RESOURCE_MAX = 16 << 20,
};

/* ---- URIs ------------------------------------------------------------------------- */

static void mcp_resources_put_encoded(struct strbuf *b, const char *path)
{
	for (; *path; path++)
		if (isalnum((unsigned char)*path) || strchr("/-._~", *path))
			strbuf_addc(b, *path);
		else
			strbuf_addf(b, "%%%02X", (unsigned char)*path);
}

/* Length of the workspace path without a final slash, which only / has. */
static size_t root_length(const char *workspace)
{
	return workspace[1] ? strlen(workspace) : 0;
}

int mcp_resources_prefix(const char *workspace, struct strbuf *out)
{
	strbuf_add(out, "file://");
	mcp_resources_put_encoded(out, root_length(workspace) ? workspace : "");
	strbuf_addc(out, '/');
	return out->error;
}

/* @return false: it is not percent-encoded text. */
static bool mcp_resources_put_decoded(struct strbuf *b, const char *text)
{
	while (*text) {
		int high = *text == '%' ? hex_digit(text[1]) : 0;
		int low = *text == '%' && high >= 0 ? hex_digit(text[2]) : 0;

		if (*text != '%') {
			strbuf_addc(b, *text++);
			continue;
		}
		if (high < 0 || low < 0 || high + low == 0)
			return false;
		strbuf_addc(b, (char)(high * 16 + low));
		text += 3;
	}
	return !b->error;
}

/* Hidden files and directories may hold secrets (.env, .git): they are neither listed nor
 * read. */
static bool is_hidden(const char *path)
{
	return strstr(path, "/.");
}

char *mcp_resource_path(const struct mcp_server *s, const char *uri)
{
	size_t n = strlen(s->uri), root = root_length(s->workspace);
	AUTO(strbuf) struct strbuf rest = STRBUF(PATH_MAX);
	AUTO(free) char *joined = NULL, *real = NULL;

	if (strncmp(uri, s->uri, n) != 0 || !mcp_resources_put_decoded(&rest, uri + n) ||
	    !rest.len || *rest.text == '/')
		return NULL;
	joined = path_join(s->workspace, rest.text);
	real = joined ? realpath(joined, NULL) : NULL;
	if (!real || strncmp(real, s->workspace, root) != 0 || real[root] != '/' ||
	    is_hidden(real + root))
		return NULL;
	return STEAL(real);
}

/* ---- the list --------------------------------------------------------------------- */

void mcp_paths_clear(struct mcp_paths *p)
{
	for (size_t i = 0; i < p->count; i++)
		free(p->list[i]);
	free(p->list);
	*p = (struct mcp_paths){ 0 };
}

static int mcp_resources_add_path(struct mcp_paths *p, char **path)
{
	int r = ARRAY_GROW(p->list, &p->room, p->count + 1, PATHS_MAX);

	if (!r) {
		p->list[p->count++] = *path;
		*path = NULL;
	}
	return r;
}

static int mcp_resources_walk(struct mcp_paths *p, const char *root, const char *below,
			      unsigned depth);

/* DT_REG, DT_DIR, or another type that is not listed. */
static int entry_type(const char *root, const char *path, const struct dirent *d)
{
	AUTO(free) char *whole = d->d_type == DT_UNKNOWN ? path_join(root, path) : NULL;
	struct stat st;

	if (d->d_type != DT_UNKNOWN)
		return d->d_type;
	return whole && lstat(whole, &st) == 0 ? IFTODT(st.st_mode) : DT_UNKNOWN;
}

static int mcp_resources_add_entry(struct mcp_paths *p, const char *root,
				   const char *below, const struct dirent *d,
				   unsigned depth)
{
	AUTO(free) char *path = *below ? path_join(below, d->d_name) : strdup(d->d_name);
	int type = path ? entry_type(root, path, d) : DT_UNKNOWN;

	if (!path)
		return MT_ENOMEM;
	if (type == DT_REG)
		return mcp_resources_add_path(p, &path);
	return type == DT_DIR && depth < PATHS_DEPTH_MAX
		       ? mcp_resources_walk(p, root, path, depth + 1)
		       : MT_OK;
}

static int mcp_resources_walk(struct mcp_paths *p, const char *root, const char *below,
			      unsigned depth)
{
	AUTO(free) char *path = path_join(root, below);
	DIR *dir = path ? opendir(path) : NULL;
	int r = path ? MT_OK : MT_ENOMEM;
	const struct dirent *d;

	while (!r && dir && (d = readdir(dir)))
		if (p->entries++ >= ENTRIES_MAX)
			r = MT_ELIMIT;
		else if (d->d_name[0] != '.')
			r = mcp_resources_add_entry(p, root, below, d, depth);
	if (dir)
		closedir(dir);
	return r;
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int mcp_paths_list(const struct mcp_server *s, struct mcp_paths *ret)
{
	int r = mcp_resources_walk(ret, s->workspace, "", 0);

	if (ret->count)
		qsort(ret->list, ret->count, sizeof *ret->list, compare_paths);
	return r == MT_ELIMIT ? MT_OK : r;
}

static void put_listed(struct strbuf *b, const struct mcp_server *s, const char *path)
{
	AUTO(strbuf) struct strbuf uri = STRBUF(4 * PATH_MAX);

	strbuf_add(&uri, s->uri);
	mcp_resources_put_encoded(&uri, path);
	strbuf_addc(b, '{');
	js_key_str(b, "uri", uri.text);
	js_key_str(b, "name", path);
	strbuf_addc(b, '}');
}

void mcp_resources_list(const struct mcp_request *q)
{
	AUTO(strbuf) struct strbuf b = STRBUF(ANSWER_MAX);
	AUTO(mcp_paths) struct mcp_paths paths = { 0 };
	json_object *given = js_get(q->params, "cursor");
	AUTO(strbuf) struct strbuf cursor = STRBUF(PATH_MAX), next = STRBUF(4 * PATH_MAX);
	size_t i = 0, end;

	if (given &&
	    (!json_object_is_type(given, json_type_string) ||
	     !mcp_resources_put_decoded(&cursor, json_object_get_string(given)))) {
		mcp_refuse_params(q, "invalid cursor");
		return;
	}
	if (mcp_paths_list(q->server, &paths)) {
		mcp_send_error(q->peer, q->id, RPC_INTERNAL, status_name(MT_ENOMEM),
			       NULL);
		return;
	}
	/* The cursor is the last path of the previous page. The file may have been
	 * removed. */
	while (i < paths.count && cursor.len && strcmp(paths.list[i], cursor.text) <= 0)
		i++;
	end = paths.count - i > PAGE ? i + PAGE : paths.count;
	mcp_begin_reply(&b, q->id, "result");
	js_key(&b, "resources");
	strbuf_addc(&b, '[');
	for (size_t at = i; at < end; at++) {
		strbuf_add(&b, at > i ? "," : "");
		put_listed(&b, q->server, paths.list[at]);
	}
	strbuf_addc(&b, ']');
	if (end < paths.count) {
		mcp_resources_put_encoded(
			&next, paths.list[end - 1]); /* it may not be valid UTF-8 */
		js_key_str(&b, "nextCursor", next.text);
	}
	mcp_send_result(q, &b, true);
}

void mcp_resource_template(const struct mcp_server *s, struct strbuf *out)
{
	strbuf_addf(out, "%s{+path}", s->uri);
}

void mcp_resources_templates(const struct mcp_request *q)
{
	AUTO(strbuf) struct strbuf b = STRBUF(1 << 20), uri = STRBUF(4 * PATH_MAX);

	mcp_resource_template(q->server, &uri);
	mcp_begin_reply(&b, q->id, "result");
	js_key(&b, "resourceTemplates");
	strbuf_add(&b, "[{");
	js_key_str(&b, "uriTemplate", uri.text);
	js_key_str(&b, "name", "file");
	js_key_str(&b, "description", "A file of the workspace, by its relative path.");
	strbuf_add(&b, "}]");
	mcp_send_result(q, &b, true);
}

/* ---- one resource ----------------------------------------------------------------- */

void mcp_resource_unknown(const struct mcp_request *q, const char *uri)
{
	AUTO(strbuf) struct strbuf data = STRBUF(1 << 20);

	strbuf_addc(&data, '{');
	js_key_str(&data, "uri", uri);
	strbuf_addc(&data, '}');
	mcp_send_error(q->peer, q->id, q->modern ? RPC_PARAMS : RPC_RESOURCE,
		       "Resource not found", data.error ? NULL : data.text);
}

void mcp_resources_read(const struct mcp_request *q)
{
	AUTO(strbuf) struct strbuf b = STRBUF(ANSWER_MAX);
	const char *uri = js_str(q->params, "uri", "");
	AUTO(free) char *path = mcp_resource_path(q->server, uri);
	AUTO(free) char *bytes = NULL;
	struct error err = ERROR_NONE;
	size_t len;
	int r = path ? file_read(path, RESOURCE_MAX, &bytes, &len, &err) : MT_ENOTFOUND;

	if (r == MT_ENOTFOUND) {
		mcp_resource_unknown(q, uri);
		return;
	}
	if (r) {
		mcp_send_error(q->peer, q->id, RPC_INTERNAL, err.text, NULL);
		return;
	}
	mcp_begin_reply(&b, q->id, "result");
	js_key(&b, "contents");
	strbuf_addc(&b, '[');
	mcp_put_resource(&b, uri, bytes, len);
	strbuf_addc(&b, ']');
	mcp_send_result(q, &b, true);
}
