//! Declared parameters (REF-17): a table of name, type, description and further columns.

use super::check::check;
use super::report::{Report, span};
use super::table::{self, Cell, Row, without_backticks};
use crate::codes;
use contexture_core::reference::{Parameter, ParameterKind};
use contexture_diagnostic::nearest;
use std::collections::BTreeMap;
use std::ops::Range;

const TYPES: &[(&str, ParameterKind)] = &[
    ("string", ParameterKind::String),
    ("text", ParameterKind::String),
    ("字符串", ParameterKind::String),
    ("文本", ParameterKind::String),
    ("number", ParameterKind::Number),
    ("float", ParameterKind::Number),
    ("数字", ParameterKind::Number),
    ("数值", ParameterKind::Number),
    ("浮点数", ParameterKind::Number),
    ("integer", ParameterKind::Integer),
    ("int", ParameterKind::Integer),
    ("整数", ParameterKind::Integer),
    ("整型", ParameterKind::Integer),
    ("boolean", ParameterKind::Boolean),
    ("bool", ParameterKind::Boolean),
    ("布尔", ParameterKind::Boolean),
    ("布尔值", ParameterKind::Boolean),
    ("range", ParameterKind::Range),
    ("范围", ParameterKind::Range),
    ("区间", ParameterKind::Range),
];
const EXAMPLE: &[&str] = &["example", "examples", "示例", "例子", "用法示例"];
const DEFAULT: &[&str] = &["default", "default value", "默认值", "默认", "缺省值"];
const REQUIRED: &[&str] = &["required", "必填", "必需", "必须", "是否必填", "是否必需", "是否必须"];
const YES: &[&str] =
    &["yes", "y", "true", "1", "required", "x", "✓", "✔", "√", "✅", "是", "必填", "必需"];
const NO: &[&str] = &[
    "", "no", "n", "false", "0", "optional", "-", "–", "—", "✗", "✘", "×", "❌", "否", "可选",
    "选填",
];

/// Reads the parameters of a part; without a table it is documentation.
pub(super) fn read(
    source: &str,
    part: Range<usize>,
    max_rows: usize,
    report: &mut Report,
) -> Vec<Parameter> {
    let Some(table) = table::read(source, part, max_rows, report) else { return Vec::new() };
    let columns = Columns::of(&table.header);
    let mut first: BTreeMap<String, Range<usize>> = BTreeMap::new();
    let mut parameters = Vec::new();
    for row in &table.rows {
        let Some((name, place)) = name(row, report) else { continue };
        if let Some(first) = first.get(name) {
            let message = format!("the parameter `{name}` is declared twice");
            let fault = codes::DUPLICATE_PARAMETER.at(span(place), message);
            report.add(fault.with_label(span(first.clone()), "first here"));
            continue;
        }
        first.insert(name.to_owned(), place);
        parameters.push(parameter(name, row, columns, report));
    }
    parameters
}

/// The columns that are known by their headers.
#[derive(Debug, Clone, Copy)]
struct Columns {
    example: Option<usize>,
    default: Option<usize>,
    required: Option<usize>,
}

impl Columns {
    fn of(header: &[Cell]) -> Self {
        let find = |names: &[&str]| {
            let mut further = header.iter().enumerate().skip(3);
            let is = |text: &str| names.contains(&text.trim_matches('*').to_lowercase().as_str());
            further.find(|(_, cell)| is(&cell.text)).map(|(index, _)| index)
        };
        Self { example: find(EXAMPLE), default: find(DEFAULT), required: find(REQUIRED) }
    }
}

fn name<'a>(row: &'a Row, report: &mut Report) -> Option<(&'a str, Range<usize>)> {
    let cell = row.cells.first()?;
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let is_name = cell.text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && cell.text.chars().all(is_part);
    if !is_name {
        let message = match cell.text.as_str() {
            "" => "the row names no parameter".to_owned(),
            text => format!("`{text}` can't name a parameter"),
        };
        report.say(codes::BAD_PARAMETER_NAME, row.place.clone(), message);
        return None;
    }
    Some((&cell.text, cell.place.clone()))
}

fn parameter(name: &str, row: &Row, columns: Columns, report: &mut Report) -> Parameter {
    let cell = |index: Option<usize>| index.and_then(|index| row.cells.get(index));
    let text = |index: Option<usize>| cell(index).map_or("", |cell| cell.text.as_str());
    let mut description = text(Some(2)).to_owned();
    let example = text(columns.example);
    if !example.is_empty() {
        let gap = if description.is_empty() { "" } else { " " };
        description = format!("{description}{gap}(for example `{example}`)");
    }
    let mut parameter = Parameter {
        name: name.to_owned(),
        kind: kind(name, cell(Some(1)), report),
        description,
        default: None,
        required: cell(columns.required).is_some_and(|cell| required(cell, report)),
    };
    if let Some(cell) = cell(columns.default) {
        parameter.default = default(&parameter, cell, report);
    }
    parameter
}

fn kind(name: &str, cell: Option<&Cell>, report: &mut Report) -> ParameterKind {
    let Some(cell) = cell else { return ParameterKind::String };
    let known = |text: &str| {
        let text = text.to_lowercase();
        TYPES.iter().find(|(word, _)| *word == text).map(|(_, kind)| kind.clone())
    };
    if let Some(kind) = known(&cell.text) {
        return kind;
    }
    let words: Vec<&str> = cell.text.split('|').map(word).collect();
    // `string|number` joins types, it does not list words.
    let is_choice = words.len() > 1
        && words.iter().all(|word| !word.is_empty())
        && !words.iter().all(|word| known(word).is_some());
    if is_choice {
        return ParameterKind::OneOf(words.into_iter().map(str::to_owned).collect());
    }
    let message = match cell.text.as_str() {
        "" => format!("the parameter `{name}` has no type and is taken as string"),
        text => format!("`{text}` is not a type: the parameter `{name}` is taken as string"),
    };
    let fault = codes::UNKNOWN_PARAMETER_TYPE.at(span(cell.place.clone()), message);
    let near = nearest(&cell.text, TYPES.iter().map(|(word, _)| *word));
    report.add(fault.with_help(match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => "the types are string, number, integer, boolean, range and `a\\|b`".to_owned(),
    }));
    ParameterKind::String
}

/// Returns one word of a choice, without backticks and quotes.
fn word(text: &str) -> &str {
    let text = without_backticks(text.trim()).trim_matches('`').trim();
    let unquoted = |quote| text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote));
    unquoted('"').or_else(|| unquoted('\'')).unwrap_or(text)
}

fn required(cell: &Cell, report: &mut Report) -> bool {
    let text = cell.text.trim_matches('*').to_lowercase();
    let is_yes = YES.contains(&text.as_str());
    if !is_yes && !NO.contains(&text.as_str()) {
        let message = format!("`{}` says neither yes nor no and is taken as no", cell.text);
        report.say(codes::BAD_REQUIRED, cell.place.clone(), message);
    }
    is_yes
}

fn default(parameter: &Parameter, cell: &Cell, report: &mut Report) -> Option<String> {
    let text = word(&cell.text);
    if matches!(text, "" | "-" | "–" | "—" | "无") {
        return None;
    }
    if let Err(error) = check(parameter, text) {
        report.say(codes::BAD_DEFAULT, cell.place.clone(), format!("no default: {error}"));
        return None;
    }
    Some(text.to_owned())
}
