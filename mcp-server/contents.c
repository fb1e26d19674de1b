/* SPDX-License-Identifier: MIT
 *
 * contents.c - writes files as contents of MCP messages. */
#include "internal.h"

#include "base64.h"
#include "image.h"
#include "utf8.h"

#include <string.h>

static bool mcp_contents_is_text(const char *bytes, size_t len)
{
	return !memchr(bytes, '\0', len) && utf8_valid(bytes, len);
}

static const char *mcp_mime_type(const char *bytes, size_t len)
{
	struct image image;

	return image_look(bytes, len, &image, NULL) == MT_OK ? image.mime
	       : mcp_contents_is_text(bytes, len)            ? "text/plain"
							     : "application/octet-stream";
}

static void put_base64(struct strbuf *b, const char *name, const char *bytes, size_t len)
{
	js_key(b, name);
	strbuf_addc(b, '"');
	base64_put(b, bytes, len);
	strbuf_addc(b, '"');
}

void mcp_put_resource(struct strbuf *b, const char *uri, const char *bytes, size_t len)
{
	strbuf_addc(b, '{');
	js_key_str(b, "uri", uri);
	js_key_str(b, "mimeType", mcp_mime_type(bytes, len));
	if (mcp_contents_is_text(bytes, len))
		js_key_strn(b, "text", bytes, len);
	else
		put_base64(b, "blob", bytes, len);
	strbuf_addc(b, '}');
}

void mcp_put_content(struct strbuf *b, const char *uri, const char *bytes, size_t len)
{
	struct image image;

	strbuf_addc(b, '{');
	if (image_look(bytes, len, &image, NULL) == MT_OK) {
		js_key_str(b, "type", "image");
		js_key_str(b, "mimeType", image.mime);
		put_base64(b, "data", bytes, len);
	} else {
		js_key_str(b, "type", "resource");
		js_key(b, "resource");
		mcp_put_resource(b, uri, bytes, len);
	}
	strbuf_addc(b, '}');
}
