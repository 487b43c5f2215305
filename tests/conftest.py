"""What every test shares: dependencies kept offline, and the place of data sets too large to ship."""

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.runs.killed import NEURAL, Forks, shared

# How fast examples are drawn says something of the machine, and nothing of the code.
settings.register_profile("conqret", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("conqret")

QUIET = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_TELEMETRY": "False",
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "DO_NOT_TRACK": "1",
}
"""Set before anything is imported, so that subprocesses and xdist workers inherit it. No test may reach a provider, a
model hub or a telemetry host, whatever the machine's own settings are. Users have none of it: a test that nothing is
reached takes it away, and the network too."""
os.environ.update(QUIET)
for _name in [name for name in os.environ if name.endswith("_API_KEY")]:
    del os.environ[_name]
# A shell's background jobs and nohup ignore these, and so would the commands that tests end with them.
for _signal, _usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(_signal) is signal.SIG_IGN:
        signal.signal(_signal, _usual)


MEMORY, ROOM = Path("/dev/shm"), 4 * 2**30
"""Where files lie in memory, and the bytes that must be free there."""


def pytest_configure() -> None:
    """The folders of tests lie in memory where there is room: on a disk, what is written safely waits ten thousand
    times for it, ten milliseconds each. PYTEST_DEBUG_TEMPROOT names another place."""
    if MEMORY.is_dir() and os.access(MEMORY, os.W_OK):
        facts = os.statvfs(MEMORY)
        if facts.f_bavail * facts.f_frsize >= ROOM and not facts.f_flag & os.ST_NOEXEC:
            os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of data sets that are not part of the repository, named by CONQRET_DATA."""
    named = os.environ.get("CONQRET_DATA")
    if not named:
        pytest.skip("CONQRET_DATA is not set: it names the folder that holds the data sets")
    folder = Path(named).expanduser()
    if not folder.is_dir():
        pytest.skip(f"CONQRET_DATA names no folder: {folder}")
    return folder


_NEURAL = frozenset(
    "perplexity test_ablations.py test_cross_encoder.py test_debate_tune.py test_debate_write.py test_dense.py "
    "test_judge_local.py test_likelihood.py test_local_backend.py test_neural_baselines.py test_tune_killed.py "
    "test_tuning.py test_tuning_detector.py".split()
)
"""Folders and files of tests that use networks: what these need takes fifteen seconds to import, and goes to one worker
likewise."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What runs commands in forks goes to one worker (``--dist loadgroup``), since what forks them takes five seconds
    to import, and the pages of servers that are forked need the one browser; it comes first, and then the files with
    slow tests, so that no worker is alone with one when all others have ended."""
    forked = {
        item for item in items if not {"forks", "browser"}.isdisjoint(getattr(item, "fixturenames", ()))
    }
    if config.pluginmanager.hasplugin("xdist"):
        for item in forked:
            item.add_marker(pytest.mark.xdist_group("forks"))
        for item in items:
            if item not in forked and _NEURAL.intersection(item.path.parts):
                item.add_marker(pytest.mark.xdist_group("neural"))
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: (item not in forked, item.path not in slow))


# What is imported and collected lives to the end: a million objects, which no collection of garbage need walk through.
gc.disable()


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    """Garbage is collected again, and of nothing that is there before the first test."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def forks() -> Forks:
    """What runs commands in processes of their own, without importing everything for each."""
    return shared()


@pytest.fixture(scope="session")
def neural_forks() -> Iterator[Forks]:
    """What runs commands with networks in processes of their own."""
    with Forks(NEURAL) as found:
        yield found


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """Small matrices take torch longer with several threads than with one."""
    torch = pytest.importorskip("torch", reason="the extra perplexity is not installed: torch is missing")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
