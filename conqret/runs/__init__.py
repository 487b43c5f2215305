"""Run folders, rows and sessions, for all that calls a model.

- ``run_folder``: the record (``run.json``) and files of any run: claimed, locked, resumed, begun afresh
- ``study_run``: record, rows and outcome of a run of requests, and of a training
- ``request_run``: `Run`, for studies that put questions to models; ``dry_run``: what they will cost
- ``background_loop``: an event loop in a thread of its own
- ``trials``: the loop over trials and the rows that they leave; the event loop of a run
- ``session``: one model with client, prompts, recordings; ``sessions``: several models that share these
- ``management``: lists runs, and prunes leftovers
- ``shared_recordings``: export and import without keys and personal data
"""
