"""What judges: what a format is made of, how an item is judged, and what a run of judgments leaves.

- The public functions: ``judge`` (``conqret.judge``), ``session_judge`` (one that is called many times).
- What they are told: ``judge_settings`` (by keyword), ``judge_options`` (how a judge is run), ``command_options`` (on
  the command line, with those of studies).
- What a judge is: ``judge_parts``, ``dimensions``, ``responses`` (types of answers, and answers in sections),
  ``scales``, ``nugget_measures``, ``known_as`` (names that other tools give metrics).
- Judges that users make: ``criterion``, ``criteria``, ``rubrics``, ``rubric_files``, ``own_judge``, ``verdict_log``.
- The course of a judgment: ``setup``, ``instrument`` (one item), ``judgments`` (all of a run), ``engines`` (here, or on
  Ray), ``asked_run`` (runs of studies), ``cost`` (dry runs).
- What is left and shown: ``judge_folder``, ``summary``, ``summary_tables``, ``tally``, ``page``, ``item_view``,
  ``recorded_requests``.
- Commands: ``command`` (``conqret judge``), ``show_command`` (``conqret runs show``).
"""
