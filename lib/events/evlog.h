/* SPDX-License-Identifier: MIT
 *
 * evlog.h - the append-only log of a conversation: the truth.
 *
 * events.jsonl holds events, ids dense from 0, and records without id:
 *   {"record":"llm_reply", "response_id":..., "text":..., "calls":[...], ...}
 *   {"record":"dispatch", "action":ID}   before a call leaves
 *   {"record":"rewind", "to":ID}         what follows ID is undone
 *   {"record":"original", "event":{}}    the event before it, as it was imported
 *   {"record":"imported"}                after the last of them
 *   {"record":"state", "plugin":..., "text":...}
 * Each is one write before anyone sees it. Strings over 16 KiB go to
 * blobs/SHA256 first. Opening repairs a torn tail (kept as events.torn-N).
 * Each line ends with a checksum, `crc`; a line that is damaged costs itself only,
 * and an `error` observation stands for an event that is missing.
 * Only a small window of events is held in memory; the rest is read back. */
#ifndef LIB_EVENTS_EVLOG_H
#define LIB_EVENTS_EVLOG_H

#include "events/event.h"
#include "mask.h"

struct evlog;

enum evlog_sync { SYNC_BARRIER, SYNC_EVENT, SYNC_NONE };
enum evlog_open { EVLOG_CREATE, EVLOG_WRITE, EVLOG_READ };

struct evlog_options {
	enum evlog_sync sync;
	const struct mask *mask;   /* secrets to hide; borrowed; may be NULL */
	/** Called for a damaged line that was found after opening; may be NULL. */
	void (*damaged)(void *arg, const char *text);
	void *arg;
};

/** The index entry of an event, known without reading it. */
struct evlog_head {
	const struct event_type *type;
	uint64_t offset;           /* of its line in events.jsonl */
	uint32_t length;
	int32_t cause;
	uint8_t source;            /* enum event_source */
	bool hidden, undone, has_call; /* has_call: has tool_call_metadata */
	bool dispatched;           /* a dispatch record names it */
	bool missing;              /* its line is damaged: `error` stands for it */
	bool in_progress;          /* a delegation that has not ended */
	int32_t partner;           /* see evlog_delegation_end and _begin */
	int32_t owner;             /* see evlog_delegation_owner */
};

/** Open the log in the directory `dir` (created 0700 with EVLOG_CREATE, which
 *  fails with MT_EEXIST if there is a log). EVLOG_WRITE takes the owner's lock:
 *  MT_EDENIED if another process has it (its pid is in the sentence).
 *  `ret_report` (may be NULL): a sentence about what was repaired, to be freed;
 *  NULL if nothing was. Another format number is refused. */
int evlog_open(const char *dir, enum evlog_open mode, const struct evlog_options *o,
	       struct evlog **ret, char **ret_report, struct error *err);
struct evlog *evlog_close(struct evlog *log); /* writes the checkpoint; NULL is fine */
AUTO_DEFINE(evlog, struct evlog *, evlog_close)

/** Append: sets the event's id, its message and (unless it has one) its timestamp, masks
 *  secrets in the event itself, writes it, notifies the subscribers. The log keeps a
 *  reference. An event that has an id is refused.
 *  @return MT_OK or MT_EIO (disk full: nothing of it is kept). */
int evlog_append(struct evlog *log, struct event *e, struct error *err);
/** Append a record without id (masked too). Borrowed. */
int evlog_record(struct evlog *log, json_object *record, struct error *err);
/** Force appended lines to disk (no effect with SYNC_NONE). A failure is final: nothing
 *  can be appended afterwards, and every barrier fails. */
int evlog_barrier(struct evlog *log, struct error *err);
/** A file of a subdirectory was written by another process, and an event will refer to
 *  it: its bytes and its name are on the disk now (nothing to do with SYNC_NONE, or if
 *  the file does not exist here). A failure is final, as that of a barrier. */
int evlog_sync_file(struct evlog *log, const char *below, const char *name,
		    struct error *err);
/** A sync of something else of the conversation failed, with this errno: that is as
 *  final as a barrier that fails. `name`: file in the directory of the log; "": that
 *  directory. @return the status that a barrier has from now on, with its error. */
int evlog_lose(struct evlog *log, const char *name, int number, struct error *err);
/** True once a barrier has failed. */
bool evlog_is_lost(const struct evlog *log);
/** Start writing what the next barrier will wait for. */
void evlog_barrier_begin(struct evlog *log);
/** A file of the directory was just written: the next barrier makes it durable with the
 *  log, so that creating a conversation waits for the disk once. */
int evlog_add_file(struct evlog *log, const char *name, struct error *err);

int64_t evlog_count(const struct evlog *log);
/** How many there were when it was opened. */
int64_t evlog_opened(const struct evlog *log);
const struct evlog_head *evlog_head(const struct evlog *log, int64_t id);
/** True for events of the history: not null, not a state change, not hidden, and not
 *  reverted. */
bool event_is_history(const struct evlog_head *head);
/** The observation that ends an action `delegate`; -1: none yet. */
int64_t evlog_delegation_end(const struct evlog *log, int64_t action);
/** The action `delegate` that this event ends; -1: none. */
int64_t evlog_delegation_begin(const struct evlog *log, int64_t id);
/** The innermost delegation in progress when the event `id` was logged, or when the
 *  next one will be; -1: none. */
int64_t evlog_delegation_owner(const struct evlog *log, int64_t id);
/** Read an event; from memory if it is one of the newest. A reference for the caller. */
struct event *evlog_event(struct evlog *log, int64_t id, struct error *err);
/** True if a reply of the log has this response id. */
bool evlog_has_reply(const struct evlog *log, const char *response_id);
/** The record of a reply by response id; owned by the caller. NULL: none. */
json_object *evlog_reply(struct evlog *log, const char *response_id, struct error *err);
/** The same by place, from 0. */
json_object *evlog_reply_at(struct evlog *log, int64_t n, struct error *err);
/** A number that tells the reply at a place from others: of its id and where it is. */
uint64_t evlog_reply_mark(const struct evlog *log, int64_t n);
/** Number of llm_reply records so far. */
int64_t evlog_replies(const struct evlog *log);
/** Response id of the newest reply; "" if none. Borrowed. */
const char *evlog_last_reply(const struct evlog *log);
/** True if a dispatch record for this action exists. */
bool evlog_dispatched(const struct evlog *log, int64_t action);
/** Newest `state` record of a plugin, borrowed until the next append; NULL. */
const char *evlog_state(const struct evlog *log, const char *plugin, size_t *ret_len);
/** The first record of this name between an event (-1: the start) and the next;
 *  owned. NULL: there is none, or `err` says why it cannot be read. */
json_object *evlog_record_after(struct evlog *log, int64_t id, const char *name,
				struct error *err);
/** The line of an event as clients read it: with the text of blobs, without the
 *  checksum, with its newline. */
int evlog_line(struct evlog *log, int64_t id, struct strbuf *out, struct error *err);
/** Raw bytes of the log from `offset`, whole lines only, for clients that ask
 *  `since`. @return number of bytes or a status. */
int64_t evlog_read(struct evlog *log, uint64_t offset, struct strbuf *out, size_t max);
uint64_t evlog_size(const struct evlog *log);

/** Called after each append, in order of subscription, with the line written.
 *  A subscriber may append; those come after. @return a handle. */
typedef void evlog_subscriber(struct evlog *log, const struct event *e, void *arg);
int evlog_subscribe(struct evlog *log, evlog_subscriber *fn, void *arg);

/** Store a small JSON object in state.json at the next checkpoint, and read the one at
 *  opening (borrowed, may be NULL). */
void evlog_set_checkpoint(struct evlog *log, json_object *state);
json_object *evlog_checkpoint(const struct evlog *log);
/** A hash of the last bytes before `end`, the end of a line: it ties a file to the log
 *  that it was made from. */
int evlog_tail_hash(struct evlog *log, uint64_t end, uint64_t *ret);
int evlog_write_checkpoint(struct evlog *log, struct error *err);

const char *evlog_dir(const struct evlog *log);

/** Store bytes under blobs/SHA256. `ret_name`: 64 hex digits and NUL. */
int evlog_blob(struct evlog *log, const void *bytes, size_t len, char ret_name[65],
	       struct error *err);
/** The bytes of a blob, as they were kept; owned. `ret_path` (may be NULL): its
 *  file. @return MT_ENOTFOUND if it is gone or no blob's name, MT_EIO if it is
 *  damaged. */
int evlog_blob_read(struct evlog *log, const char *name, size_t max, char **ret,
		    size_t *ret_len, char **ret_path, struct error *err);

/** Reads a blob as evlog_blob_read does; MT_EINVAL: it is damaged. */
typedef int evlog_blobs_fn(void *arg, const char *name, size_t max, char **ret,
			   size_t *ret_len, struct error *err);
/** In a child that this process forked: the log becomes read-only. Events are read by
 *  a descriptor of the child's own, which the call returns and which cannot write; no
 *  file is opened afterwards, because blobs are read by `blobs`. Other descriptors of
 *  the log may then be closed. @return the descriptor or a status. */
int evlog_detach_copy(struct evlog *log, evlog_blobs_fn *blobs, void *arg,
		      struct error *err);
/** In such a child: read what the parent has appended since, up to `size`, the evlog_size
 *  of the parent. Subscribers are not notified. */
int evlog_follow(struct evlog *log, uint64_t size, struct error *err);

#endif
