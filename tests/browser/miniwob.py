# SPDX-License-Identifier: MIT
"""miniwob.py DIR [TASK...]: which tasks of MiniWoB++ can be done with what the tool
`browser` shows and offers. Each policy here reads the tree and the pictures that the
tool gives and calls its actions, and nothing else; the page says whether it is
solved. Speaks TAP. DIR holds the html of MiniWoB++ (`miniwob/html` of the Python
package `miniwob`)."""
import os
import queue
import sys
import tempfile
import time

from miniwob_kit import Fault, Site, Tool, pixels, tree_of
from miniwob_policies import POLICIES

TRIES = 3
NEEDED = 110


class Play:
    """One episode: what is shown, and ways to act on it."""

    def __init__(self, tool, site, task):
        self.tool, self.site = tool, site
        self.image = None
        while not site.rewards.empty():
            site.rewards.get()
        self.do("goto('%s/miniwob/%s.html')" % (site.url, task))
        body = next(n for n in self.root.all() if n.role == "generic")
        query = next(n for n in body.all() if n is not body and n.role == "generic"
                     and n.text())
        self.goal = " ".join(query.text().split())
        self.query = query

    def do(self, *lines):
        text, picture = self.tool.call("\n".join(lines))
        self.root = tree_of(text)
        if picture:
            self.image = picture

    def nodes(self, role=None, name=None):
        """Those below the question, in order."""
        skip = set(map(id, self.query.all())) if hasattr(self, "query") else set()
        bid = self.query.bid if skip else None
        found = []
        for n in self.root.all():
            up, inside = n, False
            while up:
                inside = inside or (bid is not None and up.bid == bid)
                up = up.parent
            if inside or n.role == "RootWebArea" or n.depth < 2:
                continue
            if (role is None or n.role == role) and (name is None or n.text() == name
                                                     or n.name == name):
                found.append(n)
        return found

    def one(self, role=None, name=None, index=0):
        found = [n for n in self.nodes(role, name) if n.bid]
        if len(found) <= index:
            raise Fault("no %s %s" % (role, name))
        return found[index]

    def click(self, node):
        self.do("click('%s')" % node.bid)

    def fill(self, node, value):
        self.do("fill('%s', %r)" % (node.bid, value))

    def submit(self, name="Submit"):
        self.click(self.one("button", name))

    def look(self):
        self.do("screenshot()")
        return pixels(self.image)

    def reward(self, wait=0.0):
        """What the page gave, None if it is not over."""
        try:
            return self.site.rewards.get(timeout=wait) if wait else \
                self.site.rewards.get_nowait()
        except queue.Empty:
            return None

    def over(self):
        return not self.site.rewards.empty()


def play(tool, site, task):
    """@return the reward and a reason where it is not positive."""
    policy = POLICIES.get(task)
    if not policy:
        return None, "no policy"
    try:
        p = Play(tool, site, task)
        policy(p)
    except (Fault, IndexError, AttributeError, TypeError, ValueError, KeyError,
            StopIteration, ZeroDivisionError) as e:
        if site.rewards.empty():
            return None, "%s: %s" % (type(e).__name__, str(e)[:200])
    got = p.reward(3)
    if not got:
        return None, "the page gave no reward"
    return got[0], "" if got[0] > 0 else "reward %.2f %s" % (got[0], got[2])


def main():
    directory, wanted = sys.argv[1], sys.argv[2:]
    tasks = sorted(f[:-5] for f in os.listdir(os.path.join(directory, "miniwob"))
                   if f.endswith(".html") and (not wanted or f[:-5] in wanted))
    site, solved, unsolved = Site(directory), {}, []
    with tempfile.TemporaryDirectory() as workspace:
        tool = Tool(workspace)
        for task in tasks:
            began, reason = time.monotonic(), ""
            for n in range(TRIES):
                site.seed = "mortise%d" % n
                reward, why = play(tool, site, task)
                reason = reason or why
                if reward and reward > 0:
                    solved[task] = n
                    break
            else:
                unsolved.append(task)
            print("# %s %s: %s%s (%.1f s)" % (
                "solved" if task in solved else "UNSOLVED", task,
                "try %d, %.2f" % (n + 1, reward) if task in solved else "",
                " first: " + reason if reason else "", time.monotonic() - began),
                flush=True)
        tool.close()
    first = sum(n == 0 for n in solved.values())
    print("# %d of %d solved, %d of them at the first try; %d calls" % (
        len(solved), len(tasks), first, tool.calls))
    print("# not solved: " + (", ".join(unsolved) or "none"))
    good = len(solved) >= min(NEEDED, len(tasks))
    print("%sok 1 - %d of %d tasks of MiniWoB++ are solved" % (
        "" if good else "not ", len(solved), len(tasks)))
    print("1..1")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
