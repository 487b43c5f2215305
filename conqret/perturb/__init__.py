"""Perturbations: items changed by a known amount, to test whether a judge notices.

ConQRet (Dhole et al.), sections 6.2 to 6.4: documents replaced by irrelevant ones, and grounded sentences replaced by
contradictions. Each perturbation is a pure function of item, level and seed, and says for each metric which way it
should move.

- ``perturbation``: the type of a perturbation, its record, and the expected direction of each metric
- ``kinds/``: the perturbations, by what they change
- ``versions``: every item at every level, and the items and levels of one curve
- ``perturbing``: the versions as a file
- ``document_pool``: documents of other topics, for replacements
- ``sentence_edits``: which sentences cite, and sentences replaced or inserted
- ``contradictions``: one contradicted by rule
- ``rewriting``: sentences rewritten by a model
- ``translating``: items translated by a model, checked by back-translation
- ``command``: ``conqret generate perturbations`` and ``translations``
"""

from conqret.perturb.document_pool import Pool as Pool
from conqret.perturb.perturbation import PERTURBATIONS as PERTURBATIONS
from conqret.perturb.perturbation import SEED as SEED
from conqret.perturb.perturbation import Change as Change
from conqret.perturb.perturbation import Direction as Direction
from conqret.perturb.perturbation import InapplicableError as InapplicableError
from conqret.perturb.perturbation import LanguageError as LanguageError
from conqret.perturb.perturbation import Materials as Materials
from conqret.perturb.perturbation import Perturbation as Perturbation
from conqret.perturb.perturbation import PerturbationRecord as PerturbationRecord
from conqret.perturb.perturbation import UnreachedError as UnreachedError
from conqret.perturb.perturbation import expect as expect
from conqret.perturb.perturbation import records as records
from conqret.perturb.versions import at_levels as at_levels
from conqret.perturb.versions import perturb_items as perturb_items
