"""A YAML text as nodes that know where they stand in it, by PyYAML's events and as src/params/yaml.c takes them: all scalars are
texts, tags mean nothing, and there is one document."""

from dataclasses import dataclass, field

import yaml

# As in src/params/yaml.c.
BYTES_MAX, DEPTH_MAX, VALUES_MAX = 1 << 20, 16, 10000
# libyaml's own parser, which the program has, where PyYAML was built with it.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class YamlError(ValueError):
    """A text that is not one YAML document; `line' from 1 on, 0 where none is to blame."""

    def __init__(self, problem, line):
        super().__init__(problem)
        self.problem, self.line = problem, line


@dataclass(eq=False)
class Node:
    """Of one kind: text, items or pairs is not None. start, end: its characters in the whole text, anchor and brackets included."""

    line: int
    column: int
    start: int
    end: int
    text: str = None
    quoted: bool = False
    items: list = None  # [Node]
    pairs: list = None  # [(Node, Node)]
    flow: bool = False  # in brackets


@dataclass(eq=False)
class Alias:
    """Where a text has `*name' for a node."""

    node: Node
    line: int
    column: int
    start: int
    end: int

    def __getattr__(self, name):
        """text, quoted, items, pairs and flow are those of the node."""
        return getattr(self.node, name)


@dataclass
class Document:
    root: object = None  # Node, None where the text is empty
    aliases: list = field(default_factory=list)


class _Composer:
    def __init__(self, text):
        self.events = yaml.parse(text, Loader=LOADER)
        self.anchors, self.aliases, self.count = {}, [], 0

    def next(self):
        event = next(self.events, None)
        return event if event is not None else yaml.StreamEndEvent()

    def node(self, event, depth):
        """The Node that begins with an event."""
        mark, place = event.start_mark, (event.start_mark.line + 1, event.start_mark.column, event.start_mark.index)
        self.count += 1
        if self.count > VALUES_MAX:
            raise YamlError(f"more than {VALUES_MAX} values; this is not a parameter file", mark.line + 1)
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self.anchors:
                raise YamlError("not valid YAML: found undefined alias", mark.line + 1)
            self.aliases.append(Alias(self.anchors[event.anchor], *place, event.end_mark.index))
            return self.aliases[-1]
        made = Node(*place, event.end_mark.index)
        if event.anchor is not None:
            if event.anchor in self.anchors:
                raise YamlError("not valid YAML: found duplicate anchor", mark.line + 1)
            self.anchors[event.anchor] = made
        if isinstance(event, yaml.ScalarEvent):
            made.text, made.quoted = event.value, event.style not in (None, "")
            return made
        if depth == DEPTH_MAX:
            raise YamlError(f"more than {DEPTH_MAX} levels of brackets or indents; this is not a parameter file", mark.line + 1)
        made.flow = bool(event.flow_style)
        self._fill(made, isinstance(event, yaml.MappingStartEvent), depth + 1)
        return made

    def _fill(self, made, is_mapping, depth):
        """The entries of a list or mapping. Blocks end with their last entry: the event that ends them comes behind comments."""
        ends = yaml.MappingEndEvent if is_mapping else yaml.SequenceEndEvent
        entries = made.pairs = [] if is_mapping else None
        if not is_mapping:
            entries = made.items = []
        while not isinstance(event := self.next(), ends):
            first = self.node(event, depth)
            entries.append((first, self.node(self.next(), depth)) if is_mapping else first)
        if made.flow:
            made.end = event.end_mark.index
        elif entries:
            made.end = (entries[-1][1] if is_mapping else entries[-1]).end

    def document(self):
        found = Document()
        for number in range(2):
            while isinstance(event := self.next(), yaml.StreamStartEvent):
                pass
            if isinstance(event, yaml.StreamEndEvent):
                break
            begin = self.next()  # behind the start of the document
            if number:
                raise YamlError('a second YAML document begins; remove the line "---"', begin.start_mark.line + 1)
            found.root, found.aliases = self.node(begin, 0), self.aliases
            self.next()  # its end
        return found


def compose(text):
    """The Document of a text. Raises YamlError."""
    try:
        found = _Composer(text).document()
    except yaml.reader.ReaderError as e:
        raise YamlError(f"not valid YAML: {e.reason}", text.count("\n", 0, e.position) + 1) from None
    except yaml.MarkedYAMLError as e:
        line = e.problem_mark.line if e.problem_mark else 0
        lines = text.splitlines()
        tab = "; indent with spaces, this line holds a tab" if line < len(lines) and "\t" in lines[line] else ""
        raise YamlError(f"not valid YAML: {e.problem}{tab}", line + 1) from None
    for node in _nodes(found.root):
        if node.text is not None and node.quoted:  # those of | and > end behind their line
            node.end = node.start + len(text[node.start:node.end].rstrip())
    return found


def _nodes(root):
    """All nodes, once."""
    left, seen = [root] if root else [], set()
    while left:
        node = left.pop()
        node = node.node if isinstance(node, Alias) else node
        if id(node) not in seen:
            seen.add(id(node))
            yield node
            left += [*(node.items or ()), *(x for pair in node.pairs or () for x in pair)]
