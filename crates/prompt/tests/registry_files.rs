//! Templates from files and folders (PT-7).

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "a test that makes files")]

use contexture_prompt::{PromptError, PromptTemplateRegistry, RenderLimits, TemplateContext};
use std::fs;
use std::path::PathBuf;

/// A folder that is removed when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &[u8])]) -> Self {
        let path =
            std::env::temp_dir().join(format!("contexture-prompt-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        for (file, bytes) in files {
            let file = path.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, bytes).unwrap();
        }
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn vars() -> TemplateContext {
    let mut vars = TemplateContext::new();
    vars.insert("x", "X");
    vars
}

#[test]
fn pt_7_register_file_reads_and_compiles() {
    let folder = Folder::new(
        "file",
        &[
            ("a.txt", b"\xef\xbb\xbf{{x}}\r\n"),
            ("bad.txt", b"ok\n {{#if x}}"),
            ("bin.txt", b"\xff"),
        ],
    );
    let mut registry = PromptTemplateRegistry::new();
    registry.register_file("a", folder.0.join("a.txt")).unwrap();
    assert_eq!(registry.render("a", &vars()).unwrap(), "X\r\n");

    let error = registry.register_file("a", folder.0.join("bad.txt")).unwrap_err();
    assert_eq!(error.position(), Some((2, 2)));
    assert!(error.to_string().contains("bad.txt, line 2, column 2"), "{error}");
    let error = registry.register_file("a", folder.0.join("bin.txt")).unwrap_err();
    assert!(error.to_string().contains("UTF-8"), "{error}");
    let error = registry.register_file("a", folder.0.join("none.txt")).unwrap_err();
    assert!(matches!(&error, PromptError::Io(why) if why.kind() == std::io::ErrorKind::NotFound));
    assert!(error.to_string().contains("none.txt"), "{error}");
    // A failed registration left the old one in place.
    assert_eq!(registry.render("a", &vars()).unwrap(), "X\r\n");
}

#[test]
fn pt_7_register_dir_takes_what_glob_matches() {
    let folder = Folder::new(
        "dir [1]",
        &[
            ("main.md", b"{{> head}} {{> foot}}"),
            ("head.md", b"H{{x}}"),
            ("sub/foot.md", b"F"),
            ("sub/deep/last.txt", b"L"),
            (".hidden.md", b"{{"),
            ("notes.bin", b"\xff"),
        ],
    );
    let mut registry = PromptTemplateRegistry::new();
    assert_eq!(registry.register_dir(&folder.0, "*.md").unwrap(), ["head", "main"]);
    assert_eq!(registry.register_dir(&folder.0, "**/*.md").unwrap(), ["foot", "head", "main"]);
    assert_eq!(registry.render("main", &vars()).unwrap(), "HX F");
    assert_eq!(registry.register_dir(&folder.0, "**/*.txt").unwrap(), ["last"]);
    assert_eq!(registry.register_dir(&folder.0, "*.none").unwrap(), Vec::<String>::new());
    assert!(registry.register_dir(&folder.0, "*").unwrap_err().to_string().contains("notes.bin"));
    let error = registry.register_dir(folder.0.join("gone"), "*").unwrap_err();
    assert!(error.to_string().contains("no such folder"), "{error}");
    let error = registry.register_dir(&folder.0, "a[").unwrap_err();
    assert!(error.to_string().contains("invalid glob `a[`"), "{error}");
}

#[test]
fn pt_7_two_files_of_one_stem_are_error() {
    let folder = Folder::new("twice", &[("a.md", b"1"), ("a.txt", b"2")]);
    let mut registry = PromptTemplateRegistry::new();
    let error = registry.register_dir(&folder.0, "*").unwrap_err();
    assert!(error.to_string().contains("would both be registered as `a`"), "{error}");
    assert!(!registry.contains("a"));
}

#[test]
fn pt_7_registry_has_own_limits() {
    let mut registry = PromptTemplateRegistry::new();
    registry.register("a", "{{x}}{{x}}").unwrap();
    registry.set_limits(RenderLimits { output_bytes: 1, ..RenderLimits::default() });
    assert!(matches!(registry.render("a", &vars()), Err(PromptError::Render(_))));
}
