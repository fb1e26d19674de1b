/* SPDX-License-Identifier: MIT
 *
 * media.c - selects images and PDF files of a request and writes their bytes into the
 * body.
 *
 * If images are too many or too large, the oldest are omitted, more than necessary: the
 * start of the conversation, which the provider has cached, then does not change with
 * each new image. The selection depends on the messages only, so it is the same after a
 * resume. */
#include "llm/media.h"

#include "base64.h"
#include "llm/llm-internal.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 48 << 10 }; /* of a file; a multiple of three */

static bool is_medium(const struct llm_request *r, struct request_span at)
{
	return r->messages[at.message].parts[at.part].mime != NULL;
}

/* Find the next medium at or after a position. */
static bool find_medium(const struct llm_request *r, struct request_span *at)
{
	for (; at->message < r->message_count; at->message++, at->part = 0)
		for (; at->part < r->messages[at->message].part_count; at->part++)
			if (is_medium(r, *at))
				return true;
	return false;
}

bool llm_request_has_media(const struct llm_request *r)
{
	struct request_span at = { 0 };

	return find_medium(r, &at);
}

static size_t bytes_at(const struct llm_request *r, struct request_span at)
{
	return r->messages[at.message].parts[at.part].len;
}

static struct request_span first_shown(const struct llm_request *r)
{
	struct request_span from = { 0 }, at = { 0 };
	size_t count = 0, bytes = 0;

	for (; find_medium(r, &at); at.part++) {
		count++;
		bytes += bytes_at(r, at);
		if (count <= LLM_IMAGES_MAX && bytes <= LLM_IMAGES_BYTES)
			continue;
		while (count > 1 &&
		       (count > LLM_IMAGES_KEPT || bytes > LLM_IMAGES_BYTES_KEPT)) {
			find_medium(r, &from);
			bytes -= bytes_at(r, from);
			count--;
			from.part++;
		}
	}
	return from;
}

void llm_choose_media(const struct llm *l, struct llm_request *request)
{
	request->blind = !llm_feature(l, "vision");
	request->no_pdf = !llm_feature(l, "pdf");
	request->links =
		(l->dialect->flags & MT_DIALECT_LINKS) && !llm_facts(l)->inline_images;
	if (!request->blind || !request->no_pdf)
		request->shown = first_shown(request);
}

const char *llm_media_placeholder(const struct llm_request *r, size_t m, size_t p)
{
	const struct request_span *from = &r->shown;

	bool pdf = strcmp(r->messages[m].parts[p].mime, MEDIA_PDF) == 0;

	if (pdf && r->no_pdf)
		return "[A PDF file was omitted here: this model does not support PDF input. "
		       "Read its text with the command pdftotext.]";
	if (!pdf && r->blind)
		return "[An image was omitted here: this model does not support vision.]";
	if (m < from->message || (m == from->message && p < from->part))
		return pdf ? "[A PDF file was omitted here: there are newer images or PDF "
			     "files. Read its text with the command pdftotext.]"
			   : "[An image was omitted here: there are newer ones.]";
	if (r->messages[m].parts[p].url && !r->links)
		return "[An image was omitted here: only its URL is known, and URLs are "
		       "not fetched for this model.]";
	return NULL;
}

/* ---- bytes ------------------------------------------------------------------ */

static int64_t read_media_file(const struct llm_part *part, uint64_t offset, void *buffer,
			       size_t len)
{
	AUTO(close) int fd = open(part->file, O_RDONLY | O_CLOEXEC);
	size_t have = 0;

	while (fd >= 0 && have < len) {
		ssize_t n = pread(fd, (char *)buffer + have, len - have,
				  (off_t)(offset + have));

		if (n <= 0)
			return MT_EIO;
		have += (size_t)n;
	}
	return fd < 0 ? MT_EIO : (int64_t)have;
}

int64_t llm_read_medium(const struct llm_part *part, uint64_t offset, void *buffer,
			size_t len)
{
	if (offset >= part->len)
		return 0;
	if (len > part->len - offset)
		len = part->len - (size_t)offset;
	if (part->file)
		return read_media_file(part, offset, buffer, len);
	memcpy(buffer, part->text + offset, len);
	return (int64_t)len;
}

int llm_put_medium(struct llm_body *b, const struct llm_part *part)
{
	AUTO(free) char *piece = malloc(PIECE);
	int status = piece ? MT_OK : MT_ENOMEM;

	for (size_t at = 0; at < part->len && !status;) {
		int64_t n = llm_read_medium(part, at, piece, PIECE);

		if (n < 0)
			return (int)n;
		base64_put(&b->bytes, piece, (size_t)n);
		status = body_settle(b);
		at += (size_t)n;
	}
	return status;
}
