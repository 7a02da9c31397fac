use super::*;
use proptest::prelude::*;

const ALL: [&dyn TokenCounter; 5] = [&O200K_BASE, &CL100K_BASE, &Chars, &FourBytes, &Words];

/// Text in which every rule of the tokenizers has something to do.
fn text() -> impl Strategy<Value = String> {
    let ascii = prop::sample::select(vec![
        "a",
        "B",
        "word",
        "Word",
        "HTTP",
        " ",
        "  ",
        "\t",
        "\n",
        "\r\n",
        "\n\n",
        "'",
        "'s",
        "'re",
        "'LL",
        "'d",
        "1",
        "22",
        "4444",
        ".",
        "...",
        "//",
        "/\n",
        "{\"",
        "\"}",
        ",",
        "_",
        "\u{1}",
        "<|endoftext|>",
        "-",
        "   \n  ",
        " \t ",
    ]);
    let foreign = prop::sample::select(vec![
        "é",
        "ſ",
        "ß",
        "İ",
        "中",
        "文。",
        "，",
        "カ",
        "ー",
        "か\u{3099}",
        "한",
        "ไทย",
        "เ",
        "ع",
        "؟",
        "नि",
        "स्ते",
        "\u{301}",
        "\u{a0}",
        "\u{3000}",
        "\u{2028}",
        "\u{85}",
        "²",
        "٣",
        "Ⅷ",
        "ǅ",
        "👩‍👩‍👧",
        "🇩🇪",
        "—",
        "’",
        "“",
        "”他",
        "！",
        "？\n",
        "天气",
        "…",
        "（",
        "ひらがな",
        "가나",
        "\u{200b}",
        "\u{feff}",
        "\u{10ffff}",
    ]);
    let part = prop_oneof![6 => ascii.prop_map(str::to_owned), 2 => foreign.prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from)];
    prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn as_16_count_equals_count_of_tokenizer(text in text()) {
        prop_assert_eq!(O200K_BASE.count(&text), bpe_openai::o200k_base().count(text.as_str()));
        prop_assert_eq!(CL100K_BASE.count(&text), bpe_openai::cl100k_base().count(text.as_str()));
    }

    #[test]
    fn as_16_token_ends_are_as_many_as_counted(text in text()) {
        for counter in ALL {
            let ends = counter.token_ends(&text);
            prop_assert_eq!(ends.len(), counter.count(&text), "{}", counter.name());
            prop_assert!(ends.is_sorted_by(|a, b| a < b));
            prop_assert_eq!(ends.last().copied().unwrap_or(0), text.len());
        }
    }

    #[test]
    fn as_16_counts_add_up_at_seams(a in text(), b in text()) {
        let (Some(before), Some(after)) = (a.chars().next_back(), b.chars().next()) else {
            return Ok(());
        };
        for counter in ALL {
            if counter.seam(before, after) {
                let joined = format!("{a}{b}");
                prop_assert_eq!(
                    counter.count(&joined), counter.count(&a) + counter.count(&b),
                    "{} {:?} {:?}", counter.name(), a, b
                );
            }
        }
    }

    #[test]
    fn as_16_counts_add_up_at_ascii_seams(
        a in text(), b in text(), before in "[ -~]", after in "[ -~\r\n\t]",
    ) {
        let (a, b) = (a + &before, after.clone() + &b);
        for counter in ALL {
            if counter.seam(before.chars().next().unwrap(), after.chars().next().unwrap()) {
                let joined = format!("{a}{b}");
                prop_assert_eq!(counter.count(&joined), counter.count(&a) + counter.count(&b));
            }
        }
    }
}

#[test]
fn as_16_known_counts() {
    for (text, o200k, cl100k) in [
        ("", 0, 0),
        ("Hello, world!", 4, 4),
        ("tiktoken is great!", 6, 6),
        ("お誕生日おめでとう", 8, 9),
        ("don't", 1, 2),
    ] {
        assert_eq!(O200K_BASE.count(text), o200k, "{text}");
        assert_eq!(CL100K_BASE.count(text), cl100k, "{text}");
    }
}

/// What no text is: the encoder alone, without pieces.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        4 => text().prop_map(String::into_bytes),
        2 => prop::collection::vec(any::<u8>(), 0..12),
        2 => (prop::sample::select(b" -=a\n\t0\xe4".to_vec()), 0..300_usize)
            .prop_map(|(byte, times)| vec![byte; times]),
    ];
    prop::collection::vec(part, 0..4).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn as_16_encoder_gives_same_count_and_ends_as_reference_encoder(bytes in bytes()) {
        for (vocabulary, peer) in [
            (&vocabulary::O200K, &bpe_openai::o200k_base().bpe),
            (&vocabulary::CL100K, &bpe_openai::cl100k_base().bpe),
        ] {
            let mut encoder = encode::Encoder::new(vocabulary);
            let tokens = peer.encode_via_backtracking(&bytes);
            let ends = tokens.iter().scan(0, |end, token| {
                *end += peer.token_len(*token);
                Some(*end)
            });
            prop_assert_eq!(encoder.ends(&bytes).collect::<Vec<_>>(), ends.collect::<Vec<_>>());
            prop_assert_eq!(encoder.count(&bytes), tokens.len());
        }
    }
}

#[test]
fn as_16_each_token_of_vocabulary_is_one_token() {
    for (vocabulary, peer) in [
        (&vocabulary::O200K, &bpe_openai::o200k_base().bpe),
        (&vocabulary::CL100K, &bpe_openai::cl100k_base().bpe),
    ] {
        let mut encoder = encode::Encoder::new(vocabulary);
        for id in 0..u32::try_from(peer.num_tokens()).unwrap() {
            let token = peer.token_bytes(id);
            assert_eq!(encoder.ends(token).collect::<Vec<_>>(), [token.len()], "{token:?}");
            let node = vocabulary.walk(vocabulary::Node::ROOT, token).unwrap();
            assert_eq!(vocabulary.token(node), Some(id));
        }
    }
}

#[test]
fn as_16_special_tokens_are_ordinary_text() {
    assert!(O200K_BASE.count("<|endoftext|>") > 1);
    assert!(CL100K_BASE.count("<|im_start|>") > 1);
}

#[test]
fn as_16_models_have_their_tokenizer() {
    for (model, name, exact) in [
        ("gpt-4o", "o200k_base", true),
        ("openai://gpt-4o-mini", "o200k_base", true),
        ("openai://gpt-4.1-nano", "o200k_base", true),
        ("gpt-5", "o200k_base", true),
        ("gpt-5-mini", "o200k_base", true),
        ("o1", "o200k_base", true),
        ("o3-mini", "o200k_base", true),
        ("o4-mini-2025-04-16", "o200k_base", true),
        ("ollama://localhost:11434/gpt-oss:20b", "o200k_base", true),
        ("OpenAI://GPT-4O", "o200k_base", true),
        ("ft:gpt-4o-mini:org::id", "o200k_base", true),
        ("o200k_base", "o200k_base", true),
        ("builtin://extractive", "o200k_base", true),
        ("mock", "o200k_base", true),
        ("replay:answers.jsonl", "o200k_base", true),
        ("gpt-4", "cl100k_base", true),
        ("gpt-4-turbo", "cl100k_base", true),
        ("gpt-3.5-turbo", "cl100k_base", true),
        ("openai+https://host/v1/gpt-3.5-turbo-0125", "cl100k_base", true),
        ("openai://text-embedding-3-large", "cl100k_base", true),
        ("cl100k_base", "cl100k_base", true),
        ("anthropic://claude-sonnet-4", "o200k_base", false),
        ("ollama://localhost:11434/llama3", "o200k_base", false),
        ("openai+https://host/v1/qwen", "o200k_base", false),
        ("gpt-40", "o200k_base", false),
        ("", "o200k_base", false),
        ("://", "o200k_base", false),
    ] {
        let counter = tokenizer_for(model);
        assert_eq!((counter.name(), counter.exact()), (name, exact), "{model}");
    }
}

#[test]
fn as_16_long_pieces_are_counted_in_linear_time() {
    let text = "x".repeat(300_000) + &" ".repeat(300_000) + &"中".repeat(100_000);
    assert!(O200K_BASE.count(&text) > 1000);
    assert_eq!(O200K_BASE.token_ends(&text).len(), O200K_BASE.count(&text));
}
