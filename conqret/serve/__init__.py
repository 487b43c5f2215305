"""Judges over HTTP and MCP, and runs in a browser.

- ``command``: ``conqret serve http``, ``mcp`` and ``view``, and the lines of the log
- ``service``: the HTTP application; ``contract``: its types and OpenAPI document
- ``intake``: limits, API keys, and refusals as problem details (RFC 9457)
- ``mcp_tools``: the tools of an assistant; ``view_app``: the viewer of runs
"""
