/* SPDX-License-Identifier: MIT
 *
 * tty.c - terminal modes. */
#include "tty.h"

#include "auto.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>

enum { COLUMNS = 80, ROWS = 24, COLUMNS_MIN = 8 };

/* Bracketed paste and reports of the focus. */
static const char modes_on[] = "\033[?2004h\033[?1004h";
static const char modes_off[] = "\033[?2004l\033[?1004l\033[0m";

/* For the handler of fatal signals. */
static struct termios found;
static volatile sig_atomic_t changed;

static void give_back(void)
{
	ssize_t n;

	if (!changed)
		return;
	changed = 0;
	n = write(STDOUT_FILENO, modes_off, sizeof modes_off - 1);
	(void)n;
	tcsetattr(STDIN_FILENO, TCSADRAIN, &found);
}

static void on_fatal(int number)
{
	give_back();
	signal(number, SIG_DFL);
	raise(number);
}

void tty_init(struct tty *t, bool plain)
{
	const char *name = getenv("TERM"), *no_color = getenv("NO_COLOR");
	bool dumb = !name || !*name || strcmp(name, "dumb") == 0;

	*t = (struct tty){ .plain = plain || dumb || !isatty(STDOUT_FILENO) ||
				     !isatty(STDIN_FILENO),
			    .columns = COLUMNS,
			    .rows = ROWS };
	t->color = !t->plain && (!no_color || !*no_color);
	tty_measure(t);
}

bool tty_measure(struct tty *t)
{
	struct winsize size = { 0 };
	size_t columns = COLUMNS, rows = ROWS;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
		columns = size.ws_col < COLUMNS_MIN ? COLUMNS_MIN : size.ws_col;
		rows = size.ws_row ? size.ws_row : ROWS;
	}
	if (columns == t->columns && rows == t->rows)
		return false;
	t->columns = columns;
	t->rows = rows;
	return true;
}

int tty_raw(struct tty *t, struct error *err)
{
	static const int fatal[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT };
	struct termios raw;

	if (t->plain || t->raw)
		return MT_OK;
	if (tcgetattr(STDIN_FILENO, &found) < 0)
		return fail(err, MT_EIO, "the terminal cannot be used: %s",
			    strerror(errno));
	raw = found;
	raw.c_iflag &= ~(tcflag_t)(ICRNL | INLCR | IGNCR | IXON | ISTRIP | BRKINT);
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG | IEXTEN);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	changed = 1;
	t->raw = true;
	for (size_t i = 0; i < ARRAY_LEN(fatal); i++)
		signal(fatal[i], on_fatal);
	if (tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) < 0)
		return fail(err, MT_EIO, "the terminal cannot be used: %s",
			    strerror(errno));
	tty_write(modes_on, sizeof modes_on - 1);
	return MT_OK;
}

void tty_restore(struct tty *t)
{
	if (t->raw)
		give_back();
	t->raw = false;
}

void tty_write(const char *bytes, size_t len)
{
	while (len > 0) {
		ssize_t n = write(STDOUT_FILENO, bytes, len);
		/* Another process shares the terminal and made it non-blocking. */
		struct pollfd fd = { .fd = STDOUT_FILENO, .events = POLLOUT };

		if (n > 0) {
			bytes += n;
			len -= (size_t)n;
		} else if (errno != EINTR &&
			   (errno != EAGAIN || poll(&fd, 1, 10000) <= 0)) {
			return;
		}
	}
}
