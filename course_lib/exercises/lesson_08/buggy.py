"""The code with bugs that a student of lesson 08 is given."""


def tied(table, step, ids, states):
    """One training step, then word vectors and logits, both from the same table.

    table (vocab, d_model) · step (vocab, d_model), what training adds to the table
    ids (..., n), words that go in · states (..., n, d_model), what comes out of the decoder
    Returns (vectors (..., n, d_model), logits (..., n, vocab)).
    """
    output_table = table.clone()
    table = table + step
    vectors = table[ids] * table.shape[0] ** 0.5
    logits = states @ output_table.mT * table.shape[1] ** 0.5
    return vectors, logits
