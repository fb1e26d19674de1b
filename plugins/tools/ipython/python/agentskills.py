# SPDX-License-Identifier: MIT
"""Small functions for looking at files from a cell."""
__all__ = []
