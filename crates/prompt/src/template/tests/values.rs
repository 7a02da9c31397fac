//! Printing and sources of values (PT-3, PT-5).

use super::*;

#[test]
fn pt_3_false_values() {
    let template = "{{#if v}}true{{else}}false{{/if}}";
    for value in [json!(null), json!(false), json!(""), json!([])] {
        assert_eq!(render(template, json!({"v": value})), "false", "{value}");
    }
    for value in [
        json!(0),
        json!(0.0),
        json!("0"),
        json!("false"),
        json!(" "),
        json!({}),
        json!([null]),
        json!(true),
    ] {
        assert_eq!(render(template, json!({"v": value})), "true", "{value}");
    }
    assert_eq!(render(template, json!({})), "false");
    assert_eq!(render("{{#if a.b.c}}x{{else}}y{{/if}}", json!({"a": 1})), "y");
}

#[test]
fn pt_3_missing_variables_and_other_types_are_errors() {
    assert!(
        matches!(fails("{{a.b}}", json!({"a": {}})), PromptError::VariableNotFound(n) if n == "a.b")
    );
    assert!(
        matches!(fails("{{a.3}}", json!({"a": [1]})), PromptError::VariableNotFound(n) if n == "a.3")
    );
    assert!(matches!(fails("{{a.b}}", json!({"a": "text"})), PromptError::VariableNotFound(_)));
    assert!(matches!(
        fails("{{#each l}}{{/each}}", json!({})),
        PromptError::VariableNotFound(n) if n == "l"
    ));
    for value in [json!(null), json!("text"), json!(""), json!({"a": 1}), json!(3), json!(true)] {
        let error = fails("{{#each a.l}}{{/each}}", json!({"a": {"l": value}}));
        assert!(matches!(error, PromptError::NotAnArray(n) if n == "a.l"));
    }
}

#[test]
fn pt_3_how_values_print() {
    let vars = json!({
        "t": true, "f": false, "i": -42, "z": 0, "big": u64::MAX, "d": 1.5, "one": 1.0, "e": 1e30,
        "n": null, "s": "a\"b", "l": [1, "x\n\u{1}\"\\é", null, [true]], "o": {"b": 1, "a": {"z": "y"}},
        "el": [], "eo": {}
    });
    assert_eq!(
        render("{{t}} {{f}} {{i}} {{z}} {{big}} {{d}} {{one}} {{e}} [{{n}}] {{s}}", vars.clone()),
        "true false -42 0 18446744073709551615 1.5 1.0 1e+30 [] a\"b"
    );
    assert_eq!(
        render("{{l}} {{o}} {{el}} {{eo}}", vars.clone()),
        r#"[1,"x\n\u0001\"\\é",null,[true]] {"b":1,"a":{"z":"y"}} [] {}"#
    );
    assert_eq!(render("{{l}}", vars.clone()), serde_json::to_string(&vars["l"]).unwrap());
}

#[test]
fn pt_3_numbers_print_as_written() {
    let text = r#"{"n": [1.10, 1e400, -0, 12345678901234567890123, 0.1, 7, 1E5], "p": 1.10}"#;
    let ctx = TemplateContext::from_json_str(text).unwrap();
    let template = PromptTemplate::compile("{{p}} {{n}} {{n.1}}").unwrap();
    assert_eq!(
        template.render(&ctx).unwrap(),
        "1.10 [1.10,1e400,-0,12345678901234567890123,0.1,7,1E5] 1e400"
    );
    let mut floats = TemplateContext::new();
    floats.insert("a", 2.0);
    floats.insert("b", 0.1 + 0.2);
    floats.insert("c", f64::NAN);
    floats.insert("d", vec![f64::INFINITY]);
    let template = PromptTemplate::compile("{{a}} {{b}} {{c}} {{d}}").unwrap();
    assert_eq!(template.render(&floats).unwrap(), "2.0 0.30000000000000004 NaN [null]");
}

#[test]
fn pt_5_values_convert() {
    let mut vars = TemplateContext::new();
    vars.insert("str", "a");
    vars.insert(String::from("string"), String::from("b"));
    vars.insert("bool", true);
    vars.insert("int", 3);
    vars.insert("long", -9_i64);
    vars.insert("size", 4_usize);
    vars.insert("float", 2.5);
    vars.insert("list", vec!["x", "y"]);
    vars.insert("mixed", vec![TemplateValue::Null, 1.into()]);
    vars.insert("json", json!({"z": 1, "a": [null]}));
    vars.insert("none", None::<bool>);
    let text = vars.iter().map(|(name, _)| format!("{{{{{name}}}}}")).collect::<Vec<_>>().join("|");
    let template = PromptTemplate::compile(&text).unwrap();
    assert_eq!(
        template.render(&vars).unwrap(),
        r#"a|b|true|3|-9|4|2.5|["x","y"]|[null,1]|{"z":1,"a":[null]}|"#
    );
    assert_eq!(vars.get("int"), Some(&TemplateValue::from(3)));
    assert_eq!(vars.get("gone"), None);
    vars.insert("int", "now text");
    assert_eq!(vars.iter().nth(3).unwrap(), ("int", &TemplateValue::from("now text")));
}

#[test]
fn pt_5_contexts_from_json_maps_and_structs() {
    #[derive(serde::Serialize)]
    struct User {
        name: String,
        tags: Vec<u8>,
        nick: Option<String>,
    }
    let user = User { name: "Ada".into(), tags: vec![1, 2], nick: None };
    let vars = TemplateContext::from_serialize(&user).unwrap();
    assert_eq!(
        PromptTemplate::compile("{{name}}{{tags}}{{nick}}").unwrap().render(&vars).unwrap(),
        "Ada[1,2]"
    );
    let map = std::collections::HashMap::from([
        ("b".to_string(), TemplateValue::from(1)),
        (
            "a".to_string(),
            TemplateValue::from(std::collections::HashMap::from([
                ("y".to_string(), 1),
                ("x".to_string(), 2),
            ])),
        ),
    ]);
    let vars = TemplateContext::from_map(map);
    assert_eq!(vars.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(
        PromptTemplate::compile("{{a}}").unwrap().render(&vars).unwrap(),
        r#"{"x":2,"y":1}"#
    );
    for value in [json!([1]), json!("x"), json!(null)] {
        let error = TemplateContext::from_json(&value).unwrap_err();
        assert!(matches!(error, PromptError::Render(why) if why.contains("must be an object")));
    }
    assert!(TemplateContext::from_serialize(&[1]).is_err());
    let error = TemplateContext::from_json_str("{\"a\":\n  tru }").unwrap_err();
    assert_eq!(error.position().map(|(line, _)| line), Some(2), "{error}");
    let bom = TemplateContext::from_json_str("\u{feff} {\"a\" : [ ] , \"b\":{ } } ").unwrap();
    assert_eq!(bom.get("a"), Some(&TemplateValue::Array(Vec::new())));
    let twice = TemplateContext::from_json_str(r#"{"a":1,"b":2,"a":3}"#).unwrap();
    assert_eq!(twice.iter().next().unwrap(), ("a", &TemplateValue::from(3)));
}

#[test]
fn pt_5_depth_of_values_is_limited() {
    let deep = format!("{{\"a\":{}1{}}}", "[".repeat(127), "]".repeat(127));
    let vars = TemplateContext::from_json_str(&deep).unwrap();
    let text = PromptTemplate::compile("{{a}}").unwrap().render(&vars).unwrap();
    assert_eq!(text.len(), 255);
    let deeper = format!("{{\"a\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let error = TemplateContext::from_json_str(&deeper).unwrap_err();
    assert!(error.to_string().contains("128 arrays and objects deep"), "{error}");
    let mut value = json!(1);
    for _ in 0..1000 {
        value = json!([value]);
    }
    assert!(TemplateContext::from_json(&json!({"a": value})).is_err());
    let mut vars = TemplateContext::new();
    vars.insert("a", value);
    let error = PromptTemplate::compile("{{a}}").unwrap().render(&vars).unwrap_err();
    assert!(error.to_string().contains("deep"), "{error}");
    assert_eq!(
        PromptTemplate::compile("{{#if a.0.0}}y{{/if}}").unwrap().render(&vars).unwrap(),
        "y"
    );
}

#[test]
fn pt_5_large_objects_keep_their_order() {
    let mut object = TemplateObject::new();
    for at in 0..100 {
        object.insert(format!("k{at}"), at);
    }
    object.insert("k3", "again");
    assert_eq!(object.len(), 100);
    assert_eq!(object.get("k99"), Some(&TemplateValue::from(99)));
    assert_eq!(object.iter().nth(3).unwrap(), ("k3", &TemplateValue::from("again")));
    let reversed: TemplateObject =
        object.iter().collect::<Vec<_>>().into_iter().rev().map(|(k, v)| (k, v.clone())).collect();
    assert_eq!(object, reversed);
}
