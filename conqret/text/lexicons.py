"""The word lists of the offline baseline: a background of common words, and cues of argument and style.

All are lower case, hand-written and general: none names a topic of any data set. Cue lists hold words as
they stand in a text; the background of common words is compared by stem.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOP_WORDS = _words(
    "a about above across after again against all almost along already also although always am among an and another "
    "any anybody anyone anything are aren't around as at away back be became because become becomes been before behind "
    "being below between both but by came can can't cannot come comes could couldn't d did didn't do does doesn't "
    "doing don't done down during each either else enough etc even ever every everybody everyone everything except few "
    "first for from further get gets getting give given gives go goes going gone got had hadn't has hasn't have "
    "haven't having he he'd he'll he's hence her here hers herself him himself his how however i i'd i'll i'm i've if "
    "in indeed instead into is isn't it it's its itself just keep kept last least less let let's like ll made make "
    "makes making many may maybe me might mine more moreover most mostly much must my myself near nearly need needs "
    "neither never nevertheless next no nobody none nor not nothing now of off often oh ok okay on once one one's ones "
    "only onto or other others otherwise ought our ours ourselves out over own per perhaps put quite rather re really "
    "s said same say says see seem seems several shall she she'll she's should shouldn't since so some somebody "
    "someone something sometimes soon still such t take taken takes than that that's the their theirs them themselves "
    "then there there's therefore these they they'd they'll they're they've thing things this those though through "
    "throughout thus to today together too took toward towards under until up upon us use used uses using very via was "
    "wasn't way ways we we'd we'll we're we've well went were weren't what what's whatever when whenever where whereas "
    "wherever whether which while who who's whoever whole whom whose why will with within without won't would wouldn't "
    "yes yet you you'd you'll you're you've your yours yourself yourselves"
)
"""Function words and words that carry no topic: weight 0."""

COMMON_WORDS = _words(
    "able accept account achieve action actual add affect age ago agree aim allow amount answer appear apply area "
    "argue argument ask aspect avoid bad ban base basic begin believe benefit best better big bring build call care "
    "case cause certain chance change choice choose city claim clear close commit common community company compare "
    "complete concern condition consider continue control cost country create current cut day deal debate decide "
    "decision decrease deserve determine difference different difficult discuss easy effect effective end ensure "
    "entire especially example exist expect experience explain face fact fail fair fall far feel figure fill final "
    "find follow force form forward found free full fund future gain general good government great group grow half "
    "hand happen hard harm harmful have heart help high hold home hope hour house human idea illegal important improve "
    "include increase individual inform interest involve issue job judge keep kind know lack large late law lead learn "
    "leave legal level life light limit line list little live local long look lose lot low main major man manage "
    "matter mean measure member mention method mind minute money month moral move name nation natural nature necessary "
    "new news night note number occur offer office old open opinion oppose option order organize page part particular "
    "party pass past pay people percent period permit person place plan play point policy political poor position "
    "possible power practice present prevent price problem process produce product prohibit proper protect prove "
    "provide public purpose question raise rate reach read real reason receive reduce reject remain report require "
    "require research resolve resource respect rest result review rich right rise risk role rule run safe save second "
    "sense serious serve service set show side similar simple single situation small social society solution sort "
    "special spend stand start state stay step stop story strong study suggest support sure system talk teach tell "
    "term think thought time top total true try turn type understand value view want watch week wish woman word work "
    "world worse worst worth write wrong year young"
)
"""General words of public debate and daily life: weight 1/2. Compared by stem."""

ARGUMENT_CUES = _words(
    "because therefore thus hence consequently since so as if then unless otherwise should must ought would "
    "could cannot evidence study studies research data statistics survey found shows show shown proves prove "
    "suggests according example instance reason reasons argue argues argument claim conclude conclusion "
    "cause causes caused leads lead results effect effects benefit benefits harm harms risk risks cost costs "
    "right rights justice fair unfair wrong moral immoral necessary prevent prevents protect protects allow "
    "allows better worse likely however although though but despite whereas while yet instead rather means"
)
"""Connectives, modals and words of evidence and consequence that arguing text is full of (Stab and Gurevych
2017 use such markers as features of argument components)."""

PROMOTION_CUES = _words(
    "subscribe subscription subscribers cookies cookie newsletter voucher vouchers coupon coupons discount "
    "discounts giveaway sponsored advertisement advert password login tags hashtag unsubscribe bestseller "
    "click tap checkout basket cart"
)
"""Words that open the closer look for advertising and page furniture (see `boilerplate`)."""

DEBATE_TALK = _words(
    "accept acceptance opponent opponents opponent's round con luck resolution rebuttal rebuttals rebut "
    "forfeit forfeited bop thank thanks i'll"
)
"""Words of talk about an exchange instead of its matter (greetings, rounds, rules)."""

DISCOURSE_MARKERS = _words(
    "first firstly second secondly third thirdly fourth finally lastly moreover furthermore additionally "
    "also next then therefore thus hence consequently accordingly however nevertheless nonetheless "
    "conversely although though whereas while yet still but because since so overall ultimately altogether "
    "indeed instead likewise similarly meanwhile too nor admittedly granted"
)
INFERENCE_MARKERS = _words(
    "because therefore thus hence consequently accordingly since so for implies follows shows means proves "
    "suggests indicates why reason"
)
CONCESSION_MARKERS = _words(
    "although though while whereas admittedly granted critics opponents supporters sceptics skeptics "
    "objection objections concede concedes however nevertheless nonetheless yet despite understandable true"
)
HEDGES = _words(
    "may might could can likely unlikely probably perhaps possibly suggests suggest appears appear seems seem often "
    "usually generally typically some many most about around roughly approximately estimated tends partly"
)
ABSOLUTES = _words(
    "all always never every everybody everyone everything nobody nothing none completely totally absolutely "
    "obviously clearly undeniable undeniably certainly definitely ever impossible anybody only surely proven"
)
EMOTION_WORDS = _words(
    "heart hearts heartless cruel cruelty suffer suffers suffering pain painful tears cry cries crying child children "
    "mother mothers father family families love hate fear afraid terror terrible horror horrible tragic tragedy shame "
    "shameful outrage outrageous disgust disgusting innocent victim victims dream dreams hope hopes despair misery "
    "miserable joy proud pride dignity betray betrayed blood death die dies died dying dead kill kills killed torture "
    "tortured prison save lives alone lonely hungry hunger poor sick sad angry anger brave threat threatened danger "
    "dangerous freedom justice injustice destroy destroyed"
)
ABUSE = _words(
    "stupid idiot idiots idiotic moron morons dumb fool fools foolish liar liars lying lies pathetic crap "
    "shit bullshit damn hell fuck fucking ass sucks loser losers hypocrite hypocrites nonsense ridiculous "
    "garbage trash clown clowns crook crooks evil scum lunatic lunatics insane crazy brainwashed sheep "
    "rubbish greedy haha lol lmao wtf dude"
)
FIRST_AND_SECOND_PERSON = _words("i me my mine you your yours we us our ours")
FIRST_PERSON = _words("i me my mine i'm i've i'll i'd im ive i\u2019m i\u2019ve i\u2019ll i\u2019d")
SECOND_PERSON = _words(
    "you your yours you're you've you'll you'd u ur you\u2019re you\u2019ve you\u2019ll you\u2019d"
)
SLANG = _words(
    "gonna wanna gotta kinda sorta ain't u ur r thx pls plz ppl cuz coz dont cant wont isnt doesnt didnt im "
    "ive thats whats alot noone omg yeah yea nope stuff kids guys guy"
)

NEGATIONS = _words(
    "no not never none nobody nothing neither cannot can't don't doesn't didn't won't wouldn't isn't aren't "
    "wasn't weren't hasn't haven't hadn't couldn't shouldn't"
)
NEGATIONS |= {word.replace("'", "\u2019") for word in NEGATIONS}
_ANTONYMS = (
    "rise rises rose risen increase increases increased grew grow grows climbed climbs soared expanded / fall "
    "falls fell fallen decrease decreases decreased decline declined shrank dropped slumped reduced; better "
    "improve improves improved improvement improving / worse worsen worsens worsened deteriorated; support "
    "supports supported supporting favour favours favoured favor favored backed welcomed / oppose opposes opposed "
    "opposing resisted fought condemned; accept accepted approved approve adopted / reject rejected rejects "
    "refused denied; higher / lower; safe safer / dangerous unsafe; legal lawful / illegal unlawful; success "
    "succeeded successful succeed / failure failed fail unsuccessful; majority / minority; cheap cheaper / "
    "expensive dearer costlier; stronger strengthened / weaker weakened; allow allows allowed permits permitted / "
    "ban bans banned forbids forbidden prohibits prohibited; likely / unlikely; benefit benefits helps helped / "
    "harm harms harmed hurts; possible / impossible; won wins / lost loses; poorest / richest; oldest / youngest; "
    "largest / smallest; most / fewest least"
)
OPPOSITES: dict[str, frozenset[str]] = {}
"""For each word of a pair of opposites, the words on the other side."""
for _pair in _ANTONYMS.split("; "):
    _left, _, _right = _pair.partition(" / ")
    for _side, _other in ((_left, _right), (_right, _left)):
        for _word in _side.split():
            OPPOSITES[_word] = OPPOSITES.get(_word, frozenset()) | _words(_other)


_WORDS = {
    "en": "the of and to in is that it for was with as on be by this are from at have not has had but which they their "
    "an or we you he she his her its were been will would should can could do does did if than there when who what "
    "more about into because these those my your our how a i any all also only such no so may might must while",
    "de": "der die das und in zu den ist nicht von sich mit dem des ein eine einer eines einem einen auf für im auch "
    "es an werden aus er hat dass sie nach wird bei noch wie um über so zum zur war haben nur oder aber vor bis mehr "
    "durch man sein wurde sei wenn kann gegen vom können schon als wir ich ihre seine doch dies diese dieser sollte "
    "sollten soll am sind wurden damit weil denn beim etwa laut kein keine ihr unser unter zwischen ob",
    "fr": "le la les de des du et un une est en que qui dans pour pas sur au aux ce cette ces il elle ils elles ne se "
    "sa son ses leur leurs par plus avec sont mais ou où nous vous je on été être fait a ont comme tout faut donc "
    "entre sans sous depuis même aussi si deux selon car était peut doit faire dont y avait c'est",
    "es": "el la los las de del y un una es en que por para no se su sus al lo como más con son pero o le les ha han "
    "está están fue este esta estos estas ese esa muy sin sobre también entre cuando hay ser tiene todo nos ya donde "
    "desde porque si dos según hasta puede deben debe era cada qué cómo había sino",
    "pt": "o a os as de do da dos das e um uma é em no na nos nas que por para não se sua seu suas seus ao à aos como "
    "mais com são mas ou foi este esta isso isto muito sem sobre também entre quando há ser tem pelo pela pelos pelas "
    "já onde desde porque dois até pode devem deve era cada eles elas você num numa havia às lhe",
    "it": "il lo la i gli le di del della dei delle degli e un una uno è in nel nella nei nelle che per non si suo sua "
    "al alla ai alle come più con sono ma o da dal dalla questo questa questi queste molto senza anche tra fra quando "
    "ci essere ha hanno sul sulla sui dove perché se due secondo fino può deve ogni cui stato stata",
    "nl": "de het een en van in is dat op te zijn voor met niet aan er om ook als bij door maar naar uit nog wordt "
    "worden die dan ze wel heeft hebben over tot kan geen meer dit deze hij werd moeten moet zou was of wat hun onder "
    "tegen omdat we ik je zij waar na",
    "sv": "och att det som en på är av för med den till inte har de om ett var från men så kan vi jag när eller ska "
    "skulle också där mot efter sig detta denna dessa bli blev vid mer hur under över utan enligt bör vara",
    "da": "og at det som en på er af for med den til ikke har de om et var fra men så kan vi jeg når eller skal "
    "skulle også hvor mod efter sig dette denne disse blive blev ved mere hvordan under over uden ifølge bør være",
    "no": "og at det som en på er av for med den til ikke har de om et var fra men så kan vi jeg når eller skal "
    "skulle også der mot etter seg dette denne disse bli ble ved mer hvordan under over uten ifølge bør være",
    "fi": "ja on ei että se joka oli mutta kun niin kuin myös ovat hän ne tai sen sekä jos vain ole mukaan mitä jotka "
    "voi olla tämä tämän sitä vielä koska hänen olisi pitäisi ovatko onko enemmän",
    "pl": "i w na z nie się że do to jest o jak ale po co za od tym przez dla są być czy tak ze oraz może które który "
    "która tego jego ich było będzie także tylko lub już powinny powinno jednak przy nad ponieważ gdy bez",
    "cs": "a v na se je že to s z do o i k za ale jako po by od pro jsou také nebo když který která které být podle "
    "aby ve jen není má jeho však při už více mezi byl byla bylo měla měly proto ze",
    "sk": "a v na sa je že to s z do o i k za ale ako po by od pre sú tiež alebo keď ktorý ktorá ktoré byť podľa aby "
    "vo len nie má jeho však pri už viac medzi bol bola bolo mali preto zo",
    "hu": "a az és hogy nem is egy ez meg de volt van már csak mint el ha vagy azt még amely szerint ki minden lehet "
    "kell kellene után ezt nagyon több között pedig mert ezek azok",
    "ro": "și în de la cu pe este un o nu că din pentru care a sunt mai se ce sau au fost dar prin lui ale al ar după "
    "între fi dacă acest această trebuie când fără doi două despre",
    "tr": "ve bir bu da de için ile çok daha olarak gibi en ne kadar sonra değil olan var ama mi mı ya o göre her "
    "veya ancak ise hem tarafından etmek edilmeli nasıl çünkü",
    "id": "yang dan di ini itu dari dengan untuk tidak pada dalam adalah akan ke karena juga oleh sebagai ada atau "
    "bisa telah lebih dapat mereka sudah harus bahwa tetapi apakah kita saya",
    "vi": "và của là có trong được cho không một với các những này đã để người khi từ theo về cũng nhưng hơn nên "
    "phải vào ra như tại đó bị",
    "ca": "el la els les de del dels i un una és en que per no es seu seva als al com més amb són però o ha han està "
    "va aquest aquesta aquests molt sense sobre també entre quan hi ser té tot ja on des perquè si dos segons fins pot "
    "han deu cada què",
    "hr": "i u na je se da su za od s o ne kao to koji koja koje ili bi ali iz po biti kako samo još može sa što više "
    "prema bez nakon jer između treba trebali",
    "ru": "и в не на что с по это он как а к но они из у за от о для так же вы бы все его её их был была были быть "
    "или если только при до чтобы когда уже также того этого может должны является "
    "более ли будет следует чем нет даже можно нужно",
    "uk": "і в не на що з по це він як а до але вони із у за від о для так ж ви би всі його її їх був була були бути "
    "або якщо тільки при щоб коли вже також та чи може повинні є",
    "bg": "и в не на че с по това той как а към но те от у за о да се са ще е си като или ако само при до когато вече "
    "също може трябва ли",
    "sr": "и у не на да с по то он како а али они из за од о је се су ће или ако само при до кад већ такође може треба",
    "be": "і ў не на што з па гэта ён як а да але яны за ад для так ці калі можа павінны таксама",
    "mk": "и во не на дека со по тоа тој како а но тие од за о да се ќе е или ако само при до кога може треба",
    "hi": "है हैं और के का की में को से पर ने यह वह कि नहीं था थे थी एक भी हो तो इस जो लिए कर या लेकिन क्या",
    "mr": "आहे आहेत आणि चा ची चे मध्ये ला नाही हा ही हे ते की होते होता एक पण या तर किंवा झाले का",
    "ne": "छ छन् र को का की मा लाई ले यो त्यो कि छैन थियो थिए एक पनि हो भने यस गर्न वा तर भएको के",
}


_LETTERS = (
    "de:ßäöü fr:œêèâîûùçë es:ñ¿¡ pt:ãõçêâ it:òìèù nl:ĳë sv:åäö da:åøæ no:åøæ fi:äö pl:łęążźśćń cs:ěřůčšž sk:ľĺŕôčšž "
    "hu:őűöü ro:țșăîâ tr:ğışçöü vi:đơưạếộảấă ca:çèò hr:đčćšž"
).split()


def _languages(signs_of: dict[str, str]) -> dict[str, tuple[str, ...]]:
    languages: dict[str, tuple[str, ...]] = {}
    for language, signs in signs_of.items():
        for sign in dict.fromkeys(signs.split()):
            languages[sign] = (*languages.get(sign, ()), language)
    return languages


FUNCTION_WORDS = _languages(_WORDS)
"""Each word with the languages that have it."""

LETTERS = _languages(
    {language: " ".join(letters) for language, _, letters in (entry.partition(":") for entry in _LETTERS)}
)
"""Each letter that few languages have with those languages."""
