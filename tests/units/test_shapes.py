"""A sentence followed through a Transformer."""

import torch

from course_lib import viz
from course_lib.experiments.shapes import follow
from course_lib.transformer import Transformer, TransformerConfig


def test_every_step_has_its_shape_and_its_boxes():
    model = Transformer(TransformerConfig(vocab_size=11, d_model=8, num_heads=2, d_ff=16, num_layers=2)).eval()
    source, target = torch.randint(11, (1, 5)), torch.randint(11, (1, 3))
    steps = follow(model, source, target)
    assert len(steps) == 3 + 2 + 1 + 2 + 1
    assert "after encoder layer 2 of 2: 1 × 5 × 8; weights 1 × 2 × 5 × 5" in steps[4][1]
    assert "1 × 3 × 8; own weights 1 × 2 × 3 × 3, cross 1 × 2 × 3 × 5" in steps[7][1]
    assert "1 × 3 × 11" in steps[-1][1] and "no parameters" in steps[2][1] and "88 parameters" in steps[1][1]
    for boxes, _ in steps:
        viz.transformer_drawing(2, lit=boxes)
