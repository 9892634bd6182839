"""Pictures of a run: how bound and energy met, and what the labeling or the matching looks like.

Matplotlib is imported when a picture is asked for and not before; its global settings are never touched.
"""

from __future__ import annotations

from .canvas import check_can_plot
from .labeling import plot_before_and_after, plot_labeling
from .matching import plot_matching
from .run import plot_run
from .tomography import plot_reconstruction
from .trace import plot_trace

__all__ = [
    "check_can_plot",
    "plot_before_and_after",
    "plot_labeling",
    "plot_matching",
    "plot_reconstruction",
    "plot_run",
    "plot_trace",
]
