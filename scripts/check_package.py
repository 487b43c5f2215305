"""Compare an installed conqret with the checkout it was built from.

Run by the interpreter of an environment into which the wheel was installed, outside the checkout:
``python -I check_package.py CHECKOUT``. Exit code 1 and a list, if anything is missing.
"""

import importlib.util
import sys
import tarfile
import tomllib
from pathlib import Path

SDIST = ("LICENSE", "README.md", "Makefile", "constraints.txt", "tests/", "fixtures/", "docs/", "prompts/")
"""What the source distribution holds: files, and folders by their beginning."""


def source_files(checkout: Path) -> dict[str, Path]:
    """Installed path (relative to conqret/) of every module and data file, with its place in the checkout."""
    settings = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    files: dict[str, Path] = {}
    for package, folder in settings["package-dir"].items():
        prefix = Path(*package.split(".")[1:])
        for pattern in ("**/*.py", *settings["package-data"].get(package, []), "**/*.j2"):
            for path in (checkout / folder).glob(pattern):
                files[(prefix / path.relative_to(checkout / folder)).as_posix()] = path
    return files


def main() -> None:
    checkout = Path(sys.argv[1]).resolve()
    spec = importlib.util.find_spec("conqret")
    if spec is None or spec.origin is None:
        sys.exit("conqret is not installed here")
    root = Path(spec.origin).parent
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
    faults += [f"not in the sdist: {name}" for name in SDIST if not any(m.startswith(name) for m in members)]
    if faults:
        sys.exit("\n".join(faults))
    templates = sum(name.endswith(".j2") for name in files)
    print(f"The wheel has all {len(files)} files of the checkout, {templates} templates among them.")


if __name__ == "__main__":
    main()
