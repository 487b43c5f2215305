"""What commands share: options, conditions and printing.

``option_groups`` makes options of dataclasses, ``shared_options`` and ``label_options`` declare those of several
commands, ``conditions`` reads ``--require``, and ``printing`` prints results, notes, errors and progress.
"""
