"""The command line.

``commands`` lists all commands and finds the one that is called, ``main`` runs it and turns errors into exit codes; the
other modules are the commands ``runs``, ``info`` and ``info prompt``.
"""
