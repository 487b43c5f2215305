"""Generate cited arguments from ranked documents: few-shot with a language model, or by extraction offline.

- ``generation_run``: arguments for all topics of a TREC run, in a folder with ``generations.jsonl`` and
  ``items.jsonl``
- ``generator``: one argument: options, prompt within the token budget, request, citation check
- ``cited_argument``: the typed response, its text, and the check of citations and quotations
- ``examples``: expert arguments of a corpus, and in-context examples drawn from them
- ``strategies/``: the strategies of writing; ``command``: ``conqret generate arguments``
"""
