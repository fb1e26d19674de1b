# prompts
