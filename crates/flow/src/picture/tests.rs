use super::*;
use crate::set::{Kind, Mode, Step};
use contexture_protocol::Millis;

fn set(steps: &[(&str, &[&str])]) -> Set {
    let steps = steps.iter().map(|(id, dependencies)| Step {
        dependencies: dependencies.iter().map(|id| (*id).to_owned()).collect(),
        ..Step::new(*id, "act")
    });
    Set {
        kind: Kind::Instructions,
        mode: Mode::Parallel,
        steps: steps.collect(),
        timeout: None,
        frontend_timeout: None,
        backend_timeout: None,
        pointer: String::new(),
        unused: Vec::new(),
        form: None,
    }
}

fn outcome(id: &str, status: Status, millis: u64) -> Outcome {
    Outcome { execution_time: Some(Millis::from(millis)), ..Outcome::new(id, status) }
}

#[test]
fn fl_13_run_shows_status_time_and_critical_path() {
    let set = set(&[("a", &[]), ("b", &["a"]), ("c", &["a"]), ("d", &["b", "c"])]);
    let outcomes = [
        outcome("a", Status::Completed, 10),
        outcome("b", Status::Completed, 5),
        outcome("c", Status::Completed, 1_500),
        outcome("d", Status::Skipped, 0),
    ];
    let picture = Picture::after(&set, outcomes);
    assert_eq!(
        picture.text(),
        "✓ a  act  COMPLETED 10.0 ms  (critical)\n\
         ├─ ✓ b  act  COMPLETED 5.0 ms\n\
         │  └─ ↳ d\n\
         └─ ✓ c  act  COMPLETED 1.50 s  (critical)\n   \
            └─ – d  act  SKIPPED\n"
    );
    let mermaid = picture.mermaid();
    assert!(mermaid.contains("n2[\"c<br/>act<br/>COMPLETED 1.50 s\"]:::completed"), "{mermaid}");
    assert!(mermaid.contains("linkStyle 1 stroke-width:4px"), "{mermaid}");
    assert!(mermaid.contains("    class n0,n2 critical\n    classDef critical "), "{mermaid}");
    assert!(picture.dot().contains("n0 -> n2 [penwidth=3];"));
    let svg = picture.svg().unwrap();
    assert_eq!(svg.matches("stroke=\"#0969da\"").count(), 4);
}

#[test]
fn fl_13_names_are_escaped() {
    let hostile = "a\"]; <script>&#\\\n\u{202e}{x}|`";
    let set = set(&[(hostile, &[]), ("b", &[hostile])]);
    let picture = Picture::plan(&set);
    let mermaid = picture.mermaid();
    assert_eq!(mermaid.lines().count(), 4, "{mermaid}");
    assert!(mermaid.contains(
        "n0[\"a#34;#93;#59; #60;script#62;#38;#35;#92;��#123;x#125;#124;#96;<br/>act\"]"
    ));
    assert!(picture.dot().contains("label=\"a\\\"]; <script>&#\\\\��{x}|`\\nact\""));
    let svg = picture.svg().unwrap();
    assert!(svg.contains("a&quot;]; &lt;script&gt;&amp;#\\��{x}|`"), "{svg}");
    assert!(!svg.contains("<script"));
    assert!(picture.text().starts_with("a\"]; <script>&#\\��{x}|`  act\n└─ b  act\n"));
}

#[test]
fn fl_13_mermaid_reads_no_formula_icon_or_line_break_in_name() {
    let set = set(&[("$$x$$ fa:fa-car C:\\new", &[])]);
    let mermaid = Picture::plan(&set).mermaid();
    assert!(
        mermaid
            .contains("n0[\"$\u{2060}$x$\u{2060}$ fa:\u{2060}fa-car C:#92;\u{2060}new<br/>act\"]"),
        "{mermaid}"
    );
}

#[test]
fn fl_13_sets_with_faults_are_drawn() {
    let set = set(&[("a", &["b"]), ("b", &["a"]), ("c", &["nowhere", "c"]), ("c", &[])]);
    let picture = Picture::plan(&set);
    assert_eq!(picture.text(), "c  act\nc  act\nin or after a cycle:\n   a  act\n   b  act\n");
    assert!(picture.svg().is_ok());
}

#[test]
fn fl_13_large_sets_are_drawn_or_refused() {
    let ids: Vec<String> = (0..6_000).map(|number| format!("s{number}")).collect();
    let names: Vec<[&str; 1]> = ids.iter().map(|id| [id.as_str()]).collect();
    let chain: Vec<(&str, &[&str])> = (ids.iter().enumerate())
        .map(|(index, id)| {
            let before: &[&str] = if index == 0 { &[] } else { &names[index - 1] };
            (id.as_str(), before)
        })
        .collect();
    let picture = Picture::plan(&set(&chain));
    assert_eq!(picture.svg(), Err(PictureError::TooLarge(6_000)));
    assert_eq!(picture.text().lines().count(), 6_000);
    assert!(picture.text().len() < 6_000 * 200);
    assert!(Picture::plan(&set(&chain[..500])).svg().is_ok());
    assert_eq!(Picture::plan(&set(&[])).text(), "");
}

#[test]
fn fl_13_step_with_many_dependencies_is_drawn_in_linear_time() {
    let ids: Vec<String> = (0..100_000).map(|number| format!("s{number}")).collect();
    let mut steps: Vec<(&str, &[&str])> = ids.iter().map(|id| (id.as_str(), &[][..])).collect();
    let all: Vec<&str> = ids.iter().map(String::as_str).collect();
    steps.push(("sink", &all));
    let text = Picture::plan(&set(&steps)).text();
    assert_eq!(text.lines().count(), 200_000);
    assert!(text.ends_with("s99999  act\n└─ sink  act\n"));
}
