"""Who and what there is in the tiny world, and the facts about it. They are the same for every seed."""

import random
from typing import NamedTuple


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


WOMEN = _words("ada clara dana elif ines jana lucia mei nora tara wanda yuki")
MEN = _words("aron boris david emil felix hugo ivan kofi luca omar ravi tomas")
PEOPLE = WOMEN + MEN
FEMALE_ROLES = ("woman", "girl", "queen", "aunt", "grandmother", "princess")
MALE_ROLES = ("man", "boy", "king", "uncle", "grandfather", "prince")
ROLES = FEMALE_ROLES + MALE_ROLES
FEMALE = {*WOMEN, *FEMALE_ROLES}

TOWNS = _words("aldmoor brinfield caldrow dorvane elsing farrowby garnholt hexley ivernook kelstead lorning mosswick")
LANDS = ("ardenia", "boravia", "cestria", "dunmark")
UNIVERSITIES = _words("ashworth corvin fairley hartwell linden merriman northam stanbury")
GOODS = ("cheese", "glass", "wool", "silk", "honey", "paper", "salt", "soap")
JOBS = _words("baker teacher doctor farmer painter sailor lawyer tailor gardener singer")

ROOMS = ("kitchen", "garden", "bedroom", "garage", "attic", "cellar", "library", "bathroom")
THINGS = {
    "fork": "forks", "spoon": "spoons", "lamp": "lamps", "key": "keys", "letter": "letters", "cup": "cups",
    "hat": "hats", "coin": "coins", "map": "maps", "basket": "baskets", "bottle": "bottles", "candle": "candles",
    "orange": "oranges", "umbrella": "umbrellas", "egg": "eggs", "apple": "apples", "envelope": "envelopes",
    "onion": "onions",
}  # fmt: skip


class Category(NamedTuple):
    """Words of one class, the place where they belong ('ocean', 'at the'), and what people do with them there."""

    place: str
    at: str
    did: str
    members: tuple[str, ...]


CATEGORIES = tuple(
    Category(place, at, did, _words(members))
    for place, at, did, members in (
        ("ocean", "at the", "saw", "fish turtles seals dolphins whales crabs sharks"),
        ("farm", "on the", "fed", "cows goats pigs hens ducks horses donkeys"),
        ("orchard", "in the", "picked", "pears plums cherries peaches figs apricots limes"),
        ("workshop", "in the", "cleaned", "hammers saws drills pliers chisels axes screwdrivers"),
        ("theatre", "in the", "heard", "violins flutes drums trumpets cellos harps pianos"),
        ("jungle", "in the", "saw", "tigers monkeys parrots snakes gorillas lizards leopards"),
        ("bakery", "in the", "ate", "cakes buns pies rolls muffins tarts biscuits"),
    )
)


class Topic(NamedTuple):
    """Something to review: what one does with it, and what it has."""

    name: str
    did: str
    aspects: tuple[str, ...]


TOPICS = tuple(
    Topic(name, did, _words(aspects))
    for name, did, aspects in (
        ("film", "saw", "plot acting music ending"),
        ("book", "read", "plot style ending cover"),
        ("meal", "had", "soup dessert salad service"),
        ("hotel", "stayed at", "room breakfast view service"),
        ("play", "saw", "plot acting stage ending"),
        ("concert", "heard", "band music sound stage"),
    )
)
GOOD = _words(
    "great wonderful excellent superb brilliant charming delightful lovely amazing perfect fantastic beautiful"
)
BAD = _words("terrible awful dreadful horrible dull weak poor disappointing miserable bland unpleasant bad")

NUMBER_LIMIT = 50  # people in this world count no further


class Fact(NamedTuple):
    """For example Fact("home", "nora", "kelstead"): what is known about `about`."""

    relation: str
    about: str
    value: str


def _facts() -> tuple[Fact, ...]:
    rng = random.Random(11)

    def shared_out(relation, subjects, values):
        """Every value is used equally often, so that guessing the commonest one doesn't pay."""
        dealt = [values[i % len(values)] for i in range(len(subjects))]
        rng.shuffle(dealt)
        return [Fact(relation, subject, value) for subject, value in zip(subjects, dealt, strict=True)]

    return (
        *shared_out("university", UNIVERSITIES, TOWNS),
        *shared_out("land", TOWNS, LANDS),
        *shared_out("goods", TOWNS, GOODS),
        *shared_out("home", PEOPLE, TOWNS),
        *shared_out("job", PEOPLE, JOBS),
    )


FACTS = _facts()


def he(person: str) -> str:
    return "she" if person in FEMALE else "he"


def him(person: str) -> str:
    return "her" if person in FEMALE else "him"


def his(person: str) -> str:
    return "her" if person in FEMALE else "his"


def named(person: str) -> str:
    """'nora', but 'the queen'."""
    return person if person in PEOPLE else f"the {person}"


def article(word: str) -> str:
    return "an" if word[0] in "aeiou" else "a"
