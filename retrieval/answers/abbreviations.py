"""Abbreviations whose full stop does not end a sentence, in English, German and Russian."""

from __future__ import annotations


def _set(*lines: str) -> frozenset[str]:
    return frozenset(word for line in lines for word in line.split())


INSIDE = _set(
    # English
    "e.g i.e eg ie vs cf ca approx resp fig figs no nos vol sec ch pp p eq eqs ed eds al mr mrs ms dr prof st inc",
    "ltd co corp dept est jan feb mar apr jun jul aug sep sept oct nov dec max min incl excl",
    # German
    "bzw ca evtl ggf inkl exkl sog vgl nr abs abb art bd hrsg jh mind max tel str vs zzgl bspw insb allg gem lt",
    "zz zt usf dgl",
    # Russian
    "г гг в вв им рис стр см ср табл гл п пп тыс млн млрд руб коп ул д кв напр т.е т.к т.н т.п т.д др пр проч рус",
    "англ сокр",
)
"""Lower case, without the last full stop. A sentence never ends after them unless they are in ``FINAL`` too."""

FINAL = _set("etc usw u.a и.т.д т.д т.п др пр inc ltd co corp dgl г гг руб")
"""May end a sentence: they do when a capital letter follows."""

GERMAN_ORDINAL_BEFORE = _set("am der dem des den die das zum zur vom beim bis ab im in jeder jeden seit unter")
"""Words before a German ordinal: "am 3. Mai"."""

MONTHS = _set(
    "januar jänner februar märz april mai juni juli august september oktober november dezember okt dez mrz",
    "january february march may june july october december jan feb mar apr jun jul aug sep sept oct nov dec",
    "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
)
"""Names of months that may follow an ordinal: "3. May", "3. Mai"."""
