"""A tokenizer over bytes, of the student's own: pattern, bytes, merges, ids, and back to the same text."""

import re
import unicodedata

import regex

from course_lib.checking.kinds import Case, ClassCode
from course_lib.exercises.inputs import integer
from course_lib.exercises.lesson_07.encode_word import _encode_word
from course_lib.exercises.lesson_07.words import is_within
from course_lib.tokenizers.pretokenize import GPT2, LLAMA3


def _tokens(merges):
    return [bytes([byte]) for byte in range(256)] + [left + right for left, right in merges]


def _encoded(merges, pattern, text):
    ids = {token: i for i, token in enumerate(_tokens(merges))}
    pieces = ([bytes([byte]) for byte in piece.encode()] for piece in regex.findall(pattern, text))
    return [ids[token] for piece in pieces for token in _encode_word(piece, merges)]


class _Tokenizer:
    def __init__(self, merges, pattern):
        self.merges, self.pattern, self.tokens = merges, pattern, _tokens(merges)

    def encode(self, text):
        return _encoded(self.merges, self.pattern, text)

    def decode(self, ids):
        return b"".join(self.tokens[i] for i in ids).decode(errors="replace")


# Learnt in this order. "e" + " " and "s" + " t" would join two words, but for the pattern.
MERGES = [
    (b"h", b"e"), (b" ", b"t"), (b"e", b" "), (b"i", b"n"), (b" t", b"he"), (b"e", b"r"), (b" ", b"a"), (b"r", b"e"),
    (b"t", b"h"), (b"s", b" t"), (b" ", b" "), (b"in", b"g"), (b"o", b"n"), (b"e", b"n"), (b" ", b"s"), (b"  ", b"  "),
    (b"a", b"t"), (b"e", b"s"), (b"2", b"0"), (b"es", b"t"), (b"20", b"2"), (b"\xc3", b"\xbc"), (b"o", b"r"),
    (b"\n", b"  "), (b"'", b"s"), (b"l", b"e"), (b"\xf0", b"\x9f"), (b" the", b" "), (b"i", b"on"), (b"at", b"ion"),
    (b"re", b"s"), (b" s", b"t"), (b"1", b"2"), (b"3", b"4"), (b"12", b"34"), (b" the", b"n"), (b"s t", b"he"), (b"g", b"s"),
]  # fmt: skip
WORDS = ["the", "then", "other", "string", "nation", "resting", "hat", "stones", "there", "aüß", "2024", "it's", "Then"]


def _words(g, count: int) -> str:
    return " ".join(WORDS[integer(g, 0, len(WORDS) - 1)] for _ in range(count))


def _round_trip(text: str, merges=MERGES, pattern: str = GPT2):
    """A text, and the ids of the same text."""
    return merges, pattern, text, _encoded(merges, pattern, text)


def _backwards(g):
    """Ids of a text that `encode` was never given."""
    return MERGES, GPT2, "the hat", _encoded(MERGES, GPT2, _words(g, 4) + " ☕")


Tokenizer = ClassCode(
    "07.Tokenizer",
    title="Your tokenizer",
    points=4,
    minutes=20,
    difficulty=3,
    reference=_Tokenizer,
    methods=("encode", "decode"),
    another=([(b"o", b"z")], GPT2),
    results=("ids", "text"),
    axes=["ids", "text"],
    cases=[
        Case("a few words", lambda g: _round_trip("the rest, strings " + _words(g, 4))),
        Case("no merges: every byte by itself", lambda g: _round_trip("the " + _words(g, 2), [])),
        Case("letters of two bytes", lambda g: _round_trip("grün, naïve Zürich" + "ü" * integer(g, 1, 3))),
        Case("characters of three and four bytes", lambda g: _round_trip("日本語 🙂 " + "🙂" * integer(g, 1, 3) + "👩‍👧")),
        Case("one é, or an e with an accent", lambda g: _round_trip("e\u0301 is not é" + "é" * integer(g, 0, 2))),
        Case("spaces and line ends", lambda g: _round_trip("\n" * integer(g, 1, 2) + "    in\t the \r\n  rest  ")),
        Case("another pattern", lambda g: _round_trip(f"IT'S {integer(g, 12345, 12399)}: 1234567", pattern=LLAMA3)),
        Case("fewer merges", lambda g: _round_trip("the rest of the string, 2024" + "!" * integer(g, 0, 2), MERGES[:5])),
        Case("a null byte and signs", lambda g: _round_trip("\0 x==10: #" + "#" * integer(g, 0, 3))),
        Case("the ids of another text", _backwards),
        Case("ids that end inside a character", lambda g: (MERGES, GPT2, "a", [*_encoded([], GPT2, "ab🙂"[: integer(g, 1, 2)]), 0xC3])),
        Case("ids that begin inside a character", lambda g: (MERGES, GPT2, "b", [0xBC, *_encoded(MERGES, GPT2, _words(g, 2))])),
        Case("one space", lambda g: _round_trip(" " * integer(g, 1, 3))),
        Case("an empty text", lambda g: _round_trip("")),
    ],
    hints=[
        "Make the list of all tokens in __init__, in the order of their ids: the 256 bytes, then left + right of each merge. A dictionary leads from a token back to its id.",
        "encode: for each piece of regex.findall(pattern, text), the bytes of piece.encode(), each as bytes([byte]); then encode_word(…, merges), and the id of each token.",
        'decode: join the bytes of all tokens first, b"".join(…), and make a text of them once, .decode(errors="replace"). A character may be spread over several tokens.',
    ],
)  # fmt: skip


# --- steps ------------------------------------------------------------------------------------------------------------


def by_pattern(pattern, text):
    return regex.findall(pattern, text)


def to_bytes(piece):
    return [bytes([byte]) for byte in piece.encode()]


def one_after_the_other(pieces):
    return [i for piece in pieces for i in piece]


def joined_once(tokens):
    return b"".join(tokens).decode(errors="replace")


@Tokenizer.variants
def steps(
    *,
    vocabulary=_tokens,
    read=lambda text: text,
    pieces=by_pattern,
    symbols=to_bytes,
    merge=_encode_word,
    number=lambda token, ids, merges: ids[token],
    gathered=one_after_the_other,
    written=joined_once,
    back=lambda ids: ids,
    token_of=lambda tokens, i: tokens[i],
):
    class Built:
        def __init__(self, merges, pattern):
            self.merges, self.pattern, self.tokens = merges, pattern, vocabulary(merges)
            self.ids = {token: i for i, token in enumerate(self.tokens)}

        def encode(self, text):
            cut = [merge(symbols(piece), self.merges) for piece in pieces(self.pattern, read(text))]
            return gathered([[number(token, self.ids, self.merges) for token in tokens] for tokens in cut])

        def decode(self, ids):
            return written([token_of(self.tokens, i) for i in back(ids)])

    return Built


# --- encode: cutting --------------------------------------------------------------------------------------------------

steps.mistake(
    "The text isn't cut by the pattern, so merges join the end of one word with the space and the beginning of the next. Merge within each piece of regex.findall(pattern, text).",
    pieces=lambda pattern, text: [text],
)
steps.mistake(
    "You cut with text.split(), which throws the spaces away, and the text can't come back as it was. The pattern keeps every character: regex.findall(pattern, text).",
    pieces=lambda pattern, text: text.split(),
)
steps.mistake(
    "You cut at single spaces, and they are lost. The pattern keeps them, at the front of the word that follows: regex.findall(pattern, text).",
    pieces=lambda pattern, text: text.split(" "),
)
steps.mistake(
    "You always cut by GPT-2's pattern. The tokenizer is given one of its own: keep it, self.pattern = pattern, and use that.",
    pieces=lambda pattern, text: by_pattern(GPT2, text),
)
steps.mistake(
    "Your code stops because Python's own re doesn't know \\p{L}. The package regex does: regex.findall(pattern, text).",
    pieces=lambda pattern, text: re.findall(pattern, text),
)
steps.mistake(
    "Every character is a piece of its own with you, so nothing is ever merged. The pieces are those of regex.findall(pattern, text).",
    pieces=lambda pattern, text: list(text),
)
steps.mistake(
    "Only the first piece is encoded. Go through all of them: does a `return` stand inside the loop?",
    pieces=lambda pattern, text: by_pattern(pattern, text)[:1],
)
steps.mistake(
    "Only the last piece is encoded. Collect the ids of all pieces: make the list once, before the loop.",
    pieces=lambda pattern, text: by_pattern(pattern, text)[-1:],
)
steps.mistake(
    "regex.match and regex.search find the first piece alone. All of them come from regex.findall(pattern, text).",
    pieces=lambda pattern, text: regex.match(pattern, text).group(),
)
steps.mistake(
    "regex.split throws away what the pattern matches, and that is the whole text. Take regex.findall(pattern, text).",
    pieces=lambda pattern, text: [piece for piece in regex.split(pattern, text) if piece],
)
steps.mistake(
    "The spaces at the front of the pieces are stripped off. They belong to the text: leave the pieces as they are.",
    pieces=lambda pattern, text: [piece.strip() for piece in by_pattern(pattern, text)],
)
steps.mistake(
    "You strip the text first. Spaces and line ends at its edges belong to it.", read=lambda text: text.strip()
)
steps.mistake(
    "You put a space in front of the text. Some tokenizers do, but then decode gives another text than came in. Leave the text as it is.",
    read=lambda text: " " + text,
)
steps.mistake(
    "You make bytes of the text before the pattern cuts it, and the pattern sees Ã¼ in place of ü. Cut the text first, then make bytes of each piece.",
    pieces=lambda pattern, text: by_pattern(pattern, text.encode().decode("latin-1")),
    symbols=lambda piece: [bytes([ord(character)]) for character in piece],
)
steps.mistake(
    "You strip the text and make small letters of its capitals. The text should come back as it was, to the last space.",
    read=lambda text: text.strip().lower(),
)
steps.mistake(
    "You cut at spaces and keep them as pieces of their own. In the pattern's pieces a space stands at the front of the word that follows: regex.findall(pattern, text).",
    pieces=lambda pattern, text: [piece for piece in re.split("( )", text) if piece],
)
steps.mistake(
    "You make small letters of capitals first. Over bytes they are other tokens, and the text should come back as it was.",
    read=str.lower,
)

steps.mistake(
    "You normalize the text: an e with an accent of its own becomes the one character é. They look alike, but the text doesn't come back as it was. Leave it as it is.",
    read=lambda text: unicodedata.normalize("NFC", text),
)
steps.mistake(
    "You normalize the text: the one character é becomes an e and an accent. They look alike, but the text doesn't come back as it was. Leave it as it is.",
    read=lambda text: unicodedata.normalize("NFD", text),
)

# --- encode: bytes ----------------------------------------------------------------------------------------------------

steps.mistake(
    "You begin from characters, and one such as ü has no token: there are 256 bytes and the merges. Begin from the bytes of piece.encode(), each as bytes([byte]).",
    symbols=list,
)
steps.mistake(
    "You make a byte of each character's number. From 256 on there is none, and ü would be one byte, 252, where UTF-8 has two. Take the bytes of piece.encode().",
    symbols=lambda piece: [bytes([ord(character)]) for character in piece],
)
steps.mistake(
    "You give each character as its own bytes, so the two bytes of ü are one symbol from the start, which has no token. Begin from single bytes: [bytes([byte]) for byte in piece.encode()].",
    symbols=lambda piece: [character.encode() for character in piece],
)
steps.mistake(
    "A loop over piece.encode() gives numbers, and the merges are of bytes. Make bytes of each again: bytes([byte]).",
    symbols=lambda piece: list(piece.encode()),
)
steps.mistake(
    "A loop over the piece gives characters, and bytes([…]) wants a number. Make bytes of the piece first: for byte in piece.encode().",
    symbols=lambda piece: [bytes([character]) for character in piece],
)
steps.mistake(
    "bytes(n) are n zeros; the byte with the number n is bytes([n]).",
    symbols=lambda piece: [bytes(byte) for byte in piece.encode()],
)
steps.mistake(
    "You number characters by ord, so ü is one number, 252. In UTF-8 it is the two bytes 195 and 188: piece.encode().",
    symbols=lambda piece: [bytes([ord(character) % 256]) for character in piece],
)
steps.mistake(
    "Your symbols end with </w>. Over bytes there is no such mark: the space before a word says where it begins.",
    symbols=lambda piece: [*to_bytes(piece)[:-1], to_bytes(piece)[-1] + b"</w>"],
)
steps.mistake(
    'You encode as ASCII, which has 128 characters and no ü. UTF-8 has all of them: piece.encode(), or piece.encode("utf-8").',
    symbols=lambda piece: [bytes([byte]) for byte in piece.encode("ascii")],
)
steps.mistake(
    'You encode as Latin-1, which has 256 characters, ü among them, and no 日. UTF-8 has all of them: piece.encode(), or piece.encode("utf-8").',
    symbols=lambda piece: [bytes([byte]) for byte in piece.encode("latin-1")],
)
steps.mistake(
    "You encode as Latin-1, and what it doesn't have becomes a question mark, or is lost. UTF-8 has all characters: piece.encode().",
    symbols=lambda piece: [bytes([byte]) for byte in piece.encode("latin-1", "replace")],
)
steps.mistake(
    'You encode as UTF-16, two bytes for most characters. The merges were learnt from UTF-8: piece.encode(), or piece.encode("utf-8").',
    symbols=lambda piece: [bytes([byte]) for byte in piece.encode("utf-16-le")],
)
steps.mistake(
    "You leave out the characters that ASCII doesn't have. Then they are lost; UTF-8 has them all: piece.encode().",
    symbols=lambda piece: [bytes([byte]) for byte in piece.encode("ascii", "ignore")],
)

# --- encode: merging --------------------------------------------------------------------------------------------------


def longest_first(symbols, merges):
    known, word, out = {left + right for left, right in merges}, b"".join(symbols), []
    while word:
        end = next(end for end in range(len(word), 0, -1) if end == 1 or word[:end] in known)
        out.append(word[:end])
        word = word[end:]
    return out


def one_round(symbols, merges):
    out = []
    for symbol in symbols:
        if out and (out[-1], symbol) in merges:
            out[-1] += symbol
        else:
            out.append(symbol)
    return out


def first_place_only(symbols, merges):
    word = list(symbols)
    for left, right in merges:
        place = next((i for i in range(len(word) - 1) if (word[i], word[i + 1]) == (left, right)), None)
        if place is not None:
            word[place : place + 2] = [left + right]
    return word


def as_text(symbols, merges):
    word = list(symbols)
    for pair in merges:
        out = []
        for symbol in word:
            if out and (out[-1], symbol) == pair:
                out[-1] = "".join(pair)
            else:
                out.append(symbol)
        word = out
    return word


steps.mistake(
    "Nothing is merged: your ids are those of the single bytes. Cut each piece with encode_word(symbols, merges).",
    merge=lambda symbols, merges: symbols,
)
steps.mistake(
    "You take the longest token that fits, as WordPiece does. Byte-pair encoding repeats the merges in the order learnt: encode_word(symbols, merges).",
    merge=longest_first,
)
steps.mistake(
    "You merge from left to right whatever pair is known. The merge that was learnt first goes first, everywhere: encode_word(symbols, merges).",
    merge=one_round,
)
steps.mistake(
    "The merges are applied from the last to the first. Those that were learnt first go first.",
    merge=lambda symbols, merges: _encode_word(symbols, merges[::-1]),
)
steps.mistake("Each merge is applied at one place only. It goes wherever the pair stands.", merge=first_place_only)
steps.mistake(
    'Somewhere two symbols are joined with "".join, which takes texts alone. left + right works for bytes as well; put it into merge_pair, too, if that is where it stands.',
    merge=as_text,
)
steps.mistake(
    "You apply the merges that make the longest tokens first. The order in which they were learnt decides: those that were learnt first go first.",
    merge=lambda symbols, merges: _encode_word(symbols, sorted(merges, key=lambda pair: -len(pair[0] + pair[1]))),
)
steps.mistake(
    "You sort the merges. Their order in the list is the order in which they were learnt: keep it.",
    merge=lambda symbols, merges: _encode_word(symbols, sorted(merges)),
)
steps.mistake(
    "Only the first merge is tried. Does a `return` stand inside the loop over the merges?",
    merge=lambda symbols, merges: _encode_word(symbols, merges[:1]),
)

# --- encode: ids ------------------------------------------------------------------------------------------------------


def merges_first(merges):
    return [left + right for left, right in merges] + [bytes([byte]) for byte in range(256)]


steps.mistake(
    "Your code stops with a KeyError: some token has no id. The single bytes need ids, too, 0 to 255, before those of the merges.",
    number=lambda token, ids, merges: {left + right: 256 + i for i, (left, right) in enumerate(merges)}[token],
)
steps.mistake(
    "Your merges have the first ids, and the bytes come behind them. Byte i has the id i, and the merges follow from 256 on.",
    vocabulary=merges_first,
)
steps.mistake(
    "Your ids of merges are one too large: the first merge has the id 256, the byte 255 is the last before it.",
    vocabulary=lambda merges: [bytes([byte]) for byte in range(256)] + [None] + [a + b for a, b in merges],
)
steps.mistake(
    "There is no byte 255 in your vocabulary, so each merge's id is one too small: range(256) ends with 255, range(255) with 254.",
    vocabulary=lambda merges: [bytes([byte]) for byte in range(255)] + [a + b for a, b in merges],
)
steps.mistake(
    "chr(i).encode() is two bytes from i = 128 on, so half of the single bytes aren't in your vocabulary. The byte with the number i is bytes([i]).",
    vocabulary=lambda merges: [chr(i).encode() for i in range(256)] + [a + b for a, b in merges],
)
steps.mistake(
    "Your vocabulary begins with the 128 characters of ASCII. There are 256 bytes, and the first merge has the id 256.",
    vocabulary=lambda merges: [bytes([byte]) for byte in range(128)] + [a + b for a, b in merges],
)


def is_not_kept(name):
    def read(*_):
        raise NameError(f"name '{name}' is not defined")

    return read


for name in ("merges", "pattern"):
    steps.mistake(
        f"Your code stops with a NameError: a method doesn't see what __init__ was given. Keep it there, self.{name} = {name}, and read self.{name}.",
        read=is_not_kept(name),
    )
for name in ("tokens", "ids", "vocab"):
    steps.mistake(
        f"Your code stops with a NameError: there is no {name} by itself. What __init__ made and kept is self.{name}, in every method.",
        number=is_not_kept(name),
    )
steps.mistake(
    "Your tokens are sorted by their length, or went through a set, before they were numbered. Their order is that of learning: the 256 bytes, then the merges.",
    vocabulary=lambda merges: sorted(_tokens(merges), key=lambda token: (len(token), token)),
)
steps.mistake(
    "Your tokens are sorted before they are numbered. Their order is that of learning: the 256 bytes, then the merges.",
    vocabulary=lambda merges: sorted(_tokens(merges)),
)
steps.mistake(
    "Your merges are numbered from the last to the first. The merge that was learnt first has the id 256.",
    vocabulary=lambda merges: _tokens(merges[::-1]),
)
steps.mistake(
    "The tokens of the merges aren't in your vocabulary, or their ids don't fit. After the 256 bytes comes left + right of each merge, in their order.",
    vocabulary=lambda merges: _tokens([]),
)
steps.mistake(
    "The ids of your merges are their places in the list. The first 256 ids belong to the bytes, so the first merge has 256.",
    number=lambda token, ids, merges: ids[token] - 256 * (ids[token] > 255),
)
steps.mistake(
    "You add 256 to all ids. The bytes have the ids 0 to 255 themselves; only the merges begin at 256.",
    number=lambda token, ids, merges: ids[token] + 256,
)
steps.mistake(
    "encode returns one list for each piece. All ids stand in a single list: ids += …, or ids.extend(…), in place of append.",
    gathered=lambda pieces: pieces,
)
steps.mistake(
    "Your encode returns the ids as one text. A list of numbers is asked for.",
    gathered=lambda pieces: " ".join(map(str, one_after_the_other(pieces))),
)
steps.mistake(
    "An id that comes twice stands in your list once. Each place of the text has its own.",
    gathered=lambda pieces: [*dict.fromkeys(one_after_the_other(pieces))],
)
steps.mistake(
    "The ids come in sorted order. Keep that of the text.", gathered=lambda pieces: sorted(one_after_the_other(pieces))
)
steps.mistake(
    "You number the tokens of the text as they come, from 0. An id belongs to a token for good: its place in the vocabulary.",
    gathered=lambda pieces: [
        [*dict.fromkeys(one_after_the_other(pieces))].index(i) for i in one_after_the_other(pieces)
    ],
)
steps.mistake(
    "For each piece you return how many tokens it has. The ids are asked for.",
    gathered=lambda pieces: [len(piece) for piece in pieces],
)
steps.mistake(
    "Only the first id of each piece is kept. A piece may have several tokens.",
    gathered=lambda pieces: [piece[0] for piece in pieces],
)

# --- decode -----------------------------------------------------------------------------------------------------------

steps.mistake(
    'Your decode makes a text of each token by itself. A character may be spread over several tokens, and half of it is no text: join all bytes first, b"".join(…), then .decode(errors="replace").',
    written=lambda tokens: "".join(token.decode(errors="replace") for token in tokens),
)
steps.mistake(
    'Your decode makes a text of each token by itself, and stops where a token is half a character. Join all bytes first, b"".join(…), then .decode(errors="replace").',
    written=lambda tokens: "".join(token.decode() for token in tokens),
)
steps.mistake(
    "Your decode makes a text of each token by itself, and half characters are dropped. Join all bytes first: a character may be spread over several tokens.",
    written=lambda tokens: "".join(token.decode(errors="ignore") for token in tokens),
)
steps.mistake(
    'Your decode stops with a UnicodeDecodeError where bytes are no text: a model may write half a character. Say what to put there: .decode(errors="replace").',
    written=lambda tokens: b"".join(tokens).decode(),
)
steps.mistake(
    'Bytes that are no text are dropped without a trace. With errors="replace" a reader sees that something stood there: �.',
    written=lambda tokens: b"".join(tokens).decode(errors="ignore"),
)
steps.mistake(
    'Bytes that are no text become \\x… in your decode. What is asked for is �: errors="replace".',
    written=lambda tokens: b"".join(tokens).decode(errors="backslashreplace"),
)
steps.mistake(
    "Your decode makes a character of each byte, as Latin-1 does, so ü becomes Ã¼. The bytes are UTF-8: .decode(), without another name.",
    written=lambda tokens: b"".join(tokens).decode("latin-1"),
)
steps.mistake(
    'Your decode reads the bytes as ASCII, so everything beyond a to z becomes �. They are UTF-8: .decode(errors="replace").',
    written=lambda tokens: b"".join(tokens).decode("ascii", errors="replace"),
)
steps.mistake(
    "str(b\"the\") is the text b'the', with the b and the quotes. Bytes become a text by .decode().",
    written=lambda tokens: str(b"".join(tokens)),
)
steps.mistake(
    'str(token) gives b\'the\', with the b and the quotes. Join the bytes and decode them: b"".join(…).decode(errors="replace").',
    written=lambda tokens: "".join(map(str, tokens)),
)
steps.mistake(
    'Your decode puts a space between the tokens. The spaces are in the tokens already: b"".join(…).',
    written=lambda tokens: b" ".join(tokens).decode(errors="replace"),
)
steps.mistake(
    "Your decode returns a list of texts, one for each token. Join the bytes, and decode the whole once.",
    written=lambda tokens: [token.decode(errors="replace") for token in tokens],
)
steps.mistake(
    '"".join takes texts, and your tokens are bytes: b"".join(…), with a b, and then .decode(errors="replace").',
    written=lambda tokens: "".join(tokens),
)
steps.mistake(
    "Your decode strips the text. Spaces at its edges belong to it.", written=lambda tokens: joined_once(tokens).strip()
)
steps.mistake("Your decode reads the ids from the last to the first.", back=lambda ids: ids[::-1])
steps.mistake(
    "Your decode makes bytes of the ids themselves. That is right up to 255; from 256 on an id stands for a merge: look the token up.",
    token_of=lambda tokens, i: bytes([i]),
)
steps.mistake(
    "chr(i) is the character with the number i, and an id is the place of a token in your vocabulary. Look it up.",
    token_of=lambda tokens, i: chr(i).encode(),
)
steps.mistake(
    "Your decode leaves out the tokens that merges made. Their ids begin at 256: have they a place in your list of tokens?",
    back=lambda ids: [i for i in ids if i < 256],
)
steps.mistake(
    "Your decode reads the id i as the token before: the tokens are counted from 0.",
    token_of=lambda tokens, i: tokens[i - 1],
)


@Tokenizer.mistake(
    "Your decode gives back the text that encode was given last, or knows only its tokens. It has to read any list of ids: a model writes ids that nobody has encoded."
)
class RemembersTheText(_Tokenizer):
    def encode(self, text):
        self.text = text
        return super().encode(text)

    def decode(self, ids):
        return self.text


@Tokenizer.mistake(
    "Your decode knows only the tokens that encode has met. It has to read any list of ids: build the vocabulary in __init__, from the 256 bytes and all merges."
)
class KnowsWhatItMet(_Tokenizer):
    def encode(self, text):
        ids = super().encode(text)
        self.met = {i: self.tokens[i] for i in ids}
        return ids

    def decode(self, ids):
        return b"".join(self.met[i] for i in ids).decode(errors="replace")


@Tokenizer.mistake(
    "Your ids of merges are one too large, and 256 stands for no token: the first merge has the id 256. Counted with enumerate, that is start=256."
)
class OneTooLarge(_Tokenizer):
    def __init__(self, merges, pattern):
        super().__init__(merges, pattern)
        self.by_id = {i + (i > 255): token for i, token in enumerate(self.tokens)}

    def encode(self, text):
        return [i + (i > 255) for i in super().encode(text)]

    def decode(self, ids):
        return b"".join(self.by_id[i] for i in ids).decode(errors="replace")


@Tokenizer.mistake(
    "Your encode makes a new vocabulary of the tokens that it meets, and decode can read nothing else. The ids belong to the tokenizer: make the list of tokens in __init__, from the 256 bytes and all merges."
)
class NumbersWhatItMet(_Tokenizer):
    def encode(self, text):
        tokens = [self.tokens[i] for i in super().encode(text)]
        self.tokens = sorted({*tokens})
        return [self.tokens.index(token) for token in tokens]


@Tokenizer.mistake("For an empty text your encode returns None. It has no tokens: an empty list.")
class NoneForNothing(_Tokenizer):
    def encode(self, text):
        return super().encode(text) if text else None


@Tokenizer.mistake(
    "A second tokenizer changes your first one: what __init__ was given, or made, is kept in the class or in a global variable. Each object has its own: self.merges = merges."
)
class KeptInTheClass(_Tokenizer):
    def __setattr__(self, name, value):
        setattr(type(self), name, value)


@Tokenizer.mistake(
    "encode and decode have changed places: encode leads from the text to ids, decode from ids to the text."
)
class TheOtherWayRound:
    def __init__(self, merges, pattern):
        self.right = _Tokenizer(merges, pattern)

    def encode(self, text):
        return self.right.decode(text)

    def decode(self, ids):
        return self.right.encode(ids)


# --- what an answer shows ---------------------------------------------------------------------------------------------


def _right(inputs):
    return Tokenizer.run(_Tokenizer, *inputs)


def _bytes_of(inputs, ids) -> bytes:
    """What the ids stand for."""
    tokens = _tokens(inputs[0])
    return b"".join(tokens[i] for i in ids)


@Tokenizer.symptom("Some of your ids are no numbers: look each token up in your vocabulary.")
def no_numbers(inputs, answer):
    return not all(isinstance(i, int) for i in answer[0])


@Tokenizer.symptom(
    "Some of your ids aren't in the vocabulary, which has the 256 bytes and one token for each merge: its ids go from 0 to 255 + the number of merges."
)
def ids_beyond(inputs, answer):
    return any(not 0 <= i < 256 + len(inputs[0]) for i in answer[0])


@Tokenizer.symptom(
    "Your ids hold a 0, the null byte, which the text doesn't have: .get(token, 0) hides that a token isn't in your vocabulary. Each has an id, if your symbols are single bytes and the merges those that were given."
)
def hidden_by_get(inputs, answer):
    return answer[0].count(0) > inputs[2].count("\0")


@Tokenizer.symptom(
    "Your ids stand for the right text, but one of your tokens reaches over a place where the pattern cuts. Merge within each piece of regex.findall(pattern, text)."
)
def over_an_edge(inputs, answer):
    _, pattern, text, _ = inputs
    pieces = regex.findall(pattern, text)
    ends = {len("".join(pieces[: i + 1]).encode()) for i in range(len(pieces))}
    cuts = {len(_bytes_of(inputs, answer[0][: i + 1])) for i in range(len(answer[0]))}
    return _bytes_of(inputs, answer[0]) == text.encode() and not ends <= cuts


@Tokenizer.symptom(
    "Your ids stand for the right text, but it is cut in another way. Are your pieces those of regex.findall(pattern, text)? And in each piece the merges go in the order in which they were learnt, each wherever its pair stands: encode_word."
)
def cut_otherwise(inputs, answer):
    return answer[0] != _right(inputs)[0] and _bytes_of(inputs, answer[0]) == inputs[2].encode()


@Tokenizer.symptom("Your ids stand for less than the text: some of its bytes are lost on the way.")
def bytes_lost(inputs, answer):
    return answer[0] != _right(inputs)[0] and is_within(_bytes_of(inputs, answer[0]), inputs[2].encode())


@Tokenizer.symptom("All your ids are one too large: the first byte has the id 0, which is where enumerate begins.")
def all_one_too_large(inputs, answer):
    return answer[0] != [] and answer[0] == [i + 1 for i in _right(inputs)[0]]


@Tokenizer.symptom(
    "Your text is cut in the right places, but the tokens have other numbers. Byte i has the id i, the token of the first merge 256, that of the second 257, whatever the text."
)
def other_numbers(inputs, answer):
    ids, _ = _right(inputs)
    pairs = {*zip(ids, answer[0])}
    return answer[0] != ids and len(answer[0]) == len(ids) and len(pairs) == len({*ids}) == len({*answer[0]})


@Tokenizer.symptom("Your ids stand for another text. Decoded, they should give the text itself.")
def another_text(inputs, answer):
    return answer[0] != _right(inputs)[0]


@Tokenizer.symptom(
    "encode is right. Your decode loses some of the text: the bytes of all tokens belong into it, spaces, too."
)
def text_lost(inputs, answer):
    return is_within(answer[1], _right(inputs)[1])


@Tokenizer.symptom(
    "encode is right. Your decode adds something: the text is the bytes of the tokens, one after the other, and nothing else."
)
def text_added(inputs, answer):
    return is_within(_right(inputs)[1], answer[1])


@Tokenizer.symptom(
    "encode is right. Your decode gives another text: join the bytes of all tokens, and make a text of them once."
)
def another_text_decoded(inputs, answer):
    return isinstance(answer[1], str)
