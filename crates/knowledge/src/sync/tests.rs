//! Packs made of folders and files, and kept in step.

use super::*;
use crate::support::Place;
use std::collections::BTreeMap;
use std::fs;

const CARE: &str =
    "# Care\n\nFeed the fish twice a day.\n\n## Water\n\nChange a third each week.\n";

/// A place with a folder `docs` of two pages.
fn docs() -> Place {
    let place = Place::new();
    place.write("docs/care.md", CARE);
    place.write("docs/guide/tank.mdx", "# Tank\n\nAt least 60 litres.\n");
    place
}

fn add_docs(place: &Place) -> Result<SyncReport, SyncError> {
    let sources = [place.path("docs")];
    let new = NewSource { name: "fish", sources: &sources, ..NewSource::default() };
    add(&new, &place.path("packs"), &place.path(""), &NoWeb)
}

fn sync(place: &Place) -> Result<SyncReport, SyncError> {
    SyncedPack::open(&place.path("packs/fish"), &place.path("")).unwrap().unwrap().sync(&NoWeb, &[])
}

fn counts(report: &SyncReport) -> [usize; 4] {
    [report.added, report.changed, report.removed, report.unchanged]
}

fn skipped(report: &SyncReport) -> Vec<(&str, &str)> {
    report.skipped.iter().map(|one| (one.path.as_str(), one.reason.as_str())).collect()
}

/// Returns the files of the pack with their text.
fn files(place: &Place) -> BTreeMap<String, String> {
    let names = walk::pages(&place.path("packs/fish")).into_keys();
    let text = |name: &String| fs::read(place.path(&format!("packs/fish/{name}"))).unwrap();
    names.map(|name| (name.clone(), String::from_utf8_lossy(&text(&name)).into_owned())).collect()
}

#[test]
fn ma_4_folder_becomes_pack_with_its_paths() {
    let place = docs();
    place.write("docs/logo.png", b"\x89PNG");
    place.write("docs/.git/config", "hidden");
    place.write("docs/node_modules/x/readme.md", "# X");
    let report = add_docs(&place).unwrap();
    assert_eq!(report.read, ["care.md", "guide/tank.mdx"]);
    assert_eq!((report.sections, counts(&report)), (3, [2, 0, 0, 0]));
    assert_eq!(
        skipped(&report),
        [
            (".git/", "hidden files and folders are not part of a pack"),
            (
                "logo.png",
                "`.png` files are not read; `contexture knowledge sync --help` lists what is"
            ),
            ("node_modules/", "installed modules are not part of a pack"),
        ]
    );
    assert_eq!(fs::read_to_string(place.path("packs/fish/wiki/care.md")).unwrap(), CARE);
    let checked = crate::maintenance::validate(&place.path("packs/fish"), &Default::default());
    let checked = checked.unwrap();
    assert!(checked.ok, "{:#?}", checked.findings);
    let item = crate::maintenance::read_properties(&place.path("packs/fish"), &Default::default());
    assert_eq!(item.unwrap().description, "The pages of `docs`: Care, Tank.");
}

const IGNORED: &str = ".gitignore leaves it out; to read it, name it as a source";
const HIDDEN: &str = "hidden files and folders are not part of a pack";

#[test]
fn ma_4_what_gitignore_names_is_skipped_and_told() {
    let place = docs();
    // The rules of the repository above count, and nearer ones count more.
    fs::create_dir(place.path(".git")).unwrap();
    place.write(".gitignore", "site/\n*.log.md\n");
    place.write("docs/.gitignore", "/guide/*.mdx\n!guide/tank.mdx\n!kept.log.md\n");
    for path in ["site/a.md", "site/b/c.md", "guide/old.mdx", "run.log.md", "kept.log.md"] {
        place.write(&format!("docs/{path}"), "# Page\n");
    }
    let report = add_docs(&place).unwrap();
    assert_eq!(report.read, ["care.md", "guide/tank.mdx", "kept.log.md"]);
    assert_eq!(
        skipped(&report),
        [
            (".gitignore", HIDDEN),
            ("guide/old.mdx", IGNORED),
            ("run.log.md", IGNORED),
            ("site/", IGNORED),
        ]
    );
    // A rule that is gone lets its pages in, a new one takes them out.
    place.write(".gitignore", "*.mdx\n");
    fs::remove_file(place.path("docs/.gitignore")).unwrap();
    let report = sync(&place).unwrap();
    assert_eq!(counts(&report), [3, 0, 1, 2]);
    assert_eq!(report.read, ["care.md", "kept.log.md", "run.log.md", "site/a.md", "site/b/c.md"]);
}

#[test]
fn ma_4_named_source_is_read_though_gitignore_names_it() {
    let place = docs();
    fs::create_dir(place.path(".git")).unwrap();
    place.write(".gitignore", "docs\n");
    place.write("docs/.gitignore", "guide\n");
    let report = add_docs(&place).unwrap();
    assert_eq!(report.read, ["care.md"]);
    assert_eq!(skipped(&report), [(".gitignore", HIDDEN), ("guide/", IGNORED)]);
    let sources = [place.path("docs/guide/tank.mdx")];
    let new = NewSource { name: "tank", sources: &sources, ..NewSource::default() };
    let report = add(&new, &place.path("packs"), &place.path(""), &NoWeb).unwrap();
    assert_eq!(report.read, ["tank.mdx"]);
}

#[test]
fn ma_4_rules_that_are_too_large_are_not_followed_and_told() {
    let place = docs();
    place.write("docs/.gitignore", "care.md\n".repeat((1 << 20) / 8 + 1));
    let report = add_docs(&place).unwrap();
    assert_eq!(report.read, ["care.md", "guide/tank.mdx"]);
    let reason = "its rules are not followed: it has more than 1 MiB";
    assert_eq!(skipped(&report), [(".gitignore", reason)]);
}

#[test]
fn ma_4_sync_touches_only_what_changed() {
    let place = docs();
    add_docs(&place).unwrap();
    let time = |page: &str| {
        fs::metadata(place.path(&format!("packs/fish/wiki/{page}"))).unwrap().modified().unwrap()
    };
    let (care, tank) = (time("care.md"), time("guide/tank.mdx"));
    assert_eq!(counts(&sync(&place).unwrap()), [0, 0, 0, 2]);

    std::thread::sleep(std::time::Duration::from_millis(25));
    place.write("docs/guide/tank.mdx", "# Tank\n\nAt least 80 litres.\n");
    place.write("docs/new.txt", "Salt.\n");
    let report = sync(&place).unwrap();
    assert_eq!((counts(&report), report.sections), ([1, 1, 0, 1], 4));
    assert_eq!(time("care.md"), care);
    assert!(time("guide/tank.mdx") > tank);

    // Written again with the same text: the page stays.
    place.write("docs/care.md", CARE);
    assert_eq!(counts(&sync(&place).unwrap()), [0, 0, 0, 3]);
    assert_eq!(time("care.md"), care);

    fs::remove_dir_all(place.path("docs/guide")).unwrap();
    let report = sync(&place).unwrap();
    assert_eq!(counts(&report), [0, 0, 1, 2]);
    assert_eq!(report.read, ["care.md", "new.txt"]);
    assert!(!place.path("packs/fish/wiki/guide").exists());
    assert_eq!(time("care.md"), care);
}

/// Writes a file of the source with a time of an hour ago, as a copy that keeps times does.
#[cfg(unix)]
fn write_old(place: &Place, path: &str, text: &str) {
    let hour_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(3_600);
    let whole_seconds = hour_ago.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(whole_seconds / 60 * 60);
    place.write(path, text);
    let file = fs::File::options().write(true).open(place.path(path)).unwrap();
    file.set_modified(time).unwrap();
}

#[cfg(unix)]
#[test]
fn ma_4_file_of_the_same_size_and_time_with_another_text_is_read() {
    let place = docs();
    write_old(&place, "docs/care.md", "# Care\n\nFeed them twice.\n");
    add_docs(&place).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(25));
    write_old(&place, "docs/care.md", "# Care\n\nFeed them never.\n");
    assert_eq!(counts(&sync(&place).unwrap()), [0, 1, 0, 1]);
    let page = fs::read_to_string(place.path("packs/fish/wiki/care.md")).unwrap();
    assert_eq!(page, "# Care\n\nFeed them never.\n");
}

#[test]
fn ma_4_record_that_lost_lines_is_refused() {
    let place = docs();
    add_docs(&place).unwrap();
    let record = place.path("packs/fish/wiki/.source.jsonl");
    let text = fs::read_to_string(&record).unwrap();
    let (first, _) = text.trim_end().rsplit_once('\n').unwrap();
    fs::write(&record, format!("{first}\n")).unwrap();
    let error = sync(&place).unwrap_err();
    assert_eq!(error.kind().code, "KN5005");
    assert!(error.to_string().contains("it names 1 files, expected 2"), "{error}");
    // Half of a line.
    fs::write(&record, &text.as_bytes()[..text.len() - 20]).unwrap();
    assert!(sync(&place).unwrap_err().to_string().contains("line 3: "));
}

#[test]
fn ma_4_page_that_another_file_takes_is_made_again() {
    let place = docs();
    place.write("docs/sizes.csv", "species,litres\nzebrafish,60\n");
    add_docs(&place).unwrap();
    // `sizes.csv` and `sizes.csv.md` have the same page; the first in order keeps it.
    place.write("docs/sizes.csv.md", "# Mine\n");
    let report = sync(&place).unwrap();
    assert_eq!(counts(&report), [0, 0, 0, 3]);
    let reason = "another file of the source has the page `sizes.csv.md`";
    assert_eq!(skipped(&report), [("sizes.csv.md", reason)]);
    fs::remove_file(place.path("docs/sizes.csv")).unwrap();
    let report = sync(&place).unwrap();
    assert_eq!((counts(&report), skipped(&report)), ([0, 0, 1, 2], vec![("sizes.csv.md", reason)]));
}

#[test]
fn ma_4_page_that_was_changed_or_removed_comes_back() {
    let place = docs();
    add_docs(&place).unwrap();
    place.write("packs/fish/wiki/care.md", "changed by hand");
    fs::remove_file(place.path("packs/fish/wiki/guide/tank.mdx")).unwrap();
    place.write("packs/fish/wiki/notes.md", "# Mine\n");
    place.write("docs/notes.md", "# Theirs\n");
    let report = sync(&place).unwrap();
    assert_eq!(counts(&report), [1, 1, 0, 0]);
    assert_eq!(
        skipped(&report),
        [("notes.md", "the pack has a page of its own at `wiki/notes.md`")]
    );
    assert_eq!(fs::read_to_string(place.path("packs/fish/wiki/care.md")).unwrap(), CARE);
    assert_eq!(fs::read_to_string(place.path("packs/fish/wiki/notes.md")).unwrap(), "# Mine\n");
}

#[test]
fn ma_4_vanished_source_leaves_pack_as_it_was() {
    let place = docs();
    add_docs(&place).unwrap();
    let before = files(&place);
    fs::rename(place.path("docs"), place.path("gone")).unwrap();
    let error = sync(&place).unwrap_err();
    assert_eq!((error.kind().code, error.is_input()), ("KN5001", false));
    assert!(error.to_string().ends_with("can't be read: No such file or directory"), "{error}");
    let after: BTreeMap<_, _> =
        files(&place).into_iter().filter(|(name, _)| name != LOCK).collect();
    assert_eq!(after, before);
}

#[test]
fn ma_4_texts_that_cannot_be_read_are_told() {
    let place = docs();
    place.write("docs/latin.md", b"caf\xe9\n");
    place.write("docs/utf16.txt", b"\xff\xfeh\0i\0");
    place.write("docs/nul.txt", "a\0b");
    place.write("docs/empty.md", " \n");
    place.write("docs/KNOWLEDGE.md", "---\nname: x\n---\n");
    let large = fs::File::create(place.path("docs/large.md")).unwrap();
    large.set_len(1 << 30).unwrap();
    let report = add_docs(&place).unwrap();
    assert_eq!(
        skipped(&report),
        [
            ("KNOWLEDGE.md", "it is the guide of a pack; add that pack itself"),
            ("empty.md", "it has no text"),
            (
                "large.md",
                "it has 1073741824 bytes, the limit is 16777216; divide it, or add a part of it"
            ),
            ("latin.md", "it is not UTF-8 text: byte 3 is invalid; convert it to UTF-8"),
            ("nul.txt", "it is not text: it has NUL characters"),
            ("utf16.txt", "it is not UTF-8 text: byte 0 is invalid; convert it to UTF-8"),
        ]
    );
    assert_eq!(sync(&place).unwrap().skipped, report.skipped);
}

#[cfg(unix)]
#[test]
fn ma_4_links_that_lead_out_are_skipped() {
    use std::os::unix::fs::symlink;
    let place = docs();
    place.write("secret.md", "# Secret\n");
    let link = |to: &str, name: &str| symlink(to, place.path(&format!("docs/{name}"))).unwrap();
    link("../secret.md", "out.md");
    link("guide/tank.mdx", "inside.mdx");
    link("guide", "again");
    link("loop.md", "loop.md");
    link("none.md", "none.md2");
    let report = add_docs(&place).unwrap();
    assert_eq!(report.read, ["care.md", "guide/tank.mdx", "inside.mdx"]);
    assert_eq!(
        skipped(&report),
        [
            ("again", "the symlink leads to a folder of the source, which is read where it is"),
            ("loop.md", "the symlink leads to itself"),
            ("none.md2", "the symlink leads to nothing"),
            ("out.md", "the symlink leads out of the source; add what it leads to as a source"),
        ]
    );
}

#[test]
fn ma_4_several_sources_are_told_apart_by_their_names() {
    let place = docs();
    place.write("more/care.md", "# More care\n");
    place.write("single.txt", "One file.\n");
    let sources = [place.path("docs"), place.path("more"), place.path("single.txt")];
    let new = NewSource { name: "fish", sources: &sources, ..NewSource::default() };
    let report = add(&new, &place.path("packs"), &place.path(""), &NoWeb).unwrap();
    assert_eq!(
        report.read,
        ["docs/care.md", "docs/guide/tank.mdx", "more/care.md", "single.txt/single.txt"]
    );
    // The same pack with one source: its pages lie elsewhere.
    let report = add_docs(&place).unwrap();
    assert_eq!(counts(&report), [2, 0, 4, 0]);

    let twice = [place.path("docs"), place.path("other/docs")];
    place.write("other/docs/a.md", "# A\n");
    let new = NewSource { name: "two", sources: &twice, ..NewSource::default() };
    let error = add(&new, &place.path("packs"), &place.path(""), &NoWeb).unwrap_err();
    assert_eq!((error.kind().code, error.is_input()), ("KN5007", true));
}

#[test]
fn ma_4_what_cannot_be_a_pack_leaves_nothing() {
    let place = Place::new();
    place.write("docs/a.png", "png");
    let error = add_docs(&place).unwrap_err();
    assert_eq!(error.kind().code, "KN5002");
    assert!(error.to_string().starts_with("nothing in the source can be read: `a.png`: "));
    assert_eq!(fs::read_dir(place.path("packs")).unwrap().count(), 0);

    place.pack("packs/fish");
    place.write("docs/a.md", "# A\n");
    assert_eq!(add_docs(&place).unwrap_err().kind().code, "KN5003");
    let names = ["../x", "A", ""];
    for name in names {
        let new = NewSource { name, sources: &[place.path("docs")], ..NewSource::default() };
        let error = add(&new, &place.path("packs"), &place.path(""), &NoWeb).unwrap_err();
        assert_eq!(error.kind().code, "KN4201", "{name}");
    }
}

#[test]
fn ma_4_sources_outside_the_base_are_told() {
    let place = docs();
    place.write("project/a.md", "# A\n");
    let open = |name: &str| {
        SyncedPack::open(&place.path(&format!("packs/{name}")), &place.path("project")).unwrap()
    };
    for (name, source) in [("in", "project"), ("out", "docs")] {
        let new = NewSource { name, sources: &[place.path(source)], ..NewSource::default() };
        add(&new, &place.path("packs"), &place.path("project"), &NoWeb).unwrap();
    }
    assert_eq!(open("in").unwrap().outside(), [""; 0].map(PathBuf::from));
    assert_eq!(open("out").unwrap().outside(), [place.path("docs").canonicalize().unwrap()]);
    // A record can't reach out with dots.
    let record = place.path("packs/in/wiki/.source.jsonl");
    let text = fs::read_to_string(&record).unwrap().replace("\".\"", "\"../docs\"");
    fs::write(&record, text).unwrap();
    assert_eq!(open("in").unwrap().outside().len(), 1);
    fs::write(&record, "{").unwrap();
    let error = SyncedPack::open(&place.path("packs/in"), &place.path("project")).unwrap_err();
    assert_eq!(error.kind().code, "KN5005");
}

#[test]
fn ma_4_two_syncs_at_once_follow_each_other() {
    let place = docs();
    add_docs(&place).unwrap();
    place.write("docs/new.md", "# New\n");
    let held = lock(&place.path("packs/fish").join(LOCK), Duration::ZERO).unwrap().unwrap();
    std::thread::scope(|scope| {
        let other = scope.spawn(|| sync(&place));
        std::thread::sleep(Duration::from_millis(50));
        assert!(!place.path("packs/fish/wiki/new.md").exists());
        drop(held);
        assert_eq!(counts(&other.join().unwrap().unwrap()), [1, 0, 0, 2]);
    });
}

#[test]
fn ma_4_leftovers_of_a_killed_sync_are_no_part_of_the_pack_and_go() {
    let place = docs();
    add_docs(&place).unwrap();
    place.write("packs/fish/.sync-abc/wiki/half.md", "# Half\n");
    let names = |place: &Place| {
        let found = crate::discovery::discover(
            &crate::discovery::Roots { explicit: vec![place.path("packs")], ..Default::default() },
            &Default::default(),
        );
        let files = found.open("fish").unwrap().files().unwrap();
        files.into_iter().map(|file| file.path).collect::<Vec<_>>()
    };
    let pages = ["KNOWLEDGE.md", "wiki/care.md", "wiki/guide/tank.mdx"];
    assert_eq!(names(&place), pages);
    sync(&place).unwrap();
    assert_eq!(names(&place), pages);
    assert!(!place.path("packs/fish/.sync-abc").exists());
}

#[cfg(feature = "formats")]
#[test]
fn ma_4_files_of_other_formats_become_markdown_pages() {
    let place = docs();
    place.write("docs/price-list.csv", "name,price\ntea,3\n");
    place.write("docs/api.json", "{\"name\": \"api\", \"limit\": 5}");
    place.write("docs/bad.json", "{");
    place.write(
        "docs/nb.ipynb",
        "{\"cells\": [{\"cell_type\": \"markdown\", \"source\": \"# Fit\"}]}",
    );
    place.write("docs/page.html", "<h1>Page</h1>");
    place.write("docs/page.html.md", "# Mine\n");
    place.write("docs/scan.pdf", "no pdf");
    let report = add_docs(&place).unwrap();
    let told = skipped(&report);
    assert_eq!(told[0].0, "bad.json");
    assert!(told[0].1.starts_with("it is damaged: it is not JSON: "), "{told:?}");
    assert_eq!(told[1], ("page.html.md", "another file of the source has the page `page.html.md`"));
    assert_eq!(told[2].0, "scan.pdf");
    let files = files(&place);
    let page = |name: &str| files[&format!("wiki/{name}")].as_str();
    assert!(page("price-list.csv.md").starts_with("# Price list\n\n## Rows 1 to 1\n"));
    assert_eq!(page("api.json.md"), "# Api\n\n- name: api\n- limit: 5\n");
    assert_eq!((page("nb.ipynb.md"), page("page.html.md")), ("# Fit\n", "# Page\n"));
    assert_eq!(counts(&sync(&place).unwrap()), [0, 0, 0, 6]);
}

/// A web of one page, whose text is that of a file.
struct OnePage(PathBuf);

impl Web for OnePage {
    fn mirror(&self, address: &str, into: &Path) -> Result<Vec<Missed>, SyncError> {
        let text = fs::read(&self.0).map_err(|error| SyncError::Source {
            source_path: address.to_owned(),
            reason: error.to_string(),
        })?;
        fs::write(into.join("page.md"), text).unwrap();
        Ok(vec![Skipped::new("https://e.org/gone", "answered 404").into()])
    }
}

#[test]
fn ma_4_pages_of_the_web_are_external_and_stay_when_it_is_gone() {
    let place = docs();
    let web = OnePage(place.write("server.md", "# Page\n"));
    let sources = [PathBuf::from("https://e.org/sitemap.xml")];
    let new = NewSource { name: "fish", sources: &sources, ..NewSource::default() };
    let report = add(&new, &place.path("packs"), &place.path(""), &web).unwrap();
    assert_eq!((counts(&report), skipped(&report)[0].0), ([1, 0, 0, 0], "https://e.org/gone"));
    let guide = fs::read_to_string(place.path("packs/fish/KNOWLEDGE.md")).unwrap();
    assert!(guide.contains("\ntrust: external\n"), "{guide}");
    let pack = SyncedPack::open(&place.path("packs/fish"), &place.path("")).unwrap().unwrap();
    assert_eq!(pack.outside(), sources);
    assert_eq!(counts(&pack.sync(&web, &[]).unwrap()), [0, 0, 0, 1]);
    fs::remove_file(&web.0).unwrap();
    assert_eq!(pack.sync(&web, &[]).unwrap_err().kind().code, "KN5001");
    assert!(place.path("packs/fish/wiki/page.md").is_file());

    // Nor does a sync raise them, whatever the guide says by then.
    place.write("server.md", "# Page\n");
    place.write("packs/fish/KNOWLEDGE.md", guide.replace("trust: external", "trust: official"));
    assert_eq!(pack.sync(&web, &[]).unwrap_err().kind().code, "KN5007");

    // A pack of another trust takes no pages of the web.
    place.write("server.md", "# Page\n");
    let new = NewSource { name: "own", ..new };
    let files = NewSource { sources: &[place.path("docs")], ..new.clone() };
    add(&files, &place.path("packs"), &place.path(""), &NoWeb).unwrap();
    let error = add(&new, &place.path("packs"), &place.path(""), &web).unwrap_err();
    assert_eq!(error.kind().code, "KN5007");
}

#[test]
fn ma_5_places_that_synced_pages_name_in_vain_are_warnings() {
    let place = docs();
    place.write(
        "docs/links.md",
        "# L\n\n[a](care.md#none) [b](care.md#nor) [ok](care.md#feeding)\n",
    );
    place.write("docs/cites.md", "# C\n\nSalt. [source: wiki/care.md#nowhere]\n");
    place.write("docs/care.md", "# Care\n\n## Feeding\n\nTwice.\n");
    add_docs(&place).unwrap();
    let found = || {
        let checked = crate::maintenance::validate(&place.path("packs/fish"), &Default::default());
        let told = |one: crate::Finding| format!("{} {}", one.code, one.message);
        let checked = checked.unwrap();
        (checked.ok, checked.findings.into_iter().map(told).collect::<Vec<_>>())
    };
    let (ok, told) = found();
    assert!(ok, "{told:?}");
    assert_eq!(
        told,
        [
            "KN4017 `wiki/care.md#nowhere` names a place that the pack does not have",
            "KN4017 `care.md#none` names a place that the pack does not have; so does 1 other link",
        ]
    );
    // A page that is the person's own is held to it.
    place.write("packs/fish/wiki/own.md", "# O\n\n[a](care.md#none)\n");
    let (ok, told) = found();
    assert!(!ok && told.iter().any(|one| one.starts_with("KN4005")), "{told:?}");
}

#[test]
fn ma_4_page_that_is_not_answered_now_stays_and_one_that_is_gone_goes() {
    struct Site(&'static [(&'static str, &'static str)]);
    impl Web for Site {
        fn mirror(&self, _: &str, into: &Path) -> Result<Vec<Missed>, SyncError> {
            let mut missed = Vec::new();
            for (page, text) in self.0 {
                let skipped = Skipped::new(format!("https://e.org/{page}"), *text);
                match *text {
                    "404" => missed.push(skipped.into()),
                    "503" => {
                        let paths = vec![format!("{page}.html"), format!("{page}.md")];
                        missed.push(Missed { skipped, paths });
                    }
                    _ => fs::write(into.join(format!("{page}.md")), text).unwrap(),
                }
            }
            Ok(missed)
        }
    }
    let place = docs();
    let sources = [PathBuf::from("https://e.org/sitemap.xml")];
    let new = NewSource { name: "fish", sources: &sources, ..NewSource::default() };
    let all = Site(&[("a", "# A\n"), ("b", "# B\n"), ("c", "# C\n")]);
    add(&new, &place.path("packs"), &place.path(""), &all).unwrap();
    let pack = SyncedPack::open(&place.path("packs/fish"), &place.path("")).unwrap().unwrap();

    let report =
        pack.sync(&Site(&[("a", "# A\n"), ("b", "503"), ("c", "404"), ("d", "503")]), &[]).unwrap();
    assert_eq!((counts(&report), report.sections), ([0, 0, 1, 2], 2));
    assert_eq!(report.read, ["a.md"]);
    assert_eq!(
        skipped(&report),
        [
            ("https://e.org/b", "503; the page of the last sync stays"),
            ("https://e.org/c", "404"),
            ("https://e.org/d", "503"),
        ]
    );
    let pages = walk::pages(&place.path("packs/fish/wiki"));
    assert!(pages.contains_key("b.md") && !pages.contains_key("c.md"), "{pages:?}");
    // It is compared with what it was once it is there again.
    assert_eq!(
        counts(&pack.sync(&Site(&[("a", "# A\n"), ("b", "# B\n")]), &[]).unwrap()),
        [0, 0, 0, 2]
    );
    let report = pack.sync(&Site(&[("a", "# A\n"), ("b", "# Other\n")]), &[]).unwrap();
    assert_eq!(counts(&report), [0, 1, 0, 1]);
}

#[test]
#[cfg(feature = "formats")]
fn ma_4_file_that_is_damaged_keeps_its_last_page() {
    let place = docs();
    place.write("docs/sizes.json", "{\"litres\": 60}");
    add_docs(&place).unwrap();
    place.write("docs/sizes.json", "{\"litres\": 6");
    for _ in 0..2 {
        let report = sync(&place).unwrap();
        assert_eq!((counts(&report), report.read.len()), ([0, 0, 0, 3], 2));
        let [(path, reason)] = skipped(&report)[..] else { panic!("{:?}", report.skipped) };
        assert_eq!(path, "sizes.json");
        assert!(reason.ends_with("; the page of the last sync stays"), "{reason}");
    }
    let page = || fs::read_to_string(place.path("packs/fish/wiki/sizes.json.md")).unwrap();
    assert!(page().contains("litres: 60"), "{}", page());
    place.write("docs/sizes.json", "{\"litres\": 65}");
    assert_eq!(counts(&sync(&place).unwrap()), [0, 1, 0, 2]);
    assert!(page().contains("litres: 65"), "{}", page());
}

#[test]
fn ma_4_source_without_any_page_leaves_pack_as_it_was() {
    let place = docs();
    add_docs(&place).unwrap();
    fs::remove_dir_all(place.path("docs")).unwrap();
    fs::create_dir(place.path("docs")).unwrap();
    let error = sync(&place).unwrap_err();
    assert_eq!(
        (error.kind().code, error.to_string().as_str()),
        ("KN5002", "nothing in the source can be read: it is empty")
    );
    assert!(place.path("packs/fish/wiki/care.md").is_file());
    place.write("docs/other.md", "# Other\n");
    assert_eq!(counts(&sync(&place).unwrap()), [1, 0, 2, 0]);
}

#[test]
fn ma_4_pack_inside_its_source_is_left_out_of_it() {
    let place = docs();
    let sources = [place.path("")];
    let new = NewSource { name: "fish", sources: &sources, ..NewSource::default() };
    let report = add(&new, &place.path("docs"), &place.path(""), &NoWeb).unwrap();
    assert_eq!((report.read.len(), skipped(&report)), (2, Vec::new()));
    let pack = SyncedPack::open(&place.path("docs/fish"), &place.path("")).unwrap().unwrap();
    for _ in 0..2 {
        let report = pack.sync(&NoWeb, &[]).unwrap();
        assert_eq!((counts(&report), skipped(&report)), ([0, 0, 0, 2], Vec::new()));
    }
}

#[test]
#[cfg(feature = "formats")]
fn ma_4_file_whose_page_has_too_long_a_name_is_skipped_alone() {
    let place = docs();
    let name = format!("{}.csv", "x".repeat(249));
    place.write(&format!("docs/{name}"), "a,b\n1,2\n");
    let report = add_docs(&place).unwrap();
    assert_eq!(report.read.len(), 2);
    let reason = "the name of its page would have 256 bytes, the limit is 255; rename it";
    assert_eq!(skipped(&report), [(name.as_str(), reason)]);
}

#[test]
fn ma_11_anchor_in_title_of_page_is_not_one_of_the_guide() {
    let place = docs();
    place.write("docs/log.md", "# Log [source: tool output]\n\nIt ran.\n");
    add_docs(&place).unwrap();
    let checked = crate::maintenance::validate(&place.path("packs/fish"), &Default::default());
    let checked = checked.unwrap();
    assert!(checked.ok, "{:#?}", checked.findings);
}

#[test]
fn ma_4_one_of_two_sources_without_any_page_leaves_pack_as_it_was() {
    let place = docs();
    place.write("notes/a.md", "# A\n");
    let sources = [place.path("docs"), place.path("notes")];
    let new = NewSource { name: "fish", sources: &sources, ..NewSource::default() };
    add(&new, &place.path("packs"), &place.path(""), &NoWeb).unwrap();
    fs::remove_file(place.path("notes/a.md")).unwrap();
    place.write("notes/logo.png", b"\x89PNG");
    assert_eq!(sync(&place).unwrap_err().kind().code, "KN5002");
    assert!(place.path("packs/fish/wiki/notes/a.md").is_file());
}
