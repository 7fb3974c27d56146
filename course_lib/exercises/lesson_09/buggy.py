"""The code with bugs that a student of lesson 09 is given."""


def translation_loss(logits, target, pad_id):
    """The mean of −log p(right next token) in nats, over all tokens of the batch that are asked for.

    target (batch, m): START, the tokens, END, then padding, pad_id
    logits (batch, m − 1, vocab): what the decoder said after reading target[:, :-1]
    """
    log_p = logits.log_softmax(dim=-1)
    wanted = target[:, :-1]
    right = log_p.gather(-1, wanted[..., None]).squeeze(-1)
    return -right.mean()
