"""What a fine-tuning starts from, and what is looked at while it runs."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from course_lib.bert import Bert, BertConfig
from course_lib.bert_heads import Classifier

SIZES = BertConfig(vocab_size=7, d_model=4, num_heads=2, d_ff=8, num_layers=1, max_len=8, dropout=0.0)


def classifier(classes):
    with torch.random.fork_rng(devices=[]):
        return Classifier(Bert(SIZES), classes)


@dataclass(eq=False)
class Start:
    """All numbers of a small classifier. A case holds these, and each run makes a model of its own of them."""

    classes: int
    numbers: Tensor

    def model(self):
        model = classifier(self.classes)
        parameters = list(model.parameters())
        for parameter, numbers in zip(parameters, self.numbers.split([each.numel() for each in parameters])):
            parameter.data.copy_(numbers.view_as(parameter))
        return model

    def __eq__(self, other):
        return torch.equal(self.numbers, other.numbers)

    __hash__ = None


def trained(submission, start, *given):
    """What the submission returns for such a model, and what has become of it: W and its bias, the pooler, and all below.

    And whether a gradient came as far as each of the three.
    """
    model = start.model()
    bert = model.bert
    parts = (model.head, bert.pooler, nn.ModuleList([bert.token, bert.positions, bert.embedding_norm, bert.blocks]))
    before, reached = [_parameters(part) for part in parts], set()
    for part in parts:
        for parameter in part.parameters():
            parameter.register_hook(lambda _, part=part: reached.add(part))
    losses = submission(model, *given)
    after = [_parameters(part) for part in parts]
    way = [part in reached or not torch.equal(*pair) for part, *pair in zip(parts, before, after)]
    return losses, *after, torch.tensor(way)


def _parameters(module):
    return torch.cat([parameter.detach().flatten() for parameter in module.parameters()])
