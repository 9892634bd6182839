"""`fwmap demo`: see it work, without any file of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .exits import INTERRUPTED, SOLVED
from .outputs import make_folder


def demo(
    folder: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the pictures go.")] = Path("demo"),
) -> int:
    """Solve a few generated problems, show what came out and draw pictures of it."""
    from ..demo import run_demo
    from ..plot import check_can_plot

    check_can_plot()
    make_folder(folder)
    return SOLVED if run_demo(folder) else INTERRUPTED
