"""The judges: one file a format, each with its ``JUDGE`` (see :mod:`conqret.judging.judge_parts`).

Retrieval-augmented arguments (ConQRet):

- ``rag_fine_grained``: every document by itself, then groundedness and quality
- ``listwise_rag``: the documents together
- ``listwise``: the fifteen dimensions of quality in one call; ``pointwise``: one call each
- ``direct``: one bare score for one metric; ``rag_direct``: four metrics of two arguments in one call
- ``g_eval``: criteria, evaluation steps, weighted ratings
- ``static_rubric``: six yes/no criteria a metric; ``query_rubric``: 20 nuggets from topic and stance
- ``rag_rubric``: nuggets of topic and documents, for two arguments

Answers, claims, citations and nuggets:

- ``rag``: an ordinary answer to a question over documents: claims, parts of the question, use of documents
- ``answer_correctness``: an answer against a reference; ``context_recall``: a reference against the documents
- ``citation_support``: whether cited documents support their sentences
- ``citations``: citations counted, without a model
- ``nuggets``: which nuggets an answer states
- ``nugget_assignments``: measures of nuggets assigned already, without a model
- ``likelihood``: how much likelier documents make the argument, by log-probabilities

Debates (DEBATunE, Parrish et al.):

- ``controllability``: how much of a statement is on its side; ``two_sided``: whether a topic has two sides
- ``response_quality``: two responses to an instruction
- ``response_quality_any_side``: the same, whichever side they take
- ``counter_argument``: how well a counter-argument is made; ``harmlessness``: whether a statement holds harm

No formats: ``_shared`` has what several of them use, ``_sections`` the parts of an answer that rates several things.
For decision models ``_questions`` has what several formats put to them, ``_rag_questions`` what ``rag`` does, and
``_prompt_questions`` what ``g_eval``, ``static_rubric`` and ``harmlessness`` do.
"""
