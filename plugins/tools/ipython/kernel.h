/* SPDX-License-Identifier: MIT
 *
 * kernel.h - a running kernel and its connections. */
#ifndef IPYTHON_KERNEL_H
#define IPYTHON_KERNEL_H

#include "launch.h"
#include "wire.h"
#include <stdint.h>

enum {
	KERNEL_MESSAGE_MAX = 16 << 20, /* bytes of a part; larger ones never come in */
	KERNEL_WAITING_MAX = 16,       /* messages that wait to be read */
};

enum { /* what kernel_wait saw */
	KERNEL_SHELL = 1 << CHANNEL_SHELL,
	KERNEL_IOPUB = 1 << CHANNEL_IOPUB,
	KERNEL_STDIN = 1 << CHANNEL_STDIN,
	KERNEL_CONTROL = 1 << CHANNEL_CONTROL,
	KERNEL_DEAD = 1 << 8,
	KERNEL_CANCEL = 1 << 9, /* cancel_fd is readable */
	KERNEL_WAKE = 1 << 10,  /* wake_fd is; it has been read */
};

struct kernel;

/** Start a kernel; it becomes ready meanwhile, see kernel_wait. */
int kernel_start(const struct launch_config *config, struct kernel **ret,
		 struct error *err);
struct kernel *kernel_free(struct kernel *k);
/** Send a message with this content (JSON). `ret_id` gets its id. */
int kernel_send(struct kernel *k, enum channel channel, const char *type,
		const char *content, char ret_id[WIRE_ID_MAX], struct error *err);
/** Wait for something; descriptors may be -1, `timeout_ms` -1: for ever.
 *  @return KERNEL_... bits, 0 when the time is up. */
int kernel_wait(struct kernel *k, int64_t timeout_ms, int cancel_fd, int wake_fd);
/** Read one message. @return MT_ENOTFOUND if none waits; MT_EDENIED, MT_EINVAL:
 *  one came that was none. */
int kernel_read(struct kernel *k, enum channel channel, struct wire_message *ret,
		struct error *err);
/** True if output was lost since this was last asked: something larger than
 *  KERNEL_MESSAGE_MAX came. Its line is a new one then, see cell_await_kernel. */
bool kernel_has_lost(struct kernel *k);
/** Ask it to interrupt its cell, in the way that its kernel.json wants; `again`:
 *  in the other way too. */
void kernel_interrupt(struct kernel *k, bool again);
/** Kill it; the next kernel_wait sees it dead. */
void kernel_kill(struct kernel *k);
/** How it ended, once it has; its current directory, NULL if that cannot be
 *  found. */
void kernel_describe(struct kernel *k, struct strbuf *out);
char *kernel_directory(const struct kernel *k);

#endif
