"""The lists of packages agree with each other, and say nothing of where packages come from."""

import re
import tomllib

import pytest
import yaml

from course_lib.support.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CONDA = yaml.safe_load((ROOT / "environment.yml").read_text())
CONDA_NAMES = {"pytorch-cpu": "torch", "matplotlib-base": "matplotlib"}
LINE = re.compile(r'[A-Za-z0-9._-]+==[0-9][0-9a-z.]*( ; (sys_platform|os_name) [!=]= "\w+")?')


def versions(requirements):
    """{"torch": "2.13.0"} from lines such as "torch==2.13.0 ; marker"."""
    pairs = (re.split(r"\s*==\s*", line.split(";")[0].strip()) for line in requirements)
    return {re.sub("[-_.]+", "-", CONDA_NAMES.get(name, name)).lower(): version for name, version in pairs}


def pinned(name):
    lines = (line.strip() for line in (ROOT / name).read_text().splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def test_conda_installs_the_same_packages_and_versions():
    conda = [each for each in CONDA["dependencies"] if isinstance(each, str) and "==" in each]
    [by_pip] = [each["pip"] for each in CONDA["dependencies"] if isinstance(each, dict)]
    assert by_pip[-1] == "--editable ."
    assert versions(conda + by_pip[:-1]) == versions(PROJECT["dependencies"])


def test_conda_has_the_same_python():
    [python] = [each for each in CONDA["dependencies"] if isinstance(each, str) and each.startswith("python ")]
    assert python == f"python {PROJECT['requires-python']}"


def test_every_dependency_is_pinned_in_the_requirements():
    everything = versions(pinned("requirements.txt"))
    assert versions(PROJECT["dependencies"]).items() <= everything.items()
    tests = PROJECT["optional-dependencies"]["test"]
    assert versions(tests).items() <= (everything | versions(pinned("requirements-test.txt"))).items()


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-test.txt"])
def test_requirements_are_names_and_versions_only(name):
    assert [line for line in pinned(name) if not LINE.fullmatch(line)] == []


@pytest.mark.parametrize(
    "name", ["requirements.txt", "requirements-test.txt", "pyproject.toml", "environment.yml", "Makefile"]
)
def test_no_download_addresses(name):
    assert not re.search(r"://|index-url|find-links|\bnvidia", (ROOT / name).read_text())
