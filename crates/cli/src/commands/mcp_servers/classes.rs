//! The classes that a person gives to tools with `--class` (GU-2).

use crate::prelude::*;
use contexture::diagnostic::suggestion;
use contexture::mcp::{Classes, Definition};
use contexture::ports::policy::Class;

/// `--class CLASS=TOOL,TOOL`.
#[derive(Debug, Clone)]
pub(super) struct GivenClass {
    class: Class,
    tools: Vec<String>,
}

pub(super) fn parse(text: &str) -> Result<GivenClass, String> {
    let (word, tools) = text.split_once('=').ok_or("write CLASS=TOOL, such as read=read_file")?;
    let class = Class::parse(word)
        .ok_or_else(|| format!("`{word}` is not read, write, send or execute"))?;
    let tools: Vec<String> = tools.split(',').map(|tool| tool.trim().to_owned()).collect();
    if tools.iter().any(String::is_empty) {
        return Err("the name of a tool is empty".to_owned());
    }
    Ok(GivenClass { class, tools })
}

/// Returns the class of each tool that one is given to.
pub(super) fn of_tools(given: &[GivenClass], offered: &[Definition]) -> Result<Classes, Abort> {
    let mut classes = Classes::new();
    for GivenClass { class, tools } in given {
        for tool in tools {
            let names = offered.iter().map(|known| known.name.as_str());
            if !names.clone().any(|known| known == tool) {
                let help = suggestion(tool, names)
                    .unwrap_or_else(|| "`contexture mcp-servers list` shows the tools".to_owned());
                let message = format!("the server has no tool `{}`", one_line(tool));
                return Err(refused(message, help));
            }
            if classes.insert(tool.clone(), *class).is_some_and(|before| before != *class) {
                let message = format!("`{}` is given two classes", one_line(tool));
                return Err(refused(message, "give each tool one class".to_owned()));
            }
        }
    }
    Ok(classes)
}

fn refused(message: String, help: String) -> Abort {
    CommandError::refused("bad_usage", message).help(help).into()
}
