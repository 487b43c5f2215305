"""The local server that shows a folder of runs (``conqret serve view``)."""
