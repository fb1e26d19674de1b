/* SPDX-License-Identifier: MIT
 *
 * mortise/tool.h - the tool kind: tools that a model can call.
 *
 * A component of this kind is a *toolset*: one tool, or several that share an instance (a
 * shell, a connection). It runs in its own worker process, never in the conversation
 * process: if it crashes or blocks, only one call fails. Its standard output goes to a
 * log.
 *
 * This kind is frozen at 1; see the rules in plugin.h.
 *
 * Threads. `open`, `list`, `call` and `close` of an instance run on one thread,
 * one at a time (several calls at once, each on a thread of its own, with
 * MT_TOOLSET_PARALLEL). `input` and `cancel` come from another thread while
 * `call` runs. Services marked [any thread] may be called from any thread; the
 * others only by the thread of the function that was given the call, or the
 * instance. A function must return: the call fails if its thread ends. A child process that
 * it forks must not return from it.
 *
 * Lifetimes. A struct mt_call is valid until the function that was given it returns, also
 * for other threads; a struct mt_instance until `close` returns; the struct mt_tool_host
 * as long as the process. Results of services are borrowed for the documented time and
 * never freed by the plugin. Services copy their arguments before they return.
 *
 * NULL. Pointers to text may be NULL where their length is 0. `call`, `instance`, names
 * and formats are never NULL; ret_ pointers may be NULL where documented.
 *
 * What changed, newest first (a line with every addition):
 *   1.0  first version
 */
#ifndef MORTISE_TOOL_H
#define MORTISE_TOOL_H

#include <mortise/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MT_TOOL_MAJOR 1u
#define MT_TOOL_MINOR 0u

/** The oldest minor version of the tool kind that the plugin works with; see
 *  MT_NEEDS_MINOR. */
#ifndef MT_NEEDS_TOOL_MINOR
#define MT_NEEDS_TOOL_MINOR MT_TOOL_MINOR
#endif

struct mt_call;     /* one running call; belongs to the host */
struct mt_instance; /* one configured toolset; belongs to the host */
struct mt_listing;  /* collects the tools of a toolset with a dynamic list */
struct mt_tool;     /* below */

/** Effects of a tool, for confirmation, caching and scheduling. A host ignores bits that it
 *  does not know, here and in mt_toolset.flags. */
enum {
	MT_TOOL_READ_ONLY = 1u << 0,   /* does not change anything */
	MT_TOOL_DESTRUCTIVE = 1u << 1, /* may destroy existing data */
	MT_TOOL_IDEMPOTENT = 1u << 2,  /* repeating a call has no further effect */
	MT_TOOL_OPEN_WORLD = 1u << 3,  /* communicates outside the workspace and the machine */
	MT_TOOL_PARALLEL = 1u << 4,    /* may run in parallel with other calls; of a
	                                  third party: with trust_hints = yes */
	MT_TOOL_CONTROL = 1u << 5,     /* not called: the controller handles its event */
	MT_TOOL_ON_REQUEST = 1u << 6,  /* offered only if `tools` names it, not with the
					  rest of its toolset, unless they have one name */
	MT_TOOL_FOLLOW_UP = 1u << 7,   /* not offered: the host calls it after each call of
					  another toolset that may have changed files, with
					  the `path` of that call, if it has one. The
					  result of that call gets the reply unless it is
					  empty. Not called before another tool of its
					  toolset was; it has 5 seconds. */
	MT_TOOL_OPTIONAL = 1u << 8,    /* not offered to a model with a small context
					  window, unless the user chose the tools */
};

enum {
	MT_TOOLSET_PARALLEL = 1u << 0, /* `call` may run on several threads at once */
};

enum mt_input_kind {
	MT_INPUT_BYTES = 1, /* `bytes`, as they were typed */
};

/** Input from the user for a running call. Borrowed until `input` returns. */
struct mt_input {
	uint32_t size;
	uint32_t kind;       /* enum mt_input_kind */
	struct mt_str bytes; /* any bytes; not empty */
};
#define MT_INPUT_SIZE_1_0 MT_SIZE_TO(mt_input, bytes)

#define MT_SAVED_MAX 65536u /* bytes that mt_tool_host.save takes */

/** Services of the host for tools. Append only. */
struct mt_tool_host {
	uint32_t size; /* of this struct in the host that made it */
	uint32_t reserved;

	/* -- the call -- */

	/** The instance that runs the call, the name of its tool, and its id: a text
	 *  that no other call of the runner has, as of the action in the event log.
	 *  Borrowed until the call returns. [any thread] */
	struct mt_instance *(*call_instance)(struct mt_call *call);
	const char *(*call_tool)(struct mt_call *call);
	const char *(*call_id)(struct mt_call *call);

	/* -- the arguments of a call, checked against the schema before -- */

	/** Text argument. @return borrowed until the call returns; NULL if it
	 *  is absent or not a string. `ret_len` may be NULL. The text may hold
	 *  NUL bytes; one more follows its end. For large ones see
	 *  MT_ARGUMENTS_DRAFT_1 of extensions.h. [any thread] */
	const char *(*arg_str)(struct mt_call *call, const char *name, size_t *ret_len);
	/** Integer. @return MT_OK, MT_ENOTFOUND if absent or null,
	 *  MT_EINVAL if it is something else; `*ret` is untouched then. [any thread] */
	int (*arg_int)(struct mt_call *call, const char *name, int64_t *ret);
	/** Number; the rest as arg_int. [any thread] */
	int (*arg_number)(struct mt_call *call, const char *name, double *ret);
	/** Boolean; the strings "true" and "false" count too. The rest as arg_int.
	 *  [any thread] */
	int (*arg_bool)(struct mt_call *call, const char *name, int *ret);
	/** Any argument as JSON text; name NULL: all of them, an object. `ret_len` may
	 *  be NULL. @return borrowed until it is asked for again or the call returns;
	 *  NULL if absent. */
	const char *(*arg_json)(struct mt_call *call, const char *name, size_t *ret_len);

	/* -- the result -- */

	/** Append text to the result. The whole result has a limit (that of the host, or
	 *  mt_tool.result_max), above which text is cut. @return MT_OK; MT_ELIMIT when text was
	 *  cut. A call that returns this MT_ELIMIT has not failed: its result is what fits. */
	int (*reply)(struct mt_call *call, const char *fmt, ...) MT_PRINTF(2, 3);
	/** The same for a given text, which need not end in NUL: for languages that
	 *  cannot call functions with variable arguments. */
	int (*reply_text)(struct mt_call *call, const char *text, size_t len);
	/** Append an image or another medium, for example "image/png". The bytes are
	 *  copied. The model receives it if its provider supports it. The field `image_note`
	 *  is text that only makes sense with the images of the result: it is omitted with
	 *  them.
	 *  @return MT_ELIMIT above 16 MiB in one result, MT_EINVAL if `mime` is not a
	 *  media type of at most 127 bytes, MT_ENOMEM. */
	int (*reply_media)(struct mt_call *call, const char *mime, const void *bytes,
			   size_t len);
	/** Set a field of the observation (see mt_tool.events); `json` is JSON
	 *  text. Fields that the observation type does not know are kept; `hidden` and
	 *  `media` are not. If one has a type that the observation cannot have, all fields
	 *  are omitted, with a warning. Setting one again replaces it. @return MT_EINVAL, MT_ELIMIT above 1 MiB, MT_ENOMEM. */
	int (*field)(struct mt_call *call, const char *name, const char *json, size_t len);
	/** Fail the call with a sentence that the model will read, cut after 4095 bytes;
	 *  text that was appended before precedes it. The last call takes effect.
	 *  `status` is one of enum mt_status; the call fails with MT_EINVAL for MT_OK or
	 *  another number. @return `status`, so that a tool can write `return
	 *  host->fail(...)`. */
	int (*fail)(struct mt_call *call, int status, const char *fmt, ...)
		MT_PRINTF(3, 4);
	/** The same for a given sentence; see reply_text. */
	int (*fail_text)(struct mt_call *call, int status, const char *text, size_t len);

	/* -- while it runs -- */

	/** Live output for connected clients; may be dropped, so it is not part of the
	 *  result. Never waits. @return MT_OK. [any thread] */
	int (*output)(struct mt_call *call, const char *bytes, size_t len);
	/** Progress: `done` of `total` (0: unknown), and a short text or NULL. Never
	 *  waits. @return MT_OK, MT_ELIMIT if it was dropped. [any thread] */
	int (*progress)(struct mt_call *call, double done, double total,
			const char *message);
	/** Bytes for the spool, the file that stores the whole output of a call in
	 *  addition to the result, up to a cap. @return MT_OK, MT_ELIMIT at the cap, MT_EIO.
	 *  [any thread] */
	int (*spool)(struct mt_call *call, const char *bytes, size_t len);
	/** Path of the spool file as the model can open it, "" if there is none.
	 *  Borrowed until the call returns. */
	const char *(*spool_path)(struct mt_call *call);
	/** Non-zero once the call has been cancelled. [any thread] */
	int (*cancelled)(struct mt_call *call);
	/** A descriptor that becomes readable once the call is cancelled, for
	 *  poll(). Do not read or close it; valid until the call returns.
	 *  @return -1 without a descriptor left. [any thread] */
	int (*cancel_fd)(struct mt_call *call);
	/** Milliseconds until the host kills the call; -1: never. [any thread] */
	int64_t (*time_left_ms)(struct mt_call *call);

	/** Send a request to the host and wait for the response. Methods:
	 *    "model/complete"      {messages:[{role,content}], max_tokens?, model?}
	 *                          -> {text}
	 *    "user/ask"            {question, choices?} -> {answer}, which need not be
	 *                          a choice; waits as long as the call runs.
	 *                          MT_EDENIED: the user declines; MT_EUNSUPPORTED:
	 *                          there is no user
	 *    "client/ask"          {requests: {KEY: {method, params}}} -> {responses:
	 *                          {KEY: result}}: requests of MCP to the client that called
	 *                          the tool (`tools serve`): elicitation/create,
	 *                          sampling/createMessage, roots/list. Those that it does
	 *                          not support are left out
	 *    "secret/get"          {name} -> {value}: the secret of [grant.NAME], if its
	 *                          `tools` list the instance
	 *    "shell/directory"     {} -> {directory}: where the shell of the
	 *                          conversation last was, "" if unknown
	 *    "http/send"           {url, method?, headers?, body?, timeout_ms?}
	 *                          -> {status, headers, body or base64}: to a host that
	 *                          the plugin declares (MT_PERMIT_HOST) or the user allows,
	 *                          with the proxy and the certificates of the host,
	 *                          which sets Host, Content-Length, Transfer-Encoding
	 *                          and Connection; also without a conversation
	 *  `params` and result are JSON objects. `ret_result` may be NULL; what it gets
	 *  is borrowed until the call returns. One request of a call at a time (for
	 *  several see MT_REQUESTS_DRAFT_1 of extensions.h); it
	 *  waits until the answer comes or the call is cancelled. @return MT_EUNSUPPORTED for a method that this host
	 *  lacks, MT_EDENIED, MT_ECANCELLED, ...; then the result is a sentence. */
	int (*request)(struct mt_call *call, const char *method, struct mt_str params,
		       struct mt_str *ret_result);

	/* -- the instance -- */

	/** Value of an option as text, its default included; NULL if unset.
	 *  Borrowed for the life of the instance. [any thread] */
	const char *(*option)(struct mt_instance *instance, const char *name);
	/** The same as a number: of a boolean 1 or 0, of a duration ms, of a size bytes;
	 *  0 if unset. [any thread] */
	int64_t (*option_int)(struct mt_instance *instance, const char *name);
	/** Key and value of the n-th option that was set and begins with
	 *  `prefix`, borrowed for the life of the instance.
	 *  @return MT_OK, MT_ENOTFOUND past the last one. [any thread] */
	int (*option_at)(struct mt_instance *instance, const char *prefix, size_t n,
			 const char **ret_key, const char **ret_value);
	/** Absolute paths: the workspace, and directories that are created on request.
	 *  `private_dir` lives as long as the runner does, `conversation_dir` as long as
	 *  the conversation (the same one when it is resumed), both for this instance;
	 *  `user_dir` as long as the user's installation, for all instances of the
	 *  plugin. "" if there is none: a call without a conversation has no
	 *  `conversation_dir`. Borrowed for the life of the instance. [any thread] */
	const char *(*workspace)(struct mt_instance *instance);
	const char *(*private_dir)(struct mt_instance *instance);
	const char *(*conversation_dir)(struct mt_instance *instance);
	const char *(*user_dir)(struct mt_instance *instance);
	/** Path of the plugin file. Borrowed for the life of the instance. [any thread] */
	const char *(*plugin_path)(struct mt_instance *instance);
	/** Keep up to MT_SAVED_MAX bytes for as long as the conversation lives, in place
	 *  of those kept before; they are on disk when it returns. For what an instance
	 *  needs to continue after a resume, or in a new worker after a crash. A fork of
	 *  the conversation starts without them, and with an empty `conversation_dir`.
	 *  @return MT_EUNSUPPORTED if there is no conversation, MT_ELIMIT, MT_EIO. */
	int (*save)(struct mt_instance *instance, const void *bytes, size_t len);
	/** What was last saved, with a NUL after it; NULL if nothing was. Another version of
	 *  the plugin may have saved it. `ret_len` may be NULL. Borrowed until the next
	 *  `save` or `saved` of the instance: with MT_TOOLSET_PARALLEL, one thread at a
	 *  time. */
	const void *(*saved)(struct mt_instance *instance, size_t *ret_len);
	/** The list of tools has changed: the host calls `list` again.
	 *  [any thread] */
	void (*changed)(struct mt_instance *instance);
	/** Add a tool to those of the toolset; only in `list`. It is copied with all its
	 *  texts. @return MT_OK; MT_EINVAL for one that cannot be offered (an invalid name,
	 *  schema or member, or a name that the toolset has already): continue with the
	 *  next; MT_ELIMIT above 512 tools, or MT_ENOMEM: end. */
	int (*add_tool)(struct mt_listing *listing, const struct mt_tool *tool);
	/** A line of the log, cut after 1023 bytes. The last line that
	 *  `open` writes is the reason that the model reads if it fails. May be dropped on the way. [any thread] */
	void (*log)(struct mt_instance *instance, int level, const char *fmt, ...)
		MT_PRINTF(3, 4);
	void (*log_text)(struct mt_instance *instance, int level, const char *text,
			 size_t len); /* [any thread] */
	/** A table of functions that is not part of this version, by its name, or NULL
	 *  if this host does not have it. Names that end in ".draft-N" are those of
	 *  <mortise/extensions.h>: they may go without notice. Borrowed for the life of
	 *  the process. [any thread] */
	const void *(*extension)(const char *name);
};
#define MT_TOOL_HOST_SIZE_1_0 MT_SIZE_TO(mt_tool_host, extension)

struct mt_function; /* mortise/function.h */

/* ---- parameters -------------------------------------------------------- */

enum mt_param_type {
	MT_PARAM_TEXT = 1,    /* a string; min..max: its characters */
	MT_PARAM_INTEGER = 2, /* an integer within min..max */
	MT_PARAM_NUMBER = 3,  /* a number within min..max */
	MT_PARAM_BOOL = 4,
	MT_PARAM_CHOICE = 5,  /* one of `choices` */
	MT_PARAM_LIST = 6,    /* of strings; min..max: how many */
};

enum {
	MT_REQUIRED = 1u << 0, /* calls without it are rejected */
};

/** One parameter of a tool. From a table of these come the schema, the checks before a
 *  call, and the defaults: arg_str, arg_int, ... give the default of one that is absent.
 *  `name`, `flags` and `help` follow each other so that MT_TEXT("path", MT_REQUIRED,
 *  "The file.") can be written. */
struct mt_param {
	uint32_t size;
	uint32_t type;        /* enum mt_param_type */
	const char *name;     /* [a-zA-Z_][a-zA-Z0-9_]*, unique in the table */
	uint64_t flags;       /* MT_REQUIRED */
	const char *help;     /* one sentence for the model; or NULL */
	const char *choices;  /* MT_PARAM_CHOICE: "a|b|c"; else NULL */
	const char *fallback; /* default: a text as it is, anything else as JSON; NULL: none */
	double min, max;      /* inclusive; both 0: no bounds; max < min: no upper one */
};
#define MT_PARAM_SIZE_1_0 MT_SIZE_TO(mt_param, max)

/** Members of a struct mt_tool: its parameters, in place of `schema`. C only.
 *  MT_PARAMS(MT_TEXT("path", MT_REQUIRED, "The file."),
 *            MT_INTEGER("limit", .help = "How many lines.", .min = 1, .fallback = "10")) */
#define MT_PARAMS(...)                                                         \
	.params = (const struct mt_param[]){ __VA_ARGS__ },                    \
	.param_count = sizeof((const struct mt_param[]){ __VA_ARGS__ }) /      \
		       sizeof(struct mt_param)
#define MT_PARAM(type_, name_, ...)                                            \
	{ .size = sizeof(struct mt_param), .type = (type_), .name = (name_), __VA_ARGS__ }
#define MT_TEXT(name_, ...) MT_PARAM(MT_PARAM_TEXT, name_, __VA_ARGS__)
#define MT_INTEGER(name_, ...) MT_PARAM(MT_PARAM_INTEGER, name_, __VA_ARGS__)
#define MT_NUMBER(name_, ...) MT_PARAM(MT_PARAM_NUMBER, name_, __VA_ARGS__)
#define MT_BOOL(name_, ...) MT_PARAM(MT_PARAM_BOOL, name_, __VA_ARGS__)
#define MT_CHOICE(name_, ...) MT_PARAM(MT_PARAM_CHOICE, name_, __VA_ARGS__)
#define MT_LIST(name_, ...) MT_PARAM(MT_PARAM_LIST, name_, __VA_ARGS__)

/* ---- tools -------------------------------------------------------------- */

/** One tool. Constant, or given to mt_toolset.list, which copies. */
struct mt_tool {
	uint32_t size;
	uint32_t hints;          /* MT_TOOL_READ_ONLY ... */
	const char *name;        /* [a-zA-Z][a-zA-Z0-9_-]{0,63} */
	const char *title;       /* a short title for people; or NULL */
	const char *description; /* for the model */
	const char *brief;       /* a shorter one for small context windows; or NULL */
	const char *schema;      /* JSON Schema of the arguments, an object; NULL: it is
	                            made from `function` or from `params`; without
	                            these, the tool has no arguments */
	const char *output_schema; /* JSON Schema of the structured result (see
	                              extensions.h), an object; or NULL */

	/** How calls appear in the event log, as JSON text; NULL: action
	 *  `call_tool`, observation `tool`. An array, the first entry whose
	 *  `when` matches the arguments wins:
	 *    [{"when": {"command": "view"}, "action": "read", "observation": "read",
	 *      "args": {"path": "$path", "impl_source": "oh_aci"},
	 *      "timeout": "$timeout"}]
	 *  "$x" stands for the argument x, "$*" for all of them, anything else for
	 *  itself, an object for one whose members are such forms. An argument that is
	 *  absent leaves the event's default. "required": ["y"] refuses a call that
	 *  the entry applies to and that lacks y. {"$each": "$x", "item": {"id":
	 *  "task-$n", "done": false}} stands for the list x of objects, each with
	 *  these members: its own, or the default, in whose text "$n" is the place in
	 *  the list, from 1. "internal": true marks an entry that only carries out
	 *  actions of a recording or of a client: its arguments may be missing in
	 *  `schema`. */
	const char *events;

	/** Run one call of this tool. NULL: mt_toolset.call does it.
	 *  @return MT_OK, or a status after mt_tool_host.fail; a number that is not in
	 *  enum mt_status, such as a positive one, fails the call with MT_EINVAL. */
	int (*call)(const struct mt_tool_host *host, void *self, struct mt_call *call);

	/** A C function with typed arguments instead of `call`; or NULL. A tool with both is
	 *  refused. */
	const struct mt_function *function;

	/** Time limit after which a call is killed, in ms, unless the user or the call
	 *  sets another; 0: the default of the host, -1: none. */
	int64_t deadline_ms;
	/** Maximum number of bytes of text in a result, if lower than the host's; 0: the
	 *  host's limit. */
	int64_t result_max;

	/** The parameters, of a tool without `schema` and `function`: see MT_PARAMS. */
	const struct mt_param *params;
	uint32_t param_count;
	uint32_t reserved;       /* 0 */

	/** Say with mt_tool_host.reply what a call with these arguments would do: a user
	 *  reads it where the call needs approval, below the arguments, which are shown in any
	 *  case and are what is approved. Called before that, perhaps without a call that
	 *  follows it, so it must change nothing. Threads and lifetimes are those of `call`. It
	 *  has 5 seconds and 32 KiB of text; `request` fails with MT_EDENIED; fields and media
	 *  are ignored. If it fails, the user reads why. NULL: the arguments say it all.
	 *  @return MT_OK, or a status after mt_tool_host.fail. */
	int (*preview)(const struct mt_tool_host *host, void *self, struct mt_call *call);
};
#define MT_TOOL_SIZE_1_0 MT_SIZE_TO(mt_tool, preview)

/** A toolset. Every function may be NULL, except that a tool that is not MT_TOOL_CONTROL
 *  needs one of its `call`, its `function`, the set's `call`. Each receives the host, and
 *  its instance or a call, whose instance host->call_instance returns. */
struct mt_toolset {
	uint32_t size;
	uint32_t flags;              /* MT_TOOLSET_PARALLEL */
	uint32_t tool_count;
	uint32_t reserved;           /* 0 */
	const struct mt_tool *tools; /* the static list, available without running it */

	/** Make an instance, before its first call. `*ret_self` goes to every later
	 *  function; it is NULL if `open` leaves it or there is no `open`. On failure
	 *  write the reason with host->log and return a status: the call fails with it,
	 *  the next one tries again. */
	int (*open)(const struct mt_tool_host *host, struct mt_instance *instance,
		    void **ret_self);
	/** Tools beyond the static ones: give each to host->add_tool. `listing` is valid
	 *  until `list` returns. Called after `open`, after `changed`, and for a call of
	 *  a tool that is not known. The host stores the list per plugin file and options,
	 *  not per conversation: the first request of a later conversation offers it until
	 *  this instance has listed its tools, so a call may name a tool that this instance does not
	 *  have. @return MT_OK, or a status: then the list stays as it was. */
	int (*list)(const struct mt_tool_host *host, struct mt_instance *instance,
		    void *self, struct mt_listing *listing);
	/** Run a call of a tool without a function of its own; host->call_tool tells
	 *  its name. */
	int (*call)(const struct mt_tool_host *host, void *self, struct mt_call *call);
	/** Input from the user for a running call; it is not logged. Return quickly.
	 *  @return MT_OK, MT_EUNSUPPORTED for a `kind` that it does not know, or another
	 *  status; this host ignores it. [other thread] */
	int (*input)(const struct mt_tool_host *host, void *self, struct mt_call *call,
		     const struct mt_input *input);
	/** The running call is cancelled: make it return quickly. Not required if calls
	 *  poll `cancelled` or `cancel_fd`. @return MT_OK or a status; this host ignores
	 *  it. [other thread] */
	int (*cancel)(const struct mt_tool_host *host, void *self, struct mt_call *call);
	/** Close the instance and terminate what it started. No call is running, and none
	 *  follows. Not called if the worker is killed: do not rely on it to save
	 *  anything. */
	void (*close)(const struct mt_tool_host *host, struct mt_instance *instance,
		      void *self);
};
#define MT_TOOLSET_SIZE_1_0 MT_SIZE_TO(mt_toolset, close)

/** A whole plugin of one tool with one function: MT_TOOL(run, "plugin", .name = "x",
 *  .description = "...", .schema = "...") after `static int run(const struct mt_tool_host
 *  *host, void *self, struct mt_call *call)`. MT_TOOL_WITH takes members of struct
 *  mt_component as well, in parentheses: MT_TOOL_WITH(run, "plugin", (.summary = "...",
 *  .options = table, .option_count = 2), .name = "x", ...). For other properties of the
 *  plugin see MT_ONE_COMPONENT. C only. */
#define MT_TOOL(function_, plugin_name_, ...)                                  \
	MT_TOOL_WITH(function_, plugin_name_, (.summary = NULL), __VA_ARGS__)
#define MT_TOOL_WITH(function_, plugin_name_, component_, ...)                 \
	static const struct mt_tool mt_the_tool_ = {                           \
		.size = sizeof(struct mt_tool), .call = (function_),           \
		__VA_ARGS__ };                                                 \
	static const struct mt_toolset mt_the_set_ = {                         \
		.size = sizeof(struct mt_toolset), .tool_count = 1,            \
		.tools = &mt_the_tool_ };                                      \
	MT_ONE_COMPONENT(MT_KIND_TOOL, MT_TOOL_MAJOR, MT_NEEDS_TOOL_MINOR,     \
			 &mt_the_set_, plugin_name_, .name = plugin_name_,     \
			 MT_MEMBERS component_)
#define MT_MEMBERS(...) __VA_ARGS__

/** A plugin of one toolset; see MT_ONE_COMPONENT. */
#define MT_TOOLSET(functions_, plugin_name_, ...)                              \
	MT_ONE_COMPONENT(MT_KIND_TOOL, MT_TOOL_MAJOR, MT_NEEDS_TOOL_MINOR,     \
			 1 ? (functions_) : (const struct mt_toolset *)0,      \
			 plugin_name_, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
