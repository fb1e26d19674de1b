# host/llm
