use super::*;
use crate::{Config, Environment as Variables};
use contexture_context::Trust;
use contexture_reference::definition::Layer;
use contexture_reference::syntax::Reference;
use contexture_reference::{LoadError, Loaded};
use tempfile::TempDir;

/// A project with a home folder beside it.
struct Desk {
    folder: TempDir,
    config: String,
}

fn resource(protocol: &str, id: &str, reference: &str) -> String {
    format!(
        "<resource protocol=\"{protocol}\">\n<registry>\n| id | reference |\n|--|--|\n\
         | {id} | {reference} |\n</registry>\n</resource>\n"
    )
}

impl Desk {
    fn new(files: &[(&str, &str)]) -> Self {
        let desk = Self { folder: tempfile::tempdir().unwrap(), config: String::new() };
        std::fs::create_dir(desk.folder.path().join("work")).unwrap();
        for (name, text) in files {
            desk.write(name, text);
        }
        desk
    }

    fn set(mut self, config: &str) -> Self {
        self.config = config.to_owned();
        self
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn open(&self) -> References {
        self.open_with(&Options::default())
    }

    fn open_with(&self, options: &Options) -> References {
        let home = self.folder.path().join("home").display().to_string();
        let project = Project::with_config(
            &self.folder.path().join("work").canonicalize().unwrap(),
            Config::parse("contexture.toml", &self.config).unwrap(),
            Variables::of([("HOME", home.as_str()), ("LANG", "C"), ("KEY", "s3cret")]),
        );
        References::open(&project, options).unwrap()
    }
}

fn load(references: &References, reference: &str) -> Result<Loaded, LoadError> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let reference = Reference::parse(reference).unwrap();
    runtime.block_on(references.loader().load(&reference, &Place::workspace()))
}

fn text(references: &References, reference: &str) -> String {
    load(references, reference).unwrap().resources[0].text().unwrap().to_owned()
}

fn codes(references: &References) -> Vec<&str> {
    references.diagnostics().iter().map(|fault| fault.code).collect()
}

#[test]
fn ref_19_layers_are_read_and_shadowing_is_told() {
    let desk = Desk::new(&[
        ("home/.contexture/resources/a.resource.md", &resource("note", "x", "@file://user.md")),
        ("home/.contexture/resources/user.md", "of the user"),
        ("work/.contexture/resources/b.protocol.md", &resource("note", "x", "@file://work.md")),
        ("work/.contexture/resources/ignored.md", &resource("other", "x", "@file://work.md")),
        ("work/work.md", "of the workspace"),
    ]);
    let references = desk.open();
    assert_eq!(text(&references, "@note://x"), "of the workspace");
    assert_eq!(codes(&references), ["REF2018"]);
    assert!(references.loader().definitions().get("other").is_none());
    let options = Options {
        definitions: vec![desk.folder.path().join("work/../out/c.tag.md")],
        examples: false,
        ..Options::default()
    };
    desk.write("out/c.tag.md", resource("note", "x", "@file://near.md"));
    desk.write("out/near.md", "beside the file");
    let references = desk.open_with(&options);
    assert_eq!(text(&references, "@note://x"), "beside the file");
    assert_eq!(codes(&references), ["REF2018", "REF2018"]);
}

#[test]
fn ref_19_files_of_user_and_of_list_have_their_own_roots() {
    let desk = Desk::new(&[
        ("home/.contexture/resources/a.resource.md", &resource("note", "x", "@file://user.md")),
        ("home/.contexture/resources/user.md", "of the user"),
        ("home/secret.md", "no"),
        ("work/a.md", "a"),
    ]);
    let references = desk.open();
    let loaded = load(&references, "@note://x").unwrap();
    assert_eq!(loaded.resources[0].text(), Some("of the user"));
    assert_eq!(loaded.resources[0].trust, Trust::External);
    // The root of a definition file is for its registry alone.
    assert_eq!(load(&references, "@file://user.md").unwrap_err().code, "REF3030");
    desk.write(
        "home/.contexture/resources/a.resource.md",
        resource("note", "x", "@file://../../secret.md"),
    );
    assert_eq!(load(&desk.open(), "@note://x").unwrap_err().code, "REF3031");
}

#[test]
fn ref_19_file_counts_once_for_its_latest_layer() {
    let named = "work/.contexture/resources/a.resource.md";
    let desk = Desk::new(&[(named, &resource("note", "x", "@file://a.md")), ("work/a.md", "a")])
        .set("[references]\ndefinitions = [\".contexture/resources/a.resource.md\"]\n");
    let references = desk.open();
    assert_eq!(codes(&references), [""; 0]);
    let definition = references.loader().definitions().get("note").unwrap();
    assert_eq!(definition.origin().layer, Layer::Explicit);
    // The home folder may be the workspace.
    let desk = Desk::new(&[(named, &resource("note", "x", "@file://a.md"))]);
    let project = Project::with_config(
        &desk.folder.path().join("work").canonicalize().unwrap(),
        Config::default(),
        Variables::of([("HOME", desk.folder.path().join("work").display().to_string())]),
    );
    let references = References::open(&project, &Options::default()).unwrap();
    assert_eq!(codes(&references), [""; 0]);
}

#[test]
fn ref_19_definition_files_that_can_t_be_read_are_told() {
    let desk = Desk::new(&[("work/.contexture/resources/b.resource.md/x", "a folder")])
        .set("[references]\ndefinitions = [\"gone.resource.md\", \"folder\"]\n");
    desk.write("work/.contexture/resources/a.resource.md", b"\xff\xfe");
    desk.write("work/folder/x", "");
    desk.write("work/.contexture/resources/c.tag.md", vec![b' '; (4 << 20) + 1]);
    let references = desk.open();
    assert_eq!(codes(&references), ["REF2021"; 4], "{:?}", references.diagnostics());
    let told: Vec<_> = references.diagnostics().iter().map(|fault| fault.file.as_str()).collect();
    let folder = ".contexture/resources";
    let files = [format!("{folder}/a.resource.md"), format!("{folder}/c.tag.md")];
    assert_eq!(told, ["gone.resource.md", &files[0], &files[1], "folder"]);
}

#[test]
fn ref_20_variables_are_read_only_when_settings_allow_them() {
    let desk = Desk::new(&[]).set("[references]\nenv = [\"LANG\"]\n");
    let references = desk.open();
    assert_eq!(text(&references, "@env://LANG"), "C");
    let error = load(&references, "@env://KEY").unwrap_err();
    assert_eq!(error.code, "REF3034");
    assert!(!format!("{references:?}{error:?}").contains("s3cret"));
}

#[test]
fn ref_20_memory_key_gives_its_newest_record() {
    let desk = Desk::new(&[]);
    let references = desk.open();
    assert_eq!(load(&references, "@memory://tone").unwrap_err().code, "REF3035");
    let path = desk.folder.path().join("work/.contexture/memory.jsonl");
    assert!(!path.exists());
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let memory =
        contexture_store::memory::JsonlMemory::new(path, contexture_store::stamp::system());
    let add = |record: serde_json::Value| {
        let fields = record.as_object().unwrap().clone();
        let record = contexture_store::memory::Memory::add(&memory, fields).unwrap();
        record["id"].as_str().unwrap().to_owned()
    };
    add(serde_json::json!({"key": "tone", "text": "Be brief."}));
    add(serde_json::json!({"key": "tone", "text": "Be kind."}));
    let id = add(serde_json::json!({"goal": "win"}));
    assert_eq!(text(&references, "@memory://tone"), "Be kind.");
    assert!(text(&references, &format!("@memory://{id}")).contains("\"goal\": \"win\""));
    let error = load(&references, "@memory://tune").unwrap_err();
    assert_eq!(error.help.as_deref(), Some("did you mean `tone`?"));
}

#[test]
fn ref_20_memory_outside_workspace_is_refused() {
    for (uri, cause) in [("file://../m.jsonl", "outside"), ("klingon://x", "names no memory")] {
        let desk = Desk::new(&[]).set(&format!("[references]\nmemory = \"{uri}\"\n"));
        let error = load(&desk.open(), "@memory://tone").unwrap_err();
        assert_eq!(error.code, "REF3035");
        assert!(error.message.contains(cause), "{error}");
    }
}

#[test]
fn ref_20_context_that_is_not_stored_is_not_unknown_protocol() {
    let references = Desk::new(&[]).open();
    let error = load(&references, "@context://today").unwrap_err();
    assert_eq!(error.code, "REF3039");
    assert!(error.message.contains("is stored in this workspace"), "{error}");
}

#[test]
fn ref_20_contexts_of_workspace_are_read_whoever_owns_them() {
    use contexture_store::contexts::{
        ContextStore as _, NewMessage, Operation, Options, SqliteContexts, Update,
    };
    let desk = Desk::new(&[]);
    let file = desk.folder.path().join("work/.contexture/data/contexts.db");
    let store = SqliteContexts::open(&file, Options::default()).unwrap();
    let said = |number: usize| {
        let text = format!("word {number}");
        let message = serde_json::json!({
            "messageId": format!("m{number}"), "type": "USER_INPUT", "content": { "text": text },
        });
        Operation::AddMessage(NewMessage::new(&message).unwrap())
    };
    for many in (0..450).collect::<Vec<_>>().chunks(150) {
        let operations = many.iter().map(|number| said(*number)).collect();
        store.apply(Update::new("ann", "ctx_long", operations)).unwrap();
    }
    let references = desk.open();
    let lines = |reference: &str| {
        let text = text(&references, reference);
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        (lines.len(), lines[0].clone(), lines[lines.len() - 1].clone())
    };
    let last = "USER: word 449".to_owned();
    assert_eq!(lines("@context://ctx_long"), (450, "USER: word 0".to_owned(), last.clone()));
    assert_eq!(
        lines("@context://ctx_long/messages?last=3"),
        (3, "USER: word 447".to_owned(), last.clone())
    );
    assert_eq!(
        lines("@context://ctx_long/messages?last=420"),
        (420, "USER: word 30".to_owned(), last)
    );
    assert_eq!(text(&references, "@context://ctx_long/messages?last=0"), "");
    assert_eq!(text(&references, "@context://ctx_long/state"), "{}\n");
    let refused = |reference: &str| load(&references, reference).unwrap_err().code;
    assert_eq!(refused("@context://other"), "REF3030");
    assert_eq!(refused("@context://ctx_long/messages?first=3"), "REF3003");
    assert_eq!(refused("@context://ctx_long/messages?last=-1"), "REF3030");
    assert_eq!(refused("@context://ctx_long/state/a..b"), "REF3030");
    let small = Desk { folder: desk.folder, config: "[limits]\nfile_bytes = 1000\n".to_owned() };
    assert_eq!(load(&small.open(), "@context://ctx_long").unwrap_err().code, "REF3013");
}

#[test]
fn ref_21_places_are_in_workspace() {
    let desk = Desk::new(&[("work/docs/a.md", "a"), ("work/b.md", "b")]);
    let references = desk.open();
    let at = |folder: &str| references.place_of(&desk.folder.path().join(folder));
    assert_eq!(at("work/docs"), Some(Place::folder("docs")));
    assert_eq!(at("work"), Some(Place::workspace()));
    assert_eq!(at("home"), None);
    let place = Place::folder("docs");
    let near = references.whereabouts("a.md", &place).unwrap().unwrap();
    assert_eq!((near.path.as_str(), near.fell_back), ("docs/a.md", false));
    let far = references.whereabouts("b.md", &place).unwrap().unwrap();
    assert_eq!((far.path.as_str(), far.fell_back), ("b.md", true));
    assert_eq!(references.whereabouts("*.md", &place).unwrap(), None);
    assert!(references.whereabouts("../../x", &place).is_err());
}

#[test]
fn ref_22_private_addresses_are_refused_unless_settings_allow_them() {
    let driver = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let load = |references: &References, reference: &str| {
        let reference = Reference::parse(reference).unwrap();
        driver.block_on(references.loader().load(&reference, &Place::workspace()))
    };
    let closed = Desk::new(&[]);
    let open = Desk::new(&[]).set("[network]\nallow_private = [\"127.0.0.1\"]\n");
    for protocol in ["http", "https", "ftp", "sftp", "ssh"] {
        let reference = format!("@{protocol}://ann:s3cret@127.0.0.1:1/a.md");
        let refused = load(&closed.open(), &reference).unwrap_err();
        assert_eq!(refused.code, "REF4002", "{refused}");
        let unreachable = load(&open.open(), &reference).unwrap_err();
        assert_eq!(unreachable.code, "REF4004", "{unreachable}");
        assert!(!format!("{refused:?}{unreachable:?}").contains("s3cret"));
    }
}

/// A repository in the form of PromptX: registry rows that lead nowhere, files named by their kind.
fn repository_of_roles() -> Desk {
    let row = r#"{"id":"nuwa","protocol":"role","reference":"@package://resource/role/nuwa/nuwa.role.md"}"#;
    let desk = Desk::new(&[
        ("work/packages/resource/package.registry.json", &format!("{{\"resources\":[{row}]}}")),
        (
            "work/packages/resource/resources/role/nuwa/nuwa.role.md",
            "# Nuwa\n@!thought://first\n@!knowledge://spec\n",
        ),
        ("work/packages/resource/resources/role/nuwa/thought/first.thought.md", "Think.\n"),
        ("work/packages/resource/resources/role/nuwa/knowledge/spec.knowledge.md", "Know.\n"),
    ]);
    desk.set(
        "[references]\nregistries = [\"packages/**/*.registry.json\"]\n[references.globs]\n\
         role = \"**/{id}.role.md\"\nthought = \"**/{id}.thought.md\"\n\
         knowledge = \"**/{id}.knowledge.md\"\n",
    )
}

#[test]
fn ma_3_repository_of_roles_works_as_it_lies() {
    let desk = repository_of_roles();
    let references = desk.open();
    assert_eq!(codes(&references), [""; 0]);
    assert_eq!(text(&references, "@!expand:role://nuwa"), "# Nuwa\nThink.\nKnow.\n");
    let loaded = load(&references, "@!role://nuwa").unwrap();
    let told: Vec<_> = loaded.notes.iter().map(|note| note.code).collect();
    assert_eq!(told, ["REF3043", "REF3045"]);
    assert_eq!(loaded.resources[0].trust, Trust::Resource);
}

#[test]
fn ma_2_knowledge_answers_an_id_that_is_no_pack_from_the_glob() {
    let desk = repository_of_roles();
    let references = desk.open();
    let loaded = load(&references, "@!knowledge://spec").unwrap();
    assert_eq!(loaded.resources[0].text(), Some("Know.\n"));
    assert_eq!(loaded.resources[0].trust, Trust::Resource);
    assert_eq!(loaded.notes, []);
    let error = load(&references, "@!knowledge://none").unwrap_err();
    assert_eq!(error.code, contexture_knowledge::codes::UNKNOWN_PACK.code);
    assert!(error.message.contains("no file matches `**/{id}.knowledge.md`"), "{}", error.message);
}

#[test]
fn ma_2_settings_of_registries_that_match_nothing_are_told() {
    let desk = Desk::new(&[]).set("[references]\nregistries = [\"none/*.json\", \"gone.json\"]\n");
    assert_eq!(codes(&desk.open()), ["REF2021", "REF2021"]);
    let error = Config::parse("contexture.toml", "[references.globs]\nfile = \"{id}.md\"\n");
    assert!(error.unwrap_err().to_string().contains("can't be extended"));
    let error = Config::parse("contexture.toml", "[references.globs]\nrole = \"*.md\"\n");
    assert!(error.unwrap_err().to_string().contains("{id}"));
}

#[test]
fn ma_2_registry_in_markdown_is_a_definition_file() {
    let desk = Desk::new(&[
        ("work/docs/style.md", &resource("style", "tone", "@file://tone.txt")),
        ("work/docs/tone.txt", "Be brief.\n"),
    ]);
    let desk = desk.set("[references]\nregistries = [\"docs/style.md\"]\n");
    let references = desk.open();
    assert_eq!(text(&references, "@style://tone"), "Be brief.\n");
    let definition = references.loader().definitions().get("style").unwrap();
    assert_eq!(definition.origin().layer, Layer::Explicit);
}

const SKILL: &str = "---\nname: pdf-forms\ndescription: Fills in\n  forms.\nallowed-tools: Bash\n---\n\
                     # Forms\nSee @file://reference.md.\n";

#[test]
fn ma_3_skills_are_listed_and_activated_and_their_files_read() {
    let desk = Desk::new(&[
        ("work/.claude/skills/pdf-forms/SKILL.md", SKILL),
        ("work/.claude/skills/pdf-forms/reference.md", "Fields.\n"),
        ("work/.claude/skills/pdf-forms/scripts/fill.py", "print(1)\n"),
        ("work/.claude/skills/readme.md", "no skill"),
        ("work/skills/pdf-forms/SKILL.md", SKILL),
        ("work/skills/plain/SKILL.md", "# Without front matter\n"),
    ]);
    let references = desk.open();
    let names: Vec<_> =
        references.skills().into_iter().map(|skill| (skill.name, skill.folder)).collect();
    let expected = [("pdf-forms", ".claude/skills/pdf-forms"), ("plain", "skills/plain")];
    assert_eq!(names, expected.map(|(name, folder)| (name.to_owned(), folder.to_owned())));
    let catalog = load(&references, "@skill://*").unwrap();
    let listed = "- `@skill://pdf-forms`: Fills in forms.\n- `@skill://plain`: \n";
    assert_eq!(catalog.resources[0].text(), Some(listed));
    assert_eq!(catalog.notes.len(), 2, "{:?}", catalog.notes);
    assert_eq!(text(&references, "@skill://pdf-forms"), SKILL);
    assert_eq!(text(&references, "@skill://pdf-forms/scripts/fill.py"), "print(1)\n");
    assert!(text(&references, "@!expand:skill://pdf-forms").ends_with("See Fields..\n"));
    let error = load(&references, "@skill://pdf-form").unwrap_err();
    assert_eq!((error.code, error.help.as_deref()), ("REF3030", Some("did you mean `pdf-forms`?")));
    for outside in ["@skill://pdf-forms/../../../x", "@skill://plain/../pdf-forms/SKILL.md"] {
        assert!(load(&references, outside).is_err(), "{outside}");
    }
}
