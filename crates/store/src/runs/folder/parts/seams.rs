//! The seams of a text: places found by the bytes around them, so that equal passages of two texts
//! are cut alike wherever they stand.
//!
//! Decision: what a longer string of JSON says is cut for itself. A message is then one part, whether
//! its list is written on one line or on many, alone or within the input of a turn, and what stands
//! between the messages is mostly the same few parts.

use fastcdc::v2020::FastCDC;

/// The sizes of parts: the least, the one aimed at, the most; bytes.
#[derive(Clone, Copy)]
struct Sizes(usize, usize, usize);

/// Small parts share more, large ones cost less each. A text that grows past a limit is kept anew
/// once.
const SIZES: [(usize, Sizes); 3] = [
    (4 << 20, Sizes(128, 512, 2 << 10)),
    (32 << 20, Sizes(1 << 10, 4 << 10, 16 << 10)),
    (usize::MAX, Sizes(8 << 10, 32 << 10, 128 << 10)),
];

/// Returns the parts of a text in order; together they are the text.
pub(super) fn parts(text: &[u8]) -> Vec<&[u8]> {
    let sizes = SIZES.iter().find(|(most, _)| text.len() < *most);
    let sizes = sizes.map_or(Sizes(128, 512, 2 << 10), |(_, sizes)| *sizes);
    stretches(text, sizes.0).into_iter().flat_map(|stretch| cut(stretch, sizes)).collect()
}

/// Cuts a text at quotes that are at least so many bytes apart, wherever a string begins and ends.
fn stretches(text: &[u8], apart: usize) -> Vec<&[u8]> {
    let mut found = Vec::new();
    let (mut start, mut behind) = (0, 0);
    let is_escaped = |at: usize| at > 0 && text.get(at - 1) == Some(&b'\\');
    let quotes = memchr::memchr_iter(b'"', text).filter(|at| !is_escaped(*at));
    for quote in quotes.chain([text.len()]) {
        if quote - behind >= apart {
            found.extend([text.get(start..behind), text.get(behind..quote)]);
            start = quote;
        }
        behind = quote + 1;
    }
    found.push(text.get(start..));
    found.into_iter().flatten().filter(|stretch| !stretch.is_empty()).collect()
}

/// Cuts what is longer than the size that is aimed at. The last part ends where the text does, not at
/// a seam: it is cut at fixed distances from its start, so that those cuts stay when the text grows.
fn cut(text: &[u8], Sizes(least, aim, most): Sizes) -> Vec<&[u8]> {
    if text.len() <= aim {
        return vec![text];
    }
    let cuts = FastCDC::new(text, least, aim, most);
    let mut parts: Vec<&[u8]> =
        cuts.filter_map(|cut| text.get(cut.offset..cut.offset + cut.length)).collect();
    let last = parts.pop().unwrap_or_default();
    parts.extend(last.chunks(2 * least));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gr_1_parts_of_any_text_are_the_text() {
        let words: String = (0..40_000_u64).map(|n| format!("{} ", n * 7_919 % 10_007)).collect();
        for text in ["a", "", &"a".repeat(100_000), &words, &words.repeat(30)] {
            let parts = parts(text.as_bytes());
            assert!(parts.concat() == text.as_bytes(), "{}", text.len());
            assert!(parts.len() <= text.len() / 128 + 1, "{} of {}", parts.len(), text.len());
        }
    }

    #[test]
    fn gr_1_a_text_with_more_before_it_has_the_same_parts() {
        let words: String = (0..20_000_u64).map(|n| format!("{} ", n * 7_919 % 10_007)).collect();
        let shifted = format!("something new {words}");
        let known: std::collections::HashSet<&[u8]> = parts(words.as_bytes()).into_iter().collect();
        let shifted_parts = parts(shifted.as_bytes()).into_iter();
        let new: usize = shifted_parts.filter(|part| !known.contains(part)).map(<[u8]>::len).sum();
        assert!(new < 8 << 10, "{new} of {}", words.len());
    }

    #[test]
    fn gr_1_a_message_is_one_part_however_its_list_is_written() {
        let said = |number: u64| format!("{number} \\\"quoted\\\" {}", "some words ".repeat(20));
        let of = |number| format!(r#"{{"role":"user","text":"{}"}}"#, said(number));
        let list = |numbers: std::ops::Range<u64>, between: &str| {
            format!("[{}]", numbers.map(of).collect::<Vec<_>>().join(between))
        };
        let texts = [
            list(0..20, ","),
            list(0..20, ",\n  "),
            list(5..25, ","),
            format!(r#"{{"text":"{}","messages":{}}}"#, said(21), list(2..21, ",")),
        ];
        let parts: Vec<Vec<&[u8]>> = texts.iter().map(|text| parts(text.as_bytes())).collect();
        for (text, parts) in texts.iter().zip(&parts) {
            assert!(parts.concat() == text.as_bytes(), "{text}");
        }
        for number in 5..20 {
            let said = said(number);
            assert!(parts.iter().all(|parts| parts.contains(&said.as_bytes())), "{number}");
        }
        let mut all: Vec<&[u8]> = parts.concat();
        all.sort_unstable();
        all.dedup();
        let between: usize = all.iter().map(|part| part.len()).filter(|bytes| *bytes < 128).sum();
        assert!(between < 200, "what stands between messages is kept once: {between}");
    }

    #[test]
    fn gr_1_a_list_of_short_messages_that_grows_has_few_new_parts() {
        let of = |number: u64| format!(r#"{{"role":"user","text":"{}"}}"#, number % 7);
        let mut known = std::collections::HashSet::new();
        let mut new = 0;
        for count in 1..500 {
            let list = (0..count).map(of).collect::<Vec<_>>().join(",");
            for part in parts(format!("[{list}]").as_bytes()) {
                new += if known.insert(part.to_vec()) { part.len() } else { 0 };
            }
        }
        assert!(new < 500 * 250, "{} for each", new / 500);
    }

    #[test]
    fn gr_1_quotes_of_any_text_part_it_and_lose_nothing() {
        let long = "x".repeat(300);
        for text in [
            "\"".repeat(1_000),
            format!("\"{long}\"{long}\"\"{long}"),
            format!("{long}\\\"{long}\\\\\"{long}\""),
            format!("\"{}", long.repeat(100)),
            "\"{\"".repeat(300_000),
        ] {
            let parts = parts(text.as_bytes());
            assert!(parts.concat() == text.as_bytes());
            assert!(parts.iter().all(|part| !part.is_empty()));
            assert!(parts.len() <= text.len() / 64 + 2, "{} of {}", parts.len(), text.len());
        }
    }
}
