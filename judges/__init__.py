"""The judges: one file a format, each with its ``JUDGE`` (see :mod:`conqret.judging.judge_parts`).

- ConQRet: ``rag_fine_grained``, ``listwise``, ``listwise_rag``, ``pointwise``, ``direct``, ``rag_direct``,
  ``rag_rubric``, ``query_rubric``, ``static_rubric``, ``g_eval``.
- Citations, claims and nuggets: ``citation_support``, ``citations``, ``answer_correctness``, ``context_recall``,
  ``nuggets``, ``nugget_assignments``, ``likelihood``; ``_shared`` has what several of them use,
  and ``_rag_questions`` what ``rag`` puts to decision models.
- Debates: ``controllability``, ``counter_argument``, ``harmlessness``, ``response_quality``, ``two_sided``.
"""
