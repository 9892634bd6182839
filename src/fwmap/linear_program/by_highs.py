"""A linear programme solved by HiGHS, which is optional: `pip install 'fwmap[highs]'`."""

from __future__ import annotations

import importlib.util
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import FwmapError
from ..models.arrays import Floats
from .program import LinearProgram

#: Relative distance of the two objectives that an interior point method is asked for.
CLOSE = 1e-10


@dataclass(frozen=True)
class HighsAnswer:
    """What HiGHS says: the optimum where it is `solved`, else None."""

    status: str  # solved, infeasible or time_limit
    objective: float | None
    iterations: int


@dataclass(frozen=True, eq=False)
class InteriorPoint:
    """Where an interior point method has come to: a point, the prices of the rows, and its iterations."""

    columns: Floats
    prices: Floats
    iterations: int


def is_installed() -> bool:
    """Whether HiGHS can be asked."""
    return importlib.util.find_spec("highspy") is not None


def highs_of(program: LinearProgram) -> Any:
    """HiGHS, silent and on one thread, with a relaxation to solve.

    Raises
    ------
    FwmapError
        Where highspy is not installed.
    """
    try:
        import highspy
    except ImportError:
        raise FwmapError("HiGHS is needed: pip install 'fwmap[highs]'") from None
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = program.n_columns, program.n_rows
    lp.offset_ = program.constant
    lp.col_cost_ = program.costs
    lp.col_lower_ = np.zeros(program.n_columns)
    lp.col_upper_ = program.upper
    lp.row_lower_ = np.where(program.is_equality, program.right, -np.inf)
    lp.row_upper_ = program.right
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.num_col_, lp.a_matrix_.num_row_ = program.n_columns, program.n_rows
    lp.a_matrix_.start_ = program.starts
    lp.a_matrix_.index_ = program.columns
    lp.a_matrix_.value_ = program.values
    highs = highspy.Highs()  # type: ignore[no-untyped-call]
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", 1)
    highs.passModel(lp)
    return highs


def interior_point(program: LinearProgram, iterations: int, seconds: float) -> InteriorPoint | None:
    """Solve a relaxation by the interior point method as closely as it gets; None where that says nothing.

    `iterations` limits it, and so does the time, which only cuts it off.
    """
    highs = highs_of(program)
    highs.setOptionValue("solver", "ipm")
    highs.setOptionValue("run_crossover", "off")
    highs.setOptionValue("ipm_optimality_tolerance", CLOSE)
    highs.setOptionValue("ipm_iteration_limit", iterations)
    if seconds < np.inf:
        highs.setOptionValue("time_limit", seconds)
    highs.run()
    solution, used = highs.getSolution(), int(max(0, highs.getInfo().ipm_iteration_count))
    if not (solution.value_valid and solution.dual_valid):
        return None
    columns, prices = np.array(solution.col_value), np.array(solution.row_dual)
    if not (np.isfinite(columns).all() and np.isfinite(prices).all()):
        return None
    return InteriorPoint(columns, prices, used)


def solve_by_highs(program: LinearProgram, cpu_limit: float, *, interior: bool = False) -> HighsAnswer:
    """Solve a relaxation on one thread, for so many CPU seconds at most.

    `interior`: by the interior point method alone, whose optimum is one to some 1e-7 relative.

    Raises
    ------
    FwmapError
        Where highspy is not installed.
    """
    highs = highs_of(program)
    if interior:
        highs.setOptionValue("solver", "ipm")
        highs.setOptionValue("run_crossover", "off")
    end = time.process_time() + cpu_limit  # HiGHS's own limit is one of the wall clock

    def stop_in_time(event: Any) -> None:
        if time.process_time() > end:
            event.interrupt()

    for callback in (highs.cbSimplexInterrupt, highs.cbIpmInterrupt):
        callback.subscribe(stop_in_time)
    highs.run()
    info = highs.getInfo()
    iterations = int(max(0, info.simplex_iteration_count) + max(0, info.ipm_iteration_count))
    status = highs.getModelStatus().name
    if status == "kOptimal":
        return HighsAnswer("solved", float(info.objective_function_value), iterations)
    if status == "kInfeasible":
        return HighsAnswer("infeasible", None, iterations)
    return HighsAnswer("time_limit", None, iterations)
