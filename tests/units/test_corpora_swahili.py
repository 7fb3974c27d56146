"""Swahili verb forms against forms that every grammar prints."""

import pytest

from course_lib.corpora import swahili
from course_lib.errors import CourseError

WELL_KNOWN = """
ni-na-ku-ambia I am telling you | a-li-ni-ambia he or she told me | ni-li-mw-ambia I told him or her | hatu-ta-wa-ambia we will not tell them
si-ku-ambi-i I do not tell you | si-ku-ku-ambia I did not tell you | ha-ku-ni-ambia he or she did not tell me | hawa-ja-ni-ambia they have not yet told me
a-ka-ni-ambia and then he or she told me | ni-ki-ku-ambia if I tell you | u-me-sha-ni-ambia you have already told me | ni-nge-ku-ambia I would tell you
ni-ngali-ku-ambia I would have told you | ni-si-nge-ku-ambia I would not tell you | ni-si-po-ku-ambia if I do not tell you | a-ni-ambi-e that he or she may tell me
u-si-mw-ambi-e that you may not tell him or her | a-na-ye-ni-ambia he or she who is telling me | wa-li-o-tu-ambia they who told us | a-taka-ye-ni-ambia he or she who will tell me
a-si-ye-ni-ambia he or she who does not tell me | ku-ni-ambia to tell me | ni-ambi-e tell me! | ni-ambi-e-ni tell me, all of you! | mw-ambi-e tell him or her!
m-na-tu-ambia you all are telling us | ni-li-ambi-wa I was told | tu-me-ambi-wa we have been told | si-ambi-w-i I am not told | ha-ji-ambi-i he or she does not tell himself or herself
ni-li-ki-ona I saw it (class 7) | ni-li-mw-ona I saw him or her | ni-na-ku-penda I love you | si-ju-i I do not know | ni-na-soma I am reading | a-na-ki-soma he or she is reading it (class 7)
hatu-pend-i we do not love | som-e-ni read, all of you! | soma read! | ku-andika to write | hamw-andik-i you all do not write | mw-andik-e that you all may write | hu-fika usually arrives | hu-fik-i you do not arrive
si-jibu I do not answer | ha-fik-i he or she does not arrive | ki-na-anguka it (class 7) is falling | haki-anguk-i it (class 7) does not fall | vi-li-vyo-vunjika they (class 8) that broke
i-me-vunjika it (class 9) has broken | ki-na-som-wa it (class 7) is being read | zi-me-nunu-liwa they (class 10) have been bought | tu-si-sahau that we may not forget | a-na-it-wa he or she is being called
"""


def test_well_known_forms():
    made = {(form.morphemes, form.gloss) for form in swahili.forms()}
    for entry in WELL_KNOWN.replace("\n", "|").split("|"):
        word, _, gloss = entry.strip().partition(" ")
        if word:
            assert (tuple(word.split("-")), gloss) in made, entry


def test_hundreds_of_forms_of_ambia():
    forms = swahili.forms("ambia")
    assert len(forms) == len(set(forms)) > 500
    words = {form.word for form in forms}
    assert len(words) > 500 and {"ninakuambia", "aliniambia", "hatutawaambia", "sikuambii", "waliambiwa"} <= words
    assert swahili.forms("-ambia") == forms and all(form.stem == "ambia" for form in forms)
    assert "ninaambia" not in words, "one always tells somebody"


def test_what_the_rules_forbid_is_not_made():
    words = {form.word for form in swahili.forms()}
    for wrong in (
        "ninaniambia",
        "nilimambia",
        "sijibi",
        "hamandiki",
        "mandike",
        "leta",
        "unakuona",
        "kinakiona",
        "hamsipendi",
        "nilimuona",
        "sinapenda",
        "hatutupendi",
    ):
        assert wrong not in words, wrong
    assert "nisamehe" in words and "nisamehee" not in words


def test_every_form_is_whole():
    forms = swahili.forms()
    assert len(swahili.VERBS) >= 30 and len(forms) == len(set(forms)) > 10_000
    for form in forms:
        assert (
            form.word == "".join(form.morphemes) and form.word.isascii() and form.word.islower() and form.word.isalpha()
        )
        assert (
            all(form.morphemes)
            and "  " not in form.gloss
            and form.gloss == form.gloss.strip()
            and "{" not in form.gloss
        )
        assert form.word[-1] in "aeiou", "a Swahili word ends in a vowel"
    assert forms == swahili.forms()


def test_two_forms_may_be_spelt_alike():
    assert {form.morphemes for form in swahili.forms("ona") if form.word == "hawaoni"} == {
        ("ha", "wa", "on", "i"),
        ("hawa", "on", "i"),
    }


def test_boundaries():
    assert swahili.boundaries(("ni", "na", "ku", "ambia")) == (2, 4, 6)
    assert swahili.boundaries(("soma",)) == () and swahili.boundaries(("ni", "ambi", "e")) == (2, 6)


def test_a_corpus_is_skewed_and_seeded():
    text = swahili.corpus(20_000, seed=1)
    words = text.split(" ")
    assert len(words) == 20_000 and text == swahili.corpus(20_000, seed=1) != swahili.corpus(20_000, seed=2)
    assert set(words) <= {form.word for form in swahili.forms()}
    present, perhaps = (
        sum(w.startswith(("nina", "ana", "wana")) for w in words),
        sum(w.startswith(("ninge", "ange", "wange")) for w in words),
    )
    assert present > 4 * perhaps > 0
    assert swahili.corpus(0) == ""


@pytest.mark.parametrize("stem", ["ambi", "enda", "", 3])
def test_a_stem_that_is_not_there(stem):
    with pytest.raises(CourseError, match="There is no stem .* Choose one of ambia, ona"):
        swahili.forms(stem)


def test_agreement_of_cuts_with_morphemes():
    words = ["ninakuambia", "aliniambia"]
    right = {"ninakuambia": ["ni", "na", "ku", "ambia"], "aliniambia": ["a", "li", "ni", "ambia"]}
    assert swahili.agreement(right.get, words) == (1.0, 1.0)
    assert swahili.agreement(lambda word: [word], words) == (0.0, 0.0)
    assert swahili.agreement(list, words) == (1.0, 6 / 19)
    assert swahili.agreement({"ninakuambia": ["nina", "kuam", "bia"], "aliniambia": ["a", "liniambia"]}.get, words) == (
        2 / 6,
        2 / 3,
    )
