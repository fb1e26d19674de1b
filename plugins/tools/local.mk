# plugins/tools
