"""The subcommands by name: a module is imported when its command is called, and not for the list of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Final, get_origin

from cyclopts import App, Group, Parameter
from cyclopts.argument import Argument

from conqret._version import __version__
from conqret.console.option_groups import command_of
from conqret.console.printing import out
from conqret.errors import DeclarationError, did_you_mean
from conqret.options import OptionHelps

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

ABOUT: Final = "Judge retrieval-augmented arguments with LLMs, and measure how far the judge can be trusted."

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
    "serve": {"http": "serve.command:serve", "mcp": "serve.command:mcp", "view": "serve.command:view"},
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
        "questions": "debateqa.curation.command:questions",
        "curate": "debateqa.curation.command:curate",
        "answer": "debateqa.answering.command:answer",
        "score": "debateqa.answer_score_command:score",
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
        "hold": "debate.debatune.debate_command:hold",
        "filter": "debate.debatune.command:filter_",
        "export": "debate.debatune.debate_command:export",
        "tune": "debate.debatune.debate_command:tune",
        "write": "debate.debatune.debate_command:write",
        "score": "debate.debatune.command:score",
        "two-turn": {
            "write": "debate.two_turn.two_turn_command:write",
            "judge": "debate.two_turn.two_turn_command:judge",
            "outcomes": "debate.two_turn.two_turn_command:outcomes",
        },
    },
}
"""The module and function of each command, within the package."""

GROUPS = {
    "recordings": "Export and import recorded model responses.",
    "two-turn": "Write debates on which of two answers to a question is right, and test whether they help a judge to "
    "choose.",
}
"""What the groups of commands within a group do."""


EXAMPLES: Mapping[str, str] = {
    "conqret": "conqret judge items.jsonl --format rag-fine-grained --model gpt-4o-mini -o runs/model",
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

ARGUMENTS, OPTIONS = "Arguments", "Options"
"""The panels of a help that its parts without another stand in."""

MEANT: Mapping[str, str] = {
    word: command
    for command, words in {
        "judge": "eval scor rate rating grade grading assess measure",
        "runs report": "report",
        "runs show": "show",
        "runs diff": "diff",
        "runs methods": "method",
        "runs recordings": "recording",
        "serve mcp": "mcp",
        "serve view": "view ui dashboard",
        "serve http": "server http api",
        "info formats": "metric format",
        "info prompt": "prompt",
        "info doctor": "doctor",
        "labels sample": "label",
        "labels collect": "annotat",
        "labels agreement": "agree alpha kappa",
        "judges compare": "compare pareto frontier cost",
        "validate": "card",
        "suite report": "leaderboard",
        "judges systems": "meta",
        "judges variance": "component variance",
        "tournament": "pairwise",
        "judges jury": "jury ensemble",
        "judges calibrate": "calibrat",
        "judges abstain": "abstain threshold",
        "judges improve": "optimi learn improve",
        "suite": "suites benchmark testset",
        "judges drift": "drift monitor",
        "judges power": "power selftest",
        "corpus debates": "scrape",
        "retrieve index": "index",
        "retrieve run": "search rerank",
        "generate arguments": "argument",
        "generate perturbations": "perturb",
        "experiment": "run",
        "debateqa questions": "question",
        "debateqa curate": "curat",
        "debateqa answer": "answer",
        "debateqa rank": "rank",
    }.items()
    for word in words.split()
}
"""How what people type begins whom other tools have taught other words, and the command that they mean."""


class Command(App):
    """A command, or a group of them; ``--help`` of a command shows only its ``common`` options where these are named
    (by their parameters)."""

    common: Sequence[str] = ()
    arguments: Sequence[Argument] = ()

    def assemble_argument_collection(self, *, parse_docstring: bool = False, **settings: Any) -> Any:
        """The arguments and options; they have their values once the command line is read. For a help
        (``parse_docstring``) the panels stand in the order of the command's parameters."""
        found: Any = super().assemble_argument_collection(**settings)
        self.arguments = found
        panels: dict[str, Any] = {ARGUMENTS: self.group_arguments, OPTIONS: self.group_parameters}
        for argument in found if parse_docstring else ():
            (panel,) = argument.parameter.group
            shown = Parameter(
                group=panels.setdefault(panel.name, Group(panel.name, sort_key=len(panels))),
                help=rich_markup(argument.parameter.help or ""),
                show=None if self._is_shown(argument) else False,
            )
            argument.parameter = Parameter.combine(argument.parameter, shown)
        return found

    def _is_shown(self, argument: Argument) -> bool:
        """Whether a help shows it."""
        return not self.common or argument.index is not None or argument.field_info.name in self.common

    def usage_line(self) -> str:
        """How it is called."""
        places = (_placed(one) for one in self.assemble_argument_collection() if one.index is not None)
        return " ".join([self.name[0], "[OPTIONS]", *places])

    def help_print(self, tokens: Any = None, *, console: Any = None) -> None:
        """Print the help."""
        if self.default_command is not None:
            self.usage = f"Usage: {self.usage_line()}"
            if hidden := sum(not self._is_shown(one) for one in self.arguments if not one.children):
                self.help += f"\n\nThese are the most used options; `--help-all` shows {hidden} more."
        self.help_epilogue = rich_markup(f"{self.help_epilogue}\n")
        for app in (self, *self.subapps):
            app.help = rich_markup(app.help)
        super().help_print(tokens, console=console)


def rich_markup(text: str) -> str:
    """A help text as Rich's markup: what is in backquotes stands out, and nothing else is markup."""
    parts = text.replace("[", r"\[").split("`")
    return "".join(f"[bold cyan]{part}[/]" if place % 2 else part for place, part in enumerate(parts))


def _placed(argument: Argument) -> str:
    """An argument in the usage."""
    several = "..." if get_origin(argument.hint) is list else ""
    return f"{argument.name}{several}" if argument.required else f"[{argument.name}{several}]"


def find(words: Sequence[str], *, everything: bool = False) -> tuple[Command, list[str]]:
    """The command or group that the first of the words name, and the words after its name; with ``everything``, its
    help shows all options.

    Raises:
        DeclarationError: there is no such command; the message names the one that is meant.
    """
    home: str | Parts = HOMES
    path, rest = ["conqret"], list(words)
    while rest and not rest[0].startswith("-") and not isinstance(home, str):
        name = rest.pop(0)
        if name not in home:
            raise DeclarationError(f"No such command '{name}'. {_suggested(name, home, path)}")
        path.append(name)
        home = home[name]
    return _leaf(path, home, everything=everything) if isinstance(home, str) else _group(path, home), rest


def tree() -> Command:
    """All commands, each with all its options."""
    return _group(["conqret"], HOMES, whole=True)


def _suggested(name: str, known: Parts, path: Sequence[str]) -> str:
    """What is perhaps meant by a word that is no command of a group."""
    parts = name.lower().replace("_", "-").split("-")
    for command in (command for part in parts for word, command in MEANT.items() if part.startswith(word)):
        return f"Did you mean '{command if len(path) == 1 else f'conqret {command}'}'?"
    return did_you_mean(name, known) or f"{' '.join(path)} --help lists all"


def _group(path: Sequence[str], parts: Parts, *, whole: bool = False) -> Command:
    """A group with its commands; the group of all has only what its help lists, unless the ``whole`` tree is wanted."""
    first = len(path) == 1
    app = _command(
        path,
        help=ABOUT if first else (COMMANDS | GROUPS)[path[-1]],
        help_epilogue=f"Example: {EXAMPLES[path[-1]]}",
    )
    if first:
        for function in (version, install_completion, show_completion):
            app.command(function, name=f"--{function.__name__.replace('_', '-')}", group=app.group_parameters)
    panels = {panel: Group(panel, sort_key=place) for place, panel in enumerate(PANELS)}
    for place, (name, home) in enumerate(parts.items()):
        below = [*path, name]
        if first and not whole:
            child = Command(help=COMMANDS[name], help_flags=(), version_flags=())
        else:
            child = _leaf(below, home, everything=True) if isinstance(home, str) else _group(below, home)
        child.sort_key = place
        if first:
            child.group = next(panels[panel] for panel, names in PANELS.items() if name in names)
        app.command(child, name=name)
    return app


def _leaf(path: Sequence[str], home: str, *, everything: bool) -> Command:
    """The command whose function, with its docstring for a help and the examples at its end, is ``module:function``."""
    module_name, name = home.split(":")
    module = import_module(f"conqret.{module_name}")
    function = getattr(module, name)
    what, example, examples = OptionHelps(function).rest.partition("\n\nExample")
    app = _command(
        path,
        help="\n\n".join(" ".join(paragraph.split()) for paragraph in what.split("\n\n")),
        help_epilogue=example.strip() + examples,
        config=getattr(module, "SETTINGS", None),
    )
    app.default(command_of(function))
    app.common = () if everything else getattr(module, "COMMON", ())
    return app


def _command(path: Sequence[str], **settings: Any) -> Command:
    app = Command(
        name=" ".join(path),
        help_format="rich",
        help_flags="--help",
        version_flags=(),
        group_arguments=Group(ARGUMENTS, sort_key=-2),
        group_parameters=Group(OPTIONS, sort_key=-1),
        default_parameter=Parameter(negative=(), json_list=False, json_dict=False),
        **settings,
    )
    app["--help"].group = app.group_parameters
    return app


def version() -> None:
    """Print the version and exit."""

    out().out(f"conqret {__version__}")


def install_completion() -> None:
    """Install completion for the current shell."""
    out().out(f"written to {tree().install_completion()}; it works in new shells")


def show_completion() -> None:
    """Show completion for the current shell, to copy it or customize the installation."""
    out().out(tree().generate_completion())
