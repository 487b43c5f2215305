"""The engines: one module each, with its ``ENGINE`` (see :mod:`conqret.retrieval.search_engine`)."""
