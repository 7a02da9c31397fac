//! Faults in the text of a reference, before they are worded.

/// A fault in the text of a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    MissingAt,
    BadProtocolName,
    MissingColon,
    MissingSlashes,
    EmptyPath,
    TooDeep,
    ControlCharacter,
    TooLong,
    EmptyName,
    MissingEquals,
    RepeatedParameter,
    BadPercent,
    NotUtf8,
    SecondQuery,
    EncodedControl,
}

/// A fault with its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FaultAt {
    pub(super) fault: Fault,
    pub(super) offset: usize,
}

impl Fault {
    pub(super) fn at(self, offset: usize) -> FaultAt {
        FaultAt { fault: self, offset }
    }
}
