"""What README.md and docs/ tell people to type, taken out of the pages and run (``scripts/check_docs.py --run``)."""
