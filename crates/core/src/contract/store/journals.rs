//! The contract of [`Journals`] (WA-3).

use crate::store::journals::{JournalLines, Journals};
use std::sync::Arc;

/// Makes a place without journals.
pub type Make<'m> = dyn Fn() -> Arc<dyn Journals> + 'm;

fn write(mut lines: Box<dyn JournalLines>, texts: &[&str]) {
    for text in texts {
        lines.append(&format!("{text}\n")).unwrap();
    }
    lines.sync().unwrap();
}

pub fn wa_3_lines_of_journal_are_read_back_and_gone_on_with(make: &Make<'_>) {
    let journals = make();
    let place = journals.place("run_1");
    assert!(!place.exists());
    assert!(place.open().is_err());
    write(place.create().unwrap(), &["{\"a\": 1}", "{\"text\": \"你好\"}"]);
    assert!(place.exists() && !place.is_open());
    assert_eq!(place.read().unwrap(), "{\"a\": 1}\n{\"text\": \"你好\"}\n".as_bytes());
    let (before, lines) = journals.place("run_1").open().unwrap();
    assert_eq!(before, place.read().unwrap());
    write(lines, &["{}"]);
    assert_eq!(place.read().unwrap(), [&*before, b"{}\n"].concat());
}

pub fn wa_3_journal_is_begun_once(make: &Make<'_>) {
    let journals = make();
    write(journals.place("run_1").create().unwrap(), &["{}"]);
    // It may be told with the first lines.
    let again = journals.place("run_1").create();
    assert!(again.is_err() || again.is_ok_and(|lines| lines.sync().is_err()));
    assert_eq!(journals.place("run_1").read().unwrap(), b"{}\n");
}

pub fn wa_3_removed_journal_is_gone(make: &Make<'_>) {
    let journals = make();
    for run in ["run_1", "run_2"] {
        write(journals.place(run).create().unwrap(), &["{}"]);
    }
    assert_eq!(journals.ids().unwrap(), ["run_2", "run_1"]);
    journals.place("run_1").remove();
    // It need not be gone when that returns, but before what comes next.
    write(journals.place("run_3").create().unwrap(), &["{}"]);
    assert_eq!(journals.ids().unwrap(), ["run_3", "run_2"]);
    assert!(!journals.place("run_1").exists());
}
