use super::*;
use crate::syntax::parse;
use contexture_context::Limits;
use proptest::prelude::*;

const PROGRAM: &str = "\u{feff}agent Ärzte {\r\n  use one of {\r\n    一: \"lang\" max 2k keep tail selected // 注\r\n    b: empty\r\n  } as 事实\r\n}\r\nmain func(input) {\r\n  if input.q { use one of { a: input, b: \"selected\" max 9 } as facts }\r\n  x = 1   \r\n}\r\n";

fn special(text: &str, chosen: &[(&str, &str)]) -> Result<String, SiteError> {
    let source = SourceFile::new("a.as", text);
    let parsed = parse(&source, &Limits::default());
    assert_eq!(parsed.diagnostics, [], "{text}");
    let chosen: Vec<_> =
        chosen.iter().map(|(place, name)| ((*place).to_owned(), (*name).to_owned())).collect();
    specialize(&source, &parsed.file, &chosen)
}

fn found(text: &str) -> Vec<Site> {
    let source = SourceFile::new("a.as", text);
    sites(&source, &parse(&source, &Limits::default()).file)
}

#[test]
fn ev_9_sites_have_lines_labels_and_spans_of_candidates() {
    let found = found(PROGRAM);
    let about: Vec<_> = found.iter().map(|site| (site.line, site.label.as_deref())).collect();
    assert_eq!(about, [(2, Some("事实")), (8, Some("facts"))]);
    let Place { start, end } = found[0].candidates[0].span;
    let text = PROGRAM.get(start as usize..end as usize).unwrap();
    assert_eq!(text, "一: \"lang\" max 2k keep tail selected");
    let selected = |site: &Site| {
        site.candidates.iter().map(|candidate| candidate.selected).collect::<Vec<_>>()
    };
    assert_eq!(selected(&found[0]), [true, false]);
    assert_eq!(selected(&found[1]), [true, false], "the first one where none is marked");
}

#[test]
fn as_33_only_marks_differ_byte_for_byte() {
    let new = special(PROGRAM, &[("事实", "b"), ("8", "b")]).unwrap();
    let expected = PROGRAM
        .replace("keep tail selected //", "keep tail //")
        .replace("b: empty", "b: empty selected")
        .replace("max 9 }", "max 9 selected }");
    assert_eq!(new, expected);
    assert_eq!(special(&new, &[("2", "一")]).unwrap().matches(" selected").count(), 2);
}

#[test]
fn as_33_candidate_that_is_shown_anyway_keeps_text() {
    assert_eq!(special(PROGRAM, &[("facts", "a"), ("事实", "一")]).unwrap(), PROGRAM);
    assert_eq!(special(PROGRAM, &[]).unwrap(), PROGRAM);
}

#[test]
fn ev_9_unknown_site_and_candidate_are_errors_with_suggestion() {
    let told = |place, name| {
        let error = special(PROGRAM, &[(place, name)]).unwrap_err();
        (error.is_of_site, error.help)
    };
    assert_eq!(told("fact", "a"), (true, "did you mean `facts`?".to_owned()));
    assert!(told("99", "a").0);
    assert_eq!(told("facts", "zzz"), (false, "the candidates are a, b".to_owned()));
    let twice = special(PROGRAM, &[("facts", "a"), ("8", "b")]).unwrap_err();
    assert!(twice.message.contains("both `a` and `b`"), "{twice}");
}

/// A site with some form of blanks, comments and clauses.
fn written() -> impl Strategy<Value = (String, usize)> {
    let expr = prop::sample::select(vec!["input", "\"t selected\"", "empty", "[1, 2]", "{ a: 1 }"]);
    let clause = prop::sample::select(vec!["", " max 2k", " max 9 keep tail", " keep tail"]);
    let end = prop::sample::select(vec!["\n", " // c selected\n", "  \n", "\r\n", ",\n"]);
    let candidates = prop::collection::vec((expr, clause, end), 1..5);
    (candidates, any::<prop::sample::Index>(), any::<bool>()).prop_map(|(all, index, is_marked)| {
        let marked = index.index(all.len());
        let mut text = String::from("  use one of {\n");
        for (at, (expr, clause, end)) in all.iter().enumerate() {
            let clause = if *expr == "empty" { "" } else { clause };
            let mark = if is_marked && at == marked { " selected" } else { "" };
            text.push_str(&format!("\tc{at}: {expr}{clause}{mark}{end}"));
        }
        text.push_str("  } as site\n");
        (text, all.len())
    })
}

proptest! {
    #[test]
    fn as_33_any_program_is_same_but_for_marks(
        all in prop::collection::vec(written(), 1..4),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 4),
    ) {
        let body: Vec<String> = all
            .iter()
            .enumerate()
            .map(|(at, (text, _))| text.replace("as site", &format!("as site{at}")))
            .collect();
        let text = format!("main func(input) {{\n{}  1\n}}\n", body.concat());
        let names: Vec<(String, String)> = all
            .iter()
            .zip(&picks)
            .enumerate()
            .map(|(at, ((_, count), pick))| {
                (format!("site{at}"), format!("c{}", pick.index(*count)))
            })
            .collect();
        let chosen: Vec<_> =
            names.iter().map(|(place, name)| (place.as_str(), name.as_str())).collect();
        let new = special(&text, &chosen).unwrap();
        let without = |text: &str| {
            let mut marks: Vec<Span> = found(text)
                .iter()
                .flat_map(|site| site.candidates.iter().filter_map(|one| one.mark))
                .collect();
            marks.sort_by_key(|mark| mark.start);
            let edits = marks.into_iter().map(|mark| (with_blank(text, mark), "")).collect();
            edited(text, edits)
        };
        prop_assert_eq!(without(&text), without(&new), "nothing else differs");
        for (site, (_, name)) in found(&new).iter().zip(&names) {
            let shown = site.candidates.iter().find(|candidate| candidate.selected).unwrap();
            prop_assert_eq!(&shown.name, name);
        }
        prop_assert_eq!(special(&new, &chosen).unwrap(), new, "once is enough");
    }
}

fn longer(text: &str, site: usize, like: usize, new: &str) -> String {
    let source = SourceFile::new("a.as", text);
    let sites = found(text);
    with_candidate(&source, &sites[site], &sites[site].candidates[like], ("new", new))
}

#[test]
fn ev_11_candidate_is_added_with_the_clauses_of_its_parent_and_without_a_mark() {
    let new = longer(PROGRAM, 0, 0, "\\(x) \"你\"\n");
    let added = "    b: empty\r\n    new: \"\\\\(x) \\\"你\\\"\\n\" max 2k keep tail\r\n";
    assert_eq!(new, PROGRAM.replace("    b: empty\r\n", added));
    let new = longer(PROGRAM, 1, 1, "t");
    assert_eq!(new, PROGRAM.replace("max 9 }", "max 9, new: \"t\" max 9 }"));
}

proptest! {
    #[test]
    fn ev_11_added_candidate_is_read_back_and_nothing_else_differs(
        (site, count) in written(),
        like in any::<prop::sample::Index>(),
        new in ".{0,40}",
    ) {
        let text = format!("main func(input) {{\n{site}  1\n}}\n");
        let after = longer(&text, 0, like.index(count), &new);
        let (old, sites) = (found(&text), found(&after));
        prop_assert_eq!(sites[0].candidates.len(), count + 1);
        let added = sites[0].candidates.last().unwrap();
        prop_assert_eq!(added.text.as_ref(), Some(&new));
        prop_assert!(!added.selected && added.mark.is_none());
        let selected = |site: &Site| site.candidates.iter().position(|one| one.selected);
        prop_assert_eq!(selected(&old[0]), selected(&sites[0]));
    }
}
