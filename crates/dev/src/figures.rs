//! `cargo dev figures`: what one more of each thing costs when there are many already (GR-10).
//!
//! Decision: processor time and memory of the program as people start it, not the time that passes:
//! the disk and whoever else uses the machine decide that.

mod knowledge;
mod product;
mod programs;
mod served;
mod wire;

use crate::weight::{Measured, shipped};
use product::Product;
use std::path::PathBuf;

/// How much the cost of one may grow from the smallest size to the largest (GR-10).
const LIMIT: f64 = 1.3;

/// The cost of one more at each size.
struct Figure {
    name: &'static str,
    what: &'static str,
    unit: &'static str,
    /// The sizes of a quick run, and those that a whole one adds.
    quick: &'static [usize],
    whole: &'static [usize],
    measure: fn(&Product, &[usize]) -> Measured<Vec<f64>>,
}

const FIGURES: [Figure; 10] = [
    Figure {
        name: "chain",
        what: "a kept step of a chain of steps",
        unit: "µs",
        quick: &[1_000, 10_000],
        whole: &[100_000],
        measure: programs::chain,
    },
    Figure {
        name: "events",
        what: "an event of a kept run",
        unit: "µs",
        quick: &[1_000, 10_000, 100_000],
        whole: &[1_000_000],
        measure: programs::events,
    },
    Figure {
        name: "call",
        what: "showing one call of a run of so many events",
        unit: "ms",
        quick: &[1_000, 10_000, 100_000],
        whole: &[1_000_000],
        measure: programs::call,
    },
    Figure {
        name: "runs",
        what: "a run beside so many kept runs",
        unit: "ms",
        quick: &[1_000, 3_000],
        whole: &[10_000],
        measure: programs::runs,
    },
    Figure {
        name: "list",
        what: "listing the last 20 of so many runs",
        unit: "ms",
        quick: &[1_000, 3_000],
        whole: &[10_000],
        measure: programs::list,
    },
    Figure {
        name: "sections",
        what: "indexing a section of a pack",
        unit: "µs",
        quick: &[1_000, 10_000, 100_000],
        whole: &[],
        measure: knowledge::sections,
    },
    Figure {
        name: "question",
        what: "a question to a pack of so many sections, the start of the program included",
        unit: "ms",
        quick: &[1_000, 10_000, 100_000],
        whole: &[],
        measure: knowledge::questions,
    },
    Figure {
        name: "message",
        what: "adding a message to a context of so many",
        unit: "µs",
        quick: &[1_000, 10_000, 100_000],
        whole: &[1_000_000],
        measure: served::messages,
    },
    Figure {
        name: "page",
        what: "a page of 100 messages of a context of so many",
        unit: "µs",
        quick: &[1_000, 10_000, 100_000],
        whole: &[1_000_000],
        measure: served::pages,
    },
    Figure {
        name: "connection",
        what: "memory of an idle connection",
        unit: "KB",
        quick: &[1_000, 3_000, 10_000],
        whole: &[],
        measure: served::connections,
    },
];

/// Answers `cargo dev figures` with `arguments`.
pub(crate) fn run(arguments: &[&str]) -> Option<Measured<Vec<String>>> {
    if arguments == ["--list"] {
        let names = FIGURES.iter().map(|figure| format!("{:<12}{}", figure.name, figure.what));
        return Some(Ok(names.collect()));
    }
    let (mut is_whole, mut binary, mut chosen) = (false, None, Vec::new());
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match *word {
            "--whole" => is_whole = true,
            "--binary" => binary = Some(PathBuf::from(words.next()?)),
            name => chosen.push(FIGURES.iter().find(|figure| figure.name == name)?),
        }
    }
    if chosen.is_empty() {
        chosen.extend(&FIGURES);
    }
    Some(table(binary, &chosen, is_whole))
}

fn table(binary: Option<PathBuf>, figures: &[&Figure], is_whole: bool) -> Measured<Vec<String>> {
    let product = Product::new(binary.map_or_else(shipped, Ok)?)?;
    let mut lines = vec![
        format!("| figure | cost by size | largest beside smallest (limit {LIMIT}) |"),
        "|---|---|---|".to_owned(),
    ];
    for figure in figures {
        let mut sizes = figure.quick.to_vec();
        if is_whole {
            sizes.extend(figure.whole);
        }
        eprintln!("{}: {}", figure.name, figure.what);
        let costs = (figure.measure)(&product, &sizes)?;
        lines.push(row(figure, &sizes, &costs));
    }
    Ok(lines)
}

fn row(figure: &Figure, sizes: &[usize], costs: &[f64]) -> String {
    let unit = figure.unit;
    let each = sizes.iter().zip(costs).map(|(size, cost)| format!("{size}: {cost:.2} {unit}"));
    let each = each.collect::<Vec<_>>().join(", ");
    let growth = match costs {
        [first, .., last] => format!("{:.2}", last / first),
        _ => String::new(),
    };
    format!("| {} | {each} | {growth} |", figure.what)
}

#[cfg(test)]
mod tests {
    use super::{FIGURES, row, run};

    #[test]
    fn gr_10_figures_row_has_cost_of_each_size_and_growth() {
        let row = row(&FIGURES[0], &[1_000, 10_000], &[2.0, 3.0]);
        assert_eq!(
            row,
            "| a kept step of a chain of steps | 1000: 2.00 µs, 10000: 3.00 µs | 1.50 |"
        );
    }

    #[test]
    fn gr_10_figures_with_unknown_name_are_refused() {
        assert!(run(&["chains"]).is_none());
        assert!(run(&["--binary"]).is_none());
        let names = run(&["--list"]).unwrap().unwrap();
        assert_eq!(names.len(), FIGURES.len());
    }
}
