"""Discrete tomography: an image with few grey values, regularised, whose projections are known."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InvalidModel
from .arrays import Floats, Ints
from .costs import TruncatedLinear
from .energy import check_labeling
from .frozen import Frozen
from .mrf import MRF
from .pairwise import Pairwise
from .projections import ProjectionLike, Rays
from .tomography_facts import facts_of_tomography, summary_of_tomography
from .totals import contradiction_of

#: Where the costs of a difference of grey values stop to grow, unless another number is given.
TRUNCATION = 2.0


class Tomography(Frozen):
    """A Markov random field over an image or any graph, and projections: sums that its labels must have.

    Labels are grey values 0, 1, …; each projection (ray) has a set of pixels and either the sum that their
    labels must have (hard) or a cost for every sum (soft; inf forbids). A model does not change after
    construction.

    Parameters
    ----------
    shape
        Height and width of the image; pixel (row, column) is variable row * width + column.
    projections
        One `Projection` per ray, or pairs (pixels, sum) or (pixels, costs).
    labels
        Number of grey values: labels are 0 … labels - 1.
    smoothness
        Cost of neighbouring pixels with different labels. A number w stands for
        `TruncatedLinear(w, truncation)`; every other pairwise cost of `MRF.grid` is possible, too.
    unaries
        Costs (height, width, labels) of the labels of each pixel; by default 0.
    truncation
        Of the smoothness given as a number, in labels.
    connectivity
        4 or 8 neighbours.
    constant, forbidden_above, name
        As for `MRF`.

    Raises
    ------
    InvalidModel
        For pixels that repeat within a ray or do not exist, sums out of reach, NaN, -inf, wrong sizes.
        Sums that contradict each other make a model without solution, and not a wrong one: see
        `contradiction`.

    Attributes
    ----------
    field
        The `MRF` without the projections.
    n_rays
        Number of projections.
    ray_pixels, ray_offsets
        int64, int64 (n_rays + 1): the pixels of ray r are `ray_pixels[ray_offsets[r]:ray_offsets[r + 1]]`, in
        the order given.
    ray_costs, ray_cost_offsets
        float64, int64 (n_rays + 1): entry s of `ray_costs[ray_cost_offsets[r]:ray_cost_offsets[r + 1]]` is
        the cost of the sum s of ray r. The last entry is finite; all larger sums are forbidden. A ray without
        entries allows no sum.
    required_sums
        int64 (n_rays): the only sum allowed for a hard ray, -1 for a soft one.
    largest_ray_costs
        float64 (n_rays): the largest finite cost of each ray, 0 where there is none.
    n_forbidden_read
        How many finite costs of sums were >= `forbidden_above` and are inf now.

    Examples
    --------
    >>> from fwmap.models import Projection, Tomography
    >>> rows = [Projection([0, 1], 2), Projection([2, 3], 1)]
    >>> columns = [Projection([0, 2], 2), Projection([1, 3], 1)]
    >>> model = Tomography((2, 2), rows + columns, labels=3, smoothness=0.5)
    >>> model.energy([[1, 1], [1, 0]])
    1.0
    >>> model.energy([[2, 0], [0, 1]]), model.energy([[0, 0], [0, 0]])
    (3.0, inf)
    """

    field: MRF
    n_rays: int
    ray_pixels: Ints
    ray_offsets: Ints
    ray_costs: Floats
    ray_cost_offsets: Ints
    required_sums: Ints
    largest_ray_costs: Floats
    n_forbidden_read: int

    def __init__(
        self,
        shape: tuple[int, int],
        projections: Sequence[ProjectionLike],
        labels: int,
        smoothness: float | Pairwise = 1.0,
        unaries: ArrayLike | None = None,
        *,
        truncation: float = TRUNCATION,
        connectivity: int = 4,
        constant: float = 0.0,
        forbidden_above: float = 1e20,
        name: str | None = None,
    ) -> None:
        """Check and copy what is given; the parameters are described with the class."""
        height, width = _checked_shape(shape)
        expected = (height, width, _at_least_one(labels, "labels"))
        costs = np.zeros(expected) if unaries is None else np.asarray(unaries)
        if costs.shape != expected:
            raise InvalidModel(f"unaries have shape {costs.shape}; expected {expected}")
        number = np.ndim(smoothness) == 0 and np.asarray(smoothness).dtype.kind in "iuf"  # type: ignore[arg-type]
        field = MRF.grid(
            costs,
            TruncatedLinear(smoothness, truncation) if number else smoothness,  # type: ignore[arg-type]
            connectivity=connectivity,
            constant=constant,
            forbidden_above=forbidden_above,
            name=name,
        )
        self._take(field, Rays.of(projections, field.n_labels))

    @classmethod
    def from_field(cls, field: MRF, projections: Sequence[ProjectionLike]) -> Tomography:
        """Return the model of any field, whatever its graph and costs, with projections.

        Examples
        --------
        >>> from fwmap.models import MRF, Potts
        >>> chain = MRF(np.zeros((3, 2)), [(0, 1), (1, 2)], Potts(1.0))
        >>> Tomography.from_field(chain, [([0, 1, 2], 2)]).energy([1, 1, 0])
        1.0
        """
        _check_field(field)
        return cls.from_rays(field, Rays.of(projections, field.n_labels))

    @classmethod
    def from_rays(cls, field: MRF, rays: Rays) -> Tomography:
        """Return a model that takes over the arrays of `rays`, for readers of large files.

        They are checked like everything else, may be changed, and are read-only afterwards.

        Examples
        --------
        >>> from fwmap.models.projections import Rays
        >>> rays = Rays(np.array([0, 1]), np.array([0, 2]), np.array([np.inf, 0.0]), np.array([0, 2]))
        >>> Tomography.from_rays(MRF(np.zeros((2, 2))), rays)
        Tomography(2 variables, 0 edges, 1 rays)
        """
        model = cls.__new__(cls)
        _check_field(field)
        model._take(field, rays)
        return model

    @property
    def n_nodes(self) -> int:
        """Number of pixels."""
        return self.field.n_nodes

    @property
    def n_labels(self) -> Ints:
        """Number of labels of each pixel."""
        return self.field.n_labels

    @property
    def image_shape(self) -> tuple[int, int] | None:
        """Height and width, or None where the field is no image."""
        return self.field.image_shape

    @property
    def name(self) -> str | None:
        """What messages call the model, or None."""
        return self.field.name

    def ray(self, r: int) -> Ints:
        """Return the pixels of ray `r`.

        Examples
        --------
        >>> Tomography((1, 3), [([0, 2], 1)], labels=2).ray(0).tolist()
        [0, 2]
        """
        return self.ray_pixels[self.ray_offsets[r] : self.ray_offsets[r + 1]]

    def ray_cost(self, r: int) -> Floats:
        """Return the costs of the sums 0, 1, … of ray `r`; larger sums are forbidden.

        Examples
        --------
        >>> Tomography((1, 3), [([0, 2], 1)], labels=2).ray_cost(0).tolist()
        [inf, 0.0]
        """
        return self.ray_costs[self.ray_cost_offsets[r] : self.ray_cost_offsets[r + 1]]

    def ray_sums(self, labeling: ArrayLike) -> Ints:
        """Return the sum of the labels along each ray.

        Examples
        --------
        >>> Tomography((2, 2), [([0, 1], 3), ([0, 2], 2)], labels=3).ray_sums([2, 1, 1, 0]).tolist()
        [3, 3]
        """
        labels = check_labeling(self.field, labeling)
        if self.n_rays == 0:
            return np.zeros(0, dtype=np.int64)
        sums: Ints = np.add.reduceat(labels[self.ray_pixels], self.ray_offsets[:-1])
        return sums

    def ray_energies(self, labeling: ArrayLike) -> Floats:
        """Return the cost of the sum of each ray, inf where it is forbidden.

        Examples
        --------
        >>> Tomography((1, 2), [([0, 1], [0.0, 0.5])], labels=2).ray_energies([1, 1]).tolist()
        [inf]
        """
        sums, lengths = self.ray_sums(labeling), np.diff(self.ray_cost_offsets)
        costs, there = np.full(self.n_rays, math.inf), sums < lengths
        costs[there] = self.ray_costs[self.ray_cost_offsets[:-1][there] + sums[there]]
        return costs

    def energy(self, labeling: ArrayLike) -> float:
        """Return the energy of a labeling; inf where it violates a ray or uses anything forbidden.

        Parameters
        ----------
        labeling
            One integer per pixel, also of the shape of the image.

        Examples
        --------
        >>> model = Tomography((1, 2), [([0, 1], [0.0, 0.5, 2.0])], labels=2, smoothness=3)
        >>> model.energy([0, 1]), model.energy([1, 1])
        (3.5, 2.0)
        """
        energies = self.ray_energies(labeling)
        if np.isinf(energies).any():
            return math.inf
        return math.fsum([self.field.energy(labeling), *energies[energies != 0].tolist()])

    def violations(self, labeling: ArrayLike) -> Ints:
        """Return per ray the sum measured minus the nearest allowed one: 0 where the ray is satisfied.

        For a hard ray that is measured minus required. A ray that allows no sum gives measured + 1.

        Examples
        --------
        >>> model = Tomography((1, 3), [([0, 1], 1), ([1, 2], [0.5, 0.0])], labels=2)
        >>> model.violations([0, 0, 1]).tolist(), model.violations([1, 1, 1]).tolist()
        ([-1, 0], [1, 1])
        """
        sums = self.ray_sums(labeling)
        differences = sums - self.required_sums
        for r in np.flatnonzero(self.required_sums < 0).tolist():
            allowed = np.flatnonzero(np.isfinite(self.ray_cost(r)))
            if len(allowed):
                differences[r] = sums[r] - allowed[np.argmin(np.abs(allowed - sums[r]))]
        return differences

    def contradiction(self) -> str | None:
        """Return words that prove that no labeling satisfies all projections, or None.

        Found are rays that allow no sum or none within reach, and directions whose totals disagree; None
        therefore does not prove that there is a solution.

        Examples
        --------
        >>> print(Tomography((1, 2), [([0, 1], 1), ([0], 1), ([1], 1)], labels=2).contradiction())
        ray 0 gives all pixels together a total of 1, rays 1 to 2 a total of 2; no image has both
        """
        return contradiction_of(self)

    def condition(self, evidence: Mapping[int, int]) -> Tomography:
        """Return the model in which each variable of `evidence` has the label given there; see `MRF`.

        Examples
        --------
        >>> Tomography((1, 2), [([0, 1], 1)], labels=2).condition({0: 1}).energy([0, 1])
        inf
        """
        return Tomography.from_rays(self.field.condition(evidence), self._rays())

    def scaled(self, factor: float) -> Tomography:
        """Return the model with every finite cost, and `forbidden_above`, multiplied by `factor` > 0.

        Examples
        --------
        >>> Tomography((1, 2), [([0, 1], 1)], labels=2).scaled(4).energy([0, 1])
        4.0
        """
        field, rays = self.field.scaled(factor), self._rays()
        rays.costs *= float(factor)
        return Tomography.from_rays(field, rays)

    def facts(self) -> dict[str, Any]:
        """Return counts, ranges and peculiarities of the model as plain data: those of the field and more.

        Examples
        --------
        >>> Tomography((1, 2), [([0, 1], 1)], labels=2).facts()["rays"]
        1
        """
        return facts_of_tomography(self)

    def summary(self) -> str:
        """Return the facts as a few lines of text.

        Examples
        --------
        >>> print(Tomography((1, 2), [([0, 1], 1)], labels=2).summary().splitlines()[-1])
        projections     1 hard, 0 soft; 2 to 2 pixels each
        """
        return summary_of_tomography(self)

    def _rays(self) -> Rays:
        """Return copies of the arrays of the rays."""
        return Rays(
            self.ray_pixels.copy(),
            self.ray_offsets.copy(),
            self.ray_costs.copy(),
            self.ray_cost_offsets.copy(),
        )

    def _take(self, field: MRF, given: Rays) -> None:
        rays, n_read = given.checked(field.n_labels, field.forbidden_above)
        ray = np.repeat(np.arange(len(rays.offsets) - 1), np.diff(rays.cost_offsets))
        finite = np.isfinite(rays.costs)
        largest = np.full(len(rays.offsets) - 1, -math.inf)
        np.maximum.at(largest, ray[finite], rays.costs[finite])
        is_hard = np.bincount(ray[finite], minlength=len(largest)) == 1
        fields: dict[str, object] = {
            "field": field,
            "n_rays": len(largest),
            "n_forbidden_read": n_read,
            "ray_pixels": rays.pixels,
            "ray_offsets": rays.offsets,
            "ray_costs": rays.costs,
            "ray_cost_offsets": rays.cost_offsets,
            "required_sums": np.where(is_hard, np.diff(rays.cost_offsets) - 1, -1),
            "largest_ray_costs": np.where(np.isfinite(largest), largest, 0.0),
        }
        self._freeze(fields)

    def __repr__(self) -> str:
        """Return name and sizes."""
        name = f"{self.name!r}: " if self.name else ""
        return f"Tomography({name}{self.n_nodes} variables, {self.field.n_edges} edges, {self.n_rays} rays)"


def _check_field(field: object) -> None:
    if not isinstance(field, MRF):
        raise InvalidModel(f"the field is a {type(field).__name__}; expected an MRF")


def _checked_shape(shape: object) -> tuple[int, int]:
    if not isinstance(shape, (tuple, list, np.ndarray)) or len(shape) != 2:
        raise InvalidModel(f"shape is {shape!r}; expected (height, width)")
    return _at_least_one(shape[0], "the height"), _at_least_one(shape[1], "the width")


def _at_least_one(given: object, what: str) -> int:
    if isinstance(given, bool) or not isinstance(given, (int, np.integer)) or given < 1:
        raise InvalidModel(f"{what} is {given!r}; expected an integer >= 1")
    return int(given)
