//! The formatter keeps meaning and comments and is idempotent, on specimens and on generated
//! programs with white space and comments in every allowed place.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::disallowed_methods,
    reason = "a test that can't go on has failed"
)]

use contexture_context::Limits;
use contexture_diagnostic::SourceFile;
use contexture_script::format::format;
use contexture_script::syntax::ast::Item;
use contexture_script::syntax::{Parsed, json, parse};
use proptest::prelude::*;
use serde_json::Value;

fn parsed(text: &str) -> (SourceFile, Parsed) {
    let source = SourceFile::new("t.as", text);
    let parsed = parse(&source, &Limits::default());
    (source, parsed)
}

/// Returns the tree without positions.
fn meaning(text: &str) -> Value {
    let (source, parsed) = parsed(text);
    let mut tree = json::to_json(&parsed.file, &source);
    strip(&mut tree);
    tree
}

fn strip(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.shift_remove("span");
            fields.values_mut().for_each(strip);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}

fn comments(text: &str) -> Vec<String> {
    let (source, parsed) = parsed(text);
    let all = parsed.tokens.iter().filter(|token| token.is_comment());
    all.map(|token| source.slice(token.span).trim_end().to_owned()).collect()
}

fn check_format(text: &str) {
    let (source, tree) = parsed(text);
    let once = match format(&source, &Limits::default()) {
        Ok(once) => once,
        Err(faults) => {
            assert!(!tree.is_valid());
            assert!(!faults.is_empty());
            return;
        }
    };
    let again = format(&SourceFile::new("t.as", once.as_str()), &Limits::default());
    let again = again.unwrap_or_else(|faults| panic!("{faults:?}\n{text}\n=>\n{once}"));
    assert_eq!(once, again, "not idempotent:\n{text}");
    assert_eq!(meaning(text), meaning(&once), "meaning:\n{text}\n=>\n{once}");
    assert_eq!(comments(text), comments(&once), "comments:\n{text}");
    let long_texts = text.contains("\"\"\"") || text.contains("'''");
    for line in once.lines() {
        assert!(long_texts || line.trim_end() == line, "blanks at the end: {line:?}");
    }
}

#[test]
fn as_31_specimens_keep_their_meaning() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/specimens");
    for area in ["diagnostics", "syntax", "format", "migrate"] {
        for entry in std::fs::read_dir(root.join(area)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "as") {
                check_format(&std::fs::read_to_string(path).unwrap());
            }
        }
    }
}

/// A generator of programs from a list of choices. `~` is a place for white space and comments,
/// including line breaks; a blank is white space on the same line.
struct Maker<'a> {
    choices: &'a [u16],
    at: usize,
    out: String,
    depth: usize,
}

impl Maker<'_> {
    fn pick(&mut self, count: u16) -> u16 {
        let choice = self.choices.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        choice % count
    }

    fn gap(&mut self) {
        let gap = match self.pick(24) {
            0 => "\n",
            1 => "  ",
            2 => " // c\n",
            3 => "\n-- d\n",
            4 => "\n\n\n/// e\n\n",
            5 => "\r\n",
            6 => " // f\n // g\n",
            _ => " ",
        };
        self.out.push_str(gap);
    }

    fn text(&mut self, text: &str) {
        for (index, part) in text.split('~').enumerate() {
            if index > 0 {
                self.gap();
            }
            self.out.push_str(part);
        }
    }

    fn program(&mut self) {
        for _ in 0..=self.pick(4) {
            match self.pick(6) {
                0 => self.text("import~tool~Find~from~\"sh://find\"~"),
                1 => self.text("role~\"a\"~description~'b'~"),
                2 => self.used(),
                3 => {
                    self.text("agent~Worker~{~");
                    for _ in 0..self.pick(3) {
                        self.function();
                    }
                    self.text("}~");
                }
                _ => self.function(),
            }
        }
    }

    /// Makes the statements of a file (TY-7).
    fn script(&mut self) {
        for _ in 0..=self.pick(4) {
            self.statement();
        }
    }

    fn function(&mut self) {
        match self.pick(3) {
            0 => self.text("main~func~(~input~{~a~:~string~,~b~list[~number~]~,~}~)~"),
            1 => self.text("func~f~(~a~,~b~integer~)~"),
            _ => self.text("func~名~(~)~"),
        }
        self.block();
        self.gap();
    }

    fn block(&mut self) {
        self.text("{~");
        self.depth += 1;
        if self.depth < 6 {
            for _ in 0..self.pick(4) {
                self.statement();
            }
        }
        self.depth -= 1;
        self.text("}");
    }

    fn used(&mut self) {
        self.text("use~");
        if self.pick(3) == 0 {
            self.text("one of~{~a~:~x.y max 2k selected~,~b~:~empty~}");
        } else {
            self.expr();
        }
        match self.pick(6) {
            4 => {
                self.text(" max 2k for ");
                self.expr();
            }
            5 => self.text(" for x.y~keep tail as \"quoted\""),
            0 => self.text(" max 2k"),
            1 => self.text(" max 2k chars keep tail priority -3 as two  words\n"),
            2 => self.text(" as \"quoted\""),
            _ => {}
        }
        self.gap();
    }

    fn statement(&mut self) {
        match self.pick(12) {
            0 => self.text("return "),
            1 => self.text("return\n"),
            2 => {
                self.text("if~");
                self.expr();
                self.gap();
                self.block();
                if self.pick(2) == 0 {
                    self.text("~else~if~x~");
                    self.block();
                }
                if self.pick(2) == 0 {
                    self.text("~else~");
                    self.block();
                }
                self.gap();
                return;
            }
            3 => {
                self.text("loop~until~");
                self.expr();
                self.text("~max~3~");
                self.block();
                self.gap();
                return;
            }
            4 => {
                self.text("for~x~in~");
                self.expr();
                self.text("~max~n~");
                self.block();
                self.gap();
                return;
            }
            5 => {
                self.text("repeat~*~");
                self.expr();
                self.gap();
                self.block();
                self.gap();
                return;
            }
            6 => return self.used(),
            7 => self.text("model Q\nx.y[0].z~+=~"),
            8 => self.text("o[\"k\"]~-=~"),
            _ => self.text("x~=~"),
        }
        self.expr();
        self.gap();
    }

    fn expr(&mut self) {
        self.depth += 1;
        if self.depth > 7 {
            self.text("x");
        } else {
            self.compound();
        }
        self.depth -= 1;
    }

    fn compound(&mut self) {
        match self.pick(22) {
            0 => self.text("none"),
            1 => self.text("-9223372036854775808"),
            2 => self.text("'it is'"),
            3 => self.text("\"\"\"\n  long\n    text\n  \"\"\""),
            4 => self.text("[]"),
            5 => self.text("{~}"),
            6 => self.listed("[~", "~]", false),
            7 => self.listed("{~a~:~", "~}", true),
            8 => {
                self.text("(~");
                self.expr();
                self.text("~)");
            }
            9 => {
                self.text("not~");
                self.expr();
            }
            10 => {
                self.text("- ");
                self.expr();
            }
            11..=14 => {
                let signs =
                    ["+", "-", "*", "/", "%", "<", "<=", "==", "!=", ">", ">=", "and", "or"];
                self.expr();
                let sign = signs[usize::from(self.pick(13))];
                self.text(&std::format!("~{sign}~"));
                self.expr();
            }
            15 => self.text("x~.~y~.~z"),
            16 => self.listed("f(~", "~)", false),
            17 => {
                self.text("x.m({~a: ");
                self.expr();
                self.text("~})[~0~]");
            }
            18 => {
                self.text("generate({~input:~");
                self.expr();
                self.text("~,~debug: true~,~})");
                if self.pick(2) == 0 {
                    self.text("~->~{~ok boolean,~n?:~list[~string~]~,~k \"a\"~|~\"b\"~}");
                }
            }
            19 => {
                self.text("try~");
                self.block();
                self.text("~else~err~");
                self.block();
            }
            20 => {
                self.text("parallel~for~x~in~xs~max~3~");
                self.block();
            }
            _ => self.text("a_long_name_so_that_lines_grow_too_long"),
        }
    }

    fn listed(&mut self, open: &str, close: &str, keyed: bool) {
        self.text(open);
        self.expr();
        for index in 0..self.pick(3) {
            self.text("~,~");
            if keyed {
                self.text(&std::format!("\"k{index}\"~:~"));
            }
            self.expr();
        }
        if self.pick(3) == 0 {
            self.text("~,");
        }
        self.text(close);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn as_31_generated_programs_keep_their_meaning(choices in proptest::collection::vec(any::<u16>(), 0..400)) {
        let mut maker = Maker { choices: &choices, at: 0, out: String::new(), depth: 0 };
        maker.program();
        check_format(&maker.out);
    }

    #[test]
    fn ty_7_statements_after_declarations_keep_their_meaning(choices in proptest::collection::vec(any::<u16>(), 0..400)) {
        let mut maker = Maker { choices: &choices, at: 0, out: String::new(), depth: 0 };
        maker.program();
        maker.script();
        check_format(&maker.out);
    }

    #[test]
    fn ty_7_statements_alone_mean_what_they_mean_in_main(choices in proptest::collection::vec(any::<u16>(), 0..200)) {
        let mut maker = Maker { choices: &choices, at: 0, out: String::new(), depth: 0 };
        maker.script();
        let alone = maker.out;
        let within = std::format!("main func(input) {{\n{alone}\n}}");
        let (alone_tree, within_tree) = (parsed(&alone).1, parsed(&within).1);
        prop_assert_eq!(alone_tree.is_valid(), within_tree.is_valid(), "{}", alone);
        let uses_alone = alone_tree.file.items.iter().all(|item| !matches!(item, Item::Func(_)));
        // Settings right before the first `use` or statement are those of the file, and `use`s
        // alone are not statements of a program.
        if alone_tree.is_valid() && !uses_alone && alone_tree.file.items.len() == 1 {
            prop_assert_eq!(meaning(&alone), meaning(&within), "{}", alone);
        }
    }
}

#[test]
fn as_31_most_generated_programs_are_valid() {
    let mut valid = 0;
    for seed in 0_u64..200 {
        let mut state = seed * 7919 + 1;
        let choices: Vec<u16> = (0..300)
            .map(|_| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                u16::try_from(state >> 48).unwrap()
            })
            .collect();
        let mut maker = Maker { choices: &choices, at: 0, out: String::new(), depth: 0 };
        maker.program();
        check_format(&maker.out);
        valid += usize::from(parsed(&maker.out).1.is_valid());
    }
    assert!(valid > 100, "{valid}");
}
