"""A YAML text as PyYAML's nodes, taken as src/params/yaml.c takes it: all scalars are texts, tags mean nothing, and there is one
document, of limited size."""

import yaml

# As in src/params/yaml.c.
BYTES_MAX, DEPTH_MAX, VALUES_MAX = 1 << 20, 16, 10000
# libyaml's own parser, which the program has, where PyYAML was built with it.
LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


class YamlError(ValueError):
    """A text that is not one YAML document; `line' from 1 on, 0 where none is to blame."""

    def __init__(self, problem, line):
        super().__init__(problem)
        self.problem, self.line = problem, line


def compose(text):
    """The root node of a text, None where it is empty. Raises YamlError."""
    try:
        _check(yaml.parse(text, Loader=LOADER))
        return yaml.compose(text, Loader=LOADER)
    except yaml.reader.ReaderError as e:
        raise YamlError(f"not valid YAML: {e.reason}", text.count("\n", 0, e.position) + 1) from None
    except yaml.MarkedYAMLError as e:
        line = e.problem_mark.line if e.problem_mark else 0
        lines = text.splitlines()
        tab = "; indent with spaces, this line holds a tab" if line < len(lines) and "\t" in lines[line] else ""
        raise YamlError(f"not valid YAML: {e.problem}{tab}", line + 1) from None


def _check(events):
    """Refuse, before there are nodes of them, more documents, values or levels than the program takes, and names of anchors that it
    does not know or has twice."""
    documents, count, depth, anchors = 0, 0, 0, set()
    for event in events:
        line = event.start_mark.line + 1
        documents += isinstance(event, yaml.DocumentStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if not isinstance(event, yaml.NodeEvent):
            continue
        count += 1
        if documents > 1:
            raise YamlError('a second YAML document begins; remove the line "---"', line)
        if count > VALUES_MAX:
            raise YamlError(f"more than {VALUES_MAX} values; this is not a parameter file", line)
        known = event.anchor in anchors
        if known != isinstance(event, yaml.AliasEvent) and event.anchor is not None:
            raise YamlError(f"not valid YAML: found {'duplicate anchor' if known else 'undefined alias'}", line)
        anchors.add(event.anchor)
        depth += isinstance(event, yaml.CollectionStartEvent)
        if depth > DEPTH_MAX:
            raise YamlError(f"more than {DEPTH_MAX} levels of brackets or indents; this is not a parameter file", line)


def line_of(node):
    """From 1 on."""
    return node.start_mark.line + 1


def start_of(node):
    """Its first character in the text, anchor and brackets included."""
    return node.start_mark.index


def end_of(node, text):
    """Behind its last character: the marks of what has no brackets lie behind comments and blank lines."""
    if isinstance(node, yaml.CollectionNode) and node.value and not node.flow_style:
        return end_of(_within(node)[-1], text)
    return start_of(node) + len(text[start_of(node):node.end_mark.index].rstrip())


def aliases(text, root):
    """[(first character, one behind the last, the node it stands for)] of what is written `*name'."""
    seen, meant = set(), []

    def look(node):
        if id(node) in seen:
            meant.append(node)
            return
        seen.add(id(node))
        for inside in _within(node):
            look(inside)
    look(root)
    events = [event for event in yaml.parse(text, Loader=LOADER) if isinstance(event, yaml.AliasEvent)]
    return [(event.start_mark.index, event.end_mark.index, node) for event, node in zip(events, meant)]


def _within(node):
    """The nodes of a list or mapping in their order."""
    if isinstance(node, yaml.MappingNode):
        return [inside for pair in node.value for inside in pair]
    return node.value if isinstance(node, yaml.SequenceNode) else []
