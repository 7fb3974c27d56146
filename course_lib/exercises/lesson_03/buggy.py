"""The code with bugs that a student of lesson 03 is given."""


def repaired(x, W_Q, W_K, W_V, W_O, num_heads):
    """Multi-head self-attention of x (batch, n, d_model): returns (batch, n, d_model)."""
    batch, n, d_model = x.shape
    query = (x @ W_Q.mT).reshape(batch, n, num_heads, -1)
    key = (x @ W_K.mT).reshape(batch, n, num_heads, -1)
    value = (x @ W_V.mT).reshape(batch, n, num_heads, -1)
    scores = query @ key.mT / query.shape[-1] ** 0.5
    heads = scores.softmax(dim=-1) @ value
    return heads.reshape(batch, n, d_model) @ W_O
