"""Text to numbers and back: byte-pair encoding and WordPiece."""

from course_lib.tokenizers.bpe import BPETokenizer

__all__ = ["BPETokenizer"]
