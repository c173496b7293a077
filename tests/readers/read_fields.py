"""For pvpython: what ParaView's readers make of XDMF files, as arrays in a .npz for each.

    read_fields.py FILE.xmf OUT.npz [FILE.xmf OUT.npz ...]

Names are <reader>/times, and <reader>/<number of the time>/<block>/points, cells or a variable; readers are ParaView's
own choice for the file, and its older one, XDMF 2."""

import sys

import numpy as np
from paraview import servermanager
from paraview.simple import OpenDataFile, XDMFReader
from vtkmodules.util.numpy_support import vtk_to_numpy


def leaves(data):
    """Data sets of a tree of them, in order."""
    if not data.IsA("vtkCompositeDataSet"):
        return [data]
    iterator, found = data.NewIterator(), []
    while not iterator.IsDoneWithTraversal():
        found.append(iterator.GetCurrentDataObject())
        iterator.GoToNextItem()
    return found


def arrays(data):
    values = data.GetPointData()
    found = {values.GetArrayName(i): vtk_to_numpy(values.GetArray(i)) for i in range(values.GetNumberOfArrays())}
    return {**found, "points": vtk_to_numpy(data.GetPoints().GetData()),
            "cells": vtk_to_numpy(data.GetCells().GetConnectivityArray())}


def main(file, out):
    found = {}
    for name, reader in (("default", OpenDataFile(file)), ("xdmf2", XDMFReader(FileNames=[file]))):
        reader.UpdatePipelineInformation()
        times = [float(t) for t in np.atleast_1d(reader.TimestepValues)]
        found[f"{name}/times"] = np.array(times)
        for i in (0, len(times) - 1):
            reader.UpdatePipeline(times[i])
            for block, data in enumerate(leaves(servermanager.Fetch(reader))):
                found.update({f"{name}/{i}/{block}/{key}": values for key, values in arrays(data).items()})
    np.savez(out, **found)


for pair in zip(sys.argv[1::2], sys.argv[2::2]):
    main(*pair)
