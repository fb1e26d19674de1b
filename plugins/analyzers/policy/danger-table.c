/* SPDX-License-Identifier: MIT
 *
 * danger-table.c - see danger-table.h. */
#include "danger-table.h"

#include "command.h"
#include "strbuf.h"

#include <stdio.h>
#include <string.h>

static const struct danger table[] = {
	{ "danger.root", "runs with the permissions of another user",
	  "sudo doas pkexec su runuser sudoedit visudo", NULL, NULL },
	{ "danger.power", "shuts down or reboots the machine",
	  "reboot shutdown halt poweroff telinit init", NULL, NULL },
	{ "danger.users", "changes users or groups of the system",
	  "useradd userdel usermod groupadd groupdel groupmod adduser deluser addgroup "
	  "delgroup "
	  "passwd chpasswd chsh gpasswd",
	  NULL, NULL },
	{ "danger.kernel", "changes the kernel", "insmod modprobe rmmod kexec sysctl",
	  NULL, NULL },
	{ "danger.disk", "destroys or reformats a disk",
	  "mkfs mke2fs mkswap fdisk sfdisk cfdisk sgdisk gdisk parted wipefs blkdiscard "
	  "cryptsetup "
	  "hdparm lvremove vgremove pvremove mdadm badblocks debugfs",
	  NULL, NULL },
	{ "danger.mount", "mounts or unmounts file systems",
	  "mount umount losetup swapoff swapon", NULL, NULL },
	{ "danger.shred", "destroys files so that they cannot be restored",
	  "shred srm wipe", NULL, NULL },
	{ "danger.later", "schedules programs to run later", "at batch", NULL,
	  NULL },
	{ "danger.services", "changes the services of the system", "systemctl",
	  "start stop restart reload enable disable mask unmask isolate kill edit "
	  "set-property set-default daemon-reload daemon-reexec reboot poweroff halt "
	  "reset-failed",
	  NULL },
	{ "danger.services", "changes the services of the system",
	  "service invoke-rc.d update-rc.d rc-service launchctl initctl", NULL, NULL },
	{ "danger.firewall", "changes the network configuration",
	  "iptables ip6tables nft ufw firewall-cmd ifdown ifup", NULL, NULL },
	{ "danger.packages", "changes installed software of the system",
	  "apt apt-get aptitude dnf yum zypper apk "
	  "snap flatpak brew port",
	  "install reinstall remove purge autoremove upgrade dist-upgrade "
	  "full-upgrade add del erase uninstall update downgrade build-dep",
	  NULL },
	{ "danger.packages", "changes installed software of the system", "dpkg rpm", NULL,
	  "-i -r -P -e -U -F --install --remove --purge --erase --upgrade --configure" },
	{ "danger.packages", "changes installed software of the system", "pacman", NULL,
	  "-S -R -U" },
	{ "danger.packages", "changes installed software of the system",
	  "update-alternatives dpkg-reconfigure dpkg-divert ldconfig", NULL, NULL },
	{ "danger.global", "installs software for all users", "npm pnpm", NULL,
	  "-g --global" },
	{ "danger.global", "installs software for all users", "yarn", "global",
	  NULL },
	{ "danger.global", "installs software for all users", "pip pip3", NULL,
	  "--break-system-packages" },
	{ "danger.publish", "publishes to other people", "npm pnpm yarn cargo poetry uv",
	  "publish unpublish deprecate yank", NULL },
	{ "danger.publish", "publishes to other people", "twine", "upload", NULL },
	{ "danger.publish", "publishes to other people", "gem", "push yank", NULL },
	{ "danger.publish", "publishes to other people", "docker podman", "push login",
	  NULL },
	{ "danger.git.reset", "discards uncommitted changes", "git",
	  "reset", "--hard --merge --keep" },
	{ "danger.git.clean", "deletes untracked files", "git",
	  "clean", "-f --force -x -X" },
	{ "danger.git.push", "overwrites or deletes work of others", "git", "push",
	  "-f --force --force-with-lease --force-if-includes --mirror --delete -d "
	  "--prune" },
	{ "danger.git.checkout", "discards uncommitted changes", "git",
	  "checkout switch", "-f --force --discard-changes" },
	{ "danger.git.branch", "deletes a branch, merged or not", "git", "branch", "-D" },
	{ "danger.git.stash", "deletes stashed changes", "git", "stash/drop stash/clear",
	  NULL },
	{ "danger.git.history", "rewrites or removes history", "git",
	  "filter-branch filter-repo reflog/expire reflog/delete update-ref prune "
	  "replace",
	  NULL },
	{ "danger.git.config", "changes git's global configuration", "git", "config",
	  "--global --system" },
	{ "danger.git.worktree", "removes a working tree", "git", "worktree/remove",
	  "-f --force" },
	{ "danger.containers", "gives a container access to the host", "docker podman nerdctl",
	  "run create exec container/run",
	  "--privileged --cap-add --device --security-opt --pid "
	  "--userns --ipc --cgroupns" },
	{ "danger.containers", "deletes containers, images or their data",
	  "docker podman nerdctl",
	  "system/prune volume/rm volume/prune container/prune image/prune rm rmi "
	  "network/rm",
	  NULL },
	{ "danger.containers", "deletes containers and their data", "docker-compose",
	  "down rm", NULL },
	{ "danger.cloud", "destroys remote infrastructure",
	  "terraform tofu terragrunt pulumi",
	  "destroy apply "
	  "import taint state/rm state/mv force-unlock up",
	  NULL },
	{ "danger.cloud", "deletes or changes remote resources", "kubectl oc",
	  "delete drain cordon replace apply patch scale edit exec cp taint rollout",
	  NULL },
	{ "danger.cloud", "deletes or changes remote resources", "helm",
	  "uninstall delete install upgrade rollback", NULL },
	{ "danger.cloud", "deletes remote resources", "gh",
	  "repo/delete release/delete secret/set "
	  "secret/delete auth/token ssh-key/add",
	  NULL },
	{ "danger.database", "deletes a database", "dropdb dropuser", NULL, NULL },
	{ "danger.options", "lets an archive run programs", "tar bsdtar gtar", NULL,
	  "--to-command --checkpoint-action --use-compress-program --info-script "
	  "--new-volume-script "
	  "--rsh-command --rmt-command" },
	{ "danger.options", "runs a program for the connection", "rsync", NULL,
	  "--rsync-path --remove-source-files --delete "
	  "--delete-before --delete-after --delete-excluded" },
	{ "danger.tunnel", "exposes this machine to the network",
	  "ngrok cloudflared localtunnel lt bore chisel", NULL, NULL },
	{ "danger.trace", "reads or changes the memory of other programs", "gcore", NULL,
	  NULL },
	{ "danger.rights", "changes permissions or attributes of files",
	  "setcap chattr setfacl", NULL, NULL },
};

static bool sub_fits(const struct unit *u, const char *subs)
{
	const struct shell_word *first =
		u->sub ? &u->words[u->sub] : unit_operand(u, 0, 0);
	const char *sub = first && first->text ? first->text : NULL, *next;
	AUTO(strbuf) struct strbuf pair = STRBUF(256);

	if (!sub)
		return false;
	if (unit_lists_word(subs, sub))
		return true;
	next = unit_text(u, (size_t)(first - u->words) + 1);
	strbuf_addf(&pair, "%s/%s", sub, next);
	return *next && !pair.error && unit_lists_word(subs, pair.text);
}

/* Read letters as a cluster, except for options of one dash and several letters. */
static bool options_fit(const struct unit *u, const char *options)
{
	for (const char *p = options; *p; p += strspn(p, " ")) {
		char option[64];
		size_t n = strcspn(p, " ");

		snprintf(option, sizeof option, "%.*s", (int)n, p);
		if (unit_has(u, option))
			return true;
		p += n;
	}
	return false;
}

const struct danger *danger_table_find(const struct unit *u)
{
	const char *name = strncmp(u->name, "mkfs.", 5) == 0 ? "mkfs" : u->name;

	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		const struct danger *d = &table[i];

		if (unit_lists_word(d->programs, name) &&
		    (!d->subs || sub_fits(u, d->subs)) &&
		    (!d->options || options_fit(u, d->options)))
			return d;
	}
	return NULL;
}

const struct danger *danger_table_at(size_t n)
{
	return n < ARRAY_LEN(table) ? &table[n] : NULL;
}

size_t danger_table_count(void)
{
	return ARRAY_LEN(table);
}
