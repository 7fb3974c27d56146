"""Four tasks in the only form that GPT reads: one text from left to right, with marks."""

import torch

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer
from course_lib.gpt_tasks import TaskMarks, classification, entailment, multiple_choice, similarity


def _input_forms(task, first, others, start, delimiter, extract):
    marks = TaskMarks(start, delimiter, extract)
    if task == "classification":
        return classification(first, marks)
    if task == "multiple choice":
        return multiple_choice(first, others, marks)
    return {"entailment": entailment, "similarity": similarity}[task](first, others[0], marks)


WORDS = ["mia", "omar", "lena", "paul", "garden", "harbour", "bread", "lamp", "old", "quiet", "bought", "found", "went"]
WORDS += ["to", "the", "a", "soon", "again"]


def _text(g, n):
    """So many words, no two of them the same as long as there are enough."""
    order = torch.randperm(len(WORDS), generator=g).tolist()
    return [WORDS[order[i % len(order)]] for i in range(n)]


def _example(g, task, *lengths):
    first, *others = (_text(g, n) for n in lengths)
    return task, first, others, "<s>", "$", "<e>"


def _of_ids(g, task, *lengths):
    first, *others = (torch.randint(5, 90, (n,), generator=g).tolist() for n in lengths)
    return task, first, others, 1, 4, 3


input_forms = Code(
    "14.input_forms",
    title="Four tasks, one form",
    points=3,
    minutes=10,
    difficulty=1,
    reference=_input_forms,
    forbidden=("classification", "entailment", "similarity", "multiple_choice"),
    axes=["list of runs"],
    cases=[
        Case("similarity", lambda g: _example(g, "similarity", 3, 2)),
        Case("entailment", lambda g: _example(g, "entailment", 4, 3)),
        Case("multiple choice, three answers", lambda g: _example(g, "multiple choice", 3, 2, 1, 2)),
        Case("classification", lambda g: _example(g, "classification", 4)),
        Case("multiple choice, one answer", lambda g: _example(g, "multiple choice", 2, 3)),
        Case("classification of a long text", lambda g: _example(g, "classification", 30)),
        Case("similarity of texts of one word", lambda g: _example(g, "similarity", 1, 1)),
        Case("similarity of ids", lambda g: _of_ids(g, "similarity", integer(g, 2, 5), integer(g, 6, 8))),
        Case("multiple choice among ids", lambda g: _of_ids(g, "multiple choice", 5, 2, integer(g, 3, 5), 4, 1)),
    ],
    hints=[
        "Write the four forms down with brackets: which of them has one text, which has one run, and which has several?",
        "A run of two texts is [start, *a, delimiter, *b, extract]; the star unpacks a list. What comes back is a list of runs, also where there is only one.",
        "Make the pairs first: (first, other) for each of others; with similarity also (others[0], first). Then one line turns each pair into a run. Classification has no pair, and no delimiter.",
    ],
)


def by_task(task, first, others):
    """The texts of each run, in their order."""
    if task == "classification":
        return [[first]]
    if task == "similarity":
        return [[first, others[0]], [others[0], first]]
    return [[first, other] for other in others]


def instead(**changes):
    """`by_task`, but for the tasks named (multiple_choice with a line)."""

    def texts(task, first, others):
        change = changes.get(task.replace(" ", "_"))
        return change(first, others) if change else by_task(task, first, others)

    return texts


def between(texts, delimiter):
    """[a, b] → a $ b."""
    tokens = list(texts[0])
    for text in texts[1:]:
        tokens += [delimiter, *text]
    return tokens


@input_forms.variants
def steps(
    task,
    first,
    others,
    start,
    delimiter,
    extract,
    *,
    texts=by_task,
    joined=between,
    framed=lambda start, tokens, extract: [start, *tokens, extract],
    given=lambda runs, task: runs,
):
    runs = [framed(start, joined(each, delimiter), extract) for each in texts(task, first, others)]
    return given(runs, task)


# --- which texts, in which order --------------------------------------------------------------------------------------

steps.mistake(
    "Similarity has one run with you. Which text stands first mustn't matter: both orders, first $ other and other $ first.",
    texts=instead(similarity=lambda a, others: [[a, others[0]]]),
)
steps.mistake(
    "Both runs of similarity read the texts in the same order. In the second one they change places.",
    texts=instead(similarity=lambda a, others: [[a, others[0]]] * 2),
)
steps.mistake(
    "Similarity's two runs stand in the other order: the one that begins with `first` comes first.",
    texts=instead(similarity=lambda a, others: [[others[0], a], [a, others[0]]]),
)
steps.mistake(
    "You turn the words of each text round. In similarity's second run the *texts* change places; each is still read from its beginning.",
    texts=instead(similarity=lambda a, others: [[a, others[0]], [a[::-1], others[0][::-1]]]),
)
steps.mistake(
    "You turn the whole run round, words and all. In similarity's second run the *texts* change places; each is still read from its beginning.",
    texts=instead(similarity=lambda a, others: [[a, others[0]], [others[0][::-1], a[::-1]]]),
)
steps.mistake(
    "Similarity's two orders stand in one run with you. They are two runs, each with its own start and extract mark: what is read of them is added later.",
    texts=instead(similarity=lambda a, others: [[a, others[0], others[0], a]]),
)
steps.mistake(
    "Similarity's two texts are read apart, each in its own run, so no word of one can look at the other. Both stand in each run, in one order and in the other.",
    texts=instead(similarity=lambda a, others: [[a], [others[0]]]),
)
steps.mistake(
    "Entailment has both orders with you. A premise and a hypothesis have an order: one run, the premise first. Both orders are for similarity.",
    texts=instead(entailment=lambda a, others: [[a, others[0]], [others[0], a]]),
)
steps.mistake(
    "In entailment the hypothesis stands first. The premise is `first`.",
    texts=instead(entailment=lambda a, others: [[others[0], a]]),
)
steps.mistake(
    "In entailment premise and hypothesis are read apart, in two runs. They stand in one, so that the hypothesis can look back at the premise.",
    texts=instead(entailment=lambda a, others: [[a], [others[0]]]),
)
steps.mistake(
    "Entailment reads the premise alone. The hypothesis is missing: others[0].",
    texts=instead(entailment=lambda a, others: [[a]]),
)
steps.mistake(
    "Every run needs the context (the question): with multiple choice you read the answers alone.",
    texts=instead(multiple_choice=lambda a, others: [[other] for other in others]),
)
steps.mistake(
    "All answers of a multiple choice stand in one run with you. Each gets a run of its own, with the context in front: a run gives one score.",
    texts=instead(multiple_choice=lambda a, others: [[a, *others]]),
)
steps.mistake(
    "Of a multiple choice only the first answer has a run. Does a return stand inside the loop, or is it others[0]? Each answer gets a run.",
    texts=instead(multiple_choice=lambda a, others: [[a, others[0]]]),
)
steps.mistake(
    "Of a multiple choice only the last answer has a run: each pass of the loop replaces what was there. Append, and each answer gets its run.",
    texts=instead(multiple_choice=lambda a, others: [[a, others[-1]]]),
)
steps.mistake(
    "In a multiple choice the answer stands in front of the context. GPT reads from left to right: first what is asked, then the answer.",
    texts=instead(multiple_choice=lambda a, others: [[other, a] for other in others]),
)
steps.mistake(
    "Both orders of each answer? They are for similarity alone. With multiple choice the context comes first.",
    texts=instead(multiple_choice=lambda a, others: [pair for other in others for pair in ([a, other], [other, a])]),
)
steps.mistake(
    "The context has a run of its own with you, and the answers have theirs. Every run needs both: context $ answer.",
    texts=instead(multiple_choice=lambda a, others: [[a], *([other] for other in others)]),
)
steps.mistake(
    "The first answer of each multiple choice is left out.",
    texts=instead(multiple_choice=lambda a, others: [[a, other] for other in others[1:]]),
)
steps.mistake(
    "Your contexts grow: each run holds the answers of the runs before it as well. Begin each run anew with the context.",
    texts=instead(multiple_choice=lambda a, others: [[a, *others[: i + 1]] for i in range(len(others))]),
)
steps.mistake(
    "Every task gets one run with all its texts. That is right for classification and entailment. Similarity has two runs, one for each order; multiple choice has one for each answer.",
    texts=lambda task, first, others: [[first, *others]],
)
steps.mistake(
    "Similarity has one run with you, and multiple choice has one for its first answer: only two texts are ever read, or only the first run comes back (a return inside the loop?). Similarity has a run for each order, multiple choice one for each answer.",
    texts=lambda task, first, others: [[first, *others[:1]]],
)
steps.mistake(
    "Similarity is treated as entailment, one order; and entailment as similarity, both orders. It is the other way round.",
    texts=lambda task, first, others: by_task(
        {"similarity": "entailment", "entailment": "similarity"}.get(task, task), first, others
    ),
)
steps.mistake(
    "Each text is read apart, in a run of its own, whatever the task. Then nothing can be compared: the texts of a pair stand in one run, with the delimiter between them.",
    texts=lambda task, first, others: [[text] for text in (first, *others)],
)
steps.mistake(
    "Both orders everywhere? They are for similarity. A premise comes before its hypothesis, and a context before its answer.",
    texts=lambda task, first, others: (
        [pair for other in others for pair in ([first, other], [other, first])] if others else [[first]]
    ),
)

# --- marks ------------------------------------------------------------------------------------------------------------

steps.mistake(
    "Premise and hypothesis run together: without the delimiter between two texts nobody sees where the second begins.",
    joined=lambda texts, delimiter: [token for text in texts for token in text],
)
steps.mistake(
    "There is a delimiter behind *each* text with you. It stands between two texts, and nowhere else.",
    joined=lambda texts, delimiter: [token for text in texts for token in (*text, delimiter)],
)
steps.mistake(
    "There is a delimiter in front of *each* text with you. It stands between two texts, and nowhere else.",
    joined=lambda texts, delimiter: [token for text in texts for token in (delimiter, *text)],
)
steps.mistake(
    "Classification has a delimiter, but no second text. It stands between two texts, and nowhere else.",
    joined=lambda texts, delimiter: between(texts, delimiter) if len(texts) > 1 else between([*texts, []], delimiter),
)
steps.mistake(
    "A list stands in your run where its words should: [start, text, extract] puts the list itself in. *text unpacks it.",
    joined=lambda texts, delimiter: [item for text in texts for item in (delimiter, text)][1:],
)
steps.mistake(
    "The extract mark is missing. Where should the model be read? At the end of each run.",
    framed=lambda start, tokens, extract: [start, *tokens],
)
steps.mistake(
    "The start mark is missing. Each run begins with it, as each text did in pretraining.",
    framed=lambda start, tokens, extract: [*tokens, extract],
)
steps.mistake(
    "Start and extract mark are missing: each run is start … extract.",
    framed=lambda start, tokens, extract: list(tokens),
)
steps.mistake(
    "Start and extract mark have changed places. GPT looks back only: read at the beginning, it has seen nothing yet.",
    framed=lambda start, tokens, extract: [extract, *tokens, start],
)
steps.mistake(
    "The extract mark stands behind the start mark, in front of the text. GPT looks back only: there it has seen nothing yet. It belongs at the end.",
    framed=lambda start, tokens, extract: [start, extract, *tokens],
)
steps.mistake(
    "Your runs end with the start mark again. The last is the extract mark.",
    framed=lambda start, tokens, extract: [start, *tokens, start],
)


@input_forms.mistake(
    "The extract mark stands between the texts, where the delimiter belongs; at the end it is right. Two texts are parted by the delimiter."
)
def extract_between(task, first, others, start, delimiter, extract):
    return steps(task, first, others, start, extract, extract)


@input_forms.mistake("The start mark stands between the texts, where the delimiter belongs.")
def start_between(task, first, others, start, delimiter, extract):
    return steps(task, first, others, start, start, extract)


@input_forms.mistake(
    "Delimiter and extract mark have changed places: the delimiter stands between two texts, the extract mark at the end."
)
def delimiter_and_extract(task, first, others, start, delimiter, extract):
    return steps(task, first, others, start, extract, delimiter)


@input_forms.mistake(
    "Your runs end with the delimiter. It stands between two texts; at the end there is the extract mark."
)
def delimiter_at_the_end(task, first, others, start, delimiter, extract):
    return steps(task, first, others, start, delimiter, delimiter)


@input_forms.mistake(
    "Each text has its own extract mark. There is one in each run, at its very end, which has seen both texts."
)
def extract_behind_each(task, first, others, start, delimiter, extract):
    return steps(
        task,
        first,
        others,
        start,
        delimiter,
        extract,
        joined=lambda texts, d: between([[*t, extract] for t in texts[:-1]] + texts[-1:], d),
    )


@input_forms.mistake("Each text has its own start mark. There is one in each run, at its very beginning.")
def start_before_each(task, first, others, start, delimiter, extract):
    return steps(
        task,
        first,
        others,
        start,
        delimiter,
        extract,
        joined=lambda texts, d: between(texts[:1] + [[start, *t] for t in texts[1:]], d),
    )


@input_forms.mistake(
    "Each text has start and extract mark of its own, as if it stood alone. A run has one of each, around both texts."
)
def each_text_framed(task, first, others, start, delimiter, extract):
    def framed_each(texts, delimiter):
        return between([[start, *text, extract] for text in texts], delimiter)[1:-1]

    return steps(task, first, others, start, delimiter, extract, joined=framed_each)


@input_forms.mistake("The marks are written into the code: take start, delimiter and extract as they are passed in.")
def written_marks(task, first, others, start, delimiter, extract):
    return steps(task, first, others, "<s>", "$", "<e>")


# --- what comes back --------------------------------------------------------------------------------------------------

steps.mistake(
    "A run comes back where a list of runs is asked for, wherever there is only one of them: [run], with brackets around it.",
    given=lambda runs, task: runs[0] if len(runs) == 1 else runs,
)
steps.mistake(
    "Classification gives back its run itself. A list of runs is asked for, also where there is only one: [run].",
    given=lambda runs, task: runs[0] if task == "classification" else runs,
)
steps.mistake(
    "Classification and entailment give back their run itself. A list of runs is asked for, also where there is only one: [run].",
    given=lambda runs, task: runs[0] if task in ("classification", "entailment") else runs,
)
steps.mistake(
    "All tokens come back in one list. Each run is a list of its own: append the run, don't add its tokens (+=, extend).",
    given=lambda runs, task: [token for run in runs for token in run],
)
steps.mistake(
    "Your runs are tuples. Lists are asked for: [start, *text, extract].",
    given=lambda runs, task: [tuple(run) for run in runs],
)
steps.mistake(
    "Each run is a string with you. A list of tokens is asked for: the model reads one token after the other.",
    given=lambda runs, task: [" ".join(map(str, run)) for run in runs],
)
steps.mistake("There is one list too many around your runs.", given=lambda runs, task: [[run] for run in runs])
steps.mistake(
    "Multiple choice comes to nothing with you: it falls through all your ifs. The name has a space, “multiple choice”.",
    given=lambda runs, task: None if task == "multiple choice" else runs,
)
steps.mistake(
    "Multiple choice gives an empty list with you: it falls through all your ifs. The name has a space, “multiple choice”.",
    given=lambda runs, task: [] if task == "multiple choice" else runs,
)


@input_forms.mistake(
    "Classification falls through: you begin with the loop over `others`, and there are none. Its one run is [start, *first, extract]."
)
def nothing_to_classify(task, first, others, start, delimiter, extract):
    return [] if task == "classification" else _input_forms(task, first, others, start, delimiter, extract)


@input_forms.mistake(
    'A run is a whole with you, but its tokens are cut into letters: list("word") gives letters, and so does *word. Unpack the text, not its words.'
)
def letters(task, first, others, start, delimiter, extract):
    def cut(text):
        return [letter for word in text for letter in str(word)]

    return steps(task, cut(first), [cut(other) for other in others], start, delimiter, extract)


@input_forms.mistake(
    "That is BERT's form: its mark at the beginning sees everything. GPT looks back only, so it is read at the end: start, text, delimiter, text, extract."
)
def as_bert_reads(task, first, others, start, delimiter, extract):
    def framed(start, tokens, extract):
        return [extract, *tokens, delimiter]

    return steps(task, first, others, start, delimiter, extract, framed=framed)


@input_forms.symptom("")
def the_first_wrong_run(inputs, answer):
    """How many runs there are; then of the first wrong one its marks, then its texts."""
    task, _, _, start, delimiter, extract = inputs
    right = _input_forms(*inputs)
    if isinstance(answer, tuple) and any(list(each) == right for each in answer if isinstance(each, (list, tuple))):
        return "The runs are right, but something else comes back beside them. The list of runs alone is asked for."
    if not all(isinstance(run, (list, tuple)) for run in answer):
        return "A list of lists is asked for: each run is a list of tokens."
    if any(isinstance(token, (list, tuple)) for run in answer for token in run):
        return "A list stands in one of your runs where a token should. Unpack the text with a star, *text; and of `others` take the text, others[0], before you unpack it."
    if len(answer) != len(right):
        wanted = {"similarity": "one for each order", "multiple choice": "one for each answer"}.get(task, "one")
        return f"With {task} your answer has {_count(len(answer), 'run')}; {len(right)} asked for: {wanted}."
    own, want = next((list(own), want) for own, want in zip(answer, right) if list(own) != want)
    k = right.index(want)
    which = f"Run {k} of {task}, counted from 0"
    for name, mark in (("start mark", start), ("delimiter", delimiter), ("extract mark", extract)):
        if own.count(mark) != want.count(mark):
            return f"{which}, has {_count(own.count(mark), name)}; it should have {_count(want.count(mark), name)}."
    if own[0] != start:
        return f"{which}, begins with {own[0]!r}. The start mark comes first."
    if own[-1] != extract:
        return f"{which}, ends with {own[-1]!r}. The extract mark comes last: only there has GPT read everything."
    cut, end = own.index(delimiter) if delimiter in own else -1, want.index(delimiter) if delimiter in want else -1
    for place, got, text in (
        ("In front of the delimiter", own[1:cut], want[1:end]),
        ("Behind the delimiter", own[cut + 1 : -1], want[end + 1 : -1]),
    ):
        if got != text:
            return f"{which}: {place.lower() if delimiter in want else 'between the marks'} stands {_shown(got)}; it should be {_shown(text)}."
    return False


def _count(n, name):
    return f"{('no', 'one')[n] if n < 2 else n} {name}{'s' * (n > 1)}"


def _shown(tokens):
    return "“" + " ".join(map(str, tokens)) + "”" if tokens else "nothing"
