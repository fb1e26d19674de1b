/* SPDX-License-Identifier: MIT
 *
 * tls-hello.h - reads the server name that a TLS client asks for. */
#ifndef LIB_SANDBOX_TLS_HELLO_H
#define LIB_SANDBOX_TLS_HELLO_H

#include "sandbox/host-pattern.h"

enum { TLS_HELLO_MAX = 16 << 10 };

enum tls_hello {
	TLS_MORE,    /* the bytes are a part of a ClientHello */
	TLS_READ,    /* a whole ClientHello */
	TLS_NONE,    /* not TLS */
	TLS_INVALID, /* a malformed ClientHello, or one larger than TLS_HELLO_MAX */
};

/** Read the first bytes of a connection. `name`: the server name, "" if the ClientHello
 *  has none. A ClientHello with two names is invalid, because servers may use either. */
enum tls_hello tls_hello_read(const char *bytes, size_t n, char name[HOST_ROOM]);

#endif
