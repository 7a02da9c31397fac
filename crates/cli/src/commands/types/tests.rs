use super::{Language, client};
use contexture::context::Limits;
use contexture::script::analysis::{analyze, interface};
use contexture::script::host::{LoadedSource, MemoryLoader};
use contexture::script::program::load;

const PROGRAM: &str = "\
/// What is */ reported.
shape Issue { title string, class \"low\" | \"high\", tags list[string]?, parts list[Issue]? }
shape 事 { 名 string length 1 to 8, next 事? }
main agent Triage {
  /// Sorts.
  main func(issue Issue) -> Issue { issue }
  func add(a integer, class integer) { a + class }
  func 問(x 事) -> { parts list[{ n integer }] } { { parts: [{ n: 1 }] } }
}
";

fn written(language: Language) -> String {
    let root = LoadedSource { name: "app.as".to_owned(), text: PROGRAM.to_owned() };
    let program = load(root, &MemoryLoader::new(), &Limits::default());
    let model = analyze(&program);
    client(&interface(&program, "app", &model.generates), "app.as", language)
}

#[track_caller]
fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}

#[test]
fn ty_12_typescript_client_has_shapes_as_interfaces() {
    has(
        &written(Language::Ts),
        &[
            "/**\n * What is * / reported.\n */\nexport interface Issue {\n  \"title\": string;\n  \
             \"class\": \"low\" | \"high\";\n  \"tags\"?: Array<string> | null;\n  \
             \"parts\"?: Array<Issue> | null;\n}\n",
            "  \"next\"?: 事 | null;\n",
            "  async triage(issue: Issue): Promise<Issue> {\n    \
             return (await this.call(\"agent:Triage\", issue)) as Issue;\n",
            "async triageAdd(a: number, class_: number): Promise<number | null> {\n    \
             return (await this.call(\"agent:Triage.add\", { \"a\": a, \"class\": class_ }))",
            "async triage問(x: 事): Promise<Triage問Result> {",
            "export interface Triage問ResultPartsItem {\n  \"n\": number;\n}\n",
        ],
    );
}

#[test]
fn ty_12_python_client_has_shapes_as_typed_dicts() {
    has(
        &written(Language::Python),
        &[
            "# What is * / reported.\nIssue = TypedDict(\"Issue\", {\n    \"title\": str,\n    \
             \"class\": Literal[\"low\", \"high\"],\n    \
             \"tags\": NotRequired[Optional[List[str]]],\n    \
             \"parts\": NotRequired[Optional[List[\"Issue\"]]],\n})\n",
            "    # `string length 1 to 8`\n    \"名\": str,\n    \"next\": NotRequired[Optional[\"事\"]],\n",
            "    def triage(self, issue: Issue) -> Issue:\n        # Sorts.\n        \
             return cast(\"Issue\", self._call(\"agent:Triage\", issue))\n",
            "def triage_add(self, a: int, class_: int) -> Optional[float]:",
        ],
    );
}

#[test]
fn ty_12_rust_client_has_shapes_as_serde_types() {
    has(
        &written(Language::Rust),
        &[
            "pub struct Issue {\n    pub title: String,\n    pub class: IssueClass,\n    \
             #[serde(default, skip_serializing_if = \"Option::is_none\")]\n    \
             pub tags: Option<Vec<String>>,\n",
            "    pub next: Option<Box<事>>,\n",
            "pub enum IssueClass {\n    #[serde(rename = \"low\")]\n    Low,\n",
            "pub fn triage(&mut self, issue: &Issue) -> Result<Issue, CallError> {\n        \
             self.call(\"agent:Triage\", json!(issue))\n",
            "pub fn triage_add(&mut self, a: &i64, class: &i64) -> Result<Option<f64>, CallError> {",
        ],
    );
}
