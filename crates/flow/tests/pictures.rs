//! Pictures of sets of many shapes: boxes do not overlap, texts fit, edges cross no box.
//!
//! `PICTURES=folder cargo test -p contexture-flow --test pictures` writes them there.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::too_many_lines,
    clippy::disallowed_methods,
    reason = "a test may fail, and writes its pictures where it is asked to"
)]

use contexture_flow::picture::Picture;
use contexture_flow::{Set, Step};
use contexture_protocol::content::{InstructionSet, Outcome, Status};
use contexture_protocol::{Limits, Millis};
use serde_json::json;

fn set(steps: impl IntoIterator<Item = (String, String, Vec<String>, Option<String>)>) -> Set {
    let mut set = Set::of_instructions(InstructionSet::default());
    set.steps = steps
        .into_iter()
        .map(|(id, action, dependencies, condition)| Step {
            dependencies,
            condition,
            ..Step::new(id, action)
        })
        .collect();
    set
}

/// Generates numbers that look random and are always the same.
fn numbers(mut seed: u32) -> impl FnMut(usize) -> usize {
    move |below| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as usize % below.max(1)
    }
}

fn layered(layers: usize, each: usize, degree: usize) -> Set {
    let mut next = numbers(7);
    set((0..layers * each).map(|n| {
        let layer = n / each;
        let mut before: Vec<String> = Vec::new();
        if layer > 0 {
            for _ in 0..degree {
                // Mostly near ones, as in real sets.
                let at = (n % each + each + next(5) - 2) % each;
                before.push(format!("step_{}", (layer - 1) * each + at));
            }
            if next(12) == 0 && layer > 2 {
                before.push(format!("step_{}", next((layer - 1) * each)));
            }
        }
        let actions = ["QUERY_DATA", "PROCESS_DATA", "ANALYZE_TREND", "agent:Writer.draft", "http"];
        let condition = (n % 9 == 4 && layer > 0)
            .then(|| format!("dependencies.{}.status == 'COMPLETED'", before[0]));
        (format!("step_{n}"), actions[next(5)].to_owned(), before, condition)
    }))
}

fn sales() -> Set {
    Set::parse(
        json!({"instructions": [
            {"instructionId": "inst_query", "action": "QUERY_DATA"},
            {"instructionId": "inst_process", "action": "PROCESS_DATA", "dependencies": ["inst_query"],
             "condition": "dependencies.inst_query.status == 'COMPLETED'"},
            {"instructionId": "inst_trend", "action": "ANALYZE_TREND", "dependencies": ["inst_process"]},
            {"instructionId": "inst_report", "action": "GENERATE_REPORT",
             "dependencies": ["inst_query", "inst_process", "inst_trend"]}]})
        .to_string()
        .as_bytes(),
        &Limits::FILE,
    )
    .unwrap()
}

fn chinese() -> Set {
    let one = |id: &str, action: &str, before: &[&str], condition: Option<&str>| {
        (
            id.to_owned(),
            action.to_owned(),
            before.iter().map(|id| (*id).to_owned()).collect(),
            condition.map(str::to_owned),
        )
    };
    set([
        one("查询最近三十天的销售数据", "QUERY_DATA", &[], None),
        one("按日期汇总", "处理数据", &["查询最近三十天的销售数据"], None),
        one(
            "分析趋势并找出异常的数据点以及它们的可能原因和影响",
            "ANALYZE_TREND",
            &["按日期汇总"],
            Some("dependencies.按日期汇总.result.异常 == true"),
        ),
        one(
            "WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW",
            "MMMMMMMMMMMMMMMMMMMMMMMMMMMM",
            &["按日期汇总"],
            None,
        ),
        one(
            "a_rather_long_name_of_a_step_that_somebody_wrote",
            "agent:Writer.draft_the_summary_of_the_month",
            &["按日期汇总"],
            None,
        ),
        one(
            "生成报告😀",
            "GENERATE_REPORT",
            &["分析趋势并找出异常的数据点以及它们的可能原因和影响", "按日期汇总"],
            None,
        ),
    ])
}

fn fan(count: usize) -> Set {
    let mut steps = vec![("start".to_owned(), "QUERY_DATA".to_owned(), Vec::new(), None)];
    steps.extend(
        (0..count)
            .map(|n| (format!("part_{n}"), "echo".to_owned(), vec!["start".to_owned()], None)),
    );
    steps.push((
        "join".to_owned(),
        "GENERATE_REPORT".to_owned(),
        (0..count).map(|n| format!("part_{n}")).collect(),
        None,
    ));
    set(steps)
}

fn chain(count: usize) -> Set {
    set((0..count).map(|n| {
        let before = if n == 0 { Vec::new() } else { vec![format!("step_{}", n - 1)] };
        (format!("step_{n}"), "echo".to_owned(), before, None)
    }))
}

fn alone(count: usize) -> Set {
    set((0..count).map(|n| (format!("job_{n}"), "sleep".to_owned(), Vec::new(), None)))
}

/// Creates a set in which any earlier step may be a dependency.
fn wild(count: usize) -> Set {
    let mut next = numbers(3);
    set((0..count).map(|n| {
        let before = (0..next(3)).filter(|_| n > 0).map(|_| format!("s{}", next(n))).collect();
        (format!("s{n}"), "tool".to_owned(), before, None)
    }))
}

fn outcomes(set: &Set) -> Vec<Outcome> {
    let mut next = numbers(11);
    set.steps
        .iter()
        .map(|step| {
            let status = match next(14) {
                0 => Status::Failed,
                1 => Status::Timeout,
                2 | 3 => Status::Skipped,
                _ => Status::Completed,
            };
            let took = Millis::from(next(4_000) as u64);
            Outcome { execution_time: Some(took), ..Outcome::new(step.id.as_str(), status) }
        })
        .collect()
}

fn all() -> Vec<(&'static str, Set)> {
    vec![
        ("sales", sales()),
        ("chinese", chinese()),
        ("layered_40", layered(8, 5, 2)),
        ("layered_400", layered(20, 20, 3)),
        ("wide_400", layered(4, 100, 3)),
        ("fan_400", fan(398)),
        ("fan_40", fan(38)),
        ("chain_40", chain(40)),
        ("chain_400", chain(400)),
        ("alone_400", alone(400)),
        ("wild_40", wild(40)),
        ("wild_400", wild(400)),
    ]
}

#[derive(Debug, Clone, Copy)]
struct Rect {
    x: f64,
    y: f64,
    w: f64,
    h: f64,
}

fn number(line: &str, name: &str) -> f64 {
    let start = line.find(&format!(" {name}=\"")).unwrap() + name.len() + 3;
    line[start..].split('"').next().unwrap().parse().unwrap()
}

fn boxes(svg: &str) -> Vec<Rect> {
    let lines = svg.lines().filter(|line| line.starts_with("<g>"));
    lines
        .map(|line| {
            let line = &line[line.find("<rect").unwrap()..];
            Rect {
                x: number(line, "x"),
                y: number(line, "y"),
                w: number(line, "width"),
                h: number(line, "height"),
            }
        })
        .collect()
}

/// Returns points along the curves of all edges.
fn curves(svg: &str) -> Vec<Vec<(f64, f64)>> {
    let paths = svg.lines().filter(|line| line.starts_with("<path d=\"M") && line.contains('C'));
    paths
        .map(|line| {
            let d = line.split('"').nth(1).unwrap();
            let values: Vec<f64> =
                d.split(|c: char| "MCL ".contains(c)).filter_map(|n| n.parse().ok()).collect();
            let at = |t: f64, i: usize| {
                let u = 1.0 - t;
                u * u * u * values[i]
                    + 3.0 * u * u * t * values[i + 2]
                    + 3.0 * u * t * t * values[i + 4]
                    + t * t * t * values[i + 6]
            };
            let mut points: Vec<(f64, f64)> =
                (0..=40).map(|n| f64::from(n) / 40.0).map(|t| (at(t, 0), at(t, 1))).collect();
            if values.len() > 8 {
                let (x, y) = (values[6], values[7]);
                points.extend(
                    (1..=10)
                        .map(|n| f64::from(n) / 10.0)
                        .map(|t| (x + t * (values[8] - x), y + t * (values[9] - y))),
                );
            }
            points
        })
        .collect()
}

#[test]
fn fl_13_boxes_do_not_overlap_and_edges_avoid_them() {
    let folder = std::env::var("PICTURES").ok();
    for (name, set) in all() {
        for (when, picture) in
            [("plan", Picture::plan(&set)), ("run", Picture::after(&set, outcomes(&set)))]
        {
            let svg = picture.svg().unwrap();
            if let Some(folder) = &folder {
                std::fs::write(format!("{folder}/{name}_{when}.svg"), &svg).unwrap();
                std::fs::write(format!("{folder}/{name}_{when}.txt"), picture.text()).unwrap();
                std::fs::write(format!("{folder}/{name}_{when}.mmd"), picture.mermaid()).unwrap();
                std::fs::write(format!("{folder}/{name}_{when}.dot"), picture.dot()).unwrap();
            }
            let (wide, high) = (number(&svg, "width"), number(&svg, "height"));
            let boxes = boxes(&svg);
            assert_eq!(boxes.len(), set.steps.len(), "{name}");
            for (index, one) in boxes.iter().enumerate() {
                assert!(
                    one.x >= 10.0
                        && one.y >= 10.0
                        && one.x + one.w <= wide - 10.0
                        && one.y + one.h <= high - 10.0,
                    "{name} {when}: {one:?} in {wide} x {high}"
                );
                for other in &boxes[index + 1..] {
                    let apart = one.x + one.w + 5.0 < other.x
                        || other.x + other.w + 5.0 < one.x
                        || one.y + one.h + 5.0 < other.y
                        || other.y + other.h + 5.0 < one.y;
                    assert!(apart, "{name} {when}: {one:?} {other:?}");
                }
            }
            for curve in curves(&svg) {
                for (x, y) in curve {
                    let hit = boxes.iter().find(|b| {
                        x > b.x + 1.5 && x < b.x + b.w - 1.5 && y > b.y + 1.5 && y < b.y + b.h - 1.5
                    });
                    assert!(hit.is_none(), "{name} {when}: an edge at {x} {y} runs over {hit:?}");
                }
            }
        }
    }
}

#[test]
fn fl_13_sides_are_in_proportion() {
    for (name, most) in [
        ("fan_400", 3.0),
        ("alone_400", 3.0),
        ("layered_400", 4.0),
        ("layered_40", 4.0),
        ("wild_400", 1.6),
    ] {
        let set = all().into_iter().find(|(known, _)| *known == name).unwrap().1;
        let svg = Picture::plan(&set).svg().unwrap();
        let (wide, high) = (number(&svg, "width"), number(&svg, "height"));
        assert!(wide / high < most && high / wide < most, "{name}: {wide} x {high}");
    }
}
