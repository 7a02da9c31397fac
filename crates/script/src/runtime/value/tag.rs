//! Tags: the labels of values, packed so that they cost nothing while all is trusted (GU-3).
//!
//! Decision: a value carries a tag of 32 bits beside its own, in room that a register has anyway.
//! Tag 0 is a value that the program itself made. The trust level and the standing are read off the
//! tag; sources and readers are numbers in the run's table, where each set stands once. A table has
//! a bound: beyond it, sources are "many", and readers the owner alone.

use crate::host::Standing;
use contexture_context::{Label, Readers, Source, Trust};
use std::cell::RefCell;
use std::collections::HashMap;

/// The packed label of a value: trust, standing, readers, sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Tag(u32);

const TRUST: u32 = 0xf;
const STANDING_SHIFT: u32 = 4;
const STANDING: u32 = 0x3 << STANDING_SHIFT;
const READERS_SHIFT: u32 = 6;
const READERS: u32 = 0x3f << READERS_SHIFT;
const SOURCES_SHIFT: u32 = 12;

/// The most sets of readers in a table; the last one is the owner alone.
const MOST_READERS: usize = 64;
/// The most sets of sources in a table, and the most sources.
const MOST_SETS: usize = 1 << 16;
/// The number of the set of "many" sources.
const MANY: u32 = 1;

/// All trust levels, by the number in a tag.
const LEVELS: [Trust; 9] = [
    Trust::Program,
    Trust::User,
    Trust::Model,
    Trust::Memory,
    Trust::Resource,
    Trust::Tool,
    Trust::External,
    Trust::Pack,
    Trust::Web,
];

impl Tag {
    /// The tag of values that the program itself creates.
    pub(crate) const PROGRAM: Self = Self(0);

    fn new(trust: Trust, standing: Standing, readers: u32, sources: u32) -> Self {
        let standing = (standing as u32) << STANDING_SHIFT;
        Self(trust as u32 | standing | readers << READERS_SHIFT | sources << SOURCES_SHIFT)
    }

    /// Reports whether the value is the program's own.
    #[inline]
    pub(crate) const fn is_program(self) -> bool {
        self.0 == 0
    }

    pub(crate) fn trust(self) -> Trust {
        LEVELS.get((self.0 & TRUST) as usize).copied().unwrap_or(Trust::Web)
    }

    pub(crate) fn standing(self) -> Standing {
        match (self.0 & STANDING) >> STANDING_SHIFT {
            0 => Standing::Real,
            1 => Standing::Placeholder,
            _ => Standing::Unknown,
        }
    }

    pub(crate) fn is_placeholder(self) -> bool {
        self.0 & STANDING != 0
    }

    fn readers(self) -> u32 {
        (self.0 & READERS) >> READERS_SHIFT
    }

    fn sources(self) -> u32 {
        self.0 >> SOURCES_SHIFT
    }

    /// Returns the tag with the standing of a real value: that of what was decided by it.
    pub(crate) const fn of_decision(self) -> Self {
        Self(self.0 & !STANDING)
    }
}

impl From<Trust> for Tag {
    fn from(trust: Trust) -> Self {
        Self::new(trust, Standing::Real, 0, 0)
    }
}

/// The sets of sources and readers of a run, each once.
#[derive(Debug)]
pub(crate) struct Tags(RefCell<Table>);

#[derive(Debug)]
struct Table {
    sources: Vec<Source>,
    by_source: HashMap<Source, u32>,
    sets: Vec<Box<[u32]>>,
    by_set: HashMap<Box<[u32]>, u32>,
    /// Unions of two sets that were asked for.
    unions: HashMap<(u32, u32), u32>,
    readers: Vec<Readers>,
}

impl Default for Tags {
    fn default() -> Self {
        let sets: Vec<Box<[u32]>> = vec![Box::default(), Box::from([u32::MAX])];
        let by_set = sets.iter().cloned().zip(0..).collect();
        let readers = vec![Readers::Everyone];
        let (sources, by_source, unions) = (Vec::new(), HashMap::new(), HashMap::new());
        Self(RefCell::new(Table { sources, by_source, sets, by_set, unions, readers }))
    }
}

impl Tags {
    /// Returns the tag of a value made of two.
    #[inline]
    pub(crate) fn join(&self, left: Tag, right: Tag) -> Tag {
        if left == right || right.is_program() && !left.is_placeholder() {
            return left;
        }
        if left.is_program() && !right.is_placeholder() {
            return right;
        }
        self.join_slowly(left, right)
    }

    #[cold]
    fn join_slowly(&self, left: Tag, right: Tag) -> Tag {
        let mut table = self.0.borrow_mut();
        Tag::new(
            left.trust().least(right.trust()),
            left.standing().with(right.standing()),
            table.common_readers(left.readers(), right.readers()),
            table.union(left.sources(), right.sources()),
        )
    }

    /// Returns the tag of a value that something of another tag had an influence on. It stays as
    /// real as it is, or becomes a placeholder.
    #[inline]
    pub(crate) fn influenced(&self, own: Tag, by: Tag) -> Tag {
        if by.is_program() || own == by {
            return own;
        }
        let standing = match own.standing() {
            Standing::Real if by.is_placeholder() => Standing::Placeholder,
            standing => standing,
        };
        let joined = self.join(own.of_decision(), by.of_decision());
        Tag(joined.0 | (standing as u32) << STANDING_SHIFT)
    }

    /// Returns the tag of a value that a program let up (GU-4).
    pub(crate) fn released(&self, tag: Tag, way: &str, trust: Trust) -> Tag {
        if tag.trust() <= Trust::Model {
            return tag;
        }
        self.tag(&self.label(tag).released(way, trust), tag.standing())
    }

    /// Returns the tag of a label.
    pub(crate) fn tag(&self, label: &Label, standing: Standing) -> Tag {
        let mut table = self.0.borrow_mut();
        let sources = table.set_of(label);
        let readers = table.readers_of(&label.readers);
        Tag::new(label.trust, standing, readers, sources)
    }

    /// Returns the label of a tag.
    pub(crate) fn label(&self, tag: Tag) -> Label {
        let table = self.0.borrow();
        let set: &[u32] = table.sets.get(tag.sources() as usize).map_or(&[], |set| set);
        let named = set.iter().filter_map(|number| table.sources.get(*number as usize));
        let readers = table.readers.get(tag.readers() as usize).cloned();
        Label {
            trust: tag.trust(),
            sources: named.cloned().collect(),
            more: tag.sources() == MANY,
            readers: readers.unwrap_or(Readers::OWNER),
        }
    }
}

impl Table {
    fn source(&mut self, source: &Source) -> Option<u32> {
        if let Some(known) = self.by_source.get(source) {
            return Some(*known);
        }
        let number = u32::try_from(self.sources.len()).ok()?;
        if self.sources.len() >= MOST_SETS {
            return None;
        }
        self.sources.push(source.clone());
        self.by_source.insert(source.clone(), number);
        Some(number)
    }

    fn set_of(&mut self, label: &Label) -> u32 {
        if label.more {
            return MANY;
        }
        let numbers: Option<Vec<u32>> = label.sources.iter().map(|one| self.source(one)).collect();
        numbers.map_or(MANY, |numbers| self.set(numbers))
    }

    fn set(&mut self, mut numbers: Vec<u32>) -> u32 {
        numbers.sort_unstable();
        numbers.dedup();
        if numbers.len() > contexture_context::label::MOST_SOURCES {
            return MANY;
        }
        let numbers: Box<[u32]> = numbers.into();
        if let Some(known) = self.by_set.get(&numbers) {
            return *known;
        }
        match u32::try_from(self.sets.len()) {
            Ok(number) if self.sets.len() < MOST_SETS => {
                self.sets.push(numbers.clone());
                self.by_set.insert(numbers, number);
                number
            }
            _ => MANY,
        }
    }

    fn union(&mut self, left: u32, right: u32) -> u32 {
        match (left, right) {
            (set, 0) | (0, set) => return set,
            (left, right) if left == right => return left,
            (MANY, _) | (_, MANY) => return MANY,
            _ => {}
        }
        let key = (left.min(right), left.max(right));
        if let Some(known) = self.unions.get(&key) {
            return *known;
        }
        let both = [left, right].into_iter().filter_map(|set| self.sets.get(set as usize));
        let numbers = both.flat_map(|set| set.iter().copied()).collect();
        let union = self.set(numbers);
        if self.unions.len() >= MOST_SETS {
            self.unions.clear();
        }
        self.unions.insert(key, union);
        union
    }

    fn readers_of(&mut self, readers: &Readers) -> u32 {
        if let Some(known) = self.readers.iter().position(|known| known == readers) {
            return u32::try_from(known).unwrap_or_default();
        }
        let number = self.readers.len();
        if number == MOST_READERS - 1 {
            self.readers.push(Readers::OWNER);
        }
        if number >= MOST_READERS - 1 {
            return u32::try_from(MOST_READERS - 1).unwrap_or_default();
        }
        self.readers.push(readers.clone());
        u32::try_from(number).unwrap_or_default()
    }

    fn common_readers(&mut self, left: u32, right: u32) -> u32 {
        if left == right || right == 0 {
            return left;
        }
        if left == 0 {
            return right;
        }
        let at = |number: u32| self.readers.get(number as usize);
        let both = match (at(left), at(right)) {
            (Some(left), Some(right)) => left.both(right),
            _ => Readers::OWNER,
        };
        self.readers_of(&both)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn gu_3_tag_returns_label_and_joins_like_labels() {
        let tags = Tags::default();
        let page = Label::of("https://a", Trust::Web).with_readers(Readers::OWNER);
        let file = Label::of("a.md", Trust::Tool);
        let tag = |label: &Label| tags.tag(label, Standing::Real);
        assert_eq!(tags.label(tag(&page)), page);
        assert_eq!(tags.label(tags.join(tag(&page), tag(&file))), page.clone().join(&file));
        assert_eq!(tags.join(Tag::PROGRAM, tag(&page)), tag(&page));
        assert_eq!(tags.label(Tag::PROGRAM), Label::default());
    }

    #[test]
    fn gu_3_a_million_labels_are_many_and_take_bounded_room() {
        let tags = Tags::default();
        let mut all = Tag::PROGRAM;
        for number in 0..1_000_000 {
            let label = Label::of(format!("{number}"), Trust::Web);
            let label = label.with_readers(Readers::Origins(BTreeSet::from([format!("{number}")])));
            all = tags.join(all, tags.tag(&label, Standing::Real));
        }
        let label = tags.label(all);
        assert_eq!((label.trust, label.more, label.sources.len()), (Trust::Web, true, 0));
        assert_eq!(label.readers, Readers::OWNER);
        let table = tags.0.borrow();
        assert!(table.sets.len() <= MOST_SETS && table.sources.len() <= MOST_SETS);
        assert!(table.readers.len() <= MOST_READERS);
    }

    #[test]
    fn gu_3_influence_changes_label_and_not_standing_of_value() {
        let tags = Tags::default();
        let web = tags.tag(&Label::of("https://a", Trust::Web), Standing::Real);
        let unknown = tags.tag(&Trust::Tool.into(), Standing::Unknown);
        assert_eq!(tags.influenced(unknown, web).standing(), Standing::Unknown);
        assert_eq!(tags.influenced(unknown, web).trust(), Trust::Web);
        assert_eq!(tags.influenced(web, unknown).standing(), Standing::Placeholder);
    }
}
