use crate::syntax::{Reference, ReferenceBuf, encode, redact};
use proptest::prelude::*;

fn is_sound(text: &str) -> Result<(), TestCaseError> {
    match Reference::parse(text) {
        Ok(reference) => {
            prop_assert_eq!(reference.as_str(), text);
            prop_assert_eq!(reference.levels().count(), reference.depth());
            prop_assert!(!reference.path().is_empty());
            for form in [reference.canonical(), reference.public()] {
                let again = Reference::parse(&form);
                prop_assert!(again.is_ok(), "{} -> {}: {:?}", text, form, again);
            }
            let canonical = reference.canonical();
            let again = ReferenceBuf::parse(canonical.as_str()).map(|it| it.as_ref().canonical());
            prop_assert_eq!(again, Ok(canonical));
            let public = reference.public();
            let again = ReferenceBuf::parse(public.as_str()).map(|it| it.as_ref().public());
            prop_assert_eq!(again, Ok(public));
            for level in reference.levels() {
                let owned = level.to_owned();
                let parsed = ReferenceBuf::parse(owned.as_str());
                prop_assert_eq!(parsed.as_ref(), Ok(&owned));
            }
            let _ = reference.query().count();
        }
        Err(error) => {
            prop_assert!(text.is_char_boundary(error.offset), "{:?}: {}", text, error);
            prop_assert!(crate::codes::ALL.find(error.code).is_some());
            prop_assert!(!error.help.is_empty());
        }
    }
    Ok(())
}

#[test]
fn ref_5_public_form_of_empty_port_is_stable() {
    for text in ["@http://@:?@", "@http://ann:pw@host:?a=b@c", "@ftp://a@b:x@c", "@http://:?@?"] {
        is_sound(text).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn ref_4_any_text_is_reference_or_error(text in "\\PC*") {
        is_sound(&text)?;
    }

    #[test]
    fn ref_4_any_bytes_are_reference_or_error(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        is_sound(&String::from_utf8_lossy(&bytes))?;
    }

    #[test]
    fn ref_4_text_near_grammar_is_reference_or_error(
        text in r"@[!?]?([a-c1]{0,2}:@?[!?]?){0,3}(http|file|ftp)?:?/{0,3}[a@:/.?&=%\x01é文]{0,12}"
    ) {
        is_sound(&text)?;
    }

    #[test]
    fn ref_5_what_follows_grammar_is_parsed_and_printed_back(
        levels in prop::collection::vec(("@|@!|@\\?|", "[A-Za-z][A-Za-z0-9_-]{0,8}"), 1..=16),
        path in r"[a-zA-Z0-9_./*{},@:文档 %-]{1,24}",
        query in prop::collection::btree_map("[a-z文]{1,6}", "\\PC{0,8}", 0..12),
    ) {
        let mut text = String::new();
        for (index, (prefix, protocol)) in levels.iter().enumerate() {
            text.push_str(if index == 0 && prefix.is_empty() { "@" } else { prefix });
            text.push_str(protocol);
            text.push(':');
        }
        text.push_str("//");
        text.push_str(&path);
        for (index, (name, value)) in query.iter().enumerate() {
            text.push(if index == 0 { '?' } else { '&' });
            text.push_str(&format!("{name}={}", encode(value)));
        }
        let reference = Reference::parse(&text);
        prop_assert!(reference.is_ok(), "{}: {:?}", text, reference);
        if let Ok(reference) = reference {
            prop_assert_eq!(reference.depth(), levels.len());
            prop_assert_eq!(reference.path(), &path);
            let protocols: Vec<&str> = reference.levels().map(|it| it.protocol()).collect();
            let expected: Vec<&str> = levels.iter().map(|(_, protocol)| protocol.as_str()).collect();
            prop_assert_eq!(protocols, expected);
            let pairs: Vec<(String, String)> =
                reference.query().map(|(name, value)| (name.into(), value.into())).collect();
            let expected: Vec<(String, String)> = query.into_iter().collect();
            prop_assert_eq!(pairs, expected);
        }
        is_sound(&text)?;
    }

    #[test]
    fn ref_23_no_password_is_shown(
        protocol in "ftp|sftp|ssh|http|https|db",
        user in "[a-z]{1,4}",
        // Digits alone before a separator would be a port, and what stands between an `@` and a
        // separator a host.
        before in r"[a-z文][a-z0-9:!;.%/?#&=\\文]{0,4}",
        after in r"[a-z0-9:!;.%@/?#&=\\文]{0,4}",
        rest in r"(/[a-z]{0,4}){0,2}(\?a=1)?",
    ) {
        let text = format!("@{protocol}://{user}:{before}SECRET{after}@host{rest}");
        match Reference::parse(&text) {
            Ok(reference) => {
                prop_assert!(!reference.public().contains("SECRET"), "{} {}", text, reference.public());
            }
            Err(error) => prop_assert!(!format!("{error} {error:?}").contains("SECRET"), "{} {}", text, error),
        }
        let _ = redact(&text);
    }
}
