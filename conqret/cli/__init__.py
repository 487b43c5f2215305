"""The command line. Most commands stand in the folder of what they do (``command.py``).

- ``commands``: the list of all commands (``commands.toml``), and which one is called
- ``main``: runs a command, turns errors and signals into exit codes, exports traces
- ``runs_command``: ``conqret runs list``, ``prune`` and the export and import of recordings;
  ``show_command``: ``conqret runs show``
- ``info_command``: ``conqret info formats``, ``doctor`` and ``skill``; ``prompt_command``: ``conqret info prompt``
"""
