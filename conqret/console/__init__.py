"""What commands share: options, conditions, printing and exit codes.

``option_groups`` makes options of dataclasses, ``shared_options`` and ``label_options`` declare those of several
commands, ``conditions`` reads ``--require``, ``printing`` prints results, notes, errors and progress, and
``exit_codes`` ends a command by its outcome.
"""
