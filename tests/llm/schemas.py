# SPDX-License-Identifier: MIT
"""schemas.py DIR KIND - judge requests, one JSON object a line of standard
input, by the schemas of the providers. Prints what is wrong and how many."""
import json
import sys
import os

import jsonschema


def openai(directory, name):
    """A message whose content is a list is an EasyInputMessage and an InputMessage at
    once, which its schema forbids and OpenAI does not: there one is enough."""
    with open(os.path.join(directory, "openai-chat-responses.openapi-schemas.json")) as f:
        all_of_them = json.load(f)
    item = all_of_them["components"]["schemas"]["InputItem"]
    item["anyOf"] = item.pop("oneOf")
    return dict(all_of_them, **{"$ref": "#/components/schemas/" + name})


def definition(directory, file, name):
    with open(os.path.join(directory, file)) as f:
        return dict(json.load(f), **{"$ref": "#/definitions/" + name})


def botocore(directory, name):
    """The JSON Schema of a request that botocore describes."""
    with open(os.path.join(directory, "bedrock-converse.service-2.json")) as f:
        shapes = json.load(f)["shapes"]

    def convert(shape):
        kind = shape["type"]
        if kind == "structure" and shape.get("document"):
            return {}
        if kind == "structure":
            members = {k: v for k, v in shape.get("members", {}).items()
                       if "location" not in v}
            out = {
                "type": "object", "additionalProperties": False,
                "properties": {k: {"$ref": "#/definitions/" + v["shape"]}
                               for k, v in members.items()},
                "required": [r for r in shape.get("required", []) if r in members],
            }
            if shape.get("union"):
                out.update(minProperties=1, maxProperties=1)
            return out
        if kind == "list":
            out = {"type": "array",
                   "items": {"$ref": "#/definitions/" + shape["member"]["shape"]}}
            low, high = "minItems", "maxItems"
        elif kind == "map":
            return {"type": "object"}
        elif kind in ("string", "blob"):
            out = {"type": "string"}
            if "enum" in shape:
                out["enum"] = shape["enum"]
            if "pattern" in shape:
                out["pattern"] = "^(?:" + shape["pattern"] + ")$"
            low, high = "minLength", "maxLength"
            if kind == "blob":
                return out
        elif kind in ("integer", "long"):
            out, low, high = {"type": "integer"}, "minimum", "maximum"
        elif kind in ("float", "double"):
            out, low, high = {"type": "number"}, "minimum", "maximum"
        else:
            return {"type": "boolean"} if kind == "boolean" else {}
        if "min" in shape:
            out[low] = shape["min"]
        if "max" in shape:
            out[high] = shape["max"]
        return out

    return {"definitions": {k: convert(v) for k, v in shapes.items()},
            "$ref": "#/definitions/" + name}


def schema_of(directory, kind):
    if kind == "chat":
        return openai(directory, "CreateChatCompletionRequest")
    if kind == "responses":
        return openai(directory, "CreateResponse")
    if kind == "anthropic":
        return definition(directory, "anthropic-messages.jsonschema.json",
                          "MessageCreateParams")
    if kind == "gemini":
        return definition(directory, "gemini-generatecontent.jsonschema.json",
                          "GenerateContentRequest")
    return botocore(directory, "ConverseRequest")


# What the requests of each kind must hold, or they would prove little: images of
# the user and of tools, by bytes and by address, parallel calls, reasoning that
# goes back, errors of tools.
NEEDED = {
    "chat": ["data:image/png;base64,", "data:image/jpeg;base64,",
             "https://example.org/a.png", "call_a", "call_b", "no such file"],
    "responses": ['"input_image"', "data:image/jpeg;base64,",
                  "https://example.org/a.png", "call_a", "call_b", "Z2FB",
                  "no such file"],
    "anthropic": ['"media_type": "image/jpeg"', '"type": "url"', "call_a", "call_b",
                  '"signature": "c2ln"', '"is_error": true'],
    "gemini": ['"mimeType": "image/jpeg"', "only its URL is known", '"name": "bash"',
               '"name": "look"', '"thoughtSignature": "c2ln"', '"error"'],
    "bedrock": ['"format": "jpeg"', "only its URL is known", "call_a", "call_b",
                '"status": "error"'],
}


def main():
    directory, kind = sys.argv[1:]
    schema = schema_of(directory, kind)
    cls = jsonschema.Draft202012Validator if kind in ("chat", "responses") \
        else jsonschema.Draft7Validator
    validator = cls(schema)
    bad = count = 0
    missing = set(NEEDED.get(kind, []))
    for line in sys.stdin:
        count += 1
        request = json.loads(line)
        missing = {text for text in missing if text not in json.dumps(request)}
        for error in validator.iter_errors(request):
            bad += 1
            deepest = jsonschema.exceptions.best_match([error]) or error
            print("%s request %d: /%s: %.300s" % (
                kind, count, "/".join(map(str, deepest.absolute_path)),
                deepest.message))
    for text in sorted(missing):
        bad += 1
        print("%s: no request holds %s" % (kind, text))
    print("%s: %d requests, %d faults" % (kind, count, bad))
    return 1 if bad or not count else 0


if __name__ == "__main__":
    sys.exit(main())
