"""Slots for the values that a thread parks in shared memory while it goes through a program once.

A value occupies its slot in spans [begin, end) of statements: it is written while or after statement `begin` and read for
the last time in statement `end`. Values share a slot if their spans do not overlap.
"""

import re


class Parking:
    """Values by kind, each with its slot: `names` of the program's park() and input(); `waiting`, variables whose
    advection waits for their right-hand side and this for the update; `kept` values of variables; `ahead`, a pair for each
    variable: what its update adds to for the sum and for the next state. `slots`: how many. `updates`: the variables of
    each; `asked`: after the update of which variable of which others."""

    def __init__(self, statements, variables, plan):
        self.statements, self.plan = statements, plan
        self.of = {v.name: [v.enumerator(i) for i in v.components()] for v in variables}
        self.updates = [[v for name in names for v in self.of[name]] for names in plan.UPDATES]
        self.spans, self.asked = {}, {}
        self.span_names()
        self.span_waiting()
        self.span_kept()
        self.span_ahead()
        self.slot = self.assign()
        self.slots = 1 + max(self.slot.values(), default=-1)
        self.check()

    # What to know of the program.

    def calls(self, macro):
        """(statement, first argument) of all uses of a macro that are statements of their own."""
        found = ((n, re.match(rf"{macro}\((\w+)", text)) for n, text in enumerate(self.statements))
        return [(n, m.group(1)) for n, m in found if m]

    def at(self, macro, name):
        return next(n for n, argument in self.calls(macro) if argument == name)

    def load(self, variable):
        return self.at(r"TX_LOAD\d", variable)

    def update(self, variable):
        """The statement with which the update of a variable happens."""
        return self.at("TX_STORE", self.last(next(members for members in self.updates if variable in members)))

    def last(self, members):
        """Of the variables of an update, the one that is stored last."""
        return max(members, key=lambda v: self.at("TX_STORE", v))

    # The spans of each kind.

    def span_names(self):
        begins, ends = self.calls("TX_PARK"), self.calls("TX_UNPARK")
        ends += [(n, name) for n, text in enumerate(self.statements) for name in re.findall(r"TX_PARKED\((\w+)\)", text)]
        for begin, name in begins:
            again = next((n for n, other in begins if other == name and n > begin), len(self.statements))
            end = max((n for n, other in ends if other == name and begin < n < again), default=begin)
            self.spans.setdefault(("names", name), []).append((begin, end))
        for begin, name in self.calls("TX_INPUT"):
            last = max(n for n, text in enumerate(self.statements) if re.search(rf"\b{name}\b", text))
            self.spans[("names", name)] = [(begin, last)]

    def span_waiting(self):
        """Variables that wait while another tensor is loaded."""
        loads = self.calls(r"TX_LOAD\d")
        for name, enumerators in self.of.items():
            for v in enumerators:
                begin, end = self.load(v), self.at("TX_STORE", v)
                if any(begin < n < end and other not in enumerators for n, other in loads):
                    until = len(self.statements) if name in self.plan.LAST else self.update(v)
                    self.spans[("waiting", v)] = [(begin, until)]

    def span_kept(self):
        again = [(n, m.group(1)) for n, text in enumerate(self.statements)
                 if (m := re.match(r"TX_AGAIN\(\w+, (\w+)\)", text))]
        for v in (v for name in self.plan.KEPT for v in self.of[name]):
            self.spans[("kept", v)] = [(-1, max(n for n, other in again if other == v))]

    def span_ahead(self):
        times = {self.update(members[0]): self.last(members) for members in self.updates}
        loads = [n for n, _ in self.calls(r"TX_LOAD\d")]
        for v in (v for name in self.plan.AHEAD for v in self.of[name]):
            end = self.update(v)
            begin = max(n for n in times if n < end)
            self.asked.setdefault(times[begin], []).append(v)
            if sum(begin < n < end for n in loads) < 2:
                raise ValueError(f"{v} cannot be asked for ahead: fewer than two loads come before its update")
            for part in range(2):
                self.spans[("ahead", v, part)] = [(begin, end)]

    # Slots.

    def assign(self):
        """The lowest slot that is free, for one value after the other in the order in which they begin."""
        slot, taken = {}, []
        for value in sorted(self.spans, key=lambda value: (self.spans[value][0], value)):
            spans = self.spans[value]
            free = [n for n, others in enumerate(taken)
                    if all(a[0] >= b[1] or b[0] >= a[1] for a in spans for b in others)]
            slot[value] = free[0] if free else len(taken)
            if not free:
                taken.append([])
            taken[slot[value]] += spans
        return slot

    def check(self):
        """Go through the program: what is read must be what was written last."""
        owner, events = {}, []
        for value, spans in self.spans.items():
            events += [event for begin, end in spans for event in ((end, 0, value), (begin, 1, value))]
        for n, written, value in sorted(events, key=lambda event: event[:2]):
            if written:
                owner[self.slot[value]] = value
            elif n > min(begin for begin, _ in self.spans[value]) and owner.get(self.slot[value]) != value:
                raise ValueError(f"statement {n} reads {value} where {owner.get(self.slot[value])} lies")

    def listed(self, kind):
        """(value, slot) or (value, slot, slot) of one kind, in the order of their first spans."""
        found = {}
        for value, slot in self.slot.items():
            if value[0] == kind:
                found.setdefault(value[1], []).append(slot)
        return [(name, *slots) for name, slots in found.items()]
