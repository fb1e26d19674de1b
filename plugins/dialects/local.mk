# plugins/dialects
