# doc
dist_doc_DATA += README.md %D%/plugins.md %D%/architecture.md %D%/exit-codes.md %D%/script.md
dist_doc_DATA += %D%/configuration.md
dist_doc_DATA += %D%/events.md
dist_doc_DATA += %D%/runner-protocol.md
