"""UAI files with a PROJECTIONS section: read, refused with the place, and written."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
import reference_instances
from hypothesis import given
from hypothesis import strategies as st

from fwmap import geometry
from fwmap.errors import FormatError, InvalidModel, InvalidSetting
from fwmap.formats import compare, read, write
from fwmap.formats.uai_projections import image_shape_of
from fwmap.models import MRF, Potts, Tomography, TruncatedLinear

INF = math.inf
FIELD = "MARKOV\n3\n2 2 2\n2\n2 0 1\n2 1 2\n4\n0 1 1 0\n4\n0 1 1 0\n"


def load(tmp_path, section, field=FIELD, name="m.uai", **options):
    path = tmp_path / name
    path.write_text(field + section)
    return read(path, **options)


def test_numbers_are_costs_and_lines_are_rays(tmp_path):
    loaded = load(tmp_path, "PROJECTIONS\n0 + 1 = (Inf,0,Inf)\n1 + 2 = (0.5,1e-1)\n")
    model = loaded.model
    assert isinstance(model, Tomography)
    assert loaded.values == "costs"
    assert "PROJECTIONS" in loaded.reading
    assert loaded.log_value(1.0) is None
    assert model.ray_pixels.tolist() == [0, 1, 1, 2]
    assert model.ray_costs.tolist() == [INF, 0, 0.5, 0.1]
    assert model.required_sums.tolist() == [1, -1]
    assert model.energy([1, 0, 0]) == 1.5
    assert model.energy([1, 0, 1]) == 2.1
    assert model.energy([0, 1, 1]) == INF


@pytest.mark.parametrize(
    "line",
    [
        "0+1+2=(0,inf,1)",
        "  0 +1+ 2\t=  ( 0 , INF,1.0 )  ",
        "0 + 1 + 2 = (0,Inf,1e0,inf)",
        "2 + 0 + 1 = (0.0,Infinity,1)\r",
        "\n\n0 + 1 + 2 = (0,inf,1)\n\n",
    ],
)
def test_spaces_and_spelling_are_free(tmp_path, line):
    model = load(tmp_path, f"PROJECTIONS\n{line}\n").model
    assert sorted(model.ray(0).tolist()) == [0, 1, 2]
    assert model.ray_cost(0).tolist() == [0, INF, 1]


def test_a_label_of_an_image_may_be_forbidden(tmp_path):
    field = (
        "MARKOV\n4\n2 2 2 2\n5\n1 3\n" + "2 0 1\n2 2 3\n2 0 2\n2 1 3\n" + "2\n0 inf\n" + 4 * "4\n0 1 1 inf\n"
    )
    model = load(tmp_path, "PROJECTIONS\n0 + 1 = (Inf,0,Inf)\n", field).model
    assert model.image_shape == (2, 2)
    assert model.energy([0, 1, 0, 0]) == 2
    assert model.energy([0, 1, 0, 1]) == INF


def test_a_list_may_be_shorter_than_the_largest_sum(tmp_path):
    model = load(tmp_path, "PROJECTIONS\n0 + 1 + 2 = (0,1)").model
    assert [model.energy(labels) for labels in ([0, 0, 0], [0, 0, 1], [0, 1, 1])] == [0, 2, INF]


def test_comments_are_skipped(tmp_path):
    assert load(tmp_path, "PROJECTIONS\nc a ray:\n0 + 1 = (0)\n").model.n_rays == 1


def test_a_section_without_rays_is_a_model_without_rays(tmp_path):
    model = load(tmp_path, "PROJECTIONS\n").model
    assert isinstance(model, Tomography)
    assert model.n_rays == 0


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ("PROJECTIONS\n0 + 1\n", r"line 12: ray 0 has no '=', but '0 \+ 1'; expected variable \+ variable"),
        ("PROJECTIONS\n\n0 + 1 = 3\n", r"line 13: ray 0 has the costs '3'; expected them in parentheses"),
        ("PROJECTIONS\n0 + 1 = (0\n1)\n", r"line 12: ray 0 has the costs '\(0'"),
        ("PROJECTIONS\n0 + 1 = (0) 7\n", r"line 12: ray 0 has the costs '\(0\) 7'"),
        ("PROJECTIONS\n0 + x = (0)\n", "line 12: ray 0 has 'x' in place of a variable"),
        ("PROJECTIONS\n0 1 = (0)\n", "line 12: ray 0 has '0 1' in place of a variable"),
        ("PROJECTIONS\n0 ++ 1 = (0)\n", "line 12: ray 0 has '' in place of a variable"),
        ("PROJECTIONS\n0 + 1 + = (0)\n", "line 12: ray 0 has '' in place of a variable"),
        ("PROJECTIONS\n= (0)\n", "line 12: ray 0 has '' in place of a variable"),
        ("PROJECTIONS\n2*0 + 1 = (0)\n", r"line 12: ray 0 has '2\*0' in place of a variable"),
        ("PROJECTIONS\n0 = (0,,1)\n", "line 12: ray 0 has '' as the cost of the sum 1; expected a number"),
        ("PROJECTIONS\n0 = ()\n", "line 12: ray 0 has '' as the cost of the sum 0"),
        ("PROJECTIONS\n0 = ( )\n", "line 12: ray 0 has '' as the cost of the sum 0"),
        ("PROJECTIONS\n0 = (0, )\n", "line 12: ray 0 has '' as the cost of the sum 1"),
        ("PROJECTIONS\n0 = (0, ,1)\n", "line 12: ray 0 has '' as the cost of the sum 1"),
        ("PROJECTIONS\n0 = ( ,1)\n", "line 12: ray 0 has '' as the cost of the sum 0"),
        ("PROJECTIONS\n0 = (0,1,)\n", "line 12: ray 0 has '' as the cost of the sum 2"),
        ("PROJECTIONS\n0 = (0 1)\n", "line 12: ray 0 has '0 1' as the cost of the sum 0"),
        ("PROJECTIONS\n0 = (0) = (1)\n", r"line 12: ray 0 has '0\) = \(1' as the cost of the sum 0"),
        (
            "PROJECTIONS\n0 = (0)\n0 + 3 = (0)\n",
            "line 13: ray 1 has the variable 3; expected an integer from 0 to 2",
        ),
        ("PROJECTIONS\n0.5 = (0)\n", "line 12: ray 0 has the variable 0.5; expected an integer"),
        ("PROJECTIONS\n-1 = (0)\n", "line 12: ray 0 has the variable -1; expected an integer"),
        ("PROJECTIONS\n1e30 = (0)\n", "line 12: ray 0 has the variable 1e[+]30; expected an integer"),
        ("PROJECTIONS\n0 = (0)\n\n1+2+1 = (0)\n", "line 14: ray 1 has the pixel 1 twice"),
        ("PROJECTIONS\n0 = (0)\n1 = (0,nan)\n", "line 13: the cost of the sum 1 of ray 1 is nan"),
        ("PROJECTIONS\n0 = (-inf)\n", "line 12: the cost of the sum 0 of ray 0 is -inf"),
        (
            "PROJECTIONS\n0 = (0,1,2)\n",
            "line 12: ray 0 has a finite cost for the sum 2; expected sums from 0 to 1",
        ),
        ("PROJECTIONS 0 = (0)\n", r"line 11: found 'PROJECTIONS 0 = \(0\)'; expected PROJECTIONS alone"),
        ("17 PROJECTIONS\n", "line 11: found '17 PROJECTIONS'; expected PROJECTIONS alone|found '17'"),
        ("PROJECTIONS\n0 = (0)\nPROJECTIONS\n", "line 13: ray 1 has no '=', but 'PROJECTIONS'"),
    ],
)
def test_a_wrong_line_is_refused_with_its_place(tmp_path, section, words):
    with pytest.raises(FormatError, match=r"m\.uai.*" + words):
        load(tmp_path, section)


def test_a_section_that_begins_too_early_is_refused(tmp_path):
    early = FIELD.removesuffix("1 0\n")
    words = r"line 10: PROJECTIONS follows; expected entry 2 of 2 x 2 = 4 of the table of factor 1"
    with pytest.raises(FormatError, match=words):
        load(tmp_path, "\nPROJECTIONS\n0 = (0)\n", early)


def test_log_potentials_are_refused_since_costs_are_the_definition(tmp_path):
    with pytest.raises(InvalidSetting, match="has a PROJECTIONS section, which makes its numbers costs"):
        load(tmp_path, "PROJECTIONS\n0 = (0)\n", log_potentials=True)
    assert load(tmp_path, "PROJECTIONS\n0 = (0)\n", costs=True).model.n_rays == 1
    assert load(tmp_path, "PROJECTIONS\n0 = (0)\n", name="m.LG").values == "costs"


def test_evidence_conditions_the_field(tmp_path):
    model = load(tmp_path, "PROJECTIONS\n0 + 1 = (inf,0)\n", evidence={0: 1}).model
    assert model.energy([1, 0, 0]) == 1
    assert model.energy([0, 1, 1]) == INF


def test_huge_costs_are_forbidden(tmp_path):
    model = load(tmp_path, "PROJECTIONS\n0 + 1 = (1e30,0)\n").model
    assert model.required_sums.tolist() == [1]
    assert model.n_forbidden_read == 1


sums_of = st.one_of(st.just(INF), st.floats(-1e6, 1e6), st.integers(-9, 9).map(float))


@given(st.data())
def test_what_is_written_reads_back_exactly(tmp_path_factory, data):
    n_labels = data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=5))
    n = len(n_labels)
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    edges = [(v, v + 1) for v in range(n - 1)]
    tables = [rng.standard_normal((n_labels[u], n_labels[v])) for u, v in edges]
    field = MRF([rng.standard_normal(k) for k in n_labels], edges, tables, constant=0.25)
    projections = []
    for _ in range(data.draw(st.integers(0, 4))):
        pixels = data.draw(st.permutations(range(n)))[: data.draw(st.integers(1, n))]
        most = sum(n_labels[v] - 1 for v in pixels)
        projections.append((pixels, data.draw(st.lists(sums_of, min_size=1, max_size=most + 1))))
    model = Tomography.from_field(field, projections)
    path = tmp_path_factory.mktemp("written") / "m.uai.gz"
    assert write(model, path) == {"values": "costs", "projections": len(projections)}
    back = read(path).model
    assert compare(model, back) == 0
    assert back.ray_pixels.tolist() == model.ray_pixels.tolist()
    for labeling in rng.integers(0, n_labels, (5, n)):
        assert back.energy(labeling) == pytest.approx(model.energy(labeling), rel=1e-14)


def test_costs_are_written_short(tmp_path):
    model = Tomography((2, 2), [([0, 1], 2), ([2, 3], [0.5, INF, 1e-7, INF]), ([0], [INF])], 3)
    write(model, tmp_path / "m.uai")
    section = (tmp_path / "m.uai").read_text().partition("PROJECTIONS\n")[2]
    assert section == "0 + 1 = (Inf,Inf,0)\n2 + 3 = (0.5,Inf,1e-07)\n0 = (Inf)\n"


def test_what_is_read_is_written_without_being_asked_for_costs(tmp_path):
    loaded = load(tmp_path, "PROJECTIONS\n0 + 1 = (Inf,0)\n")
    write(loaded, tmp_path / "again.uai.xz")
    assert compare(loaded.model, read(tmp_path / "again.uai.xz").model) == 0


def test_projections_are_written_with_costs_only(tmp_path):
    model = Tomography((1, 2), [([0, 1], 1)], 2)
    with pytest.raises(InvalidSetting, match="projections come with costs by definition"):
        write(model, tmp_path / "m.uai", write_as="potentials")
    with pytest.raises(InvalidSetting, match="projections come with costs by definition"):
        write(model, tmp_path / "m.LG")
    with pytest.raises(InvalidSetting, match="wcsp files hold no projections; expected a"):
        write(model, tmp_path / "m.wcsp")
    assert list(tmp_path.iterdir()) == []


def test_comparing_sees_projections():
    plain = Tomography((1, 2), [([0, 1], [0, 1, 2])], 2)
    assert compare(plain, Tomography((1, 2), [([1, 0], [0, 1, 2.5])], 2)) == 0.5
    assert compare(plain, Tomography((1, 2), [([0, 1], [0, 1])], 2)) == INF
    assert compare(plain, Tomography((1, 2), [([0, 1], [0, 1, 2])], 2, smoothness=3)) == 2
    for other in (plain.field, Tomography((1, 2), [([0], 1)], 2), Tomography((1, 2), [], 2)):
        with pytest.raises(InvalidModel):
            compare(plain, other)


@pytest.mark.parametrize("connectivity", [4, 8])
@pytest.mark.parametrize("shape", [(2, 2), (3, 5), (5, 3), (2, 7)])
def test_an_image_is_recognised_by_its_edges(shape, connectivity):
    field = MRF.grid(np.zeros((*shape, 2)), Potts(1), connectivity=connectivity)
    plain = MRF(np.zeros((field.n_nodes, 2)), field.edges[::-1, ::-1], Potts(1))
    assert image_shape_of(plain) == shape
    assert image_shape_of(MRF(np.zeros((field.n_nodes, 2)), field.edges[:-1], Potts(1))) is None


def test_an_image_keeps_its_shape_through_a_file(tmp_path):
    image = np.array([[0, 1, 2], [1, 1, 0]])
    write(Tomography((2, 3), geometry.project(image, 4), 3), tmp_path / "m.uai")
    model = read(tmp_path / "m.uai").model
    assert model.image_shape == (2, 3)
    assert model.energy(image) == 6


def test_a_large_instance_loads_in_a_few_seconds(tmp_path):
    image = np.random.default_rng(0).integers(0, 3, (256, 256))
    model = Tomography(image.shape, geometry.project(image, 6), 3, TruncatedLinear(1.0, 2.0))
    write(model, tmp_path / "large.uai")
    start = time.process_time()
    back = read(tmp_path / "large.uai").model
    assert time.process_time() - start < 8  # a second here; loaded machines are slow
    assert back.energy(image) == model.energy(image)
    assert back.image_shape == (256, 256)
    assert back.field.facts()["tables_stored"] == 1


@reference_instances.needed
@pytest.mark.parametrize("entry", reference_instances.entries("tomography"))
def test_truth_images_of_the_reference_have_the_energy_stated(entry, tmp_path):
    model = reference_instances.load(entry).model
    truth = np.load(reference_instances.FOLDER / entry["truth"])
    assert model.image_shape == truth.shape
    assert model.energy(truth) == entry["truth_energy"]
    assert not model.violations(truth).any()
    assert model.contradiction() is None
    write(model, tmp_path / "again.uai")
    assert compare(model, read(tmp_path / "again.uai").model) == 0
