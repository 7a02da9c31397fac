//! The options of `generate`, checked (AS-19). An option that is none, or unknown in a dry run,
//! counts as missing.

use super::code::OptionName;
use super::error::{Checked, Fault, codes};
use super::value::tag::Tag;
use super::value::{Value, unknown};
use crate::host::{GenerateOptions, Think};

#[derive(Debug)]
pub(crate) struct Parsed {
    pub(crate) instruction: String,
    pub(crate) instruction_tag: Tag,
    pub(crate) options: GenerateOptions,
}

/// Parses the values of the options; of one given twice the last counts.
pub(crate) fn parse<'v>(values: impl Iterator<Item = (OptionName, &'v Value)>) -> Checked<Parsed> {
    let mut parsed = Parsed {
        instruction: String::new(),
        instruction_tag: Tag::PROGRAM,
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
        OptionName::MaxOutput => options.max_output = Some(count("max_output", value)?),
        OptionName::MostOutput => options.most_output = Some(most(options.max_output, value)?),
        OptionName::OnCut => options.keep_cut = keeps_cut(value)?,
        OptionName::Release => options.release = Some(reason(value)?),
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
