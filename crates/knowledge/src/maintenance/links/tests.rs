use super::*;
use crate::maintenance::support::pack;
use proptest::prelude::*;

#[test]
fn kn_17_broken_links_are_told_with_their_line() {
    let made = pack(&[
        (
            "wiki/index.md",
            "# Index\n\n[a](a.md) [b](sub/b.md#two-words) [web](https://example.com/x.md)\n\
            [mail](mailto:a@example.com) ![](../assets/x.png) [folder](sub/) [[a]] [[No Page]]\n",
        ),
        (
            "wiki/a.md",
            "# A\n\n## Zwei Wörter, ganz!\n\n[up](../../secret.md)\n[gone](elsewhere.md)\n\
            [near](sub/indes.md) [moved](b.md)\n[self](#zwei-wörter-ganz) [bad](#three)\n\n```\n[no link](x.md)\n```\n",
        ),
        (
            "wiki/sub/b.md",
            "# B\n\n## Two words\n\n[root](/wiki/a) [space](../with%20space.md) [v](../a.md?v=1#L3)\n",
        ),
        ("wiki/with space.md", "# S\n\n[b](sub/b.md#L99) [b](sub/b.md#L5)\n"),
        ("assets/x.png", "png"),
        ("sources/raw.md", "[broken](in/evidence.md)\n"),
    ]);
    assert_eq!(
        made.findings(),
        [
            "KN4006 wiki/a.md:5 `../../secret.md` leads out of the pack",
            "KN4005 wiki/a.md:6 `elsewhere.md` leads to no file of the pack",
            "KN4005 wiki/a.md:7 `b.md` leads to no file of the pack; did you mean \
             `wiki/sub/b.md`?",
            "KN4005 wiki/a.md:7 `sub/indes.md` leads to no file of the pack; did you mean \
             `wiki/index.md`?",
            "KN4005 wiki/a.md:8 `#three`: `wiki/a.md` has no heading `three`",
            "KN4005 wiki/index.md:4 `No Page` leads to no file of the pack",
            "KN4005 wiki/with space.md:3 `sub/b.md#L99`: `wiki/sub/b.md` has 5 lines, no line 99",
        ]
    );
}

#[test]
fn kn_17_a_page_that_nothing_links_to_is_a_hint() {
    let made = pack(&[
        ("wiki/index.md", "[a](a.md)\n"),
        ("wiki/a.md", "# A\n"),
        ("wiki/b.md", "# B\n\n[self](b.md)\n"),
    ]);
    assert_eq!(made.findings(), ["KN4011 wiki/b.md no other page links to this page"]);
    assert!(made.validate().ok);
}

#[test]
fn kn_17_escapes_in_links_are_read() {
    assert_eq!(decoded("a%20b%2"), "a b%2");
    assert_eq!(decoded("%E7%BB%BF"), "绿");
    assert_eq!(decoded("%ff"), "%ff");
    assert_eq!(within("a/b.md", "../../c"), None);
    assert_eq!(within("a/b.md", "./../c//d"), Some("c/d".to_owned()));
}

proptest! {
    #[test]
    fn kn_17_no_text_makes_links_panic(text in "[\\[\\]()#a-c.%/\\\\<>:{} \n!é绿-]{0,120}") {
        for link in links("wiki/a.md", &text) {
            let _ = parts(&link.to);
            let _ = within("wiki/a.md", &decoded(&link.to));
        }
    }
}
