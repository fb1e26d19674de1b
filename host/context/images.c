/* SPDX-License-Identifier: MIT
 *
 * images.c - converts images and PDF files of events into parts of messages. */
#include "context/images.h"

#include "array.h"
#include "base64.h"
#include "files.h"
#include "hex.h"
#include "image.h"
#include "utf8.h"

#include <ctype.h>
#include <string.h>

enum { URL_MAX = 2048, PARTS_EACH = 2, NAME_MAX_BYTES = 300, FILE_MAX = 64 << 20 };

#define PDF_BASE64 "JVBER" /* "%PDF" */
#define NAME_KEY ";name="

/* ---- data: URLs --------------------------------------------------------------- */

static bool has_prefix(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* The bytes of data:TYPE;base64,TEXT, regardless of the declared type. */
static int decode_data_url(const char *url, size_t len, struct strbuf *bytes,
			   struct error *err)
{
	const char *comma = memchr(url, ',', len);
	static const char mark[] = ";base64";
	size_t head = comma ? (size_t)(comma - url) : 0, want = sizeof mark - 1;

	if (head < want || memcmp(comma - want, mark, want) != 0)
		return fail(err, MT_EINVAL, "is not a data:TYPE;base64, URL");
	if (len > (size_t)IMAGE_MAX_BYTES / 3 * 4 + 256)
		return fail(err, MT_ELIMIT,
			    "is larger than %d bytes: scale it down, or save it as JPEG",
			    IMAGE_MAX_BYTES);
	switch (base64_read(bytes, comma + 1, len - head - 1)) {
	case MT_OK:
		return MT_OK;
	case MT_EINVAL:
		return fail(err, MT_EINVAL, "contains invalid base64");
	}
	return out_of_memory(err);
}

static bool is_pdf(const char *bytes, size_t len)
{
	return len >= 5 && memcmp(bytes, "%PDF-", 5) == 0;
}

/* Detect the type of an image or PDF file from its bytes. */
static int medium_look(const char *bytes, size_t len, const char **ret_mime,
		       struct error *err)
{
	struct image image = { 0 };
	struct error why = ERROR_NONE;
	int status;

	if (is_pdf(bytes, len)) {
		*ret_mime = MEDIA_PDF;
		return len <= IMAGE_MAX_BYTES
			       ? MT_OK
			       : fail(err, MT_ELIMIT,
				      "is larger than %d bytes: extract its text with "
				      "pdftotext",
				      IMAGE_MAX_BYTES);
	}
	status = image_look(bytes, len, &image, &why);
	*ret_mime = image.mime;
	if (status == MT_EUNSUPPORTED)
		return fail(
			err, status,
			"is not a PNG, JPEG, GIF, WebP or PDF file: convert it to one of "
			"them");
	return status ? fail(err, status, "%s", why.text) : MT_OK;
}

static int look_at_data(const char *url, size_t len, struct strbuf *bytes,
			const char **ret_mime, struct error *err)
{
	int status = decode_data_url(url, len, bytes, err);

	return status ? status : medium_look(bytes->text, bytes->len, ret_mime, err);
}

/* Extract the path from a URL created by images_add_file:
 * data:TYPE;name=PATH;base64,. */
static void images_put_name(struct strbuf *out, const char *url, size_t len)
{
	const char *comma = memchr(url, ',', len);
	const char *name = memmem(url, comma ? (size_t)(comma - url) : 0, NAME_KEY,
				  strlen(NAME_KEY));
	size_t n;

	if (!name)
		return;
	name += strlen(NAME_KEY);
	n = strcspn(name, ";,");
	for (size_t i = 0; i < n && out->len < NAME_MAX_BYTES; i++) {
		int high = i + 2 < n && name[i] == '%' ? hex_digit(name[i + 1]) : -1;
		int low = high >= 0 ? hex_digit(name[i + 2]) : -1;
		char c = low >= 0 ? (char)(high << 4 | low) : name[i];

		i += low >= 0 ? 2 : 0;
		strbuf_addc(out, (unsigned char)c < ' ' || c == 0x7f ? '?' : c);
	}
}

/* ---- parts ---------------------------------------------------------------------- */

static const char *images_own_text(struct images *images, char *text)
{
	if (!text || ARRAY_ADD(images->owned, images->owned_count, ARRAY_MAX)) {
		free(text);
		return NULL;
	}
	images->owned[images->owned_count++] = text;
	return text;
}

static int images_add_text(struct images *images, char *text)
{
	const char *kept = images_own_text(images, text);

	if (!kept)
		return MT_ENOMEM;
	images->parts[images->count++] = (struct llm_part){ .text = kept,
							    .len = strlen(kept) };
	return MT_OK;
}

/* The text for the model in place of the n-th image, if it cannot be shown. */
static int add_why(struct images *images, size_t n, const char *why)
{
	char *text = NULL;

	if (asprintf(&text, "[Image %zu cannot be shown: it %s]", n + 1, why) < 0)
		return MT_ENOMEM;
	return images_add_text(images, text);
}

/* "Image 2 (docs/a.png):", so that the model can name the file to tools. `name` is NULL
 * if the path is unknown. The note of the tool is omitted where the image is. */
static int images_add_name(struct images *images, size_t n, const char *mime,
			   const char *name)
{
	const char *note = images->note ? images->note : "";
	const char *kind = strcmp(mime, MEDIA_PDF) == 0 ? "PDF" : "Image";
	bool named = name && *name && utf8_valid(name, strlen(name));
	char *text = NULL;

	if (asprintf(&text, "%s %zu%s%s%s:%s%s", kind, n + 1, named ? " (" : "",
		     named ? name : "", named ? ")" : "", *note ? "\n" : "", note) < 0)
		return MT_ENOMEM;
	int status = images_add_text(images, text);

	if (status == MT_OK && *note)
		images->parts[images->count - 1].alone = strlen(text) - strlen(note) - 1;
	return status;
}

/* Add an image or PDF blob. Takes ownership of `path`. */
static int images_add_blob(struct images *images, size_t n, char *path, const char *mime,
			   size_t len, const char *name)
{
	const char *kept = images_own_text(images, path);

	if (!kept || images_add_name(images, n, mime, name))
		return MT_ENOMEM;
	images->parts[images->count++] = (struct llm_part){ .mime = mime, .file = kept,
							    .len = len };
	return MT_OK;
}

/* `name`: the path of the file that the user or the tool read; NULL: unknown. */
static int add_blob(struct images *images, size_t n, struct evlog *log, const char *blob,
		    const char *name)
{
	struct error err = ERROR_NONE;
	AUTO(free) char *bytes = NULL, *path = NULL;
	const char *mime = "";
	size_t len = 0;

	switch (evlog_blob_read(log, blob, IMAGE_MAX_BYTES, &bytes, &len, &path, &err)) {
	case MT_OK:
		break;
	case MT_ENOMEM:
		return MT_ENOMEM;
	case MT_ELIMIT:
		return add_why(images, n, "is too large");
	default:
		return add_why(images, n, "is missing or damaged on disk");
	}
	if (medium_look(bytes, len, &mime, &err))
		return add_why(images, n, err.text);
	return images_add_blob(images, n, STEAL(path), mime, len, name);
}

/* Store the bytes of a data: URL as a blob. */
static int images_add_data_url(struct images *images, size_t n, struct evlog *log,
			       const char *url, size_t len)
{
	AUTO(strbuf) struct strbuf bytes = STRBUF(IMAGE_MAX_BYTES + 256);
	AUTO(strbuf) struct strbuf name = STRBUF(NAME_MAX_BYTES + 1);
	struct error err = ERROR_NONE;
	const char *mime;
	char blob[65];
	int status = look_at_data(url, len, &bytes, &mime, &err);

	if (status == MT_ENOMEM)
		return status;
	if (status)
		return add_why(images, n, err.text);
	status = evlog_blob(log, bytes.text, bytes.len, blob, &err);
	images_put_name(&name, url, len);
	if (status == MT_ENOMEM || name.error == MT_ENOMEM)
		return MT_ENOMEM;
	return status ? add_why(images, n, "cannot be stored on disk")
		      : add_blob(images, n, log, blob, name.text);
}

static bool is_address(const char *url, size_t len)
{
	return len <= URL_MAX &&
	       (has_prefix(url, "https://") || has_prefix(url, "http://")) &&
	       strcspn(url, " \t\r\n\"<>") == len;
}

static int add_address(struct images *images, size_t n, const char *url)
{
	const char *kept = images_own_text(images, strdup(url));

	if (!kept || images_add_name(images, n, "", NULL))
		return MT_ENOMEM;
	images->parts[images->count++] = (struct llm_part){ .mime = "image/link",
							    .url = kept };
	return MT_OK;
}

static int add_url(struct images *images, size_t n, struct evlog *log, json_object *value)
{
	const char *url = json_object_is_type(value, json_type_string)
				  ? json_object_get_string(value)
				  : "";
	size_t len = (size_t)json_object_get_string_len(value);

	if (has_prefix(url, "data:"))
		return images_add_data_url(images, n, log, url, len);
	if (is_address(url, len))
		return add_address(images, n, url);
	return add_why(images, n, "is neither a data: nor an https: URL");
}

static int add_medium(struct images *images, size_t n, struct evlog *log,
		      json_object *medium, const char *path)
{
	const char *mime = js_str(medium, "mime", "");

	if (!has_prefix(mime, "image/") && strcmp(mime, MEDIA_PDF) != 0)
		return add_why(images, n, "has an unsupported type");
	return add_blob(images, n, log, js_str(medium, "blob", ""), path);
}

int images_of(const struct event *e, struct evlog *log, struct images *ret)
{
	json_object *urls = js_get(event_args(e), "image_urls");
	json_object *media = js_get(event_args(e), "media");
	size_t url_count = js_length(urls), media_count = js_length(media), n = 0;
	int status = MT_OK;

	if (url_count + media_count == 0)
		return MT_OK;
	ret->parts = calloc((url_count + media_count) * PARTS_EACH, sizeof *ret->parts);
	if (!ret->parts)
		return MT_ENOMEM;
	for (size_t i = 0; i < url_count && !status; i++)
		status = add_url(ret, n++, log, json_object_array_get_idx(urls, i));
	if (ret->notes)
		ret->note = event_arg(e, "image_note");
	for (size_t i = 0; i < media_count && !status; i++)
		status = add_medium(ret, n++, log, json_object_array_get_idx(media, i),
				    event_arg(e, "path"));
	return status;
}

void images_clear(struct images *images)
{
	for (size_t i = 0; i < images->owned_count; i++)
		free(images->owned[i]);
	free(images->owned);
	free(images->parts);
	*images = (struct images){ 0 };
}

/* ---- input ------------------------------------------------------------------------ */

static int check_image_url(json_object *value, size_t n, struct error *err)
{
	AUTO(strbuf) struct strbuf bytes = STRBUF(IMAGE_MAX_BYTES + 256);
	struct error why = ERROR_NONE;
	const char *url, *mime;
	size_t len;
	int status;

	if (!json_object_is_type(value, json_type_string))
		return fail(err, MT_EINVAL,
			    "image %zu is not a string: use a data: or https: "
			    "URL",
			    n + 1);
	url = json_object_get_string(value);
	len = (size_t)json_object_get_string_len(value);
	if (is_address(url, len))
		return MT_OK;
	if (!has_prefix(url, "data:"))
		return fail(err, MT_EINVAL,
			    "image %zu is neither a data: nor an https: URL", n + 1);
	status = look_at_data(url, len, &bytes, &mime, &why);
	return status ? fail(err, status, "image %zu: it %s", n + 1, why.text) : MT_OK;
}

int images_check(json_object *urls, struct error *err)
{
	size_t count = js_length(urls);

	if (urls && !json_object_is_type(urls, json_type_array))
		return fail(err, MT_EINVAL, "images must be a list of URLs");
	if (count > IMAGES_MAX)
		return fail(err, MT_ELIMIT, "a message can have at most %d images",
			    IMAGES_MAX);
	for (size_t i = 0; i < count; i++)
		if (check_image_url(json_object_array_get_idx(urls, i), i, err))
			return err->code;
	return MT_OK;
}

/* Escape characters that are special in a data: URL, and non-ASCII bytes. */
static void images_put_escaped(struct strbuf *url, const char *path)
{
	for (; *path; path++)
		if (isalnum((unsigned char)*path) || strchr("/._-~", *path))
			strbuf_addc(url, *path);
		else
			strbuf_addf(url, "%%%02X", (unsigned char)*path);
}

bool images_have_pdf(json_object *urls)
{
	for (size_t i = 0; i < js_length(urls); i++) {
		const char *url =
			json_object_get_string(json_object_array_get_idx(urls, i));
		const char *comma = url ? strchr(url, ',') : NULL;

		if (comma && has_prefix(url, "data:") &&
		    has_prefix(comma + 1, PDF_BASE64))
			return true;
	}
	return false;
}

int images_add_file(json_object *urls, const char *path, struct error *err)
{
	AUTO(strbuf) struct strbuf url = STRBUF(IMAGE_MAX_BYTES / 3 * 4 + 256);
	AUTO(free) char *bytes = NULL;
	struct error why = ERROR_NONE;
	const char *mime;
	json_object *text;
	size_t len = 0;
	int status = file_read(path, FILE_MAX, &bytes, &len, err);

	if (status)
		return status;
	status = medium_look(bytes, len, &mime, &why);
	if (status)
		return fail(err, status, "%s: it %s", path, why.text);
	strbuf_addf(&url, "data:%s" NAME_KEY, mime);
	images_put_escaped(&url, path);
	strbuf_add(&url, ";base64,");
	base64_put(&url, bytes, len);
	text = url.error ? NULL : json_object_new_string_len(url.text, (int)url.len);
	if (!text || js_add(urls, text)) {
		json_object_put(text);
		return out_of_memory(err);
	}
	return MT_OK;
}
