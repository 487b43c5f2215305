"""``python -m conqret``: the command line, where its folder is not on the path."""

from conqret.cli.main import main

main()
