"""Abbreviations by language whose full stop ends no sentence: those that sentencex does not know, or splits after.

Those of English stand in ``conqret.text.sentences``: most texts need no others."""

from __future__ import annotations

_OTHERS = {
    "de": "dr prof hr fr frl ing dipl st nr abs art bd kap abb tab vgl ca bzw ggf inkl exkl zzgl mio mrd tsd mill "
    "jan feb mär apr jun jul aug sep sept okt nov dez str tel usf u.a z.b d.h u.u z z.t s i.d.r rd allg sog evtl "
    "jh jhd hl hrsg aufl max min kath ev ehem gem lt d h u o a b i r v bspw insb etw",
    "fr": "m mm mme mmes mlle mlles me mes dr prof st ste art al chap fig éd env p pp ex vol t n no nos cf av apr janv "
    "févr juil sept oct nov déc mill sté bd tél ch hab i.e réf",
    "es": "sr sra sres sras srta dr dra dres d dña ee uu ff aa rr hh ing lic prof profa gral cap art arts pág págs pag "
    "núm nro vol fig ej p pp mill ca aprox av avda dpto depto admón etc.a ud uds vd vds ss sto sta máx mín",
    "pt": "sr sra srs sras srta dr dra drs d prof profa profs eng arq art arts pág págs pag núm nº vol fig ex p pp mi "
    "min máx av tel aprox séc jan fev mar abr mai jun jul ago set out nov dez cap gen cel v",
    "it": "sig sigg dott prof avv ing on art artt pag pagg cap fig es p pp ca mln mld sen s gen feb mar apr giu "
    "lug ago set ott nov dic n nr cfr ecc",
    "nl": "dhr mevr mw dr prof drs mr ir ing art blz nr bijv d.w.z ca mln mld jan feb mrt apr jun jul aug sep okt nov "
    "dec o.a t.o.v enz incl excl resp",
    "sv": "dr prof hr fr t.ex bl.a d.v.s dvs m.m osv ca kl nr s jan feb mar apr jun jul aug sep okt nov dec milj st",
    "da": "dr prof hr fr f.eks bl.a dvs m.m osv ca kl nr s jan feb mar apr jun jul aug sep okt nov dec mio mia stk",
    "no": "dr prof hr fr f.eks bl.a dvs m.m osv ca kl nr s jan feb mar apr jun jul aug sep okt nov des mill mrd stk",
    "fi": "esim mm ym yms jne ks n tri prof milj mrd klo nro s",
    "pl": "dr prof mgr inż hab p pp np tzn tj m.in itd itp ok nr art ust poz ul al św red r w mln mld tys zł godz str "
    "rys tab por ww im",
    "el": "κ καθ δρ κος κα αρ άρ σελ εκ εκατ δισ χιλ π.χ δηλ βλ πρβλ μ.χ κ.ά κ.λπ κλπ τηλ ιαν φεβ μαρ απρ ιουν "
    "ιουλ αυγ σεπ οκτ νοε δεκ ν.δ π.δ αι υπ παρ κεφ εικ πίν",
    "vi": "ts ths gs pgs bs ks cn tp q p tr vd v.d nxb ô ctv gs.ts pgs.ts th.s tx đ đc",
    "bn": "ড ডা মো মোঃ প্রো প্রফ শ্রী সং পৃ খ্রি",
    "cs": "dr prof ing mgr doc č čl odst např tj tzv mj str obr tab r st mil mld tis kč hod cca resp event",
    "hu": "dr prof pl stb ill kb ún st sz old ld vö ti",
    "ro": "dr prof dl dna dlui art alin nr pag fig ex etc.a mil mld str sf",
    "tr": "dr prof doç av sn bkz vb vs örn no s sf cad sok yy mr",
    "ru": "дж хр прим проф акад доц г гг в вв г-н г-жа т тт тыс млн млрд трлн руб коп долл ул пр просп д кв обл р-н "
    "с стр п пп ст рис табл гл им др пр т.е т.д т.п т.к н.э до н ок см ср напр ред изд мин сек н э",
    "uk": "дж прим проф акад доц р рр ст млн млрд тис грн вул просп буд обл м с стор п рис табл гл ім ін див напр т "
    "т.д т.п н е",
    "bg": "проф акад доц г гг в лв млн млрд хил ул бул ст стр чл ал рис табл напр т.е др",
    "ar": "د أ م ص ق هـ أ.د",
    "hi": "डॉ डा पं प्रो कु सु श्री श्रीमती सुश्री रु कि मी ई पू सं",
    "mr": "डॉ डा पं प्रो कु श्री रु कि मी",
}

_ANYWHERE = frozenset("dr prof vs cf u.s u.k u.n e.u e.g i.e mr mrs ms vol fig".split())

ABBREVIATIONS = {language: frozenset(words.split()) | _ANYWHERE for language, words in _OTHERS.items()}
ANY_LANGUAGE = frozenset().union(*ABBREVIATIONS.values())
"""All of them, for a text whose language cannot be told."""

ENDS_TOO = frozenset(
    "др пр т.д т.п т.к usw etc ecc osv enz itd itp m.m atd руб млн млрд тыс коп kč zł κ.ά κ.λπ κλπ".split()
)
"""Those with which a sentence may end: before a capital it does."""

YEAR = frozenset("г гг р рр".split())
"""A year behind a figure, with which a sentence may end; a town, where it stands before a name."""

BEFORE_FIGURES = frozenset(
    "art arts vol fig abs kap abb tab bd cap рис стр ст с п пп табл см jan feb mär mar abr apr mai jun jul ago aug set "
    "sep sept out okt ott oct nov dez dic dec des gen fev giu lug max min".split()
)
"""Those that are words, too, or stand before a figure alone."""

GERMAN_ORDINAL_BEFORE = frozenset(
    "der die das dem den des am im vom zum zur bis ab seit jeder jede jedes beim ins ans sein "
    "seine ihr ihre".split()
)
GERMAN_ORDINAL_AFTER = frozenset(
    "januar jänner februar märz april mai juni juli august september oktober november dezember jan feb jun jul aug sep "
    "sept okt nov dez jahrhundert jahrhunderts jahrhunderten jahrtausend jahrtausends jh platz mal lebensjahr".split()
)
"""A number with a full stop is an ordinal in German behind or before one of these words."""
