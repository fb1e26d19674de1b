/* SPDX-License-Identifier: MIT
 *
 * kernel.h - a running kernel and its connections. */
#ifndef IPYTHON_KERNEL_H
#define IPYTHON_KERNEL_H

#include "launch.h"
#include "wire.h"
#include <stdint.h>

enum {
	KERNEL_MESSAGE_MAX = 16 << 20, /* bytes of a part; larger ones are not received */
	KERNEL_WAITING_MAX = 16,       /* messages in the queue */
};

enum { /* events that kernel_wait reports */
	KERNEL_SHELL = 1 << CHANNEL_SHELL,
	KERNEL_IOPUB = 1 << CHANNEL_IOPUB,
	KERNEL_STDIN = 1 << CHANNEL_STDIN,
	KERNEL_CONTROL = 1 << CHANNEL_CONTROL,
	KERNEL_DEAD = 1 << 8,
	KERNEL_CANCEL = 1 << 9, /* cancel_fd is readable */
	KERNEL_WAKE = 1 << 10,  /* wake_fd is readable; it has been read */
};

struct kernel;

/** Start a kernel without waiting until it is ready, see kernel_wait. */
int kernel_start(const struct launch_config *config, struct kernel **ret,
		 struct error *err);
struct kernel *kernel_free(struct kernel *k);
/** Send a message with this content (JSON). `ret_id` gets its id. */
int kernel_send(struct kernel *k, enum channel channel, const char *type,
		const char *content, char ret_id[WIRE_ID_MAX], struct error *err);
/** Wait for an event; descriptors may be -1, `timeout_ms` -1: no timeout.
 *  @return KERNEL_... bits, 0: timeout. */
int kernel_wait(struct kernel *k, int64_t timeout_ms, int cancel_fd, int wake_fd);
/** Read one message. @return MT_ENOTFOUND if there is none; MT_EDENIED, MT_EINVAL: an
 *  invalid message. */
int kernel_read(struct kernel *k, enum channel channel, struct wire_message *ret,
		struct error *err);
/** True if output was lost since the last call: a part was larger than
 *  KERNEL_MESSAGE_MAX. Then the output connection is new, see cell_await_kernel. */
bool kernel_has_lost(struct kernel *k);
/** Interrupt the cell, in the way that kernel.json specifies; `again`: also in the other
 *  way. */
void kernel_interrupt(struct kernel *k, bool again);
/** Kill it; the next kernel_wait reports its exit. */
void kernel_kill(struct kernel *k);
/** Append how the kernel exited. */
void kernel_describe(struct kernel *k, struct strbuf *out);
/** Current directory of the kernel, owned; NULL if it cannot be found. */
char *kernel_directory(const struct kernel *k);

#endif
