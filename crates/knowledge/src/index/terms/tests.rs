use super::*;
use proptest::prelude::*;

fn terms(text: &str) -> Vec<String> {
    let mut stream = Stream::new(text);
    let mut found = Vec::new();
    while stream.advance() {
        found.push(stream.token().text.clone());
    }
    found
}

#[test]
fn kn_11_words_meet_in_all_their_forms() {
    for group in [
        ["price", "Prices", "pricing", "PRICED"].as_slice(),
        &["refund", "refunds", "refunded", "refundable", "refunding"],
        &["policy", "policies", "policy's"],
        &["integrate", "integration", "integrates", "integrated"],
        &["install", "installing", "installs", "installed"],
        &["delete", "deletion", "deletes"],
        &["approve", "approval"],
        &["cancel", "cancellation", "cancelled", "canceling"],
        &["ｆｕｌｌ", "full", "FULL"],
        &["ship", "shipping", "shipment", "ships"],
    ] {
        let first = terms(group[0]);
        assert!(group.iter().all(|word| terms(word) == first), "{group:?}: {first:?}");
    }
}

#[test]
fn kn_11_case_is_folded_as_unicode_says() {
    for group in [
        ["ΟΔΟΣ", "οδος", "οδοσ", "Οδός"].as_slice(),
        &["STRASSE", "straße", "Straẞe", "ſtrasse"],
        &["İSTANBUL", "istanbul", "İstanbul", "Istanbul", "i\u{307}stanbul"],
        &["ﬁle", "FILE", "file"],
        &["Ǆ", "ǆ", "ǅ"],
        &["\u{212a}elvin", "kelvin", "KELVIN"],
        &["µm", "ΜM", "μm"],
    ] {
        let without_accent = |word: &str| terms(&word.replace('ό', "ο"));
        let first = terms(group[0]);
        assert!(group.iter().all(|word| without_accent(word) == first), "{group:?}: {first:?}");
    }
    assert_ne!(terms("ısı"), terms("isi"));
}

#[test]
fn kn_11_different_words_stay_different() {
    let words = ["news", "new", "status", "state", "bus", "need", "station", "policy", "police"];
    let mut all: Vec<Vec<String>> = words.iter().map(|word| terms(word)).collect();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), words.len() - 1, "news and new meet, nothing else: {all:?}");
}

#[test]
fn kn_11_scripts_without_spaces_become_characters_and_pairs() {
    assert_eq!(terms("离线队列"), ["离", "离线", "线", "线队", "队", "队列", "列"]);
    assert_eq!(terms("支持API吗"), ["支", "支持", "持", "api", "吗"]);
    assert_eq!(terms("カタ ひ"), ["カ", "カタ", "タ", "ひ"]);
    assert_eq!(terms("가격 표"), ["가", "가격", "격", "표"]);
}

#[test]
fn kn_11_possessives_and_signs_are_not_words() {
    assert_eq!(terms("Acme's o200k_base, v0.7.2!"), ["acm", "o200k", "bas", "v0", "7", "2"]);
    assert_eq!(terms("Müller’s Größe"), ["müller", "grösse"]);
}

#[test]
fn kn_11_endless_words_are_left_out() {
    assert_eq!(terms(&format!("a {} b", "x".repeat(500))), ["a", "b"]);
}

proptest! {
    #[test]
    fn kn_11_terms_stand_in_text(text in any::<String>()) {
        let mut stream = Stream::new(&text);
        let whole = comparable(&text).into_owned();
        let mut steps = 0;
        while stream.advance() {
            let token = stream.token();
            prop_assert!(whole.get(token.offset_from..token.offset_to).is_some());
            prop_assert!(!token.text.is_empty());
            steps += 1;
            prop_assert!(steps <= 2 * text.len() + 2);
        }
    }
}
