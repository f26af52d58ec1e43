//! Arrow data out of Python's objects, where they lie: the one file that trusts what another library says of its memory.

#![expect(
    unsafe_code,
    reason = "the Arrow C interface hands over pointers; each is moved out of its capsule, once"
)]

use std::ffi::{CStr, c_int};
use std::ptr::NonNull;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi_and_data_type};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, make_array};
use arrow_schema::{ArrowError, Field};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::error;

/// What an object gave: what it is, and its pieces, none of them copied.
pub(super) struct Imported {
    pub(super) field: Field,
    pub(super) chunks: Vec<ArrayRef>,
}

/// Takes what an object gives as a stream or, if it has none, as one array. No schema is asked for, in so many words: the first versions of
/// polars that have streams want to hear it.
pub(super) fn import(given: &Bound<'_, PyAny>) -> PyResult<Imported> {
    let py = given.py();
    if given.hasattr(intern!(py, "__arrow_c_stream__"))? {
        let capsule =
            given.call_method1(intern!(py, "__arrow_c_stream__"), (py.None(),))?.cast_into::<PyCapsule>()?;
        let raw = pointer::<FFI_ArrowArrayStream>(&capsule, c"arrow_array_stream")?;
        // SAFETY: a capsule of this name holds a stream, by the protocol. It is moved out, and what is left behind counts as released.
        let stream = unsafe { FFI_ArrowArrayStream::from_raw(raw.as_ptr()) };
        return drain(py, stream);
    }
    let pair = given.call_method1(intern!(py, "__arrow_c_array__"), (py.None(),))?.cast_into::<PyTuple>()?;
    let (schema, array): (Bound<'_, PyCapsule>, Bound<'_, PyCapsule>) = pair.extract()?;
    let schema = pointer::<FFI_ArrowSchema>(&schema, c"arrow_schema")?;
    let array = pointer::<FFI_ArrowArray>(&array, c"arrow_array")?;
    // SAFETY: capsules of these names hold a schema and an array, by the protocol. Both are moved out, as above.
    let (schema, array) =
        unsafe { (FFI_ArrowSchema::from_raw(schema.as_ptr()), FFI_ArrowArray::from_raw(array.as_ptr())) };
    if schema.release().is_none() || array.is_released() {
        return Err(used_up("array"));
    }
    let field = field(&schema)?;
    let chunks = vec![chunk(array, &field)?];
    Ok(Imported { field, chunks })
}

/// What a capsule points to; it is an error if it is another capsule than is promised.
fn pointer<T>(capsule: &Bound<'_, PyCapsule>, name: &CStr) -> PyResult<NonNull<T>> {
    Ok(capsule.pointer_checked(Some(name))?.cast())
}

/// All pieces of a stream. Whoever makes them may need the interpreter for it, and Ctrl-C is heard between two of them.
fn drain(py: Python<'_>, mut stream: FFI_ArrowArrayStream) -> PyResult<Imported> {
    let (Some(get_schema), Some(get_next), Some(_)) =
        (stream.get_schema(), stream.get_next(), stream.release())
    else {
        return Err(used_up("stream"));
    };
    let mut schema = FFI_ArrowSchema::empty();
    // SAFETY: the stream is not released, and the schema is empty and ours, to be written over.
    let status = py.detach(|| unsafe { get_schema(&raw mut stream, &raw mut schema) });
    check(&mut stream, status)?;
    let field = field(&schema)?;
    let mut chunks = Vec::new();
    loop {
        let mut array = FFI_ArrowArray::empty();
        // SAFETY: as above; the call before this one has succeeded, as the protocol asks.
        let status = py.detach(|| unsafe { get_next(&raw mut stream, &raw mut array) });
        check(&mut stream, status)?;
        if array.is_released() {
            return Ok(Imported { field, chunks });
        }
        chunks.push(chunk(array, &field)?);
        py.check_signals()?;
    }
}

/// What a stream says of a call that has failed.
fn check(stream: &mut FFI_ArrowArrayStream, status: c_int) -> PyResult<()> {
    if status == 0 {
        return Ok(());
    }
    // SAFETY: the stream is not released; the text, if there is one, lasts until the next call, and is copied before.
    let said = stream.get_last_error().map(|get| unsafe { get(std::ptr::from_mut(stream)) });
    let said = said.filter(|text| !text.is_null());
    // SAFETY: the same.
    let said = said.map(|text| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned());
    let reason = said.unwrap_or_else(|| std::io::Error::from_raw_os_error(status).to_string());
    Err(error::data(format!("the Arrow stream failed: {reason}")))
}

/// A piece as an array; its buffers stay where they are, unless they are not aligned.
fn chunk(array: FFI_ArrowArray, field: &Field) -> PyResult<ArrayRef> {
    // SAFETY: the array is not released, and its type is the one that came with it.
    let data = unsafe { from_ffi_and_data_type(array, field.data_type().clone()) };
    Ok(make_array(data.map_err(broken)?))
}

/// A field; if it has children of a type that nobody here knows, the first of them is named.
fn field(schema: &FFI_ArrowSchema) -> PyResult<Field> {
    Field::try_from(schema).map_err(|reason| {
        let unknown = schema.children().find(|child| Field::try_from(*child).is_err());
        match unknown.and_then(FFI_ArrowSchema::name) {
            Some(column) => error::data(format!(
                "column `{column}`: its values cannot be read as states (Arrow type `{}`: {reason}); cast it to texts or numbers, \
                 or give the other columns only",
                unknown.map_or("", FFI_ArrowSchema::format)
            )),
            None => broken(reason),
        }
    })
}

fn broken(reason: ArrowError) -> PyErr {
    error::data(format!("the Arrow data cannot be taken: {reason}"))
}

fn used_up(what: &str) -> PyErr {
    error::data(format!(
        "the Arrow {what} has been used up by somebody else; make a new one, or give a table, which can be read again"
    ))
}
