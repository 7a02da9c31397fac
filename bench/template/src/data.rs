//! The prompt, its variables, and the text they make.

use serde::Serialize;
use std::fmt::Write;

pub const OURS: &str = "\
# {{title}}
You are {{role}} for {{company}} in {{city}}, {{country}}. Date: {{date}}.
Tone: {{tone}}; language: {{language}}; audience: {{audience}}.
{{#if urgent}}Answer at once: {{deadline}}.
{{else}}Take your time.
{{/if}}Goal: {{goal}} ({{metric}}). Owner: {{owner}}, reviewer: {{reviewer}}.
{{#each items}}{{id}}. {{name}} - {{note}}
{{/each}}Summary for {{reader}}: {{summary}}. Style: {{style}}; limit: {{limit}}.
{{> footer}}.";
pub const OURS_PARTIAL: &str = "-- {{signature}}, {{contact}}";

pub const JINJA: &str = "\
# {{ title }}
You are {{ role }} for {{ company }} in {{ city }}, {{ country }}. Date: {{ date }}.
Tone: {{ tone }}; language: {{ language }}; audience: {{ audience }}.
{% if urgent %}Answer at once: {{ deadline }}.
{% else %}Take your time.
{% endif %}Goal: {{ goal }} ({{ metric }}). Owner: {{ owner }}, reviewer: {{ reviewer }}.
{% for item in items %}{{ item.id }}. {{ item.name }} - {{ item.note }}
{% endfor %}Summary for {{ reader }}: {{ summary }}. Style: {{ style }}; limit: {{ limit }}.
{% include \"footer\" %}.";
pub const JINJA_PARTIAL: &str = "-- {{ signature }}, {{ contact }}";

#[derive(Serialize, Clone)]
pub struct Item {
    pub id: i64,
    pub name: String,
    pub note: String,
}

/// The variables that are printed; `urgent` and `items` come on top.
pub const VARS: [(&str, &str); 20] = [
    ("title", "Weekly review of open matters"),
    ("role", "an experienced analyst"),
    ("company", "Northwind Traders"),
    ("city", "Rotterdam"),
    ("country", "the Netherlands"),
    ("date", "2026-11-21"),
    ("tone", "matter-of-fact"),
    ("language", "English"),
    ("audience", "the board"),
    ("deadline", "today at 17:00"),
    ("goal", "find what blocks the release"),
    ("metric", "days of delay"),
    ("owner", "Ms Jansen"),
    ("reviewer", "Mr de Vries"),
    ("reader", "the managing director"),
    ("summary", "one paragraph, then a table"),
    ("style", "short sentences"),
    ("limit", "400 words"),
    ("signature", "Planning department"),
    ("contact", "planning@example.org"),
];
pub fn items() -> Vec<Item> {
    (0..100)
        .map(|at| Item {
            id: 1000 + at * 7,
            name: format!("matter number {at} of the list"),
            note: format!("waits for {} days as of now", at * 3 % 41),
        })
        .collect()
}

/// Everything as JSON.
pub fn json() -> serde_json::Value {
    let mut all = serde_json::Map::new();
    for (name, value) in VARS {
        all.insert(name.into(), value.into());
    }
    all.insert("urgent".into(), true.into());
    all.insert("items".into(), serde_json::to_value(items()).expect("plain data"));
    all.into()
}

pub fn by_hand() -> String {
    let mut out = String::new();
    with_write(&mut out, &VARS.map(|(_, value)| value), &items(), true);
    out
}

/// The text with `write!`: what a person would write in place of a template.
pub fn with_write(out: &mut String, vars: &[&str; 20], items: &[Item], urgent: bool) {
    let [title, role, company, city, country, date, tone, language, audience, deadline, goal, metric, ..] = vars;
    let [.., owner, reviewer, reader, summary, style, limit, signature, contact] = vars;
    let _ = write!(
        out,
        "# {title}\nYou are {role} for {company} in {city}, {country}. Date: {date}.\n\
         Tone: {tone}; language: {language}; audience: {audience}.\n"
    );
    if urgent {
        let _ = writeln!(out, "Answer at once: {deadline}.");
    } else {
        out.push_str("Take your time.\n");
    }
    let _ = writeln!(out, "Goal: {goal} ({metric}). Owner: {owner}, reviewer: {reviewer}.");
    for item in items {
        let _ = writeln!(out, "{}. {} - {}", item.id, item.name, item.note);
    }
    let _ = write!(
        out,
        "Summary for {reader}: {summary}. Style: {style}; limit: {limit}.\n-- {signature}, {contact}."
    );
}
