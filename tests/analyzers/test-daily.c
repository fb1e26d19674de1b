/* SPDX-License-Identifier: MIT
 *
 * test-daily.c - an hour of ordinary agent work: the number of questions to the user with
 * `confirmation = risky`, without "always" and when the user grants the offered scope
 * each time. */
#include "features/approval/scope.h"
#include "plugins/analyzers/policy/judge.h"
#include "tap.h"

#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const commands[] = {
	/* looking around */
	"ls -la",
	"git status",
	"git log --oneline -10",
	"cat README.md",
	"find . -name '*.c' -not -path './build/*' | head -50",
	"grep -rn 'TODO' src | head -20",
	"rg -n \"parse_args\" src tests",
	"wc -l src/*.c",
	"cat src/main.c",
	"sed -n '1,80p' src/main.c",
	"head -40 Makefile",
	"tree -L 2",
	"du -sh src",
	"file src/main.c",
	"git branch -a",
	"git diff",
	"git diff --stat HEAD~3",
	"git show HEAD --stat",
	"git blame -L 10,30 src/main.c",
	"grep -n 'main' src/main.c | cut -d: -f1 | sort -n | uniq",
	"awk '{ print $1 }' src/main.c | sort | uniq -c | sort -rn | head",
	"ls tests && cat tests/test_args.py",
	"pwd && ls",
	"which gcc make python3",
	"gcc --version | head -1",
	"python3 --version",
	"node --version && npm --version",
	"uname -a",
	"nproc; free -m",
	"date",
	/* build and test in C */
	"make",
	"make clean",
	"make -j4 2>&1 | tail -20",
	"make check 2>&1 | tail -30",
	"cd src && make",
	"make test > build.log 2>&1; tail -5 build.log",
	"./build/app --help",
	"./build/app --help | head",
	"gcc -Wall -o build/t src/t.c",
	"gcc -Wall -O2 -o build/t src/t.c && ./build/t",
	"cmake -S . -B build",
	"cmake --build build -j4",
	"ctest --test-dir build --output-on-failure",
	"ctest --test-dir build -R args",
	"make check TESTS=tests/args",
	"make check VERBOSE=1 2>&1 | grep -A5 FAIL",
	/* Python */
	"python3 -m pytest -q",
	"python3 -m pytest -q tests/test_args.py",
	"pytest -x -q",
	"pytest tests/test_args.py -k parse",
	"pytest -q 2>&1 | tail -15",
	"python3 src/tool.py --list",
	"python3 -c 'import sys; print(sys.path)'",
	"pip install -r requirements.txt",
	"pip install requests",
	"pip list | grep -i requests",
	"pip show requests",
	"python3 -m venv .venv",
	"ruff check .",
	"ruff check . --fix",
	"black --check src",
	"mypy src",
	"mypy src | tail -3",
	/* JavaScript */
	"npm install",
	"npm test",
	"npm test -- --watch=false",
	"npm run build",
	"npm run lint",
	"npm run lint 2>&1 | tail -20",
	"npm ls --depth=0",
	"npx tsc --noEmit",
	"npx eslint src",
	"node scripts/check.js",
	"cat package.json | jq '.scripts'",
	"jq -r '.dependencies | keys[]' package.json",
	/* Rust and Go */
	"cargo build",
	"cargo test",
	"cargo test parse -- --nocapture",
	"cargo clippy -- -D warnings",
	"cargo fmt --check",
	"cargo build --release 2>&1 | tail -3",
	"go build ./...",
	"go test ./...",
	"go test -run TestParse ./internal/parse",
	"go vet ./...",
	"go fmt ./...",
	/* changing files */
	"mkdir -p build/out",
	"touch src/new.c",
	"cp src/main.c src/main.c.orig",
	"mv src/new.c src/args.c",
	"echo 'build/' >> .gitignore",
	"cat > src/args.h <<'EOF'\n#pragma once\nint parse(int, char **);\nEOF",
	"printf '%s\\n' one two > notes.txt",
	"rm src/main.c.orig",
	"rm -r build/out",
	"rm -rf build",
	"sed -i 's/foo/bar/g' src/main.c",
	"sed -i 's/1.0/1.1/' Makefile",
	"chmod +x scripts/run.sh",
	"tar czf dist.tgz src",
	"tar tzf dist.tgz",
	"diff -u src/main.c src/args.c",
	"patch -p1 < fix.patch",
	"sort -u notes.txt | tee sorted.txt",
	/* git */
	"git add -A",
	"git add src/args.c",
	"git commit -m 'Add argument parser'",
	"git commit -am 'Fix a typo'",
	"git add . && git commit -m 'Update'",
	"git status --short && git diff --cached --stat",
	"git checkout -b feature/args",
	"git switch main",
	"git stash",
	"git stash pop",
	"git stash list",
	"git fetch",
	"git fetch origin",
	"git pull --ff-only",
	"git merge feature/args",
	"git rebase main",
	"git push",
	"git push -u origin feature/args",
	"git push --force-with-lease",
	"git reset --hard HEAD~1",
	"git reset HEAD src/args.c",
	"git clean -n",
	"git clean -fd",
	"git checkout -- src/main.c",
	"git tag v1.1",
	"git log --graph --oneline --all | head -20",
	"git rev-parse --abbrev-ref HEAD",
	"git cherry-pick abc123",
	"git remote -v",
	"git grep -n parse",
	"gh pr list",
	"gh pr view 12",
	"gh pr create --fill",
	/* processes, network, containers */
	"ps aux | grep app",
	"kill 12345",
	"curl -s http://localhost:8080/health",
	"curl -s http://localhost:8080/items | jq .",
	"curl -sO https://example.org/data.json",
	"docker ps",
	"docker compose up -d",
	"docker logs web --tail 50",
	"docker build -t app .",
	"docker run --rm app",
	"sleep 2 && curl -s http://localhost:8080/health",
	"timeout 60 make check",
	"time make",
	"env | sort | head",
	"sudo apt-get install -y jq",
	"ss -tlnp",
	"for f in tests/*.sh; do bash \"$f\"; done",
};

static char root[] = "/tmp/mortise-daily-XXXXXX";

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int risk_of(struct policy *p, const char *command)
{
	const struct argument argument = { "command", command, strlen(command) };
	const struct action action = { .tool = "execute_bash", .workspace = root,
				       .directory = root, .ours = true, .open_world = true,
				       .arguments = &argument, .count = 1 };
	struct finding f;

	return judge_action(p, &action, &f) ? -100 : f.risk;
}

static struct event *action_of(const char *command)
{
	json_object *args = json_object_new_object();
	struct error err = ERROR_NONE;

	js_set_str(args, "command", command);
	return event_action("run", SOURCE_AGENT, args, &err);
}

/* Answer "always" with the scope that is offered. @return whether a question was asked. */
static bool ask(json_object *granted, const char *command, int risk)
{
	const struct scope_place place = { root, root, "bash", "bash" };
	AUTO(event) struct event *action = action_of(command);
	AUTO(json) json_object *offered = NULL;
	struct error err = ERROR_NONE;
	size_t chosen = 0;

	if (risk != 2 && scopes_cover(granted, action, &place))
		return false;
	if (risk != 2 && !scopes_offer(action, &place, &offered, &chosen, &err) &&
	    json_object_array_length(offered))
		json_object_array_add(granted,
				      json_object_get(json_object_array_get_idx(offered,
										chosen)));
	return true;
}

int main(void)
{
	struct policy p = { .rules = rules_new(NULL), .signatures = true, .rails = true };
	AUTO(json) json_object *granted = json_object_new_array();
	const size_t count = sizeof commands / sizeof *commands;
	size_t without = 0, with = 0, high = 0;

	CHECK(mkdtemp(root) && chdir(root) == 0 && mkdir(".git", 0700) == 0);
	setenv("HOME", root, 1);
	for (size_t i = 0; i < count; i++) {
		int risk = risk_of(&p, commands[i]);
		bool asks = risk == -1 || risk == 2, again;

		CHECK_MSG(risk >= -1 && risk <= 2, "%.*s: %d",
			  (int)strcspn(commands[i], "\n"), commands[i], risk);
		high += risk == 2;
		without += asks;
		again = asks && ask(granted, commands[i], risk);
		with += again;
		if (again)
			printf("# asks%s: %.*s\n", risk == 2 ? " (HIGH)" : "",
			       (int)strcspn(commands[i], "\n"), commands[i]);
	}
	printf("# %zu commands: %zu questions, %zu with \"always\" (%zu HIGH)\n", count,
	       without, with, high);
	CHECK_MSG(without <= count * 2 / 3, "at most two thirds ask");
	CHECK_MSG(with <= count / 2, "with \"always\" at most half");
	rules_free(p.rules);
	patterns_free(p.patterns);
	CHECK(chdir("/") == 0);
	CHECK(nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS) == 0);
	return tap_done();
}
