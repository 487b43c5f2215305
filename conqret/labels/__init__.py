"""Labels from annotators, collected on pages of one's own or on forms.

What is labeled:

- ``sampling``: items drawn for labels; ``row_sampling``: rows drawn from a table of a judge's verdicts
- ``task``: what a task is; annotation forms (CSV, Label Studio, Argilla)
- ``label_tasks``: conqret's own tasks (``questions.toml``)
- ``task_choice``: a task by name, from a TOML file, or from a judge format
- ``screens``: the types of studies, screens, questions and answers
- ``study_screens``: the screens of a study, and practice
- ``written_arguments``: who writes which counter-argument, and what was written
- ``survey``: questions after a debate study

Storage:

- ``database``: the SQLite file with a checksum in each row
- ``answer_ledger``: screens given and answers recorded in it
- ``annotators``: who joins, pauses or is dropped, and which screen is next
- ``exporting``: labels as CSV, final labels, preferences, Label Studio's JSON

Pages:

- ``study_access``: links with tokens, cookies, forms and responses
- ``label_app``: the web app, and pages for debates and writing
- ``item_pages``: pages of ordinary labels; ``adjudicating``: pages where annotators differ
- ``page``: the dashboard, progress and agreement so far; ``page_messages``: translated texts (``messages/``)

Commands:

- ``command``: ``conqret labels sample``; ``collect_command``: ``collect``
- ``manage_command``: ``manage``, ``adjudicate`` and ``export`` (``labels agreement``: ``conqret.studies.agreement``)
"""
