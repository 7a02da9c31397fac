//! Classes of bytes in a reference.

/// Ends a protocol name: all but ASCII letters, digits, `_` and `-`.
pub(super) const NAME_END: u8 = 1;
/// Ends the plain run of a path: `?`, a control character, or the first byte of one in UTF-8.
pub(super) const PATH_STOP: u8 = 2;
/// Ends the plain run of a query: what [`PATH_STOP`] has, `%`, `&` and `=`.
pub(super) const QUERY_STOP: u8 = 4;

const CLASSES: [u8; 256] = classes();

#[expect(
    clippy::indexing_slicing,
    reason = "a byte is always below 256; evaluated at compile time"
)]
const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte: u8 = 0;
    loop {
        let mut class = 0;
        if !(byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-') {
            class |= NAME_END;
        }
        // 0xC2 begins U+0080 to U+009F, the control characters beyond ASCII.
        if byte.is_ascii_control() || byte == b'?' || byte == 0xc2 {
            class |= PATH_STOP | QUERY_STOP;
        }
        if matches!(byte, b'%' | b'&' | b'=') {
            class |= QUERY_STOP;
        }
        table[byte as usize] = class;
        if byte == u8::MAX {
            return table;
        }
        byte += 1;
    }
}

/// Reports whether a byte is of one of these classes.
#[inline]
#[expect(clippy::indexing_slicing, reason = "a byte is always below 256")]
pub(super) fn is(byte: u8, class: u8) -> bool {
    CLASSES[byte as usize] & class != 0
}

/// Returns where the first byte of a class stands, from an offset on; the end when there is none.
#[inline]
pub(super) fn find(bytes: &[u8], from: usize, class: u8) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    from + rest.iter().position(|byte| is(*byte, class)).unwrap_or(rest.len())
}

/// Reports whether a control character begins at an offset: those of ASCII, and U+0080 to U+009F.
pub(super) fn is_control(bytes: &[u8], at: usize) -> bool {
    match bytes.get(at) {
        Some(0xc2) => bytes.get(at + 1).is_some_and(|next| (0x80..0xa0).contains(next)),
        Some(byte) => byte.is_ascii_control(),
        None => false,
    }
}
