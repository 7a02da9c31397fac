//! The search for bytes of which a text has few.

/// The bytes of a text that are looked at together.
const BLOCK: usize = 32;

/// Returns the places of the bytes that are `wanted`. Most blocks have none, which the processor sees
/// at once if `wanted` compares without branches.
pub(super) fn places(
    text: &str,
    wanted: impl Fn(u8) -> bool + Copy,
) -> impl Iterator<Item = usize> {
    let (blocks, rest) = text.as_bytes().as_chunks::<BLOCK>();
    let blocks = blocks.iter().map(|block| &block[..]).chain([rest]).enumerate();
    let has_any = move |block: &[u8]| block.iter().fold(false, |any, byte| any | wanted(*byte));
    blocks.filter(move |(_, block)| has_any(block)).flat_map(move |(number, block)| {
        let found = block.iter().enumerate().filter(move |(_, byte)| wanted(**byte));
        found.map(move |(at, _)| number * BLOCK + at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn gr_11_all_places_of_wanted_bytes_are_found(text in "(a{0,40}[<>\n中]?){0,9}") {
            let wanted = |byte: u8| (byte == b'<') | (byte == b'\n') | (byte >= 0xc0);
            let found: Vec<usize> = places(&text, wanted).collect();
            let each = text.bytes().enumerate().filter(|(_, byte)| wanted(*byte));
            prop_assert_eq!(found, each.map(|(at, _)| at).collect::<Vec<_>>());
        }
    }
}
