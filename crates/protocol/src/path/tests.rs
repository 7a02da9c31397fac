use super::*;
use serde_json::json;

fn path(text: &str) -> StatePath {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn names(text: &str) -> Vec<(String, Option<usize>)> {
    path(text).segments().iter().map(|s| (s.name.clone(), s.index)).collect()
}

fn state() -> Value {
    json!({
        "currentTopic": "weather",
        "userPreferences": {"language": "en", "a.b": 1},
        "activeTools": ["weather_api", "calculator"],
        "grid": [[1, 2], [3]],
        "nothing": null,
        "7": "seven",
    })
}

#[test]
fn cp_10_segments_are_names_numbers_and_quoted_names() {
    assert_eq!(names("a"), [("a".to_owned(), None)]);
    assert_eq!(names("a.0")[1], ("0".to_owned(), Some(0)));
    assert_eq!(names("a.\"0\"")[1], ("0".to_owned(), None));
    assert_eq!(names("a.007")[1], ("007".to_owned(), None));
    assert_eq!(names("\"a.b\".c")[0], ("a.b".to_owned(), None));
    assert_eq!(names(r#""a\"b\u00e9".c"#)[0], ("a\"bé".to_owned(), None));
    assert_eq!(names("\"\".x")[0], (String::new(), None));
    assert_eq!(names("用户 偏好.语言")[0].0, "用户 偏好");
    assert_eq!(names("__proto__.x")[0].0, "__proto__");
}

#[test]
fn cp_10_invalid_path_is_reported_with_offset() {
    let cases = [
        ("", 0, "an empty name"),
        ("a.", 2, "an empty name"),
        (".a", 0, "an empty name"),
        ("a..b", 2, "an empty name"),
        ("a[0]", 1, "a bracket"),
        ("a\"b\"", 1, "a quote within a name"),
        ("a.\"b", 2, "a quote that is not closed"),
        ("a.\"b\\\"", 2, "a quote that is not closed"),
        ("\"a\"b", 3, "expected a dot"),
        ("\"\\x\"", 0, "an escape"),
        ("a\nb", 1, "a control character"),
    ];
    for (text, offset, reason) in cases {
        let error = text.parse::<StatePath>().unwrap_err();
        assert_eq!(error.offset, offset, "{text:?}");
        assert!(error.reason.starts_with(reason), "{text:?}: {error}");
    }
    let long = vec!["a"; StatePath::MOST_SEGMENTS].join(".");
    assert!(long.parse::<StatePath>().is_ok());
    assert!(format!("{long}.a").parse::<StatePath>().is_err());
}

#[test]
fn cp_10_set_creates_missing_containers() {
    let mut state = state();
    let mut set = |text: &str, value: Value| path(text).set(&mut state, value).unwrap();
    assert_eq!(set("userPreferences.language", json!("英文")), Some(json!("en")));
    assert_eq!(set("userPreferences.\"a.b\"", json!(2)), Some(json!(1)));
    assert_eq!(set("deep.er.still", json!(true)), None);
    assert_eq!(set("activeTools.0", json!("maps")), Some(json!("weather_api")));
    assert_eq!(set("activeTools.2", json!("new")), None);
    assert_eq!(set("grid.1.1", json!(4)), None);
    assert_eq!(set("grid.2.0", json!(5)), None);
    assert_eq!(set("list.0.name", json!("first")), None);
    assert_eq!(set("counts.\"2025\"", json!(9)), None);
    assert_eq!(set("7", json!("SEVEN")), Some(json!("seven")));
    assert_eq!(set("nothing", json!(1)), None);
    assert_eq!(set("currentTopic", Value::Null), Some(json!("weather")));
    assert_eq!(
        state,
        json!({
            "currentTopic": null,
            "userPreferences": {"language": "英文", "a.b": 2},
            "activeTools": ["maps", "calculator", "new"],
            "grid": [[1, 2], [3, 4], [5]],
            "nothing": 1,
            "7": "SEVEN",
            "deep": {"er": {"still": true}},
            "list": [{"name": "first"}],
            "counts": {"2025": 9},
        })
    );
}

#[test]
fn cp_10_invalid_path_changes_nothing() {
    let cases = [
        ("currentTopic.x", "currentTopic is a string, which can't contain a value"),
        ("nothing.x", "nothing is null, which can't contain a value"),
        ("userPreferences.language.0", "userPreferences.language is a string"),
        ("activeTools.name", "activeTools is an array of 2, and \"name\" is not an index of it"),
        ("activeTools.\"0\"", "activeTools is an array of 2, and \"0\" is not an index of it"),
        ("activeTools.-1", "activeTools is an array of 2, and \"-1\" is not an index of it"),
        ("activeTools.01", "activeTools is an array of 2, and \"01\" is not an index of it"),
        ("activeTools.3", "activeTools is an array of 2: index 3 is beyond its end, 2 appends"),
        ("grid.0.x", "grid.0 is an array of 2"),
        ("grid.2.1", "grid.2 is an array of 0: index 1 is beyond its end, 0 appends"),
        ("new.5", "new is an array of 0: index 5 is beyond its end, 0 appends"),
        ("activeTools.99999999999999999999999", "activeTools is an array of 2, and"),
    ];
    for (text, part) in cases {
        let mut changed = state();
        let error = path(text).set(&mut changed, json!(1)).unwrap_err().to_string();
        assert!(error.contains(part), "{text}: {error}");
        assert_eq!(changed, state(), "{text}");
    }
    let error = path("a").set(&mut Value::Null, json!(1)).unwrap_err().to_string();
    assert!(error.starts_with("the state is null"), "{error}");
}

#[test]
fn cp_10_remove_shifts_rest_of_list() {
    let mut state = state();
    let mut remove = |text: &str| path(text).remove(&mut state);
    assert_eq!(remove("userPreferences.language"), Ok(Some(json!("en"))));
    assert_eq!(remove("userPreferences.language"), Ok(None));
    assert_eq!(remove("not.there.at.all"), Ok(None));
    assert_eq!(remove("activeTools.0"), Ok(Some(json!("weather_api"))));
    assert_eq!(remove("activeTools.5"), Ok(None));
    assert_eq!(remove("nothing"), Ok(Some(Value::Null)));
    assert!(remove("currentTopic.x").is_err());
    assert!(remove("activeTools.x").is_err());
    assert!(remove("activeTools.x.y").is_err());
    assert_eq!(
        state,
        json!({
            "currentTopic": "weather",
            "userPreferences": {"a.b": 1},
            "activeTools": ["calculator"],
            "grid": [[1, 2], [3]],
            "7": "seven",
        })
    );
}

#[test]
fn cp_10_get_returns_value() {
    let state = state();
    let get = |text: &str| path(text).get(&state).cloned();
    assert_eq!(get("grid.0.1"), Some(json!(2)));
    assert_eq!(get("userPreferences.\"a.b\""), Some(json!(1)));
    assert_eq!(get("7"), Some(json!("seven")));
    for missing in ["x", "grid.9", "grid.x", "currentTopic.x", "activeTools.\"0\""] {
        assert_eq!(get(missing), None, "{missing}");
    }
}

#[test]
fn cp_11_paths_overlap_when_one_contains_other() {
    let overlap = |one: &str, two: &str| {
        let (one, two) = (path(one), path(two));
        assert_eq!(one.overlaps(&two), two.overlaps(&one));
        one.overlaps(&two)
    };
    assert!(overlap("a", "a"));
    assert!(overlap("a", "a.b.c"));
    assert!(overlap("a.\"b\"", "a.b"));
    assert!(overlap("a.0", "a.\"0\""));
    assert!(!overlap("a.b", "a.c"));
    assert!(!overlap("ab", "a"));
    assert!(!overlap("\"a.b\"", "a.b"));
    assert!(!overlap("a.0", "a.1"));
}

#[test]
fn cp_11_removing_element_affects_whole_list() {
    assert_eq!(path("a.list.0").touched_by_removal(), Some(path("a.list")));
    assert_eq!(path("a.\"0\"").touched_by_removal(), Some(path("a.\"0\"")));
    assert_eq!(path("0").touched_by_removal(), None);
}

#[test]
fn cp_10_path_keeps_spelling_and_round_trips() {
    let written = "\"a\".\"b.c\".\"0\".1";
    assert_eq!(path(written).as_str(), written);
    let plain = StatePath::of(path(written).segments().to_vec()).unwrap();
    assert_eq!(plain.as_str(), "a.\"b.c\".\"0\".1");
    assert_eq!(plain, path(written));
    assert_eq!(path(plain.as_str()), plain);
    assert_eq!(StatePath::of(Vec::new()), None);
    let odd = StatePath::of(vec![Segment::field("\u{7f}\"\n."), Segment::index(3)]).unwrap();
    assert_eq!(path(odd.as_str()), odd);
}
