"""The measures of `benchmarks/anytime`, against their definitions on curves made by hand."""

import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks" / "anytime"


@pytest.fixture(scope="module")
def measures():
    """The modules of the benchmark, which import each other by their plain names."""
    sys.path.insert(0, str(FOLDER))
    try:
        import measures
    finally:
        sys.path.remove(str(FOLDER))
    return measures


PUBLISHED = {"c": 7.0, "0.1": -50.0, "0.3": -20.0, "1": -10.5, "3": -10.0, "10": -10.0}


def test_a_recorded_curve_is_read_without_its_parameter(measures):
    curve = measures.Curve.recorded(PUBLISHED)
    assert list(curve.times) == [0.1, 0.3, 1.0, 3.0, 10.0]
    assert curve.at(0.05) is None
    assert curve.at(2.0) == -10.5
    assert curve.at(20.0) == -10.0  # what was reached stays reached


def test_times_of_a_run_are_scaled_by_its_speed(measures):
    run = {"speed": 2.0, "trace": {"cpu_seconds": [2.0, 4.0], "lower_bound": [None, 1.0]}}
    assert list(measures.Curve.of_run(run).times) == [2.0]  # what has no bound is no point


def test_dominance_needs_the_best_bound_of_all_others_within_the_tolerance(measures):
    ours = measures.Curve([0.2, 0.9], [-21.0, -10.5 * (1 + 0.9e-6)])
    others = {"published": measures.Curve.recorded(PUBLISHED), "poor": measures.Curve([0.1], [-60.0])}
    rows = measures.dominance(ours, others, until=10)
    assert [row["seconds"] for row in rows] == [0.1, 0.3, 1.0, 3.0, 10.0]
    assert [row["ahead"] for row in rows] == [False, False, True, False, False]
    assert rows[2]["program"] == "published"


def test_speed_up_takes_the_earlier_end_of_the_interval_in_which_the_published_solver_gets_there(measures):
    speed = measures.speed_up(measures.Curve([0.1, 0.25], [-12.0, -9.0]), measures.Curve.recorded(PUBLISHED))
    assert (speed["theirs"], speed["theirs_recorded"], speed["ours"]) == (1.0, 3.0, 0.25)
    assert speed["factor"] == pytest.approx(4.0)
    assert speed["counts"]


def test_where_the_published_solver_is_there_before_a_second_speed_does_not_count(measures):
    easy = measures.Curve([0.1, 0.3, 10.0], [-11.0, -10.0, -10.0])
    speed = measures.speed_up(measures.Curve([0.01], [-10.0]), easy)
    assert not speed["counts"]


def test_a_level_never_reached_is_told_and_counts_as_reached_at_the_end_at_best(measures):
    speed = measures.speed_up(measures.Curve([0.1, 20.0], [-12.0, -11.0]), measures.Curve.recorded(PUBLISHED))
    assert speed["ours"] is None
    assert speed["factor"] == pytest.approx(1.0 / 20.0)
    summary = measures.summary([{"dominance": [], "speed_up": {"own c": speed}}])
    assert summary["own c"]["not_reached"] == 1


def test_the_mean_of_speed_ups_is_geometric(measures):
    assert measures.geometric_mean([4.0, 25.0]) == pytest.approx(10.0)
    assert measures.geometric_mean([]) is None


def test_distance_says_whether_the_relaxation_s_optimum_is_known(measures):
    known = {"lp_optimum": -10.0, "optimum": -9.0, "best_bound": -11.0}
    assert measures.distance(-10.5, known) == {"value": 0.05, "to": -10.0, "kind": "exact"}
    assert measures.distance(-10.5, {**known, "lp_optimum": None})["kind"] == "at most"
    rounded = {**known, "lp_optimum": None, "optimum_digits": 2}
    assert measures.distance(-10.5, rounded)["kind"] == "at least"


def test_a_thinned_curve_keeps_its_ends_and_no_bound_before_its_time(measures):
    times = [0.001 * 1.01**k for k in range(1000)]
    curve = measures.Curve(times, [float(k) for k in range(1000)])
    thin = curve.thinned(50)
    assert len(thin.times) <= 50
    assert (thin.times[0], thin.times[-1]) == (times[0], times[-1])
    assert all(bound == curve.at(time) for time, bound in zip(thin.times, thin.bounds, strict=True))
