/* SPDX-License-Identifier: MIT
 *
 * net.c - rules of our own about programs that reach beyond the project: the rights
 * of root, the machine, what is installed for all. They come behind those of the
 * user, which replace them where they cover all that an action does. */
#include "net.h"

/* Where projects lie too, as below /root, is not meant. */
#define SYSTEM_FILE \
	"\\/(?:(?:etc|boot|bin|sbin|lib)\\/|usr\\/(?!local\\/|src\\/)|root\\/\\.)"

static const struct {
	const char *name, *text;
} table[] = {
	{ "net.root", "high command=/^(?:sudo|doas|pkexec|su)(?: |$)/ "
		      "reason=acts with the rights of another user" },
	{ "net.power", "high command=/^(?:reboot|shutdown|halt|poweroff|telinit)(?: |$)/ "
		       "reason=stops the machine" },
	{ "net.services",
	  "high command=/^systemctl (?!.*--user)(?:-\\S+ )*(?:start|stop|restart|reload|enable"
	  "|disable|mask|unmask|isolate|kill|set-\\S+|daemon-\\S+|reboot|poweroff)\\b/ "
	  "reason=changes what the system runs" },
	{ "net.users",
	  "high command=/^(?:user(?:add|del|mod)|group(?:add|del|mod)|adduser|deluser|passwd"
	  "|chpasswd|visudo)(?: |$)/ reason=changes the users of the system" },
	{ "net.kernel", "high command=/^(?:insmod|modprobe|rmmod|kexec)(?: |$)/ "
			"reason=changes the kernel" },
	{ "net.packages",
	  "high command=/^(?:apt|apt-get|aptitude|dnf|yum|zypper|apk|snap|dpkg|rpm)(?: -\\S+)* "
	  "(?:install|reinstall|remove|purge|autoremove|upgrade|dist-upgrade|full-upgrade|add"
	  "|del|erase|-i|-r|-P|-U\\w*|-e)(?: |$)/ reason=changes the programs of the system" },
	{ "net.pacman", "high command=/^pacman (?:-S(?![si]\\b)|-[RU])/ "
			"reason=changes the programs of the system" },
	{ "net.global",
	  "high command=/^(?:npm|pnpm) (?=.*(?:^| )(?:-g|--global)(?: |$))(?=.*\\b(?:i|install|add"
	  "|un|uninstall|rm|remove|update)\\b)|^yarn global |^pip[\\d.]* .*--break-system-packages"
	  "/ reason=installs for everybody on the machine" },
	{ "net.rights",
	  "high command=/^(?:chmod|chown|chgrp)\\b(?=.* -\\w*R| .*--recursive).* (?:~|\\/|~\\/"
	  "|\\$\\{?HOME\\}?|\\/(?:etc|usr|var|home|boot|bin|sbin|lib|opt|root)\\/?)\\*?$/ "
	  "reason=changes who may do what in a folder that the system or the user lives in" },
	{ "net.files", "high command=/>>?\\s*[\"']?" SYSTEM_FILE "/ "
		       "reason=writes to files of the system" },
	{ "net.tee", "high command=/^tee (?:.* )?" SYSTEM_FILE "/ "
		     "reason=writes to files of the system" },
	{ "net.edits", "high command=/^(?:create|str_replace|insert|undo_edit)$/ "
		       "path=/^\\/(?:(?:etc|boot|bin|sbin|lib)\\/|usr\\/(?!local\\/|src\\/))"
		       "|\\/\\.ssh\\// "
		       "reason=writes to files of the system" },
	{ "net.kill_all", "high command=/^kill(?: -\\S+)* (?:-1|1)$/ "
			  "reason=ends all that runs" },
};

struct rules *net_new(struct error *err)
{
	AUTO(rules) struct rules *r = rules_new(err);

	for (size_t i = 0; r && i < ARRAY_LEN(table); i++)
		if (rules_add(r, table[i].name, table[i].text, err))
			return NULL;
	return STEAL(r);
}
