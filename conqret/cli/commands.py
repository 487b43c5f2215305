"""The subcommands by name: a module is imported when its command is called, and not for the list of them."""

from __future__ import annotations

import inspect
from collections import UserDict
from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import Any, Final

import typer
from typer.core import TyperCommand, TyperGroup

from conqret.cli.arguments import CheckedCommand

Parts = Mapping[str, "str | Parts"]
"""The commands of a group by name: ``module:function`` within the package, or a group of them."""

PANELS: Mapping[str, Mapping[str, str]] = {
    "Judge": {
        "judge": "Score items with one judge: relevance of the evidence, groundedness, quality of the argument, "
        "preference.",
        "tournament": "Rank the arguments of each topic by comparing pairs of them (comparative judgment).",
        "runs": "List, report, explain, compare and manage runs and their recordings.",
        "serve": "Serve judges over HTTP or to an assistant (MCP), or show a folder of runs in a browser.",
        "info": "List formats and prompts, and check the installation.",
    },
    "Validate": {
        "labels": "Sample items, collect human labels on pages of your own, and compute agreement.",
        "validate": "Estimate judge-human agreement, compare it with inter-annotator agreement, and write the judge "
        "card.",
        "bias": "Test a judge for bias: order, position, length, false authority, stance, its own family, and "
        "instructions hidden in the texts.",
        "sensitivity": "Perturb items by known amounts, judge every version, and test which scores change as they "
        "should.",
        "judges": "Compare, combine, calibrate, improve and monitor judges, and plan how many labels they need.",
        "suite": "Judge public test sets with published figures, and compare judges on a leaderboard.",
    },
    "Build": {
        "corpus": "Scrape debate pages and their sources, or import passages, and build a corpus with qrels.",
        "retrieve": "Index a corpus, rank its documents for topics (pro, con or both sides), and evaluate rankings.",
        "generate": "Generate arguments from rankings, and perturbed versions or translations of items.",
        "experiment": "Run an experiment from a file: retrieve, rerank, generate, judge, perturb and report.",
    },
    "Benchmarks": {
        "debateqa": "Build a benchmark of debatable questions, answer them, and score how many points of view answers "
        "cover.",
        "perspectives": "Make questions with perspectives, detect which documents contain them, and score rankings "
        "(BeRDS).",
        "debate": "Hold debates between models and train on them (DEBATunE), and test whether debates help a judge "
        "choose.",
    },
}
"""What each command does, under the headings of the help and in the order of the work: listing them imports none of
them. The help of a command begins with the same words."""

MARKUP: Final = "markdown"
"""What helps are written in, those of the groups' subcommands too: a terminal shows what is in backquotes as code."""

COMMANDS = {name: help_text for panel in PANELS.values() for name, help_text in panel.items()}


HOMES: Parts = {
    "judge": "judging.command:judge",
    "tournament": "studies.tournament.command:tournament",
    "runs": {
        "list": "cli.runs_command:list_",
        "prune": "cli.runs_command:prune",
        "report": "experiments.command:report",
        "show": "judging.show_command:show",
        "diff": "studies.diff.command:diff",
        "methods": "studies.card.methods_command:methods",
        "recordings": {"export": "cli.runs_command:export", "import": "cli.runs_command:import_"},
    },
    "serve": {
        "http": "serve.command:serve",
        "mcp": "serve.command:mcp",
        "view": "serve.command:view",
    },
    "info": {
        "formats": "cli.info_command:formats",
        "prompt": "cli.prompt_command:prompt",
        "doctor": "cli.info_command:doctor",
    },
    "labels": {
        "sample": "labels.command:label",
        "collect": "labels.collect_command:collect",
        "manage": "labels.manage_command:manage",
        "adjudicate": "labels.manage_command:adjudicate",
        "export": "labels.manage_command:export",
        "agreement": "studies.agreement.command:agree",
    },
    "validate": "studies.validate.command:validate",
    "bias": "studies.bias.command:bias",
    "sensitivity": "studies.sensitivity.command:sensitivity",
    "judges": {
        "compare": "studies.compare.command:compare",
        "systems": "studies.systems.command:meta",
        "variance": "studies.variance.command:variance",
        "jury": "studies.jury.command:jury",
        "calibrate": "studies.calibrate.command:calibrate",
        "abstain": "studies.abstain.command:abstain",
        "improve": "studies.improve.command:improve",
        "drift": "studies.drift.command:drift",
        "power": "studies.power.command:power",
    },
    "suite": {
        "list": "suites.command:list_suites",
        "run": "suites.suite_run_command:run",
        "report": "suites.command:report",
    },
    "corpus": {
        "build": "scrapers.corpus_command:build",
        "import": "scrapers.corpus_command:import_corpus",
        "topics": "scrapers.command:topics",
        "debates": "scrapers.command:debates",
        "evidence": "scrapers.corpus_command:evidence",
        "inspect": "scrapers.command:inspect",
    },
    "retrieve": {
        "index": "retrieval.index_command:index",
        "run": "retrieval.command:run",
        "evaluate": "retrieval.command:evaluate",
    },
    "generate": {
        "arguments": "generation.command:generate",
        "perturbations": "perturb.command:perturb",
        "translations": "perturb.command:translate",
    },
    "experiment": "experiments.command:run",
    "debateqa": {
        "questions": "debateqa.curation.questions_command:questions",
        "curate": "debateqa.curation.command:curate",
        "answer": "debateqa.answering.command:answer",
        "score": "debateqa.score_command:score",
        "rank": "debateqa.rank_command:rank",
    },
    "perspectives": {
        "make": "perspectives.make_command:make",
        "collect": "perspectives.make_command:collect",
        "score": "perspectives.score_command:score",
        "tune": "perspectives.command:tune",
        "detect": "perspectives.command:detect",
    },
    "debate": {
        "topics": "debate.debatune.command:topics",
        "hold": "debate.debatune.hold_command:hold",
        "filter": "debate.debatune.command:filter_",
        "export": "debate.debatune.hold_command:export",
        "tune": "debate.debatune.tune_debater_command:tune",
        "write": "debate.debatune.hold_command:write",
        "score": "debate.debatune.command:score",
        "two-turn": {
            "write": "debate.two_turn.two_turn_command:write",
            "judge": "debate.two_turn.two_turn_command:judge",
            "outcomes": "debate.two_turn.two_turn_command:outcomes",
        },
    },
}
"""The module and function of each command, within the package."""

GROUPS: Mapping[str, str] = {
    "recordings": "Export and import recorded model responses.",
    "two-turn": "Write debates on which of two answers to a question is right, and test whether they help a judge to "
    "choose.",
}
"""What the groups of commands within a group do."""


MEANT: Mapping[str, str] = {
    "eval": "judge", "scor": "judge", "rate": "judge", "rating": "judge", "grade": "judge", "grading": "judge",
    "assess": "judge", "measure": "judge", "report": "runs report", "show": "runs show", "diff": "runs diff",
    "method": "runs methods", "recording": "runs recordings", "mcp": "serve mcp", "view": "serve view",
    "ui": "serve view", "dashboard": "serve view", "server": "serve http", "http": "serve http", "api": "serve http",
    "metric": "info formats", "format": "info formats", "prompt": "info prompt", "doctor": "info doctor",
    "label": "labels sample", "annotat": "labels collect", "agree": "labels agreement", "alpha": "labels agreement",
    "kappa": "labels agreement", "compare": "judges compare", "frontier": "judges compare",
    "pareto": "judges compare", "cost": "judges compare", "card": "validate",
    "leaderboard": "suite report", "meta": "judges systems", "component": "judges variance",
    "variance": "judges variance", "pairwise": "tournament", "jury": "judges jury", "ensemble": "judges jury",
    "calibrat": "judges calibrate", "abstain": "judges abstain", "threshold": "judges abstain",
    "optimi": "judges improve", "learn": "judges improve", "improve": "judges improve",
    "suites": "suite", "benchmark": "suite", "testset": "suite",
    "drift": "judges drift", "monitor": "judges drift", "power": "judges power", "selftest": "judges power",
    "scrape": "corpus debates", "index": "retrieve index", "search": "retrieve run", "rerank": "retrieve run",
    "argument": "generate arguments", "perturb": "generate perturbations", "run": "experiment",
    "question": "debateqa questions", "curat": "debateqa curate", "answer": "debateqa answer",
    "rank": "debateqa rank",
}  # fmt: skip
"""How what people type begins whom other tools have taught other words, and the command that they mean."""


def meant(name: str) -> str | None:
    """The command that another word for it stands for: ``eval``, ``evaluate`` and ``score-items`` are ``judge``."""
    parts = name.lower().replace("_", "-").split("-")
    return next((command for part in parts for word, command in MEANT.items() if part.startswith(word)), None)


class Commands(TyperGroup):
    """The group of all commands, each of which is imported when it is called."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = _Parts(HOMES)
        self._listing = False

    def list_commands(self, ctx: Any) -> list[str]:
        """The names, in the order in which they are listed."""
        return [name for names in PANELS.values() for name in names]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command, or while all are listed what stands for it."""
        if self._listing:
            panel = next(panel for panel, names in PANELS.items() if cmd_name in names)
            return TyperCommand(cmd_name, help=PANELS[panel][cmd_name], rich_help_panel=panel)
        return super().get_command(ctx, cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command of the first argument; where there is none, an error names the one that is meant."""
        if args and args[0] not in self.commands and (command := meant(args[0])) is not None:
            ctx.fail(f"No such command '{args[0]}'. Did you mean '{command}'?")
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The help, for which no command is imported."""
        self._listing = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._listing = False


class CommandGroup(TyperGroup):
    """A group of commands within the group of all: a word that is none of its own, and like none of them, may stand
    for a command elsewhere."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command of the first argument; where there is none, an error names the one that is meant."""
        if args and not get_close_matches(args[0], self.commands) and (command := meant(args[0])) is not None:
            ctx.fail(f"No such command '{args[0]}'. Did you mean 'conqret {command}'?")
        return super().resolve_command(ctx, args)


class _Parts(UserDict[str, Any]):
    """The commands of a group by name; each is made when it is asked for."""

    def __getitem__(self, name: str) -> Any:
        home = self.data[name]
        if isinstance(home, str):
            self.data[name] = _command(name, home)
        elif isinstance(home, Mapping):
            self.data[name] = _group(name, home)
        return self.data[name]


EXAMPLES: Mapping[str, str] = {
    "runs": "conqret runs report runs/first",
    "recordings": "conqret runs recordings export runs/first recordings.jsonl",
    "serve": "conqret serve http --model gpt-4o-mini --port 8000",
    "info": "conqret info formats",
    "labels": "conqret labels sample items.jsonl --plan 100 -o form.csv",
    "judges": "conqret judges compare runs/first runs/second --labels labels.csv --scale 1:3",
    "suite": "conqret suite run judgebench --model gpt-4o-mini --sample 40",
    "corpus": "conqret corpus debates topics.txt -o corpus/",
    "retrieve": "conqret retrieve run corpus/ --stance pro --rerank gpt-4o-mini -k 10 -o runs/pro.res.gz",
    "generate": "conqret generate arguments corpus/ --run runs/pro.res.gz --stance pro -o runs/arguments",
    "debateqa": "conqret debateqa answer questions.jsonl --model gpt-4o-mini -o runs/answers",
    "perspectives": "conqret perspectives detect pairs.tsv --model gpt-4o-mini -o runs/perspectives",
    "debate": "conqret debate hold topics.jsonl --model gpt-4o-mini -o runs/debates",
    "two-turn": "conqret debate two-turn judge debates.jsonl --model gpt-4o-mini -o runs/judged",
}
"""What the help of a group shows."""


def _command(name: str, home: str) -> Any:
    """The command whose function, with its docstring for a help and the examples at its end, is ``module:function``."""
    module_name, name_there = home.split(":")
    module = import_module(f"conqret.{module_name}")
    function = getattr(module, name_there)
    alone = typer.Typer(add_completion=False, rich_markup_mode=MARKUP)
    what, example, examples = inspect.cleandoc(function.__doc__).partition("\n\nExample")
    alone.command(name, cls=CheckedCommand, help=what, epilog=example.strip() + examples)(function)
    command: Any = typer.main.get_command(alone)
    command.name = name
    if common := getattr(module, "COMMON", ()):
        command.show_common(common)
    return command


def _group(name: str, parts: Parts) -> Any:
    """The group of the commands."""
    helps = {name: text for names in (*PANELS.values(), GROUPS) for name, text in names.items()}
    alone = typer.Typer(
        cls=CommandGroup,
        no_args_is_help=True,
        rich_markup_mode=MARKUP,
        help=helps[name],
        epilog=f"Example: {EXAMPLES[name]}",
    )
    alone.callback()(_no_option)
    group = typer.main.get_group(alone)
    group.name, group.commands = name, _Parts(parts)
    return group


def _no_option() -> None:
    """What a group of commands does itself: nothing."""
