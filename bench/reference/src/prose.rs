//! Texts to search.

pub(crate) const SIZE: usize = 64_000_000;

const ENGLISH: &str = "The plan names every reference with its state and its reason.\n\
    Nothing is dropped in silence, and a failed one stays in the list with its cause.\n\n";
const CHINESE: &str = "计划列出每个引用的状态和原因，不会悄悄丢掉任何一个。\n失败的引用连同原因一起保留。\n\n";
const CODE: &str = "Call `load` first:\n\n```rust\nlet plan = plan(text)?; // `a` and ``b``\n```\n\n";
const MAILS: &str = "Write to ann@example.org or @ann, see @media screen; the next line has none.\n\n";
const REFERENCES: &str = "Read @file://docs/a.md?line=5-10 first, then `@file://no.md`.\n\
    The rules stand in @!outer:@?inner://x/y, 规则见@https://h/p?a=1&b=2。\n\n";

/// Texts of [`SIZE`] bytes or a little less, by name.
pub(crate) fn texts() -> Vec<(&'static str, String)> {
    vec![
        ("English prose", fill(&[ENGLISH])),
        ("Chinese prose", fill(&[CHINESE])),
        ("prose with fences and inline code", fill(&[ENGLISH, CODE, CHINESE])),
        ("prose with mail addresses and mentions", fill(&[ENGLISH, MAILS, CHINESE])),
        ("three references in every KB", fill(&[&ENGLISH.repeat(6), REFERENCES])),
        ("three references in every 200 bytes", fill(&[REFERENCES, CHINESE])),
    ]
}

fn fill(parts: &[&str]) -> String {
    let part = parts.concat();
    part.repeat(SIZE / part.len())
}
