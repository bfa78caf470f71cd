"""Who may import whom: the table of the design, held by reading every import in the package."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "cabe"

MAY_IMPORT: dict[str, set[str]] = {
    "reading": set(),
    "charts": set(),
    "facts": {"reading"},
    "words": {"reading"},
    "memory": {"facts", "reading"},
    "pages": {"reading", "charts", "facts", "words", "memory"},
    "publishing": {"reading"},
    "cli": {"reading", "charts", "facts", "words", "memory", "pages", "publishing"},
}

THIRD_PARTY = {
    "pandas": {"memory"},
    "numpy": {"memory"},
    "pydantic": {"facts"},
    "markdown_it": {"words"},
    "jinja2": {"words", "pages"},
    "markupsafe": {"words", "pages"},
    "babel": {"words"},
    "yaml": {"reading"},
    "click": {"cli"},
    "rich": {"cli"},
}

MODULES = sorted(PACKAGE.rglob("*.py"))


def stage(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_a_stage_imports_only_the_stages_that_the_design_allows(path: Path) -> None:
    own = stage(path)
    allowed = MAY_IMPORT.get(own, set()) | {own}
    for name in imports(ast.parse(path.read_text(encoding="utf-8"))):
        if name.startswith("cabe.") and own != "__init__":
            other = name.split(".")[1]
            assert other in allowed or other == "__version__", f"{own} imports {name}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_a_library_is_imported_only_in_its_own_stage(path: Path) -> None:
    for name in imports(ast.parse(path.read_text(encoding="utf-8"))):
        library = name.split(".")[0]
        assert stage(path) in THIRD_PARTY.get(library, {stage(path)}), f"{path.name} imports {library}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_only_the_command_line_imports_inside_functions(path: Path) -> None:
    if stage(path) == "cli":
        return
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            assert not list(imports(function)), f"{path.name}: {function.name} imports inside"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_every_module_says_in_one_sentence_what_it_is(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), f"{path} has no docstring"
