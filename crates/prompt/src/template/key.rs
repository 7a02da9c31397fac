//! Names prepared for fast lookup.

/// The first eight bytes of a name: two short names are distinguished without their texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NameTag(u64);

impl NameTag {
    pub(super) fn of(name: &str) -> Self {
        let mut bytes = [0; 8];
        for (to, from) in bytes.iter_mut().zip(name.bytes()) {
            *to = from;
        }
        Self(u64::from_le_bytes(bytes))
    }
}

/// A name to look up. Its text is requested only if it is longer than its tag.
pub(super) trait Key<'n> {
    fn tag(&self) -> NameTag;
    fn len(&self) -> usize;
    fn name(&self) -> &'n str;
}

impl<'n> Key<'n> for (NameTag, &'n str) {
    fn tag(&self) -> NameTag {
        self.0
    }

    fn len(&self) -> usize {
        self.1.len()
    }

    fn name(&self) -> &'n str {
        self.1
    }
}
