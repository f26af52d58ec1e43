//! Imports Arrow data from Python objects without copying; the only file that dereferences another library's pointers.

#![expect(
    unsafe_code,
    reason = "the Arrow C interface hands over pointers; each is moved out of its capsule, once"
)]

use std::borrow::Cow;
use std::ffi::{CStr, c_char, c_int};
use std::ptr::NonNull;
use std::sync::Arc;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi_and_data_type};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, NullArray, make_array};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};
use arrow_schema::{ArrowError, DataType, Field};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use super::Pieces;
use crate::error;

/// The Arrow data of an object, without copies.
pub(super) enum Imported {
    /// Structs, which have named fields.
    Table(Vec<Pieces>),
    /// Values.
    Column(Pieces),
}

/// Imports an object's Arrow stream or, if it has none, its array. `requested_schema=None` is passed explicitly, because the first versions
/// of polars with streams require the argument.
pub(super) fn import(given: &Bound<'_, PyAny>) -> PyResult<Imported> {
    let py = given.py();
    if let Ok(method) = given.getattr(intern!(py, "__arrow_c_stream__"))
        && method.is_callable()
    {
        let capsule = method.call1((py.None(),))?;
        let raw = pointer::<FFI_ArrowArrayStream>(&capsule, c"arrow_array_stream");
        let raw = raw.map_err(|reason| no_arrow(given, "__arrow_c_stream__", &reason))?;
        // SAFETY: a capsule of this name holds a stream, by the protocol. It is moved out, which marks the original as released.
        let stream = unsafe { FFI_ArrowArrayStream::from_raw(raw.as_ptr()) };
        return drain(py, stream);
    }
    let pair = given.call_method1(intern!(py, "__arrow_c_array__"), (py.None(),))?;
    // The pair owns the content of the capsules until it is moved out.
    let pointers = |pair: &Bound<'_, PyAny>| -> PyResult<_> {
        let (schema, array) = pair.cast::<PyTuple>()?.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
        let schema = pointer::<FFI_ArrowSchema>(&schema, c"arrow_schema")?;
        Ok((schema, pointer::<FFI_ArrowArray>(&array, c"arrow_array")?))
    };
    let (schema, array) = pointers(&pair).map_err(|reason| no_arrow(given, "__arrow_c_array__", &reason))?;
    // SAFETY: capsules of these names hold a schema and an array, by the protocol. Both are moved out, as above.
    let (schema, array) =
        unsafe { (FFI_ArrowSchema::from_raw(schema.as_ptr()), FFI_ArrowArray::from_raw(array.as_ptr())) };
    if schema.release().is_none() || array.is_released() {
        return Err(used_up("array"));
    }
    let mut imported = Imported::new(&schema);
    imported.push(array)?;
    Ok(imported)
}

/// The pointer of a capsule; an error if the object is not a capsule or has another name.
fn pointer<T>(capsule: &Bound<'_, PyAny>, name: &CStr) -> PyResult<NonNull<T>> {
    Ok(capsule.cast::<PyCapsule>()?.pointer_checked(Some(name))?.cast())
}

/// All chunks of a stream. The producer may need the interpreter; Ctrl-C is handled between two chunks.
fn drain(py: Python<'_>, mut stream: FFI_ArrowArrayStream) -> PyResult<Imported> {
    let (Some(get_schema), Some(get_next), Some(_)) =
        (stream.get_schema(), stream.get_next(), stream.release())
    else {
        return Err(used_up("stream"));
    };
    let mut schema = FFI_ArrowSchema::empty();
    // SAFETY: the stream is not released, and the schema is an empty one of ours, which the call overwrites.
    let status = py.detach(|| unsafe { get_schema(&raw mut stream, &raw mut schema) });
    check(py, &mut stream, status)?;
    let mut imported = Imported::new(&schema);
    loop {
        let mut array = FFI_ArrowArray::empty();
        // SAFETY: as above; the previous call has succeeded, as the protocol requires.
        let status = py.detach(|| unsafe { get_next(&raw mut stream, &raw mut array) });
        check(py, &mut stream, status)?;
        if array.is_released() {
            return Ok(imported);
        }
        imported.push(array)?;
        py.check_signals()?;
    }
}

/// The error of a failed call to a stream; a keyboard interrupt if Ctrl-C stopped it.
fn check(py: Python<'_>, stream: &mut FFI_ArrowArrayStream, status: c_int) -> PyResult<()> {
    if status == 0 {
        return Ok(());
    }
    py.check_signals()?;
    // SAFETY: the stream is not released; the text, if there is one, lasts until the next call, and is copied before.
    let said = stream.get_last_error().map(|get| unsafe { get(std::ptr::from_mut(stream)) });
    let said = said.filter(|text| !text.is_null());
    // SAFETY: the same.
    let said = said.map(|text| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned());
    let reason = said.unwrap_or_else(|| std::io::Error::from_raw_os_error(status).to_string());
    // A Python producer handles Ctrl-C itself; only the end of its traceback remains in the message.
    if reason.trim_end().lines().next_back() == Some("KeyboardInterrupt") {
        return Err(PyKeyboardInterrupt::new_err(()));
    }
    Err(error::data(format!("the Arrow stream failed: {reason}")))
}

impl Imported {
    /// Columns without chunks. A column of an unsupported type is refused only if it is used.
    fn new(schema: &FFI_ArrowSchema) -> Self {
        if texts(schema).0 == "+s" {
            Self::Table(schema.children().map(column).collect())
        } else {
            Self::Column(column(schema))
        }
    }

    /// Adds a chunk.
    fn push(&mut self, array: FFI_ArrowArray) -> PyResult<()> {
        let (rows, offset) = (array.len(), array.offset());
        if rows.checked_add(offset).is_none_or(|end| isize::try_from(end).is_err()) {
            return Err(broken("its length is none"));
        }
        let columns = match self {
            Self::Column(pieces) => {
                let array = whole(array, pieces.field.data_type());
                pieces.push(array, rows, None);
                return Ok(());
            }
            Self::Table(columns) => columns,
        };
        if array.num_children() != columns.len() {
            return Err(broken(format!("{} columns instead of {}", array.num_children(), columns.len())));
        }
        let valid = validity(&array);
        let array = Arc::new(array);
        for (index, pieces) in columns.iter_mut().enumerate() {
            let found = match pieces.unreadable {
                None => part(&array, index, pieces.field.data_type()),
                Some(_) => Ok(Arc::new(NullArray::new(rows)) as ArrayRef),
            };
            pieces.push(found, rows, valid.as_ref());
        }
        Ok(())
    }
}

/// A column without chunks. Its metadata are used only if all of them are texts.
fn column(schema: &FFI_ArrowSchema) -> Pieces {
    let (format, name) = texts(schema);
    let (kind, unreadable) = match is_text(schema).then(|| DataType::try_from(schema)) {
        Some(Ok(kind)) if kind.is_nested() => (DataType::Null, Some(format!("Arrow type {kind}"))),
        Some(Ok(kind)) => (kind, None),
        _ => (DataType::Null, Some(format!("Arrow type `{format}`"))),
    };
    let field = Field::new(name, kind, true);
    Pieces::new(field.with_metadata(schema.metadata().unwrap_or_default()), unreadable)
}

/// The format and the name of a schema; invalid UTF-8 is replaced.
fn texts(schema: &FFI_ArrowSchema) -> (Cow<'_, str>, Cow<'_, str>) {
    let [format, name] =
        first_texts(schema).map(|text| text.map_or(Cow::Borrowed(""), CStr::to_string_lossy));
    (format, name)
}

/// Whether the formats of a schema and of its children are valid texts, which reading its type requires.
fn is_text(schema: &FFI_ArrowSchema) -> bool {
    let text = |text: Option<&CStr>| text.is_none_or(|text| text.to_str().is_ok());
    let within = |inner: &FFI_ArrowSchema| text(first_texts(inner)[1]) && is_text(inner);
    text(first_texts(schema)[0]) && schema.children().all(within) && schema.dictionary().is_none_or(within)
}

/// The pointers to format and name.
fn first_texts(schema: &FFI_ArrowSchema) -> [Option<&CStr>; 2] {
    let texts = std::ptr::from_ref(schema).cast::<[*const c_char; 2]>();
    // SAFETY: by the Arrow C interface a schema begins with these two pointers, each to a zero-terminated text that lives as long as
    // the schema, or null.
    unsafe { (*texts).map(|text| (!text.is_null()).then(|| CStr::from_ptr(text))) }
}

/// Imports an array; its buffers are copied only if they are not aligned.
fn whole(array: FFI_ArrowArray, kind: &DataType) -> Result<ArrayRef, String> {
    if *kind == DataType::Null {
        // Some producers give buffers to arrays without values.
        return Ok(Arc::new(NullArray::new(array.len())));
    }
    // SAFETY: the array is not released, and its type is the one that came with it.
    let data = unsafe { from_ffi_and_data_type(array, kind.clone()) };
    let say = |reason: ArrowError| format!("the Arrow data are broken: {reason}");
    let data = data.map_err(say)?;
    // Without rows, the single offset is not defined.
    if !data.is_empty() {
        data.validate().map_err(say)?;
    }
    Ok(make_array(data))
}

/// A field of a struct array, restricted to the rows of the array.
fn part(parent: &Arc<FFI_ArrowArray>, index: usize, kind: &DataType) -> Result<ArrayRef, String> {
    let (rows, offset) = (parent.len(), parent.offset());
    let child = parent.child(index);
    let enough = child.len().checked_sub(offset).is_some_and(|left| left >= rows);
    if child.is_released() || !enough || isize::try_from(child.len().saturating_add(child.offset())).is_err()
    {
        return Err("the Arrow data are broken: the column has fewer rows than the table".to_owned());
    }
    // SAFETY: the copy shares the buffers of the child and keeps them alive through a reference count of the parent. Its release drops
    // that reference; the last one releases the child.
    let child = unsafe {
        let mut copy = std::mem::ManuallyDrop::new(std::ptr::read(child));
        copy.set_private_data(Arc::into_raw(Arc::clone(parent)).cast_mut().cast());
        copy.set_release(Some(release_share));
        std::mem::ManuallyDrop::into_inner(copy)
    };
    Ok(whole(child, kind)?.slice(offset, rows))
}

/// Drops a reference to a parent.
unsafe extern "C" fn release_share(array: *mut FFI_ArrowArray) {
    // SAFETY: it is called once, by the owner of a copy made by `part`, whose private data are such a reference.
    unsafe {
        drop(Arc::from_raw((*array).private_data().cast::<FFI_ArrowArray>()));
        (*array).set_release(None);
    }
}

/// The validity bitmap of a struct array; `None` if every row is valid.
fn validity(array: &FFI_ArrowArray) -> Option<NullBuffer> {
    if array.null_count_opt() == Some(0) || array.num_buffers() == 0 || array.buffer(0).is_null() {
        return None;
    }
    let (rows, offset) = (array.len(), array.offset());
    // SAFETY: the first buffer of structs has a bit for each row.
    let bits = unsafe { std::slice::from_raw_parts(array.buffer(0), (offset + rows).div_ceil(8)) };
    Some(NullBuffer::new(BooleanBuffer::new(Buffer::from(bits), offset, rows)))
}

fn broken(reason: impl std::fmt::Display) -> PyErr {
    error::data(format!("the Arrow data cannot be taken: {reason}"))
}

fn no_arrow(given: &Bound<'_, PyAny>, method: &str, reason: &PyErr) -> PyErr {
    let kind = given.get_type();
    let kind = kind.name().map_or_else(|_| "the object".to_owned(), |name| name.to_string());
    error::data(format!("{method} of {kind} does not return Arrow data ({})", reason.value(given.py())))
}

fn used_up(what: &str) -> PyErr {
    error::data(format!(
        "the Arrow {what} has already been consumed; create a new one, or pass a table, which can be read repeatedly"
    ))
}
