//! Where each profile looks (KN-10).

use super::{DOCUMENTS, Project, READY, headings, paths};
use contexture_knowledge::resolve::{Intent, Task};

const POSITIONING: &str = "# Positioning\n\nAcme Widget is built for field service teams.\n";
const BRIEF: &str = "# Brief\n\n## Positioning\n\nAcme Widget is built for teams in the field, \
                     says the positioning.\n\n## Refunds\n\nRefunds are granted within 30 days.\n";

fn documents() -> Project {
    Project::with(
        DOCUMENTS,
        &[
            ("compiled/splits/brief/positioning.md", POSITIONING),
            ("documents/brief.md", BRIEF),
            ("sources/refunds.md", "# Refunds\n\nThe interview says refunds take 30 days.\n"),
            ("indexes/refunds.md", "# Refunds index\n\nrefunds refunds refunds\n"),
        ],
    )
}

#[test]
fn kn_10_splits_answer_before_primary_document() {
    let answer = documents().ask("Which positioning does Acme Widget have?", 1_000);
    assert_eq!(paths(&answer), ["compiled/splits/brief/positioning.md"]);
    assert_eq!(answer.sections[0].reason, "it matches positioning, Acme, Widget");
}

#[test]
fn kn_10_primary_document_joins_when_no_split_answers() {
    let answer = documents().ask("refunds", 1_000);
    assert_eq!(paths(&answer), ["documents/brief.md"]);
    assert_eq!(headings(&answer), ["Brief > Refunds"]);
    assert!(answer.sections[0].reason.starts_with("no split section answers the task"));
    assert!(answer.context.contains(
        "## Brief > Refunds [source: documents/brief.md#L9]\nRefunds are granted within 30"
    ));
}

#[test]
fn kn_10_primary_document_ranks_after_splits() {
    let project = documents();
    project.write(
        "acme",
        "compiled/splits/brief/enterprise.md",
        "# Enterprise\n\nThe enterprise plan has an owner.\n",
    );
    project.write(
        "acme",
        "documents/brief.md",
        "# Brief\n\n## Window\n\nThe refund window of the enterprise plan is 45 days, and the \
         deadline of a refund is a window of the enterprise plan.\n",
    );
    let answer = project.ask("refund window deadline of the enterprise plan", 1_000);
    assert_eq!(paths(&answer), ["compiled/splits/brief/enterprise.md", "documents/brief.md"]);
}

#[test]
fn kn_10_what_splits_have_too_is_not_taken_from_primary_document() {
    let project = documents();
    project.write("acme", "compiled/splits/brief/price.md", "# Price\n\nIt costs nine euro.\n");
    let answer = project.ask("What does the positioning cost?", 1_000);
    assert_eq!(answer.sections.len(), 2);
    assert!(paths(&answer).iter().all(|path| path.starts_with("compiled/splits/")));
}

#[test]
fn kn_10_sources_are_read_for_evidence_alone() {
    let project = documents();
    for text in ["refunds", "When are refunds granted?"] {
        assert!(!paths(&project.ask(text, 1_000)).contains(&"sources/refunds.md"));
    }
    for text in ["Cite the source of the refunds", "refunds 的来源", "Verify the refunds"] {
        assert!(paths(&project.ask(text, 1_000)).contains(&"sources/refunds.md"), "{text}");
    }
    for intent in [Intent::Cite, Intent::Verify, Intent::Ingest, Intent::Dispute] {
        let task = Task { intent: Some(intent), ..Task::new("refunds", 1_000) };
        assert!(paths(&project.asks(&task)).contains(&"sources/refunds.md"));
    }
    let task = Task { evidence: true, ..Task::new("refunds", 1_000) };
    let answer = project.asks(&task);
    assert!(paths(&answer).contains(&"sources/refunds.md"));
    assert!(!paths(&answer).contains(&"indexes/refunds.md"));
}

fn wiki() -> Project {
    Project::with(
        READY,
        &[
            (
                "compiled/facts.md",
                "# Facts\n\n## Queue\n\nThe queue keeps jobs offline. See \
                                   [sync](../wiki/sync.md).\n\n## Price\n\nIt costs 9 euro.\n",
            ),
            ("wiki/queue.md", "# Queue\n\nThe queue was designed for tunnels.\n"),
            ("wiki/sync.md", "# Sync\n\nJobs are sent in order, and the retention is a week.\n"),
            ("wiki/paint.md", "# Paint\n\nThe colour is blue.\n"),
        ],
    )
}

#[test]
fn kn_10_compiled_views_answer_before_wiki() {
    assert_eq!(paths(&wiki().ask("What does the queue keep?", 1_000)), ["compiled/facts.md"]);
    assert_eq!(paths(&wiki().ask("Which colour does it have?", 1_000)), ["wiki/paint.md"]);
}

#[test]
fn kn_10_wiki_is_used_for_details_and_links_are_followed() {
    let answer = wiki().ask("Why does the queue keep jobs?", 1_000);
    let found = paths(&answer);
    assert!(found.contains(&"compiled/facts.md") && found.contains(&"wiki/queue.md"), "{found:?}");
    let linked = answer.sections.iter().find(|section| section.path == "wiki/sync.md").unwrap();
    assert_eq!(linked.heading, "Sync");
    assert!(!found.contains(&"wiki/paint.md"));
}

#[test]
fn kn_10_hybrid_packs_choose_by_intent() {
    let hybrid = "status: ready\ntrust: official\nprofile: hybrid\nmetadata:\n  primaryDocument: \
                  documents/manual.md";
    let project = Project::with(
        hybrid,
        &[
            ("documents/manual.md", "# Manual\n\n## Valve\n\nOpen the valve by hand.\n"),
            ("wiki/valve.md", "# Valve\n\nThe valve is round for safety.\n"),
        ],
    );
    assert_eq!(paths(&project.ask("How do I open the valve?", 1_000)), ["documents/manual.md"]);
    let why = project.ask("Why is the valve round?", 1_000);
    assert_eq!(paths(&why), ["wiki/valve.md"]);
}

#[test]
fn kn_10_chinese_questions_meet_chinese_sections() {
    let project = Project::with(
        DOCUMENTS,
        &[
            (
                "compiled/splits/a/queue.md",
                "# 离线队列\n\n断网时任务进入离线队列,恢复后自动同步。\n",
            ),
            ("compiled/splits/a/price.md", "# 价格\n\n企业版每年九千元,含十个席位。\n"),
            ("documents/brief.md", "# 全文\n"),
        ],
    );
    let answer = project.ask("企业版的价格是多少?", 1_000);
    assert_eq!(paths(&answer), ["compiled/splits/a/price.md"]);
    assert_eq!(answer.sections[0].reason, "it matches 企业版, 价格");
    assert_eq!(paths(&project.ask("断网了怎么办", 1_000)), ["compiled/splits/a/queue.md"]);
}

#[test]
fn kn_10_persona_shapes_answers_as_data() {
    let persona = format!("{READY}\nruntime:\n  mode: persona");
    let project = Project::with(
        &persona,
        &[
            (
                "compiled/voice.md",
                "# Voice\n\n## 语气\n\nShort and dry.\n\n## Childhood\n\nA farm.\n",
            ),
            ("compiled/facts.md", "# Facts\n\nShe founded the mill.\n"),
        ],
    );
    let answer = project.ask("Who founded the mill?", 1_000);
    assert_eq!(headings(&answer), ["Facts", "Voice > 语气"]);
    assert!(answer.context.contains("runtime_mode=\"persona\""));
    assert!(project.ask("quantum chromodynamics", 1_000).sections.is_empty());
}

#[test]
fn kn_9_what_does_not_match_is_left_out_and_missing() {
    let answer = wiki().ask("What is the warranty in Norway?", 1_000);
    assert_eq!(answer.context, "");
    assert_eq!((answer.tokens, answer.sections.len()), (0, 0));
    assert_eq!(answer.missing[0].fact, "warranty");
    assert_eq!(answer.missing[1].fact, "Norway");
    assert_eq!(answer.missing[0].recommendation, "ask_user_or_mark_unknown");
    let warning = "missing: nothing is known about `warranty`, `Norway`; ask user or mark unknown";
    assert_eq!(answer.warnings, [warning]);
    assert_eq!(answer.uses[0].warnings, [warning]);
    let partly = wiki().ask("queue warranty", 1_000);
    assert_eq!(paths(&partly), ["compiled/facts.md"]);
    assert_eq!(partly.missing.iter().map(|m| m.fact.as_str()).collect::<Vec<_>>(), ["warranty"]);
}

#[test]
fn kn_9_word_that_stands_everywhere_reports_nothing() {
    let files: Vec<(String, String)> = (0..12)
        .map(|n| {
            (format!("compiled/{n}.md"), format!("# Part {n}\n\nThe widget has feature{n}.\n"))
        })
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(p, t)| (p.as_str(), t.as_str())).collect();
    let project = Project::with(READY, &files);
    assert!(project.ask("How tall is the Eiffel widget tower?", 2_000).sections.is_empty());
    assert_eq!(paths(&project.ask("feature7", 2_000)), ["compiled/7.md"]);
    assert!(!project.ask("widget", 2_000).sections.is_empty());
}

const PERSONA: &str = "status: ready\ntrust: official\nprofile: wiki-first\nruntime:\n  mode: \
                       persona";

/// A persona whose guide names the file that shapes what is written.
fn voice() -> Project {
    let project = Project::with(
        PERSONA,
        &[
            ("compiled/brand-voice.md", "# House rules\n\nWarm, brief, no exclamation marks.\n"),
            ("compiled/history.md", "# History\n\nFounded in a barn.\n"),
        ],
    );
    let guide = "---\nname: acme\ndescription: The voice of Acme.\ntype: brand-product\n\
                 status: ready\ntrust: official\nprofile: wiki-first\nruntime:\n  mode: \
                 persona\n---\n\n# Acme\n\nRead `compiled/brand-voice.md` first.\n\n## \
                 Boundaries\n\nNo promises.\n";
    project.write("acme", "KNOWLEDGE.md", guide);
    project
}

#[test]
fn kn_10_persona_applies_to_whatever_is_written() {
    let project = voice();
    for text in ["Write a greeting", "给新客户写一封欢迎信", "Draft a reply to this complaint"]
    {
        let answer = project.ask(text, 1_000);
        assert_eq!(paths(&answer), ["compiled/brand-voice.md"], "{text}");
        assert!(answer.context.contains("no exclamation marks"));
        assert!(answer.context.starts_with("<knowledge_pack name=\"acme\""));
    }
    // What is no writing and matches nothing gets nothing.
    assert!(project.ask("quantum chromodynamics", 1_000).sections.is_empty());
}

#[test]
fn kn_10_persona_applies_beside_pack_of_facts() {
    let project = voice();
    project.pack(
        "facts",
        READY,
        &[("compiled/launch.md", "# Launch\n\nThe Falcon launches on the 3rd of May.\n")],
    );
    let packs = [project.open("facts"), project.open("acme")];
    let resolver =
        contexture_knowledge::resolve::Resolver::new(&contexture_context::tokens::O200K_BASE, None);
    let ask = |text: &str| resolver.resolve(&packs, &Task::new(text, 1_000)).unwrap();
    let answer = ask("Write an announcement of the Falcon launch");
    assert_eq!(paths(&answer), ["compiled/launch.md", "compiled/brand-voice.md"]);
    assert_eq!(paths(&ask("When does the Falcon launch?")), ["compiled/launch.md"]);
}

#[test]
fn kn_10_links_of_compiled_sections_are_followed_over_several_hops() {
    let project = Project::with(
        READY,
        &[
            (
                "compiled/facts.md",
                "# Facts\n\n## Gateway\n\nThe gateway is run by [the blue \
                 team](../wiki/teams/blue.md).\n",
            ),
            (
                "wiki/teams/blue.md",
                "# Blue team\n\nThe head of the team is [Ann](../people/ann.md).\n",
            ),
            ("wiki/people/ann.md", "# Ann\n\nShe heads a team and has the phone number 555.\n"),
            ("wiki/teams/red.md", "# Red team\n\nThey paint.\n"),
        ],
    );
    let answer = project.ask("Who is the head of the team that runs the gateway?", 1_000);
    let found = paths(&answer);
    for path in ["compiled/facts.md", "wiki/teams/blue.md", "wiki/people/ann.md"] {
        assert!(found.contains(&path), "{path}: {found:?}");
    }
}

#[test]
fn kn_10_rare_word_that_nothing_selected_has_is_looked_for_elsewhere() {
    let project = documents();
    project.write(
        "acme",
        "compiled/splits/brief/plan.md",
        "# Plan\n\nThe enterprise plan has an owner and ten seats for field service.\n",
    );
    project.write(
        "acme",
        "documents/brief.md",
        "# Brief\n\n## Seats\n\nSeats are prorated.\n\n## Colour\n\nThe plan is blue.\n",
    );
    // The split has most of the question; what prorating is stands in the document alone.
    let text = "Are enterprise plan seats of field service prorated?";
    let answer = project.ask(text, 1_000);
    assert_eq!(paths(&answer)[0], "compiled/splits/brief/plan.md");
    assert!(headings(&answer).contains(&"Brief > Seats"), "{:?}", headings(&answer));
    let wiki = wiki();
    wiki.write("acme", "documents/tolls.md", "# Tolls\n\nThe queue pays no toll.\n");
    let answer = wiki.ask("Does the queue keep jobs offline at a toll?", 1_000);
    assert!(paths(&answer).contains(&"documents/tolls.md"), "{:?}", paths(&answer));
}

#[test]
fn kn_9_one_shared_word_is_not_answer() {
    let project = Project::with(
        READY,
        &[
            ("compiled/falcon.md", "# Falcon\n\nThe Falcon is a keyboard with 87 keys.\n"),
            ("compiled/keys.md", "# Keys\n\nKeys of the Falcon are replaced by hand.\n"),
            ("compiled/cable.md", "# Cable\n\nIts cable is braided.\n"),
        ],
    );
    for text in ["how do I bake bread with the Falcon oven", "猎鹰 Falcon 战斗机的最大航程是多少"]
    {
        let answer = project.ask(text, 1_000);
        assert_eq!(paths(&answer), [""; 0], "{text}");
        assert_eq!(answer.context, "");
        assert!(!answer.missing.is_empty());
        assert!(answer.warnings[0].starts_with("missing: "), "{:?}", answer.warnings);
    }
    for text in ["Falcon", "What is the Falcon?", "How many keys does the Falcon have?"] {
        assert!(paths(&project.ask(text, 1_000)).contains(&"compiled/falcon.md"), "{text}");
    }
}

#[test]
fn kn_10_links_are_followed_however_much_else_matches() {
    let mut files = vec![(
        "compiled/gateway.md".to_owned(),
        "# Gateway\n\nThe gateway belongs to the gateway crew, [blue](../wiki/blue.md).\n"
            .to_owned(),
    )];
    for n in 0..10 {
        let text = format!("# Gateway part {n}\n\nThe gateway crew has part {n}.\n");
        files.push((format!("compiled/part{n}.md"), text));
    }
    for n in 0..90 {
        let text = format!("# Crew note {n}\n\nThe gateway crew met, gateway crew {n}.\n");
        files.push((format!("wiki/notes/{n}.md"), text));
    }
    files.push(("wiki/blue.md".to_owned(), "# Blue\n\nThe crew, see [Ann](ann.md).\n".to_owned()));
    files.push(("wiki/ann.md".to_owned(), "# Ann\n\nIn the crew since May.\n".to_owned()));
    let files: Vec<(&str, &str)> = files.iter().map(|(p, t)| (p.as_str(), t.as_str())).collect();
    let answer = Project::with(READY, &files).ask("Which crew has the gateway?", 4_000);
    let found = paths(&answer);
    for path in ["compiled/gateway.md", "wiki/blue.md", "wiki/ann.md"] {
        assert!(found.contains(&path), "{path}: {found:?}");
    }
}
