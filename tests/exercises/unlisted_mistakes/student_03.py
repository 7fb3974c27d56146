"""What a fresh student tried in lesson 03, Multi-head attention, before the cards were seen."""

import math

import torch
from torch import nn

from course_lib import attention
from unlisted_mistakes import wrong

K = "03.split_heads"


@wrong(K)
def s1(x, num_heads):
    return x.view(x.shape[0], num_heads, x.shape[1], -1)


@wrong(K)
def s2(x, num_heads):
    return torch.split(x, num_heads, dim=-1)


@wrong(K)
def s3(x, num_heads):
    return torch.stack(torch.split(x, num_heads, dim=-1), dim=1)


@wrong(K)
def s4(x, num_heads):
    b, n, w = x.shape
    return x.reshape(b, n, w // num_heads, num_heads).permute(0, 3, 1, 2)


@wrong(K)
def s5(x, num_heads):
    b, n, w = x.shape
    return x.reshape(b, n, num_heads, w // num_heads).permute(0, 2, 3, 1)


@wrong(K)
def s6(x, num_heads):
    b, n, w = x.shape
    return x.reshape(b * num_heads, n, w // num_heads)


@wrong(K)
def s7(x, num_heads):
    d = x.shape[-1] // num_heads
    return torch.stack([x[:, :, i * d : i * d + d] for i in range(num_heads)], dim=2)


@wrong(K)
def s8(x, num_heads):
    d = x.shape[-1] // num_heads
    return torch.stack([x[:, :, i * d : (i + 1) * d] for i in range(num_heads)])


@wrong(K)
def s9(x, num_heads):
    x.shape[-1] // num_heads
    return torch.stack([x[:, :, i * num_heads : (i + 1) * num_heads] for i in range(num_heads)], 1)


@wrong(K)
def s10(x, num_heads):
    b, n, w = x.shape
    return x.reshape(b, n, num_heads, w // num_heads).swapaxes(0, 1)


@wrong(K)
def s11(x, num_heads):
    return torch.stack(x.chunk(num_heads, -1), -1)


@wrong(K)
def s12(x, num_heads):
    b, n, w = x.shape
    return x.reshape(b, n, num_heads, w // num_heads).transpose(1, 2).transpose(2, 3)


@wrong(K)
def s13(x, num_heads):
    n, w = x.shape
    return x.reshape(n, num_heads, w // num_heads).transpose(0, 1)


@wrong(K)
def s14(x, num_heads):
    x.reshape(x.shape[0], x.shape[1], num_heads, -1).transpose(1, 2)


K = "03.merge_heads"


@wrong(K)
def m1(x):
    b, h, n, d = x.shape
    return x.transpose(1, 2).view(b, n, h * d)


@wrong(K)
def m2(x):
    b, h, n, d = x.shape
    return x.reshape(b, n, h * d)


@wrong(K)
def m3(x):
    return torch.cat([x[:, i] for i in range(x.shape[1])], dim=1)


@wrong(K)
def m4(x):
    b, n, h, d = x.shape
    return x.transpose(1, 2).reshape(b, n, h * d)


@wrong(K)
def m5(x):
    return x.permute(0, 2, 3, 1).reshape(x.shape[0], x.shape[2], -1)


@wrong(K)
def m6(x):
    return torch.cat([x[i] for i in range(x.shape[0])], dim=-1)


@wrong(K)
def m7(x):
    return x.permute(0, 2, 1, 3)


@wrong(K)
def m8(x):
    return torch.cat(list(x), dim=-1)


@wrong(K)
def m9(x):
    b, h, n, d = x.shape
    return x.permute(2, 0, 1, 3).reshape(b, n, h * d)


@wrong(K)
def m10(x):
    return torch.stack([x[:, i] for i in range(x.shape[1])], dim=2)


@wrong(K)
def m11(x):
    return torch.cat(x.chunk(x.shape[1], dim=1), dim=-1)


@wrong(K)
def m12(x):
    return x.transpose(1, 2).flatten(1)


@wrong(K)
def m13(x):
    return torch.cat([x[:, i] for i in range(1, x.shape[1])], dim=-1)


K = "03.MultiHeadAttention"


def split(x, h):
    return x.unflatten(-1, (h, -1)).transpose(1, 2)


def merge(x):
    return x.transpose(1, 2).flatten(-2)


sdpa = attention.scaled_dot_product_attention


class B(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)


@wrong(K)
class c1(B):
    def forward(self, q, k, v):
        q, k, v = self.W_Q(q), self.W_K(k), self.W_V(v)
        o, w = sdpa(q, k, v)
        return self.W_O(o), w


@wrong(K)
class c2(B):
    def forward(self, q, k, v):
        q, k, v = split(q, self.num_heads), split(k, self.num_heads), split(v, self.num_heads)
        o, w = sdpa(q, k, v)
        return self.W_O(merge(o)), w


@wrong(K)
class c3(B):
    def forward(self, q, k, v):
        q, k, v = [split(W(x), self.num_heads) for W, x in ((self.W_Q, q), (self.W_K, k), (self.W_V, v))]
        o, w = sdpa(q, k, v)
        return merge(o), w


@wrong(K)
class c4(B):
    def forward(self, q, k, v):
        q, k, v = [split(W(x), self.num_heads) for W, x in ((self.W_Q, q), (self.W_K, k), (self.W_V, v))]
        o, w = sdpa(q, k, v)
        return merge(self.W_O(o)), w


@wrong(K)
class c5(B):
    def forward(self, q, k, v):
        q, k, v = [
            self.W_Q(split(q, self.num_heads)),
            self.W_K(split(k, self.num_heads)),
            self.W_V(split(v, self.num_heads)),
        ]
        o, w = sdpa(q, k, v)
        return self.W_O(merge(o)), w


@wrong(K)
class c6(B):
    def forward(self, q, k, v):
        q, k, v = [split(W(x), self.num_heads) for W, x in ((self.W_Q, q), (self.W_K, k), (self.W_V, v))]
        o = sdpa(q, k, v)
        return self.W_O(merge(o[0])), o[0]


@wrong(K)
class c7(B):
    def forward(self, q, k, v):
        q, k, v = [split(W(x), self.num_heads) for W, x in ((self.W_Q, q), (self.W_K, k), (self.W_V, v))]
        w = (q @ k.mT).softmax(-1) / q.shape[-1] ** 0.5
        return self.W_O(merge(w @ v)), w


@wrong(K)
class c8(B):
    def forward(self, q, k, v):
        q, k, v = [split(W(x), self.num_heads) for W, x in ((self.W_Q, q), (self.W_K, k), (self.W_V, v))]
        w = (q @ k.mT / math.sqrt(self.W_Q.out_features)).softmax(-1)
        return self.W_O(merge(w @ v)), w


@wrong(K)
class c9(B):
    def forward(self, q, k, v):
        q, k, v = [split(W(q), self.num_heads) for W in (self.W_Q, self.W_K, self.W_V)]
        o, w = sdpa(q, k, v)
        return self.W_O(merge(o)), w


@wrong(K)
class c10(B):
    def forward(self, q, k, v):
        q, k, v = [split(W(x), self.num_heads) for W, x in ((self.W_Q, q), (self.W_K, k), (self.W_V, v))]
        outs = []
        ws = []
        for h in range(self.num_heads):
            o, w = sdpa(q[:, h], k[:, h], v[:, h])
            outs.append(o)
            ws.append(w)
        return self.W_O(torch.cat(outs, -1)), torch.stack(ws)


@wrong(K)
class c11(B):
    def forward(self, q, k, v):
        q, k, v = [split(W(x), self.num_heads) for W, x in ((self.W_Q, q), (self.W_K, k), (self.W_V, v))]
        ws = []
        outs = []
        for h in range(self.num_heads):
            o, w = sdpa(q[:, h], k[:, h], v[:, h])
            outs.append(o)
            ws.append(w)
        return self.W_O(sum(outs)), torch.stack(ws, 1)


@wrong(K)
class c12(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        d = d_model // num_heads
        self.W_Q = nn.Linear(d_model, d)
        self.W_K = nn.Linear(d_model, d)
        self.W_V = nn.Linear(d_model, d)
        self.W_O = nn.Linear(d_model, d_model)

    def forward(self, q, k, v):
        o, w = sdpa(self.W_Q(q), self.W_K(k), self.W_V(v))
        return self.W_O(o), w


@wrong(K)
class c13(B):
    def forward(self, q, k, v):
        b, n, d = q.shape
        q, k, v = [
            W(x).view(b, n, self.num_heads, -1).transpose(1, 2)
            for W, x in ((self.W_Q, q), (self.W_K, k), (self.W_V, v))
        ]
        o, w = sdpa(q, k, v)
        return self.W_O(merge(o)), w


@wrong(K)
class c14(B):
    def forward(self, q, k, v):
        q, k, v = [split(W(x), self.num_heads) for W, x in ((self.W_Q, q), (self.W_K, k), (self.W_V, v))]
        o, w = sdpa(q, k, v)
        return self.W_O(o.flatten(1, 2)), w


@wrong(K)
class c15(B):
    def forward(self, q, k, v):
        q, k, v = [split(W(x), self.num_heads) for W, x in ((self.W_Q, q), (self.W_K, k), (self.W_V, v))]
        o, w = sdpa(q, k, v)
        o = merge(o)
        return self.W_O(o), w.mean(1)


@wrong(K)
class c16(B):
    def __init__(self, d_model, num_heads):
        super().__init__(d_model, num_heads)
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, q, k, v):
        q, k, v = [split(W(x), self.num_heads) for W, x in ((self.W_Q, q), (self.W_K, k), (self.W_V, v))]
        o, w = sdpa(q, k, v)
        return self.W_O(merge(o)), w


@wrong(K)
class c17(B):
    def forward(self, q, k, v):
        q, k, v = [split(W(x), self.num_heads) for W, x in ((self.W_Q, q), (self.W_K, k), (self.W_V, v))]
        o, w = sdpa(q, k, v)
        return (self.W_O(merge(o)) + q.flatten(2) if False else self.W_O(merge(o)).relu()), w


@wrong(K)
class c18(B):
    def forward(self, q, k, v):
        q, k, v = [split(W(x), self.num_heads) for W, x in ((self.W_Q, q), (self.W_K, k), (self.W_V, v))]
        o, w = sdpa(q, k, v)
        return merge(o) @ self.W_O.weight, w


@wrong(K)
class c19(B):
    def forward(self, q, k, v):
        q, k, v = [split(W(x), self.num_heads) for W, x in ((self.W_Q, q), (self.W_K, k), (self.W_V, v))]
        o, w = sdpa(q, k, v)
        return merge(o) @ self.W_O.weight.T, w


K = "03.strongest_head"


@wrong(K)
def h1(weights, query, key):
    return weights[:, :, query, key].argmax()


@wrong(K)
def h2(weights, query, key):
    w = weights[:, :, query, key]
    return w.max(0).indices, w.max(1).indices


@wrong(K)
def h3(weights, query, key):
    i = weights[:, :, query, key].argmax().item()
    return i // weights.shape[0], i % weights.shape[0]


@wrong(K)
def h4(weights, query, key):
    i = weights[:, :, query, key].argmax().item()
    return i % weights.shape[1], i // weights.shape[1]


@wrong(K)
def h5(weights, query, key):
    best = 0
    for layer_ in range(weights.shape[0]):
        for h in range(weights.shape[1]):
            if weights[layer_, h, query, key] > best:
                best = weights[layer_, h, query, key]
    return layer_, h


@wrong(K)
def h6(weights, query, key):
    best = 0
    for layer_ in range(weights.shape[0]):
        for h in range(weights.shape[1]):
            if weights[layer_, h, query, key] > best:
                layer, head = layer_, h
    return layer, head


@wrong(K)
def h7(weights, query, key):
    return torch.unravel_index(weights[:, :, query, key].argmax(), weights.shape[:2])


@wrong(K)
def h8(weights, query, key):
    return torch.where(weights[:, :, query, key] == weights[:, :, query, key].max())


@wrong(K)
def h9(weights, query, key):
    w = weights[..., query, key]
    return (w == w.max()).nonzero()[0].tolist()[::-1]


@wrong(K)
def h10(weights, query, key):
    return divmod(weights[:, :, key, query].argmax().item(), weights.shape[1])


@wrong(K)
def h11(weights, query, key):
    for layer_ in range(weights.shape[0]):
        for h in range(weights.shape[1]):
            if weights[layer_, h, query].argmax() == key:
                return layer_, h


@wrong(K)
def h12(weights, query, key):
    best = 0
    for layer_ in range(2):
        for h in range(4):
            if weights[layer_, h, query, key] > best:
                best = weights[layer_, h, query, key]
                layer, head = layer_, h
    return layer, head


@wrong(K)
def h13(weights, query, key):
    w = weights[:, :, query, key]
    return int(w.sum(1).argmax()), int(w.sum(0).argmax())


K = "03.silence"


@wrong(K)
def z1(W_O, head, num_heads):
    d = W_O.shape[1] // num_heads
    W_O[:, head * d : (head + 1) * d] = 0
    return W_O


@wrong(K)
def z2(W_O, head, num_heads):
    d = W_O.shape[0] // num_heads
    W = W_O.clone()
    W[head * d : (head + 1) * d] = 0
    return W


@wrong(K)
def z3(W_O, head, num_heads):
    d = W_O.shape[0] // num_heads
    W = W_O.clone()
    W[:, head * d : (head + 1) * d] = 0
    return W


@wrong(K)
def z4(W_O, head, num_heads):
    W = W_O.clone()
    W[:, head] = 0
    return W


@wrong(K)
def z5(W_O, head, num_heads):
    W = W_O.clone()
    W[head] = 0
    return W


@wrong(K)
def z6(W_O, head, num_heads):
    d = W_O.shape[1] // num_heads
    W = W_O
    W[:, head * d : (head + 1) * d] = 0
    return W


@wrong(K)
def z7(W_O, head, num_heads):
    d = W_O.shape[1] // num_heads
    W = W_O.clone()
    W[:, head * d : (head + 1) * d] = 0


@wrong(K)
def z8(W_O, head, num_heads):
    d = W_O.shape[1] / num_heads
    W = W_O.clone()
    W[:, head * d : (head + 1) * d] = 0
    return W


@wrong(K)
def z9(W_O, head, num_heads):
    W = W_O.clone()
    W[:, head * 16 : (head + 1) * 16] = 0
    return W


@wrong(K)
def z10(W_O, head, num_heads):
    d = W_O.shape[1] // num_heads
    W = W_O.clone()
    W[:, (head - 1) * d : head * d] = 0
    return W


@wrong(K)
def z11(W_O, head, num_heads):
    d = W_O.shape[1] // num_heads
    W = torch.zeros_like(W_O)
    W[:, head * d : (head + 1) * d] = W_O[:, head * d : (head + 1) * d]
    return W


@wrong(K)
def z12(W_O, head, num_heads):
    W = attention.split_heads(W_O[None], num_heads).clone()
    W[:, head] = 0
    return W


@wrong(K)
def z13(W_O, head, num_heads):
    W = W_O.clone().view(num_heads, -1, W_O.shape[1])
    W[head] = 0
    return W.view(W_O.shape)


@wrong(K)
def z14(W_O, head, num_heads):
    W = W_O.reshape(num_heads, W_O.shape[0], -1).clone()
    W[head] = 0
    return W.reshape(W_O.shape)


@wrong(K)
def z15(W_O, head, num_heads):
    d = W_O.shape[1] // num_heads
    W = W_O.clone()
    W[:, head * d : (head + 1) * d] = 0
    return W.T


@wrong(K)
def z16(W_O, head, num_heads):
    d = W_O.shape[1] // num_heads
    W = W_O.clone()
    W[:, head * d : head * d + d + 1] = 0
    return W


@wrong(K)
def z17(W_O, head, num_heads):
    d = W_O.shape[1] // num_heads
    return torch.cat([W_O[:, : head * d], W_O[:, (head + 1) * d :]], 1)


@wrong(K)
def z18(W_O, head, num_heads):
    d = W_O.shape[1] // num_heads
    W = W_O.clone()
    W[head * d : (head + 1) * d, head * d : (head + 1) * d] = 0
    return W


@wrong(K)
def z20(W_O, head, num_heads):
    W = W_O.clone()
    W[:, head::num_heads] = 0
    return W


K = "03.repaired"


def rep(
    cut=lambda x, b, n, h: x.reshape(b, n, h, -1).transpose(1, 2),
    sc=lambda q, k: q @ k.mT / q.shape[-1] ** 0.5,
    sm=-1,
    join=lambda z, b, n, d: z.transpose(1, 2).reshape(b, n, d),
    last=lambda W: W.mT,
):
    def f(x, W_Q, W_K, W_V, W_O, num_heads):
        b, n, d = x.shape
        q, k, v = (cut(x @ W.mT, b, n, num_heads) for W in (W_Q, W_K, W_V))
        return join(sc(q, k).softmax(sm) @ v, b, n, d) @ last(W_O)

    return f


for name, kw in dict(
    r1=dict(last=lambda W: W),
    r2=dict(join=lambda z, b, n, d: z.reshape(b, n, d)),
    r3=dict(join=lambda z, b, n, d: z.reshape(b, n, d), last=lambda W: W),
    r4=dict(cut=lambda x, b, n, h: x.reshape(b, n, h, -1), join=lambda z, b, n, d: z.reshape(b, n, d)),
    r5=dict(cut=lambda x, b, n, h: x.reshape(b, h, n, -1), join=lambda z, b, n, d: z.reshape(b, n, d)),
    r6=dict(cut=lambda x, b, n, h: x.reshape(b, n, h, -1), sm=-2, join=lambda z, b, n, d: z.reshape(b, n, d)),
    r7=dict(cut=lambda x, b, n, h: x.reshape(b, n, h, -1), sm=1, join=lambda z, b, n, d: z.reshape(b, n, d)),
    r8=dict(cut=lambda x, b, n, h: x.reshape(b, n, h, -1).transpose(2, 3), join=lambda z, b, n, d: z.reshape(b, n, d)),
    r9=dict(
        cut=lambda x, b, n, h: x.reshape(b, n, h, -1).transpose(0, 2),
        join=lambda z, b, n, d: z.transpose(0, 2).reshape(b, n, d),
    ),
    r10=dict(
        cut=lambda x, b, n, h: x.reshape(b, n, h, -1).permute(0, 2, 3, 1),
        join=lambda z, b, n, d: z.permute(0, 3, 1, 2).reshape(b, n, d),
    ),
    r11=dict(cut=lambda x, b, n, h: x, join=lambda z, b, n, d: z),
    r12=dict(cut=lambda x, b, n, h: x, join=lambda z, b, n, d: z, last=lambda W: W),
    r13=dict(sc=lambda q, k: q @ k.mT),
    r14=dict(sm=1),
    r15=dict(sm=-2, last=lambda W: W),
    r16=dict(join=lambda z, b, n, d: z.transpose(1, 2).view(b, n, d)),
    r17=dict(sc=lambda q, k: (q.transpose(1, 2) @ k.transpose(1, 2).mT / q.shape[-1] ** 0.5).transpose(1, 2)),
    r18=dict(cut=lambda x, b, n, h: x.reshape(b, n, h, -1).transpose(1, 2).transpose(2, 3)),
).items():
    f = rep(**kw)
    f.__name__ = name
    wrong(K)(f)


@wrong(K)
def r20(x, W_Q, W_K, W_V, W_O, num_heads):
    b, n, d = x.shape
    q, k, v = ((x @ Wm).reshape(b, n, num_heads, -1).transpose(1, 2) for Wm in (W_Q, W_K, W_V))
    return ((q @ k.mT / q.shape[-1] ** 0.5).softmax(-1) @ v).transpose(1, 2).reshape(b, n, d) @ W_O.mT


@wrong(K)
def r21(x, W_Q, W_K, W_V, W_O, num_heads):
    b, n, d = x.shape
    q, k, v = ((x @ Wm.mT).reshape(b, n, num_heads, -1).transpose(1, 2) for Wm in (W_Q, W_K, W_V))
    return ((q @ k / q.shape[-1] ** 0.5).softmax(-1) @ v).transpose(1, 2).reshape(b, n, d) @ W_O.mT
