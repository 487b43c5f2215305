"""Dictionaries of splits, as the library datasets has them; the library itself is in tests/adapters."""

import pytest

from conqret.errors import DeclarationError
from conqret.io import open_items

ROWS = [{"topic": "Ban zoos?", "argument": "Yes."}]


class DatasetDict(dict):
    """What ``load_dataset`` gives."""


DatasetDict.__module__ = "datasets.dataset_dict"


def test_one_split_is_what_is_meant():
    (item,) = open_items(DatasetDict(train=ROWS))
    assert item.topic == "Ban zoos?"


@pytest.mark.parametrize(
    ("splits", "named"), [({"train": ROWS, "test": ROWS}, "'train', 'test'"), ({}, "none")]
)
def test_of_several_one_is_to_be_named(splits, named):
    with pytest.raises(DeclarationError, match=f"several splits \\({named}\\): give one of them"):
        open_items(DatasetDict(splits))
