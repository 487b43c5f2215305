"""Call language models: one asynchronous client, its recordings, and the offline baseline.

- ``client_options``: settings, and which backend a model's name means (``ModelFacts`` has what it can do and
  costs)
- ``request``: what is sent, under which key it is recorded, and the answer; ``tokens``, ``prompt_fitting``
- ``replies``: from a text to a typed value, or to why not and what the repeated request says
- ``client``: looks for a recording, sends, validates, and repeats the request after an invalid answer, at
  most twice
- ``sender`` sends, waits after errors (429, time-outs) and tries again; ``failed_requests`` computes how long, and
  when to give up; ``quota`` has rates, the pause of all requests after a 429, and the budget
- ``recordings``: the SQLite store of answers; ``batches``, ``batch_services``: half-price batches of
  providers
- ``providers``, ``provider_errors``: prices, keys, and what errors mean; ``tracing``: spans of OpenTelemetry
- ``engines``: requests are sent by this process, or by the workers of a Ray cluster
- ``backends/``: one module a backend; ``hosted/``: calls to hosted models

Importing this package imports no LLM library; litellm and instructor are loaded by the first real call.
"""
