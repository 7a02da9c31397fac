use super::*;
use crate::syntax::Reference;
use contexture_core::reference::ParameterKind;
use contexture_diagnostic::{Diagnostic, Severity};

fn add(text: &str) -> (Definitions, Vec<Diagnostic>) {
    add_with(text, false)
}

fn add_with(text: &str, examples: bool) -> (Definitions, Vec<Diagnostic>) {
    let mut definitions = Definitions::default();
    let options = Options { examples, ..Options::default() };
    let faults = definitions.add(Origin::new(Layer::Workspace, "a.resource.md"), text, &options);
    (definitions, faults)
}

#[track_caller]
fn sound(text: &str) -> Definitions {
    let (definitions, faults) = add(text);
    assert_eq!(faults, vec![]);
    definitions
}

fn codes_of(text: &str) -> Vec<&'static str> {
    add(text).1.into_iter().map(|fault| fault.code).collect()
}

fn names(definitions: &Definitions) -> Vec<&str> {
    definitions.names().collect()
}

fn resolve(definitions: &Definitions, text: &str) -> Result<Resolution, ResolveError> {
    definitions.resolve(&Reference::parse(text).unwrap())
}

#[track_caller]
fn leads_to(definitions: &Definitions, from: &str, to: &str) {
    let resolution = resolve(definitions, from).unwrap();
    assert_eq!(resolution.reference.as_str(), to, "{from}");
}

fn registry(name: &str, rows: &str) -> String {
    format!(
        "<resource protocol=\"{name}\">\n<registry>\n| id | to |\n|---|---|\n{rows}\n</registry>\n</resource>\n"
    )
}

#[test]
fn ref_15_start_tag_counts_at_beginning_of_line() {
    for text in [
        "<resource protocol=\"a\">x</resource>",
        "   <resource protocol=\"a\">x</resource>",
        "\u{feff}<resource protocol=\"a\">x</resource>",
        "text\r\n<resource  protocol=\"a\" >\r\nx\r\n</resource >\r\n",
        "<resource protocol='a'>x</resource> and more",
    ] {
        assert_eq!(names(&sound(text)), ["a"], "{text:?}");
    }
    for text in [
        "see <resource protocol=\"a\">x</resource>",
        "    <resource protocol=\"a\">x</resource>",
        "`<resource protocol=\"a\">`",
        "<resources protocol=\"a\">",
        "> <resource protocol=\"a\">x</resource>",
        "<!--\n<resource protocol=\"a\">x</resource>\n-->",
    ] {
        assert_eq!(names(&sound(text)), Vec::<&str>::new(), "{text:?}");
    }
}

#[test]
fn ref_15_element_in_code_fence_is_example() {
    for (open, close) in
        [("```xml", "```"), ("~~~", "~~~~"), ("- ```", "  ```"), ("````md\n```", "````")]
    {
        let text = format!(
            "{open}\n<resource protocol=\"a\">x</resource>\n{close}\n<resource protocol=\"b\">y</resource>"
        );
        assert_eq!(names(&sound(&text)), ["b"], "{text}");
        let (definitions, faults) = add_with(&text, true);
        assert_eq!(faults, vec![]);
        assert_eq!(names(&definitions), ["a", "b"], "{text}");
    }
    let (definitions, faults) = add_with("    <resource protocol=\"a\">x</resource>", true);
    assert_eq!((names(&definitions), faults), (vec!["a"], vec![]));
    let (_, faults) = add_with("```\n<resource protocol=\"a\">\n```\n</resource>", true);
    assert_eq!(faults[0].code, "REF2006");
}

#[test]
fn ref_15_all_parts_are_optional_and_stand_anywhere() {
    let text = "<resource protocol=\"a\"> <location>location ::= a://{id}\nid ::= [a-z]+</location> \
        <params>words</params> <registry>\n| i | r |\n|-|-|\n| k | @file://k.md |\n</registry> </resource>";
    let definitions = sound(text);
    let definition = definitions.get("A").unwrap();
    assert!(definition.location().is_some());
    assert_eq!(definition.registry().unwrap().entries().count(), 1);
    assert_eq!(definition.parameters(), []);
    let prose = sound("<resource protocol=\"a\">\n\n## What it is\nx\n</resource>");
    assert_eq!(prose.get("a").unwrap().description(), Some("What it is"));
}

#[test]
fn ref_15_tags_inside_code_do_not_count() {
    let text = "<resource protocol=\"a\">\nWrite `<location>` and `</location>`.\n<location>\n\
        ```ebnf\nlocation ::= 'x' (* </location></resource> *)\n```\n  Not `</location>` here.\n\
        <!-- </location> -->\n</location>\n</resource>\n<resource protocol=\"b\">y</resource>";
    let definitions = sound(text);
    assert_eq!(names(&definitions), ["a", "b"]);
    assert!(definitions.get("a").unwrap().check_path("x").is_ok());
}

#[test]
fn ref_15_what_is_wrong_with_start_tag() {
    for (tag, code) in [
        ("<resource>", "REF2003"),
        ("<resource name=\"a\">", "REF2003"),
        ("<resource protocol=\"a\" kind=\"b\">", "REF2004"),
        ("<resource protocol=\"a\" protocol=\"b\">", "REF2004"),
        ("<resource protocol=\"\">", "REF2005"),
        ("<resource protocol=\"1a\">", "REF2005"),
        ("<resource protocol=\"分析\">", "REF2005"),
        ("<resource protocol=\"a b\">", "REF2005"),
        ("<resource protocol=\"file\">", "REF2017"),
        ("<resource protocol=\"HTTP\">", "REF2017"),
        ("<resource protocol=\"template\">", "REF2017"),
    ] {
        let (definitions, faults) = add(&format!("{tag}\nx\n</resource>"));
        assert!(faults.iter().any(|fault| fault.code == code), "{tag}: {faults:?}");
        assert_eq!(names(&definitions), Vec::<&str>::new());
    }
    for tag in ["<resource protocol=a>", "<resource protocol=\"a\"", "<resource protocol>"] {
        let (_, faults) = add(&format!("{tag}\nx"));
        assert_eq!((faults[0].code, faults[0].severity), ("REF2002", Severity::Warning), "{tag}");
    }
    assert_eq!(codes_of("<resource protocol=\"a\"/>"), ["REF2011"]);
    assert_eq!(codes_of("<resource protocol=\"a\"></resource>"), ["REF2011"]);
    assert_eq!(codes_of("<resource protocol=\"a\">\n \n</resource>"), ["REF2011"]);
}

#[test]
fn ref_15_what_is_wrong_with_parts() {
    let element = |inside: &str| format!("<resource protocol=\"a\">\n{inside}\n</resource>\n");
    for (inside, code) in [
        ("<params>\nx\n</params>\n<location>\ny\n</location>", "REF2014"),
        ("<params>\nx\n</params>\n<params>\ny\n</params>", "REF2013"),
        ("<params>\nx\n<registry>\ny\n</registry>", "REF2007"),
        ("<params>\nx", "REF2007"),
        ("x </params>", "REF2009"),
        ("<params>\nx\n</registry>\n</params>", "REF2009"),
        ("<params kind=\"x\">\nx\n</params>", "REF2004"),
        ("<params></params>", "REF2012"),
        ("<params/>", "REF2012"),
        ("<parms>\nx\n</parms>", "REF2015"),
    ] {
        let found = codes_of(&element(inside));
        assert!(found.contains(&code), "{inside}: {found:?}");
    }
    let (definitions, _) = add(&element("<params>\nx\n</params>\n<location>\ny\n</location>"));
    assert_eq!(names(&definitions), ["a"]);
}

#[test]
fn ref_15_unclosed_and_nested_elements_cost_themselves_alone() {
    let (definitions, faults) =
        add("<resource protocol=\"a\">\nx\n<resource protocol=\"b\">\ny\n</resource>\n");
    assert_eq!((names(&definitions), faults[0].code), (vec!["b"], "REF2008"));
    assert_eq!(faults[0].labels.len(), 1);
    assert_eq!(codes_of("<resource protocol=\"a\">\nx\n"), ["REF2006"]);
    assert_eq!(codes_of("<resource protocol=\"a\">\n```\n</resource>\n"), ["REF2006"]);
    assert_eq!(codes_of("</resource>\n"), ["REF2010"]);
    let error = resolve(&definitions, "@a://x").unwrap_err();
    assert_eq!(error.code(), "REF2070");
    let (_, faults) = add("x\ny\n<resource protocol=\"a\">\n");
    assert_eq!((faults[0].file.as_str(), faults[0].span.start), ("a.resource.md", 4));
}

#[test]
fn ref_15_limits_are_errors() {
    let limits =
        Limits { elements: 2, file_bytes: 200, diagnostics: 3, rows: 1, ..Limits::default() };
    let options = Options { limits, examples: false };
    let run = |text: &str| {
        let mut definitions = Definitions::default();
        let faults = definitions.add(Origin::new(Layer::User, "u.md"), text, &options);
        let codes: Vec<_> = faults.iter().map(|fault| fault.code).collect();
        (definitions.names().count(), codes)
    };
    let many: String = ["a", "b", "c"]
        .map(|name| format!("<resource protocol=\"{name}\">x</resource>\n"))
        .concat();
    assert_eq!(run(&many), (2, vec!["REF2019"]));
    assert_eq!(run(&"x".repeat(201)), (0, vec!["REF2001"]));
    assert_eq!(run(&"<resource>\n".repeat(10)).1.last(), Some(&"REF2020"));
    assert_eq!(run(&registry("a", "| a | @file://a |\n| b | @file://b |")).1, ["REF2044"]);
}

#[test]
fn ref_16_path_is_checked_on_use() {
    let rules = "<location>\nlocation ::= a://{id}\nid ::= [a-z]+\n</location>\n";
    let text = registry("a", "| k | @file://k.md |\n| K9 | @file://k.md |")
        .replace("<registry>", &format!("{rules}<registry>"));
    let (definitions, faults) = add(&text);
    assert_eq!(faults.iter().map(|fault| fault.code).collect::<Vec<_>>(), ["REF2064"]);
    leads_to(&definitions, "@a://k", "@file://k.md");
    let error = resolve(&definitions, "@a://k9").unwrap_err();
    assert_eq!(error.code(), "REF2071");
    assert_eq!(
        error.to_string(),
        "the path does not follow the location of `a` (a.resource.md:3): expected [a-z] (rule \
         `id`) or the end at byte 1 of the path, found `9`"
    );
    // Around another reference it is not a path.
    leads_to(&definitions, "@a:file://K9", "@a:file://K9");
}

#[test]
fn ref_17_parameters_come_from_table() {
    let text = "<resource protocol=\"a\"><params>\n\
        | 参数名 | 类型 | 描述 | 示例 | 默认值 | 必填 |\n|---|:--|---|--:|---|---|\n\
        | `line` | range | 行 | `5-10` | - | 否 |\n| n | Integer | | | `3` | |\n\
        | mode | `fast\\|slow` | how | | fast | |\n| q | 字符串 | | | | 是 |\n\
        | x | 布尔 | | | | |\n| y | number | | | 0.5 | no |\n</params></resource>";
    let definitions = sound(text);
    let parameters = definitions.get("a").unwrap().parameters();
    let kinds: Vec<_> =
        parameters.iter().map(|one| (one.name.as_str(), one.kind.clone())).collect();
    assert_eq!(
        kinds,
        [
            ("line", ParameterKind::Range),
            ("n", ParameterKind::Integer),
            ("mode", ParameterKind::OneOf(vec!["fast".to_owned(), "slow".to_owned()])),
            ("q", ParameterKind::String),
            ("x", ParameterKind::Boolean),
            ("y", ParameterKind::Number),
        ]
    );
    assert_eq!(parameters[0].description, "行 (for example `5-10`)");
    let defaults: Vec<_> = parameters.iter().map(|one| one.default.as_deref()).collect();
    assert_eq!(defaults, [None, Some("3"), Some("fast"), None, None, Some("0.5")]);
    let required: Vec<_> = parameters.iter().map(|one| one.required).collect();
    assert_eq!(required, [false, false, false, true, false, false]);
}

#[test]
fn ref_17_broken_rows_and_words() {
    let table = |rows: &str| {
        let text = format!(
            "<resource protocol=\"a\">\n<params>\n| name | type | text | default | required |\n\
             |---|---|---|---|---|\n{rows}\n</params>\n</resource>\n"
        );
        let (definitions, faults) = add(&text);
        let kept = definitions.get("a").map_or(0, |one| one.parameters().len());
        (faults.iter().map(|fault| fault.code).collect::<Vec<_>>(), kept)
    };
    assert_eq!(table("| a | blob | x | | |"), (vec!["REF2052"], 1));
    assert_eq!(table("| a | | x | | |"), (vec!["REF2052"], 1));
    assert_eq!(table("| a | string | x | | |\n| a | string | y | | |"), (vec!["REF2051"], 1));
    assert_eq!(table("| | string | x | | |"), (vec!["REF2050"], 0));
    assert_eq!(table("| a b | string | x | | |"), (vec!["REF2050"], 0));
    assert_eq!(table("| a | integer | x | many | |"), (vec!["REF2053"], 1));
    assert_eq!(table("| a | string | x | | perhaps |"), (vec!["REF2054"], 1));
    assert_eq!(table("| a | string |"), (vec!["REF2042"], 1));
    assert_eq!(table("| a | `x|y` | x | | | |"), (vec!["REF2043"], 0));
    let part = |text: &str| {
        codes_of(&format!("<resource protocol=\"a\">\n<params>\n{text}\n</params>\n</resource>"))
    };
    assert_eq!(part("| a | b |\n| c | d |"), ["REF2040"]);
    assert_eq!(part("| a | b |\n|---|\n| c | d |"), ["REF2041"]);
    assert_eq!(part("| a | b |\n|---|---|\n\n| c | d |\n|---|---|"), ["REF2045"]);
    assert_eq!(part("Words | and words.\n\n```\n| a |\n```"), Vec::<&str>::new());
    assert_eq!(part("a | b | c\n---|---|---\nx | range | y"), Vec::<&str>::new());
}

#[test]
fn ref_17_values_are_checked_by_type() {
    let check = |kind: ParameterKind, value: &str| {
        let parameter = Parameter {
            name: "p".to_owned(),
            kind,
            description: String::new(),
            default: None,
            required: false,
        };
        super::check(&parameter, value).is_ok()
    };
    for (kind, right, wrong) in [
        (ParameterKind::Number, vec!["5", "-0.5", "1e3"], vec!["", "inf", "NaN", "5x", "1e999"]),
        (ParameterKind::Integer, vec!["5", "-5"], vec!["", "5.0", "99999999999999999999"]),
        (ParameterKind::Boolean, vec!["true", "false"], vec!["", "yes", "True", "1"]),
        (
            ParameterKind::Range,
            vec!["5", "5-10", "5-", "-10", "5-5"],
            vec!["", "-", "10-5", "a", "1-2-3", "+5"],
        ),
        (ParameterKind::OneOf(vec!["a".to_owned()]), vec!["a"], vec!["", "A", "b"]),
        (ParameterKind::String, vec!["", "x y"], vec![]),
    ] {
        assert!(right.iter().all(|value| check(kind.clone(), value)), "{kind:?}");
        assert!(!wrong.iter().any(|value| check(kind.clone(), value)), "{kind:?}");
    }
    let error = ParameterError::unknown("lin", ["max", "line"]);
    assert_eq!(error.help().unwrap(), "did you mean `line`? allowed here: line, max");
}

#[test]
fn ref_17_declared_parameters_are_checked_on_use() {
    let table = "<params>\n| n | t | d | required |\n|-|-|-|-|\n| depth | integer | | |\n| who | string | | yes |\n</params>\n";
    let text =
        registry("a", "| k | @file://k.md |").replace("<registry>", &format!("{table}<registry>"));
    let definitions = sound(&text);
    leads_to(&definitions, "@a://k?who=me&depth=2", "@file://k.md?who=me&depth=2");
    let parameters = resolve(&definitions, "@a://k?who=me").unwrap().parameters;
    assert_eq!(
        parameters.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(),
        ["depth", "who"]
    );
    let defaults = text.replace(
        "| n | t | d | required |\n|-|-|-|-|",
        "| n | t | d | default |\n|-|-|-|-|\n| line | range | | 1-20 |",
    );
    let (defaults, _) = add(&defaults.replace("| | yes |", "| | A b |"));
    leads_to(&defaults, "@a://k", "@file://k.md?line=1-20&who=A%20b");
    leads_to(&defaults, "@a://k?line=3&who=x", "@file://k.md?line=3&who=x");
    let names: Vec<String> =
        resolve(&defaults, "@a://k").unwrap().parameters.into_iter().map(|one| one.name).collect();
    assert_eq!(names, ["depth", "who"]);
    assert_eq!(resolve(&definitions, "@a://k?who=me&depth=x").unwrap_err().code(), "REF2076");
    assert_eq!(resolve(&definitions, "@a://k").unwrap_err().code(), "REF2077");
}

#[test]
fn ref_18_id_stands_for_reference() {
    let rows = "| `k` | `@file://a/k.md?line=1-5&max=2k` |\n| lazy | @?file://l.md |\n| 分析/一 | @markdown:@?file://m.md?section=A |\n| glob | @file://docs/**/*.md |";
    let definitions = sound(&registry("Thought", rows));
    leads_to(&definitions, "@thought://k", "@file://a/k.md?line=1-5&max=2k");
    leads_to(&definitions, "@THOUGHT://k?line=7", "@file://a/k.md?max=2k&line=7");
    leads_to(&definitions, "@!thought://lazy", "@!file://l.md");
    leads_to(&definitions, "@thought://lazy", "@?file://l.md");
    leads_to(&definitions, "@?thought://k", "@?file://a/k.md?line=1-5&max=2k");
    leads_to(&definitions, "@thought://分析/一?line=2", "@markdown:@?file://m.md?section=A&line=2");
    leads_to(&definitions, "@!thinking:thought://lazy", "@!thinking:@?file://l.md");
    leads_to(&definitions, "@thought://glob", "@file://docs/**/*.md");
    leads_to(&definitions, "@file://k", "@file://k");
    let hop = &resolve(&definitions, "@thought://lazy").unwrap().trail[0];
    assert_eq!((hop.id.as_str(), hop.file.as_str(), hop.line), ("lazy", "a.resource.md", 6));
    assert_eq!((hop.from.as_str(), hop.to.as_str()), ("@thought://lazy", "@?file://l.md"));
}

#[test]
fn ref_18_unknown_ids_are_reported_nearest() {
    let definitions = sound(&registry("t", "| analytical | @file://a |\n| creative | @file://c |"));
    let help = |text: &str| resolve(&definitions, text).unwrap_err().help().unwrap();
    assert_eq!(help("@t://analitical"), "did you mean `analytical`?");
    assert_eq!(help("@t://zzz"), "registered are analytical, creative");
    assert_eq!(help("@t://analytical/x"), "did you mean `analytical`?");
    assert_eq!(resolve(&definitions, "@t://*").unwrap_err().code(), "REF2072");
    let wrapper = sound("<resource protocol=\"w\">x</resource>");
    assert_eq!(resolve(&wrapper, "@w://a").unwrap_err().code(), "REF2074");
    assert!(resolve(&wrapper, "@w:file://a").unwrap().trail.is_empty());
}

#[test]
fn ref_18_registries_nest_and_cycle_reports_path() {
    let text = [
        registry("a", "| x | @b://y?line=1 |\n| self | @a://self |"),
        registry("b", "| y | @!text:c://z |"),
        registry("c", "| z | @?file://z.md |\n| back | @b://round |"),
        registry("d", "| round | @e://round |"),
        registry("e", "| round | @d://round |\n| in | @d://round |"),
    ]
    .concat();
    let definitions = sound(&text);
    leads_to(&definitions, "@a://x", "@!text:@?file://z.md?line=1");
    assert_eq!(resolve(&definitions, "@a://x").unwrap().trail.len(), 3);
    let error = resolve(&definitions, "@e://in").unwrap_err();
    assert_eq!(error.code(), "REF2073");
    assert!(error.to_string().ends_with("@d://round → @e://round → @d://round"), "{error}");
    assert_eq!(resolve(&definitions, "@a://self").unwrap_err().code(), "REF2073");
}

#[test]
fn ref_18_chains_and_nesting_have_limits() {
    let chain: String =
        (0..40).map(|i| registry(&format!("p{i}"), &format!("| x | @p{}://x |", i + 1))).collect();
    assert_eq!(resolve(&sound(&chain), "@p0://x").unwrap_err().code(), "REF2075");
    let bomb = sound(&registry(
        "p",
        "| x | @text:text:text:p://y |\n| y | @text:text:text:text:text:text:p://z |\n| z | @text:text:text:text:text:text:text:text:file://a |",
    ));
    assert_eq!(resolve(&bomb, "@p://x").unwrap_err().code(), "REF2075");
}

#[test]
fn ref_18_broken_rows_cost_themselves_alone() {
    let (definitions, faults) = add(&registry(
        "a",
        "| k | @file://k |\n| k | @file://other |\n| | @file://k |\n| bad | notes/a.md |\n| none | |\n| a b | @file://k |\n| q?x=1 | @file://k |\n| only |\n| e | @file://a | x |",
    ));
    let codes: Vec<_> = faults.iter().map(|fault| fault.code).collect();
    assert_eq!(
        codes,
        [
            "REF2062", "REF2061", "REF2063", "REF2063", "REF2061", "REF2061", "REF2042", "REF2063",
            "REF2043"
        ]
    );
    leads_to(&definitions, "@a://k", "@file://k");
    let error = resolve(&definitions, "@a://bad").unwrap_err();
    assert_eq!(error.to_string(), "the row of `bad` in a.resource.md:8 has an error");
    assert_eq!(
        faults[2].help.as_deref(),
        Some("write the protocol too, such as `@file://notes/a.md`")
    );
    assert_eq!(
        codes_of("<resource protocol=\"a\">\n<registry>\nwords\n</registry>\n</resource>"),
        ["REF2060"]
    );
    assert_eq!(
        codes_of("<resource protocol=\"a\">\n<registry>\n| a |\n|---|\n</registry>\n</resource>"),
        ["REF2046"]
    );
}

#[test]
fn ref_18_relative_paths_start_where_registry_stands() {
    let mut definitions = Definitions::default();
    let place = Place { root: 2, folder: "resources".to_owned() };
    let origin = Origin::new(Layer::User, "u.md").at(place.clone());
    definitions.add(origin, &registry("a", "| k | @file://k.md |"), &Options::default());
    assert_eq!(resolve(&definitions, "@a://k").unwrap().place, Some(place));
    assert_eq!(resolve(&definitions, "@file://k").unwrap().place, None);
}

#[test]
fn ref_19_later_layers_take_place_of_earlier_ones() {
    let layers = [Layer::Explicit, Layer::User, Layer::Workspace];
    let mut definitions = Definitions::default();
    let mut messages = Vec::new();
    for layer in layers {
        let text = registry("a", &format!("| k | @file://{layer} |"));
        let origin = Origin::new(layer, format!("{layer}.md"));
        let faults = definitions.add(origin, &text, &Options::default());
        messages.extend(faults.into_iter().map(|fault| (fault.severity, fault.message)));
    }
    leads_to(&definitions, "@a://k", "@file://explicit");
    assert_eq!(
        messages,
        [
            (
                Severity::Hint,
                "`a` of user.md (user) gives way to explicit.md:1 (explicit)".to_owned()
            ),
            (
                Severity::Hint,
                "`a` of workspace.md (workspace) gives way to explicit.md:1 (explicit)".to_owned()
            ),
        ]
    );
    let twice = registry("a", "| k | @file://a |") + &registry("A", "| k | @file://b |");
    let (definitions, faults) = add(&twice);
    assert_eq!(faults[0].code, "REF2016");
    leads_to(&definitions, "@a://k", "@file://a");
}

#[test]
fn ref_19_broken_definition_does_not_fall_back() {
    let mut definitions = Definitions::default();
    let origin = |layer: Layer| Origin::new(layer, format!("{layer}.md"));
    let options = Options::default();
    definitions.add(origin(Layer::User), &registry("a", "| k | @file://k |"), &options);
    definitions.add(
        origin(Layer::Workspace),
        "<resource protocol=\"a\">\n<location>\nlocation ::= (\n</location>\n</resource>",
        &options,
    );
    let error = resolve(&definitions, "@a://k").unwrap_err();
    assert_eq!(error.to_string(), "the definition of `a` in workspace.md:1 has errors");
    definitions.add(origin(Layer::Explicit), &registry("a", "| k | @file://e |"), &options);
    leads_to(&definitions, "@a://k", "@file://e");
}

#[test]
fn ref_19_built_in_definitions_are_sound_and_give_way() {
    for (file, text) in [
        ("thinking", include_str!("builtin/thinking.resource.md")),
        ("execution", include_str!("builtin/execution.resource.md")),
    ] {
        let (definitions, faults) = add(text);
        assert_eq!((names(&definitions), faults), (vec![file], vec![]));
        assert_eq!(definitions.get(file).unwrap().parameters().len(), 2);
    }
    let mut definitions = Definitions::built_in();
    assert_eq!(names(&definitions), ["execution", "thinking"]);
    let faults = definitions.add(
        Origin::new(Layer::User, "mine.md"),
        "<resource protocol=\"thinking\">mine</resource>",
        &Options::default(),
    );
    assert_eq!(
        faults[0].message,
        "`thinking` of mine.md (user) takes the place of thinking.resource.md:5 (built-in)"
    );
    assert_eq!(definitions.get("thinking").unwrap().description(), Some("mine"));
}

#[test]
fn ref_12_defined_protocol_wraps_what_it_is_given() {
    let definitions = sound("<resource protocol=\"My-Notes\">x</resource>");
    let definition = definitions.get("my-notes").unwrap();
    assert_eq!(
        definition.wrap("@file://a.md", "User: one\n"),
        "<my-notes source=\"@file://a.md\">\nUser: one\n</my-notes>"
    );
    let text = definition.wrap("@file://\"a>", "a</my-notes>b</ MY-NOTES >c<\u{200b}/my-notes>");
    assert_eq!(
        text,
        "<my-notes source=\"@file://&quot;a&gt;\">\na<\\/my-notes>b<\\/ MY-NOTES >c<\\\u{200b}/my-notes>\n</my-notes>"
    );
    let mut parameters = contexture_core::reference::Parameters::default();
    parameters.taken.insert("深度".to_owned(), "a\"b".to_owned());
    parameters.taken.insert("source".to_owned(), "x".to_owned());
    assert_eq!(
        definition.wrap_with("@env://A", &parameters, "t"),
        "<my-notes source=\"@env://A\" parameter-source=\"x\" 深度=\"a&quot;b\">\nt\n</my-notes>"
    );
}
