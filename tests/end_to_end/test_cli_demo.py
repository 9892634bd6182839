"""The demonstration: a table, pictures and a page that shows them."""

from __future__ import annotations

import re

import pytest

from fwmap import demo

pytest.importorskip("matplotlib")


def test_the_demonstration_shows_a_table_and_writes_pictures(tmp_path, capsys):
    assert demo.run_demo(tmp_path / "demo", time_limit=0.2)
    text = capsys.readouterr().err
    for name in demo.PROBLEMS:
        assert name in text
    assert max(len(line.rstrip()) for line in text.splitlines() if "/" not in line) <= 80
    pictures = {path.name for path in (tmp_path / "demo").glob("*.png")}
    page = (tmp_path / "demo" / "index.html").read_text()
    assert set(re.findall(r'<img src="([^"]+)"', page)) == pictures
    assert len(pictures) >= len(demo.PROBLEMS)


def test_a_file_in_the_way_is_named(fwmap_command, tmp_path):
    (tmp_path / "demo").touch()
    done = fwmap_command("demo", "--folder", tmp_path / "demo")
    assert done.returncode == 2
    assert "--folder" in done.stderr
    assert len(done.stderr.splitlines()) == 1
