/* SPDX-License-Identifier: MIT
 *
 * landlock.c - the system calls of Landlock. */
#include "landlock.h"

#include "auto.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

enum {
	VERSION_FLAG = 1u << 0,
	PATH_BENEATH = 1,
	NET_PORT = 2,
	CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446, /* system calls */
};

/* Rights that a rule for a file, not a directory, may have. */
enum {
	FILE_RIGHTS = LANDLOCK_EXECUTE | LANDLOCK_WRITE_FILE | LANDLOCK_READ_FILE |
		      LANDLOCK_TRUNCATE | LANDLOCK_IOCTL_DEVICE,
};

struct path_rule {
	uint64_t rights;
	int32_t parent;
} __attribute__((packed));

struct port_rule {
	uint64_t rights, port;
};

/* The rights of each version, and its size of struct landlock_denied. */
static const struct {
	struct landlock_denied all;
	size_t size;
} versions[LANDLOCK_NEWEST] = {
	{ { 0x1fff, 0, 0 }, 8 },  { { 0x3fff, 0, 0 }, 8 },  { { 0x7fff, 0, 0 }, 8 },
	{ { 0x7fff, 3, 0 }, 16 }, { { 0xffff, 3, 0 }, 16 }, { { 0xffff, 3, 3 }, 24 },
	{ { 0xffff, 3, 3 }, 24 },
};

int landlock_version(void)
{
	long version = syscall(CREATE_RULESET, NULL, 0, VERSION_FLAG);

	if (version < 1)
		return 0;
	return version > LANDLOCK_NEWEST ? LANDLOCK_NEWEST : (int)version;
}

int landlock_new(int version, const struct landlock_denied *denied)
{
	const struct landlock_denied *all = &versions[version - 1].all;
	const struct landlock_denied known = { denied->files & all->files,
					       denied->ports & all->ports,
					       denied->processes & all->processes };

	return (int)syscall(CREATE_RULESET, &known, versions[version - 1].size, 0);
}

int landlock_allow(int rules, int version, const char *path, uint64_t rights)
{
	AUTO(close) int fd = open(path, O_PATH | O_CLOEXEC);
	struct path_rule rule = { .rights = rights & versions[version - 1].all.files,
				  .parent = fd };
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -1;
	if (!S_ISDIR(st.st_mode))
		rule.rights &= FILE_RIGHTS;
	return (int)syscall(ADD_RULE, rules, PATH_BENEATH, &rule, 0);
}

int landlock_allow_port(int rules, int version, uint16_t port, uint64_t rights)
{
	const struct port_rule rule = { rights & versions[version - 1].all.ports, port };

	return rule.rights ? (int)syscall(ADD_RULE, rules, NET_PORT, &rule, 0) : 0;
}

int landlock_enter(int rules)
{
	return (int)syscall(RESTRICT_SELF, rules, 0);
}
