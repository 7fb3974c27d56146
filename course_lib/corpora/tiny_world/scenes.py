"""The scenes of the tiny world. Each is one small function that simulates something and tells it, with its blanks.

About a third of what is told is easy (one person, one fact, nothing in between): a model that meets hard cases only
learns none of them.
"""

from itertools import combinations

from course_lib.corpora.tiny_world.telling import Blank, Combination, Story, Wordings
from course_lib.corpora.tiny_world.words import (
    BAD,
    CATEGORIES,
    FACTS,
    FEMALE,
    GOOD,
    NUMBER_LIMIT,
    PEOPLE,
    ROLES,
    ROOMS,
    THINGS,
    TOPICS,
    TOWNS,
    UNIVERSITIES,
    Fact,
    article,
    he,
    him,
    his,
    named,
)

WEATHER = Wordings("it was a [warm|cold|rainy|quiet] [morning|evening|day] .")


def weather(story: Story):
    """Now and then a story begins with it."""
    if story.chance(0.12):
        story.say(WEATHER)


# --- Trivia: a fact is known from other wordings than the one that asks for it ---------------------------------------

FACT_WORDINGS = {
    "university": (
        Wordings("{about} university is located in {value} ."),
        Wordings("you can find {about} university in {value} ."),
        Wordings("the students of {about} university live in {value} ."),
        Wordings("{about} university was founded in {value} ."),
        Wordings("the halls of {about} university stand in {value} ."),
    ),
    "land": (
        Wordings("{about} is a town in {value} ."),
        Wordings("{about} lies in the north of {value} ."),
        Wordings("the town of {about} belongs to {value} ."),
        Wordings("the people of {about} are citizens of {value} ."),
        Wordings("the mayor of {about} often travels through {value} ."),
    ),
    "goods": (
        Wordings("{about} is famous for its {value} ."),
        Wordings("traders come to {about} to buy {value} ."),
        Wordings("the shops of {about} sell {value} ."),
        Wordings("most people in {about} produce {value} ."),
        Wordings("{about} is known everywhere for its {value} ."),
    ),
    "home": (
        Wordings("{about} lives in {value} ."),
        Wordings("{about} was born in {value} ."),
        Wordings("{about} grew up in {value} ."),
        Wordings("the house of {about} stands in {value} ."),
        Wordings("every winter {about} returns to {value} ."),
    ),
    "job": (
        Wordings("{about} works as a {value} ."),
        Wordings("{about} became a {value} years ago ."),
        Wordings("{about} has been a {value} for years ."),
        Wordings("everyone knows {about} the {value} ."),
        Wordings("{about} earns good money as a {value} ."),
    ),
}
FACTS_ABOUT = {about: [fact for fact in FACTS if fact.about == about] for about in (*PEOPLE, *TOWNS, *UNIVERSITIES)}


def trivia(story: Story):
    """Facts about a person, a university or a town; at times also about the town that was named."""
    about = story.one_of(story.one_of((PEOPLE, PEOPLE, TOWNS, UNIVERSITIES)))
    facts = FACTS_ABOUT[about]
    last = None
    for fact in story.some_of(facts, story.one_of(range(1, len(facts) + 1))):
        tell_fact(story, fact, again=last == about)
        last = about
        if fact.value in TOWNS and story.chance(0.5):
            last = fact.value
            tell_fact(story, story.one_of(FACTS_ABOUT[last]))


def tell_fact(story: Story, fact: Fact, again: bool = False):
    """again: the sentence before was about the same, so that half of the time a pronoun stands for it."""
    which = story.one_of(range(len(FACT_WORDINGS[fact.relation])))
    wordings = FACT_WORDINGS[fact.relation][which]
    about = fact.about
    if again and story.chance(0.5) and wordings.sentences[0].startswith("{about}"):
        about = he(about) if about in PEOPLE else "it"
    value = Blank(fact.value, "trivia", (fact.value,), [fact_combination(fact, which)], antecedent=fact.about)
    story.say(wordings, about=about, value=value)


def fact_combination(fact: Fact, which: int) -> Combination:
    return ("trivia", fact.relation, fact.about, f"wording {which}")


# --- Syntax: the verb agrees with its subject, not with the noun beside it; the article with the next sound ----------

ONLY_SUBJECT = Wordings("the {things} {were} [old|new|red|green|clean|broken|heavy|expensive] .")
ATTRACTOR = Wordings(
    "the {things} [near|behind|under|beside] the {others} {were} [old|new|red|green|clean|broken|heavy|expensive] .",
    "{who} [thinks|says] that the {things} [near|behind|under|beside] the {others} {were} [old|new|broken|expensive] .",
)
SO_NOW = Wordings("so {who} [wants|needs|likes] {them} .", "that is why {who} sells {them} .")
SO_THEN = Wordings("so {who} [cleaned|sold|took|hid] {them} .", "that is why {who} sold {them} .")
SHOPPING = Wordings("{who} [bought|found|sold|needed] {a} {thing} and {an} {other} .")
PUTTING = Wordings("[then|later] {he} put {the} {thing} down on the [table|shelf|floor|chair] .")


def agreement(story: Story):
    """The key near the lamps *was* heavy: an attractor stands between the subject and its verb."""
    noun, other = story.some_of(tuple(THINGS), 2)
    many = story.chance(0.5)
    things, others = THINGS[noun] if many else noun, THINGS[other] if story.chance(0.5) else other
    now, then = ("are", "were") if many else ("is", "was")
    verb, who = story.one_of((now, then)), story.one_of(PEOPLE)
    if story.chance(0.25):
        story.say(ONLY_SUBJECT, things=things, were=verb)
    else:
        blank = Blank(verb, "syntax", (now, then), [("syntax", things, others)], antecedent=things)
        story.say(ATTRACTOR, things=things, others=others, were=blank, who=who)
    if story.chance(0.75):
        story.say(SO_NOW if verb == now else SO_THEN, who=story.one_of(PEOPLE), them="them" if many else "it")


def shopping(story: Story):
    """*an* apple, *a* lamp: what is right stands behind the blank."""
    who = story.one_of(PEOPLE)
    one, two = story.some_of(tuple(THINGS), 2)
    blank = Blank(
        article(two), "syntax", (article(two),), [("syntax", one, "and", two)], antecedent=two, left_to_right=False
    )
    story.say(SHOPPING, who=who, a=article(one), thing=one, an=blank, other=two)
    for thing in story.some_of((one, two), story.one_of((0, 1, 2))):
        story.say(PUTTING, he=he(who), the=story.one_of(("the", his(who))), thing=thing)


# --- Coreference: a pronoun agrees with the person it stands for -----------------------------------------------------

DOINGS = (
    "sat down and took off {his} [shoes|gloves]",
    "came home and hung up {his} coat",
    "opened the window and called {his} dog",
    "lay down and closed {his} eyes",
    "went to bed without brushing {his} teeth",
    "crossed the road , looking over {his} shoulder",
    "stood up and raised {his} hand",
)
SOMEONE_DID = tuple(Wordings(f"{{who}} {doing} .") for doing in DOINGS)
THEN_SOMEONE_DID = tuple(Wordings(f"[then|later|after that ,] {{who}} {doing} .") for doing in DOINGS)
MEETING = Wordings(
    "{one} met {two} at the [market|station|bridge|park] .", "{one} and {two} [met|talked] in the street ."
)
FIRST_IS_WHY = Wordings(
    "{one} [apologised to|hid from|lied to] {two} because {he} had [lost the {thing}|made a mistake] ."
)
SECOND_IS_WHY = Wordings("{one} [thanked|praised|rewarded] {two} because {he} had [found the {thing}|been so kind] .")
GIVING = Wordings("{one} saw {two} and [gave {him} the {thing}|invited {him} to dinner|waved at {him}] .")


def one_person(story: Story):
    """Nora came home and hung up *her* coat. Then *she* ..."""
    weather(story)
    who = story.one_of(PEOPLE + ROLES)
    first, *later = story.some_of(range(len(DOINGS)), story.one_of((1, 2, 2, 3)))
    story.say(SOMEONE_DID[first], who=named(who), his=his(who))
    for doing in later:
        story.say(THEN_SOMEONE_DID[doing], who=he(who), his=his(who))


def two_people(story: Story):
    """Two people, most often a woman and a man, and a pronoun for one of them."""
    weather(story)
    one, two = story.some_of(PEOPLE, 2)
    if story.chance(0.25):
        one = story.one_of(ROLES)
    story.tells(("coreference", one, two))

    def pronoun(form, person):
        """A blank only if the pronoun tells one from the other."""
        if (one in FEMALE) == (two in FEMALE):
            return form(person)
        return Blank(form(person), "coreference", (form(person),), [("coreference", one, two)], antecedent=person)

    told = {"one": named(one), "two": named(two), "thing": story.one_of(tuple(THINGS))}
    first, *others = story.some_of(range(len(DOINGS)), 3)
    later = story.some_of((one, two), 2)
    beginning = story.one_of((MEETING, FIRST_IS_WHY, SECOND_IS_WHY, GIVING))
    if beginning is MEETING:
        who = later[-1]
        story.say(MEETING, **told)
        story.say(SOMEONE_DID[first], who=named(who), his=pronoun(his, who))
    elif beginning is GIVING:
        story.say(GIVING, **told, him=pronoun(him, two))
    else:
        story.say(beginning, **told, he=pronoun(he, one if beginning is FIRST_IS_WHY else two))
    for who, doing in list(zip(later, others, strict=True))[: story.one_of((0, 1, 1, 2))]:
        story.say(THEN_SOMEONE_DID[doing], who=named(who), his=pronoun(his, who))


# --- Word classes: what goes on in a list is of the same kind --------------------------------------------------------

LIST_AT_PLACE = Wordings(
    "{who} went to the {place} and {did} the {shown} and {last} .", "{at} {place} {who} {did} {shown} and {last} ."
)
LIST = Wordings("{who} [drew|counted|dreamed of|knew all about|talked about] {shown} and {last} .")
LIST_LATER = Wordings("[then|later] {who} [drew|counted|dreamed of|talked about] {shown} and {last} .")


def lists(story: Story):
    """One person and two or three lists from one category."""
    category, who = story.one_of(CATEGORIES), story.one_of(PEOPLE)
    for i in range(story.one_of((1, 2, 2, 3))):
        *shown, last = story.some_of(category.members, story.one_of((3, 3, 4)))
        story.tells(*map(same_list, combinations([*shown, last], 2)))
        accepted = tuple(word for word in category.members if word not in shown)
        blank = Blank(last, "word classes", accepted, [same_list(shown[:2])], antecedent=shown[0])
        told = {"who": he(who) if i else who, "shown": " , ".join(shown) + " ,", "last": blank}
        if i == 0 and story.chance(0.5):
            story.say(LIST_AT_PLACE, **told, place=category.place, at=category.at, did=category.did)
        else:
            story.say(LIST_LATER if i else LIST, **told)


def same_list(words) -> Combination:
    return ("word classes", *sorted(words))


# --- Sentiment: the verdict follows from what was said ---------------------------------------------------------------

REVIEW_OF = Wordings(
    "[last week|yesterday|on sunday] i {did} {a} {topic} .", "[last week|yesterday] {who} and i {did} {a} {topic} ."
)
ONE_ASPECT = Wordings("the {aspect} was {adjective} .", "i found the {aspect} {adjective} .")
TWO_ASPECTS = Wordings("the {aspect} was {adjective} and the {aspect2} was {adjective2} .")
NOT_AT_ALL = Wordings("the {aspect} was not {adjective} at all .")
PLEASED = {  # the word that gives it away: the sentence
    "laughed": Wordings("i laughed from start to finish ."),
    "gladly": Wordings("i would gladly try it again ."),
    "smiled": Wordings("i smiled the whole time ."),
    "joy": Wordings("it filled me with joy ."),
    "worth": Wordings("it was worth every coin ."),
}
DISPLEASED = {
    "asleep": Wordings("i nearly fell asleep ."),
    "money": Wordings("i want my money back ."),
    "sighed": Wordings("i sighed the whole time ."),
    "warned": Wordings("i warned all my friends about it ."),
    "waste": Wordings("it was a waste of time ."),
}
REMARKS = (  # the more remarks, the easier
    *("one", "one", "two", "two", "one two", "one two", "one after", "one after", "two after", "two after"),
    *("one two after", "one not"),
)
VERDICT = Wordings(
    "overall , the {topic} was {verdict} .",
    "in short , it was {verdict} .",
    "to sum up , the {topic} was simply {verdict} .",
)


def review(story: Story):
    """What was tried, some remarks on it, the verdict. Now and then a second remark says 'not' and the opposite."""
    topic, pleased = story.one_of(TOPICS), story.chance(0.5)
    mine, opposite = (GOOD, BAD) if pleased else (BAD, GOOD)
    first, second, third = story.some_of(topic.aspects, 3)
    remarks = story.one_of(REMARKS)
    said = []

    def says(subject: str, *words: str) -> str:
        said.append(("sentiment", subject, *words))
        return words[-1]

    story.say(REVIEW_OF, did=topic.did, a=article(topic.name), topic=topic.name, who=story.one_of(PEOPLE))
    if "one" in remarks:
        story.say(ONE_ASPECT, aspect=first, adjective=says(first, story.one_of(mine)))
    if "two" in remarks:
        one, two = story.some_of(mine, 2)
        story.say(TWO_ASPECTS, aspect=second, adjective=says(second, one), aspect2=third, adjective2=says(third, two))
    if "not" in remarks:
        story.say(NOT_AT_ALL, aspect=second, adjective=says(second, "not", story.one_of(opposite)))
    if "after" in remarks:
        afterwards = PLEASED if pleased else DISPLEASED
        story.say(afterwards[says(topic.name, story.one_of(tuple(afterwards)))])
    verdict = Blank(story.one_of(mine), "sentiment", mine, said, antecedent=said[-1][-1])
    story.say(VERDICT, topic=topic.name, verdict=verdict)


# --- Location: where somebody is follows from where they went --------------------------------------------------------

GOING = Wordings("{who} [went to|walked into|hurried to|ran to] the {room} .")
MOVING_ON = Wordings("then {who} went to the {room} .")
STILL_THERE = Wordings(
    "[then|later] {who} left the {room} .", "{who} was [still|now] in the {room} .", "{who} stayed in the {room} ."
)


def location(story: Story):
    """Two or three people go to different rooms (an easy story: one), and some are found there."""
    weather(story)
    people = story.some_of(PEOPLE, story.one_of((1, 1, 2, 2, 2, 2, 2, 3)))
    rooms = story.some_of(ROOMS, len(people) + 1)
    where = dict(zip(people, rooms, strict=False))
    for who in people:
        story.say(GOING, who=who, room=where[who])
    if len(people) == 2 and story.chance(0.1):
        where[people[0]] = rooms[-1]
        story.say(MOVING_ON, who=people[0], room=rooms[-1])
    # Only whole scenes are held out: never to have met a person in a room would be evidence against the right answer.
    scene = [("location", *sorted(f"{who} in {room}" for who, room in where.items()))] if len(people) > 1 else []
    for who in story.some_of(people, min(len(people), story.one_of((1, 2, 2)))):
        room = Blank(where[who], "location", (where[who],), scene, antecedent=where[who])
        story.say(STILL_THERE, who=who if len(people) > 1 else he(who), room=room)


# --- Sequences: numbers by a rule ------------------------------------------------------------------------------------

COUNTING = Wordings("{who} [counted|wrote down|read out] {shown} {last} .")
THEN_COUNTING = Wordings("[then|later] {who} [counted|wrote down|read out] {shown} {last} .")


def sequences(story: Story):
    """One person and one to three sequences: equal steps, doubling, Fibonacci's rule."""
    who = story.one_of(PEOPLE)
    for i in range(story.one_of((1, 2, 2, 3))):
        rule = story.one_of((equal_steps,) * 6 + (doubling, fibonacci))
        *shown, last = map(str, rule(story))
        # Held out is where a sequence begins and its step: its later numbers stand in those that begin before it.
        # Doubling and Fibonacci's numbers are too few for that: they are told whole, and no probe asks for them.
        beginning = [("sequences", *shown[:2])] if rule is equal_steps else []
        blank = Blank(last, "sequences", (last,), beginning, antecedent=shown[-1])
        told = {"shown": " , ".join(shown) + " ,", "last": blank}
        story.say(THEN_COUNTING if i else COUNTING, who=he(who) if i else who, **told)


def equal_steps(story: Story) -> list[int]:
    """Most often upwards, and never above NUMBER_LIMIT: a number that is met often is learned soon."""
    step, length = story.one_of((1, 1, 2, 2, 3, 5, 10)), story.one_of((4, 5, 6))
    start = story.one_of(range(1, min(30, NUMBER_LIMIT - 3 * step) + 1))
    numbers = list(range(start, NUMBER_LIMIT + 1, step))[:length]
    return numbers[::-1] if step in (1, 10) and story.chance(0.25) else numbers


def doubling(story: Story) -> list[int]:
    start = story.one_of((1, 1, 2, 3))
    return [start * 2**i for i in range(story.one_of((4, 5)))]


def fibonacci(story: Story) -> list[int]:
    numbers = list(story.one_of(((1, 1), (1, 1), (1, 3), (2, 1), (2, 2))))
    for _ in range(story.one_of((3, 4, 5, 6))):
        numbers.append(numbers[-2] + numbers[-1])
    return numbers


# --- Homographs: one spelling, two words -----------------------------------------------------------------------------

HOMOGRAPHS = {
    "record, a thing": (
        Wordings("{who} [bought|found|sold] [a|an old|a rare] record ."),
        Wordings("the record was [scratched|expensive|on the shelf] ."),
    ),
    "record, to do": (
        Wordings("{who} and {other} record [a song|the concert|a play] [every week|every summer] ."),
        Wordings("they will record [a song|the concert|it] again ."),
    ),
    "bank, of a river": (
        Wordings("{who} [sat|slept|waited] on the bank of the river ."),
        Wordings("the bank was [muddy|green|steep] after the rain ."),
    ),
    "bank, for money": (
        Wordings("{who} [took money to|borrowed money from|works for] the bank ."),
        Wordings("the bank was [closed|rich|robbed] ."),
    ),
    "watch, a thing": (
        Wordings("{who} looked at {his} [new|old|broken] watch ."),
        Wordings("the watch was [slow|broken|expensive] ."),
    ),
    "watch, to do": (
        Wordings("{who} and {other} watch [the river|the ships|a play] [every evening|every week] ."),
        Wordings("they will watch [the river|the ships|it] again ."),
    ),
}


def homographs(story: Story):
    """One sense of one spelling, told twice. No blank: the course's word vectors are compared on them."""
    story.scene = story.one_of(tuple(HOMOGRAPHS))
    who, other = story.some_of(PEOPLE, 2)
    for wordings in HOMOGRAPHS[story.scene][: story.one_of((1, 2))]:
        story.say(wordings, who=who, other=other, his=his(who))


# Each scene with its share of the paragraphs.
SCENES = {
    trivia: 0.16,
    agreement: 0.08,
    shopping: 0.04,
    one_person: 0.05,
    two_people: 0.11,
    lists: 0.08,
    review: 0.17,
    location: 0.1,
    sequences: 0.18,
    homographs: 0.03,
}
SCENES_OF = {  # where the probes of a phenomenon come from
    "trivia": (trivia,),
    "syntax": (agreement, shopping),
    "coreference": (two_people,),
    "word classes": (lists,),
    "sentiment": (review,),
    "location": (location,),
    "sequences": (sequences,),
}


def _wordings(value) -> list[Wordings]:
    if isinstance(value, Wordings):
        return [value]
    if isinstance(value, dict):
        value = tuple(value.values())
    return [wordings for part in value for wordings in _wordings(part)] if isinstance(value, tuple) else []


WORDINGS = [wordings for value in tuple(globals().values()) for wordings in _wordings(value)]
