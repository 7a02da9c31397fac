use super::*;
use proptest::prelude::*;

fn places(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    lost(text.as_bytes(), |trail, number, _| found.push((trail.pointer(0), number.to_owned())));
    found
}

#[test]
fn cp_3_numbers_that_64_bits_hold_are_kept() {
    for number in [
        "0",
        "-0",
        "-0.0",
        "18446744073709551615",
        "-9223372036854775808",
        "1.50e3",
        "1E2",
        "1e22",
        "0.1",
        "0.30000000000000004",
        "0.10000000000000001",
        "5e-324",
        "1.7976931348623157e308",
        "1e-7",
        "100.000000000000000000000",
        "0e999999999999999999999",
        "123456789012345.6",
        "2.2250738585072014e-308",
        "0.000000000000000000000000000001",
        // Halfway between two decimals of 16 digits: writers choose either.
        "937017613329914.2",
        "937017613329914.3",
    ] {
        assert!(is_kept(number), "{number}");
        let value: serde_json::Value = serde_json::from_str(number).unwrap();
        let (left, right) = (value.to_string(), number);
        assert_eq!(left.parse::<f64>().unwrap(), right.parse::<f64>().unwrap());
    }
}

#[test]
fn cp_3_numbers_that_would_change_are_reported() {
    for number in [
        "18446744073709551616",
        "-9223372036854775809",
        "100000000000000000000",
        "9007199254740993.0",
        "12345678901234567890.5",
        "3.141592653589793238462643",
        "1e-400",
        "1e99999999999999999999",
        "0.1000000000000000055511151231257827",
    ] {
        assert!(!is_kept(number), "{number}");
    }
}

#[test]
fn cp_3_lost_number_is_named_by_pointer() {
    let text = r#"{"a~/b": [1, {"x\"]": 18446744073709551616}, "12345678901234567890123"],
        "\u4f60": {"n": 1, "m": -1e-400}, "last": [[], {}, [0.5, 3.141592653589793238462643]]}"#;
    let expected = [
        ("/a~0~1b/1/x\"]", "18446744073709551616"),
        ("/你/m", "-1e-400"),
        ("/last/2/1", "3.141592653589793238462643"),
    ];
    let expected = expected.map(|(place, number)| (place.to_owned(), number.to_owned()));
    assert_eq!(places(text), expected);
    assert_eq!(
        places("1e999999999999999999999"),
        [(String::new(), "1e999999999999999999999".to_owned())]
    );
    assert!(places("[\"\\\\\", 1]").is_empty());
}

proptest! {
    #[test]
    fn cp_3_spelling_of_doubles_and_integers_is_kept(
        value in any::<f64>().prop_filter("JSON", |value| value.is_finite()),
        signed in any::<i64>(),
        unsigned in any::<u64>(),
    ) {
        for text in [
            serde_json::Value::from(value).to_string(),
            format!("{value:e}"),
            format!("{value:.16e}"),
            signed.to_string(),
            unsigned.to_string(),
        ] {
            prop_assert!(is_kept(&text), "{text}");
        }
        // The number is read exactly as written.
        let text = serde_json::Value::from(value).to_string();
        let read: f64 = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(read.to_bits(), value.to_bits());
        let read: serde_json::Value = serde_json::from_str(&format!("{value:.16e}")).unwrap();
        prop_assert_eq!(read.as_f64().unwrap().to_bits(), value.to_bits());
    }

    #[test]
    fn cp_3_kept_decimal_is_written_with_same_value(
        text in "-?(0|[1-9][0-9]{0,25})(\\.[0-9]{1,25})?([eE][+-]?[0-9]{1,3})?",
    ) {
        let Ok(value) = serde_json::from_str::<serde_json::Value>(&text) else { return Ok(()) };
        if is_kept(&text) {
            let again = value.to_string();
            let same = Decimal::of(&again) == Decimal::of(&text)
                || Decimal::of(&format!("{:.16e}", value.as_f64().unwrap())) == Decimal::of(&text);
            prop_assert!(same, "{text} {again}");
        } else {
            prop_assert_ne!(Decimal::of(&value.to_string()), Decimal::of(&text));
        }
    }
}
