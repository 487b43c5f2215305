"""``conqret corpus``: the sources that debates cite, fetched and accounted for; topics, qrels and splits; the import
of the published release and of passage files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rich.console import RenderableType

from conqret.console import shared_options as options
from conqret.console.printing import at, note, progress, result
from conqret.errors import DeclarationError, number

if TYPE_CHECKING:
    from conqret.scrapers.fetch_ledger import EvidenceSummary, LedgerLine
    from conqret.show.table import Table


def build(corpus: Path, *, seed: int = 13, json_output: options.Printed = None) -> None:
    """Make topics, relevance labels (qrels for pro, con and both sides) and a train-test split by topic, and print
    statistics of the corpus (those of ConQRet's Table 2).

    No topic and no document is in both splits; the same corpus and seed give the same files.

    Args:
        corpus: A corpus directory with debates and their fetched evidence.
        seed: The random seed of the train-test split and of the irrelevant documents that are added.

    Example: conqret corpus build corpus/ --seed 13
    """
    from conqret.scrapers.corpus_building import make_corpus

    built = make_corpus(corpus, seed=seed)
    _remark(built.statistics)
    lines = (
        *_tables(built.statistics),
        f"topics, qrels, corpus.parquet and statistics.json are in {corpus}",
    )
    result(built.statistics, lines, as_json=json_output)


def import_corpus(
    sources: list[Path],
    *,
    output: Path = Path("corpus"),
    topics: Path | None = None,
    qrels: Path | None = None,
    licence: str = "",
    url: str = "",
    shown: options.OutputOptions,
) -> None:
    """Import a corpus: your own documents, topics and qrels, files of passages, or the published ConQRet (a folder),
    for `conqret retrieve` and `conqret generate arguments`.

    The release's texts come as an archive of their own: unpack its folders `documents` and `documents_sep20` next to
    `procon`. A document without a text is the title of its source. Pros and cons that the release's parser has
    extracted (`procon/train`, `procon/test`) become debates, from which `--shots` draws.

    If a row of a file is invalid, nothing is written, and all faults are listed by line.

    Args:
        sources: The folder of the ConQRet release (`procon` itself, or the folder that contains it); or passage files:
            DPR's psgs_w100.tsv (id, text, title), Sphere's JSON Lines (id, raw, title, url), BEIR's corpus.jsonl, or
            any with an id (id, docno, doc_id …) and a text (text, contents …); .gz too.
        output (--output, -o): The corpus directory to write.
        topics: The topics to rank documents for: a table with id (id, qid …) and question (question, query …), or a
            TREC file of topics. All are of the split `test`.
        qrels: Their qrels: a TREC file (topic 0 document grade), or a table such as BEIR's. A table may have a column
            `side` (pro or con), which makes qrels of each side.
        licence: The license of passages that state none.
        url: The address of passages that have none, with {title} or {id} to be filled in.

    Examples:

    conqret corpus import documents.csv --topics queries.csv --qrels relevance.qrels -o corpus/

    conqret corpus import path/to/release -o corpus/

    conqret corpus import psgs_w100.tsv.gz -o wikipedia/ --url 'https://en.wikipedia.org/wiki/{title}'
    --licence 'CC BY-SA 3.0'

    conqret corpus import sphere-*.jsonl.gz -o sphere/
    """
    from conqret.scrapers.corpus_building import import_passages, import_release

    if len(sources) == 1 and sources[0].is_dir():
        if topics or qrels:
            raise DeclarationError(
                f"{sources[0]} is a folder with topics of its own: leave out --topics and --qrels"
            )
        published = import_release(sources[0], output)
        note(*published.notes)
        lines = (*_tables(published.statistics), f"documents, topics and qrels are in {output}")
        result(published.statistics, lines, as_json=shown.json_output)
        return
    target = output / "documents.jsonl"
    with progress("reading", quiet=shown.quiet) as bar:
        read = import_passages(
            sources, output, topics=topics, qrels=qrels, licence=licence, url=url, on_passage=bar.advance
        )
    note(*read.remarks)
    counts = [number(read.documents, "passage")]
    if read.topics:
        counts += [number(read.topics, "topic"), number(read.judged, "judged pair")]
    facts = {"passages": read.documents, "documents": str(target)}
    if read.topics:
        facts |= {"topics": read.topics, "judged": read.judged}
    following = [f"next: conqret retrieve evaluate {output} --systems bm25"] if read.judged else []
    result(facts, [", ".join(counts), at(target, "documents"), *following], as_json=shown.json_output)


def _tables(statistics: Mapping[str, Any]) -> Iterator[Table | str]:
    """Yield the table of statistics next to those of the paper (Table 2), and that of documents' lengths
    (Figure 2), each followed by an empty line."""
    from conqret.data.corpus import ROWS, TOTAL
    from conqret.show.table import Table

    table2 = statistics["table2"]
    paper = table2["paper"]
    columns = (table2["train"], table2["test"], paper["train"], paper["test"])
    rows = [(label, *(_figure(column[field]) for column in columns)) for field, label in ROWS.items()]
    total = (TOTAL, table2["documents"], "", paper["documents"], "")
    header = ("", "train", "test", "paper train", "paper test")
    yield Table("Statistics (ConQRet, Table 2)", header, [*rows, total])
    yield ""
    lengths, every = statistics["tokens"], max(1, sum(statistics["tokens"].values()))
    shares = [(name, str(count), f"{count / every:.0%}") for name, count in lengths.items()]
    yield Table("Lengths of the documents (ConQRet, Figure 2)", ("Tokens", "documents", "share"), shares)
    yield ""


def _figure(number: object) -> str:
    return f"{number:.1f}" if isinstance(number, float) else str(number)


def _remark(statistics: Mapping[str, Any]) -> None:
    sources, cited = statistics["sources"], statistics["citations"]
    paper = sources["paper"]
    ends = ", ".join(
        f"{count} {name}"
        for name, count in sources.items()
        if name not in ("listed", "ok", "paper") and count
    )
    listed = sources["listed"]
    note(
        f"{sources['ok']} of {listed} sources extracted ({sources['ok'] / max(listed, 1):.0%}; in the paper "
        f"{paper['ok']:,} of {paper['listed']:,})" + (f": {ends}" if ends else "")
    )
    if cited["marks_without_source"]:
        note(f"{cited['marks_without_source']} citation marks have no source on their page")
    if statistics["negatives_short"]:
        note(
            f"{statistics['negatives_short']} negatives could not be drawn: too few documents of other topics"
        )
    for topic, reason in statistics["left_out"].items():
        note(f"{topic} is left out: {reason}")


def evidence(
    corpus: Path,
    *,
    search: str | None = None,
    archived: Annotated[
        str | None,
        options.option(
            "Asking",
            "Take the Internet Archive's copy nearest to this year, month or day, such as 2024-06, or to the "
            "date of citation (`cited`); if there is none, today's page.",
            metavar="YYYY-MM",
        ),
    ] = None,
    delay: float | None = None,
    user_agent: str | None = None,
    allow_private: bool = False,
    retry_errors: bool = False,
    shown: options.OutputOptions,
) -> None:
    """Fetch what the debates of a corpus cite, extract the texts, and record what became of every source.

    The same command again goes on where it stopped, and fetches nothing that ledger.jsonl has as finished.

    Args:
        corpus: The corpus directory, with the debates.jsonl of `conqret corpus debates`.
        retry_errors: Fetch sources again whose last attempt ended with an error.
    Asking:
        search: Search engines that look for sources without a URL, tried in this order: `google` (GOOGLE_API_KEY,
            GOOGLE_CSE_ID), `brave` (BRAVE_API_KEY), `searxng` (CONQRET_SEARXNG_URL), with keys from the environment.
        delay: Seconds between two requests to one host, give or take half. [default: 1; from the archive 4]
        user_agent: The user agent that web sites see; name a contact in it.
        allow_private: Allow loopback and private addresses, and any port (test servers, intranets).

    Examples:

    conqret corpus evidence corpus/ --user-agent 'our-lab (mailto:someone@example.org)'

    conqret corpus evidence corpus/ --search searxng,brave

    conqret corpus evidence corpus/ --archived cited

    """
    from conqret.scrapers.corpus_collecting import collect_evidence

    ends: Counter[str] = Counter()
    with progress("gathering", quiet=shown.quiet) as bar:

        def advance(line: LedgerLine) -> None:
            ends[line.status] += 1
            bar.advance(counted=f"{ends['ok']} of {ends.total()} extracted")

        summary = collect_evidence(
            corpus,
            search=search or (),
            retry_errors=retry_errors,
            on_start=lambda total, kept: bar.reach(kept, total=total),
            on_line=advance,
            archived=archived,
            delay=delay,
            user_agent=user_agent,
            allow_private=allow_private,
        )
    result(summary.record(), _lines(summary, corpus), as_json=shown.json_output)
    if not shown.quiet:
        _advise(summary, searching=bool(options.listed(search)))


def _lines(summary: EvidenceSummary, corpus: Path) -> Iterator[RenderableType]:
    from conqret.data.corpus import PAPER_CITED, PAPER_EXTRACTED

    share = f" ({summary.share:.1%})" if summary.cited else ""
    yield f"cited       {summary.cited:,}"
    yield f"extracted   {summary.extracted:,}{share}"
    yield f"documents   {summary.documents:,}"
    for status, count in summary.by_status.items():
        if count and status != "ok":
            yield f"  {status:<12}{count:,}"
    yield f"ConQRet, section 4.2: {PAPER_CITED:,} cited, {PAPER_EXTRACTED:,} extracted"
    yield f"ledger      {corpus / 'ledger.jsonl'}"


def _advise(summary: EvidenceSummary, *, searching: bool) -> None:
    if summary.kept:
        note(
            f"{summary.kept:,} sources were finished in an earlier run; {summary.pages:,} URLs were fetched now"
        )
    if summary.by_status.get("error"):
        note(
            f"{summary.by_status['error']:,} sources ended with errors; use --retry-errors to fetch them again"
        )
    if summary.without_url and not searching:
        note(f"{summary.without_url:,} sources have no URL; use --search to find them by title")
