"""The layouts of debate pages, one module each: docs/adding-a-debate-site.md says how to write one."""
