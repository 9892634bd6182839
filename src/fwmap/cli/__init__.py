"""The command line: one file per command, one line in `main.py` for each."""

from .main import main

__all__ = ["main"]
