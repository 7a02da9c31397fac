//! Parsing of valid values, objects and arrays, and the exit to recovery.

use super::parser::{Kind, Next, Parser, Place};
use crate::repair::RepairKind;
use serde_json::{Map, Value};

/// The greatest number of fields that an object gets room for before any is parsed.
const MAX_LIKELY_FIELDS: usize = 16;

impl Parser<'_> {
    /// Parses a value; returns `None` if there is none (and takes nothing).
    pub(super) fn value(&mut self, place: Place) -> Option<Value> {
        match self.skip_space() {
            b'"' => self.quick_string(b'"', place),
            b'{' => {
                self.pos += 1;
                Some(self.object())
            }
            b'[' => {
                self.pos += 1;
                Some(self.array())
            }
            b'-' | b'0'..=b'9' => self.number(place),
            b't' if self.word("true") => Some(Value::Bool(true)),
            b'f' if self.word("false") => Some(Value::Bool(false)),
            b'n' if self.word("null") => Some(Value::Null),
            _ => self.odd_value(place),
        }
    }

    /// Takes a literal if it is here and ends where a value may end.
    #[inline]
    fn word(&mut self, word: &str) -> bool {
        let end = self.pos + word.len();
        let found = self.text.as_bytes().get(self.pos..end) == Some(word.as_bytes())
            && self.ends_value(end);
        if found {
            self.trusted = None;
            self.pos = end;
        }
        found
    }

    /// Reports whether a value without quotes may end at an offset.
    #[inline]
    pub(super) fn ends_value(&self, at: usize) -> bool {
        let mut next = at;
        while matches!(self.byte(next), b' ' | b'\t') {
            next += 1;
        }
        matches!(self.byte(next), b',' | b'}' | b']' | b'\n' | b'\r')
    }

    /// Parses the object whose opening brace was just taken.
    pub(super) fn object(&mut self) -> Value {
        if !self.enter(Kind::Object) {
            return Value::Object(Map::new());
        }
        self.trusted = None;
        let mut map = Map::with_capacity(self.likely_fields);
        let mut comma = false;
        loop {
            match self.member_key(comma) {
                Key::Name(key) => self.member(key, &mut map),
                Key::Reread(value) => {
                    if let Some(last) = map.values_mut().next_back() {
                        *last = value;
                    }
                }
                Key::Done => break,
            }
            match self.separator(b'}', Place::Member) {
                Next::Go { comma: read } => comma = read,
                Next::Done => break,
            }
        }
        self.leave();
        self.likely_fields = map.len().min(MAX_LIKELY_FIELDS);
        Value::Object(map)
    }

    fn member_key(&mut self, comma: bool) -> Key {
        match self.skip_space() {
            quote @ (b'"' | b'\'') => {
                if let Some(key) = self.quick_key(quote) {
                    return Key::Name(key);
                }
            }
            b'}' => {
                if comma {
                    self.note(RepairKind::ExtraComma);
                }
                self.pos += 1;
                return Key::Done;
            }
            _ => {}
        }
        if let Some(value) = self.reread(Place::Member) {
            return Key::Reread(value);
        }
        self.odd_key().map_or(Key::Done, Key::Name)
    }

    fn member(&mut self, key: String, map: &mut Map<String, Value>) {
        let at = self.pos;
        let value = match self.value(Place::Member) {
            Some(value) => value,
            // A key at the end of a growing text: its value has not arrived yet.
            None if self.growing && self.at_end() => return,
            None => {
                self.note(RepairKind::MissingValue);
                Value::Null
            }
        };
        if map.insert(key, value).is_some() {
            self.notes.add(RepairKind::DuplicateKey, at);
        }
    }

    /// Parses the array whose opening bracket was just taken.
    pub(super) fn array(&mut self) -> Value {
        if !self.enter(Kind::Array) {
            return Value::Array(Vec::new());
        }
        self.trusted = None;
        let mut items = Vec::new();
        let mut comma = false;
        loop {
            if self.skip_space() == b']' {
                if comma {
                    self.note(RepairKind::ExtraComma);
                }
                self.pos += 1;
                break;
            }
            if !self.item(comma, &mut items) {
                break;
            }
            match self.separator(b']', Place::Item) {
                Next::Go { comma: read } => comma = read,
                Next::Done => break,
            }
        }
        self.leave();
        Value::Array(items)
    }

    /// Parses one item, if there is one; returns false if it belongs to the object around.
    fn item(&mut self, comma: bool, items: &mut Vec<Value>) -> bool {
        if comma
            && !self.starts_item()
            && let Some(value) = self.reread(Place::Item)
        {
            items.pop();
            items.push(value);
            return true;
        }
        let start = self.pos;
        match self.value(Place::Item) {
            Some(_) if self.is_key_after_all(start) => return false,
            Some(value) => items.push(value),
            None => {}
        }
        true
    }

    /// Reports whether an item in JSON's own form begins here.
    fn starts_item(&self) -> bool {
        matches!(
            self.byte(self.pos),
            b'"' | b'{' | b'[' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n' | b'\''
        )
    }

    /// Takes the separator of two members or items, or the end of the container.
    #[inline]
    fn separator(&mut self, closer: u8, place: Place) -> Next {
        match self.skip_space() {
            b',' => {
                self.pos += 1;
                Next::Go { comma: true }
            }
            byte if byte == closer => {
                self.pos += 1;
                Next::Done
            }
            _ => self.odd_separator(place),
        }
    }
}

enum Key {
    Name(String),
    /// The string before was longer than first parsed; this is its whole value.
    Reread(Value),
    Done,
}
