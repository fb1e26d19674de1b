/* SPDX-License-Identifier: MIT
 *
 * grants.h - reads the sections [grant.NAME], which open paths, Unix sockets,
 * hosts, local ports, and variables of the environment. `grants` of [sandbox] turns them
 * on. */
#ifndef LIB_SANDBOX_GRANTS_H
#define LIB_SANDBOX_GRANTS_H

#include "config/config.h"
#include "sandbox/access.h"

#include <stdint.h>

enum { GRANT_NAME_MAX = 64, GRANT_PORTS_MAX = 4096 };

/** A section of the configuration with this name, "grant.ssh". */
struct grant_section {
	char text[GRANT_NAME_MAX + 8];
};

/** The n-th grant that is on. @return false past the last, or if the name is too long */
bool grant_active(const struct config *c, size_t n, struct grant_section *ret);
/** Check that each grant that is on has a section. */
int grants_check(const struct config *c, struct error *err);
/** The path that an item of a list of paths means, owned: ~ is $HOME, and `$NAME` at its
 *  beginning is a variable, whose value may begin with "unix://". NULL: out of memory.
 *  "": the variable is not set. */
char *grant_path(const char *item, size_t len);
/** Parse an item of `ports`: a port, or a range. @return false if it is not valid */
bool grant_port_range(const char *item, size_t len, uint16_t *ret_first,
		      uint16_t *ret_last);

/** The first grant that is off, and opens this path with this access (READ or WRITE); NULL:
 *  none. Borrowed. */
const char *grant_for_path(const struct config *c, const char *path,
			   enum sandbox_access access);
/** The same for a pattern of hosts: a host with or without a port. */
const char *grant_for_host(const struct config *c, const char *host);
/** Does one of the sockets of this grant exist? */
bool grant_has_socket(const struct config *c, const char *name);
/** Is this grant on? */
bool grant_is_on(const struct config *c, const char *name);

#endif
