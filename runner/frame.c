/* SPDX-License-Identifier: MIT
 *
 * frame.c - messages between supervisor and worker. */
#include "frame.h"
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

struct head {
	uint16_t mark, type, flags, reserved;
	int32_t status;
	uint32_t len;
	uint64_t id, aux;
};

_Static_assert(sizeof(struct head) + FRAME_PIECE <= FRAME_BUFFER, "room for a head");

size_t frame_encode(const struct frame *f, char *buffer)
{
	struct head h = { .mark = FRAME_MARK, .type = f->type, .flags = f->flags,
			  .status = f->status, .len = (uint32_t)f->len,
			  .id = f->id, .aux = f->aux };

	memcpy(buffer, &h, sizeof h);
	if (f->len)
		memcpy(buffer + sizeof h, f->data, f->len);
	return sizeof h + f->len;
}

int frame_decode(const char *buffer, size_t len, struct frame *ret)
{
	struct head h;

	if (len < sizeof h)
		return MT_EINVAL;
	memcpy(&h, buffer, sizeof h);
	if (h.mark != FRAME_MARK || h.len != len - sizeof h || h.len > FRAME_PIECE)
		return MT_EINVAL;
	*ret = (struct frame){ .type = h.type, .flags = h.flags, .status = h.status,
			       .id = h.id, .aux = h.aux,
			       .data = buffer + sizeof h, .len = h.len };
	return MT_OK;
}

static int send_one(int fd, const struct frame *f, int flags)
{
	char buffer[FRAME_BUFFER];
	size_t len = frame_encode(f, buffer);

	while (send(fd, buffer, len, flags | MSG_NOSIGNAL) < 0) {
		if (errno == EAGAIN || errno == EWOULDBLOCK)
			return MT_ELIMIT;
		if (errno != EINTR)
			return MT_EIO;
	}
	return MT_OK;
}

int frame_send(int fd, const struct frame *f, int flags)
{
	struct frame piece = *f;
	size_t left = f->len;

	do {
		int status;

		piece.len = left < FRAME_PIECE ? left : FRAME_PIECE;
		left -= piece.len;
		piece.flags = f->flags | (left ? FRAME_MORE : 0);
		status = send_one(fd, &piece, flags);
		if (status)
			return status;
		piece.data += piece.len;
	} while (left);
	return MT_OK;
}

int frame_join(struct strbuf *parts, struct frame *f)
{
	if (!(f->flags & FRAME_MORE) && parts->len == 0)
		return 1;
	if (strbuf_addn(parts, f->data, f->len))
		return parts->error;
	if (f->flags & FRAME_MORE)
		return 0;
	f->data = parts->text;
	f->len = parts->len;
	return 1;
}

const char *frame_text(const char **data, size_t *len)
{
	const char *text = *data;
	const char *end = *len ? memchr(text, '\0', *len) : NULL;

	if (!end)
		return NULL;
	*len -= (size_t)(end - text) + 1;
	*data = end + 1;
	return text;
}
