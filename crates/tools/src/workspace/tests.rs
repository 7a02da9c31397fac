use crate::support::Fixture;
use crate::workspace::{FileError, WorkspacePath};
use contexture_core::policy::paths::Access;
use proptest::prelude::*;

const LIMIT: u64 = 1 << 20;

fn read(fixture: &Fixture, path: &str) -> Result<String, FileError> {
    let path = fixture.workspace().resolve(path)?;
    fixture.workspace().read_text(&path, LIMIT)
}

fn write(fixture: &Fixture, path: &str, text: &str) -> Result<String, FileError> {
    let path = fixture.workspace().resolve(path)?;
    Ok(fixture.workspace().replace(&path, text.as_bytes())?.path.to_string())
}

fn code<T: std::fmt::Debug>(result: Result<T, FileError>) -> &'static str {
    result.unwrap_err().code()
}

#[test]
fn as_25_paths_are_tidied_by_name() {
    let fixture = Fixture::new();
    for (path, expected) in [
        ("a.txt", "a.txt"),
        ("./a/./b.txt", "a/b.txt"),
        ("a//b/", "a/b"),
        ("a/../b.txt", "b.txt"),
        ("a/b/../../c", "c"),
        (".", "."),
        ("./", "."),
        ("a/..", "."),
        ("../workspace/a.txt", "a.txt"),
        ("~/a", "~/a"),
        ("目录/文件.md", "目录/文件.md"),
        ("a b/c'd", "a b/c'd"),
    ] {
        assert_eq!(fixture.workspace().resolve(path).unwrap().as_str(), expected, "{path}");
    }
    let absolute = fixture.root().join("x/y.txt");
    let absolute = fixture.workspace().resolve(absolute.to_str().unwrap()).unwrap();
    assert_eq!(absolute.as_str(), "x/y.txt");
}

#[test]
fn as_2_imports_start_from_folder_of_their_file() {
    let fixture = Fixture::new();
    let folder = fixture.workspace().resolve("agents/sub").unwrap();
    let resolve = |path| fixture.workspace().resolve_from(&folder, path);
    assert_eq!(resolve("./a.as").unwrap().as_str(), "agents/sub/a.as");
    assert_eq!(resolve("../../top.as").unwrap().as_str(), "top.as");
    assert_eq!(code(resolve("../../../top.as")), "path_outside_workspace");
}

#[test]
fn as_25_paths_outside_are_refused() {
    let fixture = Fixture::new();
    for path in ["..", "../x", "a/../../x", "/etc/passwd", "/", "../workspace2/a", "../.."] {
        let error = fixture.workspace().resolve(path).unwrap_err();
        assert_eq!(error, FileError::Outside(path.to_owned()));
        assert!(error.to_string().contains(path), "{error}");
    }
    assert_eq!(code(fixture.workspace().resolve("")), "path_invalid");
    assert_eq!(code(fixture.workspace().resolve("a\0b")), "path_invalid");
}

#[cfg(unix)]
#[test]
fn as_25_symlinks_are_not_followed_out() {
    let fixture = Fixture::new();
    std::fs::create_dir(fixture.outside().join("secret")).unwrap();
    std::fs::write(fixture.outside().join("secret/key"), "k").unwrap();
    fixture
        .put("real/a.txt", "inside")
        .link("../../secret/key", "real/key")
        .link("../secret", "folder")
        .link(fixture.outside().join("secret/key"), "absolute")
        .link("real", "inner")
        .link("loop2", "loop1")
        .link("loop1", "loop2")
        .link("nowhere", "dangling");
    assert_eq!(read(&fixture, "inner/a.txt").unwrap(), "inside");
    for path in ["real/key", "folder/key", "absolute", "inner/key"] {
        assert_eq!(code(read(&fixture, path)), "path_outside_workspace", "{path}");
        assert_eq!(code(write(&fixture, path, "x")), "path_outside_workspace", "{path}");
    }
    assert_eq!(code(write(&fixture, "folder/new", "x")), "path_outside_workspace");
    for path in ["loop1", "dangling"] {
        assert_eq!(code(read(&fixture, path)), "path_symlink", "{path}");
        assert_eq!(code(write(&fixture, path, "x")), "path_symlink", "{path}");
    }
    assert_eq!(std::fs::read_to_string(fixture.outside().join("secret/key")).unwrap(), "k");
    assert_eq!(std::fs::read_dir(fixture.outside().join("secret")).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn as_25_folder_swapped_for_symlink_is_not_followed() {
    let fixture = Fixture::new();
    fixture.put("folder/a.txt", "inside");
    std::fs::write(fixture.outside().join("a.txt"), "outside").unwrap();
    let path = fixture.workspace().resolve("folder/a.txt").unwrap();
    std::fs::remove_dir_all(fixture.root().join("folder")).unwrap();
    fixture.link("..", "folder");
    assert_eq!(code(fixture.workspace().read_text(&path, LIMIT)), "path_outside_workspace");
    assert!(fixture.workspace().replace(&path, b"x").is_err());
    assert_eq!(std::fs::read_to_string(fixture.outside().join("a.txt")).unwrap(), "outside");
}

#[cfg(unix)]
#[test]
fn as_25_workspace_named_through_symlink_takes_both_absolute_names() {
    let fixture = Fixture::new();
    fixture.put("a.txt", "x");
    let link = fixture.outside().join("link");
    std::os::unix::fs::symlink(fixture.root(), &link).unwrap();
    let workspace = super::Workspace::open(&link).unwrap();
    for root in [link.as_path(), fixture.root()] {
        let path = root.join("a.txt");
        let path = workspace.resolve(path.to_str().unwrap()).unwrap();
        assert_eq!(path.as_str(), "a.txt");
    }
}

#[cfg(unix)]
#[test]
fn as_25_only_regular_files_are_read_and_written() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let fixture = Fixture::new();
    fixture.put("folder/a.txt", "x");
    let pipe = fixture.root().join("pipe");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(fixture.root().join("socket")).unwrap();
    for (path, expected) in [
        ("folder", "file_is_folder"),
        (".", "file_is_folder"),
        ("pipe", "file_special"),
        ("socket", "file_special"),
    ] {
        assert_eq!(code(read(&fixture, path)), expected, "{path}");
        assert_eq!(code(write(&fixture, path, "x")), expected, "{path}");
    }
    assert_eq!(
        read(&fixture, "pipe").unwrap_err().to_string(),
        "`pipe` is a pipe, expected a regular file"
    );
    assert_eq!(code(read(&fixture, "folder/a.txt/b")), "not_a_folder");
    assert_eq!(code(write(&fixture, "folder/a.txt/b", "x")), "not_a_folder");
}

#[test]
fn as_25_size_and_encoding_are_checked() {
    let fixture = Fixture::new();
    fixture
        .put("large", vec![b'x'; 11])
        .put("latin", b"caf\xe9 au lait")
        .put("exact", "0123456789");
    let path = |path| fixture.workspace().resolve(path).unwrap();
    let large = fixture.workspace().read_text(&path("large"), 10).unwrap_err();
    assert_eq!(large.to_string(), "`large` has 11 bytes, the limit is 10");
    assert!(fixture.workspace().read_text(&path("exact"), 10).is_ok());
    let latin = fixture.workspace().read_text(&path("latin"), 100).unwrap_err();
    assert_eq!(latin, FileError::NotText { path: "latin".to_owned(), offset: 3 });
}

#[test]
fn as_25_missing_file_is_reported_with_nearest_name() {
    let fixture = Fixture::new();
    fixture.put("docs/README.md", "");
    let error = read(&fixture, "docs/REDAME.md").unwrap_err();
    assert_eq!(error.code(), "file_not_found");
    assert_eq!(error.help(), "did you mean `docs/README.md`?");
    assert_eq!(code(read(&fixture, "no/such/file")), "file_not_found");
}

#[test]
fn as_25_write_makes_folders_and_leaves_nothing_else() {
    let fixture = Fixture::new();
    let path = fixture.workspace().resolve("a/b/c.txt").unwrap();
    let written = fixture.workspace().replace(&path, b"one").unwrap();
    let folders: Vec<_> = written.folders.iter().map(WorkspacePath::as_str).collect();
    assert_eq!(folders, ["a", "a/b"]);
    assert_eq!(fixture.text("a/b/c.txt"), "one");
    assert!(fixture.workspace().replace(&path, b"two").unwrap().folders.is_empty());
    assert_eq!(fixture.text("a/b/c.txt"), "two");
    assert_eq!(std::fs::read_dir(fixture.root().join("a/b")).unwrap().count(), 1);
}

#[test]
fn as_25_refused_write_removes_created_folders() {
    let fixture = Fixture::new();
    fixture.put("f", "x");
    let name = format!("new/folder/{}", "n".repeat(300));
    assert_eq!(code(write(&fixture, &name, "x")), "file_failed");
    assert!(!fixture.has("new"));
}

#[cfg(unix)]
#[test]
fn as_25_write_keeps_permissions_and_honours_read_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let fixture = Fixture::new();
    fixture.put("run.sh", "old").put("fixed", "old");
    let set = |path: &str, mode| {
        let path = fixture.root().join(path);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    set("run.sh", 0o750);
    set("fixed", 0o444);
    write(&fixture, "run.sh", "new").unwrap();
    let mode = std::fs::metadata(fixture.root().join("run.sh")).unwrap().permissions().mode();
    assert_eq!((fixture.text("run.sh").as_str(), mode & 0o777), ("new", 0o750));
    assert_eq!(code(write(&fixture, "fixed", "new")), "file_denied");
    assert_eq!(fixture.text("fixed"), "old");
}

#[cfg(unix)]
#[test]
fn as_25_write_through_symlink_inside_changes_what_it_leads_to() {
    let fixture = Fixture::new();
    fixture.put("real.txt", "old").link("real.txt", "link.txt");
    assert_eq!(write(&fixture, "link.txt", "new").unwrap(), "real.txt");
    assert_eq!(fixture.text("real.txt"), "new");
    assert!(fixture.root().join("link.txt").is_symlink());
}

#[test]
fn as_25_protected_folders_are_not_written_to() {
    let fixture = Fixture::new();
    fixture.put(".git/config", "x");
    for path in
        [".git/hooks/pre-commit", ".git/config", "sub/.git/x", ".contexture/runs/a", ".GIT/x"]
    {
        assert_eq!(code(write(&fixture, path, "x")), "PATH_PROTECTED", "{path}");
    }
    for path in ["contexture.toml", "sub/contexture.lock", "Contexture.TOML"] {
        assert_eq!(code(write(&fixture, path, "x")), "PATH_PROTECTED", "{path}");
    }
    assert_eq!(read(&fixture, ".git/config").unwrap(), "x");
    assert!(write(&fixture, "github/a.yml", "x").is_ok());
    assert!(!fixture.has("sub"));
}

#[cfg(unix)]
#[test]
fn as_25_protected_folders_are_not_reached_through_symlinks() {
    let fixture = Fixture::new();
    fixture.put(".git/config", "x").link(".git", "git");
    assert_eq!(code(write(&fixture, "git/hooks/pre-commit", "x")), "PATH_PROTECTED");
    assert!(!fixture.has(".git/hooks"));
}

#[cfg(unix)]
#[test]
fn as_26_place_is_located_for_libraries_that_open_by_name() {
    let fixture = Fixture::new();
    fixture.put("real/x", "").link("real", "link").link("..", "out").link("nowhere", "dangling");
    let locate = |path: &str| {
        fixture.workspace().locate(&fixture.workspace().resolve(path).unwrap(), Access::Write)
    };
    assert_eq!(locate("link/m.db").unwrap(), fixture.root().join("real/m.db"));
    assert_eq!(locate("link/new/sub/m.db").unwrap(), fixture.root().join("real/new/sub/m.db"));
    assert_eq!(locate("real/x").unwrap(), fixture.root().join("real/x"));
    assert!(!fixture.has("real/new"));
    assert_eq!(code(locate("dangling/m.db")), "path_symlink");
    assert_eq!(code(locate("real/x/m.db")), "not_a_folder");
    assert_eq!(code(locate("out/m.db")), "path_outside_workspace");
    assert_eq!(code(locate("dangling")), "path_symlink");
    assert_eq!(code(locate("real")), "file_is_folder");
}

proptest! {
    #[test]
    fn as_25_any_text_as_path_stays_inside_or_is_error(path in "[a./\\\\~:\\x00中 -]{0,24}|\\PC{0,24}") {
        let fixture = Fixture::new();
        if let Ok(path) = fixture.workspace().resolve(&path) {
            let parts: Vec<_> = path.parts().collect();
            prop_assert!(!parts.contains(&"..") && !parts.contains(&"."));
            prop_assert!(!path.as_str().starts_with('/'));
            let _ = fixture.workspace().read_text(&path, LIMIT);
        }
    }
}

#[test]
fn as_25_what_system_refuses_is_reported_in_words() {
    let fixture = Fixture::new();
    let name = "n".repeat(300);
    for told in [read(&fixture, &name).unwrap_err(), write(&fixture, &name, "").unwrap_err()] {
        let told = told.to_string();
        assert!(told.contains("too long") && !told.contains("os error"), "{told}");
    }
}

#[test]
fn as_25_new_file_is_made_whole_and_never_over_another() {
    let fixture = Fixture::new();
    let workspace = fixture.workspace();
    let path = workspace.resolve("made/data.bin").unwrap();
    assert_eq!(workspace.create(&path, b"\x00\xff"), Ok(true));
    assert_eq!(workspace.create(&path, b"other"), Ok(false));
    assert_eq!(workspace.read_bytes(&path, 10), Ok(b"\x00\xff".to_vec()));
    assert_eq!(std::fs::read_dir(fixture.root().join("made")).unwrap().count(), 1);

    for (path, code) in [
        (".contexture/x", "PATH_PROTECTED"),
        ("../x", "path_outside_workspace"),
        (".", "file_is_folder"),
    ] {
        let made = workspace.resolve(path).and_then(|path| workspace.create(&path, b""));
        assert_eq!(made.unwrap_err().code(), code, "{path}");
    }
}

#[test]
fn gr_9_part_of_file_is_read_as_far_as_it_has_it() {
    let fixture = Fixture::new();
    let workspace = fixture.workspace();
    write(&fixture, "a.txt", "0123456789").unwrap();
    let path = workspace.resolve("a.txt").unwrap();
    for (part, found) in
        [(2..5, "234"), (8..20, "89"), (30..40, ""), (0..0, ""), (0..u64::MAX, "0123456789")]
    {
        assert_eq!(workspace.read_part(&path, part.clone()), Ok(found.into()), "{part:?}");
    }
    let folder = workspace.resolve(".").unwrap();
    assert_eq!(workspace.read_part(&folder, 0..1).unwrap_err().code(), "file_is_folder");
    let gone = workspace.resolve("b.txt").unwrap();
    assert_eq!(workspace.read_part(&gone, 0..1).unwrap_err().code(), "file_not_found");
}
