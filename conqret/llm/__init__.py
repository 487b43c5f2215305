"""Call language models: one asynchronous client, its recordings, and the offline baseline.

Requests and responses:

- ``client``: looks for a recording, sends, validates, and requests again after an invalid response, at most twice
- ``client_options``: settings of a client, the facts about a model, and which backend its name means
- ``request``: what is sent, the key under which it is recorded, and the answer
- ``replies``: from a text to a typed value, or to why there is none; the messages of the repeated request
- ``decisions``: typed questions for decision models, and their distributions
- ``tokens``: tokens counted offline; ``prompt_fitting``: documents trimmed to the model's window;
  ``text_trimming``: texts cut to a number of tokens

Sending:

- ``sender``: sends one request, with retries, before its deadline; ``quota``: rates, concurrency after a 429, budget
- ``spending_ledger``: what was spent on a model over a store
- ``failed_requests``: the wait before a retry (``Retry-After``), when a run gives up
- ``key_redaction``: keys removed from errors and exports
- ``engines``: requests sent from this process, or by the workers of a Ray cluster
- ``providers``: price list, keys and addresses checked beforehand
- ``provider_errors``: what an error of a provider means

Records and costs:

- ``recordings``: the SQLite store of raw responses; ``tracing``: spans of OpenTelemetry
- ``batches``: half-price batches under way; ``batch_services``: those of OpenAI and Anthropic
- ``expected_cost``: calls, tokens and dollars of one stage (the dry run: ``conqret.runs.dry_run``)

Folders: ``backends/`` has a module for each route to a model, ``hosted/`` the calls to hosted models.

Importing this package imports no LLM library; litellm and instructor are loaded by the first real call.
"""
