# SPDX-License-Identifier: MIT
"""Small functions for looking at files from a cell.

A window of one file is open at a time: open_file, goto_line, scroll_down and
scroll_up print it. search_dir, search_file and find_file print what they find;
parse_* print the text of documents; file_editor changes files.
"""
import functools as _functools
import os as _os
import re as _re

__all__ = [
    "open_file", "goto_line", "scroll_down", "scroll_up", "search_dir", "search_file",
    "find_file", "parse_pdf", "parse_docx", "parse_latex", "parse_pptx", "file_editor",
]

_WINDOW = 100        # lines shown at once
_FOUND_MAX = 100     # lines that a search prints
_FILE_MAX = 10 << 20  # bytes of a file that is searched or edited
_open = {"path": None, "line": 1, "window": _WINDOW}
_undo = {}           # path: texts that it had; None: it was not there


def _says(function):
    """What goes wrong with a file is a sentence, not a traceback."""
    @_functools.wraps(function)
    def call(*args, **named):
        try:
            return function(*args, **named)
        except (OSError, ValueError, KeyError) as e:
            print(f"{function.__name__}: {e}")
    return call


def _read(path, limit=10 * _FILE_MAX, errors="replace"):
    with open(path, "rb") as f:
        data = f.read(limit + 1)
    if len(data) > limit:
        raise ValueError(f"{path} is larger than {limit} bytes")
    return data.decode("utf-8", errors)


def _is_text(path):
    try:
        with open(path, "rb") as f:
            return b"\0" not in f.read(4096)
    except OSError:
        return False


def _lines(path):
    text = _read(path)
    return text.split("\n")[:-1] if text.endswith("\n") else text.split("\n")


def _show():
    path, window = _open["path"], _open["window"]
    lines = _lines(path)
    first = max(1, min(_open["line"] - window // 2, len(lines) - window + 1))
    last = min(len(lines), first + window - 1)
    print(f"[{path}: lines {first} to {last} of {len(lines)}]")
    for n in range(first, last + 1):
        print(f"{n}|{lines[n - 1]}")
    if last < len(lines):
        print(f"[{len(lines) - last} more below: scroll_down()]")


def _need_open():
    if _open["path"] is None:
        print("No file is open: call open_file(path) first.")
    return _open["path"] is not None


@_says
def open_file(path, line_number=1, context_lines=_WINDOW):
    """Open a file and print `context_lines` lines around `line_number`."""
    path = _os.path.abspath(_os.path.expanduser(path))
    if not _os.path.isfile(path):
        print(f"There is no file {path}.")
        return
    if not _is_text(path):
        print(f"{path} is binary.")
        return
    count = len(_lines(path))
    if not 1 <= line_number <= max(count, 1):
        print(f"line_number must be between 1 and {count}.")
        return
    _open.update(path=path, line=line_number, window=max(1, min(context_lines, 1000)))
    _show()


@_says
def goto_line(line_number):
    """Print the open file around this line."""
    if not _need_open():
        return
    count = len(_lines(_open["path"]))
    if not 1 <= line_number <= max(count, 1):
        print(f"line_number must be between 1 and {count}.")
        return
    _open["line"] = line_number
    _show()


def _scroll(by):
    if not _need_open():
        return
    count, window = len(_lines(_open["path"])), _open["window"]
    middle = max(1 + window // 2, _open["line"]) + by * window
    _open["line"] = max(1, min(count, middle))
    _show()


@_says
def scroll_down():
    """Print the next part of the open file."""
    _scroll(1)


@_says
def scroll_up():
    """Print the part before."""
    _scroll(-1)


def _walk(directory):
    for base, directories, names in _os.walk(directory):
        directories[:] = sorted(d for d in directories if not d.startswith("."))
        for name in sorted(names):
            if not name.startswith("."):
                yield _os.path.join(base, name)


def _print_found(what, found):
    for line in found[:_FOUND_MAX]:
        print(line)
    if len(found) > _FOUND_MAX:
        print(f"[more than {_FOUND_MAX}: narrow the search]")
    if not found:
        print(f"Nothing found for {what}.")


def _matches(path, term):
    return [(n, line) for n, line in enumerate(_lines(path), 1) if term in line]


@_says
def search_dir(search_term, dir_path="."):
    """Print the lines with this text in all text files below a directory."""
    if not _os.path.isdir(dir_path):
        print(f"There is no directory {dir_path}.")
        return
    found = []
    for path in _walk(dir_path):
        if not _os.path.isfile(path) or not _is_text(path) or \
                _os.path.getsize(path) > _FILE_MAX:
            continue
        for n, line in _matches(path, search_term):
            found.append(f"{path}:{n}: {line.strip()[:300]}")
        if len(found) > _FOUND_MAX:
            break
    _print_found(repr(search_term), found)


@_says
def search_file(search_term, file_path=None):
    """Print the lines with this text in a file, by default the open one."""
    path = file_path or _open["path"]
    if path is None:
        print("No file is open: name one.")
        return
    if not _os.path.isfile(path):
        print(f"There is no file {path}.")
        return
    found = [f"{n}: {line[:300]}" for n, line in _matches(path, search_term)]
    _print_found(f"{search_term!r} in {path}", found)


@_says
def find_file(file_name, dir_path="."):
    """Print the files below a directory whose name contains this text."""
    if not _os.path.isdir(dir_path):
        print(f"There is no directory {dir_path}.")
        return
    _print_found(repr(file_name),
                 [p for p in _walk(dir_path) if file_name in _os.path.basename(p)])


def _xml_text(path, names, paragraph, text):
    import zipfile
    from xml.etree import ElementTree

    try:
        with zipfile.ZipFile(path) as z:
            for name in names(z.namelist()):
                if z.getinfo(name).file_size > _FILE_MAX:
                    raise ValueError(f"{name} in {path} is larger than {_FILE_MAX} bytes")
                yield name, ["".join(t.text or "" for t in p.iter(text))
                             for p in ElementTree.fromstring(z.read(name)).iter(paragraph)]
    except (zipfile.BadZipFile, ElementTree.ParseError, KeyError) as e:
        raise ValueError(f"{path} is not a document of this kind: {e}") from e


@_says
def parse_docx(file_path):
    """Print the text of a Word document."""
    w = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
    for _, paragraphs in _xml_text(file_path, lambda all: ["word/document.xml"],
                                   w + "p", w + "t"):
        print("\n".join(paragraphs))


@_says
def parse_pptx(file_path):
    """Print the text of a presentation, slide by slide."""
    a = "{http://schemas.openxmlformats.org/drawingml/2006/main}"

    def slides(names):
        found = [n for n in names if _re.fullmatch(r"ppt/slides/slide\d+\.xml", n)]
        return sorted(found, key=lambda n: int(_re.findall(r"\d+", n)[-1]))

    for n, (_, paragraphs) in enumerate(_xml_text(file_path, slides, a + "p", a + "t"), 1):
        print(f"[slide {n}]")
        print("\n".join(p for p in paragraphs if p))


@_says
def parse_pdf(file_path):
    """Print the text of a PDF, by pdftotext or the module pypdf."""
    import shutil
    import subprocess

    if shutil.which("pdftotext"):
        done = subprocess.run(["pdftotext", "-layout", _os.path.abspath(file_path), "-"],
                              capture_output=True, text=True, errors="replace")
        print(done.stdout if done.returncode == 0 else done.stderr.strip())
        return
    try:
        from pypdf import PdfReader
    except ImportError:
        print("Neither pdftotext (package poppler-utils) nor the module pypdf is there.")
        return
    for n, page in enumerate(PdfReader(file_path).pages, 1):
        print(f"[page {n}]")
        print(page.extract_text())


@_says
def parse_latex(file_path):
    """Print the text of a LaTeX file without comments and commands."""
    text = _read(file_path, _FILE_MAX)
    text = _re.sub(r"(?<!\\)%.*", "", text)
    text = _re.sub(r"\\(begin|end)\{[^{}]*\}", "", text)
    text = _re.sub(r"\\[a-zA-Z]+\*?(\[[^\]]*\])?", "", text)
    text = _re.sub(r"\\(.)", r"\1", text)
    print(_re.sub(r"\n{3,}", "\n\n", text.replace("{", "").replace("}", "")).strip())


# A file keeps its bytes that are not UTF-8, and its line endings.
def _write(path, text):
    with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="") as f:
        f.write(text)


def _keep(path, before):
    _undo.setdefault(path, []).append(before)
    del _undo[path][:-10]


def _change(path, before, after, first, last):
    _write(path, after)
    _keep(path, before)
    lines = after.encode("utf-8", "surrogateescape").decode("utf-8", "replace").split("\n")
    print(f"[{path}]")
    for n in range(max(1, first - 4), min(len(lines), last + 4) + 1):
        print(f"{n:6}\t{lines[n - 1].rstrip(chr(13))}")


def _ends(text, like):
    """The text with the line endings of another one."""
    crlf = "\r\n" in like and "\r\n" not in text
    return text.replace("\n", "\r\n") if crlf else text


def _replace(path, old, new):
    text = _read(path, _FILE_MAX, "surrogateescape")
    old, new = _ends(old or "", text), _ends(new, text)
    count = text.count(old) if old else 0
    if count != 1:
        print(f"old_str occurs {count} times in {path}; it must occur exactly once.")
        return
    at = text.index(old)
    first = text.count("\n", 0, at) + 1
    _change(path, text, text[:at] + new + text[at + len(old):], first,
            first + new.count("\n"))


def _insert(path, line, new):
    text = _read(path, _FILE_MAX, "surrogateescape")
    lines = text.split("\n")
    count = len(lines) - text.endswith("\n")
    if line is None or not 0 <= line <= count:
        print(f"insert_line must be between 0 and {count}.")
        return
    end = "\r" if "\r\n" in text else ""
    added = [part.rstrip("\r") + end for part in new.rstrip("\n").split("\n")]
    if line == len(lines):  # behind a last line without an end
        lines[-1] += end
        added[-1] = added[-1].rstrip("\r")
    _change(path, text, "\n".join(lines[:line] + added + lines[line:]), line + 1,
            line + len(added))


def _undo_edit(path):
    if not _undo.get(path):
        print(f"Nothing to undo in {path}.")
        return
    before = _undo[path].pop()
    if before is None:
        _os.remove(path)
        print(f"Removed {path}, which was created here.")
        return
    _write(path, before)
    print(f"Undid the last edit of {path}.")


@_says
def file_editor(command, path, file_text=None, view_range=None, old_str=None, new_str=None,
                insert_line=None):
    """View or change a file: command is "view", "create", "str_replace", "insert" or
    "undo_edit". view_range is [first, last], last -1 is the end."""
    path = _os.path.abspath(_os.path.expanduser(path))
    if command == "create":
        if _os.path.exists(path):
            print(f"{path} is there already; use str_replace or insert.")
            return
        _write(path, file_text or "")
        _keep(path, None)
        print(f"Created {path}.")
    elif not _os.path.isfile(path):
        print(f"There is no file {path}.")
    elif command == "view":
        lines = _lines(path)
        first, last = view_range or (1, -1)
        last = len(lines) if last == -1 else min(last, len(lines))
        for n in range(max(1, first), last + 1):
            print(f"{n:6}\t{lines[n - 1]}")
    elif command == "str_replace":
        _replace(path, old_str, new_str or "")
    elif command == "insert":
        _insert(path, insert_line, new_str or "")
    elif command == "undo_edit":
        _undo_edit(path)
    else:
        print("command must be view, create, str_replace, insert or undo_edit.")
