"""The suites that come with conqret, one file each with a ``SUITE``.

Each has the reader of its published files, its statistics, and the published figures that are recomputed from them.

Which of two answers or arguments is better:

- ``judgebench``, ``rewardbench_2`` (of four), ``contextualjudgebench``: the right or better answer
- ``ragchecker``: answers of RAG systems; ``ukpconvarg1``: the more convincing argument

Ratings of one text:

- ``dagstuhl``: fifteen dimensions of argument quality; ``webis_argquality_20``: three; ``debate_speeches``: speeches
- ``llm_rubric``: conversations
- ``judge_bench_20``: twenty NLP data sets
- ``alttest``: ten data sets, whether a judge can replace an annotator

Whether a text says what its source supports:

- ``begin``: answers in dialogues; ``faithbench``: summaries

Relevance of documents:

- ``touche_2020``: arguments for a question; ``trec_rag_2026``: grades by LLMs

Debates and perspectives:

- ``berds``: perspectives in documents; ``debateqa``: answers ranked; ``debatune``: statements on their side
"""
