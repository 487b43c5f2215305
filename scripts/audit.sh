#!/usr/bin/env bash
# The dependencies: whether they fit together, are the versions that constraints.txt names, and have no vulnerability
# that is known. The last needs pip-audit on PATH and a service that it can ask; where there is none, that is said.
#   scripts/audit.sh .venv/bin/python
set -euo pipefail

cd "$(dirname "$0")/.."
python=${1:?usage: audit.sh PYTHON}

"$python" -m pip check
"$python" - <<'CHECK'
import sys
from importlib.metadata import distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

lines = (line.partition("#")[0].strip() for line in Path("constraints.txt").read_text(encoding="utf-8").splitlines())
pinned = {canonicalize_name(one.name): one for one in map(Requirement, filter(None, lines))}
there = {canonicalize_name(one.metadata["Name"]): one.version for one in distributions()}
ours = {"conqret", "pip", "setuptools", "wheel"}
wrong = [f"{name} {version} is not pinned" for name, version in there.items() if name not in pinned.keys() | ours]
wrong += [
    f"{name} {there[name]} is installed, and constraints.txt wants {one.specifier}"
    for name, one in pinned.items()
    if name in there and not one.specifier.contains(there[name], prereleases=True)
]
sys.exit("\n".join(sorted(wrong)) or None)
CHECK
echo "Every installed package is the version of constraints.txt."

if ! command -v pip-audit >/dev/null; then
    echo "Known vulnerabilities: not looked for, as pip-audit is not on PATH."
    exit 0
fi
said=$(pip-audit --disable-pip --no-deps --progress-spinner off -r constraints.txt 2>&1) && code=0 || code=$?
skipped=$(grep -c "could not be audited" <<<"$said" || true)
pinned=$(grep -cvE '^[[:space:]]*(#|$)' constraints.txt)
if [ "$code" -ne 0 ] && ! grep -q "^Found .* known vulnerabilit" <<<"$said"; then
    echo "Known vulnerabilities: not looked for, as no service answers: $(tail -n 1 <<<"$said")"
elif [ "$code" -ne 0 ]; then
    echo "$said" >&2
    exit 1
elif [ "$skipped" -ge "$pinned" ]; then
    echo "Known vulnerabilities: not looked for, as the service knows none of the $pinned packages."
else
    echo "Known vulnerabilities: none found; of $skipped packages the service knows nothing."
fi
