"""Use conqret inside the pipelines of other libraries: one module for each library, which imports it
(docs/adapters.md).

Metrics of conqret as the evaluators of another library:

- ``single``: one metric of one item, which most of these modules wrap; no library of its own
- ``deepeval``: metrics for ``assert_test``
- ``ragas``: metrics, and data sets both ways
- ``trulens``: feedback functions
- ``langchain``: evaluators of LangSmith, and LangChain's documents
- ``llamaindex``: evaluators, and its nodes as documents
- ``mlflow``: scorers of ``mlflow.genai.evaluate``; ``promptfoo``: Python assertions (``get_assert``)
- ``inspect``: scorers of inspect_ai, and samples of its logs as items (log files are read by :mod:`conqret.io`)
- ``pyterrier``: judges as transformers, measures for ``pt.Experiment``, items as frames
- ``autojudge``: judges of TREC AutoJudge: leaderboard, qrels and nugget banks

Data alone:

- ``huggingface``: a run as a data set with a card; ``ragchecker``: items as results that RAGChecker evaluates
- ``nuggetizer``: items as requests of nuggetizer, and its nuggets as those of conqret's banks
"""
