"""The averaged lower bounds that the paper states (its Table 1), and our datasets beside them."""

from __future__ import annotations

from dataclasses import dataclass

#: The paper's names of methods, and ours.
METHODS = {"FWMAP": "fwmap", "CB": "bundle", "SA": "subgradient", "MP": "message-passing"}


@dataclass(frozen=True)
class Row:
    """A dataset of the paper: bounds in the order of METHODS, None where a method does not apply."""

    dataset: str
    bounds: tuple[float, float, float, float | None]
    ours: tuple[str, ...]  # datasets of ours


ROWS = (
    Row("protein folding", (-12917.44, -12970.61, -12960.30, -13043.67), ("protein folding, generated",)),
    Row("synthetic 2 proj.", (266.12, 265.89, 239.39, None), ("synthetic 2 proj.",)),
    Row("synthetic 4 proj.", (337.88, 336.33, 316.61, None), ("synthetic 4 proj.",)),
    Row("synthetic 6 proj.", (424.36, 417.76, 391.09, None), ("synthetic 6 proj.",)),
    Row("sheep logan 64×64", (897.18, 847.87, 701.93, None), ("Shepp-Logan 64×64",)),
    Row("sheep logan 256×256", (4580.06, 4359.24, 370.63, None), ("Shepp-Logan 256×256",)),
    Row("6d scene flow", (-2864.2, -2865.61, -2867.60, -2877.08), ("keypoints, generated", "car and motor")),
)
