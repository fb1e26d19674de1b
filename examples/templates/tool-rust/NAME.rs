// SPDX-License-Identifier: MIT
//! @name@ - a tool that counts the words and lines of a text.
use mortise_plugin_sys::{tool, Call, MT_TOOL_IDEMPOTENT, MT_TOOL_READ_ONLY};

fn count(call: &Call) -> Result<String, String> {
    let text = call.text("text").unwrap_or("");

    if text.is_empty() {
        return Err("`text` is empty.".to_string());
    }
    let words = text.split_whitespace().count();
    let lines = text.lines().count();

    Ok(format!("{words} words, {lines} lines"))
}

tool! {
    plugin: "@name@",
    name: "@ident@",
    description: "Count the words and lines of a text.",
    hints: MT_TOOL_READ_ONLY | MT_TOOL_IDEMPOTENT,
    schema: r#"{"type": "object", "required": ["text"], "properties":
        {"text": {"type": "string", "description": "The text."}}}"#,
    run: count,
}
