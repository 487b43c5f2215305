"""Which of several judges agrees best with annotators, and what agreement costs.

- ``compare_judges``: alphas, paired differences and the choice tested on held-out topics
- ``result``: the result with tables, sentences and page; ``command``: ``conqret judges compare``
"""
