/* SPDX-License-Identifier: MIT
 *
 * internal.h - internal to lib/registry. */
#ifndef LIB_REGISTRY_INTERNAL_H
#define LIB_REGISTRY_INTERNAL_H

#include "registry/registry.h"
#include <sys/stat.h>

enum {
	PROBE_MS = 5000,              /* time limit for the response of a child */
	DESCRIPTION_MAX = 4 << 20,    /* maximum bytes of a description */
	COMPONENTS_MAX = 64,          /* maximum number in one plugin */
	OPTIONS_MAX = 512, TOOLS_MAX = 1024, PERMISSIONS_MAX = 256,
	PLUGIN_TEXT_MAX = 1 << 18,    /* maximum bytes of one string of a plugin */
	ABOUT_MAX = 4096,             /* maximum bytes of its text for the user */
	STRUCT_MAX = 65536,           /* maximum bytes of a struct of a plugin */
};

struct loaded {
	char *path;
	const struct mt_plugin *plugin;
};

struct registry {
	struct component *components;
	size_t component_count, component_room;
	size_t named_count;       /* number of those found by their short names */
	struct refusal *refusals; /* all strings owned */
	size_t refusal_count, refusal_room;
	json_object **kept;       /* descriptions that components borrow from */
	size_t kept_count, kept_room;
	struct loaded *loaded;
	size_t loaded_count;
};

/* descriptor.c: rules for the descriptor of a plugin */
struct kind_info {
	const char *name;
	uint16_t major, minor;
	uint32_t functions_size; /* minimum size of its functions */
};
const struct kind_info *kind_info(int kind);
int component_check(const struct mt_component *c, struct error *err);
/** Check the declared size of a struct. `who`: "components declare" */
int registry_check_size(const char *who, uint32_t size, size_t least, size_t align,
			struct error *err);
const struct mt_component *component_at(const struct mt_plugin *p, size_t n);
int registry_open_file(const char *path, const struct mt_plugin **ret, struct error *err);
/** Check a file without loading it. */
int registry_check_elf(const char *path, struct error *err);

/* names.c */
/** Move the components that are found by their short names to the front, and report the
 *  others. @return MT_OK or MT_ENOMEM. */
int names_settle(struct registry *r);
/** The unique reference of a component: see struct component. `alone`: its plugin has no
 *  other component. Owned; NULL: out of memory. */
char *component_make_unique(const struct component *c, bool alone);

/* providers.c */
/** Report the providers of dialects that others serve. @return MT_OK or MT_ENOMEM. */
int providers_settle(struct registry *r);

/* discovery.c */
/** Note that a component of the file was refused, or the whole file (`name` NULL).
 *  @return MT_OK or MT_ENOMEM. */
int registry_refuse(struct registry *r, const char *path, int kind, const char *name,
		    const char *reason);

/* describe.c */
int registry_describe(const struct mt_plugin *p, struct strbuf *out, struct error *err);
/** Check the declared permissions and append them as a member of an object. */
int registry_describe_permissions(const struct mt_plugin *p, struct strbuf *out,
				  struct error *err);

/* cache.c */
struct cache {
	char *path;         /* NULL: no location for a cache */
	json_object *files; /* path -> entry */
	bool changed;
};
void cache_open(struct cache *cache);
/** The entry of an unchanged file, or NULL. Borrowed. */
json_object *cache_find(const struct cache *cache, const char *path,
			const struct stat *st);
/** Store `plugin` (borrowed) or, if it is NULL, the reason of the refusal. `retry_after`:
 *  seconds until an unchanged file is tried again; 0: never. */
int cache_put(struct cache *cache, const char *path, const struct stat *st,
	      json_object *plugin, const char *reason, int retry_after);
/** True if the program terminated twice while it probed the file. */
bool cache_is_fatal(const struct cache *cache, const char *path, const struct stat *st);
/** A probe of the file starts: unless cache_put or cache_forget follows, the program
 *  terminated during it. @return MT_OK or MT_ENOMEM */
int cache_begin(struct cache *cache, const char *path, const struct stat *st);
void cache_forget(struct cache *cache, const char *path);
/** Write the cache if it has changed. A failure is not an error. */
void cache_write(struct cache *cache);
/** Write the cache if it has changed, and free it. A failure is not an error. */
void cache_close(struct cache *cache);
void cache_key(const struct stat *st, char *key, size_t size);

/* probe.c */
enum {
	RETRY_NOW = -1, /* the refusal is not stored */
	RETRY_CRASHED = 60, RETRY_MISSING = 30, /* seconds until another try */
};
struct probe {
	const char *path;
	json_object *plugin;       /* its description, for the caller; NULL: refused */
	struct error why;          /* reason of the refusal */
	int retry_after;           /* seconds until the next try, RETRY_NOW, or 0: not
				    * before the file has changed */
	/* while the child runs */
	pid_t pid;
	int fd;                    /* its response; -1: complete */
	int said;                  /* its standard error, non-blocking */
	int64_t started, deadline;
	struct strbuf answer;
};
/** Probe these files, several at a time. Only `path` is an input. */
void probe_all(struct probe *list, size_t count);

#endif
