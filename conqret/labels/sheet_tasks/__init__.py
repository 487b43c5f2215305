"""What people are asked: one module each, with its ``TASK`` (see :mod:`conqret.io.label_sheets`)."""
