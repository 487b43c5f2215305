"""Answers to debatable questions: from a model alone, with retrieval, or with an agent that searches.

- ``rag_session``: the strategies ``none``, ``rag``, ``react`` and ``cited``, and the session that answers one
  question
- ``answering_run``: answers as a run, which writes ``answers.jsonl``
- ``retrieved_chunks``: a corpus cut into chunks, indexed and searched
- ``command``: ``conqret debateqa answer``
"""
