"""What runs are called beside each other."""

from pathlib import Path

import pytest

from conqret.runs.run_folder import distinct_names


@pytest.mark.parametrize(
    ("places", "names"),
    [
        (["runs/judge", "runs/samples"], ["judge", "samples"]),
        (["/x/runs/a/judge", "/x/runs/b/judge", "other"], ["a/judge", "b/judge", "other"]),
        (["runs/a", "runs/a", "runs/b"], ["a", "a", "b"]),
    ],
)
def test_the_shortest_names_that_tell_them_apart(places, names):
    assert distinct_names([Path(place) for place in places]) == names
