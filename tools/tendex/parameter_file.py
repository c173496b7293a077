"""Parameter files, changed in place: comments and order stay."""

import re

from tendex.folder import FolderError


def changed(text, settings, file="parameter file"):
    """The text of a parameter file with {"section.key": text of the value, or None to leave the key out}. Raises
    FolderError for a section that is not lines `key: value' below its name."""
    lines = text.splitlines()
    for name, value in settings.items():
        section, key = name.split(".")
        first, last = _section(lines, section, file)
        at = [n for n in range(first, last) if re.match(rf"\s+{key}\s*:", lines[n])]
        if at and value is None:
            del lines[at[0]:_end(lines, at[0], last)]
        elif at:
            indent = re.match(r"\s+", lines[at[0]])[0]
            lines[at[0]:_end(lines, at[0], last)] = [f"{indent}{key}: {value}"]
        elif value is not None:
            lines.insert(last, f"  {key}: {value}")
    return "\n".join(lines) + "\n"


def _section(lines, section, file):
    """(first line after the name, the line after its last key); a section that is not there is added."""
    for at, line in enumerate(lines):
        match = re.match(rf"{section}\s*:\s*(.*)", line)
        if not match:
            continue
        if match[1] and not match[1].startswith("#"):
            raise FolderError(f"{file}: line {at + 1}: write the section {section} as lines `key: value' below its name")
        last = at + 1
        for n in range(at + 1, len(lines)):
            if re.match(r"\s+\w", lines[n]):
                last = n + 1
            elif lines[n].strip() and not re.match(r"\s*#", lines[n]):
                break
        return at + 1, last
    lines += ["", f"{section}:"]
    return len(lines), len(lines)


def _end(lines, at, last):
    """The line after the value that begins in line `at', whose list may go on."""
    end, text = at + 1, lines[at].split("#")[0]
    while "[" in text and "]" not in text and end < last:
        text += lines[end].split("#")[0]
        end += 1
    return end
