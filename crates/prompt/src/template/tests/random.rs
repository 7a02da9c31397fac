//! Properties that hold for any text.

use super::*;
use proptest::prelude::*;

fn prose() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop::sample::select(vec![
            "{{",
            "}}",
            "{",
            "}",
            "#if ",
            "#each ",
            "#unless ",
            "#raw",
            "/if",
            "/each",
            "/raw",
            "else",
            "else if ",
            "~",
            "!--",
            "--",
            "> ",
            "\\",
            "a",
            "b.0",
            "item",
            "this",
            "@index",
            " ",
            "\n",
            "中",
            "{{#if a}}",
            "{{/if}}",
            "{{#each a}}",
            "{{/each}}",
            "{{a}}",
            "{{else}}",
            "{{> p}}",
            "{{> @file://",
            "@x:y",
            "{{> @a:b}}",
            "*.{md,txt}",
            "'",
            "é\u{301}",
        ]),
        0..40,
    )
    .prop_map(|parts| parts.concat())
}

/// A provider whose text of a reference is the reference itself.
struct Echo;

impl References for Echo {
    fn text(&self, include: Include<'_>) -> Result<std::sync::Arc<str>, ReferenceError> {
        Ok(include.reference.into())
    }
}

proptest! {
    #[test]
    fn pt_2_compile_never_panics(text in any::<String>(), tags in prose()) {
        let vars = ctx(json!({"a": [1, {"b": [2]}], "b": ["x"]}));
        for text in [text, tags] {
            let report = check(&text);
            match PromptTemplate::compile(&text) {
                Ok(template) => {
                    prop_assert!(report.diagnostics.iter().all(|fault| fault.code == "PT2001"));
                    prop_assert_eq!(template.to_string(), text);
                    let rendered = template.render_with(&vars, &Echo);
                    let all = template.references();
                    if let (Ok(included), Ok(text)) = (template.included(&vars), &rendered) {
                        for one in included {
                            prop_assert!(text.contains(&one.reference));
                            prop_assert!(all.contains(&one), "{:?} {:?}", one, all);
                        }
                    }
                    if let (Ok(missing), Ok(_)) = (template.missing(&vars), &rendered) {
                        prop_assert!(missing.is_empty());
                    }
                }
                Err(error) => {
                    prop_assert!(report.has_errors());
                    let (line, column) = error.position().unwrap();
                    prop_assert!(line >= 1 && column >= 1);
                }
            }
        }
    }

    #[test]
    fn pt_1_text_without_tags_is_itself(text in "[^{]*") {
        prop_assert_eq!(render(&text, json!({})), text);
    }

    #[test]
    fn pt_1_raw_text_is_itself(text in any::<String>()) {
        prop_assume!(!text.contains("{{"));
        prop_assert_eq!(render(&format!("{{{{#raw}}}}{text}\n{{{{/raw}}}}"), json!({})), format!("{text}\n"));
    }

    #[test]
    fn pt_3_strings_print_unchanged_and_json_like_serde(text in any::<String>(), n in any::<i64>()) {
        let vars = json!({"s": text, "l": [text, n]});
        let wanted = format!("{text}|{}|{n}", vars["l"]);
        prop_assert_eq!(render("{{s}}|{{l}}|{{l.1}}", vars), wanted);
    }

    #[test]
    fn pt_5_json_text_and_json_value_agree(text in any::<String>(), f in any::<f64>(), n in any::<i64>()) {
        let value = json!({text.as_str(): [text, n, {"f": f, "b": [true, false, null]}], "e": {}});
        let read = TemplateContext::from_json_str(&serde_json::to_string_pretty(&value).unwrap()).unwrap();
        prop_assert_eq!(read, ctx(value.clone()));
        prop_assert_eq!(TemplateValue::from(value.clone()), TemplateValue::from(&value));
    }

    #[test]
    fn pt_5_any_text_as_variables_does_not_panic(text in any::<String>(), json in "[\\[\\]{}\",:0-9a-z\\\\ u-]{0,40}") {
        for text in [text, json] {
            prop_assert_eq!(
                TemplateContext::from_json_str(&text).is_ok(),
                serde_json::from_str::<serde_json::Map<String, Value>>(&text).is_ok()
            );
        }
    }
}
