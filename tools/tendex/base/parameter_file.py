"""Parameter files, read as the program reads them (src/params/yaml.c and table.c), and changed in place: comments and order stay."""

import codecs
import json
import math
import re
from pathlib import Path

from yaml import MappingNode, ScalarNode, SequenceNode

from tendex.base.folder import FolderError
from tendex.base.parameter_kinds import N_MAX, ROWS, SYSTEMS
from tendex.base.yaml_text import BYTES_MAX, DEPTH_MAX, YamlError, aliases, compose, end_of, line_of, start_of

INTEGER, DECIMAL = re.compile(r"[+-]?[0-9]+"), re.compile(r"[-+.0-9eE]+")
BLANKS = " \t\n\v\f\r"
TRUE, FALSE = ("true", "yes", "on"), ("false", "no", "off")
# As in src/params/params.h.
TEXT_BYTES, LIST_MAX = 255, 32
SECTIONS = {key.split(".")[0] for key in ROWS}
MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
# What may stand in a file without quotes, whatever is around it.
PLAIN = re.compile(r"[\w.+-][\w.+^-]*", re.ASCII)


def numbered(key, n_max):
    """The keys of a row of parameters: bhN for each N up to n_max, where that is not 0."""
    return [key.replace("bhN", f"bh{n}") for n in range(1, n_max + 1)] if n_max else [key]


KINDS = {key: kind for row, kind in ROWS.items() for key in numbered(row, N_MAX.get(row, 0))}


def read_parameters(file):
    """{"grid.extent": value, ...} of a parameter file or run.yaml. Values are int, float, bool, str, or a list of numbers, as the
    parameter takes; of parameters that are not known, which other versions may have, as their form says. Raises FolderError."""
    return parameters_of(text_of(file), file)


def text_of(file):
    """The text of a parameter file, its ends of lines as \\n. Raises FolderError."""
    file = Path(file)
    if not file.exists():
        raise FolderError(f"{file}: missing")
    if not file.is_file():  # a folder, or a pipe or device, which may never end
        raise FolderError(f"cannot read parameter file {file}: it is no file")
    try:
        with file.open("rb") as f:
            data = f.read(BYTES_MAX)
    except OSError as e:
        raise FolderError(f"cannot read parameter file {file}: {e.strerror}") from e
    if len(data) == BYTES_MAX:
        raise FolderError(f"{file}: more than {BYTES_MAX} bytes; this is not a parameter file")
    try:
        text = data.decode(next((name for mark, name in MARKS if data.startswith(mark)), "utf-8"))
    except UnicodeDecodeError as e:
        line = data.count(b"\n", 0, e.start) + 1
        raise FolderError(f"{file}:{line}: not valid YAML: byte 0x{data[e.start]:02x} is not UTF-8; save the file as UTF-8") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def parameters_of(text, file, check=False):
    """The same of the text of a file. check: refuse also what is not known or allowed by itself, as the program does. Of a system of
    equations that is not known, unknown parameters are let through."""
    found = {}
    check_names = check and not _names_another_system(text, file)
    for key, name, node in _entries(text, file, SECTIONS if check_names else ()):
        if check_names and key not in KINDS:
            raise FolderError(f"{file}:{line_of(name)}: {key}: unknown parameter; see tendex --help-params")
        try:
            found[key] = _value(key, node, check)
        except ValueError as e:
            raise FolderError(f"{file}:{line_of(name)}: {key}: {e}") from None
    return found


def _root(text, file):
    """The mapping that a text is."""
    try:
        root = compose(text)
    except YamlError as e:
        raise FolderError(f"{file}:{e.line}: {e.problem}") from None
    if root is None:
        raise FolderError(f"{file}: the parameter file is empty")
    if not isinstance(root, MappingNode):
        raise FolderError(f'{file}:{line_of(root)}: must hold sections, "section:" with "name: value" lines indented below')
    return root


def _entries(text, file, sections=()):
    """(key, node of its name, node of its value) of all parameters; sections: the names allowed, where there are any."""
    lines = {}
    for section, node in _root(text, file).value:
        title, at = section.value, f"{file}:{line_of(section)}"
        if not _plain(section) or not title:
            raise FolderError(f"{at}: the name of a section must be plain text")
        if sections and title not in sections:
            raise FolderError(f"{at}: {title[:80]}: unknown section; see tendex --help-params")
        if not isinstance(node, MappingNode):
            raise FolderError(f'{at}: section {title}: must hold parameters, "name: value", indented, one a line')
        _once(lines, title, f"section {title}", section, file)
        for name, value in node.value:
            if not _plain(name) or not name.value:
                raise FolderError(f"{file}:{line_of(name)}: section {title}: the name of a parameter must be plain text")
            key = f"{title}.{name.value}"
            _once(lines, key, key, name, file)
            yield key, name, value


def _names_another_system(text, file):
    """Whether a file is for a system of equations whose parameters are not known here."""
    try:
        return any(key == "evolution.system" and _plain(node) and node.value not in SYSTEMS for key, _, node in _entries(text, file))
    except FolderError:
        return False


def _once(lines, key, what, node, file):
    if key in lines:
        raise FolderError(f"{file}:{line_of(node)}: {what}: given twice, first in line {lines[key]}; remove one of them")
    lines[key] = line_of(node)


# Values. What is wrong is a ValueError.

def _plain(node):
    """Whether a node is one text, quoted or not."""
    return isinstance(node, ScalarNode)


def _quoted(node):
    return bool(node.style)


def _value(key, node, check):
    if _plain(node) and not _quoted(node) and node.value in ("", "~", "null"):
        raise ValueError("no value is given")
    if isinstance(node, MappingNode):
        raise ValueError("this is neither a single value nor a list")
    if key not in KINDS:
        return _by_form(node)
    kind, *limits = KINDS[key]
    if kind in ("vector", "list"):
        return _list(node, kind, limits if check else ())
    if not _plain(node):
        raise ValueError(f"a list is not allowed; give {kind}")
    if kind in ("text", "word"):
        return _text(node.value, limits[0] if check and limits else None)
    if _quoted(node):
        raise ValueError(f'"{_shown(node.value)}" is text; give it without quotes')
    if kind == "true or false":
        return _truth(node.value)
    if kind == "integer" and not INTEGER.fullmatch(node.value):
        raise ValueError(f"{_shown(node.value)} is not allowed; give an integer")
    return _number(node.value, limits if check else ())


def _shown(text):
    return json.dumps(text[:40], ensure_ascii=False)[1:-1]


def _text(text, words):
    if re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", text) or len(text.encode(errors="replace")) > TEXT_BYTES:
        raise ValueError(f"{_shown(text)} is not allowed; give text of up to {TEXT_BYTES} bytes without control characters")
    if words is not None and text not in words.split():
        raise ValueError(f"{_shown(text)} is not allowed; give one of {words.replace(' ', ', ')}")
    return text


def _truth(text):
    if text.lower() in TRUE + FALSE:
        return text.lower() in TRUE
    raise ValueError(f"{_shown(text)} is not allowed; give true or false")


def _number(text, limits=()):
    """int where it is written so. limits: (least, most), or none."""
    try:
        value = float(text) if DECIMAL.fullmatch(text) else math.nan
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or limits and not limits[0] <= value <= limits[1]:
        span = f" from {limits[0]:g} to {limits[1]:g}" if limits else ""
        raise ValueError(f"{_shown(text)} is not allowed; give a number{span}")
    return int(text) if INTEGER.fullmatch(text) else value


def _list(node, kind, limits):
    if _plain(node):
        if _quoted(node):
            raise ValueError(f'"{_shown(node.value)}" is text; give it without quotes')
        texts = _split(node.value)
    elif all(_plain(item) and not _quoted(item) for item in node.value):
        texts = [item.value for item in node.value]
    else:
        raise ValueError("the list holds something that is not a number")
    if len(texts) > LIST_MAX or kind == "vector" and len(texts) != 3:
        raise ValueError(f"{len(texts)} values; give {'[x, y, z]' if kind == 'vector' else f'up to {LIST_MAX}'}")
    return [_number(text, limits) for text in texts]


def _split(text):
    """The texts of "a, b" or "[a, b]"."""
    text = text.strip(BLANKS)
    if len(text) > 1 and text[0] + text[-1] == "[]":
        text = text[1:-1].strip(BLANKS)
    return [part.strip(BLANKS) for part in text.split(",")] if text else []


def _by_form(node):
    if isinstance(node, SequenceNode):
        if not all(map(_plain, node.value)):
            raise ValueError("the list holds something that is not a single value")
        return [_by_form(item) for item in node.value]
    for read in () if _quoted(node) else (_truth, _number):
        try:
            return read(node.value)
        except ValueError:
            pass
    return node.value


# Changes.

def changed(text, settings, file="parameter file"):
    """The text of a parameter file with {"section.key": text of the value as for --set, or None to leave the key out}. The
    comment behind a value goes with it. Raises FolderError."""
    wanted = parameters_of(text, file) | parameters_of(_alone(settings), "--set")
    for name in [name for name, value in settings.items() if value is None]:
        wanted.pop(name, None)
    text = _without_aliases(text, file)
    for name, value in settings.items():
        text = _set(text, *name.split("."), None if value is None else _written(name, value), file)
    try:
        same = parameters_of(text, file) == wanted
    except FolderError:
        same = False
    if not same:
        raise FolderError(f"{file}: {', '.join(settings)} cannot be changed in it; write its sections as lines `name: value'")
    return text


def _alone(settings):
    """A parameter file of these settings."""
    sections = {}
    for name, value in settings.items():
        if value is not None:
            section, key = name.split(".")
            sections.setdefault(section, []).append(f"  {key}: {_written(name, value)}\n")
    return "".join(f"{section}:\n{''.join(lines)}" for section, lines in sections.items()) or "{}\n"


def _written(name, value):
    """The text of a value in a file."""
    kind = KINDS.get(name, ("",))[0]
    if kind in ("vector", "list"):
        return f"[{', '.join(map(_scalar, _split(value)))}]"
    if kind == "text":
        return json.dumps(value, ensure_ascii=False)
    return value if not kind and value.startswith("[") else _scalar(value)


def _scalar(text):
    return text if PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)


def _without_aliases(text, file):
    """The same with what each *name stands for in its place."""
    for start, end, node in reversed(aliases(text, _root(text, file))):
        text = text[:start] + _in_brackets(node, file) + text[end:]
    return text


def _in_brackets(node, file, depth=0):
    if depth > DEPTH_MAX:
        raise FolderError(f"{file}:{line_of(node)}: an anchor inside of what it stands for")
    if _plain(node):
        return json.dumps(node.value, ensure_ascii=False) if _quoted(node) else node.value
    if isinstance(node, SequenceNode):
        return f"[{', '.join(_in_brackets(item, file, depth + 1) for item in node.value)}]"
    inside = (": ".join(_in_brackets(x, file, depth + 1) for x in pair) for pair in node.value)
    return f"{{{', '.join(inside)}}}"


def _find(mapping, name):
    return next(((key, value) for key, value in mapping.value if key.value == name), (None, None))


def _set(text, section, key, value, file):
    root = _root(text, file)
    name, node = _find(root, section)
    if node is None:
        if value is None:
            return text
        indent = " " * (root.start_mark.column + 2)
        made = f"{section}: {{{key}: {value}}}" if root.flow_style else f"\n{section}:\n{indent}{key}: {value}"
        return _inserted(text, root, made, at_end=True)
    place, old = _find(node, key)
    if value is None:
        if old is None:
            return text
        return _removed(text, node, place, old) if len(node.value) > 1 else _removed(text, root, name, node)
    if old is None:
        return _inserted(text, node, f"{key}: {value}")
    entry = f"{text[start_of(place):end_of(place, text)]}: {value}"
    end = end_of(old, text) if node.flow_style else _line_end(text, end_of(old, text))
    return text[:start_of(place)] + entry + text[end:]


def _line_end(text, at):
    """Where the line of a character ends, or the text."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _inserted(text, mapping, entry, at_end=False):
    """An entry behind the last one of a mapping; at_end: behind all comments, too."""
    last = end_of(mapping.value[-1][1], text) if mapping.value else end_of(mapping, text) - 1
    if mapping.flow_style:
        return text[:last] + (", " if mapping.value else "") + entry + text[last:]
    at = _line_end(text, last)
    if at_end:
        ended = re.compile(r"^\.\.\.", re.M).search(text, at)
        at = len((text[:ended.start()] if ended else text).rstrip("\n"))
    indent = " " * mapping.start_mark.column
    lines = "\n".join(indent + line if line and not line.startswith(" ") else line for line in entry.split("\n"))
    return f"{text[:at]}\n{lines}{text[at:] or chr(10)}"


def _removed(text, mapping, name, value):
    start, end = start_of(name), end_of(value, text)
    if not mapping.flow_style:
        return text[:text.rfind("\n", 0, start) + 1] + text[_line_end(text, end) + 1:]
    comma = re.compile(r"\s*,\s*").match(text, end)
    if comma:
        return text[:start] + text[comma.end():]
    return re.sub(r",\s*\Z", "", text[:start]) + text[end:]
