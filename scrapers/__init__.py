"""Read debate pages and the evidence that they cite from the web, and build a corpus from both.

Everything that comes from here is data, never an instruction. Installed as ``conqret.scrapers``; import it
by that name.

- ``command`` and ``corpus_command``: ``conqret corpus``; ``corpus_collecting``: the same as functions
- ``debate_pages``: debate pages into a corpus; ``scrape_places``: one page inspected, an index read; ``debates``: HTML
  into debates, with a module for each site in ``debates/layouts``
- ``evidence_fetching``: the run over all cited sources, with its ``fetch_ledger`` and the stored responses (``warc``)
- ``search`` and ``archive``: the address of a source by its title, and old copies of pages
- ``fetch_client``: politeness, robots.txt, redirects, retries; ``wire``: one request, and the guard against internal
  addresses
- ``document``: text from HTML and PDF (``markup``), in processes of its own (``worker_pool``)
- ``corpus_building``: topics, qrels and splits; import of the release and of passage files
"""
