//! The options of `generate`, checked (AS-19). An option that is none, or unknown in a dry run,
//! counts as missing.

use super::code::OptionName;
use super::error::{Checked, Fault, codes};
use super::value::tag::Tag;
use super::value::{Value, unknown};
use crate::host::{GenerateOptions, Release, Think};
use contexture_context::Trust;
use contexture_diagnostic::suggestion;

/// The parts of `release` as an object.
pub(crate) const RELEASE: [&str; 4] = ["reason", "numbers", "dates", "ids"];

#[derive(Debug)]
pub(crate) struct Parsed {
    pub(crate) instruction: String,
    pub(crate) instruction_tag: Tag,
    pub(crate) role: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) options: GenerateOptions,
}

/// Parses the values of the options; of one given twice the last counts.
pub(crate) fn parse<'v>(values: impl Iterator<Item = (OptionName, &'v Value)>) -> Checked<Parsed> {
    let mut parsed = Parsed {
        instruction: String::new(),
        instruction_tag: Tag::PROGRAM,
        role: None,
        description: None,
        options: GenerateOptions::default(),
    };
    for (name, value) in values {
        option(&mut parsed, name, value)?;
    }
    Ok(parsed)
}

fn option(parsed: &mut Parsed, name: OptionName, value: &Value) -> Checked<()> {
    if name == OptionName::Input {
        let Value::Str(text, tag) = value else { return Err(wrong("input", "a string", value)) };
        parsed.instruction.clone_from(text);
        parsed.instruction_tag = *tag;
        return Ok(());
    }
    if matches!(value, Value::None(_)) || unknown::is(value) {
        return Ok(());
    }
    let options = &mut parsed.options;
    match name {
        OptionName::Input => {}
        OptionName::Role => parsed.role = Some(identity("role", value)?),
        OptionName::Description => parsed.description = Some(identity("description", value)?),
        OptionName::MaxOutput => options.max_output = Some(count("max_output", value)?),
        OptionName::MostOutput => options.most_output = Some(most(options.max_output, value)?),
        OptionName::OnCut => options.keep_cut = keeps_cut(value)?,
        OptionName::Release => options.release = Some(release(value)?),
        OptionName::MaxInput => options.max_input = Some(count("max_input", value)?),
        OptionName::Attempts => {
            let attempts = count("attempts", value)?;
            options.attempts = u32::try_from(attempts)
                .map_err(|_| wrong("attempts", "a whole number below 4294967296", value))?;
        }
        OptionName::Temperature => options.temperature = Some(temperature(value)?),
        OptionName::Think => options.think = Some(think(value)?),
        OptionName::Strict => options.strict = flag("strict", value)?,
        OptionName::Debug => options.debug = flag("debug", value)?,
        OptionName::Cache => options.cache = flag("cache", value)?,
        OptionName::Timeout => options.timeout_ms = Some(count("timeout", value)?),
        OptionName::Plan => options.plan = flag("plan", value)?,
    }
    Ok(())
}

/// Reads a part of the system message, which nothing from outside may write.
fn identity(name: &str, value: &Value) -> Checked<String> {
    match value {
        Value::Str(_, tag) if tag.trust() > Trust::Model => {
            let message =
                format!("`{name}` holds what came from outside: it would be an instruction");
            Err(Fault::new(codes::OPTION, message).help(
                "show it with `use`, or check it and let it up: `trust(value, \"the reason\")`",
            ))
        }
        Value::Str(text, _) => Ok(text.to_string()),
        other => Err(wrong(name, "a string", other)),
    }
}

fn count(name: &str, value: &Value) -> Checked<u64> {
    match value {
        Value::Int(number, _) if *number > 0 => Ok(number.unsigned_abs()),
        other => Err(wrong(name, "a whole number above 0", other)),
    }
}

/// Reads the second bound of `max_output`, which is not below the first.
fn most(least: Option<u64>, value: &Value) -> Checked<u64> {
    let most = count("max_output", value)?;
    if least.is_some_and(|least| most < least) {
        return Err(wrong("max_output", "a range from the smaller to the greater number", value));
    }
    Ok(most)
}

/// Reads what is let up: a reason, or an object with a reason and bounds. Bounds that something low
/// chose let nothing up.
fn release(value: &Value) -> Checked<Release> {
    let Value::Object(object, _) = value else {
        return Ok(Release { reason: reason(value)?, ..Release::default() });
    };
    let fields = object.fields.borrow();
    if let Some(key) = fields.keys().find(|key| !RELEASE.contains(&&***key)) {
        let help = suggestion(key, RELEASE);
        let help = help.unwrap_or_else(|| format!("it has {}", RELEASE.join(", ")));
        return Err(Fault::new(codes::OPTION, format!("`release` has no part `{key}`")).help(help));
    }
    let mut release = Release {
        reason: reason(fields.get("reason").unwrap_or(&Value::NONE))?,
        ..Release::default()
    };
    let bound = |name: &str| match fields.get(name) {
        None | Some(Value::None(_)) => Ok(None),
        Some(Value::List(list, tag)) => {
            let items = list.items.borrow().to_vec();
            let mut tags = items.iter().map(Value::tag).chain([*tag, list.header.tag.get()]);
            let is_own = tags.all(|tag| tag.trust() <= Trust::Model);
            Ok(is_own.then_some(items))
        }
        Some(other) => Err(wrong("release", &format!("an object with a list `{name}`"), other)),
    };
    if let Some(items) = bound("numbers")? {
        let range = match items.as_slice() {
            [least, most] => number(least).zip(number(most)).filter(|(least, most)| least <= most),
            _ => None,
        };
        let expected = "an object whose `numbers` are the least and the greatest one";
        release.numbers = Some(range.ok_or_else(|| wrong("release", expected, value))?);
    }
    if let Some(items) = bound("dates")? {
        let range = match items.as_slice() {
            [Value::Str(first, _), Value::Str(last, _)] => {
                let is_range = is_day(first) && is_day(last) && ***first <= ***last;
                is_range.then(|| ((**first).clone(), (**last).clone()))
            }
            _ => None,
        };
        let expected =
            "an object whose `dates` are the first and the last day, such as \"2026-01-31\"";
        release.dates = Some(range.ok_or_else(|| wrong("release", expected, value))?);
    }
    for item in bound("ids")?.unwrap_or_default() {
        release.ids.push(match &item {
            Value::Str(text, _) => text.as_str().into(),
            Value::Int(number, _) => (*number).into(),
            other => {
                return Err(wrong(
                    "release",
                    "an object whose `ids` are texts or whole numbers",
                    other,
                ));
            }
        });
    }
    Ok(release)
}

/// Returns a number as one that can be compared.
#[expect(clippy::cast_precision_loss, reason = "a bound need not be exact beyond 2^53")]
pub(crate) fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Int(number, _) => Some(*number as f64),
        Value::Float(number, _) => Some(*number).filter(|number| number.is_finite()),
        _ => None,
    }
}

/// Reports whether a text is a day and nothing else: `2026-01-31`. Days compare as their texts do.
pub(crate) fn is_day(text: &str) -> bool {
    let part = |from: usize, to: usize| {
        let digits = text.get(from..to)?;
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse::<u32>().ok())?
    };
    let (Some(year), Some(month), Some(day)) = (part(0, 4), part(5, 7), part(8, 10)) else {
        return false;
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let dashes = [4, 7].iter().all(|at| text.as_bytes().get(*at) == Some(&b'-'));
    text.len() == 10 && dashes && (1..=12).contains(&month) && (1..=days).contains(&day)
}

fn reason(value: &Value) -> Checked<String> {
    match value {
        Value::Str(text, tag) if !text.trim().is_empty() && tag.is_program() => {
            Ok((**text).clone())
        }
        other => Err(wrong("release", "a reason, in words of the program", other)),
    }
}

fn keeps_cut(value: &Value) -> Checked<bool> {
    match value {
        Value::Str(word, _) if word.as_str() == "keep" => Ok(true),
        Value::Str(word, _) if word.as_str() == "fail" => Ok(false),
        other => Err(wrong("on_cut", "\"fail\" or \"keep\"", other)),
    }
}

fn flag(name: &str, value: &Value) -> Checked<bool> {
    match value {
        Value::Bool(value, _) => Ok(*value),
        other => Err(wrong(name, "true or false", other)),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a sampling hint is a small number")]
fn temperature(value: &Value) -> Checked<f64> {
    match value {
        Value::Float(number, _) if *number >= 0.0 => Ok(*number),
        Value::Int(number, _) if *number >= 0 => Ok(*number as f64),
        other => Err(wrong("temperature", "a number from 0", other)),
    }
}

fn think(value: &Value) -> Checked<Think> {
    let word = match value {
        Value::Bool(on, _) => return Ok(if *on { Think::On } else { Think::Off }),
        Value::Str(text, _) => text.as_str(),
        _ => "",
    };
    match word {
        "auto" => Ok(Think::Auto),
        "low" => Ok(Think::Low),
        "medium" => Ok(Think::Medium),
        "high" => Ok(Think::High),
        _ => Err(wrong("think", "false, true, \"auto\", \"low\", \"medium\" or \"high\"", value)),
    }
}

fn wrong(name: &str, expected: &str, value: &Value) -> Box<Fault> {
    let found = match value {
        Value::Int(number, _) => number.to_string(),
        Value::Float(number, _) => number.to_string(),
        Value::Bool(value, _) => value.to_string(),
        other => other.kind().to_owned(),
    };
    let help = match name {
        "input" => "describe the task in words; show values with `use`".to_owned(),
        name => format!("give {expected}, or none to leave `{name}` out"),
    };
    Fault::new(codes::OPTION, format!("`{name}` of `generate` must be {expected}, not {found}"))
        .help(help)
}
