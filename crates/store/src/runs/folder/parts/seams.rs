//! The seams of a text: places found by the bytes around them, so that equal passages of two texts
//! are cut alike wherever they stand.

use fastcdc::v2020::FastCDC;

/// The sizes of parts: the least, the one aimed at, the most; bytes.
struct Sizes(usize, usize, usize);

/// Small parts share more, large ones cost less each. A text that grows past a limit is kept anew
/// once.
const SIZES: [(usize, Sizes); 3] = [
    (4 << 20, Sizes(128, 512, 2 << 10)),
    (32 << 20, Sizes(1 << 10, 4 << 10, 16 << 10)),
    (usize::MAX, Sizes(8 << 10, 32 << 10, 128 << 10)),
];

/// Returns the parts of a text in order; together they are the text.
pub(super) fn parts(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let sizes = SIZES.iter().find(|(most, _)| text.len() < *most);
    let Sizes(least, aim, most) = sizes.map_or(&Sizes(128, 512, 2 << 10), |(_, sizes)| sizes);
    let cuts = FastCDC::new(text, *least, *aim, *most);
    cuts.filter_map(|cut| text.get(cut.offset..cut.offset + cut.length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gr_1_parts_of_any_text_are_the_text() {
        let words: String = (0..40_000_u64).map(|n| format!("{} ", n * 7_919 % 10_007)).collect();
        for text in ["a", "", &"a".repeat(100_000), &words, &words.repeat(30)] {
            let parts: Vec<&[u8]> = parts(text.as_bytes()).collect();
            assert!(parts.concat() == text.as_bytes(), "{}", text.len());
            assert!(parts.len() <= text.len() / 128 + 1, "{} of {}", parts.len(), text.len());
        }
    }

    #[test]
    fn gr_1_a_text_with_more_before_it_has_the_same_parts() {
        let words: String = (0..20_000_u64).map(|n| format!("{} ", n * 7_919 % 10_007)).collect();
        let shifted = format!("something new {words}");
        let known: std::collections::HashSet<&[u8]> = parts(words.as_bytes()).collect();
        let new: usize =
            parts(shifted.as_bytes()).filter(|part| !known.contains(part)).map(<[u8]>::len).sum();
        assert!(new < 8 << 10, "{new} of {}", words.len());
    }
}
