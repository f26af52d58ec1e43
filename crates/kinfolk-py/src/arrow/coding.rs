//! Dictionary-encodes Arrow columns: each distinct value is hashed and formatted once, and dictionary indices are read in place.

use std::hash::Hash;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, ArrowPrimitiveType, BinaryType, BinaryViewType, ByteArrayType, ByteViewType,
    Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType, DurationSecondType,
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, LargeBinaryType,
    LargeUtf8Type, StringViewType, Time32MillisecondType, Time32SecondType, Time64MicrosecondType,
    Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type, Utf8Type,
};
use arrow_array::{Array, GenericByteViewArray};
use arrow_buffer::{ArrowNativeType, NullBuffer};
use arrow_schema::{DataType, Field, TimeUnit};
use kinfolk::data::{CodedColumn, Column, split_missing_text};
use rustc_hash::FxHashMap;

use super::{Chunk, Pieces, spelling};

/// Why a column cannot be read, and the remedy.
type Reason = String;

/// A 16-bit float.
type Float16 = <Float16Type as ArrowPrimitiveType>::Native;

/// The index of a missing value.
const MISSING: u32 = u32::MAX;

pub(super) fn code(pieces: &Pieces, name: &str, na: Option<&[String]>) -> Result<CodedColumn, Reason> {
    let (kind, is_dictionary) = match pieces.field.data_type() {
        DataType::Dictionary(_, values) => (values.as_ref(), true),
        other => (other, false),
    };
    let column = ColumnCoder {
        pieces,
        name,
        is_dictionary,
        is_categorical: is_dictionary && has_levels(&pieces.field),
        na,
    };
    match kind {
        DataType::Null => column.run(|array| (0..array.len()).map(|_| None::<bool>), |_| Ok(Vec::new())),
        DataType::Boolean => column.run(|array| array.as_boolean().iter(), truths),
        DataType::Utf8 => column.run(bytes::<Utf8Type>, texts),
        DataType::LargeUtf8 => column.run(bytes::<LargeUtf8Type>, texts),
        DataType::Utf8View => column.run(views::<StringViewType>, texts),
        DataType::Binary => column.run(bytes::<BinaryType>, texts),
        DataType::LargeBinary => column.run(bytes::<LargeBinaryType>, texts),
        DataType::BinaryView => column.run(views::<BinaryViewType>, texts),
        DataType::FixedSizeBinary(_) => column.run(|array| array.as_fixed_size_binary().iter(), texts),
        DataType::Int8 if !is_dictionary && is_truth(&pieces.field) => {
            column.run(|array| natives::<Int8Type, _>(array, |value| value != 0), truths)
        }
        DataType::Int8 => column.run(whole::<Int8Type>, digits),
        DataType::Int16 => column.run(whole::<Int16Type>, digits),
        DataType::Int32 => column.run(whole::<Int32Type>, digits),
        DataType::Int64 => column.run(whole::<Int64Type>, digits),
        DataType::UInt8 => column.run(whole::<UInt8Type>, digits),
        DataType::UInt16 => column.run(whole::<UInt16Type>, digits),
        DataType::UInt32 => column.run(whole::<UInt32Type>, digits),
        DataType::UInt64 => column.run(|array| natives::<UInt64Type, _>(array, |value| value), digits),
        DataType::Float16 => {
            let bits = |array| natives::<Float16Type, _>(array, Float16::to_bits);
            let wide = |bits| f64::from(Float16::from_bits(bits));
            // The neighbouring floats bound the digits needed; zero has none below, and its text needs no bound.
            let spell = |&bits: &u16| {
                spelling::float16(wide(bits), wide(bits.saturating_sub(1)), wide(bits.saturating_add(1)))
            };
            column.run(bits, each(spell))
        }
        DataType::Float32 => {
            column.run(floats::<Float32Type>, each(|&bits| spelling::float32(f64::from_bits(bits))))
        }
        DataType::Float64 => {
            column.run(floats::<Float64Type>, each(|&bits| spelling::float64(f64::from_bits(bits))))
        }
        DataType::Decimal32(_, scale) => column.run(whole::<Decimal32Type>, decimals(*scale)),
        DataType::Decimal64(_, scale) => column.run(whole::<Decimal64Type>, decimals(*scale)),
        DataType::Decimal128(_, scale) => {
            column.run(|array| natives::<Decimal128Type, _>(array, |value| value), decimals(*scale))
        }
        DataType::Decimal256(_, scale) => {
            column.run(|array| natives::<Decimal256Type, _>(array, |value| value), decimals(*scale))
        }
        DataType::Date32 => {
            let days = |days: &i64| days * 86_400;
            column.run(whole::<Date32Type>, move |values| {
                some(spelling::times(&values.iter().map(days).collect::<Vec<_>>(), TimeUnit::Second))
            })
        }
        DataType::Date64 => {
            column.run(whole::<Date64Type>, |values| some(spelling::times(values, TimeUnit::Millisecond)))
        }
        DataType::Timestamp(unit, zone) => {
            let spell = |values: &[i64]| {
                some(match zone {
                    None => spelling::times(values, *unit),
                    Some(zone) => spelling::zoned_times(values, *unit, zone),
                })
            };
            match unit {
                TimeUnit::Second => column.run(whole::<TimestampSecondType>, spell),
                TimeUnit::Millisecond => column.run(whole::<TimestampMillisecondType>, spell),
                TimeUnit::Microsecond => column.run(whole::<TimestampMicrosecondType>, spell),
                TimeUnit::Nanosecond => column.run(whole::<TimestampNanosecondType>, spell),
            }
        }
        DataType::Time32(unit) | DataType::Time64(unit) => {
            let spell = each(|&value| Some(spelling::time_of_day(value, *unit)));
            match unit {
                TimeUnit::Second => column.run(whole::<Time32SecondType>, spell),
                TimeUnit::Millisecond => column.run(whole::<Time32MillisecondType>, spell),
                TimeUnit::Microsecond => column.run(whole::<Time64MicrosecondType>, spell),
                TimeUnit::Nanosecond => column.run(whole::<Time64NanosecondType>, spell),
            }
        }
        DataType::Duration(unit) => {
            let spell = each(|&value| Some(spelling::duration(value, *unit)));
            match unit {
                TimeUnit::Second => column.run(whole::<DurationSecondType>, spell),
                TimeUnit::Millisecond => column.run(whole::<DurationMillisecondType>, spell),
                TimeUnit::Microsecond => column.run(whole::<DurationMicrosecondType>, spell),
                TimeUnit::Nanosecond => column.run(whole::<DurationNanosecondType>, spell),
            }
        }
        other => Err(format!("Arrow type {other}")),
    }
}

/// Whether a dictionary declares the states of a column. That of a polars `Categorical` does not: it lists the values found so far; declared
/// categories are `Enum`s in polars.
fn has_levels(field: &Field) -> bool {
    !["_PL_CATEGORICAL", "_PL_CATEGORICAL2"].iter().any(|key| field.metadata().contains_key(key))
}

/// Whether bytes are Booleans, in which every value but zero is true.
fn is_truth(field: &Field) -> bool {
    field.metadata().get("ARROW:extension:name").is_some_and(|name| name == "arrow.bool8")
}

/// A column that is being coded.
struct ColumnCoder<'a> {
    pieces: &'a Pieces,
    name: &'a str,
    is_dictionary: bool,
    is_categorical: bool,
    na: Option<&'a [String]>,
}

impl<'a> ColumnCoder<'a> {
    /// Codes the column, given the hash key of a value and the texts of all distinct values.
    fn run<K: Hash + Eq + Copy, I: Iterator<Item = Option<K>>>(
        self,
        keys: impl Fn(&'a dyn Array) -> I,
        spell: impl FnOnce(&[K]) -> Result<Vec<Option<String>>, Reason>,
    ) -> Result<CodedColumn, Reason> {
        let mut distinct = Distinct { places: FxHashMap::default(), values: Vec::new() };
        let chunks = &self.pieces.chunks;
        // For each chunk the index of every value: of its rows, or of its dictionary entries.
        let mut places: Vec<Vec<u32>> = Vec::with_capacity(chunks.len());
        for chunk in chunks {
            let values =
                chunk.array.as_any_dictionary_opt().map_or(&chunk.array, |dictionary| dictionary.values());
            check(values.as_ref())?;
            places.push(distinct.places(keys(values.as_ref()), values.len()));
        }
        let mut spelt = spell(&distinct.values)?;
        if self.is_categorical {
            let holds = |entry: &String, text: &str| {
                let (column, missing) = split_missing_text(entry);
                missing == text && column.is_none_or(|column| column == self.name)
            };
            let is_missing = |text: &mut String| {
                self.na.is_some_and(|na| na.iter().any(|entry| holds(entry, text.trim())))
            };
            spelt.iter_mut().filter_map(|text| text.take_if(is_missing)).for_each(drop);
        } else if self.is_dictionary {
            let is_seen = self.seen(&places, spelt.len())?;
            spelt.iter_mut().zip(is_seen).filter(|(_, is_seen)| !is_seen).for_each(|(text, _)| *text = None);
        }
        let (texts, numbers) = number_texts(spelt);
        let missing = u32::try_from(texts.len()).map_err(|_| "too many distinct values".to_owned())?;
        let of = |place: &u32| numbers.get(*place as usize).copied().flatten().unwrap_or(missing);
        let mut codes = Column::for_states(texts.len() + 1, self.pieces.rows());
        for (chunk, places) in chunks.iter().zip(&places) {
            let values = places.iter().map(of);
            match &mut codes {
                Column::U8(codes) => {
                    self.extend(codes, chunk, &values.map(narrow).collect::<Vec<_>>(), narrow(missing))?;
                }
                Column::U16(codes) => {
                    self.extend(codes, chunk, &values.map(narrow).collect::<Vec<_>>(), narrow(missing))?;
                }
                Column::U32(codes) => self.extend(codes, chunk, &values.collect::<Vec<_>>(), missing)?,
            }
        }
        Ok(CodedColumn { name: self.name.to_owned(), texts, codes, is_categorical: self.is_categorical })
    }

    /// The distinct values that occur in some row.
    fn seen(&self, places: &[Vec<u32>], values: usize) -> Result<Vec<bool>, Reason> {
        let mut is_seen = vec![false; values];
        let mut rows = Vec::new();
        for (chunk, places) in self.pieces.chunks.iter().zip(places) {
            rows.clear();
            self.extend(&mut rows, chunk, places, MISSING)?;
            rows.iter().filter(|&&place| place != MISSING).for_each(|&place| is_seen[place as usize] = true);
        }
        Ok(is_seen)
    }

    /// Appends the codes of a chunk's rows, given the codes of its values: its dictionary entries, or the rows themselves.
    fn extend<T: Code>(
        &self,
        rows: &mut Vec<T>,
        chunk: &Chunk,
        values: &[T],
        missing: T,
    ) -> Result<(), Reason> {
        let valid = chunk.valid.as_ref();
        let DataType::Dictionary(key, _) = self.pieces.field.data_type() else {
            match valid {
                None => rows.extend_from_slice(values),
                Some(valid) => {
                    rows.extend(
                        values.iter().zip(valid).map(|(&value, is)| if is { value } else { missing }),
                    );
                }
            }
            return Ok(());
        };
        match key.as_ref() {
            DataType::Int8 => look_up::<Int8Type, T>(rows, chunk, valid, values, missing),
            DataType::Int16 => look_up::<Int16Type, T>(rows, chunk, valid, values, missing),
            DataType::Int32 => look_up::<Int32Type, T>(rows, chunk, valid, values, missing),
            DataType::Int64 => look_up::<Int64Type, T>(rows, chunk, valid, values, missing),
            DataType::UInt8 => look_up::<UInt8Type, T>(rows, chunk, valid, values, missing),
            DataType::UInt16 => look_up::<UInt16Type, T>(rows, chunk, valid, values, missing),
            DataType::UInt32 => look_up::<UInt32Type, T>(rows, chunk, valid, values, missing),
            _ => look_up::<UInt64Type, T>(rows, chunk, valid, values, missing),
        }
    }
}

/// Appends the codes of a chunk's dictionary indices.
fn look_up<I: ArrowDictionaryKeyType, T: Code>(
    rows: &mut Vec<T>,
    chunk: &Chunk,
    valid: Option<&NullBuffer>,
    values: &[T],
    missing: T,
) -> Result<(), Reason> {
    let indices: &[I::Native] = chunk.array.as_dictionary::<I>().keys().values();
    let Some(valid) = valid else {
        // As an unsigned number, a negative index is larger than any valid one.
        let (least, most) = range(indices);
        if !indices.is_empty() && (least.as_usize() >= values.len() || most.as_usize() >= values.len()) {
            return Err(not_there());
        }
        if values.iter().enumerate().all(|(place, &code)| code == T::at(place)) {
            // The common case: the dictionary has the order of our codes.
            rows.extend(indices.iter().map(|index| T::at(index.as_usize())));
        } else {
            rows.extend(indices.iter().map(|index| values[index.as_usize()]));
        }
        return Ok(());
    };
    for (index, is_valid) in indices.iter().zip(valid) {
        // The index of a missing value is not defined.
        rows.push(if is_valid { *values.get(index.as_usize()).ok_or_else(not_there)? } else { missing });
    }
    Ok(())
}

/// The smallest and the largest index; zeros if there are none.
fn range<N: ArrowNativeType>(indices: &[N]) -> (N, N) {
    let first = indices.first().copied().unwrap_or_default();
    indices.iter().fold((first, first), |(least, most), &index| {
        (if index < least { index } else { least }, if index > most { index } else { most })
    })
}

fn not_there() -> Reason {
    "an index that its dictionary does not have".to_owned()
}

/// A code of some width.
trait Code: Copy + PartialEq {
    /// The code of an index that fits this width.
    fn at(place: usize) -> Self;
}

macro_rules! code_of_width {
    ($($width:ty)*) => {
        $(impl Code for $width {
            #[inline]
            #[expect(clippy::cast_possible_truncation, reason = "lists are no longer than this width can count")]
            fn at(place: usize) -> Self {
                place as Self
            }
        })*
    };
}

code_of_width!(u8 u16 u32);

/// Distinct values in order of first appearance, with the index of each.
struct Distinct<K> {
    places: FxHashMap<K, u32>,
    values: Vec<K>,
}

impl<K: Hash + Eq + Copy> Distinct<K> {
    /// The indices of some values; new values get the next index.
    fn places(&mut self, keys: impl Iterator<Item = Option<K>>, rows: usize) -> Vec<u32> {
        let mut found = Vec::with_capacity(rows);
        for key in keys {
            let next = u32::try_from(self.values.len()).unwrap_or(MISSING);
            found.push(key.map_or(MISSING, |key| {
                *self.places.entry(key).or_insert_with(|| {
                    self.values.push(key);
                    next
                })
            }));
        }
        found
    }
}

/// The distinct texts, and the index of each value's text; `None` for missing values.
fn number_texts(spelt: Vec<Option<String>>) -> (Vec<String>, Vec<Option<u32>>) {
    let mut texts = Vec::new();
    let mut known: FxHashMap<String, u32> = FxHashMap::default();
    let mut number = |text: String| {
        let next = u32::try_from(texts.len()).unwrap_or(MISSING);
        *known.entry(text).or_insert_with_key(|text| {
            texts.push(text.clone());
            next
        })
    };
    let numbers = spelt.into_iter().map(|text| text.map(&mut number)).collect();
    (texts, numbers)
}

/// Refuses offsets outside the buffer of the texts, which a faulty producer may give; the reader does not check them.
fn check(array: &dyn Array) -> Result<(), Reason> {
    let is_sound = match array.data_type() {
        _ if array.is_empty() => true,
        DataType::Utf8 => ascends(array.as_bytes::<Utf8Type>().value_offsets()),
        DataType::LargeUtf8 => ascends(array.as_bytes::<LargeUtf8Type>().value_offsets()),
        DataType::Binary => ascends(array.as_bytes::<BinaryType>().value_offsets()),
        DataType::LargeBinary => ascends(array.as_bytes::<LargeBinaryType>().value_offsets()),
        DataType::Utf8View => is_inside(array.as_byte_view::<StringViewType>()),
        DataType::BinaryView => is_inside(array.as_byte_view::<BinaryViewType>()),
        _ => true,
    };
    is_sound.then_some(()).ok_or_else(|| "the Arrow data are broken: texts outside their buffer".to_owned())
}

/// Whether the offsets never decrease and start at or after zero. The last offset gives the length of the buffer.
fn ascends<O: PartialOrd + Default>(offsets: &[O]) -> bool {
    offsets.first().is_some_and(|first| *first >= O::default()) && offsets.is_sorted()
}

/// Whether the texts that are too long to be stored in their views lie inside the data buffers.
fn is_inside<T: ByteViewType>(array: &GenericByteViewArray<T>) -> bool {
    /// Texts up to this length are stored in their views.
    const SHORT: u128 = 12;
    let memory = array.data_buffers();
    array.views().iter().enumerate().all(|(row, view)| {
        let [length, _, place, offset] = [0, 32, 64, 96].map(|bit| (view >> bit) & u128::from(u32::MAX));
        let has_it = |place: usize| memory.get(place).is_some_and(|one| offset + length <= one.len() as u128);
        length <= SHORT || array.is_null(row) || usize::try_from(place).is_ok_and(has_it)
    })
}

/// A code in the type chosen so that all codes fit.
fn narrow<T: TryFrom<u32>>(code: u32) -> T {
    T::try_from(code).unwrap_or_else(|_| unreachable!("the column is wide enough for all its codes"))
}

fn bytes<T: ByteArrayType>(array: &dyn Array) -> impl Iterator<Item = Option<&[u8]>> {
    array.as_bytes::<T>().iter().map(|value| value.map(AsRef::as_ref))
}

fn views<T: ByteViewType>(array: &dyn Array) -> impl Iterator<Item = Option<&[u8]>> {
    array.as_byte_view::<T>().iter().map(|value| value.map(AsRef::as_ref))
}

fn natives<'a, T: ArrowPrimitiveType, K: 'a>(
    array: &'a dyn Array,
    key: impl Fn(T::Native) -> K + 'a,
) -> impl Iterator<Item = Option<K>> + 'a {
    array.as_primitive::<T>().iter().map(move |value| value.map(&key))
}

fn whole<T: ArrowPrimitiveType<Native: Into<i64>>>(array: &dyn Array) -> impl Iterator<Item = Option<i64>> {
    natives::<T, _>(array, Into::into)
}

/// The hash key of a float: its bits as a 64-bit float, which represents narrower ones exactly.
fn floats<T: ArrowPrimitiveType<Native: Into<f64>>>(array: &dyn Array) -> impl Iterator<Item = Option<u64>> {
    natives::<T, _>(array, |value| value.into().to_bits())
}

/// Formats values one at a time.
fn each<K>(spell: impl Fn(&K) -> Option<String>) -> impl FnOnce(&[K]) -> Result<Vec<Option<String>>, Reason> {
    move |values| Ok(values.iter().map(spell).collect())
}

/// The texts of Python's `str`.
fn truths(values: &[bool]) -> Result<Vec<Option<String>>, Reason> {
    each(|&truth: &bool| Some(if truth { "True" } else { "False" }.to_owned()))(values)
}

fn digits<K: ToString>(values: &[K]) -> Result<Vec<Option<String>>, Reason> {
    each(|value: &K| Some(value.to_string()))(values)
}

fn decimals<K: ToString>(scale: i8) -> impl FnOnce(&[K]) -> Result<Vec<Option<String>>, Reason> {
    each(move |value: &K| Some(spelling::decimal(&value.to_string(), scale)))
}

fn texts(values: &[&[u8]]) -> Result<Vec<Option<String>>, Reason> {
    let text = |bytes: &&[u8]| std::str::from_utf8(bytes).map(|text| Some(text.to_owned()));
    values.iter().map(text).collect::<Result<_, _>>().map_err(|_| "bytes that are not UTF-8 text".to_owned())
}

fn some(texts: Result<Vec<String>, Reason>) -> Result<Vec<Option<String>>, Reason> {
    Ok(texts?.into_iter().map(Some).collect())
}
