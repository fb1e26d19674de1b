# SPDX-License-Identifier: MIT
# schema-peer.py PROGRAM - makes pairs of schema and value from a fixed seed, and
# compares what `PROGRAM check` and python3-jsonschema say of them.
import json
import random
import subprocess
import sys

import jsonschema

rng = random.Random(20240607)
NAMES = ["a", "b", "c/d", "e~f", "\u00e9"]
STRINGS = ["", "a", "ab", "abc", "\u00e9\u00e9", "\U0001f600", "a b", "1", "null"]
NUMBERS = [0, 1, -1, 2, 3, 1.0, 1.5, -0.5, 2**53, 2**63, -(2**63), 1e20]
TYPES = ["string", "integer", "number", "boolean", "null", "array", "object"]
PATTERNS = ["^a", "b$", "^[a-c]+$", "\\d", "^.{2}$", "x|1", "^$"]


def value(depth):
    kind = rng.randrange(8 if depth else 6)
    if kind == 0:
        return None
    if kind == 1:
        return rng.random() < 0.5
    if kind in (2, 3):
        return rng.choice(NUMBERS)
    if kind in (4, 5):
        return rng.choice(STRINGS)
    if kind == 6:
        return [value(depth - 1) for _ in range(rng.randrange(4))]
    return {n: value(depth - 1) for n in rng.sample(NAMES, rng.randrange(4))}


def schemas(depth):
    return [schema(depth - 1) for _ in range(rng.randrange(1, 4))]


def schema(depth):
    if rng.random() < 0.05:
        return rng.random() < 0.7
    makers = {
        "type": lambda: rng.choice(TYPES) if rng.random() < 0.7
        else rng.sample(TYPES, rng.randrange(1, 4)),
        "enum": lambda: [value(1) for _ in range(rng.randrange(1, 5))],
        "const": lambda: value(1),
        "minimum": lambda: rng.choice(NUMBERS),
        "maximum": lambda: rng.choice(NUMBERS),
        "exclusiveMinimum": lambda: rng.choice(NUMBERS),
        "exclusiveMaximum": lambda: rng.choice(NUMBERS),
        "minLength": lambda: rng.randrange(3),
        "maxLength": lambda: rng.randrange(4),
        "minItems": lambda: rng.randrange(3),
        "maxItems": lambda: rng.randrange(4),
        "pattern": lambda: rng.choice(PATTERNS),
        "required": lambda: rng.sample(NAMES, rng.randrange(1, 3)),
    }
    if depth:
        makers.update({
            "properties": lambda: {n: schema(depth - 1)
                                   for n in rng.sample(NAMES, rng.randrange(1, 4))},
            "patternProperties": lambda: {rng.choice(["a", "^c", "\u00e9"]):
                                          schema(depth - 1)},
            "additionalProperties": lambda: rng.random() < 0.5
            if rng.random() < 0.5 else schema(depth - 1),
            "items": lambda: schema(depth - 1),
            "anyOf": lambda: schemas(depth),
            "oneOf": lambda: schemas(depth),
            "allOf": lambda: schemas(depth),
            "$ref": lambda: "#/$defs/" + rng.choice("xy"),
        })
    keys = rng.sample(sorted(makers), rng.randrange(1, 4))
    return {k: makers[k]() for k in keys}


pairs = []
for _ in range(600):
    root = schema(3)
    if isinstance(root, dict):
        root["$defs"] = {"x": schema(0), "y": schema(0)}
    pairs += [(root, value(3)) for _ in range(5)]
text = "".join(json.dumps(part) + "\n" for pair in pairs for part in pair)
run = subprocess.run([sys.argv[1], "check"], input=text, capture_output=True,
                     text=True, check=True)
answers = run.stdout.split()
wrong, fits = [], 0
for (root, item), answer in zip(pairs, answers):
    expected = "0" if jsonschema.Draft202012Validator(root).is_valid(item) else "1"
    fits += expected == "0"
    if answer != expected:
        wrong.append((root, item, answer, expected))
print("1..1")
print("ok" if not wrong and len(answers) == len(pairs) else "not ok",
      f"1 - {len(pairs)} pairs, {fits} that fit")
for root, item, answer, expected in wrong[:5]:
    print(f"# {json.dumps(root)}\n# {json.dumps(item)}\n# ours {answer}, theirs {expected}")
