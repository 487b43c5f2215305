"""How a DebateQA benchmark is made and checked.

Questions:

- ``deduplication``: texts as vectors, similar pairs, questions without duplicates, the threshold that labels speak for
- ``check_verdicts``: a typed judgment of each of many rows as a run; which questions are debatable

Partial answers (Algorithm 1):

- ``benchmark``: the run, its settings and the files of a benchmark; ``algorithm``: the steps for one question
- ``curation_requests``: prompts, response types and offline responses of each step
- ``page_sources``: evidence from a corpus or the web, and trusted domains

Checks of a finished benchmark:

- ``benchmark_figures``: by embeddings: relevance, similar points of view, domains; removal of what annotators reject
- ``benchmark_checks``: by annotators or a model: comprehensiveness, distinctiveness, missed viewpoints

Commands:

- ``command``: ``conqret debateqa questions`` and ``curate``
- ``benchmark_check_command``: ``curate`` on a finished benchmark
"""
