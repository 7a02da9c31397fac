//! Sections that say the same, and long sections in passages (MA-7).

use super::{Project, READY, headings, paths};

/// The same page for four versions, and one page that adds something.
fn versions() -> Project {
    let project = Project::with(READY, &[]);
    for version in ["1.0", "1.1", "1.2", "2.0"] {
        let text = format!(
            "# Connect\n\nVersion {version}. To connect a client, call connect with the address of the \
             server and the key of your account. The connection is kept open until you close it, and \
             broken connections are made again after five seconds. Each connection has a number, \
             which the log of the server shows beside its address.\n"
        );
        project.write("acme", &format!("wiki/v{version}/connect.md"), &text);
    }
    let limits = "# Limits\n\nA client may hold twenty connections to a server at once.\n";
    project.write("acme", "wiki/limits.md", limits);
    project
}

#[test]
fn ma_7_near_duplicates_count_once_and_others_are_named() {
    let project = versions();
    let answer = project.ask("How does a client connect to the server?", 2_000);
    let connect: Vec<_> =
        answer.sections.iter().filter(|one| one.path.ends_with("connect.md")).collect();
    let [shown] = connect.as_slice() else { panic!("{:?}", paths(&answer)) };
    assert_eq!(shown.near_duplicates.len(), 3, "{shown:?}");
    let mut all: Vec<String> = shown.near_duplicates.clone();
    all.push(shown.citation.clone());
    all.sort();
    let of = |version: &str| format!("wiki/v{version}/connect.md#L3");
    assert_eq!(all, ["1.0", "1.1", "1.2", "2.0"].map(of));
    assert!(paths(&answer).contains(&"wiki/limits.md"), "{:?}", paths(&answer));
    assert_eq!(answer.context.matches("after five seconds").count(), 1);
    let told = serde_json::to_value(&answer.sections[0]).unwrap();
    assert_eq!(told["found_by"], "lexical");
    let plain = answer.sections.iter().find(|one| one.path == "wiki/limits.md").unwrap();
    assert_eq!(serde_json::to_value(plain).unwrap()["near_duplicates"], serde_json::json!([]));
}

/// Pages of SDKs that share a paragraph; the last one says more about its words.
fn sdks() -> Project {
    let project = Project::with(READY, &[]);
    let shared = "The access token that the server returns is valid for fifteen minutes. After that \
                  time every call fails with the status 401, and the client has to ask for a new \
                  access token with the refresh token that came with the first one.";
    let others = |name: &str, count: usize| {
        (0..count).map(|n| format!("{name}{n}")).collect::<Vec<_>>().join(" ")
    };
    for name in ["go", "java", "python", "ruby"] {
        let more = if name == "ruby" { "\n\nIn Ruby a token is frozen." } else { "" };
        let text = format!(
            "# {name} SDK\n\n## Authentication\n\n{}\n\n{shared}\n\n{}{more}\n",
            others(&format!("{name}a"), 30),
            others(&format!("{name}b"), 40)
        );
        project.write("acme", &format!("wiki/{name}.md"), &text);
    }
    project
}

#[test]
fn ma_7_same_paragraph_in_several_sections_counts_once() {
    let project = sdks();
    let answer = project.ask("How long is access valid?", 2_000);
    let [shown] = answer.sections.as_slice() else { panic!("{:?}", paths(&answer)) };
    assert_eq!(shown.near_duplicates.len(), 3, "{shown:?}");
    assert_eq!(answer.context.matches("fifteen minutes").count(), 1);
    // What a section says beside the paragraph about the words of the task is not shown by another.
    let answer = project.ask("How long is an access token valid?", 2_000);
    assert!(answer.context.contains("a token is frozen"), "{}", answer.context);
    let others: usize = answer.sections.iter().map(|one| one.near_duplicates.len()).sum();
    assert_eq!((answer.sections.len() + others, others >= 2), (4, true), "{:?}", answer.sections);
}

#[test]
fn ma_7_passages_beside_hit_take_room_that_is_left() {
    let filler = |number: usize| {
        format!("Paragraph {number} of the story goes on about hills and rivers. ").repeat(9)
    };
    let paragraphs: Vec<String> = (0..8)
        .map(|number| match number {
            3 => format!("The zeppelin lands here. {}", filler(number)),
            _ => filler(number),
        })
        .collect();
    let text = format!("# Story\n\n{}\n", paragraphs.join("\n\n"));
    let project = Project::with(READY, &[("wiki/story.md", &text)]);
    let lines = |budget: u64| -> Vec<(u32, u32)> {
        project.ask("zeppelin", budget).sections.iter().map(|one| one.lines).collect()
    };
    let wide = lines(2_000);
    let narrow = lines(300);
    assert_eq!(narrow.len(), 1);
    assert_eq!((wide[0], wide.len()), (narrow[0], 3), "{wide:?}");
    let hit = wide[0];
    assert!(wide.iter().any(|one| one.1 < hit.0) && wide.iter().any(|one| one.0 > hit.1));
    assert_eq!(headings(&project.ask("zeppelin", 2_000)), ["Story"; 3]);
    // Nothing joins where nothing matches.
    assert!(project.ask("submarine", 2_000).sections.is_empty());
}
