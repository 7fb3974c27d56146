"""Special tokens: strings such as [UNK] or <|endoftext|> that stand for no text. The user's text must not be able to fake one."""

from collections.abc import Collection, Iterable, Iterator

import regex

from course_lib.errors import CourseError


def checked(special_tokens: Iterable[str]) -> tuple[str, ...]:
    """The special tokens in their order. Raises CourseError unless each is a string, not empty, and there once."""
    if isinstance(special_tokens, str):
        raise CourseError(
            f"Special tokens come as a list of strings, but this is one string. Write [{special_tokens!r}]."
        )
    tokens = tuple(special_tokens)
    for place, token in enumerate(tokens):
        if not isinstance(token, str):
            raise CourseError(
                f"A special token is a string, but this one is {token!r}, of type {type(token).__name__}."
            )
        if not token:
            raise CourseError(
                "A special token can't be empty: it would be found between any two characters. Leave it out."
            )
        if token in tokens[:place]:
            raise CourseError(
                f"Each special token may stand in the list once, but {token!r} is there twice. Take one away."
            )
    return tokens


def split(text: str, special: dict[str, int], allowed: str | Collection[str]) -> Iterator[tuple[str, int | None]]:
    """Cut the text at special tokens: pieces of plain text with None, recognised special tokens with their id.

        split("a[SEP]b", {"[SEP]": 3}, "all")   # ("a", None), ("[SEP]", 3), ("b", None)
        split("a[SEP]b", {"[SEP]": 3}, ())      # ("a[SEP]b", None)

    `allowed` is "all" or the special tokens that may be recognised; the others are plain text. Where one begins another,
    the longest is taken. Raises CourseError for an allowed token that isn't special.
    """
    if isinstance(allowed, str) and allowed != "all":
        raise CourseError(
            f'allowed_special is "all" or a list of special tokens, but it is {allowed!r}. Write [{allowed!r}].'
        )
    names = special if allowed == "all" else dict.fromkeys(allowed)
    for name in names:
        if name not in special:
            known = ", ".join(map(repr, special)) or "none"
            raise CourseError(
                f"{name!r} isn't a special token of this tokenizer, so it can't be allowed. It has: {known}."
            )
    if names:
        longest_first = sorted(names, key=len, reverse=True)  # a pattern takes the first alternative that fits
        start = 0
        for found in regex.finditer("|".join(map(regex.escape, longest_first)), text):
            if start < found.start():
                yield text[start : found.start()], None
            yield found[0], special[found[0]]
            start = found.end()
        text = text[start:]
    if text:
        yield text, None
