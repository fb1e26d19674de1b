/* SPDX-License-Identifier: MIT
 *
 * error.c - records the first failure as one clean line. */
#include "error.h"
#include "utf8.h"
#include <stdio.h>
#include <string.h>

int fail_va(struct error *err, int code, const char *fmt, va_list ap)
{
	if (!err || err->code != MT_OK)
		return code;

	int len = vsnprintf(err->text, sizeof err->text, fmt, ap);

	err->code = code;
	if (len < 0)
		err->text[0] = '\0';
	if ((size_t)len >= sizeof err->text) {
		size_t kept = strlen(err->text);

		err->text[kept - utf8_tail(err->text, kept)] = '\0';
	}
	for (size_t at = 0, n, total = strlen(err->text); at < total; at += n) {
		bool valid;

		n = utf8_next(err->text + at, total - at, &valid);
		if (!valid)
			memset(err->text + at, '?', n);
	}
	utf8_blank_controls(err->text, strlen(err->text));
	return code;
}

int fail(struct error *err, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fail_va(err, code, fmt, ap);
	va_end(ap);
	return code;
}

int fail_code(struct error *err, int code)
{
	return fail(err, code, "%s", status_name(code));
}

int out_of_memory(struct error *err)
{
	return fail_code(err, MT_ENOMEM);
}

const char *error_text(const struct error *err)
{
	return err->code ? err->text : status_name(MT_ENOMEM);
}

const char *status_name(int code)
{
	switch (code) {
	case MT_OK:
		return "ok";
	case MT_EINVAL:
		return "invalid";
	case MT_ENOMEM:
		return "out of memory";
	case MT_EIO:
		return "input or output failed";
	case MT_ETIMEOUT:
		return "timed out";
	case MT_ECANCELLED:
		return "cancelled";
	case MT_EUNSUPPORTED:
		return "unsupported";
	case MT_ENOTFOUND:
		return "not found";
	case MT_EDENIED:
		return "denied";
	case MT_ELIMIT:
		return "limit reached";
	case MT_EEXIST:
		return "exists already";
	}
	return "unknown status";
}
