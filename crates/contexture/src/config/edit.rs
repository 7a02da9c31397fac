//! A setting written into the text of a configuration, all else as it is.
//!
//! Decision: lines are looked at, not the grammar of TOML, and then both texts are read and compared:
//! a text for which that is not enough is left alone, and a person is told what to write.

use toml::{Table, Value};

/// Returns the text with `[section] name = "value"`; `None` when it can't be written there without
/// another change.
pub(crate) fn with_setting(text: &str, section: &str, name: &str, value: &str) -> Option<String> {
    let mut wanted: Table = text.strip_prefix('\u{feff}').unwrap_or(text).parse().ok()?;
    let table = wanted.entry(section).or_insert_with(|| Value::Table(Table::new()));
    table.as_table_mut()?.insert(name.to_owned(), Value::String(value.to_owned()));
    // Strings of JSON are strings of TOML.
    let line = format!("{name} = {}", serde_json::Value::from(value));
    let edited = edited(text, section, name, &line);
    let read: Table = edited.strip_prefix('\u{feff}').unwrap_or(&edited).parse().ok()?;
    (read == wanted).then_some(edited)
}

fn edited(text: &str, section: &str, name: &str, line: &str) -> String {
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let header = lines.iter().position(|one| is_header(one, section));
    let Some(header) = header else {
        let gap = match text {
            "" => "",
            text if text.ends_with('\n') => end,
            _ => &format!("{end}{end}"),
        };
        return format!("{text}{gap}[{section}]{end}{line}{end}");
    };
    let own = lines.iter().skip(header + 1).take_while(|one| !one.trim_start().starts_with('['));
    let present = own.clone().position(|one| sets(one, name)).map(|at| header + 1 + at);
    let mut edited = String::with_capacity(text.len() + line.len() + 2);
    for (at, one) in lines.iter().enumerate() {
        if present == Some(at) {
            let ending = one.len() - one.trim_end_matches(['\r', '\n']).len();
            edited.push_str(line);
            edited.push_str(one.get(one.len() - ending..).unwrap_or_default());
            continue;
        }
        edited.push_str(one);
        if present.is_none() && at == header {
            if !one.ends_with('\n') {
                edited.push_str(end);
            }
            edited.push_str(line);
            edited.push_str(end);
        }
    }
    edited
}

/// Reports whether a line begins a section.
fn is_header(line: &str, section: &str) -> bool {
    let line = line.split('#').next().unwrap_or_default().trim().trim_start_matches('\u{feff}');
    line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).map(str::trim) == Some(section)
}

/// Reports whether a line gives a name its value.
fn sets(line: &str, name: &str) -> bool {
    line.trim_start().strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with('='))
}

#[cfg(test)]
mod tests {
    use super::with_setting;

    fn edit(text: &str) -> Option<String> {
        with_setting(text, "knowledge", "embedder", "folder:models/wl")
    }

    const LINE: &str = "embedder = \"folder:models/wl\"";

    #[test]
    fn ma_7_setting_is_written_where_its_section_is() {
        for (text, wanted) in [
            ("", format!("[knowledge]\n{LINE}\n")),
            ("model = \"mock\"", format!("model = \"mock\"\n\n[knowledge]\n{LINE}\n")),
            ("[a]\nb = 1\n", format!("[a]\nb = 1\n\n[knowledge]\n{LINE}\n")),
            (
                "[knowledge] # packs\n# old\n\n[a]\nb = 1\n",
                format!("[knowledge] # packs\n{LINE}\n# old\n\n[a]\nb = 1\n"),
            ),
            (
                "[knowledge]\nlang = \"en\"\nembedder=\"openai://e\"\n[a]\nembedder = 1\n",
                format!("[knowledge]\nlang = \"en\"\n{LINE}\n[a]\nembedder = 1\n"),
            ),
            (
                "[knowledge]\r\nlang = \"en\"\r\n",
                format!("[knowledge]\r\n{LINE}\r\nlang = \"en\"\r\n"),
            ),
            ("\u{feff}[knowledge]\n", format!("\u{feff}[knowledge]\n{LINE}\n")),
            ("[knowledge]", format!("[knowledge]\n{LINE}\n")),
        ] {
            assert_eq!(edit(text).as_deref(), Some(&*wanted), "{text:?}");
        }
        let odd = with_setting("", "knowledge", "embedder", "folder:C:\\a \"b\"").unwrap();
        let read: toml::Table = odd.parse().unwrap();
        assert_eq!(read["knowledge"]["embedder"].as_str(), Some("folder:C:\\a \"b\""));
    }

    #[test]
    fn ma_7_text_that_has_the_section_in_another_form_is_left_alone() {
        for text in [
            "knowledge = { lang = \"en\" }\n",
            "knowledge.lang = \"en\"\n",
            "[a]\nb = \"\"\"\n[knowledge]\n\"\"\"\n",
            "[knowledge]\nembedder = \"\"\"\nfolder:x\"\"\"\n",
            "[knowledge\n",
        ] {
            assert_eq!(edit(text), None, "{text:?}");
        }
    }
}
