"""The pages of the documentation are true: their code runs, their links lead somewhere, their names exist."""

from __future__ import annotations

import dataclasses
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import typer

from fwmap import MRF, Settings, TraceRow, solve
from fwmap.cli import main
from fwmap.cli.main import app
from fwmap.result import STATUS_MEANING

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [path for path in (ROOT / "README.md", *sorted(DOCS.glob("*.md"))) if path.exists()]

FENCE = re.compile(
    r"(?:^[ ]*<!-- (?P<mark>[^\n]*?) -->[ ]*\n)?"
    r"^(?P<indent>[ ]*)```(?P<language>[^\n]*)\n(?P<code>.*?)^(?P=indent)```[ ]*$",
    re.MULTILINE | re.DOTALL,
)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)|<(?:img|a)[^>]+(?:src|href)=\"([^\"]+)\"")
HEADING = re.compile(r"^#+ +(.*?) *$", re.MULTILINE)
INLINE_CODE = re.compile(r"`([^`\n]+)`")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    language: str
    mark: str
    code: str
    line: int  # of its first line of code, from 0


def blocks(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for found in FENCE.finditer(text):
        indent = found["indent"]
        code = "".join(line.removeprefix(indent) for line in found["code"].splitlines(keepends=True))
        line = text.count("\n", 0, found.start("code"))
        yield Block(found["language"].strip(), found["mark"] or "", code, line)


def prose(page: Path) -> str:
    return COMMENT.sub("", FENCE.sub("", page.read_text(encoding="utf-8")))


def anchors(page: Path) -> set[str]:
    """What headings are called in links, as GitHub and MyST make it."""
    titles = HEADING.findall(prose(page))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def options() -> dict[str, set[str]]:
    """The options of each command; "" is the program itself."""
    program = typer.main.get_command(app)
    commands = {"": program, **program.commands}
    return {
        name: {"--help"}
        | {
            option
            for given in command.params
            for option in [*given.opts, *given.secondary_opts]
            if option.startswith("--")
        }
        for name, command in commands.items()
    }


def shell_commands(page: Path) -> Iterator[list[str]]:
    """The lines of shell blocks, and inline code, that call fwmap."""
    lines = [line for block in blocks(page) if block.language == "sh" for line in block.code.splitlines()]
    for line in [*lines, *INLINE_CODE.findall(prose(page))]:
        words = line.split("#")[0].split()
        if words[:1] == ["fwmap"]:
            yield words


@pytest.fixture(params=PAGES, ids=lambda page: page.name)
def page(request) -> Path:
    return request.param


def run_shell(code: str) -> None:
    pytest.importorskip("h5py")  # pages show pictures and OpenGM files
    pytest.importorskip("matplotlib")
    for line in code.splitlines():
        words = shlex.split(line, comments=True)
        assert words[:1] == ["fwmap"], f"only calls of fwmap are run, not {line!r}"
        assert main(words[1:]) == 0, line


def test_the_code_of_a_page_runs_and_prints_what_the_page_says(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "documentation"}
    printed = ""
    for block in blocks(page):
        if block.mark.startswith("not run"):
            assert re.fullmatch(r"not run: .+", block.mark), f"{page.name}: {block.mark} gives no reason"
        elif block.language == "python":
            code = compile("\n" * block.line + block.code, str(page), "exec")
            exec(code, namespace)
            printed = capsys.readouterr().out
        elif block.mark == "run":
            run_shell(block.code)
            printed = capsys.readouterr().out
        elif block.mark == "printed":
            assert printed == block.code, f"{page.name}, line {block.line + 1}"


def test_links_and_images_lead_somewhere(page):
    for pair in LINK.findall(prose(page)):
        target, _, anchor = "".join(pair).partition("#")
        if target.startswith(("http://", "https://", "mailto:")):
            continue
        other = (page.parent / target).resolve() if target else page
        assert other.exists(), f"{page.name} links to {target}"
        if anchor and other.suffix == ".md":
            assert anchor in anchors(other), f"{page.name} links to {target}#{anchor}"


def test_options_of_commands_exist(page):
    known = options()
    for words in shell_commands(page):
        command = words[1] if len(words) > 1 and not words[1].startswith("-") else ""
        assert command in known, f"{page.name}: there is no command {command!r} in {' '.join(words)!r}"
        for option in OPTION.findall(" ".join(words)):
            assert option in known[command], f"{page.name}: fwmap {command} has no option {option}"


def test_options_named_alone_exist_in_some_command(page):
    known = set().union(*options().values())
    for code in INLINE_CODE.findall(prose(page)):
        if code.startswith("--"):
            for option in OPTION.findall(code):
                assert option in known, f"{page.name} names the option {option}"


def test_every_option_of_solve_is_documented():
    named = set(OPTION.findall("".join(page.read_text(encoding="utf-8") for page in DOCS.glob("*.md"))))
    assert options()["solve"] - {"--help"} - named <= {"--quiet"}  # which speaks for itself


def test_the_map_names_every_folder():
    drawn = next(block.code for block in blocks(DOCS / "development.md") if "src/fwmap/" in block.code)
    for parent in (ROOT / "core", ROOT / "src" / "fwmap"):
        for path in parent.iterdir():
            if path.is_dir() and path.name != "__pycache__":
                assert f" {path.name}/" in drawn, path


def test_the_guide_names_every_status_and_setting():
    code = set(INLINE_CODE.findall((DOCS / "guide.md").read_text(encoding="utf-8")))
    assert set(STATUS_MEANING) <= code
    assert {field.name for field in dataclasses.fields(Settings)} <= code


def test_the_reference_names_every_field_of_result_and_trace():
    code = set(INLINE_CODE.findall((DOCS / "reference_json.md").read_text(encoding="utf-8")))
    assert set(solve(MRF([[0.0, 1.0]])).as_dict()) <= code
    assert {field.name for field in dataclasses.fields(TraceRow)} <= code
    assert set(MRF([[0.0, 1.0]]).facts()) <= code
