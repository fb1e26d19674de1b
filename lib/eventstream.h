/* SPDX-License-Identifier: MIT
 *
 * eventstream.h - AWS event streams (application/vnd.amazon.eventstream), fed in
 * pieces of any size.
 *
 * Push parser. A message is: total length, length of its headers, CRC-32 of
 * these eight bytes, headers, payload, CRC-32 of all before it; numbers are 32
 * bits, big-endian. Both sums are checked. */
#ifndef LIB_EVENTSTREAM_H
#define LIB_EVENTSTREAM_H

#include "error.h"
#include "strbuf.h"
#include <stdint.h>

/** One message; borrowed. */
struct eventstream_message {
	const unsigned char *headers, *payload;
	size_t headers_len, payload_len;
};

struct eventstream {
	struct strbuf held;  /* the received part of the next message */
	size_t max;          /* bytes of a message */
	int error;
	/** Return non-zero to stop: eventstream_feed returns it. */
	int (*on_message)(const struct eventstream_message *m, void *arg);
	void *arg;
};

void eventstream_init(struct eventstream *s, size_t max,
		      int (*on_message)(const struct eventstream_message *m, void *arg),
		      void *arg);
/** @return MT_OK, MT_EINVAL for bytes that are not an event stream, MT_ELIMIT for a
 *  message that is too large, MT_ENOMEM, or the result of on_message. */
int eventstream_feed(struct eventstream *s, const char *bytes, size_t len);
void eventstream_done(struct eventstream *s);

/** Copy a string header of a message, truncated to fit; "" if there is none.
 *  @return MT_EINVAL if the headers are malformed. */
int eventstream_header(const struct eventstream_message *m, const char *name, char *ret,
		       size_t room);

/** CRC-32 as used by Ethernet and zip. `crc` is 0 or the CRC of the preceding bytes. */
uint32_t eventstream_crc(uint32_t crc, const void *bytes, size_t len);

#endif
