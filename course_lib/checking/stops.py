"""What a student reads where their code stopped with an error of torch's or Python's: what was meant, then its own words.

`Witness` sees on the student's side which operation of torch's failed, and the shapes that it was given. The judge's
side has the error's class and message besides; `explained` turns them into a sentence.
"""

import math
import re
import traceback

from torch import Tensor
from torch.overrides import TorchFunctionMode

ELEMENTWISE = {"add": "+", "sub": "-", "mul": "*", "div": "/", "true_divide": "/", "pow": "**", "bitwise_and": "&"}
ELEMENTWISE |= {"bitwise_or": "|", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}


class Witness(TorchFunctionMode):
    """Remembers the operation that failed, as text: "matmul of (2, 4) and (3, 4)"."""

    operation = ""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        try:
            return function(*args, **(kwargs or {}))
        except Exception:
            name = getattr(function, "__name__", "").strip("_").removeprefix("r") or "operation"
            shapes = [str(tuple(x.shape)) for x in _flat(args) if isinstance(x, Tensor)]
            self.operation = f"{name} of {' and '.join(shapes[:4])}" if shapes else ""
            raise


def _flat(args):
    for each in args:
        yield from each if isinstance(each, (list, tuple)) else [each]


def failing_code(error: BaseException, is_own) -> str:
    """The piece of the student's code that was being computed: "queries * keys"."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if is_own(frame.filename)]
    if not frames or not frames[-1].line or frames[-1].colno is None or frames[-1].end_lineno != frames[-1].lineno:
        return ""
    frame = frames[-1]
    whole = frame._original_line if hasattr(frame, "_original_line") else frame.line
    piece = whole.encode()[frame.colno : frame.end_colno].decode(errors="replace").strip()
    return piece if len(piece) <= 120 else ""


def explained(message: str, operation: str, code: str) -> str | None:
    """A sentence of the course's, or None for an error that it doesn't know."""
    name, _, shapes = operation.partition(" of ")
    known = ((re.search(pattern, message), says) for pattern, says in SENTENCES)
    match, says = next(((match, says) for match, says in known if match), (None, None))
    if match is None or (says is _not_kept and f"self.{match[1]}" not in code):
        return None
    if says is _broadcast and name == "matmul":  # the axes in front of a product are broadcast, too
        says = _axes_in_front
    if says is _no_tensor and name == "block_diag":
        says = _one_by_one
    if says is _axis and name in ("cat", "concat"):
        says = _axis_of_all
    if says is TRUTH:
        says += _asked(code)
    sentence = says(*match.groups()) if callable(says) else says
    if says is _size:
        sentence = _would_fit(*match.groups(), shapes) or sentence
    if says is _product:
        sentence = _would_multiply(shapes) or sentence
    if (
        says is _axes_in_front and re.search(r"\.T\b", code) and shapes.count(",") > 3
    ):  # more than two axes in one of them
        sentence = ALL_AXES_TURNED
    where = f"In `{code}`" if code else f"In {name}" if name else ""
    if where and shapes:
        where += f", given {shapes}"
    return f"{where}: {sentence}" if where else sentence[0].upper() + sentence[1:]


TRUTH = (
    "a whole tensor is neither true nor false. For each number there are torch.where and masks; "
    "& | ~ instead of and, or, not."
)


def _asked(code):
    """What was asked of a tensor: whether it lies between two numbers, or whether there is one at all."""
    if re.search(r"[<>]=?[^&|()]*[<>]", code):
        return " a <= x < b is two comparisons joined by `and`: write (a <= x) & (x < b)."
    if re.search(r"[|&]", code) and len(re.findall(r"[<>]", code)) > 1:
        return " | and & bind more strongly than < and <=: put each comparison in brackets."
    name = re.match(r"(?:\w+ if )?(\w+)\b(?: else .*)?$", code)
    return f" Is the question whether there is one at all? `{name[1]} is not None`." if name else ""


def _broadcast(a, b, axis):
    small, large = sorted((int(a), int(b)))
    by_one = " One is a place longer than the other: what has one of them that the other hasn't?" * (large == small + 1)
    twice = " One is twice as long as the other: should something stand there twice (torch.cat)?" * (large == 2 * small)
    return (
        "number meets number here, so the shapes must fit: axis by axis, from the last, "
        f"two lengths are equal or one of them is 1. {a} and {b} are neither (axis {axis}).{twice or by_one} "
        "Which axis should meet which? None in an index makes an axis of length 1; a product that sums is `@`."
    )


def _no_tensor(i, kind):
    return (
        f"what is joined must be tensors, and number {int(i) + 1} is {_a(kind)}. Make a tensor of it, with as many axes "
        "as the others: torch.tensor([x]) beside vectors, a column torch.full((n, 1), x) beside tables."
    )


def _one_by_one(*_):
    return (
        "block_diag takes its matrices one by one, not a list of them: put a star before the list, block_diag(*blocks)."
    )


def _axes_in_front(a, b, axis):
    return (
        "`@` multiplies the last two axes, and those in front of them must fit each other: equal lengths, or one of them 1. "
        f"{a} and {b} are neither (axis {axis}). Have axes changed places in one of the two, and not in the other?"
    )


ALL_AXES_TURNED = (
    "`.T` turns all axes round, those of batch and heads as well. `@` multiplies the last two, and those in front must "
    "stay where they are: .mT swaps the last two alone."
)


def _product(*sizes):
    return (
        "in `a @ b` the last axis of a is summed over with the last but one of b, so their lengths must be equal. "
        "Which axis should vanish? It may be that one of the two is to be turned (.mT), or that they change places."
    )


def _would_multiply(given):
    """What makes a product of two tables possible, where it is one thing alone."""
    shapes = [tuple(map(int, re.findall(r"\d+", shape))) for shape in given.split(" and ")]
    if len(shapes) != 2 or any(len(shape) < 2 for shape in shapes):
        return ""
    (n, k), (m, p) = (shape[-2:] for shape in shapes)
    if k == m:  # the axes in front don't fit, or torch turns one by itself, as in F.linear
        return ""
    why = f"in `a @ b` the last axis of a, here {k}, is summed over with the last but one of b, here {m}."
    fits = [says for says, fit in {
        "Turned, the second fits: .mT.": k == p,
        "Turned, the first fits: .mT.": n == m,
        "In the other order they fit: b @ a.": p == n,
    }.items() if fit]  # fmt: skip
    if len(fits) == 1:
        return f"{why} {fits[0]}"
    return why + (
        " It may be that one of the two is to be turned (.mT), or that they change places."
        if fits
        else " Neither turned nor in the other order do they fit: one of them isn't yet what it should be. "
        "Is a step missing before, such as a matrix that leads to another length?"
    )


def _size(shape, numbers):
    return (
        f"[{shape}] doesn't hold {numbers} numbers: reshape and view keep them all, "
        "so the lengths multiplied must give the same. -1 stands for one length that is worked out."
    )


def _would_fit(shape, numbers, given):
    """Where one length alone is wrong, and the right one is a length of the tensor itself: often it is another tensor's."""
    lengths, own = [int(n) for n in shape.split(",")], [int(n) for n in re.findall(r"\d+", given)]
    fits = []
    for i, n in enumerate(lengths):
        right, left_over = divmod(int(numbers), math.prod(lengths[:i] + lengths[i + 1 :]) or 1)
        if not left_over and n > 0 and right in own:
            fits.append((n, right))
    if len(fits) != 1:
        return ""
    n, right = fits[0]
    return (
        f"[{shape}] doesn't hold {numbers} numbers; with {right} where {n} stands it would. "
        f"Is {n} the length of another tensor? Ask this one for its own: .shape."
    )


def _not_kept(name):
    return (
        f"self has no {name}. What __init__ is given or makes is gone after it unless it is kept there: "
        f"self.{name} = …, spelled alike."
    )


def _axis(low, high, got):
    return f"there is no axis {got}: axes are counted from {low} to {high} here. Is an axis missing before?"


def _axis_of_all(low, high, got):
    return (
        f"torch.cat joins along an axis that all of them have, and one has no axis {got}. "
        "What is laid beside a table is a table, too: a column is torch.full((n, 1), …) or x[:, None]."
    )


SENTENCES = (
    (
        r"The size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) at non-singleton dimension (\d+)",
        _broadcast,
    ),
    (r"mat1 and mat2 shapes cannot be multiplied \((\w+) and (\w+)\)", _product),
    (r"Expected size for first two dimensions of batch2 tensor", _product),
    (r"size mismatch, got input", _product),
    (r"inconsistent tensor size, expected tensor", "a dot product needs two vectors of the same length."),
    (
        r"1D tensors expected, but got (\d)D and (\d)D",
        "torch.dot takes two vectors. For tables of vectors there is `@`.",
    ),
    (
        r"(?:self must be a matrix|must be a 3D tensor|vector \+ matrix|must be a matrix|vector and matrix)",
        "this product takes tensors of fewer or more axes; `@` takes any.",
    ),
    (
        r"both arguments to (?:linalg\.)?matmul need to be at least 1D",
        "one side of `@` is a single number: multiply by `*`.",
    ),
    (r"shape '\[([^\]]*)\]' is invalid for input of size (\d+)", _size),
    (
        r"view size is not compatible with input tensor",
        "view needs numbers that lie side by side in memory, which they don't after axes were exchanged. reshape copies where it must.",
    ),
    (r"Dimension out of range \(expected to be in range of \[(-?\d+), (-?\d+)\], but got (-?\d+)\)", _axis),
    (
        r"index (-?\d+) is out of bounds for dimension (\d+) with size (\d+)",
        lambda i, axis, n: (
            f"there is no place {i} on axis {axis}: it has {n}, counted from 0 to {int(n) - 1}."
            + " x[i] counts along the first axis, x[..., i] along the last." * (axis == "0")
        ),
    ),
    (
        r"too many indices for tensor of dimension (\d+)",
        lambda n: f"the tensor has only {n} {'axis' if n == '1' else 'axes'}, and the index names more.",
    ),
    (r"index out of range in self", "a number is looked up that the table doesn't have."),
    (
        r"(list|tuple|string) index out of range",
        lambda kind: (
            f"there is no such place in the {kind}: places are counted from 0, the last is its length minus 1. "
            "Is it empty, or does an index such as i + 1 go beyond its end?"
        ),
    ),
    (
        r"(list|tuple|string) indices must be integers or slices, not (\w+)",
        lambda kind, got: (
            f"the places of a {kind} have numbers, and here it is asked for {_a(got)}. Whether x is in it: x in …; a dictionary leads from a text to a number."
        ),
    ),
    (
        r"Sizes of tensors must match except in dimension (\d+)\. Expected size (\d+) but got size (\d+)",
        lambda axis, a, b: (
            f"tensors are laid side by side along axis {axis}, so all other axes must be equal; here {a} meets {b}."
        ),
    ),
    (
        r"stack expects each tensor to be equal size, but got \[([^\]]*)\] at entry 0 and \[([^\]]*)\]",
        lambda a, b: (
            f"only tensors of equal shape can be stacked, along a new axis; here ({a}) meets ({b}). "
            "To lay them side by side along an axis that they have, there is torch.cat."
        ),
    ),
    (
        r"Tensors must have same number of dimensions: got (\d+) and (\d+)",
        lambda a, b: (
            f"torch.cat joins tensors with equally many axes; here {a} meet {b}. "
            "What is laid beside a table needs a row, or a column, for each of its rows: torch.full((n, 1), …), x[:, None]."
        ),
    ),
    (r"expected Tensor as element (\d+) in argument 0, but got (\w+)", _no_tensor),
    (
        r"einsum\(\): the number of subscripts in the equation \((\d+)\) .*? dimensions \((\d+)\) for operand (\d+)",
        lambda a, b, i: (
            f"operand {i} has {b} axes, and the equation gives it {a} letters. `...` stands for any number of leading axes."
        ),
    ),
    (
        r"einsum\(\): operands do not broadcast|einsum\(\): subscript (\w) has size (\d+) for operand",
        lambda *_: "the same letter stands for axes of different lengths. Each letter has one length.",
    ),
    (
        r"\.m?T(?:ranspose)? is only supported on matrices",
        "a single vector can't be turned: .mT swaps the last two axes, and there is only one.",
    ),
    (
        r"the number of dimensions in the tensor input does not match|permute\(.*\)",
        "permute names every axis once, in the new order.",
    ),
    (
        r"expected m1 and m2 to have the same dtype|expected scalar type|must have the same dtype|found dtype",
        "both sides need the same dtype. Numbers that you make yourself should take dtype=… from an input.",
    ),
    (r"(?:Boolean value of Tensor with more than one value|bool value of Tensor)", TRUTH),
    (
        r"a Tensor with (\d+) elements cannot be converted to Scalar",
        lambda n: f".item() and float() take one number; there are {n}.",
    ),
    (
        r"only (?:integer|one element) tensors",
        "here a single Python number is wanted, not a whole tensor. "
        "torch.tensor([…]) is made of numbers; tensors are joined by torch.cat([…]), one behind the other.",
    ),
    (
        r"\"bitwise_\w+\" not implemented for '(?:Float|Double)'",
        "& and | join what is true or false, and bind closer than a comparison: brackets round each, (a < b) & (c < d).",
    ),
    (
        r"where\(\) received an invalid combination of arguments",
        "torch.where takes three things: the condition, what stands where it is true, and what stands elsewhere.",
    ),
    (
        r"'Tensor' object is not callable",
        "a tensor is no function. What stands in a table is looked up in square brackets: table[ids].",
    ),
    (r"Class values must be non-negative", "one_hot takes whole numbers from 0 on, and a negative one is among these."),
    (
        r"Subtraction, the `-` operator, with a bool tensor",
        "True and False have no minus. The opposite of a mask is ~mask.",
    ),
    (
        r"diag\(\): Supports 1D or 2D tensors",
        "torch.diag is for a single matrix. x.diagonal(offset, dim1=-2, dim2=-1) is that of the last two axes of any tensor.",
    ),
    (
        r"masked_fill.* only supports boolean masks",
        "the mask should be made of True and False: compare, such as ids != pad_id, or .bool().",
    ),
    (
        r"~ \(operator\.invert\) is only implemented on integer and Boolean",
        "~ turns True and False round, and these are numbers. Make the mask of booleans, dtype=torch.bool or .bool().",
    ),
    (
        r"step must be greater than zero",
        "torch knows no negative steps, x[::-1]. What turns an axis round is x.flip(axis).",
    ),
    (
        r"tensors used as indices must be long",
        "an index is made of whole numbers (or True and False): .long(), or //. An empty torch.tensor([]) is of floats, "
        "and makes floats of all that it is joined with.",
    ),
    (
        r"result type \w+ can't be cast to the desired output type (\w+)",
        lambda dtype: f"the result doesn't fit into {dtype}: make a new tensor instead of changing one in place.",
    ),
    (
        r"log(?:_)?softmax|\"?softmax\w*\"? not implemented for '(?:Long|Int|Bool)'",
        "softmax needs floating-point numbers: .float(). And in cross_entropy the logits stand first, then the right answers.",
    ),
    (
        r"mean\(\): could not infer output dtype|Input dtype must be either a floating",
        "whole numbers have no mean here: .float() first.",
    ),
    (
        r"expand\(.*?\{?\[([^\]]*)\]\}?, size=\[([^\]]*)\]\)",
        lambda a, b: f"[{a}] can't be expanded to [{b}]: only axes of length 1 can, and new ones in front.",
    ),
    (
        r"The expanded size of the tensor \((\d+)\) must match the existing size \((\d+)\) at non-singleton dimension (\d+)",
        lambda a, b, axis: (
            f"what is put in doesn't fit: {b} numbers where {a} are (axis {axis}). Only axes of length 1 are repeated."
        ),
    ),
    (
        r"shape mismatch: value tensor of shape \[([^\]]*)\] cannot be broadcast to indexing result of shape \[([^\]]*)\]",
        lambda a, b: f"what is put in has shape ({a}), the place for it ({b}).",
    ),
    (
        r"Index tensor must have the same number of dimensions as (?:self|input) tensor",
        "the index needs as many axes as the tensor: index[..., None] gives it the last one.",
    ),
    (
        r"Size does not match at dimension (\d+) expected index \[([^\]]*)\] to be (?:no larger|smaller) than self \[([^\]]*)\]",
        lambda axis, a, b: f"the index ({a}) asks for more places on axis {axis} than the tensor ({b}) has.",
    ),
    (
        r"Expected target size \[([^\]]*)\], got \[([^\]]*)\]",
        "cross_entropy takes axis 1 for the classes: logits.transpose(1, 2), or one row for each answer, logits.flatten(0, 1) and target.flatten().",
    ),
    (
        r"Expected input batch_size \((\d+)\) to match target batch_size \((\d+)\)",
        lambda a, b: (
            f"there are {a} rows of logits and {b} right answers; each row needs one. Is one of the two a place too long?"
        ),
    ),
    (r"shape mismatch: indexing tensors could not be broadcast", "the index tensors must fit each other, as in +."),
    (
        r"The shape of the mask \[([^\]]*)\] at index (\d+) does not match the shape of the indexed tensor \[([^\]]*)\]",
        lambda a, i, b: f"the mask has shape ({a}), what it picks from ({b}).",
    ),
    (
        r"does not require grad and does not have a grad_fn|One of the differentiated Tensors does not require grad",
        "no gradient leads back to the input. Before the layer runs, x = x.clone().requires_grad_() asks torch to follow x; "
        "detach() and torch.no_grad() cut the way.",
    ),
    (
        r"differentiated Tensors? .*appears? to not have been used in the graph",
        "the gradient is asked for another tensor than the one that went in: run the layer on the very x that requires_grad.",
    ),
    (
        r"Trying to backward through the graph a second time",
        "what a gradient needs is thrown away after the first one. retain_graph=True keeps it for the next.",
    ),
    (
        r"grad can be implicitly created only for scalar outputs",
        "a gradient is taken of one number, and this is a tensor. Make one number of it, for example a sum with random weights.",
    ),
    (
        r"'bool' object has no attribute '(\w+)'",
        lambda name: (
            f"a single True or False has no .{name}: a comparison gave one for the whole. Was it a tuple, a list or None that was "
            "compared? torch.autograd.grad returns a tuple: [0] is its gradient."
        ),
    ),
    (
        r"unsupported operand type\(s\) for (.+?): '(\w+)' and '(\w+)'",
        lambda sign, a, b: (
            f"{_a(a)} and {_a(b)} have no `{sign}`."
            + (" Is a return missing, or a key in .get?" if "NoneType" in (a, b) else "")
            + (" A power is written `**`." if sign.startswith("^") else "")
        ),
    ),
    (
        r"not enough values to unpack \(expected (\d+), got (\d+)\)",
        lambda a, b: (
            f"{a} names stand on the left, but {b} values come: of a shape that has fewer axes, for example. shape[-1] is the last axis, however many there are."
        ),
    ),
    (
        r"too many values to unpack \(expected (\d+)",
        lambda a: (
            f"{a} names stand on the left, but more values come: of a shape with leading axes, for example. shape[-1] is the last axis, however many there are."
        ),
    ),
    (
        r"'tuple' object has no attribute '(\w+)'",
        lambda name: (
            f"a function gave several results, and `.{name}` is asked of all of them together: take them apart first, a, b = f(…)."
        ),
    ),
    (
        r"'NoneType' object has no attribute '(\w+)'",
        lambda name: f"`.{name}` is asked of None. Does what comes before it return something?",
    ),
    (
        r"unhashable type: '(\w+)'",
        lambda kind: (
            f"{_a(kind)} can't be a key of a dictionary or a member of a set, since it may change. A tuple can."
        ),
    ),
    (
        r"dictionary (?:changed size|keys changed) during iteration",
        "keys are added or taken away while a loop goes through them: go through list(…) of it, or make a new one.",
    ),
    (
        r"can only concatenate (\w+) \(not \"(\w+)\"\) to",
        lambda a, b: f"`+` joins {_a(a)} with {_a(a)}, not with {_a(b)}.",
    ),
    (r"'(\w+)' object does not support item assignment", lambda kind: f"{_a(kind)} can't be changed: make a new one."),
    (
        r"cannot access local variable '(\w+)'",
        lambda name: (
            f"`{name}` gets its value only in a branch or loop that wasn't entered here. Which inputs skip it?"
        ),
    ),
    (r"^'\w+' object has no attribute '(\w+)'", _not_kept),  # after those that say what it is asked of
)

NAMES = {
    "NoneType": "None",
    "int": "a whole number",
    "float": "a float",
    "str": "a text",
    "list": "a list",
    "tuple": "a tuple",
}
NAMES |= {"dict": "a dictionary", "Tensor": "a tensor", "set": "a set"}


def _a(kind: str) -> str:
    return NAMES.get(kind, f"a {kind}")
