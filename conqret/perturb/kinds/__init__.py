"""The ways to damage items: one module each, with its ``PERTURBATION`` (see :mod:`conqret.perturb.perturbation`)."""
