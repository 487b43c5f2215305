"""What commands share: options, conditions, printing and exit codes.

Options:

- ``option_groups``: how the fields of a dataclass become options of a command
- ``shared_options``: calls of models, recordings, run folder and output; lists and ``--columns`` as typed
- ``result_options``: ``--json/--latex``, confidence level, how labeled rows were drawn
- ``label_options``: files of labels, and how they are read; ``source_options``: pools, encoders, suites, web search

Outcomes:

- ``conditions``: ``--require`` parsed, outcomes and worst items as tables and as JUnit XML
- ``exit_codes``: exit codes of outcomes: 0 met, 1 not met, 2 refused, 3 undecided (of errors: ``conqret.cli.main``)
- ``printing``: results, JSON and LaTeX to standard output; notes, errors and progress bars to standard error
- ``costs``: the table of expected costs at the end of a dry run (they are counted in ``conqret.judging.cost``)
"""
