"""Compare an installed conqret with the checkout it was built from.

Run by the interpreter of an environment into which the wheel was installed, outside the checkout:
``python -I check_package.py CHECKOUT``. Exit code 1 and a list, if anything is missing.
"""

import importlib.util
import sys
import tarfile
import tomllib
from pathlib import Path

SDIST_FILES = ["LICENSE", "README.md", "Makefile", "constraints.txt"]
SDIST_FOLDERS = ["tests/", "fixtures/", "docs/", "prompts/"]


def installed_root() -> Path:
    spec = importlib.util.find_spec("conqret")
    if spec is None or spec.origin is None:
        sys.exit("conqret is not installed here")
    return Path(spec.origin).parent


def source_files(checkout: Path) -> dict[str, Path]:
    """Installed path (relative to conqret/) of every module and data file, with its place in the checkout."""
    settings = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    files: dict[str, Path] = {}
    for package, folder in settings["package-dir"].items():
        prefix = Path(*package.split(".")[1:])
        patterns = ["**/*.py", *settings["package-data"].get(package, []), "**/*.j2"]
        for pattern in patterns:
            for path in (checkout / folder).glob(pattern):
                files[(prefix / path.relative_to(checkout / folder)).as_posix()] = path
    return files


def main() -> None:
    checkout = Path(sys.argv[1]).resolve()
    root = installed_root()
    if root.is_relative_to(checkout):
        sys.exit(f"this checks an installed wheel, and found the checkout at {root}")

    files = source_files(checkout)
    faults = [
        f"not in the wheel: {name}"
        for name, path in sorted(files.items())
        if not (root / name).is_file() or (root / name).read_bytes() != path.read_bytes()
    ]

    [sdist] = (checkout / "dist").glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        members = [name.partition("/")[2] for name in archive.getnames()]
    faults += [f"not in the sdist: {name}" for name in SDIST_FILES if name not in members]
    faults += [
        f"not in the sdist: {folder}"
        for folder in SDIST_FOLDERS
        if not any(member.startswith(folder) for member in members)
    ]

    if faults:
        sys.exit("\n".join(faults))
    templates = sum(name.endswith(".j2") for name in files)
    print(f"The wheel has all {len(files)} files of the checkout, {templates} templates among them.")


if __name__ == "__main__":
    main()
