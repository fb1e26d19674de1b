# tests/controller
TESTS += %D%/kill9.sh %D%/resume-bytes.sh
EXTRA_DIST += %D%/kill9.sh %D%/resume-bytes.sh %D%/resume_bytes.py
