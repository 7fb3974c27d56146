"""Three fresh tries at lesson 04 after it was deepened. Each docstring says what is really wrong."""

import math

import numpy as np
import torch

from unlisted_mistakes import wrong

INF = float("-inf")


def C(n):
    return torch.ones(n, n, dtype=torch.bool).tril()


def P(ids, pad_id):
    return (ids != pad_id)[:, None, None, :]


def _x(x):
    return x.clone().detach().requires_grad_()


@wrong("04.causal_mask", "Turned over: your words see themselves and wh")
def student_cm_triu(n):
    """Upper triangle: sees what comes after, not before (row and column exchanged)."""
    return torch.ones(n, n, dtype=torch.bool).triu()


@wrong("04.causal_mask", "A word can't see itself in your mask, so the")
def student_cm_loop_slice(n):
    """The slice [:i] leaves out the word itself (diagonal closed)."""
    m = torch.zeros(n, n, dtype=torch.bool)
    for i in range(n):
        m[i, :i] = True
    return m


@wrong("04.causal_mask", "It holds floats, 1.0 and 0.0. A mask is boole")
def student_cm_float(n):
    """Float instead of boolean."""
    return torch.tril(torch.ones(n, n))


@wrong("04.causal_mask", "That is the mask for adding: 0 where one may")
def student_cm_additive(n):
    """The additive mask, 0 and -inf, not boolean."""
    return torch.zeros(n, n).masked_fill(torch.ones(n, n).triu(1) == 1, float("-inf"))


@wrong("04.causal_mask", "You marked what is forbidden. In this course,")
def student_cm_other_convention(n):
    """True where hidden: the opposite convention."""
    return torch.triu(torch.ones(n, n), diagonal=1).bool()


@wrong("04.causal_mask", "Each word sees one word too many: the one tha")
def student_cm_off(n):
    """One word too many is seen: diagonal=1."""
    return torch.tril(torch.ones(n, n, dtype=torch.bool), diagonal=1)


@wrong("04.causal_mask", "The result should be a bool tensor, yours is")
def student_cm_numpy(n):
    """A numpy array, not a tensor."""
    return np.tril(np.ones((n, n), dtype=bool))


@wrong("04.causal_mask", "That is a list of lists with the right values")
def student_cm_list(n):
    """A list of lists, not a tensor."""
    return [[j <= i for j in range(n)] for i in range(n)]


@wrong("04.causal_mask", "The triangle is mirrored: your first word see")
def student_cm_anti(n):
    """Triangle mirrored left to right (i + j < n reversed): the columns are in reverse order."""
    i, j = torch.arange(n)[:, None], torch.arange(n)
    return i + j >= n - 1


@wrong("04.causal_mask", "The last row is missing, that of the word whi")
def student_cm_prefixes(n):
    """One row for each beginning in range(1, n): n - 1 rows, the last is missing."""
    return torch.stack([torch.arange(n) < i for i in range(1, n)]) if n > 1 else torch.zeros(0, 1, dtype=torch.bool)


@wrong("04.causal_mask", "Your mask is (5, 5) whatever n is: does a 5 s")
def student_cm_five(n):
    """Right for five words only: n isn't used."""
    return torch.ones(5, 5, dtype=torch.bool).tril()


@wrong("04.causal_mask", "Your function returns None. Is there a return")
def student_cm_no_return(n):
    """Nothing is returned."""
    torch.ones(n, n).tril().bool()


@wrong("04.causal_mask", "The result should be a bool tensor, yours is")
def student_cm_bool_method(n):
    """.bool without brackets: a method, not a tensor."""
    return torch.ones(n, n).tril().bool


@wrong("04.causal_mask", "A word can't see itself in your mask, so the")
def student_cm_float_off(n):
    """Two mistakes: float, and the diagonal is closed."""
    return torch.tril(torch.ones(n, n), diagonal=-1)


@wrong("04.causal_mask", "You return one row. Each of the n queries nee")
def student_cm_vector_compare(n):
    """Two vectors compared elementwise: (n), no table (the [:, None] is missing)."""
    i = torch.arange(n)
    return i >= torch.arange(n)


@wrong("04.masked_attention", "You put zeros after the softmax, so the rows")
def student_ma_after(query, key, value, mask):
    """Zeros after the softmax: rows don't sum to 1."""
    w = (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1) * mask
    return w @ value, w


@wrong("04.masked_attention", "You close what is open: True means “may look”")
def student_ma_inverted(query, key, value, mask):
    """masked_fill(mask): fills the open ones (~ missing)."""
    s = query @ key.mT / query.shape[-1] ** 0.5
    w = s.masked_fill(mask, INF).softmax(-1).nan_to_num(0)
    return w @ value, w


@wrong("04.masked_attention", "A query with nothing to look at gives NaN: 0")
def student_ma_plain(query, key, value, mask):
    """No rule for the empty row: NaN."""
    s = query @ key.mT / query.shape[-1] ** 0.5
    w = s.masked_fill(~mask, INF).softmax(-1)
    return w @ value, w


@wrong("04.masked_attention", "A query that sees nothing gets equal weights,")
def student_ma_1e9(query, key, value, mask):
    """-1e9 for -inf: an empty row spreads its weight evenly."""
    s = query @ key.mT / math.sqrt(query.shape[-1])
    w = torch.where(mask, s, -1e9).softmax(-1)
    return w @ value, w


@wrong("04.masked_attention", "The output is free of NaN, the weights aren't")
def student_ma_output_nan(query, key, value, mask):
    """Only the output is made zero; the weights stay NaN."""
    s = query @ key.mT / query.shape[-1] ** 0.5
    w = s.masked_fill(~mask, INF).softmax(-1)
    return (w @ value).nan_to_num(0), w


@wrong("04.masked_attention", "Zero after the softmax and divided anew: righ")
def student_ma_anew(query, key, value, mask):
    """Zero and divide anew: 0/0 for an empty row, unsafe with large scores."""
    w = (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1) * mask
    w = w / w.sum(-1, keepdim=True)
    return w @ value, w


@wrong("04.masked_attention", "Where a closed score is far higher than the o")
def student_ma_anew_eps(query, key, value, mask):
    """Zero and divide anew, with a small number against 0/0: the large scores break it."""
    w = (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1) * mask
    w = w / (w.sum(-1, keepdim=True) + 1e-9)
    return w @ value, w


@wrong("04.masked_attention", "key.T turns all axes round, which is right fo")
def student_ma_T(query, key, value, mask):
    """key.T turns all axes of a batch round."""
    s = query @ key.T / query.shape[-1] ** 0.5
    w = s.masked_fill(~mask, INF).softmax(-1).nan_to_num(0)
    return w @ value, w


@wrong("04.masked_attention", "You add the mask to the scores. True counts a")
def student_ma_add(query, key, value, mask):
    """The mask is added as 1 and 0: closes nothing."""
    s = query @ key.mT / query.shape[-1] ** 0.5 + mask
    w = s.softmax(-1)
    return w @ value, w


@wrong("04.masked_attention", "You set closed scores to 0, but 0 is a score")
def student_ma_fill0(query, key, value, mask):
    """Closed scores become 0, not -inf: e^0 = 1 still counts."""
    s = query @ key.mT / query.shape[-1] ** 0.5
    w = s.masked_fill(~mask, 0).softmax(-1)
    return w @ value, w


@wrong("04.masked_attention", "You set closed scores to 0, but 0 is a score")
def student_ma_mul(query, key, value, mask):
    """Scores times mask: closed scores are 0, and the empty row is then zeroed. Two: not -inf."""
    s = query @ key.mT / query.shape[-1] ** 0.5 * mask
    w = s.softmax(-1) * mask.any(-1, keepdim=True)
    return w @ value, w


@wrong("04.masked_attention", "The numbers are right, but their gradient is")
def student_ma_additive_nan(query, key, value, mask):
    """Additive -inf and nan_to_num: forward right, the gradient is NaN."""
    bias = torch.zeros(mask.shape).masked_fill(~mask, INF)
    w = (query @ key.mT / query.shape[-1] ** 0.5 + bias).softmax(-1).nan_to_num(0.0)
    return w @ value, w


@wrong("04.masked_attention", "The scale is missing: divide the scores by √d")
def student_ma_noscale(query, key, value, mask):
    """Not divided by sqrt(d_k)."""
    s = (query @ key.mT).masked_fill(~mask, INF)
    w = s.softmax(-1).masked_fill(~mask, 0)
    return w @ value, w


@wrong("04.masked_attention", "The scale is missing: divide the scores by √d")
def student_ma_noscale_noempty(query, key, value, mask):
    """Two: no sqrt(d_k), and NaN in the empty row."""
    w = (query @ key.mT).masked_fill(~mask, INF).softmax(-1)
    return w @ value, w


@wrong("04.masked_attention", "Your softmax runs over the queries. It belong")
def student_ma_dim(query, key, value, mask):
    """Softmax over the queries (dim=-2)."""
    s = query @ key.mT / query.shape[-1] ** 0.5
    w = s.masked_fill(~mask, INF).softmax(-2).nan_to_num(0)
    return w @ value, w


@wrong("04.masked_attention", "Your rule holds only where nobody sees anythi")
def student_ma_all_or_none(query, key, value, mask):
    """The rule only for a mask that is empty as a whole, not for one row."""
    s = query @ key.mT / query.shape[-1] ** 0.5
    w = torch.zeros_like(s) if not mask.any() else s.masked_fill(~mask, INF).softmax(-1)
    return w @ value, w


@wrong("04.masked_attention", "In `s[~mask]`, given (3, 2, 5, 5) and (3, 1,")
def student_ma_index(query, key, value, mask):
    """scores[~mask] = -inf: the mask's shape isn't that of the scores (no broadcasting), in place."""
    s = query @ key.mT / query.shape[-1] ** 0.5
    s[~mask] = INF
    w = s.softmax(-1).nan_to_num(0)
    return w @ value, w


@wrong("04.masked_attention", "The given mask isn't used: you make a causal")
def student_ma_causal(query, key, value, mask):
    """Builds the causal mask itself, ignores the mask given."""
    s = query @ key.mT / query.shape[-1] ** 0.5
    causal = torch.ones(s.shape[-2:], dtype=torch.bool).tril()
    w = s.masked_fill(~causal, INF).softmax(-1)
    return w @ value, w


@wrong("04.masked_attention", "A query that sees nothing gets equal weights,")
def student_ma_min(query, key, value, mask):
    """finfo.min for -inf: the empty row is even."""
    s = query @ key.mT / query.shape[-1] ** 0.5
    w = s.masked_fill(~mask, torch.finfo(s.dtype).min).softmax(-1)
    return w @ value, w


@wrong("04.masked_attention", "The two results are in the wrong order: the o")
def student_ma_swap(query, key, value, mask):
    """Returns (weights, output)."""
    s = query @ key.mT / query.shape[-1] ** 0.5
    w = s.masked_fill(~mask, INF).softmax(-1).nan_to_num(0)
    return w, w @ value


@wrong("04.masked_attention", "The mask is turned over: rows are queries, co")
def student_ma_maskT(query, key, value, mask):
    """The mask transposed."""
    s = query @ key.mT / query.shape[-1] ** 0.5
    w = s.masked_fill(~mask.mT, INF).softmax(-1).nan_to_num(0)
    return w @ value, w


@wrong("04.decoder_mask", "`|` opens what either of the two allows. A ke")
def student_dm_or(ids, pad_id):
    """or instead of and."""
    return C(ids.shape[1]) | (ids != pad_id)[:, None, None, :]


@wrong("04.decoder_mask", "`|` opens what either of the two allows. A ke")
def student_dm_plus(ids, pad_id):
    """The masks added: + of booleans is or."""
    return C(ids.shape[1]) + (ids != pad_id)[:, None, None]


@wrong("04.decoder_mask", "You close the rows of padding, not its column")
def student_dm_query(ids, pad_id):
    """Closes the rows of padding (query axis), not the columns."""
    return C(ids.shape[1]) & (ids != pad_id)[:, None, :, None]


@wrong("04.decoder_mask", "You compare with 0. Here padding may have ano")
def student_dm_zero(ids, pad_id):
    """pad_id is taken to be 0."""
    return C(ids.shape[1]) & (ids != 0)[:, None, None, :]


@wrong("04.decoder_mask", "You close the words and open the padding. Tru")
def student_dm_eq(ids, pad_id):
    """== for !=: padding alone is seen."""
    return C(ids.shape[1]) & (ids == pad_id)[:, None, None, :]


@wrong("04.decoder_mask", "The axis of heads is missing: (batch, 1, n, n")
def student_dm_3d(ids, pad_id):
    """The axis of heads is missing: (batch, n, n)."""
    return C(ids.shape[1]) & (ids != pad_id)[:, None, :]


@wrong("04.decoder_mask", "ids != pad_id is (batch, n). Beside the trian")
def student_dm_2d(ids, pad_id):
    """The padding mask without its new axes: (batch, n) with (n, n)."""
    return C(ids.shape[1]) & (ids != pad_id)


@wrong("04.decoder_mask", "Your triangle has the size of the batch, len(")
def student_dm_batch(ids, pad_id):
    """n is the batch size: len(ids)."""
    n = len(ids)
    return C(n) & (ids != pad_id)[:, None, None, :]


@wrong("04.decoder_mask", "Your mask is made for padding at the end, by")
def student_dm_lengths(ids, pad_id):
    """Counts words and assumes that padding stands at the end."""
    n = ids.shape[1]
    lengths = (ids != pad_id).sum(1)
    pad = torch.arange(n)[None, :] < lengths[:, None]
    return C(n)[None, None] & pad[:, None, None, :]


@wrong("04.decoder_mask", "The values are right, but they are floats. A")
def student_dm_float(ids, pad_id):
    """A product of floats: not boolean."""
    return torch.ones(ids.shape[1], ids.shape[1]).tril() * (ids != pad_id)[:, None, None, :]


@wrong("04.decoder_mask", "All is turned round: True stands where one ma")
def student_dm_hidden(ids, pad_id):
    """The other convention: True where hidden."""
    n = ids.shape[1]
    return torch.ones(n, n, dtype=torch.bool).triu(1) | (ids == pad_id)[:, None, None, :]


@wrong("04.decoder_mask", "In `C(ids.shape[1]) and (ids != pad_id)[:, No")
def student_dm_and(ids, pad_id):
    """Python's `and` on tensors."""
    return C(ids.shape[1]) and (ids != pad_id)[:, None, None, :]


@wrong("04.decoder_mask", "You close the words and open the padding. Tru")
def student_dm_triu_eq(ids, pad_id):
    """Two: triu for tril, == for !=."""
    n = ids.shape[1]
    return torch.ones(n, n, dtype=torch.bool).triu() & (ids == pad_id)[:, None, None, :]


@wrong("04.decoder_mask", "A word can't see itself in your mask. Keep th")
def student_dm_strict(ids, pad_id):
    """The diagonal is closed: tril(-1)."""
    n = ids.shape[1]
    return torch.ones(n, n, dtype=torch.bool).tril(-1) & (ids != pad_id)[:, None, None, :]


@wrong("04.decoder_mask", "You close the rows of padding as well. That c")
def student_dm_both_axes(ids, pad_id):
    """Closes the rows of padding queries as well."""
    real = ids != pad_id
    return C(ids.shape[1]) & real[:, None, None, :] & real[:, None, :, None]


@wrong("04.decoder_mask", "All sentences get the mask of the first one.")
def student_dm_first_pad(ids, pad_id):
    """Uses only the first sentence's padding for the whole batch."""
    p = (ids[0] != pad_id)[None, None, None, :]
    return (C(ids.shape[1]) & p).expand(len(ids), 1, -1, -1)


@wrong("04.by_gradient", "A plain sum, or a mean, of an output's number")
def student_bg_sum(layer, x):
    """Plain sum instead of random mix."""
    x = _x(x)
    y = layer(x)
    return torch.stack([(torch.autograd.grad(y[i].sum(), x, retain_graph=True)[0] != 0).any(-1) for i in range(len(y))])


@wrong("04.by_gradient", "Rows and columns have changed places: the row")
def student_bg_T(layer, x):
    """Stacked along dim=1: transposed."""
    x = _x(x)
    y = layer(x)
    r = torch.randn(y.shape[1])
    return torch.stack(
        [(torch.autograd.grad(y[i] @ r, x, retain_graph=True)[0] != 0).any(-1) for i in range(len(y))], dim=1
    )


@wrong("04.by_gradient", "In `torch.autograd.grad(y[i] @ r, x, retain_g")
def student_bg_norequires(layer, x):
    """x doesn't require a gradient."""
    y = layer(x)
    r = torch.randn(y.shape[1])
    return torch.stack([(torch.autograd.grad(y[i] @ r, x, retain_graph=True)[0] != 0).any(-1) for i in range(len(y))])


@wrong("04.by_gradient", "You ask for a single number of each output, t")
def student_bg_first_out(layer, x):
    """Only the first number of each output is differentiated."""
    x = _x(x)
    y = layer(x)
    return torch.stack([(torch.autograd.grad(y[i, 0], x, retain_graph=True)[0] != 0).any(-1) for i in range(len(y))])


@wrong("04.by_gradient", "An output depends on an input there, and your")
def student_bg_positive(layer, x):
    """> 0 for != 0: negative gradients are overlooked."""
    x = _x(x)
    y = layer(x)
    r = torch.randn(y.shape[1])
    return torch.stack([(torch.autograd.grad(y[i] @ r, x, retain_graph=True)[0] > 0).any(-1) for i in range(len(y))])


@wrong("04.by_gradient", "In your version a word is seen only if all of")
def student_bg_all(layer, x):
    """all(-1) for any(-1)."""
    x = _x(x)
    y = layer(x)
    r = torch.randn(y.shape[1])
    return torch.stack([(torch.autograd.grad(y[i] @ r, x, retain_graph=True)[0] != 0).all(-1) for i in range(len(y))])


@wrong("04.by_gradient", "The result has the wrong dtype: expected bool")
def student_bg_norm(layer, x):
    """Returns how large the gradient is, not whether it is 0."""
    x = _x(x)
    y = layer(x)
    r = torch.randn(y.shape[1])
    return torch.stack([torch.autograd.grad(y[i] @ r, x, retain_graph=True)[0].norm(dim=-1) for i in range(len(y))])


@wrong("04.by_gradient", "In `torch.autograd.grad(y[i] @ r, x)`, given")
def student_bg_noretain(layer, x):
    """retain_graph is missing: the second derivative fails."""
    x = _x(x)
    y = layer(x)
    r = torch.randn(y.shape[1])
    return torch.stack([(torch.autograd.grad(y[i] @ r, x)[0] != 0).any(-1) for i in range(len(y))])


@wrong("04.by_gradient", "In `y[i] @ r`, given (6,) and (3,): a dot pro")
def student_bg_r_d(layer, x):
    """r has d numbers in place of d_out."""
    x = _x(x)
    y = layer(x)
    r = torch.randn(x.shape[1])
    return torch.stack([(torch.autograd.grad(y[i] @ r, x, retain_graph=True)[0] != 0).any(-1) for i in range(len(y))])


@wrong("04.by_gradient", "In `(torch.autograd.grad(y[i] @ r, x, retain_")
def student_bg_tuple(layer, x):
    """The tuple isn't opened: [0] missing."""
    x = _x(x)
    y = layer(x)
    r = torch.randn(y.shape[1])
    return torch.stack([(torch.autograd.grad(y[i] @ r, x, retain_graph=True) != 0).any(-1) for i in range(len(y))])


@wrong("04.by_gradient", "A very small influence goes unseen in your ve")
def student_bg_threshold(layer, x):
    """A threshold instead of exactly 0: small dependencies are overlooked."""
    x = _x(x)
    y = layer(x)
    r = torch.randn(y.shape[1])
    return torch.stack(
        [(torch.autograd.grad(y[i] @ r, x, retain_graph=True)[0].abs() > 1e-3).any(-1) for i in range(len(y))]
    )


@wrong("04.by_gradient", "Each row also holds what the rows before it s")
def student_bg_accumulate(layer, x):
    """x.grad is never set back: gradients of earlier outputs stay in it."""
    x = _x(x)
    y = layer(x)
    r = torch.randn(y.shape[1])
    rows = []
    for i in range(len(y)):
        (y[i] @ r).backward(retain_graph=True)
        rows.append((x.grad != 0).any(-1))
    return torch.stack(rows)


@wrong("04.by_gradient", "All rows are the same: you take the gradient")
def student_bg_total(layer, x):
    """One sum over all outputs: says which inputs matter at all, not for which output."""
    x = _x(x)
    y = layer(x)
    g = torch.autograd.grad((y * torch.randn(y.shape)).sum(), x)[0]
    return (g != 0).any(-1).expand(len(x), len(x))


@wrong("04.by_gradient", "The table holds a row for each output and in")
def student_bg_no_any(layer, x):
    """The d gradients are not joined: (n, n, d)."""
    x = _x(x)
    y = layer(x)
    r = torch.randn(y.shape[1])
    return torch.stack([torch.autograd.grad(y[i] @ r, x, retain_graph=True)[0] != 0 for i in range(len(y))])


@wrong("04.by_gradient", "A plain sum, or a mean, of an output's number")
def student_bg_sum_T(layer, x):
    """Two: plain sum, and transposed."""
    x = _x(x)
    y = layer(x)
    rows = [torch.autograd.grad(y[i].sum(), x, retain_graph=True)[0].abs().sum(-1) > 0 for i in range(len(y))]
    return torch.stack(rows).T


@wrong("04.by_gradient", "Your random numbers mix the words, one for ea")
def student_bg_mixed_words(layer, x):
    """Mixes over the words (r has n numbers), not over an output's numbers: one number per feature."""
    x = _x(x)
    y = layer(x)
    r = torch.randn(len(y))
    g = r @ y
    return torch.stack([(torch.autograd.grad(g[i], x, retain_graph=True)[0] != 0).any(-1) for i in range(len(x))])


@wrong("04.by_gradient", "You ask for the gradient of the word's first")
def student_bg_gradsum(layer, x):
    """The gradient of word j is summed: plus and minus may cancel (and a mean is not any); first gradient number only."""
    x = _x(x)
    y = layer(x)
    r = torch.randn(y.shape[1])
    return torch.stack([torch.autograd.grad(y[i] @ r, x, retain_graph=True)[0][:, 0] != 0 for i in range(len(y))])


@wrong("04.by_gradient", "A very small influence goes unseen in your ve")
def student_bg_change(layer, x):
    """Copies the slow way (by change): not the gradient."""
    before, columns = layer(x), []
    for j in range(len(x)):
        other = x.clone()
        other[j] = torch.randn(x.shape[1])
        columns.append((layer(other) != before).any(-1))
    return torch.stack(columns, dim=1)


@wrong("04.repaired", "In cross-attention the keys are the source's,")
def student_rp_two_cross(source_ids, target_ids, pad_id):
    """The cross mask is still made of the target."""
    n = target_ids.shape[1]
    return P(source_ids, pad_id), C(n) & P(target_ids, pad_id), P(target_ids, pad_id)


@wrong("04.repaired", "`|` opens what either of the two allows, the")
def student_rp_two_or(source_ids, target_ids, pad_id):
    """The | is left."""
    n = target_ids.shape[1]
    return P(source_ids, pad_id), C(n) | P(target_ids, pad_id), P(source_ids, pad_id)


@wrong("04.repaired", "The target's words see what comes later, not")
def student_rp_two_triu(source_ids, target_ids, pad_id):
    """triu is left."""
    n = target_ids.shape[1]
    return P(source_ids, pad_id), C(n).T & P(target_ids, pad_id), P(source_ids, pad_id)


@wrong("04.repaired", "One found: the triangle is the lower one now.")
def student_rp_only_tril(source_ids, target_ids, pad_id):
    """Only triu repaired: | and the cross mask are left."""
    n = target_ids.shape[1]
    return P(source_ids, pad_id), C(n) | P(target_ids, pad_id), P(target_ids, pad_id)


@wrong("04.repaired", "In the cross-attention you close rows, those")
def student_rp_cross_query(source_ids, target_ids, pad_id):
    """The cross mask closes the target's padding rows only: the source's padding is open (target on the query axis)."""
    n = target_ids.shape[1]
    return P(source_ids, pad_id), C(n) & P(target_ids, pad_id), (target_ids != pad_id)[:, None, :, None]


@wrong("04.repaired", "In the cross-attention you close rows for the")
def student_rp_cross_source_rows(source_ids, target_ids, pad_id):
    """The source's padding on the query axis of the cross mask (transposed)."""
    n = target_ids.shape[1]
    return P(source_ids, pad_id), C(n) & P(target_ids, pad_id), (source_ids != pad_id)[:, None, :, None]


@wrong("04.repaired", "The source's mask is causal now. When the tar")
def student_rp_source_causal(source_ids, target_ids, pad_id):
    """The source is made causal, too."""
    return (
        C(source_ids.shape[1]) & P(source_ids, pad_id),
        C(target_ids.shape[1]) & P(target_ids, pad_id),
        P(source_ids, pad_id),
    )


@wrong("04.repaired", "The cross-attention is causal now. When the t")
def student_rp_cross_causal(source_ids, target_ids, pad_id):
    """A triangle in the cross mask."""
    n, m = target_ids.shape[1], source_ids.shape[1]
    return (
        P(source_ids, pad_id),
        C(n) & P(target_ids, pad_id),
        torch.ones(n, m, dtype=torch.bool).tril() & P(source_ids, pad_id),
    )


@wrong("04.repaired", "The diagonal of the triangle has gone: a word")
def student_rp_strict(source_ids, target_ids, pad_id):
    """The diagonal is closed: triu turned into ~triu."""
    n = target_ids.shape[1]
    causal = ~torch.ones(n, n, dtype=torch.bool).triu()
    return P(source_ids, pad_id), causal & P(target_ids, pad_id), P(source_ids, pad_id)


@wrong("04.repaired", "The last two masks are in the wrong order: th")
def student_rp_order(source_ids, target_ids, pad_id):
    """Order: cross before target."""
    n = target_ids.shape[1]
    return P(source_ids, pad_id), P(source_ids, pad_id), C(n) & P(target_ids, pad_id)


@wrong("04.repaired", "The triangle has the source's length. It belo")
def student_rp_n(source_ids, target_ids, pad_id):
    """n is the source's length."""
    n = source_ids.shape[1]
    return P(source_ids, pad_id), C(n) & P(target_ids, pad_id), P(source_ids, pad_id)


@wrong("04.repaired", "The target's mask closes the source's padding")
def student_rp_target_source(source_ids, target_ids, pad_id):
    """The target's mask takes the source's padding."""
    n = target_ids.shape[1]
    return P(source_ids, pad_id), C(n) & P(source_ids, pad_id), P(source_ids, pad_id)


@wrong("04.repaired", "The target's words see the padding and nothin")
def student_rp_eq(source_ids, target_ids, pad_id):
    """All != turned into ==."""
    n = target_ids.shape[1]
    return ~P(source_ids, pad_id), C(n) & ~P(target_ids, pad_id), ~P(source_ids, pad_id)


@wrong("04.repaired", "In the cross-attention both paddings stand on")
def student_rp_cross_and(source_ids, target_ids, pad_id):
    """The cross mask joins both paddings on the key axis: fails/wrong where lengths differ."""
    n = target_ids.shape[1]
    return P(source_ids, pad_id), C(n) & P(target_ids, pad_id), P(source_ids, pad_id) & P(target_ids, pad_id)


@wrong("04.repaired", "The triangle alone is no mask of the target:")
def student_rp_nopad(source_ids, target_ids, pad_id):
    """The target's mask is causal alone."""
    n = target_ids.shape[1]
    return P(source_ids, pad_id), C(n), P(source_ids, pad_id)


@wrong("04.causal_mask", "It holds whole numbers. A mask is boolean: dt")
def student_second_cm_int(n):
    """1 and 0 as whole numbers from a list, not boolean."""
    return torch.tensor([[1 if j <= i else 0 for j in range(n)] for i in range(n)])


@wrong("04.causal_mask", "Turned over: your words see themselves and wh")
def student_second_cm_outer(n):
    """The loop over columns fills m[j, i]: transposed."""
    m = torch.zeros(n, n).bool()
    for i in range(n):
        for j in range(i + 1):
            m[j, i] = True
    return m


@wrong("04.causal_mask", "The result: only the first query is wrong, al")
def student_second_cm_first_row(n):
    """range(1, n): the first row stays empty."""
    m = torch.zeros(n, n, dtype=torch.bool)
    for i in range(1, n):
        m[i, : i + 1] = True
    return m


@wrong("04.causal_mask", "Nothing is open: a triangle cut out of zeros")
def student_second_cm_zeros(n):
    """tril of zeros: nothing is open."""
    return torch.zeros(n, n, dtype=torch.bool).tril()


@wrong("04.causal_mask", "The mask needs no axes for batch and head: it")
def student_second_cm_batch(n):
    """Made for (batch, head): axes of length 1 in front."""
    return torch.ones(1, 1, n, n, dtype=torch.bool).tril()


@wrong("04.causal_mask", "You marked what is forbidden. In this course,")
def student_second_cm_hidden_float(n):
    """Two: True where hidden (1 above the diagonal), and float."""
    return torch.triu(torch.ones(n, n), diagonal=1)


@wrong("04.masked_attention", "You set every row to zero in which anything i")
def student_second_ma_zero_query(query, key, value, mask):
    """Masks the output rows: a query whose row has a closed key is cut; uses mask.all instead of mask.any."""
    s = query @ key.mT / query.shape[-1] ** 0.5
    w = s.masked_fill(~mask, INF).softmax(-1).nan_to_num(0) * mask.all(-1, keepdim=True)
    return w @ value, w


@wrong("04.masked_attention", "You divide the scores by √n, the number of ke")
def student_second_ma_scale_after(query, key, value, mask):
    """sqrt(d_k) is taken of the number of keys and no rule for empty rows: two."""
    s = query @ key.mT / key.shape[-2] ** 0.5
    w = s.masked_fill(~mask, INF).softmax(-1)
    return w @ value, w


@wrong("04.masked_attention", "exp of a very low score is 0, so a row may ha")
def student_second_ma_hand_exp(query, key, value, mask):
    """exp by hand without taking off the maximum: overflows with high scores, and 0/0 in the empty row."""
    e = (query @ key.mT / query.shape[-1] ** 0.5).exp() * mask
    w = e / e.sum(-1, keepdim=True)
    return w @ value, w


@wrong("04.masked_attention", "You close what is open: True means “may look”")
def student_second_ma_where_swapped(query, key, value, mask):
    """torch.where with its values exchanged."""
    s = query @ key.mT / query.shape[-1] ** 0.5
    w = torch.where(mask, torch.tensor(INF), s).softmax(-1).nan_to_num(0)
    return w @ value, w


@wrong("04.masked_attention", "−∞ multiplied by 0 is NaN, so every open scor")
def student_second_ma_value_scale(query, key, value, mask):
    """-inf times the open part: 0 * inf is NaN."""
    s = query @ key.mT / query.shape[-1] ** 0.5 + (1 - mask.float()) * INF
    w = s.softmax(-1).nan_to_num(0)
    return w @ value, w


@wrong("04.masked_attention", "The output is right, the weights that you ret")
def student_second_ma_output_only_zero(query, key, value, mask):
    """Empty rows: the output is set to zero, the weights come from -1e9 (even)."""
    s = query @ key.mT / query.shape[-1] ** 0.5
    w = s.masked_fill(~mask, -1e9).softmax(-1)
    return (w @ value) * mask.any(-1, keepdim=True), w


@wrong("04.decoder_mask", "You return both masks, one beside the other.")
def student_second_dm_tuple(ids, pad_id):
    """Returns the two masks, not joined."""
    return C(ids.shape[1]), (ids != pad_id)[:, None, None, :]


@wrong("04.decoder_mask", "The sentences stand on the axis of queries: [")
def student_second_dm_3axes(ids, pad_id):
    """Two axes in front of the sentences: (1, 1, batch, n) on the query axis."""
    return C(ids.shape[1]) & (ids != pad_id)[None, None, :, :]


@wrong("04.decoder_mask", "`^` is True where exactly one of the two allo")
def student_second_dm_xor(ids, pad_id):
    """^ instead of &."""
    return C(ids.shape[1]) ^ (ids != pad_id)[:, None, None, :]


@wrong("04.decoder_mask", "You compare the numbers of the words, ids, to")
def student_second_dm_causal_of_ids(ids, pad_id):
    """Compares the words' numbers, not their places: ids[:, None] <= ids."""
    return ((ids[:, None, :] <= ids[:, :, None]) & (ids != pad_id)[:, None, :])[:, None]


@wrong("04.decoder_mask", "You compare with 0. Here padding may have ano")
def student_second_dm_off_pad(ids, pad_id):
    """Two: one word too many (tril(1)), and pad_id taken as 0."""
    n = ids.shape[1]
    return torch.ones(n, n, dtype=torch.bool).tril(1) & (ids != 0)[:, None, None, :]


@wrong("04.decoder_mask", "You close the rows of padding, not its column")
def student_second_dm_query_float(ids, pad_id):
    """Two: padding on the query axis, and the axis of heads missing."""
    return C(ids.shape[1]) & (ids != pad_id)[:, :, None]


@wrong("04.by_gradient", "A plain sum, or a mean, of an output's number")
def student_second_bg_mean(layer, x):
    """The mean of an output's numbers: can cancel."""
    x = _x(x)
    y = layer(x)
    return torch.stack(
        [(torch.autograd.grad(y[i].mean(), x, retain_graph=True)[0] != 0).any(-1) for i in range(len(y))]
    )


@wrong("04.by_gradient", "You ask where a gradient is 0. An output depe")
def student_second_bg_eq(layer, x):
    """== 0 instead of != 0: any gradient that is 0."""
    x = _x(x)
    y = layer(x)
    return torch.stack(
        [
            (torch.autograd.grad((y[i] * torch.randn_like(y[i])).sum(), x, retain_graph=True)[0] == 0).any(-1)
            for i in range(len(y))
        ]
    )


@wrong("04.by_gradient", "You ask along the words, so a column stands f")
def student_second_bg_dim0(layer, x):
    """any over the words (dim 0)."""
    x = _x(x)
    y = layer(x)
    return torch.stack(
        [
            (torch.autograd.grad((y[i] * torch.randn_like(y[i])).sum(), x, retain_graph=True)[0] != 0).any(0)
            for i in range(len(y))
        ]
    )


@wrong("04.by_gradient", "In `torch.autograd.grad((y[i] * torch.randn_l")
def student_second_bg_clone_after(layer, x):
    """The layer gets the old x, the gradient is asked of the clone: not in the graph."""
    z = x.clone().requires_grad_()
    y = layer(x.requires_grad_())
    return torch.stack(
        [
            (torch.autograd.grad((y[i] * torch.randn_like(y[i])).sum(), z, retain_graph=True)[0] != 0).any(-1)
            for i in range(len(y))
        ]
    )


@wrong("04.by_gradient", "In `torch.autograd.grad(y[i] * torch.randn_li")
def student_second_bg_no_number(layer, x):
    """grad of a vector, not of one number."""
    x = _x(x)
    y = layer(x)
    return torch.stack(
        [
            (torch.autograd.grad(y[i] * torch.randn_like(y[i]), x, retain_graph=True)[0] != 0).any(-1)
            for i in range(len(y))
        ]
    )


@wrong("04.by_gradient", "Each output gives a single True or False: .an")
def student_second_bg_input_mixed(layer, x):
    """The gradient is mixed with the sum over the words: (n, d) summed to a number: one column."""
    x = _x(x)
    y = layer(x)
    return torch.stack(
        [
            (torch.autograd.grad((y[i] * torch.randn_like(y[i])).sum(), x, retain_graph=True)[0] != 0).any()
            for i in range(len(y))
        ]
    )


@wrong("04.repaired", "You close the rows of the target's padding, n")
def student_second_rp_source_or(source_ids, target_ids, pad_id):
    """Two of three: triu and the cross mask repaired, but the padding's row goes (query axis) in the target."""
    n = target_ids.shape[1]
    return P(source_ids, pad_id), C(n) & (target_ids != pad_id)[:, None, :, None], P(source_ids, pad_id)


@wrong("04.repaired", "For the cross-attention you return the target")
def student_second_rp_cross_target_mask(source_ids, target_ids, pad_id):
    """The cross mask is the causal target mask."""
    t = C(target_ids.shape[1]) & P(target_ids, pad_id)
    return P(source_ids, pad_id), t, t


@wrong("04.repaired", "The target sees one word too many, the one th")
def student_second_rp_triu1(source_ids, target_ids, pad_id):
    """~triu(1) meant, but written tril(1): one word too many."""
    n = target_ids.shape[1]
    return (
        P(source_ids, pad_id),
        torch.ones(n, n, dtype=torch.bool).tril(1) & P(target_ids, pad_id),
        P(source_ids, pad_id),
    )


@wrong("04.repaired", "`|` opens what either of the two allows, the")
def student_second_rp_plus(source_ids, target_ids, pad_id):
    """| turned into +: still or."""
    n = target_ids.shape[1]
    return P(source_ids, pad_id), C(n) + P(target_ids, pad_id), P(source_ids, pad_id)


@wrong("04.repaired", "The source's mask is causal now. When the tar")
def student_second_rp_cross_source_causal(source_ids, target_ids, pad_id):
    """Both source and cross causal with the source's triangle."""
    t = C(source_ids.shape[1]) & P(source_ids, pad_id)
    return t, C(target_ids.shape[1]) & P(target_ids, pad_id), P(source_ids, pad_id)


@wrong("04.repaired", "The target's mask has the wrong dtype: expect")
def student_second_rp_float(source_ids, target_ids, pad_id):
    """The target mask is a product of floats."""
    n = target_ids.shape[1]
    return P(source_ids, pad_id), torch.ones(n, n).tril() * P(target_ids, pad_id), P(source_ids, pad_id)


@wrong("04.causal_mask", "A word can't see itself in your mask, so the")
def student_third_cm_range_off(n):
    """arange(1, n + 1) for the columns: the word itself is closed."""
    return torch.arange(n)[:, None] >= torch.arange(1, n + 1)


@wrong("04.causal_mask", "The rows of your list have different lengths,")
def student_third_cm_mod(n):
    """Repeats one row [True]*i without filling: a ragged list."""
    return torch.tensor([[True] * (i + 1) for i in range(n)])


@wrong("04.causal_mask", "You marked what is forbidden. In this course,")
def student_third_cm_logical(n):
    """~tril: what is forbidden, the diagonal open?? ~ of the right mask."""
    return ~torch.tril(torch.ones(n, n, dtype=torch.bool))


@wrong("04.causal_mask", "Each word sees itself and the one after it. I")
def student_third_cm_pairs(n):
    """j - i in {0, 1}: wrong sign and window; sees itself and the next word."""
    i = torch.arange(n)
    d = i[None, :] - i[:, None]
    return (d == 0) | (d == 1)


@wrong("04.causal_mask", "Turned over: your words see themselves and wh")
def student_third_cm_n2(n):
    """The flat vector (n * n) reshaped by columns: view of the transposed."""
    return (torch.arange(n).repeat(n) >= torch.arange(n).repeat_interleave(n)).view(n, n)


@wrong("04.causal_mask", "That is the mask for adding: 0 where one may")
def student_third_cm_inf_two(n):
    """Additive, and one word too many (diagonal=2)."""
    return torch.full((n, n), INF).triu(2)


@wrong("04.masked_attention", "Your −1e9 goes where one may look, so what is")
def student_third_ma_sub(query, key, value, mask):
    """Subtracts 1e9 times the mask: closes what is open, empty rows even."""
    s = query @ key.mT / query.shape[-1] ** 0.5 - 1e9 * mask
    w = s.softmax(-1)
    return w @ value, w


@wrong("04.masked_attention", "query.shape[1] is d_k for a single sentence o")
def student_third_ma_shape0(query, key, value, mask):
    """d_k is read from query.shape[1]."""
    s = query @ key.mT / query.shape[1] ** 0.5
    w = s.masked_fill(~mask, INF).softmax(-1).nan_to_num(0)
    return w @ value, w


@wrong("04.masked_attention", "The output has the wrong shape: expected (que")
def student_third_ma_value(query, key, value, mask):
    """Mixes keys, not values."""
    s = query @ key.mT / query.shape[-1] ** 0.5
    w = s.masked_fill(~mask, INF).softmax(-1).nan_to_num(0)
    return w @ key, w


@wrong("04.masked_attention", "In `not mask`, given (5, 6): a whole tensor i")
def student_third_ma_not(query, key, value, mask):
    """Python's `not mask`."""
    s = query @ key.mT / query.shape[-1] ** 0.5
    w = s.masked_fill(not mask, INF).softmax(-1).nan_to_num(0)
    return w @ value, w


@wrong("04.masked_attention", "The mask has no effect: every query sees ever")
def student_third_ma_forgot_assign(query, key, value, mask):
    """masked_fill isn't in place: its result is thrown away; then weights are zeroed."""
    s = query @ key.mT / query.shape[-1] ** 0.5
    s.masked_fill(~mask, INF)
    w = s.softmax(-1)
    return w @ value, w


@wrong("04.masked_attention", "A query that sees nothing gets equal weights,")
def student_third_ma_empty_even_fix(query, key, value, mask):
    """NaN replaced by 1/n: the empty row gets equal weights."""
    s = query @ key.mT / query.shape[-1] ** 0.5
    w = s.masked_fill(~mask, INF).softmax(-1).nan_to_num(1 / key.shape[-2])
    return w @ value, w


@wrong("04.decoder_mask", "the padding stands on the axis of queries; it")
def student_third_dm_unsq(ids, pad_id):
    """unsqueeze(1) and unsqueeze(3): the query axis, and padding equal ==: two."""
    return C(ids.shape[1]) & (ids == pad_id).unsqueeze(1).unsqueeze(3)


@wrong("04.decoder_mask", "Only what padding sees of padding is closed.")
def student_third_dm_pair(ids, pad_id):
    """Closes where both, query and key, are padding, only."""
    p = ids == pad_id
    return C(ids.shape[1]) & ~(p[:, None, None, :] & p[:, None, :, None])


@wrong("04.decoder_mask", "You open the padding, to everybody: beside wh")
def student_third_dm_causal_only_pad(ids, pad_id):
    """Returns causal expanded, with pad rows open: where(pad, True, causal)."""
    return torch.where((ids == pad_id)[:, None, None, :], True, C(ids.shape[1]))


@wrong("04.decoder_mask", "The axis of heads has as many places as there")
def student_third_dm_heads(ids, pad_id):
    """Repeats over n heads: (batch, n, n, n)."""
    n = ids.shape[1]
    return (C(n) & (ids != pad_id)[:, None, None, :]).repeat(1, n, 1, 1)


@wrong("04.decoder_mask", "Turned over: your words see themselves and wh")
def student_third_dm_triu0(ids, pad_id):
    """The triangle is turned: .T."""
    return C(ids.shape[1]).T & (ids != pad_id)[:, None, None, :]


@wrong("04.decoder_mask", "The result has the wrong shape: expected (bat")
def student_third_dm_n1(ids, pad_id):
    """Mask made for the shifted input: n - 1 words."""
    n = ids.shape[1] - 1
    return C(n) & (ids[:, :-1] != pad_id)[:, None, None, :]


@wrong("04.by_gradient", "In `torch.autograd.grad((y[i] * torch.randn_l")
def student_third_bg_zeros_r(layer, x):
    """The output is detached before it is differentiated."""
    x = _x(x)
    y = layer(x).detach()
    return torch.stack(
        [
            (torch.autograd.grad((y[i] * torch.randn_like(y[i])).sum(), x, retain_graph=True)[0] != 0).any(-1)
            for i in range(len(y))
        ]
    )


@wrong("04.by_gradient", "A very small influence goes unseen in your ve")
def student_third_bg_round(layer, x):
    """Rounds the gradient before asking."""
    x = _x(x)
    y = layer(x)
    return torch.stack(
        [
            (
                torch.autograd.grad((y[i] * torch.randn_like(y[i])).sum(), x, retain_graph=True)[0].round(decimals=4)
                != 0
            ).any(-1)
            for i in range(len(y))
        ]
    )


@wrong("04.by_gradient", "You return a list of 5 tensors. Make one of t")
def student_third_bg_list(layer, x):
    """Returns a list of rows, not stacked."""
    x = _x(x)
    y = layer(x)
    return [
        (torch.autograd.grad((y[i] * torch.randn_like(y[i])).sum(), x, retain_graph=True)[0] != 0).any(-1)
        for i in range(len(y))
    ]


@wrong("04.by_gradient", "The rows stand one behind the other, in a sin")
def student_third_bg_cat(layer, x):
    """torch.cat instead of stack: (n * n)."""
    x = _x(x)
    y = layer(x)
    return torch.cat(
        [
            (torch.autograd.grad((y[i] * torch.randn_like(y[i])).sum(), x, retain_graph=True)[0] != 0).any(-1)
            for i in range(len(y))
        ]
    )


@wrong("04.by_gradient", "Your loop counts to d, the length of a word's")
def student_third_bg_range_d(layer, x):
    """Loops over range(x.shape[1]), the d numbers, not the n words."""
    x = _x(x)
    y = layer(x)
    return torch.stack(
        [
            (torch.autograd.grad((y[i] * torch.randn_like(y[i])).sum(), x, retain_graph=True)[0] != 0).any(-1)
            for i in range(x.shape[1])
        ]
    )


@wrong("04.by_gradient", "You cut away what lies above the diagonal, an")
def student_third_bg_causal_and(layer, x):
    """Cuts the table down to the causal part: & tril."""
    x = _x(x)
    y = layer(x)
    t = torch.stack(
        [
            (torch.autograd.grad((y[i] * torch.randn_like(y[i])).sum(), x, retain_graph=True)[0] != 0).any(-1)
            for i in range(len(y))
        ]
    )
    return t & torch.ones_like(t).tril()


@wrong("04.repaired", "The cross-attention's mask has the wrong shap")
def student_third_rp_two_missing(source_ids, target_ids, pad_id):
    """Two of three: the cross mask and & repaired, triu left... and source mask as target."""
    n = target_ids.shape[1]
    return P(source_ids, pad_id), C(n) & P(target_ids, pad_id), P(source_ids, pad_id) | P(source_ids, pad_id).mT


@wrong("04.repaired", "`|` opens what either of the two allows, the")
def student_third_rp_neg(source_ids, target_ids, pad_id):
    """~triu for tril, and | left: two."""
    n = target_ids.shape[1]
    return P(source_ids, pad_id), ~C(n).T | P(target_ids, pad_id), P(source_ids, pad_id)


@wrong("04.repaired", "The cross-attention's mask has the wrong shap")
def student_third_rp_cross_2d(source_ids, target_ids, pad_id):
    """The cross mask without its new axes: (batch, n_source)."""
    n = target_ids.shape[1]
    return P(source_ids, pad_id), C(n) & P(target_ids, pad_id), source_ids != pad_id


@wrong("04.repaired", "The cross-attention is causal now. When the t")
def student_third_rp_causal_all(source_ids, target_ids, pad_id):
    """Everything is made causal, source and cross too."""
    n, m = target_ids.shape[1], source_ids.shape[1]
    return (
        C(m) & P(source_ids, pad_id),
        C(n) & P(target_ids, pad_id),
        torch.ones(n, m, dtype=torch.bool).tril() & P(source_ids, pad_id),
    )


@wrong("04.repaired", "Expected 3 results: (batch head query key), t")
def student_third_rp_missing(source_ids, target_ids, pad_id):
    """Returns two masks only."""
    n = target_ids.shape[1]
    return P(source_ids, pad_id), C(n) & P(target_ids, pad_id)


@wrong("04.repaired", "In the cross-attention you close rows, those")
def student_third_rp_joined_masks(source_ids, target_ids, pad_id):
    """The cross mask closes query rows of the source's... joins target rows and forgets the source: target.mT | source."""
    n = target_ids.shape[1]
    return P(source_ids, pad_id), C(n) & P(target_ids, pad_id), P(target_ids, pad_id).mT | P(source_ids, pad_id)
