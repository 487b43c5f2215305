"""Perturbations: items changed by a known amount, to test whether a judge notices.

ConQRet (Dhole et al.), sections 6.2 to 6.4: documents replaced by irrelevant ones, and grounded sentences
replaced by contradictions. Each perturbation is a pure function of item, level and seed, and says for each
metric which way it should move.

``perturbation`` says what one is, and ``kinds`` has them; ``document_pool``, ``sentence_edits`` and ``contradictions``
are what they draw on; ``rewriting`` and ``translating`` call a model; ``versions`` makes every level of every item, and
``perturbing`` writes them.
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
