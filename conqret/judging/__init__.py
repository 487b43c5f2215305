"""Judges and their runs: what a format is made of, how an item is judged, and the files of a run.

- The public functions: ``judge`` (``conqret.judge``), ``session_judge`` (one that is called many times).
- Settings: ``judge_settings`` (by keyword), ``judge_options`` (how a judge is run), ``command_options`` (on the command
  line, and in ``conqret.toml``).
- What a judge is: ``judge_parts``, ``dimensions``, ``responses`` (types of answers, and answers in sections),
  ``scales``, ``known_as`` (names that other tools give metrics).
- Judges that users make: ``criteria``, ``rubrics``, ``own_judge``, ``verdict_log``.
- The course of a judgment: ``setup``, ``instrument`` (one item), ``judgments`` (all of a run), ``cost`` (dry runs).
- Files and reports: ``judge_folder``, ``summary``, ``summary_tables``, ``tally``, ``page``, ``item_view``,
  ``recorded_requests``, ``build_gate`` (``--require``, JUnit, Markdown).
- The command: ``command`` (``conqret judge``).
"""
