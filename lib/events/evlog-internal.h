/* SPDX-License-Identifier: MIT
 *
 * evlog-internal.h - the parts of a log, shared by its files. */
#ifndef LIB_EVENTS_EVLOG_INTERNAL_H
#define LIB_EVENTS_EVLOG_INTERNAL_H

#include "events/internal.h"
#include "events/evlog.h"

enum {
	LOG_FORMAT = 1,
	LOG_BLOB_MIN = 16384, /* longer strings go to blobs/ */
	LOG_LINE_MAX = 256 << 20,
	LOG_CHECKPOINT_EVERY = 1000, /* records between two checkpoints */
	LOG_CACHE_SLOTS = 64,
	LOG_CACHE_BYTES = 1 << 20,
};

/* ---- a line, looked at without being parsed ------------------------------ */

struct slice {
	const char *text;
	size_t len;
};

enum line_kind { LINE_BAD, LINE_EVENT, LINE_RECORD };

struct line {
	enum line_kind kind;
	const char *fault; /* LINE_BAD: what is wrong with it */
	bool is_action, hidden, has_call;
	bool sealed; /* it has a checksum, and that is right */
	int64_t id, cause, action, to; /* -1: not there */
	enum event_source source;
	struct slice type; /* of an event, or name of a record */
	struct slice response_id, plugin;
};

/** Check that a line is a JSON object and find what the index needs. The
 *  slices point into it, with escapes as written. */
void line_scan(const char *text, size_t len, struct line *ret);

/** End a line, which is a JSON object, with the checksum of what it holds. */
int evlog_line_seal(struct strbuf *line);
enum line_sum { SUM_NONE, SUM_GOOD, SUM_BAD };
/** Check a line without its newline. `*ret_body`: bytes before the checksum; what
 *  is missing there is the closing bracket. */
enum line_sum evlog_line_check(const char *text, size_t len, size_t *ret_body);
/** Find a whole record with its checksum inside a damaged line, from `from` on.
 *  `*work`: bytes that may still be looked at. */
bool evlog_line_salvage(const char *text, size_t len, size_t from, size_t *work,
			size_t *ret_start, size_t *ret_end);

/* ---- the index: facts about the log that do not require reading it -------- */

struct reply_head {
	uint64_t hash, offset;
	uint32_t length, reserved; /* reserved: written to the index as 0 */
};

struct state_head {
	char *plugin;
	uint64_t offset;
	uint32_t length;
	char *text; /* NULL: not read yet */
	size_t len;
};

struct log_index {
	struct evlog_head *heads;
	size_t count, room;
	struct reply_head *replies;
	size_t reply_count, reply_room;
	uint32_t *table;   /* hash table of replies: place + 1 */
	size_t table_size; /* power of two, or 0 */
	char *last_reply;  /* NULL: none */
	struct state_head *states;
	size_t state_count;
	int32_t delegations; /* the innermost in progress, plus one; 0: none */
	uint64_t end; /* of the last whole record */
};

void index_clear(struct log_index *x);
/** Take a line in that stands at `x->end`, `length` bytes with its newline.
 *  @return MT_OK, MT_EINVAL for an id out of turn (`*ret_fault`),
 *  MT_EUNSUPPORTED for a type that this version does not know, MT_ENOMEM. */
int index_add(struct log_index *x, const struct line *line, size_t length,
	      const char **ret_fault, struct error *err);
/** An event in the index becomes one that is missing. */
void index_missing(struct log_index *x, size_t id);
/** The next event is one that is missing. `hidden`: the one before reports it. */
int index_add_missing(struct log_index *x, bool hidden);
/** Match the newest event with the delegation that it begins or ends. */
void delegation_match(struct log_index *x, size_t id);
/** The events from `first` on are undone: delegations that they ended are in progress. */
void delegations_unmatch(struct log_index *x, size_t first);
/** True if this version knows the type of the event. */
bool index_knows(const struct line *line);
/** Place of a reply with this id from place `from` on downwards; -1: none.
 *  The hash may deceive: read and compare. */
int64_t index_reply(const struct log_index *x, const char *response_id);
/** Take the first `count` of x->replies in, in a table of `size` slots. */
int index_make_table(struct log_index *x, size_t count, size_t size);

/* ---- the log ------------------------------------------------------------- */

struct subscription {
	evlog_subscriber *fn;
	void *arg;
	int handle;
};

struct cached {
	struct event *event;
	size_t bytes;
};

struct evlog {
	char *dir;
	int dir_fd, fd;               /* the lock is on fd */
	int side_fd;                  /* a file not durable yet; -1: none */
	enum evlog_open mode;
	struct evlog_options options;
	struct log_index index;
	uint64_t size;                /* of events.jsonl */
	bool dirty, torn, blobs_made; /* torn: a failed write is still in it */
	bool fresh;                   /* its directory is not durable yet */
	int lost;                     /* errno of a sync that failed: that is final */
	char *lost_path;              /* of the file; NULL: out of memory */
	size_t since_checkpoint;
	json_object *checkpoint;
	int64_t recorded;             /* events that a checkpoint of a longer log counts */
	struct cached cache[LOG_CACHE_SLOTS];
	size_t cache_bytes, cache_hand;
	struct subscription *subscriptions;
	size_t subscription_count;
	int last_handle;
	bool telling;
	int64_t opened;     /* events there when it was opened */
	int64_t told;       /* events told to the subscribers */
	struct strbuf line; /* the line being written */
	size_t damages;     /* number reported, see evlog_tell_damage */
	size_t blob_bytes;  /* of the texts that the newest line has in blobs */
	evlog_blobs_fn *blobs; /* reads blobs in a copy of the process; NULL: files do */
	void *blobs_arg;
};

/** Read the lines from index.end on, repairing the end when the log is open
 *  for writing. */
int evlog_replay(struct evlog *log, struct strbuf *report, struct error *err);
/** Take the checkpoint, if it fits the log; otherwise the index stays empty. */
void evlog_load_checkpoint(struct evlog *log);
int evlog_lock(struct evlog *log, struct error *err);
int evlog_check_format(struct evlog *log, struct error *err);

/** Put an event into the cache in place of older ones. */
void evlog_cache(struct evlog *log, struct event *e, size_t bytes);
/** Read the bytes at a place of events.jsonl. */
int evlog_pread(struct evlog *log, uint64_t offset, size_t len, char *buf,
		struct error *err);
/** A line parsed, its blobs put back. NULL with `err`. */
json_object *evlog_parse_line(struct evlog *log, uint64_t offset, size_t len,
			      struct error *err);

/** Copy a damaged piece of the log to a file next to it and report it: in `report`, or
 *  if that is NULL to the callback in the options. A piece copied before is not
 *  reported again. */
void evlog_tell_damage(struct evlog *log, uint64_t from, uint64_t len, const char *fault,
		       struct strbuf *report);
/** Report that `count` events from `first` on are missing at the end of what is indexed,
 *  where no damaged line is left of them. `cut`: nothing follows. */
void evlog_tell_gap(struct evlog *log, int64_t first, int64_t count, bool cut,
		    struct strbuf *report);
/** "Event 3 is missing." */
int evlog_put_missing(struct strbuf *out, int64_t first, int64_t count);
/** The replacement that is read for a missing event. */
struct event *evlog_missing_event(struct evlog *log, int64_t id, struct error *err);
/** An event of the index turned out to be damaged: from now on it is missing. */
void evlog_lose_event(struct evlog *log, int64_t id, const char *fault);

/** The hook that moves long strings of a record to blobs/. */
struct write_hook blob_hook(struct evlog *log);
/** Put the text of blobs in the place of references. */
int blob_resolve(struct evlog *log, json_object **value, struct error *err);

#endif
