/* SPDX-License-Identifier: MIT
 *
 * sandbox.c - prepares a sandbox in a child process, and enters it. */
#include "sandbox/sandbox.h"

#include "files.h"
#include "landlock.h"
#include "sandbox/call-handler.h"
#include "sandbox/file-rules.h"
#include "sandbox/tool-filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the child sends, together with the descriptors that it has, in this order: the
 * namespaces, the rules, the listener, the filters. */
enum {
	PART_RULES = SANDBOX_NAMESPACES,
	PART_LISTENER,
	PART_FILTERS,
	PARTS = PART_FILTERS + SANDBOX_PROGRAMS,
};

enum { TRUNCATE_VERSION = 3 /* of Landlock */ };

struct answer {
	struct sandbox_state state;
	unsigned parts; /* bits */
};

struct parts {
	struct answer answer;
	int fd[PARTS];
};

/* ---- the child -------------------------------------------------------------- */

static void sandbox_note(struct sandbox_state *s, const char *text)
{
	if (!*s->reason)
		snprintf(s->reason, sizeof s->reason, "%.255s", text);
}

/* @return false if one cannot be opened */
static bool open_namespaces(struct parts *p, bool network)
{
	static const char *const files[SANDBOX_NAMESPACES] = { "user", "mnt", "net",
							       "ipc" };

	for (size_t i = 0; i < SANDBOX_NAMESPACES; i++) {
		char path[64];

		if (i == SANDBOX_NET && !network)
			continue;
		snprintf(path, sizeof path, "/proc/self/ns/%s", files[i]);
		p->fd[i] = open(path, O_RDONLY | O_CLOEXEC);
		if (p->fd[i] < 0)
			return false;
	}
	return true;
}

static int listen_on_loopback(void)
{
	const struct sockaddr_in address = { .sin_family = AF_INET,
					     .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && bind(fd, (const void *)&address, sizeof address) == 0 &&
	    listen(fd, SOMAXCONN) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* In a file in memory; -1: failed. */
static int filter_file(unsigned flags, struct sandbox_state *state)
{
	struct syscall_filter f;
	struct error err = ERROR_NONE;
	int fd;

	if (tool_filter_make(flags, &f, &err)) {
		sandbox_note(state, err.text);
		return -1;
	}
	fd = memfd_create("filter", MFD_CLOEXEC);
	if (fd >= 0 &&
	    file_write_all(fd, (const char *)f.list, f.count * sizeof *f.list)) {
		close(fd);
		fd = -1;
	}
	syscall_filter_clear(&f);
	return fd;
}

static void sandbox_make_filters(const struct sandbox_rules *r, struct parts *p)
{
	struct sandbox_state *s = &p->answer.state;
	unsigned flags = 0;

	/* Without a namespace, Landlock filters TCP from version 4, and nothing else. */
	if (r->network != SANDBOX_NETWORK_FULL && !s->namespaces)
		flags |= js_length(r->ports) && s->landlock >= LANDLOCK_PORTS
				 ? TOOL_FILTER_ONLY_TCP
				 : TOOL_FILTER_NO_INTERNET;
	if (s->handler)
		flags |= TOOL_FILTER_HOLD;
	if (s->handler && s->landlock < TRUNCATE_VERSION)
		flags |= TOOL_FILTER_TRUNCATE;
	p->fd[PART_FILTERS + SANDBOX_TOOL] = filter_file(flags, s);
	p->fd[PART_FILTERS + SANDBOX_BROWSER] =
		filter_file(flags | TOOL_FILTER_NAMESPACES, s);
	s->filter =
		p->fd[PART_FILTERS] >= 0 && p->fd[PART_FILTERS + SANDBOX_BROWSER] >= 0;
}

/* The state says whether this process is in namespaces. */
static void sandbox_make_parts(const struct sandbox_rules *r, const char *temporary,
			       struct parts *p)
{
	const bool network = r->network != SANDBOX_NETWORK_FULL;
	struct sandbox_state *s = &p->answer.state;

	for (size_t i = 0; i < PARTS; i++)
		p->fd[i] = -1;
	/* The parent then tries without them. */
	if (s->namespaces && !open_namespaces(p, network))
		_exit(1);
	if (s->namespaces && r->network == SANDBOX_NETWORK_ALLOW_LIST)
		p->fd[PART_LISTENER] = listen_on_loopback();
	p->fd[PART_RULES] = file_rules_make(r, s->namespaces ? "/tmp" : temporary,
					    s->namespaces && network, &s->landlock);
	if (!s->landlock)
		sandbox_note(s, r->landlock
					? "the kernel does not support Landlock"
					: "Landlock is disabled in the configuration");
	/* It must be out of reach of tools, which Landlock ensures. */
	if (!s->namespaces && s->landlock)
		s->handler = call_handler_works();
	sandbox_make_filters(r, p);
	s->uncovered = !s->namespaces && r->cover && r->cover[0];
	if (s->uncovered)
		sandbox_note(s, "without namespaces, commands can use the files that "
				"`.mortise/ignore` lists");
}

static int send_parts(int socket, struct parts *p)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int) * PARTS)];
	} control = { 0 };
	struct iovec text = { &p->answer, sizeof p->answer };
	struct msghdr m = { .msg_iov = &text, .msg_iovlen = 1 };
	int list[PARTS];
	size_t count = 0;

	for (size_t i = 0; i < PARTS; i++) {
		if (p->fd[i] < 0)
			continue;
		p->answer.parts |= 1u << i;
		list[count++] = p->fd[i];
	}
	if (count) {
		m.msg_control = &control;
		m.msg_controllen = CMSG_SPACE(sizeof(int) * count);
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(int) * count);
		memcpy(CMSG_DATA(&control.header), list, sizeof(int) * count);
	}
	return sendmsg(socket, &m, MSG_NOSIGNAL) < 0 ? MT_EIO : MT_OK;
}

/* The attempt is made in a process of its own, because namespaces that were created in
 * part cannot be left. @return true if that process has sent the parts. */
static bool prepare_in_namespaces(const struct sandbox_rules *r, const char *temporary,
				  int socket, struct parts *p)
{
	struct sandbox_state *s = &p->answer.state;
	struct error err = ERROR_NONE;
	int ends[2], status;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return false;
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (namespaces_make(r, temporary, &err)) {
			file_write_all(ends[1], err.text, strlen(err.text));
			_exit(1);
		}
		s->namespaces = true;
		sandbox_make_parts(r, temporary, p);
		_exit(send_parts(socket, p) ? 1 : 0);
	}
	close(ends[1]);
	if (pid < 0 || read(ends[0], s->reason, sizeof s->reason - 1) < 0)
		sandbox_note(s, "cannot start a process");
	close(ends[0]);
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	       WEXITSTATUS(status) == 0;
}

static _Noreturn void prepare(const struct sandbox_rules *r, const char *temporary,
			      int socket)
{
	struct parts p = { 0 };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!r->namespaces)
		sandbox_note(&p.answer.state,
			     "namespaces are disabled in the configuration");
	else if (prepare_in_namespaces(r, temporary, socket, &p))
		_exit(0);
	sandbox_make_parts(r, temporary, &p);
	_exit(send_parts(socket, &p) ? 1 : 0);
}

/* ---- the parent ------------------------------------------------------------- */

/* A child that prepares a sandbox. */
struct sandbox_draft {
	int pid;
	int fd;
};

static int sandbox_start(const struct sandbox_rules *r, const char *temporary,
			 struct sandbox_draft *ret, struct error *err)
{
	int ends[2];

	if (dir_make(temporary, err))
		return err->code;
	chmod(temporary, 0700);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return fail(err, MT_EIO, "cannot prepare the sandbox: %s",
			    strerror(errno));
	ret->pid = fork();
	if (ret->pid == 0)
		prepare(r, temporary, ends[1]);
	close(ends[1]);
	ret->fd = ends[0];
	if (ret->pid > 0)
		return MT_OK;
	close(ends[0]);
	return fail(err, MT_EIO, "cannot prepare the sandbox: %s", strerror(errno));
}

static int receive(int socket, struct answer *ret, int *fds, size_t *ret_count)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int) * PARTS)];
	} control = { 0 };
	struct iovec text = { ret, sizeof *ret };
	struct msghdr m = { .msg_iov = &text, .msg_iovlen = 1, .msg_control = &control,
			    .msg_controllen = sizeof control };
	struct cmsghdr *c;
	ssize_t len;

	do
		len = recvmsg(socket, &m, MSG_CMSG_CLOEXEC);
	while (len < 0 && errno == EINTR);
	c = len >= 0 ? CMSG_FIRSTHDR(&m) : NULL;
	*ret_count = 0;
	if (c && c->cmsg_type == SCM_RIGHTS) {
		*ret_count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(fds, CMSG_DATA(c), *ret_count * sizeof(int));
	}
	return len == sizeof *ret ? MT_OK : MT_EIO;
}

static int read_filter(int fd, struct syscall_filter *ret)
{
	struct stat st;

	if (fd < 0)
		return MT_OK;
	if (fstat(fd, &st) < 0 || st.st_size <= 0)
		return MT_EIO;
	ret->list = malloc((size_t)st.st_size);
	if (!ret->list)
		return MT_ENOMEM;
	ret->count = (size_t)st.st_size / sizeof *ret->list;
	return pread(fd, ret->list, (size_t)st.st_size, 0) == st.st_size ? MT_OK : MT_EIO;
}

static int take_parts(const struct answer *a, const int *fds, size_t count,
		      struct sandbox *ret)
{
	int fd[PARTS], status = MT_OK;
	size_t at = 0;

	/* A descriptor can be lost if this process has too many: a part would not be
	 * enforced. */
	if (count != (size_t)__builtin_popcount(a->parts))
		status = MT_EIO;
	for (size_t i = 0; i < PARTS; i++)
		fd[i] = a->parts & 1u << i && at < count ? fds[at++] : -1;
	for (size_t i = 0; i < SANDBOX_NAMESPACES; i++)
		ret->namespaces[i] = fd[i];
	ret->rules = fd[PART_RULES];
	ret->listener = fd[PART_LISTENER];
	ret->state = a->state;
	for (size_t i = 0; i < SANDBOX_PROGRAMS; i++) {
		if (!status)
			status = read_filter(fd[PART_FILTERS + i], &ret->filters[i]);
		if (fd[PART_FILTERS + i] >= 0)
			close(fd[PART_FILTERS + i]);
	}
	return status;
}

/* Wait for the child, and reap it. */
static int sandbox_finish(struct sandbox_draft *d, struct sandbox *ret, struct error *err)
{
	struct answer answer;
	int fds[PARTS], status;
	size_t count;

	*ret = SANDBOX_NONE;
	status = receive(d->fd, &answer, fds, &count);
	if (!status)
		status = take_parts(&answer, fds, count, ret);
	else
		while (count)
			close(fds[--count]);
	close(d->fd);
	waitpid(d->pid, NULL, 0);
	if (!status)
		return MT_OK;
	sandbox_clear(ret);
	return status == MT_ENOMEM ? out_of_memory(err)
				   : fail(err, status,
					  "the process that prepares the sandbox failed");
}

int sandbox_make(const struct sandbox_rules *r, const char *temporary,
		 struct sandbox *ret, struct error *err)
{
	struct sandbox_draft d;
	int status = sandbox_start(r, temporary, &d, err);

	return status ? status : sandbox_finish(&d, ret, err);
}

/* ---- entering --------------------------------------------------------------- */

static int enter_namespaces(const struct sandbox *s, struct error *err)
{
	for (size_t i = 0; i < SANDBOX_NAMESPACES; i++)
		if (s->namespaces[i] >= 0 && setns(s->namespaces[i], 0) < 0)
			return fail(err, MT_EIO, "cannot enter the sandbox: %s",
				    strerror(errno));
	return MT_OK;
}

/* Programs that root executes do not get them again either. */
static void drop_capabilities(void)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct none[2] = { 0 };

	for (int i = 0; prctl(PR_CAPBSET_READ, i, 0, 0, 0) >= 0; i++)
		prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	prctl(PR_SET_SECUREBITS,
	      SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
		      SECBIT_NO_SETUID_FIXUP_LOCKED,
	      0, 0, 0);
	syscall(SYS_capset, &header, none);
}

static int enter_rules(const struct sandbox *s, struct error *err)
{
	if (s->rules >= 0 && landlock_enter(s->rules) < 0)
		return fail(err, MT_EIO, "cannot apply Landlock rules: %s",
			    strerror(errno));
	return MT_OK;
}

/* The handler enters the rules once, the program twice. */
static int enter_with_handler(const struct sandbox *s, const struct sandbox_rules *rules,
			      const char *temporary, enum sandbox_program program,
			      struct error *err)
{
	struct call_handler_line line;
	int listener;

	if (call_handler_fork(rules, temporary, s->state.landlock, &line) < 0)
		return fail(err, MT_EIO, "cannot start the handler of system calls: %s",
			    strerror(errno));
	if (enter_rules(s, err))
		return err->code;
	listener = syscall_filter_listen(&s->filters[program]);
	if (listener < 0)
		return fail(err, MT_EIO, "cannot filter system calls: %s",
			    strerror(errno));
	if (call_handler_attach(&line, listener) < 0)
		return fail(err, MT_EIO, "the handler of system calls does not start");
	return MT_OK;
}

int sandbox_enter(const struct sandbox *s, const struct sandbox_rules *rules,
		  const char *temporary, enum sandbox_program program, struct error *err)
{
	int dumpable = prctl(PR_GET_DUMPABLE), signal = 0;
	pid_t parent = getppid();

	prctl(PR_GET_PDEATHSIG, &signal);
	if (enter_namespaces(s, err))
		return err->code;
	drop_capabilities();
	/* The kernel has reset both, because the capabilities have changed. */
	prctl(PR_SET_DUMPABLE, dumpable);
	prctl(PR_SET_PDEATHSIG, signal);
	if (getppid() != parent)
		return fail(err, MT_EIO, "the parent process has exited");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return fail(err, MT_EIO, "cannot enter the sandbox: %s", strerror(errno));
	if (enter_rules(s, err))
		return err->code;
	if (s->state.handler && s->filters[program].list)
		return enter_with_handler(s, rules, temporary, program, err);
	if (s->filters[program].list && syscall_filter_apply(&s->filters[program]))
		return fail(err, MT_EIO, "cannot filter system calls: %s",
			    strerror(errno));
	return MT_OK;
}

bool sandbox_holds(const struct sandbox_state *s)
{
	return (s->namespaces || s->handler) && s->landlock >= 1 && s->filter &&
	       !s->uncovered;
}

void sandbox_state_put(const struct sandbox_state *s, struct strbuf *out)
{
	js_key_bool(out, "enforced", sandbox_holds(s));
	js_key_bool(out, "namespaces", s->namespaces);
	js_key_int(out, "landlock", s->landlock);
	js_key_bool(out, "filter", s->filter);
	js_key_bool(out, "handler", s->handler);
	js_key_str(out, "reason", s->reason);
}

void sandbox_state_read(const json_object *o, struct sandbox_state *ret)
{
	ret->namespaces = js_bool(o, "namespaces", false);
	ret->landlock = (int)js_int(o, "landlock", 0);
	ret->filter = js_bool(o, "filter", false);
	ret->handler = js_bool(o, "handler", false);
	snprintf(ret->reason, sizeof ret->reason, "%s", js_str(o, "reason", ""));
}

void sandbox_clear(struct sandbox *s)
{
	for (size_t i = 0; i < SANDBOX_NAMESPACES; i++)
		if (s->namespaces[i] >= 0)
			close(s->namespaces[i]);
	if (s->rules >= 0)
		close(s->rules);
	if (s->listener >= 0)
		close(s->listener);
	for (size_t i = 0; i < SANDBOX_PROGRAMS; i++)
		syscall_filter_clear(&s->filters[i]);
	*s = SANDBOX_NONE;
}
