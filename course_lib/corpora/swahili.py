"""Swahili verbs: hundreds of forms of each stem, made by the rules, with the seams between their morphemes.

A Swahili verb is a sentence in one word. *ni-na-ku-ambia*, I am telling you: who does it, when, to whom, and last the
stem. The rules are those of standard Swahili (E. O. Ashton, "Swahili Grammar", 1944; Edgar C. Polomé, "Swahili
Language Handbook", 1967). What is here is right, and not all there is: no stems of one syllable, no present in -a-, no
locative classes, no extensions but the passive, no stems in u-, no variants such as *kw-* for *ku-* before a vowel.
"""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate, product

from course_lib.errors import CourseError

VOWELS = tuple("aeiou")


@dataclass(frozen=True)
class VerbForm:
    """One form: its morphemes from left to right, what it means in English, and the stem in the dictionary.

    A form whose last vowel changes is cut before it: si-ku-ambi-i, I don't tell you.
    """

    morphemes: tuple[str, ...]
    gloss: str
    stem: str

    @property
    def word(self) -> str:
        return "".join(self.morphemes)


@dataclass(frozen=True)
class Person:
    """Who acts or is acted upon: the prefixes for it, and English for it.

    relative is the marker of 'who'; the negative subject is irregular in three persons.
    """

    subject: str
    negative: str
    object: str
    relative: str
    english: tuple[str, str]  # as subject, as object
    be: str = "are"
    thing: bool = False
    person: int = 3


def _class(prefix: str, relative: str, number: int) -> Person:
    one = number % 2 == 1
    english = f"{'it' if one else 'they'} (class {number})", f"{'it' if one else 'them'} (class {number})"
    return Person(prefix, "ha" + prefix, prefix, relative, english, "is" if one else "are", thing=True)


I = Person("ni", "si", "ni", "ye", ("I", "me"), "am", person=1)  # noqa: E741
YOU = Person("u", "hu", "ku", "ye", ("you", "you"), person=2)
SHE = Person("a", "ha", "m", "ye", ("he or she", "him or her"), "is")
WE = Person("tu", "hatu", "tu", "o", ("we", "us"), person=1)
YOU_ALL = Person("m", "ham", "", "o", ("you all", ""), person=2)  # as object it has no prefix of its own
THEY = Person("wa", "hawa", "wa", "o", ("they", "them"))
PEOPLE = (I, YOU, SHE, WE, YOU_ALL, THEY)
CLASSES = (("li", "lo", 5), ("ya", "yo", 6), ("ki", "cho", 7), ("vi", "vyo", 8), ("i", "yo", 9), ("zi", "zo", 10))
THINGS = tuple(_class(*prefixes) for prefixes in CLASSES)
SELF = "ji"


@dataclass(frozen=True)
class Verb:
    """A stem as the dictionary has it, its English, and whom or what it takes.

    english: base, past, participle; doing: the -ing form, None where English says 'I know' and not 'I am knowing'.
    takes: "" (no object), "people", "things" or "both". needs_object: *-ambia* is always said to somebody.
    passive: its stem cut before the passive's suffix. subjects: "people", "things" or "both".
    """

    stem: str
    english: tuple[str, str, str]
    doing: str | None
    takes: str = ""
    passive: tuple[str, str] | None = None
    subjects: str = "people"
    needs_object: bool = False
    reflexive: bool = False


def _verbs() -> list[Verb]:
    """From the table, the most frequent first."""
    verbs = []
    for line in _TABLE.strip().splitlines():
        stem, english, doing, takes, passive, *marks = (field.strip() for field in line.split("|"))
        base, past, participle = english.split(", ")
        verb = Verb(stem, (base, past, participle), doing=None if doing == "-" else doing, takes=takes.strip("-"))
        subjects = next((mark for mark in marks if mark in ("things", "both")), "people")
        verb = replace(verb, subjects=subjects, needs_object="needs object" in marks, reflexive="self" in marks)
        verbs.append(verb if passive == "-" else replace(verb, passive=tuple(passive.split("+"))))
    return verbs


_TABLE = """
ambia     | tell, told, told                   | telling       | people | ambi+wa     | needs object | self
ona       | see, saw, seen                     | -             | both   | on+wa       | self
sema      | speak, spoke, spoken               | speaking      | -      | -
taka      | want, wanted, wanted               | -             | both   | -
jua       | know, knew, known                  | -             | both   | -           | self
penda     | love, loved, loved                 | -             | both   | pend+wa     | self
soma      | read, read, read                   | reading       | things | som+wa
andika    | write, wrote, written              | writing       | things | andik+wa
piga      | hit, hit, hit                      | hitting       | both   | pig+wa
fika      | arrive, arrived, arrived           | arriving      | -      | -           | both
leta      | bring, brought, brought            | bringing      | both   | let+wa
saidia    | help, helped, helped               | helping       | people | saidi+wa    | self
jibu      | answer, answered, answered         | answering     | people | jib+iwa
ita       | call, called, called               | calling       | people | it+wa
chukua    | take, took, taken                  | taking        | both   | chuku+liwa
sikia     | hear, heard, heard                 | -             | both   | -
tafuta    | look for, looked for, looked for   | looking for   | both   | tafut+wa
nunua     | buy, bought, bought                | buying        | things | nunu+liwa
rudi      | return, returned, returned         | returning     | -      | -           | both
omba      | ask, asked, asked                  | asking        | people | omb+wa
pika      | cook, cooked, cooked               | cooking       | things | pik+wa
acha      | leave, left, left                  | leaving       | both   | ach+wa
fundisha  | teach, taught, taught              | teaching      | people | fundish+wa  | self
fungua    | open, opened, opened               | opening       | things | fungu+liwa
funga     | close, closed, closed              | closing       | things | fung+wa
ngoja     | wait for, waited for, waited for   | waiting for   | both   | ngoj+wa
anguka    | fall, fell, fallen                 | falling       | -      | -           | both
lala      | sleep, slept, slept                | sleeping      | -      | -
cheza     | play, played, played               | playing       | -      | -
beba      | carry, carried, carried            | carrying      | both   | beb+wa
kumbuka   | remember, remembered, remembered   | -             | both   | kumbuk+wa
sahau     | forget, forgot, forgotten          | -             | both   | sahau+liwa
samehe    | forgive, forgave, forgiven         | forgiving     | people | sameh+ewa
amini     | believe, believed, believed        | -             | people | amin+iwa
safiri    | travel, travelled, travelled       | travelling    | -      | -
imba      | sing, sang, sung                   | singing       | -      | -
kata      | cut, cut, cut                      | cutting       | things | kat+wa
osha      | wash, washed, washed               | washing       | things | osh+wa
vunjika   | break, broke, broken               | breaking      | -      | -           | things
"""
VERBS = {verb.stem: verb for verb in _verbs()}
NO_PLAIN_IMPERATIVE = {"leta"}  # 'bring!' is the irregular *lete*

# What follows the subject (`rel` is the marker of 'who'), the last vowel, English with its holes, and how often a
# corpus has it. `_holes` fills them: for 'you tell', {doing} are telling, {simple} tell, {not_simple} do not tell,
# {not_past} did not tell, {done} told.
TENSES = [
    (("na",), "a", "{S} {doing} {O}", 10),
    (("li",), "a", "{S} {past} {O}", 9),
    (("ta",), "a", "{S} will {base} {O}", 5),
    (("me",), "a", "{S} {have} {done} {O}", 6),
    (("me", "sha"), "a", "{S} {have} already {done} {O}", 1),
    (("ka",), "a", "and then {S} {past} {O}", 3),
    (("ki",), "a", "if {S} {simple} {O}", 2),
    (("si", "po"), "a", "if {S} {not_simple} {O}", 0.5),
    (("nge",), "a", "{S} would {base} {O}", 1),
    (("si", "nge"), "a", "{S} would not {base} {O}", 0.5),
    (("ngali",), "a", "{S} would have {done} {O}", 0.5),
    (("si", "ngali"), "a", "{S} would not have {done} {O}", 0.3),
    ((), "e", "that {S} may {base} {O}", 3),
    (("si",), "e", "that {S} may not {base} {O}", 1),
    (("na", "rel"), "a", "{S} {who} {doing} {O}", 2),
    (("li", "rel"), "a", "{S} {who} {past} {O}", 2),
    (("taka", "rel"), "a", "{S} {who} will {base} {O}", 0.7),
    (("si", "rel"), "a", "{S} {who} {not_simple} {O}", 0.5),
]
# The same after a negative subject.
NEGATIVE_TENSES = [
    ((), "i", "{S} {not_simple} {O}", 4),
    (("ku",), "a", "{S} {not_past} {O}", 3),
    (("ta",), "a", "{S} will not {base} {O}", 2),
    (("ja",), "a", "{S} {have} not yet {done} {O}", 1.5),
]

# How often each is drawn for a corpus: our guess at the skew of real text, not a count.
SUBJECT_WEIGHT = {I: 5, YOU: 3, SHE: 7, WE: 2, YOU_ALL: 1, THEY: 4}
OBJECT_WEIGHT = {None: 6, I: 3, YOU: 2, SHE: 3, WE: 1.5, THEY: 2, SELF: 0.5}
MYSELF = {
    I: "myself",
    YOU: "yourself",
    SHE: "himself or herself",
    WE: "ourselves",
    YOU_ALL: "yourselves",
    THEY: "themselves",
}
THING_WEIGHT, PASSIVE_WEIGHT = 0.8, 0.3


def forms(stem: str | None = None) -> list[VerbForm]:
    """Every form of the stem ('ambia'), or of all stems, always in the same order.

    Two of them may be spelt alike: *hawaoni* is ha-wa-on-i, he doesn't see them, and hawa-on-i, they don't see.
    Raises CourseError for a stem that isn't in VERBS.
    """
    return [form for form, _ in _weighted(stem)]


def boundaries(morphemes: tuple[str, ...]) -> tuple[int, ...]:
    """Where one morpheme ends and the next begins, counted in characters: (2, 4, 6) for ni-na-ku-ambia."""
    return tuple(accumulate(map(len, morphemes[:-1])))


def agreement(cut: Callable[[str], Sequence[str]], words: Iterable[str]) -> tuple[float, float]:
    """How well a way of cutting words finds their morphemes.

    cut: `cut("ninakuambia")` gives pieces such as ["nina", "ku", "ambia"]. words: forms from this module.
    Returns (the share of the true seams that were cut at, the share of the cuts that are true seams).
    """
    seams = {form.word: set(boundaries(form.morphemes)) for form in forms()}
    hits = made = there = 0
    for word in words:
        own, true = set(boundaries(tuple(cut(word)))), seams[word]
        hits, made, there = hits + len(own & true), made + len(own), there + len(true)
    return hits / max(there, 1), hits / max(made, 1)


def corpus(n: int, seed: int = 0) -> str:
    """`n` forms with a blank between them, drawn at random: frequent verbs, tenses and persons more often."""
    drawn, weights = zip(*_weighted(None), strict=True)
    return " ".join(form.word for form in random.Random(f"swahili {seed}").choices(drawn, weights, k=n))


@cache
def _weighted(stem: str | None) -> list[tuple[VerbForm, float]]:
    """Forms and how often a corpus holds them."""
    if stem is None:
        return [(form, weight / (rank + 2)) for rank, stem in enumerate(VERBS) for form, weight in _weighted(stem)]
    verb = VERBS.get(stem.removeprefix("-") if isinstance(stem, str) else stem)
    if verb is None:
        raise CourseError(f"There is no stem {stem!r} here. Choose one of {', '.join(VERBS)}.")
    active = _with_subject(verb) + _without_subject(verb)
    return active + _with_subject(verb, passive=True) if verb.passive else active


def _with_subject(verb: Verb, passive: bool = False) -> list[tuple[VerbForm, float]]:
    made = []
    subjects = _kinds(verb.takes if passive else verb.subjects)
    for (series, tenses), subject in product((("subject", TENSES), ("negative", NEGATIVE_TENSES)), subjects):
        holes = _holes(verb, subject, passive)
        for (markers, vowel, english, often), obj in product(tenses, [None] if passive else _objects(verb)):
            if obj is not None and (subject.thing or (obj is not SELF and subject.person == obj.person != 3)):
                continue  # 'it tells me' is no sense, 'I tell me' is said with *ji*
            middle = [subject.relative if marker == "rel" else marker for marker in markers]
            if not middle and subject is YOU_ALL and obj is not None and _prefix(obj) == ["i"]:
                continue  # here authors differ: mu-i-, mw-i-
            stem = _passive_ending(verb, vowel) if passive else _ending(verb, vowel)
            morphemes = _joined([getattr(subject, series), *middle, *_prefix(obj), *stem])
            gloss = " ".join(english.format(**holes, O=_said(obj, subject)).split())
            weight = often * (THING_WEIGHT if subject.thing else SUBJECT_WEIGHT[subject])
            made.append(
                (VerbForm(morphemes, gloss, verb.stem), weight * (PASSIVE_WEIGHT if passive else _object_weight(obj)))
            )
    return made


def _without_subject(verb: Verb) -> list[tuple[VerbForm, float]]:
    """To tell, usually tells, tell!, tell, all of you!"""
    base, made = verb.english[0], []

    def add(start: list[str], obj, end: list[str], gloss: str, often: float) -> None:
        made.append((VerbForm(_joined([*start, *_prefix(obj), *end]), gloss, verb.stem), often * _object_weight(obj)))

    for obj in _objects(verb):
        said = f"{base} {_said(obj, None)}".strip()
        add(["ku"], obj, _ending(verb, "a"), f"to {said}", 8)
        add(["hu"], obj, _ending(verb, "a"), f"usually {_with_s(base)} {_said(obj, None)}".strip(), 2)
        if verb.subjects == "things" or obj is YOU:
            continue  # nobody is ordered to break by itself, or to tell himself as 'you'
        if obj is not None:
            add([], obj, _ending(verb, "e"), f"{said}!", 3)
        elif verb.stem not in NO_PLAIN_IMPERATIVE:
            add([], obj, _ending(verb, "a"), f"{said}!", 3)
        add([], obj, [*_ending(verb, "e"), "ni"], f"{said}, all of you!", 1)
    return made


def _kinds(which: str) -> tuple[Person, ...]:
    return {"": (), "people": PEOPLE, "things": THINGS, "both": PEOPLE + THINGS}[which]


def _objects(verb: Verb) -> list:
    """None (no object), Persons, SELF."""
    persons = [person for person in _kinds(verb.takes) if person.object]
    return [None] * (not verb.needs_object) + persons + [SELF] * verb.reflexive


def _prefix(obj) -> list[str]:
    return [] if obj is None else [SELF] if obj is SELF else [obj.object]


def _ending(verb: Verb, vowel: str) -> list[str]:
    """The stem with its last vowel. Only a Bantu stem's -a changes: *sijibu*, I don't answer, keeps the Arabic -u."""
    return [verb.stem] if vowel == "a" or not verb.stem.endswith("a") else [verb.stem[:-1], vowel]


def _passive_ending(verb: Verb, vowel: str) -> list[str]:
    root, suffix = verb.passive
    return [root, suffix] if vowel == "a" else [root, suffix[:-1], vowel]


def _joined(morphemes: list[str]) -> tuple[str, ...]:
    """*m* (you all; him or her) is *mw* before a vowel: a-li-mw-ambia."""
    pairs = zip(morphemes, [*morphemes[1:], ""], strict=True)
    return tuple(m + "w" if m in ("m", "ham") and after.startswith(VOWELS) else m for m, after in pairs)


def _object_weight(obj) -> float:
    return OBJECT_WEIGHT.get(obj, THING_WEIGHT)


def _holes(verb: Verb, subject: Person, passive: bool) -> dict[str, str]:
    """English for this subject. In the passive, 'to tell' is 'to be told'."""
    base, past, done = verb.english
    be, was = subject.be, "were" if subject.be == "are" else "was"
    one = subject.be == "is"
    holes = {"S": subject.english[0], "who": "that" if subject.thing else "who", "have": "has" if one else "have"}
    if passive:
        holes |= {"base": f"be {done}", "past": f"{was} {done}", "done": f"been {done}", "simple": f"{be} {done}"}
        holes |= {"doing": f"{be} being {done}" if verb.doing else f"{be} {done}"}
        return holes | {"not_simple": f"{be} not {done}", "not_past": f"{was} not {done}"}
    simple = _with_s(base) if one else base
    holes |= {
        "base": base,
        "past": past,
        "done": done,
        "simple": simple,
        "doing": f"{be} {verb.doing}" if verb.doing else simple,
    }
    return holes | {"not_simple": f"{'does' if one else 'do'} not {base}", "not_past": f"did not {base}"}


def _with_s(base: str) -> str:
    first, _, rest = base.partition(" ")
    if first.endswith(("ch", "sh", "s")):
        first += "es"
    elif first.endswith("y") and first[-2] not in VOWELS:
        first = first[:-1] + "ies"
    else:
        first += "s"
    return f"{first} {rest}".strip()


def _said(obj, subject: Person | None) -> str:
    if obj is None:
        return ""
    if obj is not SELF:
        return obj.english[1]
    return "oneself" if subject is None else MYSELF[subject]
