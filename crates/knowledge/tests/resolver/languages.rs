//! Languages: endings of the pages' languages, and questions in any of them (MA-7).

use super::{Project, READY, paths};
use contexture_context::tokens::O200K_BASE;
use contexture_knowledge::resolve::{Resolver, Task};

const GERMAN: [(&str, &str); 2] = [
    (
        "wiki/anmelden.md",
        "# Anmeldung\n\nDie Nutzer werden mit dem Passwort und einer Nummer auf der Seite angemeldet.\n",
    ),
    (
        "wiki/sichern.md",
        "# Sicherungen\n\nJede Nacht wird auf dem Server und auf der Platte eine Kopie der Daten angelegt.\n",
    ),
];

const ENGLISH: (&str, &str) = (
    "wiki/export.md",
    "# Exporting\n\nThe records of a customer can be exported on the page of the account.\n",
);

#[test]
fn ma_7_question_in_other_forms_of_its_words_finds_page_of_its_language() {
    let project = Project::with(READY, &GERMAN);
    assert_eq!(paths(&project.ask("Anlegen von Kopien", 500)), ["wiki/sichern.md"]);
    assert_eq!(
        paths(&project.ask("Wie kann ich eine Sicherung machen?", 500)),
        ["wiki/sichern.md"]
    );
    assert_eq!(paths(&project.ask("Welche Passwörter?", 500)), ["wiki/anmelden.md"]);
}

#[test]
fn ma_7_pack_of_two_languages_answers_in_both() {
    let project = Project::with(READY, &[GERMAN[0], GERMAN[1], ENGLISH]);
    assert_eq!(paths(&project.ask("How do I export records?", 500)), ["wiki/export.md"]);
    assert_eq!(paths(&project.ask("Wo finde ich die Sicherung?", 500)), ["wiki/sichern.md"]);
}

#[test]
fn ma_7_language_of_pack_is_that_of_its_short_pages_also_when_it_changes() {
    let page = ("compiled/a.md", "# Versand\n\nLieferungen: 3 Euro\n");
    let project = Project::with(READY, &[page]);
    let resolver = Resolver::new(&O200K_BASE, Some(project.cache()));
    let ask = || {
        let found = resolver.resolve(&[project.open("acme")], &Task::new("Lieferung", 500));
        paths(&found.unwrap()).len()
    };
    assert_eq!(ask(), 0);
    project.pack("acme", &format!("{READY}\nlanguage: de-CH"), &[]);
    assert_eq!(ask(), 1);
    project.pack("acme", READY, &[]);
    assert_eq!(ask(), 0);
}

const PAGES: [(&str, &str); 3] = [
    (
        "wiki/session.md",
        "# Sessions\n\nA person can sign in with a key, and the session lasts a day.\n",
    ),
    ("wiki/token.md", "# Tokens\n\n启用双因素认证后，登录需要验证码。\n"),
    ("wiki/mail.md", "# Mail\n\nThe login page links to the mail form.\n"),
];

#[test]
fn ma_7_synonyms_of_pack_lead_to_pages_and_weigh_less() {
    let project = Project::with(READY, &PAGES);
    assert_eq!(paths(&project.ask("login", 500)), ["wiki/mail.md"]);
    assert!(project.ask("2FA", 500).sections.is_empty());
    project.write("acme", "synonyms.txt", "login, sign in, 登录\n双因素认证, 2FA\n");
    let found = project.ask("login", 500);
    assert_eq!(paths(&found)[0], "wiki/mail.md", "the word itself goes first");
    let mut others = paths(&found)[1..].to_vec();
    others.sort_unstable();
    assert_eq!(others, ["wiki/session.md", "wiki/token.md"]);
    assert_eq!(paths(&project.ask("Turn on 2FA", 500)), ["wiki/token.md"]);
    assert!(found.warnings.is_empty() && found.missing.is_empty(), "{found:?}");
}

#[test]
fn ma_7_lines_of_synonyms_that_are_not_used_warn() {
    let project = Project::with(READY, &PAGES);
    project.write("acme", "synonyms.txt", "login\n");
    let found = project.ask("login", 500);
    let told =
        "`synonyms.txt` has lines that are not used: 1; `contexture knowledge validate` names them";
    assert!(found.warnings.iter().any(|warning| warning.contains(told)), "{:?}", found.warnings);
}
