"""Call language models: one asynchronous client, its recordings, and the offline baseline.

- ``client_options``: settings, and which backend a model's name means; ``tokens``, ``prompt_fitting``
- ``request``: what is sent, under which key it is recorded, and the answer; ``replies``: from a text to a typed value
- ``client`` sends through ``sender``, which uses ``retry`` (waits, limits of failures), ``quota`` (rates, budget)
- ``recordings``: the SQLite store of answers; ``batches``, ``batch_services``: half-price batches of providers
- ``providers``, ``provider_errors``: prices, keys, and what errors mean; ``tracing``: spans of OpenTelemetry
- ``backends/``: one module a backend; ``hosted/``: calls to hosted models

Importing this package imports no LLM library; litellm and instructor are loaded by the first real call.
"""
