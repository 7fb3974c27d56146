"""Text to numbers and back: byte-pair encoding and WordPiece."""

from course_lib.tokenizers.bpe import BPETokenizer
from course_lib.tokenizers.wordpiece import WordPieceTokenizer

__all__ = ["BPETokenizer", "WordPieceTokenizer"]
