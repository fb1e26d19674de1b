/* SPDX-License-Identifier: MIT
 *
 * evlog.h - the append-only log of a conversation, the authoritative record.
 *
 * events.jsonl holds events, with IDs from 0 without gaps, and records without ID:
 *   {"record":"llm_reply", "response_id":..., "text":..., "calls":[...], ...}
 *   {"record":"dispatch", "action":ID}   written before a call is sent
 *   {"record":"snapshot", "action":ID, "snapshot":N}   of the workspace, before the call
 *   {"record":"rewind", "to":ID}         events after ID are reverted
 *   {"record":"original", "event":{}}    the preceding event, as it was imported
 *   {"record":"imported"}                follows the last of them
 *   {"record":"state", "plugin":..., "text":...}
 * Each line is written in one piece before subscribers see it. Strings over 16 KiB go
 * to blobs/SHA256 first. Opening repairs a torn end (kept as events.torn-N).
 * Each line ends with a checksum, `crc`. A damaged line affects only itself; an `error`
 * observation replaces a missing event.
 * Only a small window of events is held in memory; the rest is read from the file. */
#ifndef LIB_EVENTS_EVLOG_H
#define LIB_EVENTS_EVLOG_H

#include "events/event.h"
#include "mask.h"

struct evlog;

enum evlog_sync { SYNC_BARRIER, SYNC_EVENT, SYNC_NONE };
enum evlog_open { EVLOG_CREATE, EVLOG_WRITE, EVLOG_READ };

struct evlog_options {
	enum evlog_sync sync;
	const struct mask *mask;   /* secrets to mask; borrowed; may be NULL */
	/** Called for a damaged line that is found after opening; may be NULL. */
	void (*damaged)(void *arg, const char *text);
	void *arg;
};

/** The index entry of an event, available without reading the event. */
struct evlog_head {
	const struct event_type *type;
	uint64_t offset;           /* of its line in events.jsonl */
	uint32_t length;
	int32_t cause;
	uint8_t source;            /* enum event_source */
	bool hidden, undone, has_call; /* has_call: has tool_call_metadata */
	bool dispatched;           /* a dispatch record names it */
	bool missing;              /* its line is damaged; an `error` replaces it */
	bool in_progress;          /* a delegation that has not ended */
	int32_t partner;           /* see evlog_delegation_end and _begin */
	int32_t owner;             /* see evlog_delegation_owner */
};

/** Open the log in the directory `dir` (created 0700 with EVLOG_CREATE, which fails with
 *  MT_EEXIST if the log exists). EVLOG_WRITE takes the owner's lock: MT_EDENIED if
 *  another process holds it (the message contains its PID). `ret_report` (may be NULL): a
 *  sentence about repairs, to be freed; NULL if nothing was repaired. Other format
 *  numbers are rejected. */
int evlog_open(const char *dir, enum evlog_open mode, const struct evlog_options *o,
	       struct evlog **ret, char **ret_report, struct error *err);
struct evlog *evlog_close(struct evlog *log); /* writes the checkpoint; NULL is fine */
AUTO_DEFINE(evlog, struct evlog *, evlog_close)

/** Append an event: sets its ID, its message, and (if missing) its timestamp, masks
 *  secrets in the event itself, writes it, and notifies the subscribers. The log keeps a
 *  reference. An event that has an ID is rejected. @return MT_OK or MT_EIO (disk full:
 *  nothing is appended). */
int evlog_append(struct evlog *log, struct event *e, struct error *err);
/** Append a record, which has no ID; its secrets are masked too. Borrows `record`. */
int evlog_record(struct evlog *log, json_object *record, struct error *err);
/** Force appended lines to disk (no effect with SYNC_NONE). A failure is final: nothing
 *  can be appended afterwards, and each barrier fails. */
int evlog_barrier(struct evlog *log, struct error *err);
/** Sync a file of a subdirectory that another process wrote, with its name, before an
 *  event refers to it. No effect with SYNC_NONE or if the file does not exist here. A
 *  failed sync is final, as that of a barrier. */
int evlog_sync_file(struct evlog *log, const char *below, const char *name,
		    struct error *err);
/** Record that the sync of another file of the conversation failed with this errno, which
 *  is as final as a failed barrier. `name`: file in the log's directory; "": the
 *  directory. @return the status of all later barriers, with its error. */
int evlog_lose(struct evlog *log, const char *name, int number, struct error *err);
/** True if a barrier has failed. */
bool evlog_is_lost(const struct evlog *log);
/** Start writing the data that the next barrier will wait for. */
void evlog_barrier_begin(struct evlog *log);
/** The next barrier makes this newly written file of the directory durable along with the
 *  log, so that creating a conversation waits for the disk once. */
int evlog_add_file(struct evlog *log, const char *name, struct error *err);

int64_t evlog_count(const struct evlog *log);
/** The number of events when the log was opened. */
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
/** Read an event; the newest ones are in memory. The caller gets a reference. */
struct event *evlog_event(struct evlog *log, int64_t id, struct error *err);
/** True if the log contains a reply with this response ID. */
bool evlog_has_reply(const struct evlog *log, const char *response_id);
/** The record of a reply by response id; owned by the caller. NULL: none. */
json_object *evlog_reply(struct evlog *log, const char *response_id, struct error *err);
/** Like evlog_reply, for the reply at index `n` (from 0). */
json_object *evlog_reply_at(struct evlog *log, int64_t n, struct error *err);
/** A number that identifies the reply at an index: a hash of its ID and offset. */
uint64_t evlog_reply_mark(const struct evlog *log, int64_t n);
/** Number of llm_reply records. */
int64_t evlog_replies(const struct evlog *log);
/** Response id of the newest reply; "" if none. Borrowed. */
const char *evlog_last_reply(const struct evlog *log);
/** True if a dispatch record for this action exists. */
bool evlog_dispatched(const struct evlog *log, int64_t action);
/** Newest `state` record of a plugin, borrowed until the next append; NULL: none. */
const char *evlog_state(const struct evlog *log, const char *plugin, size_t *ret_len);
/** The first record of this name between an event (-1: the start) and the next; owned.
 *  NULL: not found, or cannot be read (`err` is set). */
json_object *evlog_record_after(struct evlog *log, int64_t id, const char *name,
				struct error *err);
/** The line of an event as sent to clients: with the text of blobs, without the checksum,
 *  with its newline. */
int evlog_line(struct evlog *log, int64_t id, struct strbuf *out, struct error *err);
/** Raw bytes of the log from `offset`, complete lines only, for clients that request
 *  `since`. @return number of bytes or a status. */
int64_t evlog_read(struct evlog *log, uint64_t offset, struct strbuf *out, size_t max);
uint64_t evlog_size(const struct evlog *log);

/** Called after the line of an event was written, in order of subscription. A subscriber
 *  may append events, which are delivered afterwards. @return a handle. */
typedef void evlog_subscriber(struct evlog *log, const struct event *e, void *arg);
int evlog_subscribe(struct evlog *log, evlog_subscriber *fn, void *arg);

/** Set and get a small JSON object that is stored in state.json at each checkpoint.
 *  Opening the log reads the stored one (borrowed, may be NULL). */
void evlog_set_checkpoint(struct evlog *log, json_object *state);
json_object *evlog_checkpoint(const struct evlog *log);
/** A hash of the last bytes before `end`, the end of a line: it ties a file to the log
 *  from which the file was made. */
int evlog_tail_hash(struct evlog *log, uint64_t end, uint64_t *ret);
int evlog_write_checkpoint(struct evlog *log, struct error *err);

const char *evlog_dir(const struct evlog *log);

/** Store bytes under blobs/SHA256. `ret_name`: 64 hex digits and NUL. */
int evlog_blob(struct evlog *log, const void *bytes, size_t len, char ret_name[65],
	       struct error *err);
/** Read the bytes of a blob; owned. `ret_path` (may be NULL): its file. @return
 *  MT_ENOTFOUND if the blob is missing or the name is invalid, MT_EIO if it is
 *  damaged. */
int evlog_blob_read(struct evlog *log, const char *name, size_t max, char **ret,
		    size_t *ret_len, char **ret_path, struct error *err);

/** Read a blob like evlog_blob_read; MT_EINVAL: it is damaged. */
typedef int evlog_blobs_fn(void *arg, const char *name, size_t max, char **ret,
			   size_t *ret_len, struct error *err);
/** Make the log read-only in a forked child. The child reads events through its own
 *  read-only descriptor, which this call returns. No file is opened afterwards, because
 *  `blobs` reads blobs. Other descriptors of the log may then be closed. @return the
 *  descriptor or a status. */
int evlog_detach_copy(struct evlog *log, evlog_blobs_fn *blobs, void *arg,
		      struct error *err);
/** In such a child: read the parent's later events, up to `size`, the evlog_size of the
 *  parent. Subscribers are not notified. */
int evlog_follow(struct evlog *log, uint64_t size, struct error *err);

#endif
