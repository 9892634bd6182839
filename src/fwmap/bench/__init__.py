"""Runs that can be compared: suites of instances, methods, a process per run, tables of what came out."""

from __future__ import annotations

from .instances import Instance, reference_instances
from .jobs import Job, run_job
from .methods import Method
from .records import RunFile, read_runs

__all__ = ["Instance", "Job", "Method", "RunFile", "read_runs", "reference_instances", "run_job"]
