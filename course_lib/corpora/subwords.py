"""Parallel text as ids of one byte-pair encoding for both languages, as in Vaswani et al. (2017), section 5.1.

    corpus = single_numbers("en", "de")
    tokenizer = subword_tokenizer(corpus.train)
    stream = batches(encoded(tokenizer, corpus.train), size=64, seed=0)

Several corpora together are one list: subword_tokenizer([*numbers.train, *days.train]).
"""

from collections.abc import Sequence

from course_lib.corpora.parallel import Pair
from course_lib.corpora.vocabulary import END, PAD, START
from course_lib.tokenizers.bpe import BPETokenizer


def subword_tokenizer(pairs: Sequence[Pair], vocab_size: int = 400) -> BPETokenizer:
    """Learnt from both sides of the pairs, over bytes: whatever is typed later, no character is unknown.

    `vocab_size` counts the marks, too, which have the ids that batches use: padding 0, start 1, end 2.
    Raises CourseError where vocab_size doesn't hold the marks and the 256 bytes.
    """
    marks = [PAD, START, END]
    learnt = BPETokenizer.train([text for p in pairs for text in (p.source_text, p.target_text)], vocab_size, marks)
    tokens = [token for token in learnt.vocab if token not in marks]
    ids = {token: i for i, token in enumerate([*marks, *tokens])}
    return BPETokenizer(learnt.base_vocabulary, learnt.merges, marks, ids)


def encoded(tokenizer: BPETokenizer, pairs: Sequence[Pair]) -> list[tuple[list[int], list[int]]]:
    """(source ids, target ids) of each pair without marks: what `collate` and `batches` take."""
    return [(tokenizer.encode(pair.source_text), tokenizer.encode(pair.target_text)) for pair in pairs]
