"""Graph matching files: what they hold, and what is wrong with those that are refused."""

from __future__ import annotations

import lzma
import math

import numpy as np
import pytest
from matchings import labelings, random_matching

from fwmap.errors import FormatError, InvalidModel, InvalidSetting
from fwmap.formats import compare, read, write
from fwmap.models import MRF, GraphMatching

TINY = """c a comment
p 2 2 3 2
a 2 1 1 -3
a 0 0 0 1.5
a 1 1 0 2e0
e 0 2 -1
e 2 1 4
i0 0 0.5 1
i0 1 2 3
n0 0 1
"""


@pytest.fixture
def loaded_of(tmp_path):
    def load(text):
        path = tmp_path / "tiny.dd"
        path.write_text(text)
        return read(path)

    return load


def test_assignments_come_in_any_order_and_points_may_have_coordinates(loaded_of):
    loaded = loaded_of(TINY)
    model = loaded.model
    assert model.assignments.tolist() == [[0, 0], [1, 0], [1, 1]]
    assert model.costs.tolist() == [1.5, 2.0, -3.0]
    assert (model.pairs.tolist(), model.pair_costs.tolist()) == ([[0, 2]], [-1.0])
    assert (model.n_excluded_pairs, loaded.facts["excluded_pairs"]) == (1, 1)
    assert model.left_points.tolist() == [[0.5, 1.0], [2.0, 3.0]]
    assert model.right_points is None
    assert model.energy([0, 1]) == -2.5
    assert (loaded.format, model.matching) == ("dd", "partial")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("p 2 2 3 2", "p 2 2 4 2"), "there are 3 lines 'a'; expected 4 assignments, as line 2 says"),
        (("e 2 1 4\n", ""), "there are 1 lines 'e'; expected 2 pairs, as line 2 says"),
        (("p 2 2 3 2\n", ""), "there are 0 lines 'p'; expected one"),
        (("a 2 1 1 -3", "a 3 1 1 -3"), "line 3: the id is 3; expected 0 to 2"),
        (("a 2 1 1 -3", "a 1 1 1 -3"), "line 5: the id 1 occurs again; expected each once"),
        (("a 2 1 1 -3", "a 2 1 1"), "line 3: found 'a 2 1 1'; expected a id, left point, right point, cost"),
        (("a 2 1 1 -3", "a 2 1 1 -3 4"), "line 3: found 'a 2 1 1 -3 4'"),
        (("a 2 1 1 -3", "a 2 1 one -3"), "line 3: found 'a 2 1 one -3'"),
        (("a 2 1 1 -3", "a 2 1.5 1 -3"), "line 3: found 'a 2 1.5 1 -3'; expected integers >= 0"),
        (("a 2 1 1 -3", "a 2 1 7 -3"), "assignment 2 has the right point 7; expected 0 to 1"),
        (("a 2 1 1 -3", "a 2 1 1 nan"), "the cost of assignment 2 is nan"),
        (("e 0 2 -1", "e 0 3 -1"), r"pair 0 is \(0, 3\); expected assignments from 0 to 2"),
        (("n0 0 1", "x 1"), "line 10: found 'x 1'; expected a line p, a, e, i0, i1, n0, n1 or c"),
        (("i0 1 2 3", "i0 0 2 3"), "line 9: the point 0 occurs again"),
        (("i0 1 2 3\n", ""), "1 lines 'i0'; expected 2 or none"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(loaded_of, change, message):
    with pytest.raises(FormatError, match=message):
        loaded_of(TINY.replace(*change))


@pytest.mark.parametrize("suffix", [".dd", ".dd.xz", ".dd.gz"])
def test_what_is_written_reads_back_exactly(tmp_path, suffix):
    drawn = random_matching(np.random.default_rng(1), 3, 4, 0.8, forbidden=0.2)
    model = GraphMatching(
        drawn.assignments,
        drawn.costs,
        drawn.pairs,
        drawn.pair_costs,
        n_left=3,
        n_right=4,
        left_points=np.random.default_rng(2).normal(size=(3, 2)),
        right_points=np.random.default_rng(3).normal(size=(4, 3)),
    )
    path = tmp_path / f"model{suffix}"
    write(model, path)
    back = read(path).model
    assert compare(model, back) == 0.0
    for labeling in labelings(model):
        assert back.energy(labeling) == model.energy(labeling)
    assert np.array_equal(back.left_points, model.left_points)
    assert np.array_equal(back.right_points, model.right_points)


def test_the_content_tells_the_format_under_any_name(tmp_path):
    path = tmp_path / "nameless"
    path.write_bytes(lzma.compress(TINY.encode()))
    assert read(path).format == "dd"


def test_what_the_format_cannot_hold_is_refused(tmp_path):
    path = tmp_path / "model.dd"
    with pytest.raises(FormatError, match="have costs other than 0"):
        write(GraphMatching([(0, 0)], [1.0], unassigned=2.0), path)
    with pytest.raises(FormatError, match="has the constant"):
        write(GraphMatching([(0, 0)], [1.0], constant=2.0), path)
    with pytest.raises(InvalidSetting, match="the format dd holds graph matching alone"):
        write(MRF([[0.0]]), path)
    with pytest.raises(InvalidSetting, match="the format uai holds no graph matching"):
        write(GraphMatching([(0, 0)], [1.0]), tmp_path / "model.uai")
    assert not path.exists()


def test_models_are_compared_whatever_the_order_of_assignments():
    rng = np.random.default_rng(5)
    model = random_matching(rng, 3, 3)
    order = rng.permutation(model.n_assignments)
    pairs = np.argsort(order)[model.pairs]

    def other(costs=0.0, pair_costs=0.0):
        unassigned = model.unassigned_costs
        return GraphMatching(
            model.assignments[order],
            model.costs[order] + costs,
            pairs,
            model.pair_costs + pair_costs,
            unassigned=unassigned,
            constant=0.5,
        )

    assert compare(model, other()) == 0.0
    assert compare(model, other(0.25)) == pytest.approx(0.25)
    assert compare(model, other(0.0, -0.5)) == pytest.approx(0.5)
    assert compare(model, other(math.inf)) == math.inf
    with pytest.raises(InvalidModel, match="different assignments"):
        compare(model, random_matching(rng, 3, 2))
