# tests/llm
