"""What a program's JSON says of the machine that made it."""

import re


def card(data):
    """Name of the GPU, or of the machine where there is none."""
    device = data.get("device")
    if isinstance(device, dict):
        return device["name"]
    if device:
        return re.sub(r"^\d+ x ", "", device).split(", ")[0]
    return data["machine"]


def card_and_count(data, ranks):
    return f"{ranks} x {card(data)}" if data.get("device") else card(data)


def driver(data):
    """The driver's release and the CUDA version that it serves, "-" on a CPU."""
    device = data.get("device")
    if isinstance(device, dict):
        cuda = f"CUDA {device['driver'] // 1000}.{device['driver'] % 1000 // 10}"
        return ", ".join(filter(None, (device.get("driver_release"), cuda)))
    found = re.search(r"driver ([^,;]+)", device or "")
    return found[1] if found else "-"
