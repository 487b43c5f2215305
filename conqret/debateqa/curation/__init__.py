"""How a DebateQA benchmark is made and checked.

``embeddings``: texts as vectors, and their cosines; ``deduplication``: questions without duplicates, and the threshold
for it. ``check_verdicts``: typed judgments of rows, and which questions are debatable. ``page_sources``: a corpus or
the web as the source of evidence, and trusted domains. ``curation_requests``: prompts, responses and offline
responses of Algorithm 1; ``algorithm``: its steps; ``benchmark``: the run and its files. ``benchmark_figures``:
relevance, domains and removal; ``benchmark_checks``: checks by annotators or a model. ``command``,
``benchmark_check_command``: commands.
"""
