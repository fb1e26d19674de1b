/* SPDX-License-Identifier: MIT
 *
 * mortise/plugin.h - the descriptor of a plugin file, and declarations shared by all
 * kinds.
 *
 * A plugin is one .so file. It exports one function, mortise_plugin_v1, which returns
 * constant data: its vendor and its components. Each component is of one kind (tool,
 * agent, condenser, ...) and each kind has a header and a version of its own.
 *
 * Rules of these headers, kept for as long as the entry symbol ends in _v1:
 *
 *   - a struct starts with its `size` and grows only at its end; ask
 *     MT_HAS(p, member) before reading what an older maker may not have;
 *   - arrays of structs are stepped by the `size` of their first element;
 *   - a member, an enum value or a function is never removed, moved, re-used;
 *   - only libc appears here: text is UTF-8 with pointer and length (or ends
 *     in NUL where a `const char *` stands alone), data is JSON text,
 *     everything else is an opaque handle;
 *   - neither side frees memory of the other: what is passed to a plugin is
 *     borrowed until the function returns, results are copied by the host;
 *   - one call at a time per instance, unless a flag says more;
 *   - numbers are written and read in the C locale; a plugin installs no
 *     signal handler, no atexit function, and does not change directory,
 *     locale or environment of the process; it is never unloaded.
 *
 * What changed, newest first (a line with every addition):
 *   1.0  first version
 */
#ifndef MORTISE_PLUGIN_H
#define MORTISE_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Version of the descriptor below. The major number is part of the symbol. */
#define MT_ABI_MAJOR 1u
#define MT_ABI_MINOR 0u

/** The oldest minor version of the host that the plugin works with. To load in
 *  older hosts, define it smaller before including this header, and ask MT_HAS. Each
 *  frozen kind has a macro of its own: MT_NEEDS_TOOL_MINOR. */
#ifndef MT_NEEDS_MINOR
#define MT_NEEDS_MINOR MT_ABI_MINOR
#endif

#define MT_EXPORT __attribute__((visibility("default")))
#define MT_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/** True if the struct behind `p`, as its maker compiled it, has `member`. */
#define MT_HAS(p, member)                                                      \
	((p)->size >= offsetof(__typeof__(*(p)), member) + sizeof((p)->member))

/** Bytes of a struct up to the end of a member: what a maker gives who has no
 *  later member. MT_..._SIZE_1_0 is the least size of a struct of version 1.0. */
#define MT_SIZE_TO(type, member)                                               \
	(offsetof(struct type, member) + sizeof(((struct type *)0)->member))

/** Result of every call that can fail. 0 is success; the numbers are ABI. A function of a
 *  plugin that returns another number, such as a positive one, has failed with
 *  MT_EINVAL. A host may return statuses that a later version defines: a negative number
 *  is a failure. */
enum mt_status {
	MT_OK = 0,
	MT_EINVAL = -1,       /* invalid arguments, or a violated contract */
	MT_ENOMEM = -2,
	MT_EIO = -3,          /* external failure: file, network, process */
	MT_ETIMEOUT = -4,
	MT_ECANCELLED = -5,
	MT_EUNSUPPORTED = -6, /* not supported by this side */
	MT_ENOTFOUND = -7,
	MT_EDENIED = -8,      /* not granted, or refused by a policy */
	MT_ELIMIT = -9,       /* a limit was reached */
	MT_EEXIST = -10,
};

/** Borrowed text or bytes. `ptr` may be NULL when `len` is 0. Passed by value: it never
 *  grows. */
struct mt_str {
	const char *ptr;
	size_t len;
};

/** A struct mt_str from a string literal. */
#define MT_STR(literal) { (literal), sizeof(literal) - 1 }

/* ---- options ---------------------------------------------------------- */

enum mt_option_type {
	MT_OPTION_TEXT = 1,
	MT_OPTION_INT = 2,      /* integer within min..max */
	MT_OPTION_BOOL = 3,     /* yes/no, true/false, on/off, 1/0 */
	MT_OPTION_DURATION = 4, /* 500ms, 30s, 5m, 1h; min..max in ms */
	MT_OPTION_BYTES = 5,    /* 4096, 64K, 10M, 1G; min..max in bytes */
	MT_OPTION_NUMBER = 6,   /* decimal fraction within min..max */
	MT_OPTION_CHOICE = 7,   /* one of `choices` */
	MT_OPTION_LIST = 8,     /* comma-separated text; the plugin gets "a, b" */
	MT_OPTION_PATH = 9,     /* file or directory; ~ is expanded */
};

enum {
	MT_OPTION_REQUIRED = 1u << 0, /* no default: the user must set it */
	MT_OPTION_SECRET = 1u << 1,   /* never printed; masked, from 8 bytes on */
	MT_OPTION_PREFIX = 1u << 2,   /* `name` ends in '.': any key with this prefix */
};

/** One option of a component. From a table of these come parsing, errors with
 *  a suggestion, `mortise plugins info`, its JSON form and the manual page. */
struct mt_option {
	uint32_t size;
	uint32_t type;        /* enum mt_option_type */
	const char *name;     /* [a-z][a-z0-9_]*, unique in the table; one that the host
	                         has in such a section (`deadline`) is for both */
	const char *fallback; /* default in the syntax of the configuration; NULL: unset */
	const char *help;     /* one sentence; includes the unit if there is one */
	const char *choices;  /* MT_OPTION_CHOICE: "a|b|c"; else NULL */
	double min, max;      /* inclusive; both 0: no bounds; max < min: no upper one */
	uint32_t flags;       /* MT_OPTION_REQUIRED ... */
	uint32_t reserved;    /* 0 */
};
#define MT_OPTION_SIZE_1_0 MT_SIZE_TO(mt_option, reserved)

/* ---- permissions ------------------------------------------------------ */

enum mt_permission_kind {
	MT_PERMIT_READ = 1,        /* a file, or a directory with everything in it */
	MT_PERMIT_WRITE = 2,       /* the same, to write and to read */
	MT_PERMIT_HOST = 3,        /* a host of the network: "api.example.org", "*.example.org" */
	MT_PERMIT_SECRET = 4,      /* a secret, by the NAME of [grant.NAME] */
	MT_PERMIT_ENVIRONMENT = 5, /* a variable of the environment */
	MT_PERMIT_NAMESPACES = 6,  /* to create namespaces, "user", for a sandbox of its own */
};

/** What a plugin uses in addition to the workspace and its own directories. Shown to a
 *  user before the plugin is enabled. A tool gets it only if the user grants it, in exactly
 *  this form: see [tool.NAME] in doc/plugins.md. A kind that a host does not know is shown
 *  as "unknown", and grants nothing. A plugin whose `what` does not have the form of its kind,
 *  or has a comma or a control character, is refused. */
struct mt_permission {
	uint32_t size;
	uint32_t kind;    /* enum mt_permission_kind */
	const char *what; /* absolute path or one after ~/, host or name */
	const char *why;  /* one sentence for people, or NULL */
};
#define MT_PERMISSION_SIZE_1_0 MT_SIZE_TO(mt_permission, why)

#define MT_PERMISSION(kind_, what_, why_)                                      \
	{ sizeof(struct mt_permission), (kind_), (what_), (why_) }

/* ---- the descriptor --------------------------------------------------- */

enum mt_kind {
	MT_KIND_TOOL = 1,
	MT_KIND_AGENT = 2,
	MT_KIND_CONDENSER = 3,
	MT_KIND_DIALECT = 4,
	MT_KIND_RUNTIME = 5,
	MT_KIND_ANALYZER = 6,
	/* 7 was reserved for stores, which no host supported */
};

/** One component of a plugin. */
struct mt_component {
	uint32_t size;
	uint16_t kind;                   /* enum mt_kind */
	uint16_t reserved;               /* 0 */
	uint16_t version_major;          /* of the kind: MT_TOOL_MAJOR, ... */
	uint16_t version_minor;          /* of the oldest supported host */
	uint32_t option_count;
	const char *name;                /* [a-z][a-z0-9_-]{0,63}, unique in its kind */
	const char *summary;             /* one sentence for people */
	const struct mt_option *options; /* option_count of them, or NULL */
	const void *functions;           /* struct mt_toolset, struct mt_agent, ... */
};
#define MT_COMPONENT_SIZE_1_0 MT_SIZE_TO(mt_component, functions)

/** Describes a plugin file. Constant data: reading it runs only the function that returns
 *  it. */
struct mt_plugin {
	uint32_t size;
	uint16_t abi_major, abi_minor;   /* the oldest supported host */
	uint64_t needs;                  /* required features; the host refuses a plugin
	                                    with an unknown bit */
	uint64_t flags;                  /* unknown bits are ignored */
	const char *name;                /* [a-z][a-z0-9_-]{0,63} */
	const char *version;
	const char *license;             /* SPDX expression */
	const struct mt_component *components;
	uint32_t component_count;
	uint32_t permission_count;
	const struct mt_permission *permissions; /* permission_count of them, or NULL */
	const char *id;                  /* globally unique, with the reversed domain of
	                                    the vendor: "org.example.wc". NULL: the plugin
	                                    is identified by `name` only, and cannot be
	                                    used if another one has the same name */
	const char *vendor;              /* vendor, for people; or NULL */
	const char *url;                 /* home page; or NULL */
	/** What the plugin offers beyond this version, by a name that a header
	 *  defines: constant data, or NULL for a name that it does not know. May be
	 *  NULL. Asked for the drafts of mortise/extensions.h that are of plugins, on the
	 *  thread that loads the plugin, before anything else, any number of times. */
	const void *(*extension)(const char *name);
};
#define MT_PLUGIN_SIZE_1_0 MT_SIZE_TO(mt_plugin, extension)

/** The only symbol a plugin exports. */
#define MT_PLUGIN_SYMBOL "mortise_plugin_v1"
MT_EXPORT const struct mt_plugin *mortise_plugin_v1(void);

/** Define the entry function. Call it once in a file, at its end, with the
 *  members of struct mt_plugin, for example:
 *  MT_PLUGIN(.name = "wc", .version = "1.0", .license = "MIT",
 *            .components = parts, .component_count = 1)
 *  C only: in C++ write the function. */
#define MT_PLUGIN(...)                                                         \
	MT_EXPORT const struct mt_plugin *mortise_plugin_v1(void)              \
	{                                                                      \
		static const struct mt_plugin self_ = {                        \
			.size = sizeof self_, .abi_major = MT_ABI_MAJOR,       \
			.abi_minor = MT_NEEDS_MINOR, __VA_ARGS__ };            \
		return &self_;                                                 \
	}

/** The plugin of one component, which MT_TOOLSET, MT_AGENT, MT_CONDENSER, MT_DIALECT,
 *  MT_ANALYZER and MT_RUNTIME define: MT_KIND(&functions, "plugin", .name = "component",
 *  .summary = "...") with any other members of struct mt_component. Other properties of
 *  the plugin are defined before including the header: MT_PLUGIN_VERSION ("1.0"),
 *  MT_PLUGIN_LICENSE ("MIT"), MT_PLUGIN_DOMAIN ("org.example": the id is that and the
 *  name of the plugin), MT_PLUGIN_VENDOR, MT_PLUGIN_URL, MT_PLUGIN_PERMISSIONS (the name
 *  of an array), MT_PLUGIN_EXTENSION (a function). All have defaults, so that the compiler
 *  warns of a definition after the header, which takes effect nevertheless. C only. */
#ifndef MT_PLUGIN_VERSION
#define MT_PLUGIN_VERSION "1.0"
#endif
#ifndef MT_PLUGIN_LICENSE
#define MT_PLUGIN_LICENSE "MIT"
#endif
#ifndef MT_PLUGIN_DOMAIN
#define MT_PLUGIN_DOMAIN ""
#endif
#define MT_PLUGIN_ID(name_)                                                    \
	(sizeof(MT_PLUGIN_DOMAIN) > 1 ? MT_PLUGIN_DOMAIN "." name_ : NULL)
#ifndef MT_PLUGIN_VENDOR
#define MT_PLUGIN_VENDOR NULL
#endif
#ifndef MT_PLUGIN_URL
#define MT_PLUGIN_URL NULL
#endif
#ifndef MT_PLUGIN_EXTENSION
#define MT_PLUGIN_EXTENSION NULL
#endif
#ifndef MT_PLUGIN_PERMISSIONS
#define MT_PLUGIN_PERMISSIONS "" /* none */
#endif
#define MT_PLUGIN_PERMITS                                                      \
	.permissions = _Generic(&(MT_PLUGIN_PERMISSIONS)[0],                   \
		const struct mt_permission *: (MT_PLUGIN_PERMISSIONS),         \
		struct mt_permission *: (MT_PLUGIN_PERMISSIONS),               \
		const char *: NULL, char *: NULL),                             \
	.permission_count = sizeof(MT_PLUGIN_PERMISSIONS) /                    \
			    sizeof(struct mt_permission)
#define MT_ONE_COMPONENT(kind_, major_, minor_, functions_, plugin_name_, ...) \
	static const struct mt_component mt_the_component_ = {                 \
		.size = sizeof(struct mt_component), .kind = (kind_),          \
		.version_major = (major_), .version_minor = (minor_),          \
		.functions = (functions_), __VA_ARGS__ };                      \
	MT_PLUGIN(.name = plugin_name_, .version = MT_PLUGIN_VERSION,          \
		  .license = MT_PLUGIN_LICENSE,                                \
		  .components = &mt_the_component_, .component_count = 1,      \
		  .id = MT_PLUGIN_ID(plugin_name_), .vendor = MT_PLUGIN_VENDOR,\
		  .url = MT_PLUGIN_URL, .extension = MT_PLUGIN_EXTENSION,      \
		  MT_PLUGIN_PERMITS)

/* ---- logging, shared by all kinds ------------------------------------- */

enum mt_log_level {
	MT_LOG_ERROR = 1,
	MT_LOG_WARNING = 2,
	MT_LOG_INFO = 3,
	MT_LOG_DEBUG = 4,
};

#ifdef __cplusplus
}
#endif
#endif
