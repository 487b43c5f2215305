"""Labels from annotators, collected on pages of one's own or on forms.

Commands: ``command`` (sample), ``collect_command``, and ``manage_command`` (manage, adjudicate, export). What is
labeled: ``sampling`` draws items, ``row_sampling`` rows of a judge's table; ``task`` and ``task_choice`` say what a
task is, ``label_tasks`` has conqret's own; ``study_screens`` makes the screens of a study, and ``screens`` holds their
types. Storage: ``database`` is the SQLite file, ``annotators`` the annotators and their next screens, ``answer_ledger``
the answers. Pages: ``study_access`` (links, cookies, responses), ``item_pages``, ``label_app`` (routes, debates,
writing), ``adjudicating``, ``page`` (the dashboard) and ``page_messages`` (translations). Results: ``exporting`` and
``written_arguments``.
"""
