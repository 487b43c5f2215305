"""Judges over HTTP and MCP, and runs in a browser.

- ``command``: ``conqret serve http``, ``mcp`` and ``view``
- ``service``: the application; ``intake``: limits, keys and refusals; ``contract``: types and the OpenAPI document
- ``mcp_tools``: the tools of an assistant; ``view_app``: the viewer of runs
"""
