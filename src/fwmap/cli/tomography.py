"""`fwmap tomography`: an image is projected, and reconstructed from its projections alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from .. import formats
from ..datasets.phantoms import measured, random_objects_image, shepp_logan_image
from ..errors import InvalidSetting
from ..geometry import Directions
from ..models import Tomography
from ..models.arrays import Ints
from ..progress import say
from ..result import Result
from ..settings import Settings
from ..solve import solve as run
from .exits import INFEASIBLE, INTERRUPTED, SOLVED
from .interrupts import HeldInterrupts, HoldingProgress
from .options import STOPPING, Gap, Iterations, Seed, Threads
from .outputs import OUTPUT, OutputFile, Quiet, check_outputs, make_folder, write_json, written_whole

#: Images that need no file.
PHANTOMS = ("shepp-logan", "random-objects")
#: Random objects cover so much of their image.
DENSITY = 0.4
#: The model's part of the help.
MEASUREMENT = "Measurement"


def tomography(
    image: Annotated[
        str,
        typer.Argument(
            metavar="IMAGE",
            help=f"A PNG or NumPy file, or {' or '.join(PHANTOMS)}: the truth to measure.",
            show_default=False,
        ),
    ],
    directions: Annotated[
        str,
        typer.Option(
            metavar="N|P,Q ...",
            help="How many directions: rows, columns, the diagonals, then others; or which: the pixels "
            "with equal Px + Qy are one ray.",
            rich_help_panel=MEASUREMENT,
        ),
    ] = "4",
    levels: Annotated[
        int, typer.Option(metavar="K", help="Number of grey values.", rich_help_panel=MEASUREMENT)
    ] = 3,
    size: Annotated[
        int,
        typer.Option(
            metavar="N", help="Height and width of a phantom in pixels.", rich_help_panel=MEASUREMENT
        ),
    ] = 64,
    noise: Annotated[
        float,
        typer.Option(
            metavar="S",
            help="Standard deviation of noise on the sums; with 0 they are required exactly.",
            rich_help_panel=MEASUREMENT,
        ),
    ] = 0.0,
    smoothness: Annotated[
        float,
        typer.Option(
            metavar="W", help="Cost of neighbouring pixels that differ.", rich_help_panel=MEASUREMENT
        ),
    ] = 1.0,
    time_limit: Annotated[
        float, typer.Option(metavar="S", help="Seconds, at most.", rich_help_panel=STOPPING)
    ] = 60.0,
    iterations: Iterations = None,
    gap: Gap = Settings.gap,
    threads: Threads = None,
    seed: Seed = Settings.seed,
    folder: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where the pictures go.", rich_help_panel=OUTPUT)
    ] = Path("tomography"),
    instance: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the problem, too: .uai or .npz, for `fwmap solve`.",
            show_default=False,
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    output: OutputFile = None,
    quiet: Quiet = False,
) -> int:
    """Measure an image along few directions, reconstruct it, and draw what came out.

    Three pictures are written: the reconstruction, pixel by pixel; the error beside image and relaxation; and
    bound and energy against time. An image that violates a measured sum is never called a reconstruction.

    Exit codes: 0 solved or a limit was reached, 1 infeasible, 2 wrong input, 130 interrupted.
    """
    from ..plot import check_can_plot, plot_reconstruction, plot_trace
    from ..plot.tomography import save_grey

    check_can_plot()
    settings = Settings(time_limit=time_limit, iterations=iterations, gap=gap, threads=threads, seed=seed)
    check_outputs({"--output": output, "--instance": instance}, {})
    truth, name = _image(image, levels, size, seed)
    height, width = truth.shape
    words = f"{image}, {height} x {width} pixels, {levels} grey values"
    data = measured(truth, levels, _directions(directions), name, words, smoothness, noise, seed)
    make_folder(folder)
    if not quiet:
        say(f"{data.description}: {data.model.n_rays:,} sums of {data.model.n_nodes:,} pixels", kind="note")
    if instance is not None:
        formats.write(data.model, instance)
    pictures = {what: folder / f"{data.name}_{what}.png" for what in ("reconstruction", "error", "curve")}
    with HeldInterrupts() as interrupts, HoldingProgress(interrupts, quiet) as progress:
        outcome = run(data.model, progress=progress, instance=data.name, **settings.as_dict())
        interrupts.hold()
        write_json(outcome.as_dict() | _facts(data.model, truth, outcome), output)
        if outcome.labeling is None:
            pictures.pop("reconstruction").unlink(missing_ok=True)  # of an earlier run: it is not this one's
        else:
            found = outcome.labeling.reshape(data.model.image_shape)
            with written_whole(pictures["reconstruction"]) as partial:
                save_grey(found, levels - 1, partial)
        with written_whole(pictures["error"]) as partial:
            plot_reconstruction(outcome, data.model, partial, data.truth, data.description)
        with written_whole(pictures["curve"]) as partial:
            plot_trace(outcome, partial, data.description)
        if not quiet:
            say(_verdict(data.model, truth, outcome), kind="note")
            say("pictures: " + ", ".join(str(path) for path in pictures.values()), kind="note")
    if outcome.status == "interrupted" or interrupts.happened:
        return INTERRUPTED
    return INFEASIBLE if outcome.status == "infeasible" else SOLVED


def _image(given: str, levels: int, size: int, seed: int) -> tuple[Ints, str]:
    """Return the image and a short name for it."""
    if levels < 2:
        raise InvalidSetting(f"--levels is {levels}; expected an integer >= 2")
    if given in PHANTOMS and not Path(given).exists():
        name = f"{given.replace('-', '_')}_{size}"
        if given == PHANTOMS[0]:
            return shepp_logan_image(size, levels), name
        return random_objects_image(size, DENSITY, levels, seed), f"{name}_{seed}"
    if not Path(given).exists():
        raise InvalidSetting(f"{given}: there is no such file; expected one, or {' or '.join(PHANTOMS)}")
    return formats.read_image(given, levels), Path(given).name.split(".")[0]


def _directions(text: str) -> Directions:
    """Return a number of directions, or the pairs that are listed."""
    words = text.split()
    try:
        if len(words) == 1 and "," not in words[0]:
            count = int(words[0])
            if count < 1:
                raise ValueError
            return count
        pairs = [tuple(int(number) for number in word.split(",")) for word in words]
        if not pairs or any(len(pair) != 2 for pair in pairs):
            raise ValueError
    except ValueError:
        raise InvalidSetting(
            f"--directions is {text!r}; expected a number >= 1, or pairs of integers as in '0,1 1,0 1,-1'"
        ) from None
    return [(pair[0], pair[1]) for pair in pairs]


def _facts(model: Tomography, truth: Ints, outcome: Result) -> dict[str, object]:
    """Return what this command adds to the JSON object."""
    return {
        "image_shape": list(model.image_shape or ()),
        "rays": model.n_rays,
        "energy_of_the_image": model.energy(truth),
        "pixels_that_differ": None if outcome.labeling is None else _n_wrong(truth, outcome.labeling),
    }


def _verdict(model: Tomography, truth: Ints, outcome: Result) -> str:
    itself = f"the image itself has energy {model.energy(truth):g}"
    if outcome.labeling is None:
        nearest = ""
        if outcome.least_violating is not None:
            off = model.violations(outcome.least_violating)
            nearest = (
                f" (the nearest violates {np.count_nonzero(off):,} sums, by {np.abs(off).sum():,} in all)"
            )
        return f"no image that satisfies all sums was found{nearest}, so there is no reconstruction; {itself}"
    wrong = _n_wrong(truth, outcome.labeling)
    return f"{wrong:,} of {model.n_nodes:,} pixels differ from the image; {itself}"


def _n_wrong(truth: Ints, labeling: Ints) -> int:
    return int(np.count_nonzero(labeling != truth.reshape(-1)))
