//! The text of a file of tests, read with all its faults (EV-1).
//!
//! Decision: the reader stops at a fault, so what holds it is taken out of the text and the rest is read
//! again, as long as the next fault lies further on. So no second reader knows the keys of a file.

use super::fault::LineFault;
use super::suite::TestFile;
use serde::de::DeserializeOwned;

/// The most faults of a file that are looked for: each is another reading.
const MAX_FAULTS: usize = 50;

/// The keys that a file must have.
const REQUIRED: [&str; 2] = ["program", "cases"];

/// What can stand for an item of a list: an expectation that everything meets, a case, a variant.
const STAND_INS: [&str; 3] = ["{course: {}}", "{}", "{name: x}"];

/// Reads a file of tests.
///
/// # Errors
/// All its faults, in the order of their lines.
pub(super) fn parse(text: &str) -> Result<TestFile, Vec<LineFault>> {
    read(text).map_err(|first| {
        let mut faults = vec![first];
        rest(text.lines().map(str::to_owned).collect(), &mut faults);
        faults
    })
}

/// Reads a text of YAML. Truth values are `true` and `false`; `yes`, `no`, `y`, `n`, `on` and `off` are
/// texts, as in YAML 1.2.
pub(super) fn yaml<T: DeserializeOwned>(text: &str) -> Result<T, serde_saphyr::Error> {
    serde_saphyr::from_str_with_options(text, serde_saphyr::options! { strict_booleans: true })
}

fn read(text: &str) -> Result<TestFile, LineFault> {
    yaml(text).map_err(|error| {
        let told = error.without_snippet().to_string();
        let told = told.strip_prefix("error: ").unwrap_or(&told);
        let line = error.location().and_then(|at| usize::try_from(at.line()).ok());
        LineFault::new(line.unwrap_or(1), without_place(told))
    })
}

/// Returns a message without its line and column, which the diagnostic has.
fn without_place(told: &str) -> &str {
    told.rsplit_once(" at line ").map_or(told, |(message, _)| message)
}

/// Adds the faults after the first one.
fn rest(mut lines: Vec<String>, faults: &mut Vec<LineFault>) {
    while let Some(last) = faults.last().filter(|_| faults.len() < MAX_FAULTS) {
        let mut others = without(&lines, last.line).into_iter().filter_map(|(text, end)| {
            let next = read(&text.join("\n")).err();
            next.as_ref().is_none_or(|fault| fault.line > end).then_some((text, next))
        });
        match others.next() {
            Some((text, Some(fault))) if !is_of_removed_key(&fault) => {
                lines = text;
                faults.push(fault);
            }
            _ => return,
        }
    }
}

/// Reports whether a fault can come from a key that was misspelt and taken out.
fn is_of_removed_key(fault: &LineFault) -> bool {
    REQUIRED.iter().any(|key| fault.message.starts_with(&format!("missing field `{key}`")))
}

/// Returns the text without what may hold the fault of a line, from the smallest to the largest, with
/// the last line of each.
fn without(lines: &[String], line: usize) -> Vec<(Vec<String>, usize)> {
    let Some(at) = line.checked_sub(1).filter(|at| *at < lines.len()) else { return Vec::new() };
    let mut texts = Vec::new();
    let mut depth = usize::MAX;
    for begin in (0..=at).rev() {
        let Some(text) = lines.get(begin).filter(|text| !text.trim().is_empty()) else { continue };
        let indent = indent(text);
        if indent >= depth {
            continue;
        }
        depth = indent;
        let end = block_end(lines, begin, indent);
        let is_item = text.trim() == "-" || text.trim_start().starts_with("- ");
        let stand_ins: &[&str] = if is_item { &STAND_INS } else { &[""] };
        for stand_in in stand_ins {
            let mut changed = lines.to_vec();
            changed.iter_mut().take(end).skip(begin).for_each(String::clear);
            if let Some(first) = changed.get_mut(begin).filter(|_| is_item) {
                *first = format!("{}- {stand_in}", " ".repeat(indent));
            }
            texts.push((changed, end));
        }
    }
    texts
}

/// Returns the number of blanks at the beginning of a line.
fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Returns the number of lines up to the end of a block that begins in a line.
fn block_end(lines: &[String], begin: usize, depth: usize) -> usize {
    let is_next = |line: &String| !line.trim().is_empty() && indent(line) <= depth;
    let length = lines.iter().skip(begin + 1).position(is_next);
    length.map_or(lines.len(), |length| begin + 1 + length)
}

#[cfg(test)]
mod tests {
    use super::super::expect::Expectation;
    use super::super::suite::Cases;
    use super::*;
    use serde_json::json;

    fn faults(text: &str) -> Vec<(usize, String)> {
        let told = |fault: LineFault| {
            let words: Vec<&str> = fault.message.split([' ', ',']).take(3).collect();
            (fault.line, words.join(" "))
        };
        parse(text).unwrap_err().into_iter().map(told).collect()
    }

    #[test]
    fn ev_1_file_is_read_with_all_its_keys() {
        let text = "program: ask.as\ncases:\n  - name: 一\n    input: {q: 5}\n    answers: [{json: {a: 1}}, raw]\n    select: {facts: long}\n    variants:\n      - {name: small, model: mock, select: {facts: short}, options: {max_output: 9}}\n    limits: {max_cost: 0.1, max_calls: 3}\n    expect:\n      - equals: {a: 1}\n      - matches: {path: 'a[0].b', pattern: '^x'}\n      - where: size(value.tags) == 2\n      - near: {path: a, value: 1, within: 0.5}\n      - overlap: {path: t, with: [a], at_least: 0.6}\n      - schema: {type: object}\n      - prompt: {has_item: facts, keeps: x, max_tokens: 300, call: 1, least_trust: user}\n      - course: {calls: 1, attempts: 2, tools: [File.read]}\n      - scorer: {agent: Grader.score, at_least: 0.8}\n";
        let file = parse(text).unwrap();
        let Cases::Listed(cases) = file.cases else { panic!("a list") };
        assert_eq!(cases[0].variants[0].options.max_output, Some(9));
        assert_eq!(cases[0].limits.max_calls, Some(3));
        let names: Vec<_> = cases[0].expect.iter().map(super::super::Expectation::name).collect();
        let all = [
            "equals", "matches", "where", "near", "overlap", "schema", "prompt", "course", "scorer",
        ];
        assert_eq!(names, all);
    }

    #[test]
    fn ev_1_words_that_are_not_truth_values_are_texts() {
        let text = "program: a.as\ncases:\n  - name: y\n    input: {a: yes, b: no, c: y, d: n, e: on, f: Off, g: true, h: False}\n    expect: [equals: yes]\n";
        let Cases::Listed(cases) = parse(text).unwrap().cases else { panic!("a list") };
        let expected = json!({ "a": "yes", "b": "no", "c": "y", "d": "n", "e": "on", "f": "Off", "g": true, "h": false });
        assert_eq!(cases[0].input, expected);
        assert_eq!(cases[0].name.as_deref(), Some("y"));
        assert!(
            matches!(&cases[0].expect[0], Expectation::Equals(value) if *value == json!("yes")),
            "{cases:?}"
        );
    }

    #[test]
    fn ev_1_numbers_without_sense_are_faults_of_their_line() {
        let case = |keys: &str| format!("program: a.as\ncases:\n  - name: a\n    {keys}\n");
        let expect = |expectation: &str| case(&format!("expect:\n      - {expectation}"));
        let (amount, share) =
            ("expected a number from 0, found", "expected a number from 0 to 1, found");
        for (text, line, told) in [
            (case("limits:\n      max_cost: -0.5"), 5, format!("{amount} -0.5")),
            (case("limits: {max_cost: .nan}"), 4, format!("{amount} NaN")),
            (case("limits: {max_seconds: -1}"), 4, format!("{amount} -1")),
            (expect("near: {value: 1, within: -0.1}"), 5, format!("{amount} -0.1")),
            (expect("near: {value: 1, within: .nan}"), 5, format!("{amount} NaN")),
            (expect("overlap: {with: [], at_least: 60}"), 5, format!("{share} 60")),
            (expect("scorer: {agent: A.b, at_least: 1.5}"), 5, format!("{share} 1.5")),
            (
                expect("scorer:\n          agent: A.b\n          at_least: .nan"),
                7,
                format!("{share} NaN"),
            ),
            (expect("prompt: {stable_prefix: -1}"), 5, format!("{share} -1")),
            (expect("prompt: {call: 0}"), 5, "expected a number from 1, found 0".to_owned()),
        ] {
            let found = parse(&text).unwrap_err();
            assert_eq!(found, [LineFault { line, message: told }], "{text}");
        }
        let edges = case(
            "limits: {max_cost: 0, max_seconds: 0}\n    expect: [{near: {value: 1, within: 0}}, {overlap: {with: [], at_least: 0}}, {scorer: {agent: A.b, at_least: 1}}, {prompt: {call: 1, stable_prefix: 1}}, {prompt: {call: ~, stable_prefix: ~}}]",
        );
        assert!(parse(&edges).is_ok(), "{:?}", parse(&edges));
    }

    #[test]
    fn ev_1_faults_of_file_are_all_told_with_their_lines() {
        let text = "\
progam: a.as
cases:
  - name: 一
    expct: []
    input: {q: 1}
    expect:
      - equal: 1
      - where: valu.a == 1
      - prompt:
          call: 1
          has_items: x
      - equals:
          - a: (
      - matches: {pattern: '('}
  - nme: two
    input:
      text: |
        - not: a case
  - name: three
    limits: {max_cal: 1}
    select: 5
variants: [{nam: x}]
";
        let lines: Vec<usize> = faults(text).iter().map(|fault| fault.0).collect();
        assert_eq!(lines, [1, 4, 7, 8, 11, 14, 15, 20, 21, 22], "{:?}", faults(text));
        assert_eq!(faults(text)[1].1, "unknown field `expct`");
    }

    #[test]
    fn ev_1_fault_that_nothing_can_stand_for_is_told_alone() {
        assert_eq!(faults("program: a.as\ncase: []\n"), [(2, "unknown field `case`".to_owned())]);
        let found = faults("cases: []\n");
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].1, "missing field `program`");
        for text in ["program: [", "", "- a\n- b", "cases: {a: [}", "program: a\ncases: \"a\n - b"]
        {
            assert_eq!(faults(text).len(), 1, "{text}");
        }
    }

    #[test]
    fn ev_1_faults_beyond_limit_are_not_looked_for() {
        let text = format!("program: a\ncases:\n{}", "  - nme: x\n".repeat(MAX_FAULTS + 9));
        assert_eq!(faults(&text).len(), MAX_FAULTS);
    }
}
