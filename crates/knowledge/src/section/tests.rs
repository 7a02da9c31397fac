use super::*;
use proptest::prelude::*;

fn shown(path: &str, text: &str) -> Vec<(String, u32, u32, String)> {
    let piece = |s: SourceSection| {
        (s.heading, s.first_line, s.last_line, text.get(s.text).unwrap().to_owned())
    };
    sections(path, text).into_iter().map(piece).collect()
}

fn one(heading: &str, first: u32, last: u32, text: &str) -> (String, u32, u32, String) {
    (heading.to_owned(), first, last, text.to_owned())
}

#[test]
fn kn_9_markdown_is_split_at_headings() {
    let text = "before\n\n# A\n\none\ntwo\n\n## B\n\n- x\n- y\n\n# C\n\nend\n";
    assert_eq!(
        shown("wiki/page.md", text),
        [
            one("Page", 1, 1, "before"),
            one("A", 5, 6, "one\ntwo"),
            one("A > B", 10, 11, "- x\n- y"),
            one("C", 15, 15, "end"),
        ]
    );
}

#[test]
fn kn_9_code_quotes_lists_and_frontmatter_hold_no_headings() {
    let text = "---\ntitle: x\n---\n\n# A\n\n```\n# no\n```\n\n> # no\n\n- # no\n\n~~~\n## no\n~~~\n\n    # no\n";
    let found = shown("a.md", text);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].0.as_str(), found[0].1, found[0].2), ("x > A", 7, 19));
    assert!(found[0].3.ends_with("    # no"));
}

#[test]
fn kn_9_headings_of_every_form_are_read() {
    let text = "Title\n=====\n\na\n\nSub `code` **bold**\n---\n\nb\n\n### Deep ###\n\nc\n";
    let headings: Vec<String> = shown("a.md", text).into_iter().map(|s| s.0).collect();
    assert_eq!(headings, ["Title", "Title > Sub code bold", "Title > Sub code bold > Deep"]);
}

#[test]
fn kn_9_heading_with_nothing_under_it_is_section_when_nothing_is_below() {
    let text = "# A\n\n## Not supported\n\n## B\n\ntext\n";
    assert_eq!(
        shown("a.md", text),
        [one("A > Not supported", 3, 3, ""), one("A > B", 7, 7, "text")]
    );
}

#[test]
fn kn_9_plain_text_is_parted_at_blank_lines() {
    let long = "word ".repeat(190);
    let text = format!("first\nstill\n\n{long}\n\n{long}\n");
    let found = shown("sources/notes.txt", &text);
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].0, "Notes");
    assert!(found[0].3.starts_with("first\nstill\n\nword"));
    assert_eq!((found[1].1, found[1].2), (6, 6));
}

#[test]
fn kn_9_long_sections_are_parted_between_paragraphs() {
    let paragraph = "A sentence of some length, nothing else. ".repeat(11);
    let text = format!("# A\n\n{paragraph}\n\n{paragraph}\n\n{paragraph}\n");
    let found = shown("a.md", &text);
    assert_eq!(found.iter().map(|s| s.1).collect::<Vec<_>>(), [3, 7]);
    assert!(found.iter().all(|s| s.0 == "A"));
    let whole = format!("{}\n\n{}", paragraph.trim_end(), paragraph.trim_end());
    assert_eq!(found[0].3.replace(" \n", "\n"), whole);
}

#[test]
fn kn_11_text_ends_at_paragraphs_and_not_inside_code() {
    let text = "one\n\n```\na\n\nb\n```\n\nthree\n";
    let ends = paragraph_ends("a.md", text);
    let kept: Vec<&str> = ends.iter().map(|end| text.get(..*end).unwrap()).collect();
    assert_eq!(kept, ["one", "one\n\n```\na\n\nb\n```"]);
}

#[test]
fn kn_11_list_alone_is_cut_at_items() {
    let text = "- one\n  more\n- two\n- three\n";
    let ends = paragraph_ends("a.md", text);
    let kept: Vec<&str> = ends.iter().map(|end| text.get(..*end).unwrap()).collect();
    assert_eq!(kept, ["- one\n  more", "- one\n  more\n- two"]);
}

#[test]
fn kn_9_line_numbers_are_those_of_editors() {
    let lines = Lines::of("a\nb\n");
    assert_eq!((lines.count(), lines.number(0), lines.number(2), lines.number(99)), (2, 1, 2, 2));
    assert_eq!(Lines::of("").count(), 0);
    assert_eq!(Lines::of("x").count(), 1);
}

#[test]
fn kn_11_beginning_ends_with_section_or_paragraph() {
    let text = "# A\n\nOne.\n\nTwo.\n\n## B\n\nThree.\n\n# C\n\nFour.\n";
    let within = |most: usize| beginning("a.md", text, |text| text.len() <= most);
    let mark = |left: usize| format!("\n\n… [clipped: {left} of 3 sections]");
    assert_eq!(within(80), Some(format!("# A\n\nOne.\n\nTwo.\n\n## B\n\nThree.{}", mark(1))));
    assert_eq!(within(60), Some(format!("# A\n\nOne.\n\nTwo.{}", mark(2))));
    assert_eq!(within(44), Some(format!("# A\n\nOne.{}", mark(3))));
    assert_eq!(within(30), None);
    assert_eq!(beginning("a.json", "{\"a\":1}", |_| true), None);
    assert_eq!(beginning("a.md", "", |_| true), None);
}

proptest! {
    #[test]
    fn kn_9_sections_stand_in_their_text_in_order(
        text in "([#>`~|\\-*=] ?|[a-z你好]{1,6} ?|\n|\n\n|    |```\n|\r\n){0,60}",
        path in prop::sample::select(vec!["a.md", "b.txt"]),
    ) {
        let mut last = 0;
        let count = Lines::of(&text).count() as u32;
        for section in sections(path, &text) {
            prop_assert!(text.get(section.text.clone()).is_some());
            prop_assert!(section.text.start >= last);
            last = section.text.end;
            prop_assert!(section.first_line >= 1 && section.first_line <= section.last_line);
            prop_assert!(section.last_line <= count);
        }
        for end in paragraph_ends(path, &text) {
            prop_assert!(text.is_char_boundary(end) && end < text.len());
        }
    }

    #[test]
    fn kn_9_no_text_is_too_strange(text in any::<String>()) {
        for path in ["a.md", "b.txt"] {
            let _ = sections(path, &text);
            let _ = paragraph_ends(path, &text);
        }
    }
}

#[test]
fn ma_5_title_of_front_matter_is_outermost_heading() {
    let text = "---\ntitle: Zebrafish care\ndescription: Food and water\ntags: [fish, 鱼]\naliases:\n  - danio\n\
                date: 2026-05-01\nsidebar:\n  label: Zebras\n  order: 3\n---\nlead\n\n## Food\n\nTwice.\n";
    let found = sections("wiki/zc.md", text);
    let headings: Vec<&str> = found.iter().map(|s| s.heading.as_str()).collect();
    assert_eq!(headings, ["Zebrafish care", "Zebrafish care > Food"]);
    assert_eq!(
        found[0].about,
        "Zebrafish care\nFood and water\ndanio\nfish\n鱼\n2026-05-01\nZebras\n3"
    );
    assert_eq!(found[1].about, "");
    // A heading that repeats the title is not shown twice.
    let found = sections("a.md", "---\ntitle: Care\n---\n# care\n\ntext\n");
    assert_eq!(found[0].heading, "care");
    let found = sections("a.md", "---\ntitle: Care\n---\n# Fish\n\ntext\n");
    assert_eq!(found[0].heading, "Care > Fish");
}

#[test]
fn ma_5_page_of_front_matter_alone_is_section() {
    let found = sections("a.md", "---\ntitle: Care: \"all\" of it\ndescription: fish\n---\n");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].heading, "Care: \"all\" of it");
    assert!(found[0].about.ends_with("\nfish"), "{:?}", found[0].about);
    assert_eq!(sections("a.md", "---\n- a\n---\n"), []);
}

#[test]
fn ma_5_page_without_title_is_named_by_words() {
    let name = |path: &str| sections(path, "text\n")[0].heading.clone();
    assert_eq!(name("wiki/tank-setup_guide.md"), "Tank setup guide");
    assert_eq!(name("wiki/tanks/index.md"), "Tanks");
    assert_eq!(name("README.txt"), "README");
    assert_eq!(name("水槽.md"), "水槽");
}

#[test]
fn ma_5_imports_of_mdx_are_not_text() {
    let text = "---\ntitle: T\n---\nimport A from './a.astro';\nimport B from 'b'\n\nText.\n";
    let found = shown("a.mdx", text);
    assert_eq!(found[0].3, "Text.");
    assert!(shown("a.md", text)[0].3.starts_with("import A"));
}

#[test]
fn ma_5_statements_of_mdx_over_many_lines_are_not_text() {
    let text = "---\ntitle: T\n---\nimport {\n  Tabs,\n  Other,\n} from './a.astro';\n\nText.\n\n\
                export const meta = {\n  // don't\n  a: '}',\n\n    b: [1],\n};\n\nMore.\n";
    assert_eq!(shown("a.mdx", text), [one("T", 9, 9, "Text."), one("T", 18, 18, "More.")]);
    // Without its end a statement hides no more than its paragraph.
    assert_eq!(shown("a.mdx", "export const a = {\n\nText.\n"), [one("A", 3, 3, "Text.")]);
    let code = "```js\nimport {\n  a,\n} from 'b';\n{/* kept */}\n<!-- kept -->\n```";
    assert_eq!(shown("a.mdx", code), [one("A", 1, 7, code)]);
}

#[test]
fn ma_5_comments_of_markdown_are_not_text() {
    let texts = |path: &str, text: &str| -> Vec<String> {
        shown(path, text).into_iter().map(|section| section.3).collect()
    };
    let text = "# A\n\nOne.\n\n<!-- TODO internal:\n\n# no\n-->\n\nTwo. <!-- secret -->\nThree.\n\n\
                - x\n  <!-- y -->\n- z\n\n`<!-- code -->`\n\n    <!-- code -->\n";
    assert_eq!(
        texts("a.md", text),
        ["One.", "Two.", "Three.\n\n- x", "- z\n\n`<!-- code -->`\n\n    <!-- code -->"]
    );
    assert_eq!(texts("a.md", "# A\n\n<!-- x -->\n"), [""]);
    assert_eq!(texts("a.md", "<!-- open\n"), ["<!-- open"]);
    assert_eq!(
        texts("a.mdx", "One.\n\n{/* feldspar\n\nmore */}\n\nTwo `{/* a */}`.\n"),
        ["One.", "Two `{/* a */}`."]
    );
    assert_eq!(texts("a.md", "{/* text */}\n"), ["{/* text */}"]);
}

#[test]
fn ma_5_front_matter_in_toml_is_read() {
    let text = "+++\n# note\ntitle = \"Zebrafish care\"\ndescription = \"Food\"\ndate = 2026-05-01\n\
                aliases = [\"danio\"]\nlang = \"de\"\n[taxonomies]\ntags = [\"fish\"]\n+++\n\nlead\n";
    let found = sections("wiki/zc.md", text);
    assert_eq!(shown("wiki/zc.md", text), [one("Zebrafish care", 12, 12, "lead")]);
    assert_eq!(found[0].about, "Zebrafish care\nFood\ndanio\nfish\n2026-05-01");
    assert_eq!(page_title("wiki/zc.md", text), "Zebrafish care");
    assert_eq!(shown("a.md", "text\n\n+++\nx\n+++\n"), [one("A", 1, 5, "text\n\n+++\nx\n+++")]);
    assert_eq!(shown("a.md", "+++\nx = \n+++\n\nlead\n"), [one("A", 5, 5, "lead")]);
}

fn found(path: &str, text: &str) -> Vec<(String, String)> {
    let piece = |s: SourceSection| (s.heading, text.get(s.text).unwrap().to_owned());
    sections(path, text).into_iter().map(piece).collect()
}

fn pair(heading: &str, text: &str) -> (String, String) {
    (heading.to_owned(), text.to_owned())
}

#[test]
fn ma_4_restructured_text_is_parted_at_titles_of_every_form() {
    let text = "\
:orphan:

.. _start:

========
 Manual
========

Read on.

Using ``fish``
--------------

Feed them::

    Not a title
    -----------

.. code-block:: python

   # Title
   # =====

Tanks of :class:`~fish.Tank`
^^^^^^^^^^^^^^^^^^^^^^^^^^^^
Sixty litres.

====
设置
====

水温。
";
    assert_eq!(
        found("wiki/manual.rst", text),
        [
            pair("Manual", "Read on."),
            pair(
                "Manual > Using fish",
                "Feed them::\n\n    Not a title\n    -----------\n\n.. code-block:: python\n\n   # \
                 Title\n   # ====="
            ),
            pair("Manual > Using fish > Tanks of fish.Tank", "Sixty litres."),
            pair("设置", "水温。"),
        ]
    );
    assert_eq!(page_title("wiki/manual.rst", text), "Manual");
}

#[test]
fn ma_4_restructured_text_shows_no_directions_for_the_tool() {
    let text = "\
Care
====

.. toctree::
   :maxdepth: 2

   feeding

One.

.. a comment
   of two lines

.. include:: more.rst

.. note:: Keep this.

.. _site: https://example.com

.. meta::
   :description: Keeping danios
   :keywords: fish, water

Two.
";
    let all = found("care.rst", text);
    let shown: Vec<&str> = all.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(shown, ["One.", ".. note:: Keep this.\n\n.. _site: https://example.com", "Two."]);
    assert_eq!(sections("care.rst", text)[0].about, "Keeping danios\nfish, water");
}

#[test]
fn ma_4_long_directive_is_divided_and_code_is_not() {
    let words = "word ".repeat(120);
    let body =
        |name: &str| format!("Api\n===\n\n.. {name}::\n\n   {words}\n\n   {words}\n\n   {words}\n");
    assert_eq!(found("a.rst", &body("function")).len(), 3);
    assert_eq!(found("a.rst", &body("code-block")).len(), 1);
}

#[test]
fn ma_4_asciidoc_is_parted_at_titles_and_not_inside_blocks() {
    let text = "\
= Manual
:toc: left
:description: Keeping danios \\
  in a tank
:keywords: fish

Read on.

[[using]]
== Using `fish`

.A listing
[source,python]
----
== no title

== nor this
----

====
== Example

----
====
----
====

[#tanks]
=== Tanks of link:tank.html[glass]
Sixty litres.
// a comment
ifdef::site[]
Clean them.
endif::[]

Salt
~~~~

|===
|a |b

== c
|===
";
    assert_eq!(
        found("wiki/manual.adoc", text),
        [
            pair("Manual", "Read on."),
            pair(
                "Manual > Using fish",
                ".A listing\n[source,python]\n----\n== no title\n\n== nor this\n----\n\n====\n== \
                 Example\n\n----\n====\n----\n===="
            ),
            pair("Manual > Using fish > Tanks of glass", "Sixty litres."),
            pair("Manual > Using fish > Tanks of glass", "Clean them."),
            pair("Manual > Using fish > Salt", "|===\n|a |b\n\n== c\n|==="),
        ]
    );
    assert_eq!(sections("a.adoc", text)[0].about, "Keeping danios\nfish");
    assert_eq!(headings("a.adoc", text), ["Manual", "Using fish", "Tanks of glass", "Salt"]);
}

#[test]
fn ma_4_asciidoc_shows_no_code_that_is_elsewhere() {
    let text = "= A\n\n[source,java]\n----\ninclude::code/A.java[tag=x]\n----\n\nText.\n\ninclude::b.adoc[]\n\n\
                ////\nhidden\n////\n";
    assert_eq!(found("a.adoc", text), [pair("A", "Text.")]);
    let title = |words: &str| headings("a.adoc", &format!("= {words}\n"));
    assert_eq!(title("Uses javadoc:java.util.List[format=full]"), ["Uses java.util.List"]);
    assert_eq!(title("List [a] and a[0] [[list]]"), ["List [a] and a[0]"]);
    // A block that nothing ends hides nothing.
    assert_eq!(found("a.adoc", "= A\n\n----\ncode\n\n== B\n\nend\n").last().unwrap().0, "A > B");
}

#[test]
fn ma_4_source_code_is_parted_at_its_symbols() {
    let rust = "\
//! Fish.

use std::fmt;

/// A tank.
#[derive(Debug)]
pub struct Tank {
    litres: u32,
}

impl<T> fmt::Display for Tank<T>
where
    T: Clone,
{
    /// Writes it.
    fn fmt(&self) -> String
    where
        T: Copy,
    {
        fn inner() {}
        /* fn no() {}
        fn nor() {} */
        format!(\"src/*\")
    }

    const SIZE: u32 = 60;
}

pub(crate) async fn feed(
    times: u32,
) -> u32 {
    times
}
";
    assert_eq!(headings("src/tank.rs", rust), ["Tank", "fmt::Display for Tank<T>", "fmt", "feed"]);
    let all = found("src/tank.rs", rust);
    let names: Vec<&str> = all.iter().map(|(heading, _)| heading.as_str()).collect();
    assert_eq!(
        names,
        [
            "Tank",
            "Tank",
            "fmt::Display for Tank<T>",
            "fmt::Display for Tank<T> > fmt",
            "fmt::Display for Tank<T>",
            "feed"
        ]
    );
    assert_eq!(all[0].1, "//! Fish.\n\nuse std::fmt;");
    assert_eq!(all[1].1, "/// A tank.\n#[derive(Debug)]\npub struct Tank {\n    litres: u32,\n}");
    assert!(all[3].1.starts_with("    /// Writes it.") && all[3].1.ends_with("    }"));
    assert_eq!(all[4].1, "    const SIZE: u32 = 60;\n}");
}

#[test]
fn ma_4_symbols_of_each_language_are_found() {
    for (path, text, expected) in [
        (
            "a.py",
            "@cache\ndef f(\n    a,\n):\n    \"\"\"Text\n\ndef no():\n    \"\"\"\n\nclass A:\n    async def g(self): ...\nx = 1\n",
            &["f", "A", "g"][..],
        ),
        (
            "a.rb",
            "module M\n  class A\n    def b?\n      1\n    end\n  end\nend\n",
            &["M", "A", "b?"],
        ),
        ("a.lua", "local function f()\nend\nfunction m.g()\nend\n", &["f", "m.g"]),
        (
            "a.go",
            "type T struct {\n}\n\nfunc (t *T) Get() int {\n\tif x(1) {\n\t}\n}\nfunc New() {}\n",
            &["T", "T.Get", "New"],
        ),
        (
            "a.ts",
            "export const f = async (a: string) => {\n  g(() => {\n  });\n};\nexport default class A {\n  constructor (a) {\n  }\n}\nit('x', () => {\n});\n",
            &["f", "A", "constructor"],
        ),
        (
            "A.java",
            "@Entity\npublic class A<T> {\n  @Override\n  public <R> List<R> all(@Q(\"x\") String a,\n      int b) {\n    if (x(1)) {\n    }\n  }\n  String name(int x);\n}\n",
            &["A", "all", "name"],
        ),
        (
            "a.kt",
            "data class A(val x: Int) {\n  fun <T> String.f(): T {\n  }\n}\n",
            &["A", "String.f"],
        ),
        (
            "a.c",
            "struct a {\n    int b;\n};\nstruct a *make(void)\n{\n    return f(1);\n}\n#if X\nint main(void) {\n#endif\n}\n",
            &["a", "make", "main"],
        ),
        (
            "a.cpp",
            "template <typename T> struct A : B<T> {\n  void lock() const {}\n};\nstruct C : D {};\nclass EXPORTED Pool final {\n};\nPool::Pool(int a)\n    : a_(a)\n    , b_(a) {\n}\nstd::vector<int> E<F>::all(\n    int a,\n    int b)\n{\n    f(\n        1);\n}\nauto g(int a)\n    -> int {\n}\nbool operator==(A a, A b) {\n}\n",
            &["A", "lock", "C", "Pool", "Pool::Pool", "E::all", "g", "operator=="],
        ),
        (
            "a.cs",
            "public interface I<in T>\n    where T : A\n{\n    Task<R> Send<R>(T a,\n        Token b) where R : A;\n    IEnumerable<(A a, B b)> All(int x);\n}\npublic class C\n{\n    public static bool operator !=(C a, C b) => false;\n    void Run()\n    {\n        lock (x)\n        {\n        }\n    }\n}\n",
            &["I", "Send", "All", "C", "operator!=", "Run"],
        ),
        ("a.php", "class A {\n    public function &items() {\n    }\n}\n", &["A", "items"]),
        (
            "a.swift",
            "public struct A<T>: B where T: C {\n    public init(x: Int) {\n    }\n    @inlinable mutating func add(\n        _ x: Int\n    ) throws -> Int {\n    }\n}\nextension A {\n}\n",
            &["A", "init", "add", "A"],
        ),
        (
            "a.scala",
            "object A extends B {\n  private[a] def f[T](x: T): Int = {\n  }\n  case class C(x: Int)\n}\n",
            &["A", "f", "C"],
        ),
        ("a.sh", "# x\nrun() {\n  if [ a ]; then\n  fi\n}\n", &["run"]),
    ] {
        assert_eq!(headings(path, text), expected, "{path}");
    }
}

#[test]
fn ma_4_decorators_over_lines_lead_their_symbol() {
    let text = "x = 1\n\n# The route.\n@app.get(\n    \"/x\",\n\n    tags=[\n        1,\n    ],\n)\n\
                def read():\n    pass\n\n\n@plain\ndef other():\n    pass\n";
    let found = shown("a.py", text);
    let headings: Vec<_> = found.iter().map(|one| (one.0.as_str(), one.1, one.2)).collect();
    assert_eq!(headings, [("A", 1, 1), ("read", 3, 12), ("other", 15, 17)]);
    // A bracket that never ends hides no more than some lines.
    let text = format!("@a(\n{}def b():\n    pass\n", "x = 1\n".repeat(40));
    assert!(shown("a.py", &text).iter().any(|one| one.0 == "b"));
}

#[test]
fn ma_4_groups_and_quoted_names_are_symbols() {
    let go = "package a\n\n// Kinds.\ntype (\n\t// A is one.\n\tA struct {\n\t\tx int\n\t}\n\n\
              \tB = A\n\tF func(int) error\n)\n\nfunc G() {\n}\n";
    let of = |path: &str, text: &str| -> Vec<(String, u32, u32)> {
        shown(path, text).into_iter().map(|one| (one.0, one.1, one.2)).collect()
    };
    let line = |name: &str, first, last| (name.to_owned(), first, last);
    assert_eq!(
        of("a.go", go),
        [line("A", 1, 1), line("A", 3, 8), line("B", 10, 10), line("F", 11, 12), line("G", 14, 15)]
    );
    let ts = "declare module 'vue-router' {\n  interface A {\n    x: string\n  }\n}\n\
              module.exports = 1\n";
    let headings: Vec<_> = of("b.d.ts", ts).into_iter().map(|one| one.0).collect();
    assert_eq!(headings, ["vue-router", "vue-router > A", "vue-router", "B.d"]);
    let rust = "pub(crate) unsafe extern \"C\" fn call() {\n}\n";
    assert_eq!(of("a.rs", rust), [line("call", 1, 2)]);
}

#[test]
fn ma_4_code_without_symbols_is_named_by_its_file() {
    assert_eq!(found("a/set_up.py", "import x\nx.run()\n"), [pair("Set up", "import x\nx.run()")]);
    assert_eq!(generated_line("a.js", &"x".repeat(10_001)), Some(10_001));
    assert_eq!(generated_line("a.txt", &"x".repeat(10_001)), None);
}

proptest! {
    #[test]
    fn ma_4_every_text_is_parted_in_order_without_overlap(
        lines in proptest::collection::vec(
            prop_oneof![
                "[ =~.:/|\\[\\]a绿-]{0,9}",
                Just("----".to_owned()), Just("====".to_owned()), Just("--".to_owned()),
                Just(".. note::".to_owned()), Just("   in".to_owned()), Just("== T".to_owned()),
                Just("def f(".to_owned()), Just("impl<T> {".to_owned()), Just("}".to_owned()),
                Just("  int f(a) {".to_owned()), Just("A<(b, c)> f(".to_owned()), Just("class A:".to_owned()), Just("/*".to_owned()),
                Just(String::new()),
            ],
            0..30,
        ),
        end in "[a-c]{0,2}",
    ) {
        let text = format!("{}{end}", lines.join("\n"));
        for path in ["a.rst", "a.adoc", "a.md", "a.py", "a.rs", "a.rb", "a.ts", "a.java", "a.cpp"] {
            let mut last = 0;
            for section in sections(path, &text) {
                prop_assert!(section.text.start >= last && text.get(section.text.clone()).is_some());
                last = section.text.end;
            }
            let ends = paragraph_ends(path, &text);
            prop_assert!(ends.iter().all(|end| text.is_char_boundary(*end)));
        }
    }
}
