"""Run folders, rows and sessions, for all that calls a model.

- ``session``: a model with its client, prompts and recordings; ``trials``: the event loop, the rows of a run, and the
  loop that fills them
- ``run_folder``: the files and the record of a run; ``study_run``: those of requests to a model and of training
- ``request_run``: runs of studies, which send requests; ``dry_run``: what they will cost
- ``background_loop``: an event loop in a thread of its own
- ``management``: list and prune runs; ``shared_recordings``: export and import recordings
"""
