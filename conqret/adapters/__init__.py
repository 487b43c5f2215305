"""conqret inside other people's pipelines: one module a library, which is imported only there (docs/adapters.md)."""
