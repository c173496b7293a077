"""The recipes of container/: what a Dockerfile and an Apptainer definition say, in one form.

Only what the two have in common, and what this project uses, is understood; all else is an error.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path


class RecipeError(Exception):
    """A recipe says something that is not understood: file, line and text are in the message."""


@dataclass
class Stage:
    """One system that a recipe makes."""

    base: str
    name: str = ""
    steps: list[tuple[str, ...]] = field(default_factory=list)  # ("copy", stage or "", from, to), ("run", command)
    environment: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    user: str = ""
    folder: str = ""
    entry: list[str] = field(default_factory=list)

    def commands(self) -> list[str]:
        """The commands that are run to make it, in order."""
        return [step[1] for step in self.steps if step[0] == "run"]

    def copies(self) -> list[tuple[str, ...]]:
        """(stage or "", from, to) of what is copied into it, in order."""
        return [step[1:] for step in self.steps if step[0] == "copy"]


def _logical_lines(text: str):
    """(number, line) without comments and empty lines; a backslash at its end joins a line with the next."""
    joined, start = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("#") or (not line.strip() and not joined):
            continue
        start = start or number
        joined += line.rstrip()
        if joined.endswith("\\"):
            joined = joined[:-1] + " "
            continue
        yield start, joined
        joined, start = "", 0


def read_dockerfile(path: Path) -> list[Stage]:
    """The stages of a Dockerfile."""
    stages: list[Stage] = []
    for number, line in _logical_lines(path.read_text()):
        word, _, rest = line.strip().partition(" ")
        rest = rest.strip()
        if word == "FROM":
            match = re.fullmatch(r"(\S+)(?: AS (\S+))?", rest)
            if match:
                stages.append(Stage(match[1], match[2] or ""))
                continue
        elif stages and _dockerfile_step(stages[-1], word, rest):
            continue
        raise RecipeError(f"{path}:{number}: not understood: {line.strip()}")
    return stages


def _dockerfile_step(stage: Stage, word: str, rest: str) -> bool:
    if word == "RUN":
        stage.steps.append(("run", rest))
    elif word == "COPY" and (match := re.fullmatch(r"(?:--from=(\S+) )?(\S+) (\S+)", rest)):
        stage.steps.append(("copy", match[1] or "", match[2], match[3]))
    elif word in ("ENV", "LABEL") and (match := re.fullmatch(r'([\w.]+)=("?)(\S+)\2', rest)):
        (stage.environment if word == "ENV" else stage.labels)[match[1]] = match[3]
    elif word == "USER":
        stage.user = rest
    elif word == "WORKDIR":
        stage.folder = rest
    elif word == "ENTRYPOINT":
        stage.entry = json.loads(rest)
    else:
        return word == "CMD"
    return True


def read_definition(path: Path) -> list[Stage]:
    """The stages of an Apptainer definition."""
    stages: list[Stage] = []
    section = ""
    for number, line in _logical_lines(path.read_text()):
        text = line.strip()
        if match := re.fullmatch(r"(Bootstrap|From|Stage): (\S+)", line):
            section = ""
            if match[1] == "Bootstrap":
                stages.append(Stage(""))
                good = match[2] == "docker"
            else:
                good = bool(stages)
                if good:
                    setattr(stages[-1], {"From": "base", "Stage": "name"}[match[1]], match[2])
        elif match := re.fullmatch(r"%(files(?: from \S+)?|post|labels|environment|runscript|help)", text):
            section, good = match[1], bool(stages)
        else:
            good = bool(stages) and _definition_line(stages[-1], section, text)
        if not good:
            raise RecipeError(f"{path}:{number}: not understood: {text}")
    return stages


def _definition_line(stage: Stage, section: str, text: str) -> bool:
    if section.startswith("files") and (match := re.fullmatch(r"(\S+) (\S+)", text)):
        stage.steps.append(("copy", section[len("files from "):], match[1], match[2]))
    elif section == "post":
        stage.steps.append(("run", text))
    elif section == "labels" and (match := re.fullmatch(r"(\S+) (\S+)", text)):
        stage.labels[match[1]] = match[2]
    elif section == "environment" and (match := re.fullmatch(r"export (\w+)=(\S+)", text)):
        stage.environment[match[1]] = match[2]
    elif section == "runscript" and (match := re.fullmatch(r'exec (.*) "\$@"', text)):
        stage.entry = match[1].split()
    else:
        return section == "help"
    return True
