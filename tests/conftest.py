"""What all tests share: `zoo` can be imported, and no test leaves other kernels behind."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest
from hypothesis import settings

from fwmap import _core
from fwmap.exact import Exact

sys.path.insert(0, str(Path(__file__).parent))  # importlib import mode leaves it out

# Tests interrupt; what a shell starts with `&`, and all that it starts, would ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)

# A loaded machine is slow, not wrong; the same examples on every machine.
settings.register_profile("fwmap", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("fwmap")


def exact_only_where_asked(model, given, step, notes, of=Exact.of):
    """Tests are of fwmap itself, whatever else is installed: no exact solver but on request."""
    return None if given.exact == "auto" else of(model, given, step, notes)


Exact.of = staticmethod(exact_only_where_asked)


@pytest.fixture(params=_core.available_kernels())
def kernels(request):
    """Each variant of the kernels in turn; the default is back afterwards."""
    default = _core.kernels_in_use()
    assert _core.use_kernels(request.param)
    yield request.param
    assert _core.use_kernels(default)
