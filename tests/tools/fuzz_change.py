"""Ways to break a file: each takes its bytes and a random.Random, and returns others; or, of HDF5 files, changes what is in them."""

import codecs
import re

import h5py
import numpy as np

NUMBER = re.compile(rb"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])")
WORDS = (b"nan", b"inf", b"-inf", b"1e999", b"-1", b"0", b"1_0", b"1e", b"0x10", b"9" * 30, b"1,5", b"", b"true", b"null", b"[]",
         b"{}", b'"', b"*", b"$x$", "\u00e9".encode(), b"\xff", b"~", b"\t")


def somewhere(data, random):
    return random.randrange(len(data) + 1)


def span(data, random, most=40):
    first = somewhere(data, random)
    return first, min(len(data), first + random.randint(1, most))


def dropped(data, random):
    a, b = span(data, random)
    return data[:a] + data[b:]


def doubled(data, random):
    a, b = span(data, random)
    return data[:b] + data[a:]


def swapped(data, random):
    (a, b), (c, d) = sorted((span(data, random), span(data, random)))
    return data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:] if b <= c else data[:a] + data[a:b][::-1] + data[b:]


def flipped(data, random):
    if not data:
        return data
    at = random.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << random.randrange(8))]) + data[at + 1:]


def zeroed(data, random):
    a, b = span(data, random, 600)
    return data[:a] + bytes(b - a) + data[b:]


def cut(data, random):
    """Anywhere; half of the time within the last bytes."""
    return data[:somewhere(data, random)] if random.random() < 0.5 or len(data) < 60 else data[:-random.randint(1, 50)]


def replaced(words):
    def change(data, random):
        numbers = list(NUMBER.finditer(data))
        if not numbers:
            return data + random.choice(words)
        at = random.choice(numbers)
        return data[:at.start()] + random.choice(words) + data[at.end():]
    return change


def lines(data, random):
    """A line less, twice, elsewhere, or all in another order."""
    rows = data.split(b"\n")
    at = random.randrange(len(rows))
    how = random.randrange(4)
    if how == 0:
        del rows[at]
    elif how == 1:
        rows.insert(at, rows[at])
    elif how == 2:
        rows.insert(random.randrange(len(rows)), rows.pop(at))
    else:
        rows[at:] = rows[at:][::-1]
    return b"\n".join(rows)


def encoded(data, random):
    text = data.decode("utf-8", errors="replace")
    how = random.randrange(5)
    if how == 0:
        return codecs.BOM_UTF8 + data
    if how == 1:
        return text.encode("utf-16")
    if how == 2:
        return text.replace("\n", "\r\n").encode()
    at = somewhere(text, random)
    return (text[:at] + "\u00e4\u00a0" + text[at:]).encode("latin-1" if how == 3 else "utf-8", errors="replace")


def random_bytes(data, random):
    return random.randbytes(random.randint(0, 300))


NOT_FINITE = replaced((b"nan", b"inf", b"-inf", b"NaN", b"1e999"))
CHANGES = {"dropped": dropped, "doubled": doubled, "swapped": swapped, "flipped": flipped, "zeroed": zeroed, "cut": cut,
           "number": replaced(WORDS), "not finite": NOT_FINITE, "lines": lines, "encoded": encoded,
           "random bytes": random_bytes, "empty": lambda data, random: b""}


# HDF5.

def objects(h, kind):
    found = []
    h.visititems(lambda name, one: found.append(name) if isinstance(one, kind) else None)
    return found


def new_values(data, random):
    """Something else in place of a dataset's values."""
    old = data[()]
    how = random.randrange(9)
    if how == 0:
        return old[..., :-1] if old.ndim else np.zeros(3)
    if how == 1:
        return old.T
    if how == 2:
        return old.astype("S8") if old.dtype.kind != "O" else np.zeros(2)
    if how == 3:
        return np.asarray(old).astype(complex) if old.dtype.kind in "fiu" else 1j
    if how == 4:
        return old[:random.randint(0, 3)] if old.ndim else np.zeros(())
    if how == 5:
        return np.float64(1.0)
    if how == 6:
        return old[::-1] if old.ndim else old
    if how == 7:
        return np.concatenate([old, old]) if old.ndim else old
    return h5py.Empty("f8")


def in_hdf5(file, random):
    """Change one thing in a file; what was done."""
    with h5py.File(file, "a") as h:
        datasets, groups = objects(h, h5py.Dataset), [*objects(h, h5py.Group), "/"]
        owner = h[random.choice(datasets + groups)] if random.random() < 0.5 else h[random.choice(groups)]
        if owner.attrs and random.random() < 0.3:
            name = random.choice(list(owner.attrs))
            value = random.choice([None, np.nan, np.inf, -1.0, 0, "x", np.zeros(3), b"\xff\xfe", np.zeros(0)])
            del owner.attrs[name]
            if value is not None:
                owner.attrs[name] = value
            return f"attribute {name} of {owner.name}: {value!r}"
        if not datasets:
            return "nothing"
        name = random.choice(datasets)
        how = random.randrange(6)
        if how == 0:
            victim = random.choice(datasets + groups[:-1])
            del h[victim]
            return f"without {victim}"
        if how == 1:
            del h[name]
            h.create_group(name)
            return f"group {name}"
        if how == 2:
            values = new_values(h[name], random)
            del h[name]
            h[name] = values
            return f"{name}: {getattr(values, 'shape', values)} {getattr(values, 'dtype', '')}"
        if how == 3:
            other = random.choice(datasets + groups)
            del h[name]
            h[name] = h5py.SoftLink("/nowhere") if random.random() < 0.3 else h5py.SoftLink(f"/{other}")
            return f"{name}: link to {other}"
        return not_finite(h[name], random)


def not_finite(data, random):
    if data.dtype.kind != "f" or not data.size:
        return "nothing"
    at = tuple(random.randrange(n) for n in data.shape)
    data[at] = value = random.choice([np.nan, np.inf, -np.inf])
    return f"{data.name}{list(at)}: {value}"
