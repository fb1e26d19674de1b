# SPDX-License-Identifier: MIT
"""How each task of MiniWoB++ is done, from what the tool shows. Knowledge of words,
colors and the look of icons is here; where things are comes from tree and picture."""
import math
import re
import time

from miniwob_kit import Fault, pixels

POLICIES = {}


def policy(*names):
    def add(f):
        for name in names:
            POLICIES[name] = f
        return f
    return add


# ---- words and pictures -------------------------------------------------------------------

def quoted(p):
    return [q.strip() for q in re.findall(r'"\s*(.*?)\s*"', p.goal)]


def ordinal(text):
    return int(re.search(r"(\d+)(?:st|nd|rd|th)", text)[1]) - 1


COLORS = {
    "black": (0, 0, 0), "white": (255, 255, 255), "aqua": (0, 255, 255),
    "blue": (0, 0, 255), "gray": (128, 128, 128), "green": (0, 128, 0),
    "lime": (0, 255, 0), "maroon": (128, 0, 0), "navy": (0, 0, 128),
    "olive": (128, 128, 0), "purple": (128, 0, 128), "red": (255, 0, 0),
    "silver": (192, 192, 192), "teal": (0, 128, 128), "yellow": (255, 255, 0),
    "pink": (255, 192, 203), "magenta": (255, 0, 255), "gold": (255, 215, 0),
    "orange": (255, 165, 0), "cyan": (0, 255, 255)}


def near(a, b, by=40):
    return all(abs(x - y) <= by for x, y in zip(a, b))


class Blob:
    def __init__(self, points):
        self.points = points
        xs, ys = [x for x, _ in points], [y for _, y in points]
        self.left, self.right, self.top, self.bottom = min(xs), max(xs), min(ys), max(ys)
        self.x, self.y = (self.left + self.right) / 2, (self.top + self.bottom) / 2
        self.width, self.height = self.right - self.left + 1, self.bottom - self.top + 1
        self.size = len(points)
        self.fill = self.size / (self.width * self.height)


def blobs(rows, match, top=52, bottom=209, left=0, right=159, least=4):
    """Connected pixels that `match`, in reading order."""
    todo = {(x, y) for y in range(top, min(bottom, len(rows))) for x in range(left, right)
            if match(rows[y][x])}
    found = []
    while todo:
        stack, points = [todo.pop()], []
        while stack:
            x, y = stack.pop()
            points.append((x, y))
            for at in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1), (x + 1, y + 1),
                       (x - 1, y - 1), (x + 1, y - 1), (x - 1, y + 1)):
                if at in todo:
                    todo.remove(at)
                    stack.append(at)
        if len(points) >= least:
            found.append(Blob(points))
    return sorted(found, key=lambda b: (b.top, b.left))


def dots(rows, match, radius=1):
    """Round spots, also where lines of the same color meet them."""
    def solid(x, y):
        return all(match(rows[y + j][x + i]) for i in range(-radius, radius + 1)
                   for j in range(-radius, radius + 1))
    points = {(x, y) for y in range(52 + radius, 195) for x in range(radius, 157)
              if solid(x, y)}
    found = []
    while points:
        seed = points.pop()
        group = [seed] + [q for q in points if abs(q[0] - seed[0]) < 6
                          and abs(q[1] - seed[1]) < 6]
        points -= set(group)
        found.append((sum(x for x, _ in group) / len(group),
                      sum(y for _, y in group) / len(group)))
    return found


def dark(c):
    return max(c) < 90


def bluish(c):
    return c[2] > 180 and c[0] < 90 and c[1] < 90


def at(x, y):
    return "mouse_click(%d, %d)" % (round(x), round(y))


def paragraphs(p):
    return [n for n in p.nodes("generic") if n.bid and n.text()]


# ---- buttons, boxes, lists ------------------------------------------------------------------

@policy("click-test", "click-test-2", "click-test-transfer")
def click_test(p):
    m = re.search(r"button (\w+)", p.goal)
    p.click(p.one("button", m[1]) if m else p.one("button"))


@policy("click-button", "unicode-test")
def click_button(p):
    p.click(p.one("button", quoted(p)[0]))


@policy("click-button-sequence")
def click_button_sequence(p):
    p.click(p.one("button", "ONE"))
    p.click(p.one("button", "TWO"))


@policy("button-delay")
def button_delay(p):
    p.click(p.one("button", "ONE"))
    p.do("noop(2300)")
    p.click(p.one("button", "TWO"))


def tick(p, names, role="checkbox"):
    wanted = set(names)
    bids = [n.bid for n in p.nodes(role) if n.name in wanted]
    if bids:
        p.do(*["click('%s')" % b for b in bids])
    p.submit()


@policy("click-checkboxes", "click-checkboxes-large", "click-checkboxes-transfer")
def click_checkboxes(p):
    tick(p, re.search(r"Select (.*) and click", p.goal)[1].split(", "))


SYNONYMS = """big large huge enormous gigantic|small tiny little mini petite
red scarlet crimson vermillion|happy cheerful joyful gleeful delighted
sad unhappy sorrowful miserable tragic|angry mad furious irritated
evil wicked immoral sinful corrupt depraved|wrong incorrect mistaken erroneous
real genuine actual|strange odd peculiar unusual weird|stop cease halt end finish
scared terrified panicked fearful frightened afraid|quiet calm peaceful serene mild
old aged archaic|love like adore favor|kill murder assassinate
keep retain preserve sustain maintain|hide conceal camouflage
hate despise loathe detest dislike|funny humorous amusing comical laughable
fat fleshy plump chubby|stupid dumb dull unwise|delicious savory delectable appetizing
cut slice carve chop|brave courageous fearless|begin start initiate launch
answer reply response|television televisions TV TVs|house home houses homes
fire flame fires flames|pig pork swine|rabbit rabbits bunny bunnies
car cars automobile automobiles vehicle vehicles|water"""


@policy("click-checkboxes-soft")
def click_checkboxes_soft(p):
    words = re.search(r"similar to (.*) and click", p.goal)[1].split(", ")
    groups = [g.split() for line in SYNONYMS.split("\n") for g in line.split("|")]
    tick(p, [w for g in groups if set(g) & set(words) for w in g])


@policy("click-option")
def click_option(p):
    tick(p, [re.search(r"Select (.*) and click", p.goal)[1]], "radio")


@policy("choose-list")
def choose_list(p):
    what = re.search(r"Select (.*) from the list", p.goal)[1]
    p.do("select_option('%s', %r)" % (p.one("combobox").bid, what))
    p.submit()


@policy("click-scroll-list")
def click_scroll_list(p):
    what = re.search(r"Select (.*) from the scroll", p.goal)[1].split(", ")
    p.do("select_option('%s', %r)" % (p.one("listbox").bid, what))
    p.submit()


@policy("click-widget")
def click_widget(p):
    kind = quoted(p)[0]
    if kind in ("button", "radio", "checkbox"):
        p.click(p.one(kind))
        return
    boxes = p.nodes("textbox")
    wanted = [b for b in boxes if bool(b["clickable"]) == (kind == "text")]
    p.click((wanted or boxes)[0])


@policy("click-dialog")
def click_dialog(p):
    p.click(p.one("button", "Close"))


@policy("click-dialog-2")
def click_dialog_2(p):
    name = quoted(p)[0]
    p.click(p.one("button", "Close" if name == "x" else name))


@policy("click-link")
def click_link(p):
    p.click([n for n in p.nodes("generic", quoted(p)[0]) if n["clickable"]][0])


@policy("click-tab")
def click_tab(p):
    p.click(p.one("link", re.search(r"Tab #\d", p.goal)[0]))


def link_in(p, word):
    return [n for n in p.nodes("generic") if n["clickable"] and n["visible"]
            and n.text() == word]


@policy("click-tab-2", "click-tab-2-easy", "click-tab-2-medium", "click-tab-2-hard")
def click_tab_2(p):
    for i in range(len(p.nodes("tab"))):
        p.click(p.one("link", p.nodes("tab")[i].name))
        found = link_in(p, quoted(p)[0])
        if found:
            p.click(found[0])
            return


@policy("click-collapsible", "click-collapsible-nodelay")
def click_collapsible(p):
    p.click(p.one("tab"))
    p.do("noop(600)")
    p.submit()


@policy("click-collapsible-2", "click-collapsible-2-nodelay")
def click_collapsible_2(p):
    for i in range(len(p.nodes("tab"))):
        p.click(p.nodes("tab")[i])
        p.do("noop(700)")
        found = link_in(p, quoted(p)[0])
        if found:
            p.click(found[0])
            return


@policy("click-menu")
def click_menu(p):
    path = re.search(r"Select (.*)", p.goal)[1].split(">")
    for name in path[:-1]:
        p.do("hover('%s')" % p.one("menuitem", name).bid, "noop(500)")
    p.click(p.one("menuitem", path[-1]))


@policy("click-menu-2")
def click_menu_2(p):
    p.submit("Menu")
    names = quoted(p)
    label = names[1] if len(names) > 1 else None
    if not label:
        # The icon stands in the question; it is compared with those of the menu.
        label = by_icon(p)
    if label in ("Prev", "Stop", "Play", "Next"):
        p.do("hover('%s')" % p.one("menuitem", "Playback").bid, "noop(500)")
    p.click(p.one("menuitem", label))


def by_icon(p):
    def shape(rows, x0, y0, x1, y1):
        found = blobs(rows, lambda c: max(c) < 170 and max(c) - min(c) < 60, y0, y1, x0, x1,
                      least=1)
        points = {q for b in found for q in b.points}
        if not points:
            return frozenset()
        x, y = min(q[0] for q in points), min(q[1] for q in points)
        return frozenset((a - x, b - y) for a, b in points)
    rows = p.look()
    words = sorted({x for x in range(0, 160) for y in range(27, 40)
                    if max(rows[y][x]) < 170})
    gaps = [(b - a, a, b) for a, b in zip(words, words[1:])]
    first = sorted(gaps, reverse=True)[:2]
    left, right = sorted((g[1], g[2]) for g in first)
    wanted = shape(rows, left[1] - 1, 25, right[0] + 2, 42)
    best = (-1, None)

    def compare(rows, names, x0, x1, tops):
        nonlocal best
        for name, top in zip(names, tops):
            got = shape(rows, x0, top, x1, top + 14)
            score = len(got & wanted) / max(1, len(got | wanted))
            best = max(best, (score, name))
    lines = [b for b in blobs(rows, lambda c: max(c) < 170, 52, 209, 0, 75, least=1)]
    icons = [b for b in lines if b.right < 26]
    rowsof = []
    for b in sorted(icons, key=lambda b: b.top):
        if not rowsof or b.top - rowsof[-1] > 10:
            rowsof.append(b.top)
    spots = {0: "Save", -2: "Zoom In", -1: "Zoom Out"}
    for i, name in spots.items():
        compare(rows, [name], 0, 26, [rowsof[i] - 2])
    p.do("hover('%s')" % p.one("menuitem", "Playback").bid, "noop(500)")
    rows = p.look()
    inner = []
    for b in blobs(rows, lambda c: max(c) < 170, 52, 209, 76, 100, least=3):
        if not inner or b.top - inner[-1] > 12:
            inner.append(b.top)
    compare(rows, ["Prev", "Stop", "Play", "Next"], 76, 98, [t - 2 for t in inner])
    return best[1]


@policy("click-pie", "click-pie-nodelay")
def click_pie(p):
    letter = quoted(p)[0]
    p.click(p.one("generic", "+"))
    p.do("noop(1200)")
    node = [n for n in p.nodes("generic", letter) if n.bid][-1]
    try:
        p.click(node)
    except Fault:
        order = [n for n in p.nodes() if n.bid]
        p.click(order[order.index(node) - 2])


@policy("ascending-numbers")
def ascending_numbers(p):
    # The first click hides the numbers; their places keep their order.
    order = [int(n.text()) for n in p.nodes("generic") if n.text().isdigit()
             and n["clickable"]]
    p.click(p.one("generic", str(min(order))))
    order.remove(min(order))
    while order and not p.over():
        least = order.index(min(order))
        p.click(p.nodes("graphics-symbol")[least])
        order.pop(least)


@policy("find-greatest")
def find_greatest(p):
    cards = [n for n in p.nodes("generic") if n["clickable"]]
    best = None
    for i in range(len(cards)):
        card = [n for n in p.nodes("generic") if n["clickable"]][i]
        value = int(card.text())
        best = max(best or (value, i), (value, i))
    p.click([n for n in p.nodes("generic") if n["clickable"]][best[1]])
    p.submit()


@policy("odd-or-even")
def odd_or_even(p):
    numbers = [int(n.text()) for n in p.nodes("generic")
               if re.fullmatch(r"-?\d+", n.text()) and not n["clickable"]]
    odd, even = p.nodes("button", "Odd"), p.nodes("button", "Even")
    p.do(*["click('%s')" % (odd if n % 2 else even)[i].bid
           for i, n in enumerate(numbers)])
    p.submit()


@policy("generate-number")
def generate_number(p):
    m = re.search(r"(less|greater) than (\d+)", p.goal)
    for _ in range(60):
        p.submit("Generate")
        n = int([n for n in p.nodes("generic") if n.text().isdigit()][0].text())
        if (n < int(m[2]) if m and m[1] == "less" else n > int(m[2]) if m
                else (n % 2 == 1) == ("odd" in p.goal)):
            break
    p.submit()


@policy("guess-number")
def guess_number(p):
    low, high = 0, 9
    while low <= high and not p.over():
        n = (low + high) // 2
        p.fill(p.one("spinbutton"), str(n))
        p.submit()
        said = " ".join(n.text() for n in p.nodes("generic"))
        if "lower" in said:
            high = n - 1
        elif "higher" in said:
            low = n + 1
        else:
            return


@policy("phone-book")
def phone_book(p):
    who = re.search(r"Find (\w+) in", p.goal)[1]
    kind = 0 if "phone" in p.goal else 1 if "email" in p.goal else 2
    for _ in range(20):
        if p.one("heading").name == who:
            p.click([n for n in p.nodes("link") if n.parent.role == "generic"][kind])
            return
        p.click(p.one("link", ">"))


@policy("search-engine")
def search_engine(p):
    n = ordinal(p.goal)
    p.fill(p.one("textbox"), quoted(p)[0])
    p.submit("Search")
    page = 1
    while True:
        items = [m for m in p.nodes("link") if not re.fullmatch(r"[<>\d]+", m.name)
                 and len(m.name) > 1]
        items = [m for m in items if not m.name.startswith("http")]
        per = 3
        if n < page * per:
            p.click(items[n - (page - 1) * per])
            return
        page += 1
        p.click(p.one("link", ">"))


@policy("navigate-tree")
def navigate_tree(p):
    name = quoted(p)[0]
    tried = set()
    for _ in range(40):
        hit = [n for n in p.nodes() if n.bid and n.role in ("generic", "listitem")
               and n["clickable"] and n["visible"]
               and " ".join(c.name for c in n.children if c.role == "StaticText") == name]
        if hit:
            p.click(hit[-1])
            if p.over():
                return
            p.do("noop(200)")
            if p.over():
                return
            tried.add(hit[-1].bid)
        closed = [n for n in p.nodes("generic") if n["clickable"] and n["visible"]
                  and n.bid not in tried and any(c.role == "StaticText"
                                                 for c in n.children)]
        if not closed:
            return
        tried.add(closed[0].bid)
        p.click(closed[0])


@policy("buy-ticket")
def buy_ticket(p):
    prices = [int(re.search(r"\$(\d+)", n.name)[1]) for n in p.nodes("button")]
    times = [[int(v) for v in re.findall(r"\d+", n.text())] for n in p.nodes("generic")
             if re.fullmatch(r"\d+h \d+m", n.text())]
    values = times if "duration" in p.goal else prices
    best = (max if "longest" in p.goal or "expensive" in p.goal else min)(values)
    p.click(p.nodes("button")[values.index(best)])


# ---- fields -----------------------------------------------------------------------------

@policy("enter-text", "enter-text-dynamic")
def enter_text(p):
    p.fill(p.one("textbox"), quoted(p)[0])
    p.submit()


@policy("enter-text-2")
def enter_text_2(p):
    word = quoted(p)[0]
    p.fill(p.one("textbox"), word.upper() if "upper" in p.goal else word.lower())
    p.submit()


@policy("enter-password")
def enter_password(p):
    for box in p.nodes("textbox"):
        p.fill(box, quoted(p)[0])
    p.submit()


@policy("login-user")
def login_user(p):
    for box, word in zip(p.nodes("textbox"), quoted(p)):
        p.fill(box, word)
    p.submit("Login")


@policy("login-user-popup")
def login_user_popup(p):
    words = quoted(p)

    def clear():
        for b in p.nodes("button"):
            if b.name in ("Cancel", "Close"):
                p.click(b)
                p.do("noop(300)")
                return
    for i, word in enumerate(words):
        for _ in range(4):
            clear()
            try:
                p.fill(p.nodes("textbox")[i], word)
            except Fault:
                p.do("noop(200)")
                continue
            p.do("noop(200)")
            if p.nodes("textbox")[i].value == word or i == 1:
                break
    for _ in range(3):
        clear()
        names = [b for b in p.nodes("button") if b.name in ("OK", "Login", "Ok")]
        p.click(names[0])
        if p.over():
            return


@policy("enter-date")
def enter_date(p):
    m = re.search(r"(\d+)/(\d+)/(\d+)", p.goal)
    box = (p.nodes("Date") or p.nodes("textbox"))[0]
    p.fill(box, "%s-%s-%s" % (m[3], m[1], m[2]))
    p.submit()


@policy("enter-time")
def enter_time(p):
    m = re.search(r"(\d+):(\d+) ([AP])M", p.goal)
    p.fill(p.one("InputTime"), "%02d:%s" % (int(m[1]) % 12 + 12 * (m[3] == "P"), m[2]))
    p.submit()


@policy("find-word")
def find_word(p):
    words = paragraphs(p)[0].text().split()
    p.fill(p.one("textbox"), words[ordinal(p.goal)].strip(",."))
    p.submit()


@policy("focus-text", "focus-text-2")
def focus_text(p):
    m = re.search(r"(\d)(st|nd|rd|th)", p.goal)
    p.do("focus('%s')" % p.nodes("textbox")[int(m[1]) - 1 if m else 0].bid)


@policy("copy-paste")
def copy_paste(p):
    boxes = p.nodes("textbox")
    text = next(b.value for b in boxes if b.value)
    p.fill(next(b for b in boxes if not b.value), text)
    p.submit()


@policy("copy-paste-2")
def copy_paste_2(p):
    boxes = p.nodes("textbox")
    p.fill(boxes[-1], boxes[ordinal(p.goal)].value)
    p.submit()


@policy("read-table")
def read_table(p):
    what = re.search(r"value of (.*) into", p.goal)[1]
    cells = [n.name for n in p.nodes("cell")]
    p.fill(p.one("textbox"), cells[cells.index(what) + 1])
    p.submit()


@policy("read-table-2")
def read_table_2(p):
    cells = [n.name for n in p.nodes("cell")]
    labels = [n.text().rstrip(":") for n in p.nodes("LabelText")]
    for box, label in zip(p.nodes("textbox"), labels):
        p.fill(box, cells[cells.index(label) + 1])
    p.submit()


@policy("simple-arithmetic")
def simple_arithmetic(p):
    m = [re.match(r"(\d+) (.) (\d+)", n.text()) for n in p.nodes("generic")]
    m = next(x for x in m if x)
    a, b = int(m[1]), int(m[3])
    p.fill(p.one("textbox"), str({"+": a + b, "-": a - b}.get(m[2], a * b)))
    p.submit()


@policy("simple-algebra")
def simple_algebra(p):
    text = next(n.text() for n in p.nodes("generic") if re.search(r"= *-?\d+$", n.text()))
    m = re.match(r"(x|-?\d+) ([-+]) (x|-?\d+) = (-?\d+)", text)
    left, sign, right, total = m[1], m[2], m[3], int(m[4])
    if left == "x":
        x = total - int(right) if sign == "+" else total + int(right)
    else:
        x = total - int(left) if sign == "+" else int(left) - total
    p.fill(p.one("textbox"), str(x))
    p.submit()


@policy("text-transform")
def text_transform(p):
    letters = [n.text() for n in p.nodes("generic") if n.text() and not n["clickable"]]
    p.fill(p.one("textbox"), "".join(letters))
    p.submit()


@policy("scroll-text")
def scroll_text(p):
    boxes = p.nodes("textbox")
    p.fill(boxes[1], re.findall(r"\w+", boxes[0].value)[-1])
    p.submit()


def to_bottom(p, box):
    p.do("hover('%s')" % box.bid, "scroll(0, 20000)", "noop(200)")


@policy("scroll-text-2")
def scroll_text_2(p):
    if "top" in p.goal:
        p.do("hover('%s')" % p.one("textbox").bid, "scroll(0, -20000)", "noop(200)")
    else:
        to_bottom(p, p.one("textbox"))
    p.submit()


@policy("sign-agreement")
def sign_agreement(p):
    names = quoted(p)
    if len(names) < 2:
        p.submit("Cancel")
        return
    to_bottom(p, p.one("textbox"))
    p.fill(p.one("textbox", index=1), names[0])
    p.submit(names[1])


@policy("use-autocomplete", "use-autocomplete-nodelay")
def use_autocomplete(p):
    words = quoted(p)
    p.fill(p.one("textbox"), words[0])
    p.do("noop(900)")
    texts = [n.text() for n in p.root.all() if n.role in (
        "generic", "listitem", "StaticText", "option", "menuitem") and n.text()]
    end = words[1] if len(words) > 1 else ""
    pick = [t for t in texts if t.startswith(words[0]) and t.endswith(end)
            and t != words[0]] or [t for t in texts if t.startswith(words[0])
                                   and t.endswith(end)]
    p.do("keyboard_press('Escape')", "fill('%s', %r)" % (p.one("textbox").bid, pick[0]),
         "noop(500)", "keyboard_press('Escape')")
    p.submit()


@policy("multi-layouts", "multi-orderings")
def multi_layouts(p):
    m = re.search(r"Search for (\S+) movies directed by (\S+) from year (\d+)", p.goal)
    seen = []
    for n in p.nodes():
        label = n.role in ("StaticText", "rowheader", "LabelText", "generic")
        text = n.text().lower() if label and not n["clickable"] else ""
        if n.role == "textbox":
            text = n.name.lower()
        for i, words in ((1, ("genre",)), (2, ("director",)), (3, ("year", "date"))):
            if any(w in text for w in words) and m[i] not in seen[-1:]:
                seen.append(m[i])
        if n.role == "textbox":
            seen.append(n)
    filled, after = [], not isinstance(seen[0], str)
    for i, n in enumerate(seen):
        if not isinstance(n, str):
            filled.append((n, seen[i + 1 if after else i - 1]))
    for n, v in filled:
        p.fill(n, v)
    last = [n for n in p.nodes() if n["clickable"] and n.bid
            and n.role in ("button", "generic", "link")]
    p.click(last[-1])


@policy("form-sequence-2")
def form_sequence_2(p):
    radio = int(re.search(r"(\d)\w\w radio", p.goal)[1]) - 1
    box = int(re.search(r"(\d)\w\w textbox", p.goal)[1]) - 1
    steps = ["click('%s')" % p.nodes("radio")[radio].bid,
             "fill('%s', %r)" % (p.nodes("textbox")[box].bid, quoted(p)[0])]
    if p.goal.index("radio") > p.goal.index("textbox"):
        steps.reverse()
    p.do(*steps)
    p.submit()


@policy("form-sequence-3")
def form_sequence_3(p):
    what = re.search(r"Choose (.*) from", p.goal)[1]
    p.do("select_option('%s', %r)" % (p.one("combobox").bid, what))
    p.submit(quoted(p)[0])


def slide(p, handle, value, read):
    """Move a handle with the arrow keys until `read` shows the value."""
    for _ in range(6):
        now = read()
        if now == value:
            return
        key = "ArrowRight" if now < value else "ArrowLeft"
        p.do(*["press('%s', '%s')" % (handle, key)] * min(20, abs(value - now)))


def handles(p):
    return [n for n in p.nodes("generic") if not n.children
            and n.parent.role == "generic" and n.parent["clickable"]
            and n.parent.depth >= 2]


def numbers(p):
    return [int(n.text()) for n in p.nodes("generic") if re.fullmatch(r"-?\d+", n.text())
            and not n["clickable"]]


@policy("use-slider")
def use_slider(p):
    slide(p, handles(p)[0].bid, int(re.search(r"Select (-?\d+)", p.goal)[1]),
          lambda: numbers(p)[0])
    p.submit()


@policy("use-slider-2")
def use_slider_2(p):
    for i, v in enumerate(re.search(r"\[(.*)\]", p.goal)[1].split(",")):
        for _ in range(3):
            slide(p, handles(p)[i].bid, int(v), lambda: numbers(p)[i])
    p.submit()


@policy("form-sequence")
def form_sequence(p):
    value = int(re.search(r"Select (-?\d+)", p.goal)[1])
    slide(p, handles(p)[0].bid, value, lambda: numbers(p)[0])
    p.click(p.nodes("checkbox")[ordinal(p.goal)])
    p.submit()


@policy("use-spinner")
def use_spinner(p):
    value = int(re.search(r"Select (-?\d+)", p.goal)[1])
    bid = p.one("spinbutton").bid
    p.do(*["press('%s', '%s')" % (bid, "ArrowUp" if value > 0 else "ArrowDown")]
         * abs(value))
    p.submit()


@policy("use-colorwheel")
def use_colorwheel(p):
    name = re.search(r"Select (\w+) with", p.goal)[1]
    p.fill(p.one("textbox"), "%02X%02X%02X" % COLORS[name])
    p.do("keyboard_press('Tab')")
    p.submit()


@policy("use-colorwheel-2")
def use_colorwheel_2(p):
    color = swatch(p.look())
    p.fill(p.one("textbox"), "%02X%02X%02X" % color)
    p.do("keyboard_press('Tab')")
    p.submit()


@policy("highlight-text")
def highlight_text(p):
    p.do("select_text('%s')" % paragraphs(p)[0].bid)
    p.submit()


@policy("highlight-text-2")
def highlight_text_2(p):
    p.do("select_text('%s')" % paragraphs(p)[ordinal(p.goal)].bid)
    p.submit()


@policy("text-editor")
def text_editor(p):
    m = re.search(r"give the text (.*) the (?:style|color)", p.goal)
    paragraph = paragraphs(p)[-1]
    p.click(paragraph)
    if m:
        p.do("select_text('%s', %r)" % (paragraph.bid, m[1]))
    else:
        p.do("keyboard_press('Control+a')")
    for i, style in enumerate(("bold", "italics", "underlined")):
        if style in p.goal:
            p.click([n for n in p.nodes("button") if not n.name][i])
            break
    else:
        color = re.search(r"the color (\w+)", p.goal)[1]
        p.click([n for n in p.nodes("generic") if n["clickable"] and n.children][0])
        p.do("noop(300)")
        rows = p.look()
        want = {"red": (230, 0, 0), "orange": (255, 153, 0), "yellow": (255, 255, 0),
                "green": (0, 138, 0), "blue": (0, 102, 204), "purple": (153, 51, 255)}
        spot = blobs(rows, lambda c: near(c, want[color], 12), 52, 209, 0, 159, 20)[0]
        p.do(at(spot.x, spot.y))
    p.submit()


@policy("resize-textarea")
def resize_textarea(p):
    rows = p.look()
    edge = blobs(rows, lambda c: max(c) < 200, 52, 180, 0, 159, 60)[0]
    dx = dy = 0
    step = 14 if "larger" in p.goal else -14
    if "width" in p.goal:
        dx = step
    else:
        dy = step
    x, y = edge.right - 3, edge.bottom - 3
    p.do("mouse_drag_and_drop(%d, %d, %d, %d)" % (x, y, x + dx, y + dy))
    p.submit()


@policy("terminal")
def terminal(p):
    def enter(text):
        p.do("focus('%s')" % p.one("textbox").bid,
             *["keyboard_press('%s')" % ("Space" if c == " " else c) for c in text],
             "keyboard_press('Enter')")
    m = re.search(r"extension (\S+)", p.goal)
    enter("ls")
    shown = [n.text() for n in p.nodes("generic") if n.text()]
    last = [t for t in shown if "user$" not in t and "terminal" not in t
            and "Welcome" not in t and "Last login" not in t and "█" not in t][-1]
    names = last.split()
    pick = [n for n in names if n.endswith(m[1])] if m else [n for n in names
                                                             if "." not in n]
    enter("rm " + pick[0])


# ---- dates ------------------------------------------------------------------------------

MONTHS = ("January February March April May June July August September October November "
          "December").split()


def pick_date(p, month, day, year=None):
    for _ in range(40):
        texts = [n.text() for n in p.nodes() if n.text()]
        shown = next(i for t in texts for i, m in enumerate(MONTHS, 1)
                     if re.match(m + r"\b", t))
        if shown == month:
            break
        name = "Next" if shown < month else "Prev"
        p.click([n for n in p.nodes() if n.bid and n.role in ("link", "generic", "button")
                 and n.text() == name][0])
    days = [n for n in p.nodes() if n.bid and n.role in ("link", "generic")
            and n.text() == str(day) and n["clickable"]]
    p.click(days[0])


@policy("choose-date", "choose-date-easy", "choose-date-medium", "choose-date-nodelay")
def choose_date(p):
    m = re.search(r"(\d+)/(\d+)/(\d+)", p.goal)
    p.click(p.one("textbox"))
    p.do("noop(400)")
    pick_date(p, int(m[1]), int(m[2]))
    p.do("noop(300)")
    p.submit()


@policy("book-flight", "book-flight-nodelay")
def book_flight(p):
    m = re.search(r"Book the (cheapest|shortest) one-way flight from: (.*) to: (.*) on "
                  r"(\d+)/(\d+)/(\d+)", p.goal)
    for i, place in ((0, m[2]), (1, m[3])):
        p.fill(p.nodes("textbox")[i], place.strip())
        p.do("noop(700)")
        options = [n for n in p.root.all() if n.bid and n["clickable"]
                   and n.role in ("generic", "listitem", "menuitem", "option")
                   and place.strip() in n.text() and n.depth > 1 and len(n.text()) < 60
                   and n.bid != p.query.bid]
        if options:
            p.click(options[-1])
        else:
            p.do("keyboard_press('ArrowDown')", "keyboard_press('Enter')")
    p.click(p.nodes("textbox")[2])
    p.do("noop(400)")
    pick_date(p, int(m[4]), int(m[5]))
    p.do("noop(300)")
    p.submit("Search")
    p.do("noop(300)")
    prices = [int(re.search(r"\$(\d+)", n.name)[1]) for n in p.nodes("button")
              if "$" in n.name]
    times = [[int(v) for v in re.findall(r"\d+", n.text())] for n in p.nodes("generic")
             if re.fullmatch(r"\d+h \d+m", n.text())]
    values = prices if m[1] == "cheapest" else times
    p.click([n for n in p.nodes("button") if "$" in n.name][values.index(min(values))])


@policy("daily-calendar")
def daily_calendar(p):
    m = re.search(r"Create an? (.*?) (hours?|mins?) event named (.*), between (\d+)(\w\w) "
                  r"and", p.goal)
    length = round(float(m[1]) * 2 if "hour" in m[2] else float(m[1]) / 30)
    start = (int(m[4]) % 12 + 12 * (m[5] == "PM")) * 2
    name = quoted(p)[0]
    for first in range(start, start + 8 - length + 1):
        cells = [n for n in p.nodes("generic") if n["clickable"] and not n.text()]
        p.do("drag_and_drop('%s', '%s')" % (cells[first].bid,
                                            cells[first + length - 1].bid))
        box = p.nodes("textbox")
        if box:
            p.fill(box[0], name)
            p.submit("Create")
            return


# ---- mail, posts, food ----------------------------------------------------------------------

def mails(p):
    return [n for n in p.nodes("generic") if n["clickable"]
            and len([c for c in n.children if c.role == "image"]) == 2]


def mail_of(p, who):
    for n in mails(p):
        if n.children[0].text() == who:
            return n
    raise Fault("no mail by " + who)


def mail_send(p, kind, who, text):
    p.click(mail_of(p, who).children[0])
    p.do("noop(200)")
    p.click([n for n in p.nodes("generic") if n["clickable"] and n.text() == kind][0]
            if [n for n in p.nodes("generic") if n["clickable"] and n.text() == kind]
            else [n for n in p.nodes() if n.bid and n.text() == kind][0])
    p.do("noop(200)")
    p.fill(p.one("textbox"), text)
    p.click([n for n in p.nodes("image") if n["clickable"]][1])


def mail_act(p, kind, who, text=""):
    if kind == "delete":
        p.click([c for c in mail_of(p, who).children if c.role == "image"][0])
    elif kind == "star":
        p.click([c for c in mail_of(p, who).children if c.role == "image"][1])
    else:
        mail_send(p, kind, who, text)


@policy("email-inbox", "email-inbox-delete", "email-inbox-forward",
        "email-inbox-important", "email-inbox-noscroll", "email-inbox-reply",
        "email-inbox-star-reply")
def email_inbox(p):
    who = re.search(r"email by (\w+)", p.goal)[1]
    if "trash" in p.goal:
        mail_act(p, "delete", who)
    elif "star" in p.goal:
        mail_act(p, "star", who)
    elif "forward" in p.goal:
        mail_act(p, "Forward", who, re.search(r"email to (\w+)", p.goal)[1])
    else:
        mail_act(p, "Reply", who, quoted(p)[0])


@policy("email-inbox-forward-nl", "email-inbox-forward-nl-turk", "email-inbox-nl-turk")
def email_inbox_nl(p):
    senders = [n.children[0].text() for n in mails(p)]
    names = [w for w in re.findall(r"[A-Z]\w+", p.goal)]
    goal = p.goal.lower()
    known = [s for s in senders if re.search(r"\b%s\b" % s, p.goal)]
    if re.search(r"\b(delete|trash|remove|erase|get rid|discard)", goal):
        mail_act(p, "delete", known[0])
    elif re.search(r"\b(star|important|mark|flag)", goal):
        mail_act(p, "star", known[0])
    elif re.search(r"\b(repl|respond|answer|say|tell|write)", goal) \
            and not re.search(r"forward", goal):
        text = quoted(p)[0] if quoted(p) else re.split(
            r"(?:with|saying|following:?|text|:) ", p.goal)[-1]
        mail_act(p, "Reply", known[0], text)
    else:
        # "... to B the mail from A", "B wants the mail A sent you"
        m = re.search(r"(?:from|by|that|mail|message) (?:I (?:got|received) from )?"
                      r"([A-Z]\w+)", p.goal)
        by = m[1] if m and m[1] in known else None
        to = re.search(r"\bto ([A-Z]\w+)", p.goal)
        if to and to[1] in names:
            target = to[1]
            source = [k for k in known if k != target]
            source = by if by and by != target else source[0]
        else:
            source = by or known[-1]
            target = [w for w in names if w != source and w not in (
                "Please", "Forward", "Find", "The", "Give", "Send", "Locate", "Navigate",
                "I", "Go", "Email", "Can", "Could", "Pass", "Share", "Have", "Open")][0]
        mail_act(p, "Forward", source, target)


def posts(p):
    """Users and the four icons of their posts: reply, retweet, like, share (or more)."""
    found = []
    for n in p.nodes():
        if n.role == "StaticText" and n.name.startswith("@"):
            found.append((n.name, []))
        elif n.role == "image" and found:
            found[-1][1].append(n)
    return found


@policy("social-media")
def social_media(p):
    who = re.search(r"user (@\S+)", p.goal)[1]
    what = quoted(p)[0]
    icons = next(i for user, i in posts(p) if user == who)
    order = ["Reply", "Retweet", "Like"]
    if what in order:
        p.click(icons[order.index(what)])
        return
    p.click(icons[3])
    p.do("noop(200)")
    p.click([n for n in p.nodes() if n.bid and n["clickable"] and n.text() == what][-1])


@policy("social-media-all", "social-media-some")
def social_media_all(p):
    who = re.search(r"by (@\S+)", p.goal)[1]
    index = ["Reply", "Retweet", "Like", "Share"].index(quoted(p)[0])
    count = re.search(r"on (\d+) posts?", p.goal)
    icons = [i[index] for user, i in posts(p) if user == who]
    p.do(*["click('%s')" % n.bid for n in icons[:int(count[1]) if count else None]])
    p.submit()


@policy("order-food")
def order_food(p):
    m = re.search(r"Order (\d+) items that are (\S+)", p.goal)
    names = [] if m else re.search(r"item: (.*)", p.goal)[1].split(", ")
    item, kinds, plus = None, {}, {}
    for n in p.nodes():
        if n.role == "image" and item:
            kinds[item].append(n.name)
        elif n.role == "generic" and n.text() == "+" and item:
            plus.setdefault(item, n.bid)
        elif n.role == "generic" and not n["clickable"] and len(n.text()) > 2 \
                and not n["scrollable"]:
            item = n.text()
            kinds[item] = []
    if m:
        pick = [i for i in plus if m[2] in kinds[i]]
        bids = [plus[pick[i % len(pick)]] for i in range(int(m[1]))]
    else:
        bids = [plus[n.strip()] for n in names]
    p.do(*["click('%s')" % b for b in bids])
    p.submit("Order!")


# ---- drawings ---------------------------------------------------------------------------

@policy("click-color")
def click_color(p):
    m = re.search(r"the (\w+) colored", p.goal)
    rows = p.look()
    wanted = COLORS[m[1]] if m else swatch(rows)
    spots = blobs(rows, lambda c: near(c, wanted, 8), least=150)
    p.do(at(spots[0].x, spots[0].y))


def swatch(rows):
    """The color that is shown in the question."""
    best = max(blobs(rows, lambda c: not near(c, (255, 255, 0), 60), 0, 49, 0, 159, 20),
               key=lambda b: b.size * b.fill)
    return rows[int(best.y)][int(best.x)]


@policy("click-shades")
def click_shades(p):
    name = re.search(r"shades of (\w+)", p.goal)[1]
    channel = "red green blue".split().index(name)
    rows = p.look()
    cells = blobs(rows, lambda c: not near(c, (255, 255, 255), 6) and max(c) - min(c) > 12,
                  least=100)
    pick = []
    for b in cells:
        c = rows[int(b.y)][int(b.x)]
        if c[channel] == max(c):
            pick.append(b)
    p.do(*[at(b.x, b.y) for b in pick])
    p.submit()


def figures(rows, top=52, bottom=195):
    """Colored things on white, with what they look like."""
    found = []
    for name in ("red", "green", "blue", "aqua", "black", "magenta", "yellow"):
        match = COLORS[name]
        for b in blobs(rows, lambda c, m=match: near(c, m, 70), top, bottom, 0, 159, 3):
            cell = ((b.x - 2) // 20, (b.y - 52) // 20)
            same = [f for f in found if f[0] == name and f[2] == cell]
            if same:
                same[0][1].points += b.points
                same[0][1].__init__(same[0][1].points)
            else:
                found.append((name, b, cell))
    out = []
    for name, b, _ in found:
        # a circle and a triangle are known by their fill, next to a whole square
        square = abs(b.width - b.height) <= 2 and b.width >= 8
        top_row = sum(1 for _, y in b.points if y <= b.top + 1)
        low_row = sum(1 for _, y in b.points if y >= b.bottom - 1)
        if square and b.fill > 0.93:
            kind = "rectangle"
        elif square and 0.68 < b.fill < 0.9 and abs(top_row - low_row) <= 4:
            kind = "circle"
        elif square and 0.38 < b.fill < 0.68 and low_row > 1.6 * b.width and \
                top_row <= 6:
            kind = "triangle"
        else:
            kind = "text"
        out.append((name, kind, b))
    return out


def large(b, kind):
    return b.height > 14 if kind != "text" else b.height > 11


def matches(want, figure):
    name, kind, b = figure
    words = want.split()
    for w in words:
        if w in COLORS and w != name:
            return False
        if w in ("large", "small") and (w == "large") != large(b, kind):
            return False
        if w in ("circle", "rectangle", "triangle") and w != kind:
            return False
        if w == "shape" and kind == "text":
            return False
        if w in ("letter", "digit") and kind != "text":
            return False
    return True


def texts(p):
    return [n.text() for n in p.nodes("generic") if len(n.text()) == 1]


@policy("click-shape")
def click_shape(p):
    want = re.search(r"Click on an? (.*)", p.goal)[1].rstrip("s")
    found = figures(p.look())
    m = re.search(r'"(.)"|(?:letter|digit) (\w)$', p.goal)
    one = [f for f in found if matches(want, f)]
    if m or re.search(r"letter|digit", want):
        kind = str.isdigit if "digit" in want else str.isalpha
        for n in p.nodes("generic"):
            if len(n.text()) == 1 and kind(n.text()):
                # its place is where its color is; the tree names the letter
                if len(want.split()) == 1 or not [w for w in want.split()
                                                  if w in COLORS or w in ("large",
                                                                          "small")]:
                    p.click(n)
                    return
    p.do(at(one[0][2].x, one[0][2].y))


@policy("count-shape")
def count_shape(p):
    want = re.search(r"How many (.*?) are there", p.goal)[1]
    words = [w[:-1] if w.endswith("s") else w for w in want.split()]
    found = figures(p.look(), 52, 165)
    letters = texts(p)
    named = [n for n in letters if n.isalpha()], [n for n in letters if n.isdigit()]
    if not [w for w in words if w in COLORS or w in ("large", "small")] and \
            words[-1] in ("letter", "digit"):
        count = len(named[words[-1] == "digit"])
        count -= words[-1] == "digit" and 5 or 0
    else:
        count = len([f for f in found if matches(" ".join(words), f)])
    p.click(p.one("button", str(count)))


@policy("identify-shape")
def identify_shape(p):
    rows = p.look()
    ink = blobs(rows, lambda c: min(c) < 200, 52, 140, 0, 159, 3)
    b = Blob([q for i in ink for q in i.points])
    square = abs(b.width - b.height) <= 2
    top_row = sum(1 for _, y in b.points if y <= b.top + 1)
    if square and b.fill > 0.95:
        kind = "Rectangle"
    elif square and 0.7 < b.fill < 0.9:
        kind = "Circle"
    elif square and b.fill < 0.65 and top_row < 8 and \
            sum(1 for _, y in b.points if y >= b.bottom - 1) > 1.5 * b.width:
        kind = "Triangle"
    else:
        kind = "Letter"
    p.submit(kind)


@policy("count-sides")
def count_sides(p):
    rows = p.look()
    white = rows[60][2]
    ink = max(blobs(rows, lambda c: not near(c, white, 30), 52, 165, 0, 159, 30),
              key=lambda b: b.size)
    points = sorted(set(ink.points))

    def half(points):
        out = []
        for q in points:
            while len(out) > 1 and (out[-1][0] - out[-2][0]) * (q[1] - out[-2][1]) - \
                    (out[-1][1] - out[-2][1]) * (q[0] - out[-2][0]) <= 0:
                out.pop()
            out.append(q)
        return out[:-1]
    hull = half(points) + half(points[::-1])
    while True: # the corner that adds the least is none
        n = len(hull)
        areas = [abs((hull[i][0] - hull[i - 1][0]) * (hull[(i + 1) % n][1] - hull[i - 1][1])
                     - (hull[i][1] - hull[i - 1][1])
                     * (hull[(i + 1) % n][0] - hull[i - 1][0])) for i in range(n)]
        least = min(range(n), key=lambda i: areas[i])
        if areas[least] > 0.04 * ink.size or n <= 3:
            break
        hull.pop(least)
    p.submit(str(len(hull)))


@policy("visual-addition")
def visual_addition(p):
    rows = p.look()
    blocks = blobs(rows, lambda c: min(c) < 235 and max(c) - min(c) > 40, 52, 150, 0, 159, 20)
    p.fill(p.one("textbox"), str(len(blocks)))
    p.submit()


@policy("grid-coordinate")
def grid_coordinate(p):
    m = re.search(r"\((-?\d),(-?\d)\)", p.goal)
    spots = sorted(dots(p.look(), lambda c: c[2] > 150 and c[0] < 120))
    xs, ys = [s[0] for s in spots], [s[1] for s in spots]
    p.do(at(min(xs) + (max(xs) - min(xs)) / 4 * (int(m[1]) + 2),
            max(ys) - (max(ys) - min(ys)) / 4 * (int(m[2]) + 2)))


@policy("circle-center")
def circle_center(p):
    b = max(blobs(p.look(), lambda c: min(c) < 190, 51, 182, 0, 159, 20),
            key=lambda b: b.height)
    p.do(at(b.x, b.y))
    p.submit()


@policy("find-midpoint")
def find_midpoint(p):
    (ax, ay), (bx, by) = dots(p.look(), dark)[:2]
    p.do(at((ax + bx) / 2, (ay + by) / 2))
    p.submit()


def inside(x, y):
    return 4 <= x <= 150 and 54 <= y <= 180


@policy("right-angle")
def right_angle(p):
    rows = p.look()
    (ax, ay), (vx, vy) = dots(rows, dark)[0], dots(rows, bluish)[0]
    length = math.hypot(ax - vx, ay - vy)
    for k in range(120, 10, -2):
        for s in (k, -k):
            x, y = vx - (ay - vy) / length * s, vy + (ax - vx) / length * s
            if inside(x, y):
                p.do(at(x - 2, y))
                p.submit()
                return


@policy("bisect-angle")
def bisect_angle(p):
    rows = p.look()
    (ax, ay), (bx, by) = dots(rows, dark)[:2]
    vx, vy = dots(rows, bluish)[0]
    a, b = math.hypot(ax - vx, ay - vy), math.hypot(bx - vx, by - vy)
    ux, uy = (ax - vx) / a + (bx - vx) / b, (ay - vy) / a + (by - vy) / b
    u = math.hypot(ux, uy)
    for k in range(120, 5, -2):
        x, y = vx + ux / u * k, vy + uy / u * k
        if inside(x, y):
            p.do(at(x - 2, y))
            p.submit()
            return


def draw(p, points):
    x, y = points[0]
    p.do("mouse_move(%d, %d)" % (x, y), "mouse_down(%d, %d)" % (x, y),
         *["mouse_move(%d, %d)" % (round(x), round(y)) for x, y in points[1:]],
         "mouse_up(%d, %d)" % (round(points[-1][0]), round(points[-1][1])))
    p.submit()


@policy("draw-line")
def draw_line(p):
    b = blobs(p.look(), lambda c: c[0] > 90 and c[1] < 60 and c[2] > 90)[0]
    dx, dy = (4, 0) if "horizontal" in p.goal else (0, 4)
    draw(p, [(b.x + dx * i, b.y + dy * i) for i in range(-6, 7)])


@policy("draw-circle")
def draw_circle(p):
    b = blobs(p.look(), lambda c: c[1] > 90 and c[0] < 60 and c[2] < 60)[0]
    draw(p, [(b.x + 22 * math.cos(i * math.pi / 12), b.y + 22 * math.sin(i * math.pi / 12))
             for i in range(0, 25)])


# ---- drags ------------------------------------------------------------------------------

def drag(x, y, to_x, to_y):
    return "mouse_drag_and_drop(%d, %d, %d, %d)" % (round(x), round(y), round(to_x),
                                                    round(to_y))


@policy("drag-box")
def drag_box(p):
    p.do("drag_and_drop('%s', '%s')" % (p.one("generic", "s").bid,
                                        p.one("generic", "L").bid))
    p.submit()


@policy("drag-circle", "drag-single-shape")
def drag_single(p):
    b = max(blobs(p.look(), lambda c: not near(c, (255, 255, 255), 60), 52, 182, 0, 159),
            key=lambda b: b.size)
    way = re.search(r"(left|right|up|down)", p.goal)[1]
    dx, dy = {"left": (-20, 0), "right": (20, 0), "up": (0, -20), "down": (0, 20)}[way]
    p.do(drag(b.x, b.y, b.x + dx, b.y + dy))
    p.submit()


def colored(rows, top, bottom):
    """Blobs of one color each."""
    found, seen = [], set()
    for y in range(top, bottom):
        for x in range(2, 158):
            c = rows[y][x]
            if c in seen or near(c, (255, 255, 255), 40):
                continue
            seen.add(c)
            for b in blobs(rows, lambda q, c=c: q == c, top, bottom, 0, 159, 40):
                b.color = c
                found.append(b)
    return found


def looks(b):
    low = sum(1 for _, y in b.points if y == b.bottom)
    if b.fill > 0.9:
        return "rectangle"
    if b.fill > 0.66:
        return "circle"
    return "triangle" if low > b.width * 0.6 else "frame"


@policy("drag-shapes")
def drag_shapes(p):
    what = re.search(r"all (\w+)s into", p.goal)[1]
    rows = p.look()
    found = colored(rows, 52, 182)
    frame = max((b for b in found if b.fill < 0.4), key=lambda b: b.width)
    shapes = [b for b in found if looks(b) == what and b is not frame]
    steps = []
    for i, b in enumerate(shapes):
        steps.append(drag(b.x, b.y, frame.x - 8 + 8 * (i % 3), frame.y - 6 + 6 * (i // 3)))
    p.do(*steps)
    p.submit()


@policy("drag-shapes-2")
def drag_shapes_2(p):
    what = re.search(r"all (\w+)", p.goal)[1]
    rows = p.look()
    found = [b for b in colored(rows, 110, 182) if b.fill > 0.4]
    steps = []
    for i, b in enumerate(found):
        left = near(b.color, COLORS[what], 10) if what in COLORS \
            else looks(b) + "s" == what
        steps.append(drag(b.x, b.y, (24 if left else 106) + 8 * (i % 4),
                          72 + 6 * (i // 4)))
    p.do(*steps)
    p.submit()


def items_of(p):
    return [n for n in p.nodes() if n.bid and n.role in ("listitem", "generic") and n.text()]


def item_rows(p):
    return [n.text() for n in items_of(p)]


def item_place(p, name):
    return [n for n in items_of(p) if n.text() == name][0].bid


@policy("drag-items")
def drag_items(p):
    name = re.search(r"Drag (\w+)", p.goal)[1]
    items = item_rows(p)
    i = items.index(name)
    m = re.search(r"(\d)\w\w position", p.goal)
    j = int(m[1]) - 1 if m else 0 if "top" in p.goal else len(items) - 1 \
        if "bottom" in p.goal else i + 1 if "down" in p.goal else i - 1
    p.do("drag_and_drop('%s', '%s')" % (item_place(p, name), item_place(p, items[j])))


GRID = ["top left", "top center", "top right", "center left", "center", "center right",
        "bottom left", "bottom center", "bottom right"]


@policy("drag-items-grid")
def drag_items_grid(p):
    name = re.search(r"Drag (\w+)", p.goal)[1]
    items = item_rows(p)
    i = items.index(name)
    m = re.search(r"(up|down|left|right) by one", p.goal)
    j = i + {"up": -3, "down": 3, "left": -1, "right": 1}[m[1]] if m else \
        GRID.index(re.search(r"to the (.*)\.", p.goal)[1])
    p.do("drag_and_drop('%s', '%s')" % (item_place(p, name), item_place(p, items[j])))


@policy("drag-sort-numbers")
def drag_sort_numbers(p):
    for _ in range(8):
        items = item_rows(p)
        want = sorted(items, key=int)
        if items == want:
            break
        i = next(k for k in range(len(items)) if items[k] != want[k])
        p.do("drag_and_drop('%s', '%s')" % (item_place(p, want[i]), item_place(p, items[i])),
             "noop(300)")
    p.submit()


@policy("drag-cube")
def drag_cube(p):
    side = quoted(p)[0]
    for step in ("", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowUp",
                 "ArrowUp", "ArrowUp"):
        if step:
            dx, dy = (60, 0) if step == "ArrowRight" else (0, 60)
            p.do("mouse_move(80, 115)", drag(80, 115, 80 + dx, 115 + dy), "noop(900)")
        face = p.one("generic", side)
        try:
            p.do("click('%s')" % face.bid)
        except Fault:
            continue
        p.submit()
        return


# ---- games and moving things ------------------------------------------------------------

@policy("hot-cold")
def hot_cold(p):
    points = [(x, y) for x in range(4, 152, 2) for y in range(58, 176, 2)]
    bands = {"HOT": (0, 5), "WARM": (5, 10), "COLD": (10, 40), "ICE COLD": (40, 999)}
    while points:
        x, y = points[len(points) // 2]
        p.do("mouse_move(%d, %d)" % (x, y))
        said = [n.text() for n in p.nodes("generic") if n.text() in bands]
        if not said:
            points.remove((x, y))
            continue
        if said[0] == "HOT":
            p.do(at(x, y))
            return
        low, high = bands[said[0]]
        points = [q for q in points if low - 2 <= math.hypot(q[0] - x, q[1] - y) <= high + 2
                  and q != (x, y)]


@policy("simon-says")
def simon_says(p):
    shots, end = [], time.monotonic() + 4.8
    while time.monotonic() < end:
        p.do("screenshot()")
        shots.append(p.image)
    rows = [pixels(s, 165, 215) for s in shots]
    quiet = rows[-1]
    spots = []
    if quiet: # the four buttons, in reading order, by their color
        spots = sorted(blobs(quiet, lambda c: max(c) - min(c) > 90, 52, 209, 0, 159, 400),
                       key=lambda b: (b.top // 30, b.left))
    order, before = [], None
    for r in rows:
        lit = [i for i, b in enumerate(spots)
               if not near(r[int(b.top + 8)][int(b.left + 8)],
                           quiet[int(b.top + 8)][int(b.left + 8)], 20)]
        now = lit[0] if lit else None
        if now is not None and now != before:
            order.append(now)
        before = now
    for i in order:
        p.do(at(spots[i].x, spots[i].y))


@policy("stock-market")
def stock_market(p):
    limit = float(re.search(r"less than \$(\d+\.\d+)", p.goal)[1])
    buy = p.one("button", "Buy").bid
    began = time.monotonic()
    while time.monotonic() - began < 60:
        p.do("noop(0)")
        shown = [n.text() for n in p.nodes("generic") if n.text().startswith("$")]
        margin = max(0.3, 2.0 - (time.monotonic() - began) / 5)
        if shown and float(shown[0][1:]) <= limit - margin:
            p.do("click('%s')" % buy)
            return


@policy("chase-circle")
def chase_circle(p):
    end = time.monotonic() + 30
    x = y = None
    while time.monotonic() < end and not p.over():
        found = blobs(p.look(), dark, 52, 209, 0, 159, 200)
        if found:
            b = found[0]
            ahead = 1.0 if x is not None else 0
            dx, dy = (b.x - x, b.y - y) if x is not None else (0, 0)
            x, y = b.x, b.y
            p.do("mouse_move(%d, %d)" % (max(2, min(157, x + dx * ahead * 0.6)),
                                         max(53, min(205, y + dy * ahead * 0.6))))


@policy("moving-items")
def moving_items(p):
    end = time.monotonic() + 9.2
    while time.monotonic() < end:
        one = time.monotonic()
        first = blobs(p.look(), dark, 52, 205, 0, 159, 250)
        second = blobs(p.look(), dark, 52, 205, 0, 159, 250)
        took = time.monotonic() - one
        hits = []
        for b in second:
            old = [a for a in first if abs(a.y - b.y) < 25 and abs(a.x - b.x) < 40
                   and a.width > 30 and b.width > 30]
            if old:
                a = min(old, key=lambda a: abs(a.x - b.x))
                ahead = 0.16 / (took / 2)
                hits.append((b.x + (b.x - a.x) * ahead, b.y + (b.y - a.y) * ahead))
        for x, y in hits[:2]:
            if 3 < x < 157 and 53 < y < 207:
                p.do(at(x, y))
    p.do("noop(1500)")


LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8),
         (2, 4, 6)]


@policy("tic-tac-toe")
def tic_tac_toe(p):
    cells = [n.bid for n in p.nodes() if n["clickable"] and n.bid][:9]
    grid = None
    for _ in range(5):
        rows = p.look()
        if grid is None:
            frame = Blob([q for b in blobs(rows, dark, 52, 209) for q in b.points])
            grid = (frame.left, frame.top, frame.right, frame.bottom)
        marks = []
        w, h = (grid[2] - grid[0]) / 3, (grid[3] - grid[1]) / 3
        for k in range(9):
            x0, y0 = grid[0] + (k % 3) * w, grid[1] + (k // 3) * h
            spots = [rows[int(y0 + h * j / 20)][int(x0 + w * i / 20)]
                     for i in range(4, 17) for j in range(4, 17)]
            ink = [c for c in spots if min(c) < 200]
            center = rows[int(y0 + h / 2)][int(x0 + w / 2)]
            marks.append(0 if len(ink) < 6 else 1 if min(center) < 200 else -1)
        free = [k for k in range(9) if not marks[k]]

        def finish(who):
            for line in LINES:
                if sum(marks[k] == who for k in line) == 2 and \
                        any(k in free for k in line):
                    return [k for k in line if k in free][0]
            return None
        move = finish(1)
        move = finish(-1) if move is None else move
        if move is None:
            move = next(k for k in (4, 0, 2, 6, 8, 1, 3, 5, 7) if k in free)
        p.do("click('%s')" % cells[move])
        if p.over():
            return
        p.do("noop(150)")


@policy("number-checkboxes")
def number_checkboxes(p):
    wide = p.nodes("checkbox")
    rows = p.look()
    example = blobs(rows, lambda c: not near(c, (255, 255, 255), 20), 52, 209, 85, 159, 3)
    whole = Blob([q for b in example for q in b.points])
    lines = len(wide) // 4
    marks = []
    for r in range(lines):
        for c in range(4):
            x0 = whole.left + whole.width * c / 4
            y0 = whole.top + whole.height * r / lines
            spots = [rows[int(y0 + whole.height / lines * j / 10)]
                     [int(x0 + whole.width / 4 * i / 10)]
                     for i in range(2, 9) for j in range(2, 9)]
            marks.append(sum(1 for s in spots if s[2] - s[0] > 40 or max(s) < 90))
    top = max(marks)
    p.do(*["click('%s')" % wide[i].bid for i, m in enumerate(marks) if m > top / 2])
    p.submit()
