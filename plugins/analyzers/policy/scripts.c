/* SPDX-License-Identifier: MIT
 *
 * scripts.c - parses sed and awk scripts. */
#include "scripts.h"

#include <ctype.h>
#include <string.h>

/* A command of sed that prints or deletes, or replaces without running or writing. */
static bool sed_script(const char *s)
{
	while (*s) {
		s += strspn(s, "0123456789,$;!~+ \n");
		if (*s == '/') { /* an address */
			for (s++; *s && *s != '/'; s++)
				s += *s == '\\' && s[1];
			if (!*s)
				return false;
			s++;
			continue;
		}
		if (*s == 's' && strchr(s, '['))
			return false; /* a delimiter in brackets may not be the end */
		if (*s == 's' && s[1] && !isalnum((unsigned char)s[1]) && s[1] != '\n') {
			char mark = s[1];
			int left = 2;

			for (s += 2; *s && left; s++) {
				left -= *s == mark;
				s += *s == '\\' && s[1];
			}
			if (left)
				return false;
			s += strspn(s, "gip0123456789I");
		} else if (*s && strchr("pdq=lnNhHgGxD{}", *s)) {
			s++;
		} else if (*s) {
			return false;
		}
		if (*s && !strchr(";}\n ", *s) && s[-1] != '{' && s[-1] != '}')
			return false;
	}
	return true;
}

bool script_is_good_sed(const struct unit *u)
{
	bool script = false;

	for (size_t i = 1; i < u->count; i++) {
		if (strcmp(unit_text(u, i), "-e") != 0)
			continue;
		script = true;
		if (!sed_script(unit_text(u, i + 1)))
			return false;
	}
	if (!script && unit_operand(u, 0, 0) && unit_operand(u, 0, 0)->text)
		return sed_script(unit_operand(u, 0, 0)->text);
	return script;
}

/* Only -F and -v before a script that starts nothing and writes nothing. */
bool script_is_good_awk(const struct unit *u)
{
	static const char *const bad[] = { "system",   "getline", "|",     ">",
					   "@",        "ENVIRON", "close", "fflush",
					   "PROCINFO", "ARGV",    "SYMTAB", NULL };
	size_t i = 1;

	for (; i < u->count && *unit_text(u, i) == '-'; i++) {
		if (strcmp(unit_text(u, i), "-F") == 0 ||
		    strcmp(unit_text(u, i), "-v") == 0)
			i++;
		else if (strncmp(unit_text(u, i), "-F", 2) != 0)
			return false;
	}
	if (i >= u->count || !u->words[i].text || u->words[i].shape)
		return false;
	for (size_t k = 0; bad[k]; k++)
		if (strstr(u->words[i].text, bad[k]))
			return false;
	return true;
}
