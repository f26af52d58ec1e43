"""Arrow data from a CSV file by nothing but ctypes, read by kinfolk where no package with Arrow can be imported; prints the fingerprint."""

import csv
import ctypes
import sys


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


Release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
GetSchema = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Schema))
GetNext = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Array))
LastError = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
P = ctypes.POINTER
Schema._fields_ = [
    ("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p), ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64), ("children", P(P(Schema))), ("dictionary", P(Schema)), ("release", Release), ("private_data", ctypes.c_void_p),
]  # fmt: skip
Array._fields_ = [
    ("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64), ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64), ("buffers", P(ctypes.c_void_p)), ("children", P(P(Array))), ("dictionary", P(Array)),
    ("release", Release), ("private_data", ctypes.c_void_p),
]  # fmt: skip
Stream._fields_ = [
    ("get_schema", GetSchema), ("get_next", GetNext), ("get_last_error", LastError), ("release", Release), ("private_data", ctypes.c_void_p),
]  # fmt: skip

#: Everything that must outlive this program's use of it, and how often each kind was given back.
KEPT, RELEASED = [], {"schema": 0, "array": 0, "stream": 0}


def releaser(kind, struct):
    def release(pointer):
        ctypes.cast(pointer, P(struct)).contents.release = Release()
        RELEASED[kind] += 1

    KEPT.append(Release(release))
    return KEPT[-1]


def pointers(kind, items):
    KEPT.extend(items)
    KEPT.append((P(kind) * max(len(items), 1))(*map(ctypes.pointer, items)))
    return ctypes.cast(KEPT[-1], P(P(kind)))


def buffers(*parts):
    found = (ctypes.c_void_p * len(parts))(*(None if part is None else ctypes.addressof(part) for part in parts))
    KEPT.extend([*parts, found])
    return ctypes.cast(found, P(ctypes.c_void_p))


def texts(values):
    encoded = [value.encode() for value in values]
    offsets = [0]
    for one in encoded:
        offsets.append(offsets[-1] + len(one))
    data = b"".join(encoded)
    parts = buffers(None, (ctypes.c_int32 * len(offsets))(*offsets), ctypes.create_string_buffer(data, max(len(data), 1)))
    return Array(len(values), 0, 0, 3, 0, parts, None, None, releaser("array", Array), None)


class Table:
    """The rows of a file in two pieces."""

    def __init__(self, path):
        with open(path, newline="") as file:
            self.names, *rows = csv.reader(file)
        self.pieces = [rows[:100], rows[100:]]

    def __arrow_c_stream__(self, requested_schema=None):
        left = list(self.pieces)

        def get_schema(_, out):
            fields = [Schema(b"u", name.encode(), None, 2, 0, None, None, releaser("schema", Schema), None) for name in self.names]
            out[0] = Schema(b"+s", b"", None, 0, len(fields), pointers(Schema, fields), None, releaser("schema", Schema), None)
            return 0

        def get_next(_, out):
            if not left:
                out[0] = Array()
                return 0
            rows = left.pop(0)
            columns = [texts(column) for column in zip(*rows)]
            out[0] = Array(len(rows), 0, 0, 1, len(columns), buffers(None), pointers(Array, columns), None, releaser("array", Array), None)
            return 0

        calls = [GetSchema(get_schema), GetNext(get_next), LastError(lambda _: None)]
        stream = Stream(*calls, releaser("stream", Stream), None)
        KEPT.extend([*calls, stream])
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(stream), b"arrow_array_stream", None)


if __name__ == "__main__":
    for name in ("pyarrow", "polars", "pandas", "nanoarrow"):
        sys.modules[name] = None
    import kinfolk

    print(kinfolk.read(Table(sys.argv[1])).fingerprint)
    # Everything was given back: of a schema and of an array at least the whole, of the stream exactly itself.
    assert RELEASED["stream"] == 1 and RELEASED["schema"] >= 1 and RELEASED["array"] >= 2, RELEASED
