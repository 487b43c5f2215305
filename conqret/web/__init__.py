"""The local server of the viewer, the service and the annotation pages."""
