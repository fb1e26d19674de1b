/* SPDX-License-Identifier: MIT
 *
 * evlog-blobs.c - long strings stored next to the log under their SHA-256.
 *
 * In a line, {"$blob": HEX, "bytes": N} replaces the text. With "data": TYPE, it replaces
 * data:TYPE;base64, and the encoded bytes of the blob. An object that itself has a member
 * "$blob" is written as {"$blob": null, "object": ...}. */
#include "events/evlog-internal.h"

#include "base64.h"
#include "digest.h"
#include "files.h"
#include "utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

static char *blob_path(const struct evlog *log, const char *name)
{
	AUTO(strbuf) struct strbuf path = STRBUF(1 << 16);

	strbuf_addf(&path, "%s/blobs/%s", log->dir, name);
	return strbuf_take(&path);
}

static int blobs_make_dir(struct evlog *log, struct error *err)
{
	AUTO(free) char *dir = blob_path(log, "");

	if (log->blobs_made)
		return MT_OK;
	if (!dir)
		return out_of_memory(err);
	if (dir_make(dir, err))
		return MT_EIO;
	if (log->options.sync != SYNC_NONE && fsync(log->dir_fd) != 0)
		return evlog_lose(log, "", errno, err);
	log->blobs_made = true;
	return MT_OK;
}

int evlog_blob(struct evlog *log, const void *bytes, size_t len, char ret_name[65],
	       struct error *err)
{
	AUTO(free) char *path = NULL;
	bool unsynced = false;
	struct stat st;
	int status;

	if (log->mode == EVLOG_READ)
		return fail(err, MT_EDENIED, "the event log is read-only");
	if (digest_sha256_hex(bytes, len, ret_name))
		return fail(err, MT_EIO, "cannot hash a blob");
	path = blob_path(log, ret_name);
	if (!path)
		return out_of_memory(err);
	if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size == len)
		return MT_OK;
	if (blobs_make_dir(log, err))
		return MT_EIO;
	if (log->options.sync == SYNC_NONE)
		return file_write(path, bytes, len, 0600, false, err);
	status = file_write_durable(path, bytes, len, 0600, &unsynced, err);
	return unsynced ? evlog_lose(log, "blobs", EIO, err) : status;
}

/* ---- writing ------------------------------------------------------------------ */

/* Decode a URL that is exactly data:TYPE;base64,TEXT: base64 takes more space than the
 * image, and equal images share one blob.
 * @return MT_EINVAL if it has another form. */
static int data_bytes(const char *text, size_t len, struct strbuf *bytes, char type[65])
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789/.+-";
	int head = 0;

	if (len < 6 || memcmp(text, "data:", 5) != 0)
		return MT_EINVAL;
	head = 5 + (int)strspn(text + 5, letters);
	if (head - 5 > 64 || strncmp(text + head, ";base64,", 8) != 0)
		return MT_EINVAL;
	snprintf(type, 65, "%.*s", head - 5, text + 5);
	return base64_read(bytes, text + head + 8, len - (size_t)head - 8);
}

static int text_out(void *arg, struct strbuf *out, const char *text, size_t len,
		    bool *ret_done)
{
	AUTO(strbuf) struct strbuf bytes = STRBUF(LOG_LINE_MAX);
	struct evlog *log = arg;
	char name[65], type[65];
	int status;

	if (len <= LOG_BLOB_MIN)
		return MT_OK;
	log->blob_bytes += len;
	status = data_bytes(text, len, &bytes, type);
	if (status == MT_OK) {
		status = evlog_blob(log, bytes.text, bytes.len, name, NULL);
		*ret_done = status == MT_OK;
		return status ? status
			      : strbuf_addf(out,
					    "{\"$blob\":\"%s\",\"bytes\":%zu,"
					    "\"data\":\"%s\"}",
					    name, bytes.len, type);
	}
	if (status != MT_EINVAL)
		return status;
	if (!utf8_valid(text, len))
		return MT_OK; /* js_put_str makes the text valid */
	status = evlog_blob(log, text, len, name, NULL);
	if (status)
		return status;
	*ret_done = true;
	return strbuf_addf(out, "{\"$blob\":\"%s\",\"bytes\":%zu}", name, len);
}

static int object_out(void *arg, struct strbuf *out, json_object *value, bool *ret_done)
{
	struct write_hook hook = blob_hook(arg);
	bool first = true;

	if (!json_object_object_get_ex(value, "$blob", NULL))
		return MT_OK;
	*ret_done = true;
	strbuf_add(out, "{\"$blob\":null,\"object\":{");
	json_object_object_foreach(value, name, member) {
		if (!first)
			strbuf_addc(out, ',');
		first = false;
		js_put_str(out, name, strlen(name));
		strbuf_addc(out, ':');
		json_write(out, member, &hook);
	}
	return strbuf_add(out, "}}");
}

struct write_hook blob_hook(struct evlog *log)
{
	return (struct write_hook){ .text = text_out, .object = object_out, .arg = log };
}

/* ---- reading ------------------------------------------------------------------- */

static bool blobs_is_name(const char *name)
{
	return strlen(name) == 64 && strspn(name, "0123456789abcdef") == 64;
}

/* Read a blob from its file. MT_EINVAL: the file was changed. */
static int blobs_load_file(struct evlog *log, const char *name, size_t max, char **ret,
			   size_t *ret_len, struct error *err)
{
	AUTO(free) char *path = blob_path(log, name), *bytes = NULL;
	char found[65] = "";
	size_t len = 0;
	int status = path ? file_read(path, max, &bytes, &len, err) : out_of_memory(err);

	if (status)
		return status;
	if (digest_sha256_hex(bytes, len, found) || strcmp(found, name) != 0)
		return fail(err, MT_EINVAL, "blobs/%s is corrupt", name);
	*ret = STEAL(bytes);
	*ret_len = len;
	return MT_OK;
}

static int blobs_load(struct evlog *log, const char *name, size_t max, char **ret,
		      size_t *ret_len, struct error *err)
{
	if (log->blobs)
		return log->blobs(log->blobs_arg, name, max, ret, ret_len, err);
	return blobs_load_file(log, name, max, ret, ret_len, err);
}

int evlog_blob_read(struct evlog *log, const char *name, size_t max, char **ret,
		    size_t *ret_len, char **ret_path, struct error *err)
{
	AUTO(free) char *path = blobs_is_name(name) ? blob_path(log, name) : NULL,
			*bytes = NULL;
	size_t len = 0;
	int status;

	if (!path)
		return blobs_is_name(name) ? out_of_memory(err)
					   : fail(err, MT_ENOTFOUND, "no such blob");
	status = blobs_load(log, name, max, &bytes, &len, err);
	if (status)
		return status == MT_EINVAL ? MT_EIO : status;
	if (ret_path)
		*ret_path = STEAL(path);
	*ret = STEAL(bytes);
	*ret_len = len;
	return MT_OK;
}

static json_object *data_url(const char *type, const char *bytes, size_t len)
{
	AUTO(strbuf) struct strbuf url = STRBUF(INT32_MAX);

	strbuf_addf(&url, "data:%s;base64,", type);
	base64_put(&url, bytes, len);
	return url.error ? NULL : json_object_new_string_len(url.text, (int)url.len);
}

/* The text of a blob, or a note that it is missing: a conversation whose blob was deleted
 * can still be read. */
static json_object *read_blob(struct evlog *log, const char *name, int64_t bytes,
			      const char *type)
{
	AUTO(free) char *text = NULL;
	AUTO(strbuf) struct strbuf lost = STRBUF(1024);
	size_t len = 0;
	int status = blobs_load(log, name, LOG_LINE_MAX, &text, &len, NULL);

	if (status == MT_OK)
		return type ? data_url(type, text, len)
			    : json_object_new_string_len(text, (int)len);
	strbuf_addf(&lost, "[%" PRId64 " bytes are missing: blobs/%s %s]", bytes, name,
		    status == MT_EINVAL ? "is corrupt" : "cannot be read");
	return json_object_new_string_len(lost.text, (int)lost.len);
}

static int resolve_members(struct evlog *log, json_object *value, struct error *err)
{
	if (json_object_is_type(value, json_type_object)) {
		json_object_object_foreach(value, name, member) {
			json_object *now = member;

			if (blob_resolve(log, &now, err))
				return MT_ENOMEM;
			if (now != member && js_set(value, name, now))
				return out_of_memory(err);
		}
	} else if (json_object_is_type(value, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(value); i++) {
			json_object *member = json_object_array_get_idx(value, i),
				    *now = member;

			if (blob_resolve(log, &now, err))
				return MT_ENOMEM;
			if (now != member &&
			    json_object_array_put_idx(value, i, now) != 0)
				return out_of_memory(err);
		}
	}
	return MT_OK;
}

/* If `*value` is a reference to a blob, replace it with a new reference to the text. The
 * caller stores the new value. */
int blob_resolve(struct evlog *log, json_object **value, struct error *err)
{
	json_object *mark = NULL, *inner;
	const char *name;

	if (!json_object_is_type(*value, json_type_object) ||
	    !json_object_object_get_ex(*value, "$blob", &mark))
		return resolve_members(log, *value, err);
	inner = js_get(*value, "object");
	if (!mark && inner) {
		if (resolve_members(log, inner, err))
			return MT_ENOMEM;
		*value = json_object_get(inner);
		return MT_OK;
	}
	name = js_str(*value, "$blob", "");
	if (!blobs_is_name(name))
		return MT_OK;
	*value = read_blob(log, name, js_int(*value, "bytes", 0),
			   js_str(*value, "data", NULL));
	if (!*value)
		return out_of_memory(err);
	log->blob_bytes += (size_t)json_object_get_string_len(*value);
	return MT_OK;
}
