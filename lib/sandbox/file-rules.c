/* SPDX-License-Identifier: MIT
 *
 * file-rules.c - translates the rules of a sandbox for Landlock. */
#include "sandbox/file-rules.h"

#include "auto.h"
#include "landlock.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

enum {
	MAKE_CHARACTER_DEVICE = 1u << 6,
	MAKE_BLOCK_DEVICE = 1u << 11,
	CHANGE = LANDLOCK_ALL & ~(MAKE_CHARACTER_DEVICE | MAKE_BLOCK_DEVICE |
				  LANDLOCK_IOCTL_DEVICE),
	DEVICE = LANDLOCK_READ_FILE | LANDLOCK_WRITE_FILE | LANDLOCK_TRUNCATE |
		 LANDLOCK_IOCTL_DEVICE,
	ENTRIES_MAX = 4096,
};

struct file_rules {
	int fd, version;
};

static void allow(const struct file_rules *f, const char *path, uint64_t rights)
{
	/* What does not exist needs no rule. */
	landlock_allow(f->fd, f->version, path, rights);
}

static void allow_list(const struct file_rules *f, char *const *paths, uint64_t rights)
{
	for (size_t i = 0; paths && paths[i]; i++)
		allow(f, paths[i], rights);
}

/* What is public. Root is the owner of the rest, such as passwords and keys of the host,
 * and needs no capability to read it. */
static void allow_public(const struct file_rules *f, const char *directory)
{
	DIR *all = opendir(directory);
	struct dirent *entry;

	for (size_t n = 0; all && n < ENTRIES_MAX && (entry = readdir(all)); n++) {
		char path[512];
		struct stat st;
		int len = snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);

		if (len < 0 || (size_t)len >= sizeof path || *entry->d_name == '.' ||
		    stat(path, &st) < 0 || !(st.st_mode & S_IROTH))
			continue;
		if (S_ISDIR(st.st_mode) && (strcmp(entry->d_name, "ssh") == 0))
			continue;
		allow(f, path, LANDLOCK_READ);
	}
	if (all)
		closedir(all);
}

static void allow_devices(const struct file_rules *f)
{
	static const char *const devices[] = { "/dev/null", "/dev/zero", "/dev/full",
					       "/dev/random", "/dev/urandom", "/dev/tty",
					       "/dev/ptmx", "/dev/pts" };

	for (size_t i = 0; i < ARRAY_LEN(devices); i++)
		allow(f, devices[i], DEVICE | LANDLOCK_READ_DIR);
	allow(f, "/dev/shm", CHANGE);
}

/* Ranges [FIRST, LAST]. Their number is bounded by grants.h. */
static void allow_ports(const struct file_rules *f, json_object *ranges)
{
	for (size_t i = 0; i < js_length(ranges); i++) {
		json_object *range = json_object_array_get_idx(ranges, i);
		int64_t first, last;

		if (js_length(range) != 2)
			continue;
		first = json_object_get_int64(json_object_array_get_idx(range, 0));
		last = json_object_get_int64(json_object_array_get_idx(range, 1));
		for (; first >= 0 && first <= last && first <= UINT16_MAX; first++)
			landlock_allow_port(f->fd, f->version, (uint16_t)first,
					    LANDLOCK_BIND | LANDLOCK_CONNECT);
	}
}

int file_rules_make(const struct sandbox_rules *r, const char *temporary,
		    bool own_network, int *ret_version)
{
	const bool network = !own_network && r->network != SANDBOX_NETWORK_FULL;
	const struct landlock_denied denied = {
		LANDLOCK_ALL, network ? LANDLOCK_BIND | LANDLOCK_CONNECT : 0,
		LANDLOCK_ABSTRACT_SOCKETS | LANDLOCK_SIGNALS,
	};
	int version = landlock_version();
	struct file_rules f = { .version =
					version < r->landlock ? version : r->landlock };

	*ret_version = 0;
	f.fd = f.version > 0 ? landlock_new(f.version, &denied) : -1;
	if (f.fd < 0)
		return -1;
	allow(&f, "/", LANDLOCK_READ_DIR); /* names, not contents */
	allow_list(&f, r->read, LANDLOCK_READ);
	allow_list(&f, r->sockets, LANDLOCK_READ);
	allow_public(&f, "/etc");
	allow_devices(&f);
	allow_list(&f, r->write, CHANGE);
	allow(&f, temporary, CHANGE);
	if (network)
		allow_ports(&f, r->ports);
	*ret_version = f.version;
	return f.fd;
}
