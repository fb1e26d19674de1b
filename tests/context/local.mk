# What the model gets to see.
TESTS += %D%/condense-long.sh
EXTRA_DIST += %D%/condense-long.sh %D%/condense-long.py
