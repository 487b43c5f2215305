"""Function words by language: the small words of its grammar, which stand in nearly every sentence of it."""

from __future__ import annotations

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


_LETTERS = {
    "de": "ß ä ö ü", "fr": "œ ê è â î û ù ç ë", "es": "ñ ¿ ¡", "pt": "ã õ ç ê â", "it": "ò ì è ù", "nl": "ĳ ë",
    "sv": "å ä ö", "da": "å ø æ", "no": "å ø æ", "fi": "ä ö", "pl": "ł ę ą ż ź ś ć ń", "cs": "ě ř ů č š ž",
    "sk": "ľ ĺ ŕ ô č š ž", "hu": "ő ű ö ü", "ro": "ț ș ă î â", "tr": "ğ ı ş ç ö ü", "vi": "đ ơ ư ạ ế ộ ả ấ ă",
    "ca": "ç è ò", "hr": "đ č ć š ž",
}  # fmt: skip


def _languages(signs_of: dict[str, str]) -> dict[str, tuple[str, ...]]:
    languages: dict[str, tuple[str, ...]] = {}
    for language, signs in signs_of.items():
        for sign in dict.fromkeys(signs.split()):
            languages[sign] = (*languages.get(sign, ()), language)
    return languages


FUNCTION_WORDS = _languages(_WORDS)
"""Each word with the languages that have it."""

LETTERS = _languages(_LETTERS)
"""Each letter that few languages have with those languages."""
