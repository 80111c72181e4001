"""Words that tell a language: the small words of its grammar, and for English and German the vocabulary of manuals."""

from __future__ import annotations

from collections import Counter


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FUNCTION_WORDS = {
    "en": _words(
        """
        a about after all also an and any are as at be because been before being between both but by can cannot could
        did do does doesn't don't each for from get gets had has have how i if in into is isn't it its just like make
        may me might must my need no not of off on one only or other our out over should so some such than that the
        their them then there these they this those through to under until up use used using very was we were what when
        what's where whether which while who whose why will with within without would you your am i'm can't won't it's
        """
    ),
    "de": _words(
        """
        aber alle allen als also am an ändere auch auf aus bei beim bekomme bis bitte da damit dann das dass dazu dem
        den der des die dies diese diesem diesen dieser dieses doch durch ein eine einem einen einer eines er es etwas
        finde fürs gegen geht gibt habe haben hat hier ich ihr ihre im in ins ist jede jeder jedes kann kannst kein
        keine keinen können könnte lassen lässt legt mache machen man mehr meine meinem meinen mir mit muss müssen nach
        nicht nichts noch nur ob oder ohne passiert seit sein seine sich sie sind so soll sollte stelle über um und uns
        unter vom von vor war warum was welche welchem welchen welcher welches wenn werden wie wieder wir wird wo wofür
        wozu worin wurde wurden zu zum zur zwischen für heißt steht funktioniert lautet setze verwende woher wohin wann
        """
    ),
    "fr": _words(
        """
        au aux avec ce ces cette comment dans de des du elle en est et il ils je la le les leur mais ne nous ou où par
        pas plus pour pourquoi que quel quelle qui sans ses son sont sur tout un une vous à être été quoi puis-je c'est
        """
    ),
    "es": _words(
        """
        al cómo como con cuál cuando de del dónde el en es esta este esto está hay la las lo los más mi muy no o para
        pero por puedo que qué se ser si sin sobre son su sus también tiene un una y ya usar
        """
    ),
    "pt": _words(
        """
        ao as com como da das de do dos e ela ele em entre essa esse esta este eu foi há isso mais mas meu muito na nas
        no nos não o onde os ou para pela pelo por posso qual quando que se sem ser seu são também tem um uma é à
        """
    ),
    "it": _words(
        """
        al alla anche che chi come con cosa da dal dei del della delle di dove e gli ha i il in io la le lo ma mi nel
        nella non o per perché più posso quale quando questa questo se senza si sono su sul un una è
        """
    ),
    "nl": _words(
        """
        aan als bij dan dat de deze die dit door een en er geen heeft het hoe ik in is kan kun maar meer met mijn moet
        naar niet nog of om onder ook op over te tot uit van voor waar waarom wanneer wat we welke werd wordt worden ze
        zich zijn zonder
        """
    ),
    "pl": _words("jak nie się jest na do co to czy dla przez po od że są i w z gdzie kiedy który która które oraz lub"),
    "cs": _words("jak není se je na do co to pro při po od že jsou a v s kde když který která které nebo pokud"),
    "sv": _words("och att är inte på för hur kan jag som av den det ett en med till om har vad när eller var från"),
    "da": _words("og at er ikke på for hvordan kan jeg som af den det et en med til om har hvad når eller hvor fra"),
    "tr": _words("bir ve bu için nasıl ile mi ne da de olarak var yok gibi daha çok hangi nerede neden"),
}

_SHARED = Counter(word for words in FUNCTION_WORDS.values() for word in words)

WEIGHTS = {language: {word: 1 / _SHARED[word] ** 2 for word in words} for language, words in FUNCTION_WORDS.items()}
"""language -> word -> how much it tells: 1 when no other language here has the word, 1/4 when two share it."""

MANUAL_WORDS = {
    "en": _words(
        """
        access add all allow call change check code column command configuration configure connection connect create
        data default delete disable drop enable environment error example fail failed file files find fix format
        function handle import increase install key limit list load log memory message missing multiple name number open
        output parse password path permission policy print query read remove rename request requests reset response
        retry return run save search send server set setting settings setup show sort start stop string table test text
        time timeout type unable update upload user valid value values variable version view vs wait work working write
        wrong
        """
    ),
    "de": _words(
        """
        abfrage abfragen aktualisieren anfrage anfragen anlegen ausgabe bedeutet ausführen befehl beispiel benutzer
        daten datei dateien einrichten einstellen einstellung einstellungen erstellen fehler feld felder funktion
        installieren konfigurieren löschen lesen liste meldung nutzer ordner passwort pfad prüfen rechte schreiben
        setzen spalte speichern standard suche suchen tabelle tabellen umgebung unterschied verbindung verwenden wert
        werte zeichen zeile zeilen zeit zugriff ändern öffnen überprüfen zwei
        """
    ),
}
"""Words of manuals; a few of the English ones stand in texts of every language, so each tells little."""

RUSSIAN = _words(
    """
    без бы был была были было быть в вместо во вот все всех вы где для до его если есть еще ещё её же за зачем и из или
    им их к как какая какие какой какую ко когда кто ли между меня мне мой можно мы на над надо не нет нужно но о об он
    она они оно от по под почему при с сделать со так также там то только у уже чего чем что чтобы эта эти это этого
    этой этом этот я
    """
)
BULGARIAN = _words("да се са съм ще който която които което това тази този няма може ли какво защо къде беше със във")
