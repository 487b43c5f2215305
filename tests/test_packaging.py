"""What works in a checkout must also be in the wheel."""

import ast
import importlib.metadata
import re
import runpy
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SETUPTOOLS = PROJECT["tool"]["setuptools"]
FOLDERS: dict[str, str] = SETUPTOOLS["package-dir"]  # package -> folder
BARE = {"judges", "prompts", "scrapers"}
IMPORTED_AS = {
    "backports.zstd": "backports",
    "opentelemetry-sdk": "opentelemetry",
    "pystemmer": "Stemmer",
    "pytest-asyncio": "pytest_asyncio",
    "pyyaml": "yaml",
    "websocket-client": "websocket",
}


def walk(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)


def modules() -> list[Path]:
    return sorted(path for folder in FOLDERS.values() for path in walk(ROOT / folder) if path.suffix == ".py")


def packages_on_disk() -> set[str]:
    return {
        ".".join([package, *path.parent.relative_to(ROOT / folder).parts])
        for package, folder in FOLDERS.items()
        for path in walk(ROOT / folder)
        if path.suffix == ".py"
    }


def imported_modules(path: Path) -> set[str]:
    """Top-level names of the absolute imports of a file, those inside functions included."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
    return {name.partition(".")[0] for name in names}


def declared_imports() -> set[str]:
    project = PROJECT["project"]
    extras = {**project["optional-dependencies"], "dev": []}.values()
    lines = [*project["dependencies"], *(line for extra in extras for line in extra)]
    names = [re.match(r"[\w.-]+", line).group().lower() for line in lines]  # type: ignore[union-attr]
    return {IMPORTED_AS.get(name, name.replace("-", "_")) for name in names}


def test_setup_finds_every_package_on_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("setuptools")
    monkeypatch.chdir(ROOT)
    found = runpy.run_path(str(ROOT / "setup.py"))["packages"]()
    assert found == sorted(packages_on_disk())
    assert "packages" not in SETUPTOOLS  # it would win over what is found


def test_every_package_has_an_init() -> None:
    folders = {path.parent for path in modules()}
    bare = [folder for folder in folders if not (folder / "__init__.py").is_file()]
    assert sorted(str(folder.relative_to(ROOT)) for folder in bare) == []


def test_every_data_file_is_caught_by_a_pattern() -> None:
    caught = set()
    for package, patterns in SETUPTOOLS["package-data"].items():
        base, *rest = next(
            ([folder, *package.removeprefix(name).split(".")[1:]])
            for name, folder in sorted(FOLDERS.items(), key=lambda pair: -len(pair[0]))
            if package == name or package.startswith(f"{name}.")
        )
        for pattern in patterns:
            caught.update((ROOT / base).joinpath(*rest).glob(pattern))
    data = {
        path
        for folder in FOLDERS.values()
        for path in walk(ROOT / folder)
        if path.suffix not in {".py", ".pyc", ".md"} and not path.name.startswith(".")
    }
    assert sorted(str(path.relative_to(ROOT)) for path in data - caught) == []


def test_imports_are_absolute_declared_and_never_bare() -> None:
    """What is imported installs under conqret, or a dependency or extra of pyproject.toml brings it."""
    known = {*sys.stdlib_module_names, "conqret", *declared_imports()} - BARE
    unknown = {path.relative_to(ROOT).as_posix(): imported_modules(path) - known for path in modules()}
    assert {path: names for path, names in unknown.items() if names} == {}


def test_each_extra_is_tried() -> None:
    lines = (ROOT / "scripts" / "extras.txt").read_text(encoding="utf-8").splitlines()
    tried = {line.split()[0]: line.split()[1:] for line in lines if not line.startswith("#")}
    assert all(tried.values())
    assert tried.keys() == PROJECT["project"]["optional-dependencies"].keys() - {"dev"}


def test_versions_agree() -> None:
    import conqret

    declared = PROJECT["project"]["version"]
    assert conqret.__version__ == declared
    assert importlib.metadata.version("conqret") == declared


def test_constraints_pin_exact_versions_without_addresses() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert [pin for pin in pins if not re.fullmatch(r"[\w.-]+==[\w.]+", pin)] == []
    pinned = {pin.partition("==")[0].lower().replace("_", "-") for pin in pins}
    extras = PROJECT["project"]["optional-dependencies"].values()
    wanted = [*PROJECT["project"]["dependencies"], *(line for extra in extras for line in extra)]
    names = {re.match(r"[\w.-]+", line).group().lower().replace("_", "-") for line in wanted}  # type: ignore[union-attr]
    assert names - pinned == {"conqret"}


def test_an_image_is_built_of_what_the_wheel_needs_and_of_nothing_else() -> None:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    project = PROJECT["project"]
    needed = {
        *FOLDERS.values(),
        "pyproject.toml",
        "setup.py",
        "constraints.txt",
        project["readme"],
        *project["license-files"],
    }
    assert lines[1] == "*"
    assert {line[1:] for line in lines if line.startswith("!")} == needed
