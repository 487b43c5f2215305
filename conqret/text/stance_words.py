"""Words that take a side, for the offline stance baseline: hand-written and general; none names a topic.

All are stems (``conqret.text.analysis.stem``) of the words listed here.
"""

from __future__ import annotations

from conqret.text.analysis import stem


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in text.split())


GOOD = _stems(
    "benefit beneficial improve improvement enhance advantage advantageous help helpful promote support supportive "
    "protect protection strengthen empower enable encourage foster facilitate opportunity success successful succeed "
    "effective efficient efficiency valuable value essential vital crucial important necessary positive positively "
    "progress growth grow gain safe safer safety secure security health healthy healthier fair fairness equality "
    "equal equitable justice freedom right enrich inspire rewarding solution solve save savings affordable reliable "
    "sustainable sustainability innovation innovative creative creativity diversity diverse inclusive wellbeing "
    "prosperity productive productivity achieve achievement better best good great ensure deserve wise worthwhile "
    "useful popular proven flexible flexibility convenient accessible access stability stable peace cooperation "
    "trust accountability transparency responsible welcome legitimate justified"
)
BAD = _stems(
    "harm harmful damage damaging danger dangerous risk risky threat threaten problem problematic concern concerning "
    "negative negatively undermine hinder hamper impede burden burdensome costly expensive cost fail failure flawed "
    "flaw ineffective inefficient unfair injustice unjust inequality discriminate discrimination exploit exploitation "
    "abuse corrupt corruption crime violence violent loss lose lost weaken worsen worse worst bad poor suffer "
    "suffering victim unsafe unhealthy illness disease addiction death deadly kill destroy destruction destructive "
    "devastate detrimental disadvantage drawback downside unintended unnecessary unnecessarily excessive restrict "
    "restrictive limit limitation infringe infringement violate violation erode stifle discourage deter deprive "
    "disrupt disruption instability conflict mislead misleading misuse bias biased wrong immoral unethical "
    "unrealistic impractical challenge difficult difficulty obstacle barrier lack inadequate insufficient outdated "
    "obsolete stigma marginalise marginalize exclude exclusion alienate unemployment overreach coercion coercive "
    "censorship backlash consequence oppose objection unconstitutional unsustainable waste pollution stress"
)
LESSEN = _stems(
    "reduce reduction prevent prevention avoid combat tackle eliminate alleviate mitigate minimize minimise lower "
    "decrease address overcome solve resolve end stop curb fight eradicate protect counter limit lessen relieve "
    "diminish discourage deter"
)
"""Verbs that turn what is bad into something good, and the other way round: *reduce harm*, *limit freedom*."""

AGAINST = _stems(
    "ban abolish prohibit outlaw end stop limit restrict oppose disband repeal eliminate remove reject shun "
    "criminalise criminalize withdraw scrap boycott dismantle close cut reduce forbid illegal unconstitutional "
    "discontinue phase diminish exploit threat threaten harm harmful danger dangerous obsolete outlive destroy ruin "
    "worse bad hinder compromise fail failure wrong contradictory blame unjust stricter stupid decline phase-out "
    "trouble irrational overrated"
)
"""What a question's own predicate may say against its subject: then the yes side speaks ill of the subject."""

_ADVERB = r"(?:strongly |firmly |fully |wholeheartedly |respectfully )?"

DECLARES_FOR = "|".join(
    (
        r"\bin favou?r of\b",
        rf"\b(?:i|we) {_ADVERB}(?:support|agree|endorse|advocate|favou?r)\b",
        r"\bstrong(?:ly)? support\b",
        r"\bfirm(?:ly)? support\b",
        r"\b(?:strongly|firmly) believe that .{0,80}\bshould\b(?! not)",
        r"\barguments? (?:in support of|supporting|for)\b",
        r"\bcase for\b",
        r"\baffirmative\b",
        r"\bsupporters? (?:of|argue)\b",
        r"\badvocates? (?:of|for)\b",
        r"\b(?:should|must|ought to) be "
        r"(?:mandatory|legal|allowed|permitted|adopted|introduced|implemented|encouraged)\b",
        r"\bthe answer is (?:yes|a (?:clear|resounding) yes)\b",
        r"^\W*yes\b",
    )
)
"""What a text says that takes the side of the question's yes."""

DECLARES_AGAINST = "|".join(
    (
        r"\bargu\w* against\b",
        r"\bcase against\b",
        r"\bagainst (?:this|it|the "
        r"(?:idea|notion|topic|proposal|motion|introduction|use|adoption|claim|statement))\b",
        rf"\b(?:i|we) {_ADVERB}(?:oppose|disagree|reject|object)\b",
        r"\bopposed to\b",
        r"\bopposition to\b",
        rf"\b(?:i am|i'm|we are|stand) {_ADVERB}against\b",
        r"\bopponents? (?:of|argue)\b",
        r"\bcritics (?:of|argue|say)\b",
        r"\b(?:should|must|ought) (?:not|never)\b",
        r"\b(?:shouldn't|mustn't)\b",
        r"\bnot the (?:solution|answer|best|right|most)\b",
        r"^\W*negative\b",
        r"\bnegative (?:side|position|stance)\b",
        r"\bthe answer is (?:no|a (?:clear|resounding) no)\b",
        r"^\W*no\b[,.:]",
        r"\bnot (?:necessarily|always|justified|acceptable|appropriate|desirable|feasible|true)\b",
        r"\binstead of\b",
        r"\brather than\b",
    )
)
"""What a text says that takes the side of the question's no."""
