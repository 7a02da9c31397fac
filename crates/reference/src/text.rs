//! The parameters that any text takes (REF-14): `encoding=`, `line=`, `max=`.
//!
//! They are applied after loading: the encoding first, to the bytes of the source; then the lines;
//! and `max`, a budget of tokens, last, to what the whole reference gives.

mod encoding;
mod fit;
mod lines;
mod media;

pub use encoding::{DecodeError, decode};
pub use fit::budget;
pub(crate) use fit::{Piece, fit};
pub use lines::{LineError, LineRange};
pub(crate) use media::{charset, essence, is_essence, media_type_of};

use contexture_core::reference::{Parameter, ParameterKind};
use std::sync::LazyLock;

/// The names of the parameters of any text.
pub const COMMON: [&str; 3] = ["encoding", "line", "max"];

/// Returns the parameters of any text, as they are declared.
#[must_use]
pub fn common_parameters() -> &'static [Parameter] {
    static PARAMETERS: LazyLock<[Parameter; 3]> = LazyLock::new(declared);
    PARAMETERS.as_slice()
}

fn declared() -> [Parameter; 3] {
    [
        Parameter::new(
            "encoding",
            ParameterKind::String,
            "the encoding of the bytes, such as gbk; UTF-8 by default",
        ),
        Parameter::new("line", ParameterKind::Range, "the lines to take: 5-10, 5-, -10 or 5"),
        Parameter::new(
            "max",
            ParameterKind::String,
            "the most tokens that the result may have, such as 2k",
        ),
    ]
}
