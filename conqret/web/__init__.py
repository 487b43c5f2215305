"""``local_server``: the local server of the viewer, the service and the annotation pages, and the guard of requests."""
