"""A picture of Shepp and Logan's phantom, reconstructed, beside filtered back-projection.

    python benchmarks/tomography_picture.py --size 256 --cpu-seconds 600 --output tomography.png

Prints bound, energy, violation and pixels that differ; the time is CPU time of one thread.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

import fwmap
from fwmap.datasets import shepp_logan
from fwmap.geometry import directions, rays
from fwmap.models import Tomography
from fwmap.plot.canvas import head, new_figure, save
from fwmap.plot.labeling import show_image
from fwmap.plot.tomography import draw_difference


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", type=int, default=256)
    parser.add_argument("--directions", type=int, default=6)
    parser.add_argument("--cpu-seconds", type=float, default=600.0)
    parser.add_argument("--output", type=Path, help="the picture")
    arguments = parser.parse_args()
    data = shepp_logan(arguments.size, 3, arguments.directions)
    model, truth = data.model, data.truth.reshape(arguments.size, arguments.size)
    result = fwmap.solve(model, callback=lambda row: row.cpu_seconds > arguments.cpu_seconds, threads=1)
    found = result.labeling if result.labeling is not None else result.least_violating
    assert found is not None
    found = found.reshape(truth.shape)
    sharp = back_projection(model, arguments.directions)
    rounded = np.clip(np.round(sharp), 0, 2).astype(np.int64)
    mean = np.asarray(result.marginals) @ np.arange(3.0)
    likeliest = np.asarray(result.marginals).argmax(axis=1)
    facts = {
        "cpu_seconds": result.cpu_seconds,
        "iterations": result.iterations,
        "memory_bytes": result.peak_memory_bytes,
        "bound": result.bound,
        "energy": result.energy,
        "energy_of_the_phantom": model.energy(truth),
        **measures("image", model, found, truth),
        **measures("relaxation", model, likeliest, truth),
        **measures("back_projection", model, rounded, truth),
    }
    print(json.dumps(facts, indent=1))
    if arguments.output:
        draw(
            arguments.output,
            truth,
            sharp,
            rounded,
            mean.reshape(truth.shape),
            found,
            result,
            data.description,
        )


def back_projection(model: Tomography, n_directions: int) -> np.ndarray:
    """Line integrals of each direction, through a ramp and a Hann window, spread over their rays."""
    shape = model.image_shape
    assert shape is not None
    image, r = np.zeros(shape[0] * shape[1]), 0
    for direction in directions(n_directions):
        own = rays(shape, direction)
        sums = model.required_sums[r : r + len(own)].astype(float)
        r += len(own)
        padded = np.zeros(2 * len(own))
        padded[: len(own)] = sums
        frequencies = np.abs(np.fft.fftfreq(len(padded)))
        frequencies *= 0.5 + 0.5 * np.cos(2 * np.pi * frequencies)  # Hann: sums along few pixels are rough
        filtered = np.real(np.fft.ifft(np.fft.fft(padded) * frequencies))[: len(own)]
        spacing = 1 / np.hypot(*direction)  # of neighbouring rays, in pixels
        for ray, value in zip(own, filtered, strict=True):
            image[ray] += value / spacing**2 * np.pi / n_directions
    return image.reshape(shape)


def measures(name: str, model: Tomography, image: np.ndarray, truth: np.ndarray) -> dict[str, float]:
    violations = np.abs(model.violations(image))
    return {
        f"{name}_smoothness": model.field.energy(image),
        f"{name}_violation": int(violations.sum()),
        f"{name}_rays_violated": int(np.count_nonzero(violations)),
        f"{name}_pixels_wrong": int(np.count_nonzero(image.reshape(truth.shape) != truth)),
    }


def draw(path, truth, sharp, rounded, mean, found, result, description) -> None:
    figure = new_figure(13, 6.6)
    axes = figure.subplots(2, 4)
    show_image(axes[0, 0], "the phantom", truth, 2)
    show_image(axes[0, 1], "filtered back-projection", np.clip(sharp, 0, 2), 2)
    show_image(axes[0, 2], "the relaxation's mean", mean, 2)
    what = "satisfies all projections" if result.labeling is not None else "least violating, no solution"
    show_image(axes[0, 3], what, found, 2)
    axes[1, 0].axis("off")
    draw_difference(axes[1, 1], rounded, truth, 2)
    draw_difference(axes[1, 2], np.round(mean).astype(np.int64), truth, 2)
    draw_difference(axes[1, 3], found, truth, 2)
    head(figure, description)
    save(figure, path)


if __name__ == "__main__":
    main()
