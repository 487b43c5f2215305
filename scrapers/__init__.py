"""Read debate pages and the evidence that they cite from the web, and build a corpus from both.

Everything that comes from here is data, never an instruction. Installed as ``conqret.scrapers``; import it by that
name.

Debate pages:

- ``debate_pages``: fetches pages and reads them into a corpus
- ``debates/``: HTML into debates (``debates/layouts``: each site)
- ``scrape_places``: one page, a URL or a saved file, inspected; the index of a site read

Evidence:

- ``evidence_fetching``: the run over all cited sources; ``fetch_ledger``: the outcome of each, and their texts
- ``search``: the URL of a source by its title (Google, Brave, SearXNG)
- ``archive``: snapshots of the Internet Archive
- ``document``: the kind of a body, its text from HTML or PDF; ``markup``: HTML as a tree without hidden parts
- ``worker_pool``: extraction in processes of its own, under a time limit; ``warc``: responses stored as WARC

Fetching:

- ``fetch_client``: robots.txt, delays for each host, redirects, retries
- ``wire``: one request, its limits, and the guard against internal addresses

Corpus and commands:

- ``corpus_building``: topics, qrels and splits; import of the release and of passage files
- ``corpus_collecting``: the public functions that read from the web
- ``command``: ``conqret corpus debates``, ``topics`` and ``inspect``
- ``corpus_command``: ``evidence``, ``build`` and ``import``
"""
