/* SPDX-License-Identifier: MIT
 *
 * textfile-store.c - reads files with limits and writes them by rename. */
#include "files.h"
#include "textfile.h"
#include "tool-ignore.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

static int textfile_store_fail_errno(struct error *err, int why)
{
	int code = why == EACCES || why == EPERM || why == EROFS ? MT_EDENIED
		   : why == ENOMEM                               ? MT_ENOMEM
								 : MT_EIO;

	return fail(err, code, "%s", strerror(why));
}

int textfile_read(struct textfile *f, const char *path, struct error *err)
{
	char chunk[65536];
	AUTO(close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (tool_ignore_check(path, err))
		return MT_EDENIED;
	if (fd < 0 || fstat(fd, &f->st) != 0)
		return textfile_store_fail_errno(err, errno);
	if (!S_ISREG(f->st.st_mode))
		return fail(err, MT_EUNSUPPORTED,
			    "It is neither a regular file nor a "
			    "directory.");
	for (;;) {
		ssize_t n = read(fd, chunk, sizeof chunk);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return textfile_store_fail_errno(err, errno);
		if (n == 0)
			break;
		strbuf_addn(&f->bytes, chunk, (size_t)n);
		if (f->bytes.error == MT_ELIMIT || f->st.st_size > TEXTFILE_MAX)
			return fail(err, MT_ELIMIT,
				    "File is too large. The limit is %d MB.",
				    TEXTFILE_MAX >> 20);
		if (f->bytes.error)
			return out_of_memory(err);
	}
	f->hash = textfile_hash(f->bytes.text, f->bytes.len);
	return MT_OK;
}

/* Copy access lists and user attributes; ignore those that cannot be set. */
static void copy_attributes(const char *from, int to)
{
	char names[4096], value[4096];
	ssize_t len = listxattr(from, names, sizeof names);

	for (char *name = names; len > 0 && name < names + len;
	     name += strlen(name) + 1) {
		ssize_t n;

		if (strncmp(name, "user.", 5) != 0 &&
		    strcmp(name, "system.posix_acl_access") != 0)
			continue;
		n = getxattr(from, name, value, sizeof value);
		if (n >= 0 && fsetxattr(to, name, value, (size_t)n, 0) != 0)
			continue;
	}
}

static bool textfile_store_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
	       a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static int write_in_place(const char *path, const struct stat *old, const char *bytes,
			  size_t len, struct error *err)
{
	struct stat now;
	AUTO(close) int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0 || fstat(fd, &now) != 0)
		return textfile_store_fail_errno(err, errno);
	if (!textfile_store_same_file(&now, old))
		return fail(err, MT_EEXIST, "another change to the file");
	if (file_write_all(fd, bytes, len) != MT_OK || ftruncate(fd, (off_t)len) != 0)
		return textfile_store_fail_errno(err, errno);
	return MT_OK;
}

/* Create a file in the directory of `path` with these bytes. */
static int textfile_store_write_temporary(const char *path, mode_t mode,
					  const char *bytes, size_t len, int *ret_fd,
					  char **ret_name, struct error *err)
{
	static unsigned serial;
	AUTO(strbuf) struct strbuf name = STRBUF(8192);
	size_t dir = (size_t)(strrchr(path, '/') - path) + 1;
	int fd = -1, why = EEXIST;

	for (int i = 0; i < 100 && fd < 0 && why == EEXIST; i++) {
		strbuf_reset(&name);
		strbuf_addn(&name, path, dir);
		if (strbuf_addf(&name, ".mortise-%ld-%u", (long)getpid(), serial++) !=
		    MT_OK)
			return fail_code(err, name.error);
		fd = open(name.text, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		why = errno;
	}
	if (fd < 0)
		return textfile_store_fail_errno(err, why);
	if (file_write_all(fd, bytes, len) != MT_OK) {
		why = errno;
		unlink(name.text);
		close(fd);
		return textfile_store_fail_errno(err, why);
	}
	*ret_fd = fd;
	*ret_name = strbuf_take(&name);
	return MT_OK;
}

int textfile_write(const char *path, const struct stat *old, const char *bytes,
		   size_t len, struct error *err)
{
	struct error why = ERROR_NONE;
	AUTO(free) char *name = NULL;
	AUTO(close) int fd = -1;
	struct stat now;
	int status;

	if (access(path, W_OK) != 0)
		return textfile_store_fail_errno(err, errno);
	if (old->st_nlink > 1)
		return write_in_place(path, old, bytes, len, err);
	status = textfile_store_write_temporary(path, 0600, bytes, len, &fd, &name, &why);
	if (status == MT_EDENIED)
		return write_in_place(path, old, bytes, len, err);
	if (status != MT_OK)
		return fail(err, status, "%s", why.text);
	if (fchown(fd, old->st_uid, old->st_gid) != 0 &&
	    fchown(fd, (uid_t)-1, old->st_gid) != 0)
		errno = 0; /* the file becomes the user's, as with any editor */
	copy_attributes(path, fd);
	if (fchmod(fd, old->st_mode & 07777) != 0)
		status = textfile_store_fail_errno(err, errno);
	else if (lstat(path, &now) != 0 || !textfile_store_same_file(&now, old))
		status = fail(err, MT_EEXIST, "another change to the file");
	else if (rename(name, path) != 0)
		status = textfile_store_fail_errno(err, errno);
	if (status != MT_OK)
		unlink(name);
	return status;
}

/* Create the directories that `path` needs; `*ret`: their number. */
static int textfile_store_make_parents(const char *path, unsigned *ret, struct error *err)
{
	AUTO(free) char *part = strdup(path);

	*ret = 0;
	if (!part)
		return out_of_memory(err);
	for (char *slash = part + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		if (mkdir(part, 0777) == 0)
			++*ret;
		else if (errno != EEXIST)
			return textfile_store_fail_errno(err, errno);
		*slash = '/';
	}
	return MT_OK;
}

int textfile_create(const char *path, const char *bytes, size_t len,
		    unsigned *ret_parents, struct error *err)
{
	AUTO(free) char *name = NULL;
	AUTO(close) int fd = -1;
	int status = tool_ignore_check(path, err);

	if (status == MT_OK)
		status = textfile_store_make_parents(path, ret_parents, err);
	if (status == MT_OK)
		status = textfile_store_write_temporary(path, 0666, bytes, len, &fd,
							&name, err);
	if (status != MT_OK)
		return status;
	if (link(name, path) != 0) {
		int why = errno;

		/* The file system does not support links. */
		if ((why != EPERM && why != EOPNOTSUPP && why != ENOSYS) ||
		    renameat2(AT_FDCWD, name, AT_FDCWD, path, RENAME_NOREPLACE) != 0)
			status = textfile_store_fail_errno(err, why);
	}
	unlink(name);
	return status;
}
