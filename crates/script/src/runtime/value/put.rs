//! Moves of values from one place to another, part by part (GR-3).
//!
//! Decision: a value that was just written in its parts and is then read as 16 bytes makes a
//! processor wait until the writes are done, which costs more than a whole instruction of the
//! machine. So the paths of common instructions look at the kind of a value first and move its parts.

use super::Value;
use super::tag::Tag;

/// Replaces `$slot` by a copy of `$found`; `$guard`, which lends the value, ends before that.
macro_rules! put_copy {
    ($found:expr, [$($guard:ident)?], $slot:expr) => {
        match $found {
            Value::Float(value, tag) => {
                let (value, tag) = (*value, *tag);
                $(drop($guard);)?
                if let Some(slot) = $slot {
                    slot.put_float(value, tag);
                }
            }
            Value::Int(value, tag) => {
                let (value, tag) = (*value, *tag);
                $(drop($guard);)?
                if let Some(slot) = $slot {
                    slot.put_int(value, tag);
                }
            }
            Value::Str(text, tag) => {
                let (text, tag) = (std::rc::Rc::clone(text), *tag);
                $(drop($guard);)?
                if let Some(slot) = $slot {
                    *slot = Value::Str(text, tag);
                }
            }
            Value::List(list, tag) => {
                let (list, tag) = (std::rc::Rc::clone(list), *tag);
                $(drop($guard);)?
                if let Some(slot) = $slot {
                    *slot = Value::List(list, tag);
                }
            }
            Value::Object(object, tag) => {
                let (object, tag) = (std::rc::Rc::clone(object), *tag);
                $(drop($guard);)?
                if let Some(slot) = $slot {
                    *slot = Value::Object(object, tag);
                }
            }
            other => {
                let copy = other.clone();
                $(drop($guard);)?
                if let Some(slot) = $slot {
                    *slot = copy;
                }
            }
        }
    };
}
pub(crate) use put_copy;

impl Value {
    #[inline(always)]
    pub(crate) fn put_int(&mut self, value: i64, tag: Tag) {
        match self {
            Self::Int(slot, own) => (*slot, *own) = (value, tag),
            slot => slot.become_int(value, tag),
        }
    }

    #[inline(always)]
    pub(crate) fn put_float(&mut self, value: f64, tag: Tag) {
        match self {
            Self::Float(slot, own) => (*slot, *own) = (value, tag),
            slot => slot.become_float(value, tag),
        }
    }

    /// Replaces it by a value that was made elsewhere.
    #[inline]
    pub(crate) fn put_made(&mut self, value: Self) {
        match value {
            Self::Int(value, tag) => self.put_int(value, tag),
            Self::Float(value, tag) => self.put_float(value, tag),
            Self::Bool(value, tag) => self.become_bool(value, tag),
            other => *self = other,
        }
    }

    // What is overwritten is looked at only where it may have to be dropped.

    #[inline(never)]
    fn become_int(&mut self, value: i64, tag: Tag) {
        if self.is_inline() {
            std::mem::forget(std::mem::replace(self, Self::Int(value, tag)));
        } else {
            *self = Self::Int(value, tag);
        }
    }

    #[inline(never)]
    fn become_float(&mut self, value: f64, tag: Tag) {
        if self.is_inline() {
            std::mem::forget(std::mem::replace(self, Self::Float(value, tag)));
        } else {
            *self = Self::Float(value, tag);
        }
    }

    fn become_bool(&mut self, value: bool, tag: Tag) {
        if self.is_inline() {
            std::mem::forget(std::mem::replace(self, Self::Bool(value, tag)));
        } else {
            *self = Self::Bool(value, tag);
        }
    }

    /// Reports whether nothing is to be done when it is dropped.
    #[inline]
    const fn is_inline(&self) -> bool {
        matches!(self, Self::None(_) | Self::Bool(..) | Self::Int(..) | Self::Float(..))
    }
}
