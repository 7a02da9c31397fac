//! Reading of a raw answer: find the values, take the last that fits, coerce it, check it (AS-21).

mod last;
mod pick;
mod plain;
mod reading;
mod strict;

pub use reading::Reading;

use crate::error::AnswerError;
use crate::lenient::{Event, Scan, Source};
use crate::options::ReadOptions;
use crate::repair::{Notes, RepairKind};
use crate::shape::Shape;
use pick::Picker;
use serde_json::Value;

/// Reads a raw answer of a model (AS-21).
///
/// Without a shape any JSON value will do. Leniently, of several values the last that matches the
/// shape is taken, a whole one before one that is not closed, and fields beyond the shape are kept.
/// Strictly, the text must be exactly one JSON value of the shape without other fields, with only
/// white space around it.
///
/// # Errors
/// [`AnswerError`] lists every fault by its path. If there are several values and none fits, the
/// faults are those of the nearest one.
pub fn read(
    raw: &str,
    shape: Option<&Shape>,
    options: &ReadOptions,
) -> Result<Reading, AnswerError> {
    let limits = &options.limits;
    if raw.len() > limits.max_bytes {
        return Err(AnswerError::TooLarge { bytes: raw.len(), limit: limits.max_bytes });
    }
    if options.strict {
        return strict::read(raw, shape, limits);
    }
    match shape {
        Some(shape) if plain::is_plain(shape) => plain::read(raw, shape, limits),
        _ => Lenient::new(raw, shape, options).read(),
    }
}

/// One lenient reading of an answer that should hold an object, a list or anything.
struct Lenient<'a> {
    raw: &'a str,
    shape: Option<&'a Shape>,
    options: &'a ReadOptions,
    picker: Picker<'a>,
    notes: Notes,
    too_deep: Option<usize>,
    /// Values that broke off in the middle of prose: `use { to open … {"ok": true}`.
    doubtful: Vec<(usize, usize)>,
    /// The bytes that may still be parsed in vain: in proportion to the text.
    care: usize,
}

/// The number of doubtful values that are searched for values inside.
const MAX_DOUBTS: usize = 8;

impl<'a> Lenient<'a> {
    fn new(raw: &'a str, shape: Option<&'a Shape>, options: &'a ReadOptions) -> Self {
        Self {
            raw,
            shape,
            options,
            picker: Picker::new(shape, &options.limits),
            notes: Notes::default(),
            too_deep: None,
            doubtful: Vec::new(),
            care: raw.len().saturating_mul(4).saturating_add(65_536),
        }
    }

    fn max_depth(&self) -> usize {
        self.options.limits.max_depth
    }

    fn read(mut self) -> Result<Reading, AnswerError> {
        if let Some(reading) = self.scalar() {
            return Ok(reading);
        }
        let scan = Scan::new(self.raw, self.max_depth());
        self.run(scan);
        if !self.picker.has_answer() {
            self.look_inside_doubtful();
        }
        if !self.picker.has_answer() && !self.picker.has_near_miss() {
            self.supply_opener();
        }
        if !self.picker.has_answer() && !self.picker.has_near_miss() {
            self.unpack();
        }
        self.finish()
    }

    /// Reads an answer that is exactly one JSON scalar, where any value is accepted: a string may
    /// contain text that looks like an object.
    fn scalar(&self) -> Option<Reading> {
        let any = matches!(self.plain(), None | Some(Shape::Json));
        if !any || self.raw.trim_start().starts_with(['{', '[']) {
            return None;
        }
        let value: Value = serde_json::from_str(self.raw).ok()?;
        Some(Reading::exact(value))
    }

    fn run(&mut self, mut scan: Scan<'_>) {
        while let Some(event) = scan.next() {
            match event {
                Event::Forget => self.picker.forget(),
                Event::Value(found) => {
                    let doubtful = found.cut && found.inline && found.source == Source::Answer;
                    let span = (found.start, found.end);
                    let limits = &self.options.limits;
                    let last = last::last_complete(
                        scan.text(),
                        &found,
                        self.shape,
                        limits,
                        &mut self.care,
                    );
                    let mut fitted = self.picker.offer(found);
                    if let Some(last) = last {
                        scan.continue_at(last.end);
                        fitted |= self.picker.offer(last);
                    }
                    if doubtful && !fitted && self.doubtful.len() < MAX_DOUBTS {
                        self.doubtful.push(span);
                    }
                }
            }
        }
        self.notes.merge(scan.notes);
        self.too_deep = self.too_deep.or(scan.too_deep);
    }

    /// Looks inside doubtful values: a brace of prose may have swallowed the answer after it.
    fn look_inside_doubtful(&mut self) {
        for (start, end) in std::mem::take(&mut self.doubtful) {
            let text = self.raw.get(..end).unwrap_or(self.raw);
            let mut scan = Scan::new(text, self.max_depth()).starting_at(start + 1);
            scan.notes = Notes::default();
            self.run(scan);
        }
        self.doubtful.clear();
    }

    /// Reads an answer that continues after a brace that the prompt contained, or that is missing.
    fn supply_opener(&mut self) {
        let (body, notes) = crate::lenient::body(self.raw);
        let fields = match self.plain() {
            Some(Shape::Object(fields)) => fields,
            None => &Vec::new(),
            Some(_) => return,
        };
        let first = body.trim_start_matches(['"', '\'', '“', '”', '＂', '「']);
        let quoted = first.len() < body.len();
        let named = fields.iter().any(|field| first.starts_with(&field.name));
        if !(named || quoted && self.shape.is_none()) {
            return;
        }
        if let Some(found) = Scan::without_opener(body, 0, self.max_depth()) {
            self.notes = notes;
            self.picker.offer(found);
        }
    }

    /// Reads JSON inside a JSON string, or with needlessly escaped quotes.
    fn unpack(&mut self) {
        let Some(escape) = self.raw.find("\\\"") else {
            return;
        };
        let head = self.raw.get(..escape).unwrap_or_default();
        let Some(start) = head.find(['{', '[']) else {
            return;
        };
        let packed = self.raw.get(start..).unwrap_or_default().trim_end();
        let packed = packed.strip_suffix('"').unwrap_or(packed);
        let unpacked = crate::lenient::unescape_once(packed);
        self.notes = Notes::default();
        self.notes.add(RepairKind::EscapedTwice, start);
        self.run(Scan::new(&unpacked, self.max_depth()));
    }

    fn finish(mut self) -> Result<Reading, AnswerError> {
        let several = self.picker.offered() > 1;
        if let Some(picked) = self.picker.take() {
            let mut notes = self.notes;
            notes.merge(picked.notes);
            if several {
                notes.add(RepairKind::SeveralValues, picked.start);
            }
            return Ok(Reading {
                value: picked.value,
                repairs: notes.into_list(),
                coerced: picked.coerced,
                is_cut: picked.cut,
            });
        }
        if let Some(at) = self.too_deep {
            return Err(AnswerError::TooDeep { at, limit: self.max_depth() });
        }
        if matches!(self.plain(), None | Some(Shape::Json))
            && let Some(reading) = plain::single(self.raw)
        {
            return Ok(reading);
        }
        Err(self.picker.error().unwrap_or_else(|| self.no_value()))
    }

    fn plain(&self) -> Option<&Shape> {
        self.shape.map(Shape::plain)
    }

    fn no_value(&self) -> AnswerError {
        let expected = match self.plain() {
            Some(Shape::Object(_)) => "a JSON object",
            Some(Shape::List(_)) => "a JSON list",
            _ => "a JSON value",
        };
        plain::no_value(self.raw, expected)
    }
}
