//! The written form of a shape, in the syntax that programs use (AS-5).

use super::{Bounds, Field, Shape};
use std::fmt::{self, Display, Formatter, Write};

/// Formats a shape. `{}` prints one line without descriptions: `{ ok boolean, kind?: "a" | "b" }`.
/// `{:#}` prints a field per line, each description as a `///` comment above its field.
impl Display for Shape {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_shape(f, self, 0)
    }
}

fn write_shape(f: &mut Formatter<'_>, shape: &Shape, indent: usize) -> fmt::Result {
    match shape {
        Shape::List(Some(item)) => {
            f.write_str("list[")?;
            write_shape(f, item, indent)?;
            f.write_char(']')
        }
        Shape::Object(fields) if fields.is_empty() => f.write_str("{}"),
        Shape::Object(fields) if f.alternate() => write_lines(f, fields, indent),
        Shape::Object(fields) => write_inline(f, fields),
        Shape::Enum(values) => write_enum(f, values),
        Shape::Bounded(bounds) => {
            write_shape(f, &bounds.shape, indent)?;
            write_bounds(f, bounds)
        }
        Shape::Named(name) => f.write_str(name),
        Shape::Defined(defined) => write_shape(f, &defined.shape, indent),
        _ => f.write_str(shape.type_name()),
    }
}

fn write_inline(f: &mut Formatter<'_>, fields: &[Field]) -> fmt::Result {
    for (index, field) in fields.iter().enumerate() {
        f.write_str(if index == 0 { "{ " } else { ", " })?;
        write_field(f, field, 0)?;
    }
    f.write_str(" }")
}

fn write_lines(f: &mut Formatter<'_>, fields: &[Field], indent: usize) -> fmt::Result {
    let inner = indent + 2;
    f.write_str("{\n")?;
    for field in fields {
        for line in field.description.iter().flat_map(|text| text.lines()) {
            let line = line.trim();
            writeln!(f, "{:inner$}///{}{line}", "", gap(line))?;
        }
        write!(f, "{:inner$}", "")?;
        write_field(f, field, inner)?;
        f.write_char('\n')?;
    }
    write!(f, "{:indent$}}}", "")
}

fn gap(line: &str) -> &'static str {
    if line.is_empty() { "" } else { " " }
}

fn write_field(f: &mut Formatter<'_>, field: &Field, indent: usize) -> fmt::Result {
    if is_identifier(&field.name) {
        f.write_str(&field.name)?;
    } else {
        write_string(f, &field.name)?;
    }
    f.write_str(if field.optional { "?: " } else { " " })?;
    write_shape(f, &field.shape, indent)
}

fn write_enum(f: &mut Formatter<'_>, values: &[String]) -> fmt::Result {
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            f.write_str(" | ")?;
        }
        write_string(f, value)?;
    }
    Ok(())
}

fn write_bounds(f: &mut Formatter<'_>, bounds: &Bounds) -> fmt::Result {
    if let Some(min) = &bounds.min {
        write!(f, " min {min}")?;
    }
    if let Some(max) = &bounds.max {
        write!(f, " max {max}")?;
    }
    match bounds.length {
        Some((least, most)) if least == most => write!(f, " length {most}")?,
        Some((least, most)) => write!(f, " length {least} to {most}")?,
        None => {}
    }
    if let Some(pattern) = &bounds.pattern {
        f.write_str(" pattern ")?;
        write_string(f, &pattern.text)?;
    }
    Ok(())
}

/// Reports whether a name needs no quotes in a program.
pub(crate) fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && chars.all(|c| c.is_alphanumeric() || c == '_')
}

fn write_string(f: &mut Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            c if c.is_control() => write!(f, "\\u{{{:x}}}", u32::from(c))?,
            c => f.write_char(c)?,
        }
    }
    f.write_char('"')
}
