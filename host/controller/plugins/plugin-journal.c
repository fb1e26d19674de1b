/* SPDX-License-Identifier: MIT
 *
 * plugin-journal.c - writes and reads journal entries. */
#include "controller/plugins/plugin-journal.h"

#include <string.h>

static const uint32_t absent = UINT32_MAX; /* the size of an absent text */

struct head {
	uint32_t type, sizes[JOURNAL_TEXTS];
	uint32_t reserved; /* 0, in place of padding */
	int64_t a, b;
};

int journal_put(struct strbuf *out, const struct journal_entry *e)
{
	struct head head = { .type = e->type, .a = e->a, .b = e->b };

	for (size_t i = 0; i < JOURNAL_TEXTS; i++) {
		if (e->text[i].len >= JOURNAL_MAX)
			return MT_ELIMIT;
		head.sizes[i] = e->text[i].ptr ? (uint32_t)e->text[i].len : absent;
	}
	strbuf_addn(out, (const char *)&head, sizeof head);
	for (size_t i = 0; i < JOURNAL_TEXTS; i++) {
		if (!e->text[i].ptr)
			continue;
		strbuf_addn(out, e->text[i].ptr, e->text[i].len);
		strbuf_addc(out, '\0');
	}
	return out->error;
}

int64_t journal_get(const char *bytes, size_t len, struct journal_entry *ret)
{
	struct head head;
	size_t at = sizeof head;

	if (len < sizeof head)
		return 0;
	memcpy(&head, bytes, sizeof head);
	if (head.type == 0 || head.type >= JOURNAL_TYPES || head.reserved)
		return MT_EINVAL;
	*ret = (struct journal_entry){ .type = head.type, .a = head.a, .b = head.b };
	for (size_t i = 0; i < JOURNAL_TEXTS; i++) {
		if (head.sizes[i] == absent)
			continue;
		if (head.sizes[i] >= JOURNAL_MAX)
			return MT_EINVAL;
		if (len - at <= head.sizes[i])
			return 0;
		ret->text[i] = (struct mt_str){ bytes + at, head.sizes[i] };
		at += head.sizes[i];
		if (bytes[at++] != '\0')
			return MT_EINVAL;
	}
	return (int64_t)at;
}
