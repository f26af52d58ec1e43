//! Formats Arrow values as texts of states: numbers as Python's `str`, whole numbers without a decimal point, times as pandas writes
//! them to CSV.

use arrow_array::temporal_conversions::{as_datetime_with_timezone, timestamp_s_to_datetime};
use arrow_array::timezone::Tz;
use arrow_array::types::{
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
};
use arrow_schema::TimeUnit;

const NANOS: i64 = 1_000_000_000;
const DAY: i64 = 86_400;

/// The number of units in a second.
fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => NANOS,
    }
}

/// Whole seconds, and the nanoseconds above them.
fn split(value: i64, unit: TimeUnit) -> (i64, i64) {
    let per = per_second(unit);
    (value.div_euclid(per), value.rem_euclid(per) * (NANOS / per))
}

/// The fraction of a second, in microseconds if they suffice; empty if it is zero.
fn fraction(nanos: i64) -> String {
    match nanos {
        0 => String::new(),
        _ if nanos % 1_000 == 0 => format!(".{:06}", nanos / 1_000),
        _ => format!(".{nanos:09}"),
    }
}

fn clock(seconds: i64) -> String {
    format!("{:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60)
}

/// Times without a zone, in the coarsest unit that represents all of them: dates only if no time of day is set.
pub(super) fn times(values: &[i64], unit: TimeUnit) -> Result<Vec<String>, String> {
    let moments: Vec<(i64, i64)> = values.iter().map(|&value| split(value, unit)).collect();
    let digits = [(0, NANOS), (3, 1_000_000), (6, 1_000), (9, 1)];
    let enough = digits.into_iter().find(|(_, step)| moments.iter().all(|(_, nanos)| nanos % step == 0));
    let (digits, step) = enough.expect("one nanosecond divides them all");
    let are_dates = digits == 0 && moments.iter().all(|(seconds, _)| seconds.rem_euclid(DAY) == 0);
    let spell = |&(seconds, nanos): &(i64, i64)| {
        let time = timestamp_s_to_datetime(seconds)?;
        Some(match digits {
            0 if are_dates => time.format("%Y-%m-%d").to_string(),
            0 => time.format("%Y-%m-%d %H:%M:%S").to_string(),
            _ => format!("{}.{:0digits$}", time.format("%Y-%m-%d %H:%M:%S"), nanos / step),
        })
    };
    moments.iter().map(|moment| spell(moment).ok_or_else(too_far)).collect()
}

/// Times in a zone, with their offset from UTC.
pub(super) fn zoned_times(values: &[i64], unit: TimeUnit, zone: &str) -> Result<Vec<String>, String> {
    let zone: Tz = zone.parse().map_err(|_| format!("the time zone `{zone}` is unknown"))?;
    let spell = |&value: &i64| {
        let time = match unit {
            TimeUnit::Second => as_datetime_with_timezone::<TimestampSecondType>(value, zone),
            TimeUnit::Millisecond => as_datetime_with_timezone::<TimestampMillisecondType>(value, zone),
            TimeUnit::Microsecond => as_datetime_with_timezone::<TimestampMicrosecondType>(value, zone),
            TimeUnit::Nanosecond => as_datetime_with_timezone::<TimestampNanosecondType>(value, zone),
        }?;
        let (_, nanos) = split(value, unit);
        Some(format!("{}{}{}", time.format("%Y-%m-%d %H:%M:%S"), fraction(nanos), time.format("%:z")))
    };
    values.iter().map(|value| spell(value).ok_or_else(too_far)).collect()
}

fn too_far() -> String {
    "a time is out of range; discretise the column first, or leave it out".to_owned()
}

/// A time of day.
pub(super) fn time_of_day(value: i64, unit: TimeUnit) -> String {
    let (seconds, nanos) = split(value, unit);
    clock(seconds) + &fraction(nanos)
}

/// A duration, days first.
pub(super) fn duration(value: i64, unit: TimeUnit) -> String {
    let (seconds, nanos) = split(value, unit);
    let days = seconds.div_euclid(DAY);
    let sign = if days < 0 { "+" } else { "" };
    format!("{days} days {sign}{}{}", clock(seconds.rem_euclid(DAY)), fraction(nanos))
}

/// A decimal number with all its digits, formatted as Python's `Decimal`.
pub(super) fn decimal(unscaled: &str, scale: i8) -> String {
    let (sign, digits) = unscaled.strip_prefix('-').map_or(("", unscaled), |digits| ("-", digits));
    let exponent = -i64::from(scale);
    // The position of the first digit; there are at most 77 digits.
    let leading = exponent + i64::try_from(digits.len()).unwrap_or(i64::MAX) - 1;
    if exponent == 0 {
        return format!("{sign}{digits}");
    }
    if exponent > 0 || leading < -6 {
        let (first, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        return format!("{sign}{first}{point}{rest}E{leading:+}");
    }
    let after = usize::from(scale.unsigned_abs());
    let padded = format!("{digits:0>width$}", width = after + 1);
    let (whole, part) = padded.split_at(padded.len() - after);
    format!("{sign}{whole}.{part}")
}

/// A 64-bit float; `None` for NaN.
pub(super) fn float64(value: f64) -> Option<String> {
    float(value, 1e16, || nearest(value, &format!("{value:e}"), |text| text.parse() == Ok(value)))
}

/// A 32-bit float, whose shortest text is shorter than that of the equal 64-bit float.
#[expect(clippy::cast_possible_truncation, reason = "it was widened from 32 bits before")]
pub(super) fn float32(value: f64) -> Option<String> {
    let narrow = value as f32;
    float(value, 1e6, || nearest(value, &format!("{narrow:e}"), |text| text.parse() == Ok(narrow)))
}

/// A 16-bit float: the fewest digits that are closer to it than to its neighbours.
pub(super) fn float16(value: f64, below: f64, above: f64) -> Option<String> {
    /// The number of digits, after the first, that distinguish all 16-bit floats.
    const MOST_DIGITS: usize = 4;
    /// Less than half the distance of any two, to round ties up.
    const A_LITTLE: f64 = 1e-9;
    let reach = |neighbour: f64| (value - neighbour).abs() / 2.0;
    let is_enough = |text: &String| {
        let off = text.parse().map_or(f64::NAN, |back: f64| back.abs() - value.abs());
        off < reach(above) && -off < reach(below)
    };
    let spelt = |digits: usize| [value, value * (1.0 + A_LITTLE)].map(|near| format!("{near:.digits$e}"));
    let last = || format!("{value:.MOST_DIGITS$e}");
    float(value, 1e3, || (0..MOST_DIGITS).flat_map(spelt).find(is_enough).unwrap_or_else(last))
}

/// Of the spellings with as few digits as the given one, the one nearest to the value, and of two equally near the even
/// one, as in Python; Rust takes the larger.
fn nearest(value: f64, shortest: &str, is_same: impl Fn(&str) -> bool) -> String {
    let mantissa = shortest.split('e').next().unwrap_or_default();
    let digits = mantissa.split('.').nth(1).map_or(0, str::len);
    let rounded = format!("{value:.digits$e}");
    if is_same(&rounded) { rounded } else { shortest.to_owned() }
}

/// A number from its shortest scientific notation, in the notation of Python and numpy; the limit for large numbers
/// depends on their width.
fn float(value: f64, large: f64, scientific: impl Fn() -> String) -> Option<String> {
    /// Whole numbers below this have no decimal point.
    const WHOLE: f64 = 1e15;
    if value.is_nan() {
        return None;
    }
    if value.is_infinite() {
        return Some(if value > 0.0 { "inf" } else { "-inf" }.to_owned());
    }
    if value.fract() == 0.0 && value.abs() < WHOLE {
        // Adding zero removes the sign of negative zero.
        return Some(format!("{:.0}", value + 0.0));
    }
    let text = scientific();
    let (mantissa, exponent) = text.split_once('e').expect("the notation has an exponent");
    let exponent: i32 = exponent.parse().expect("the exponent is a number");
    // The value decides, not its digits: the 32-bit float nearest to 1e-4 is below it.
    if !(1e-4..large).contains(&value.abs()) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return Some(format!("{mantissa}e{sign}{:02}", exponent.abs()));
    }
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let digits = mantissa.replace('.', "");
    Some(match usize::try_from(exponent) {
        Err(_) => format!("{sign}0.{}{digits}", "0".repeat((exponent + 1).unsigned_abs() as usize)),
        Ok(exponent) if exponent + 1 >= digits.len() => {
            format!("{sign}{digits:0<width$}.0", width = exponent + 1)
        }
        Ok(exponent) => format!("{sign}{}.{}", &digits[..=exponent], &digits[exponent + 1..]),
    })
}
