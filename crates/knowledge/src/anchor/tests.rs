use super::*;
use std::sync::Arc;

/// One file, whatever the path that is asked for.
struct Source(&'static str);

impl AnchorFiles for Source {
    fn has(&self, _: &str) -> bool {
        true
    }

    fn facts(&self, path: &str) -> Option<Arc<Facts>> {
        Some(Arc::new(Facts::of(path, self.0)))
    }
}

fn told(file: &str, fragment: &str, text: &'static str) -> Option<String> {
    let anchor = anchors(&format!("[source: {file}#{fragment}]")).remove(0);
    problem(&anchor, "compiled/a.md", &Source(text))
}

#[test]
fn kn_12_page_is_checked_against_page_count_of_source() {
    let missing = Some("`s.txt` has 2 pages, no page 4".to_owned());
    for two in ["one\u{c}two", "--- Page 1 ---\na\n--- Page 2 ---\nb", "第 1 页\n甲\n第2页\n乙"]
    {
        assert_eq!(told("s.txt", "page=2", two), None, "{two}");
        assert_eq!(told("s.txt", "page=4", two), missing, "{two}");
    }
    let pdf = "%PDF-1.4\n<< /Type /Pages /Count 1 >>\n<< /Type /Page >>";
    assert_eq!(told("s.pdf", "page=1", pdf), None);
    assert_eq!(told("s.pdf", "page=2", pdf).as_deref(), Some("`s.pdf` has 1 pages, no page 2"));
    // What says nothing of pages is taken at its word.
    assert_eq!(told("s.pdf", "page=4", "%PDF"), None);
    assert_eq!(told("s.txt", "page=4", "See page 2 of it."), None);
    assert_eq!(told("s.mp4", "page=4", "a\u{c}b"), None);
}

#[test]
fn kn_12_times_are_held_against_transcript() {
    let talk = "[00:00:05] Hello.\n00:12:30.000 --> 00:12:33.500\nBye.";
    assert_eq!(told("s.vtt", "t=00:12:33", talk), None);
    assert_eq!(told("s.md", "t=12:33,13:00", talk), None);
    let late = Some("the times in `s.md` end before 01:12:33".to_owned());
    assert_eq!(told("s.md", "t=01:12:33", talk), late);
    // A transcript without times, and a recording.
    assert_eq!(told("s.txt", "t=01:12:33", "At 12:30 we met."), None);
    assert_eq!(told("s.mp4", "t=01:12:33", talk), None);
}

#[test]
fn kn_12_time_in_markdown_that_marks_none_leads_nowhere() {
    let none = "`s.md` is Markdown and marks no times, so it has no 00:12:33";
    assert_eq!(told("s.md", "t=00:12:33", "# Part\n\nSee: 12, or 3:1.").as_deref(), Some(none));
    // Marks without hours say that there are times, and nothing is known of their end.
    assert_eq!(told("s.md", "t=00:12:33", "[12:30] We met."), None);
}

#[test]
fn ma_11_anchor_in_heading_that_leads_nowhere_is_marked() {
    let leads = |anchor: &Anchor| anchor.file == "compiled/real.md";
    for (heading, shown) in [
        ("Price [source: compiled/real.md#L1]", "Price [source: compiled/real.md#L1]"),
        ("Price [source: gone.md#L1]", "Price \\[source: gone.md#L1]"),
        (
            "Price [source: compiled/real.md; gone.md]",
            "Price \\[source: compiled/real.md; gone.md]",
        ),
        // The anchor of the section itself would close it.
        ("Price [source: compiled/real.md#L1", "Price \\[source: compiled/real.md#L1"),
        ("[Sources : x] and ［来源：y］", "\\[Sources : x] and \\［来源：y］"),
        ("\\[source: gone.md]", "\\[source: gone.md]"),
        ("Open [sourced] parts [1]", "Open [sourced] parts [1]"),
    ] {
        assert_eq!(without_forged(heading, leads), shown);
        assert!(anchors(&without_forged(heading, leads)).iter().all(leads), "{heading}");
    }
}
