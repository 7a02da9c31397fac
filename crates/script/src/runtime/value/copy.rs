//! Copies across agents (AS-28), and the check that no value contains itself.

use super::fields::Fields;
use super::json::check_depth;
use super::tag::Tag;
use super::{CONTAINER_BYTES, FIELD_BYTES, Header, List, Object, Value};
use crate::runtime::error::{Checked, Fault, codes};
use crate::runtime::meter::Meter;
use contexture_context::Trust;
use std::collections::{HashMap, HashSet};

/// Copies a value without sharing any container with the original; lists of texts and numbers share
/// their items until both have others ([`items`](super::items)). Parts that the original shares
/// with itself are shared in the copy as well, so that the copy is never larger.
pub(crate) fn deep_copy(value: &Value, meter: &Meter, epoch: u32) -> Checked<Value> {
    Copier { meter, epoch, way: None, done: HashMap::new() }.copy(value, 1)
}

/// Copies a value that its program lets up for a reason (GU-4): the original stays as it is.
pub(crate) fn released(value: &Value, meter: &Meter, epoch: u32, way: &str) -> Checked<Value> {
    Copier { meter, epoch, way: Some(way), done: HashMap::new() }.copy(value, 1)
}

struct Copier<'m> {
    meter: &'m Meter,
    epoch: u32,
    /// The step that is noted in all labels of a value that is let up.
    way: Option<&'m str>,
    /// The copies of containers with several owners, by address.
    done: HashMap<usize, Value>,
}

impl Copier<'_> {
    fn copy(&mut self, value: &Value, depth: usize) -> Checked<Value> {
        let tag = self.tag(value.tag());
        let Some((address, holders)) = value.identity() else {
            return Ok(value.clone().with_tag(tag));
        };
        check_depth(self.meter, depth)?;
        if let Some(done) = self.done.get(&address) {
            return Ok(done.clone().with_tag(tag));
        }
        let copy = match value {
            Value::List(list, _) => self.list(list, depth)?,
            Value::Object(object, _) => self.object(object, depth)?,
            scalar => scalar.clone(),
        };
        if holders > 1 {
            self.done.insert(address, copy.clone());
        }
        Ok(copy.with_tag(tag))
    }

    fn tag(&self, tag: Tag) -> Tag {
        match self.way {
            Some(way) => self.meter.tags().released(tag, way, Trust::User),
            None => tag,
        }
    }

    fn list(&mut self, list: &List, depth: usize) -> Checked<Value> {
        if self.way.is_none()
            && let Some(shared) = list.items.share()
        {
            self.meter.heap(CONTAINER_BYTES)?;
            return Ok(Value::list(shared, self.header(&list.header)));
        }
        let items = list.items.borrow();
        self.meter.heap((items.len() + 1) * FIELD_BYTES)?;
        let mut copy = Vec::with_capacity(items.len());
        for item in items.iter() {
            let item = self.copy(item, depth + 1)?;
            item.mark_held();
            copy.push(item);
        }
        Ok(Value::list(copy, self.header(&list.header)))
    }

    fn object(&mut self, object: &Object, depth: usize) -> Checked<Value> {
        let fields = object.fields.borrow();
        self.meter.heap((fields.len() + 1) * FIELD_BYTES)?;
        let mut copy = Fields::with_capacity(fields.len());
        for (name, value) in fields.iter() {
            let value = self.copy(value, depth + 1)?;
            value.mark_held();
            copy.set(name, value);
        }
        let copy = Value::object(copy, self.header(&object.header));
        if let Value::Object(copy, _) = &copy {
            copy.optional.replace(object.optional.borrow().clone());
        }
        Ok(copy)
    }

    fn header(&self, original: &Header) -> Header {
        Header::tagged(self.epoch, self.tag(original.tag.get()))
    }
}

/// Refuses to put `part` into `whole` if `whole` is `part` or inside it.
pub(crate) fn refuse_ring(whole: &Value, part: &Value, meter: &Meter) -> Checked<()> {
    let (Some((target, _)), Some(header)) = (whole.identity(), whole.header()) else {
        return Ok(());
    };
    let mut search = Search { target, seen: HashSet::new(), todo: Vec::new() };
    search.meet(part)?;
    // A container that was never put into another can't be inside `part`.
    if !header.held.get() {
        return Ok(());
    }
    while let Some(value) = search.todo.pop() {
        let found = search.todo.len();
        match &value {
            Value::List(list, _) => {
                list.items.borrow().iter().try_for_each(|item| search.meet(item))?;
            }
            Value::Object(object, _) => {
                object.fields.borrow().values().try_for_each(|item| search.meet(item))?;
            }
            _ => {}
        }
        let work = search.todo.len().saturating_sub(found);
        meter.spend(i64::try_from(work / 16 + 1).unwrap_or(i64::MAX))?;
    }
    Ok(())
}

struct Search {
    target: usize,
    seen: HashSet<usize>,
    todo: Vec<Value>,
}

impl Search {
    fn meet(&mut self, value: &Value) -> Checked<()> {
        let Some((address, owners)) = value.identity() else { return Ok(()) };
        if address == self.target {
            return Err(Fault::new(codes::RING, "a value can't contain itself")
                .help("add a copy: `.summary` makes one of a list"));
        }
        if owners < 2 || self.seen.insert(address) {
            self.todo.push(value.clone());
        }
        Ok(())
    }
}
