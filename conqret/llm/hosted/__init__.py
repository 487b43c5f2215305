"""Models that a provider hosts, or a server of one's own: called directly where it speaks as OpenAI does, else
through
litellm.

- ``servers``: which models are called directly, with address and key; bodies of the Responses interface
- ``direct_http``: the direct calls, over aiohttp; ``through_litellm``: the calls of all others
- ``connection``: what both share: structured output (JSON schema, tool …) and the retry with a simpler method
- ``response_bodies``: a completion read from the body of a response, decompressed up to a limit
"""
