/* SPDX-License-Identifier: MIT
 *
 * targets.c - finds paths and hosts in words. */
#include "targets.h"

#include <ctype.h>
#include <string.h>

enum { PARTS_MAX = 64, HOST_MAX = 256 };

/* Does a path start here: "/x", "~/x", "./x", "../x"? */
static bool begins_path(const char *p)
{
	if (*p == '/' || *p == SHELL_ANY)
		return true;
	if (*p == '~')
		return p[1] == '/' || p[1] == '\0';
	return *p == '.' && (p[1] == '/' || p[1] == '\0' ||
			     (p[1] == '.' && (p[2] == '/' || p[2] == '\0')));
}

/* Characters that separate paths in a word; a ":" also ends them. */
static bool separates(char c)
{
	return c == '=' || c == '@' || c == ':' || c == ',';
}

/* The part up to the next ":" too: "/:/x" names "/". */
static int with_end(const char *from, const struct shell_word *word, target_fn *each,
		    void *arg)
{
	size_t len = strcspn(from, ":,");
	AUTO(free) char *part = from[len] ? strndup(from, len) : NULL;
	int r = each(arg, from, word);

	if (r || !from[len])
		return r;
	return part ? each(arg, part, word) : MT_ENOMEM;
}

int target_parts(const struct shell_word *word, target_fn *each, void *arg)
{
	const char *text = word->shape ? word->shape : word->text;
	size_t parts = 0;
	int r = MT_OK;

	if (text[0] != '-')
		r = with_end(text, word, each, arg);
	for (const char *p = text; !r && *p && parts < PARTS_MAX; p++) {
		bool glued =
			p == text + 1 && text[0] == '-' && isalnum((unsigned char)p[0]);

		if (strncmp(p, "file://", 7) == 0) {
			p += 6;
		} else if (!separates(*p) && !glued) {
			continue;
		}
		if (!p[1] || (strncmp(p, "://", 3) == 0))
			continue;
		/* After = and @, a bare name is a path, too. */
		if (!begins_path(p + 1) && *p != '=' && *p != '@')
			continue;
		parts++;
		r = with_end(p + 1, word, each, arg);
	}
	return r;
}

/* The host that starts here, in lowercase without a trailing dot; "" if there is none. */
static int target_host(const char *text, struct strbuf *out)
{
	const char *ends = *text == '[' ? "] \t\n" : "/:?#\\ \t\n'\"`()|;&<>,@";
	size_t len = 0;

	while (len < HOST_MAX && text[len] && !strchr(ends, text[len]))
		len++;
	while (len && text[len - 1] == '.')
		len--;
	for (size_t i = 0; i < len; i++)
		strbuf_addc(out, (char)tolower((unsigned char)text[i]));
	return out->error;
}

bool target_connects(const char *program)
{
	static const char *const names[] = {
		"aria2c",     "axel",  "curl",   "dig",   "ftp",      "git",     "host",
		"http",       "https", "lftp",   "links", "lynx",     "mosh",    "mtr",
		"nc",         "ncat",  "netcat", "nmap",  "nslookup", "openssl", "ping",
		"rsync",      "scp",   "sftp",   "socat", "ssh",      "tcpdump", "telnet",
		"traceroute", "w3m",   "wget",   "whois", "xh",       NULL,
	};

	for (const char *const *n = names; *n; n++)
		if (strcmp(*n, program) == 0)
			return true;
	return false;
}

static int host_at(const char *text, int (*each)(void *, const char *), void *arg)
{
	AUTO(strbuf) struct strbuf host = STRBUF(2 * HOST_MAX);
	int r = target_host(text, &host);

	return r || !host.len ? r : each(arg, host.text);
}

int target_hosts(const char *text, bool bare, int (*each)(void *arg, const char *host),
		 void *arg)
{
	int r = bare ? host_at(text, each, arg) : MT_OK;

	for (const char *p = text; !r && (p = strpbrk(p, ":@=")); p++) {
		if (strncmp(p, "://", 3) == 0) {
			size_t to = strcspn(p + 3, "/?#\\ \t\n'\"");
			const char *at = memrchr(p + 3, '@', to);

			p += 2;
			r = host_at(at ? at + 1 : p + 1, each, arg);
		} else if (*p == '@' && p > text && !isspace((unsigned char)p[-1])) {
			r = host_at(p + 1, each, arg);
		} else if (*p == '=' && bare) {
			r = host_at(p + 1, each, arg);
		}
	}
	return r;
}
