"""Where an optional package is missing, the command says which and how to get it, before it works."""

from __future__ import annotations

import subprocess
import sys


def without(package: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the command line in a Python that does not find `package`."""
    code = f"import sys; sys.modules[{package!r}] = None; from fwmap.cli import main; sys.exit(main())"
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, check=False
    )


def test_a_picture_without_matplotlib_is_refused_first(tmp_path):
    done = without("matplotlib", "solve", tmp_path / "none.uai", "--plot", tmp_path / "a.png")
    assert done.returncode == 2
    assert done.stderr.splitlines() == ["fwmap: pictures need Matplotlib: pip install 'fwmap[plot]'"]


def test_solving_needs_no_matplotlib(small):
    assert without("matplotlib", "solve", small).returncode == 0


def test_the_demonstration_without_matplotlib_is_refused_first(tmp_path):
    done = without("matplotlib", "demo", "--folder", tmp_path / "demo")
    assert done.returncode == 2
    assert "fwmap[plot]" in done.stderr
    assert not (tmp_path / "demo").exists()


def test_hdf5_without_h5py_is_refused(tmp_path):
    path = tmp_path / "a.h5"
    path.write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
    done = without("h5py", "info", path)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "fwmap[hdf5]" in done.stderr
