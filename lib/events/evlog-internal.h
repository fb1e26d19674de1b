/* SPDX-License-Identifier: MIT
 *
 * evlog-internal.h - the parts of a log that its files share. */
#ifndef LIB_EVENTS_EVLOG_INTERNAL_H
#define LIB_EVENTS_EVLOG_INTERNAL_H

#include "events/event-internal.h"
#include "events/evlog.h"

enum {
	LOG_FORMAT = 1,
	LOG_BLOB_MIN = 16384, /* longer strings go to blobs/ */
	LOG_LINE_MAX = 256 << 20,
	LOG_CHECKPOINT_EVERY = 1000, /* records between two checkpoints */
	LOG_CACHE_SLOTS = 64,
	LOG_CACHE_BYTES = 1 << 20,
};

/* ---- scanning a line without parsing it ----------------------------------- */

struct slice {
	const char *text;
	size_t len;
};

enum line_kind { LINE_BAD, LINE_EVENT, LINE_RECORD };

struct line {
	enum line_kind kind;
	const char *fault; /* LINE_BAD: the reason */
	bool is_action, hidden, has_call;
	bool sealed; /* it has a valid checksum */
	int64_t id, cause, action, to; /* -1: absent */
	enum event_source source;
	struct slice type; /* of an event, or name of a record */
	struct slice response_id, plugin;
};

/** Check that a line is a JSON object and find the members that the index needs. The
 *  slices point into the line; their escapes are not decoded. */
void line_scan(const char *text, size_t len, struct line *ret);

/** Append the checksum of the content to a line, which is a JSON object. */
int evlog_line_seal(struct strbuf *line);
enum line_sum { SUM_NONE, SUM_GOOD, SUM_BAD };
/** Check a line without its newline. `*ret_body`: bytes before the checksum, without the
 *  closing bracket. */
enum line_sum evlog_line_check(const char *text, size_t len, size_t *ret_body);
/** Find a complete record with a checksum inside a damaged line, searching from `from`.
 *  `*work`: remaining number of bytes that may be scanned. */
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
	char *text; /* NULL: not yet read */
	size_t len;
};

struct log_index {
	struct evlog_head *heads;
	size_t count, room;
	struct reply_head *replies;
	size_t reply_count, reply_room;
	uint32_t *table;   /* hash table of replies: index + 1 */
	size_t table_size; /* power of two, or 0 */
	char *last_reply;  /* NULL: none */
	struct state_head *states;
	size_t state_count;
	int32_t delegations; /* the innermost in progress, plus 1; 0: none */
	uint64_t end; /* of the last complete record */
};

void index_clear(struct log_index *x);
/** Add a line at `x->end`, of `length` bytes with its newline, to the index. @return
 *  MT_OK, MT_EINVAL for an ID out of sequence (`*ret_fault`), MT_EUNSUPPORTED for an
 *  unknown type, MT_ENOMEM. */
int index_add(struct log_index *x, const struct line *line, size_t length,
	      const char **ret_fault, struct error *err);
/** Mark an indexed event as missing. */
void index_missing(struct log_index *x, size_t id);
/** Add a missing event as the next one. `hidden`: the event before it reports the gap. */
int index_add_missing(struct log_index *x, bool hidden);
/** Match the newest event with the delegation that it starts or ends. */
void delegation_match(struct log_index *x, size_t id);
/** The events from `first` on are reverted: delegations that they ended are in progress
 *  again. */
void delegations_unmatch(struct log_index *x, size_t first);
/** True if this version knows the type of the event. */
bool index_knows(const struct line *line);
/** Index of the newest reply whose ID has the same hash; -1: none. Hashes can collide:
 *  read the reply and compare. */
int64_t index_reply(const struct log_index *x, const char *response_id);
/** Build a table of `size` slots for the first `count` of x->replies. */
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
	int side_fd;                  /* a file that is not yet durable; -1: none */
	enum evlog_open mode;
	struct evlog_options options;
	struct log_index index;
	uint64_t size;                /* of events.jsonl */
	bool dirty, torn, blobs_made; /* torn: a failed write is still in it */
	bool fresh;                   /* its directory is not yet durable */
	int lost;                     /* errno of a failed sync, which is final */
	char *lost_path;              /* path of that file; NULL: out of memory */
	size_t since_checkpoint;
	json_object *checkpoint;
	int64_t recorded;             /* events in a checkpoint of a longer log */
	struct cached cache[LOG_CACHE_SLOTS];
	size_t cache_bytes, cache_hand;
	struct subscription *subscriptions;
	size_t subscription_count;
	int last_handle;
	bool telling;
	int64_t opened;     /* number of events when the log was opened */
	int64_t told;       /* number of events sent to the subscribers */
	struct strbuf line; /* the line being written */
	size_t damages;     /* number reported, see evlog_tell_damage */
	size_t blob_bytes;  /* total size of the texts in blobs of the newest line */
	evlog_blobs_fn *blobs; /* reads blobs in a forked child; NULL: use the files */
	void *blobs_arg;
};

/** Read the lines from index.end on. Repair the end if the log is open for writing. */
int evlog_replay(struct evlog *log, struct strbuf *report, struct error *err);
/** Load the checkpoint if it matches the log; otherwise the index stays empty. */
void evlog_load_checkpoint(struct evlog *log);
int evlog_lock(struct evlog *log, struct error *err);
int evlog_check_format(struct evlog *log, struct error *err);

/** Add an event to the cache and evict older ones. */
void evlog_cache(struct evlog *log, struct event *e, size_t bytes);
/** Read bytes of events.jsonl at an offset. */
int evlog_pread(struct evlog *log, uint64_t offset, size_t len, char *buf,
		struct error *err);
/** Parse a line and replace references by the text of their blobs. NULL with `err`. */
json_object *evlog_parse_line(struct evlog *log, uint64_t offset, size_t len,
			      struct error *err);

/** Copy a damaged piece of the log to a file next to it and report it: in `report`, or if
 *  that is NULL, through the callback in the options. A piece that was already copied is
 *  not reported again. */
void evlog_tell_damage(struct evlog *log, uint64_t from, uint64_t len, const char *fault,
		       struct strbuf *report);
/** Report that `count` events from `first` on are missing at the end of the index,
 *  without a damaged line in the log. `cut`: no event follows. */
void evlog_tell_gap(struct evlog *log, int64_t first, int64_t count, bool cut,
		    struct strbuf *report);
/** "Event 3 is missing." */
int evlog_put_missing(struct strbuf *out, int64_t first, int64_t count);
/** The replacement for a missing event. */
struct event *evlog_missing_event(struct evlog *log, int64_t id, struct error *err);
/** Mark an indexed event as missing because its line is damaged. */
void evlog_lose_event(struct evlog *log, int64_t id, const char *fault);

/** The hook that moves long strings of a record to blobs/. */
struct write_hook blob_hook(struct evlog *log);
/** Replace references by the text of their blobs. */
int blob_resolve(struct evlog *log, json_object **value, struct error *err);

#endif
