"""`python -m course_lib.experiments.…` remakes a file of data/: here with a few steps, into another folder."""

import runpy
import sys

import pytest
import torch

from course_lib.experiments import seq2seq
from course_lib.experiments.extrapolation import LENGTHS, stored_runs
from course_lib.experiments.pronoun_reader import PronounReader

pytestmark = pytest.mark.slow


@pytest.fixture
def remake(tmp_path, monkeypatch):
    """Run the module as `python -m` does; the path of the file that it made."""

    def remake(name, *options):
        monkeypatch.setattr(sys, "argv", [name, *options, "--out", str(tmp_path / name)])
        threads = torch.get_num_threads()
        with torch.random.fork_rng(devices=[]):
            runpy.run_module(f"course_lib.experiments.{name}", run_name="__main__")
        torch.set_num_threads(threads)
        return tmp_path / name

    return remake


@pytest.mark.filterwarnings("ignore:.*found in sys.modules:RuntimeWarning")
def test_extrapolation(remake):
    runs = stored_runs(remake("extrapolation", "--seeds", "1", "--steps", "2"))
    assert len(runs) == 20 and all(list(of_length) == list(LENGTHS) for of_length in runs.values())


def test_seq2seq():
    for annotations in (None, "state"):
        (run,) = seq2seq._runs(annotations, seeds=1, steps=2)
        assert set(map(int, run["exact_match"])) == set(range(1, 13))
        assert ("aligned" in run) == bool(annotations)


def test_pronoun_reader(remake, capsys):
    reader = PronounReader.pretrained(remake("pronoun_reader", "--steps", "2"))
    assert reader.config == PronounReader.pretrained().config
    assert "| 1 | 3 |" in capsys.readouterr().out  # the card's table, to its last head
