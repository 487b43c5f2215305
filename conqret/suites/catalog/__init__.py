"""The suites that come with conqret, one file each with a ``SUITE``."""
