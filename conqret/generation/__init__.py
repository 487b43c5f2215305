"""Generate cited arguments from ranked documents: few-shot with a language model, or by extraction
offline.

- ``generation_run``: arguments for a ranking, in a folder; ``generator``: one argument, its prompt cut to fit
- ``strategies``: the strategies of writing, one module each; ``examples``: expert arguments for the prompt
- ``cited_argument``: the typed answer as text, and the check of its citations
- ``command``: ``conqret generate arguments``
"""
