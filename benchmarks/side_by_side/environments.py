"""An environment for each library of a list (libraries.txt), made once and used again while it is whole."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIBRARIES = Path(__file__).with_name("libraries.txt")


def libraries(file: Path = LIBRARIES) -> dict[str, list[str]]:
    """The libraries by name, with what is installed for them; conqret is installed from this checkout."""
    lines = file.read_text(encoding="utf-8").splitlines()
    rows = [line.split() for line in lines if line and not line.startswith("#")]
    own = ["-c", str(ROOT / "constraints.txt"), "-e", str(ROOT)]
    return {name: wanted or own for name, *wanted in rows}


def default_folder() -> Path:
    """Where environments go by default."""
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "conqret-peers"


def python_of(name: str, folder: Path, file: Path = LIBRARIES) -> Path:
    """The interpreter of the library's environment, which is made if it is not there as a whole.

    Raises:
        RuntimeError: it cannot be installed; the message is pip's last line.
    """
    wanted = libraries(file)[name]
    place = folder / name
    python, whole = place / "bin" / "python", place / "whole.txt"
    if whole.is_file() and whole.read_text(encoding="utf-8").split() == wanted:
        return python
    print(f"installing {name} …", file=sys.stderr)
    whole.unlink(missing_ok=True)
    subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
    command = [str(python), "-m", "pip", "install", "--quiet", *wanted]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    whole.write_text("\n".join(wanted), encoding="utf-8")
    return python


def version_of(name: str, python: Path) -> str:
    """The release of the library that is installed."""
    asked = f"import importlib.metadata as m; print(m.version({name!r}))"
    return subprocess.run(
        [str(python), "-c", asked], capture_output=True, text=True, check=True
    ).stdout.strip()
