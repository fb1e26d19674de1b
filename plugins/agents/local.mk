# plugins/agents
