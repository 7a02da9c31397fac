//! Where a server keeps what it keeps: in a folder, or in a database and a folder.
//!
//! Decision: with a database, the folder holds what belongs to one server: its audit log.

use super::codes;
use super::tokens::Tokens;
use crate::fault::Fault;
use contexture::Project;
use contexture::database::{self, is_address};
use std::path::{Path, PathBuf};

/// Where contexts are kept.
#[derive(Clone)]
pub struct Place {
    /// The folder; with a database, that of the audit log.
    pub folder: PathBuf,
    /// The address of the database of contexts, flows and tokens, which may hold a password.
    pub database: Option<String>,
}

impl Place {
    /// Returns the place that was asked for, else that of the settings, else `.contexture/data`. It is
    /// a folder, `sqlite:FOLDER`, or `postgres://…`.
    ///
    /// # Errors
    /// A [`Fault`] for any other kind of store.
    pub fn of(project: &Project, asked: Option<&Path>) -> Result<Self, Fault> {
        let own = || project.state_folder().join("data");
        let (given, base) = match (asked, &project.config.serve.data) {
            (Some(asked), _) => (asked, Path::new("")),
            (None, Some(set)) => (set.as_path(), project.root.as_path()),
            (None, None) => return Ok(Self { folder: own(), database: None }),
        };
        let text = given.to_string_lossy();
        if is_address(&text) {
            return Ok(Self { folder: own(), database: Some(text.into_owned()) });
        }
        if let Some(folder) = text.strip_prefix("sqlite:") {
            return Ok(Self { folder: base.join(folder), database: None });
        }
        if let Some((scheme, _)) = text.split_once("://") {
            let message = format!("`{scheme}` is not a store of contexts");
            return Err(Fault::of(codes::BAD_DATA, message)
                .with_help("name a folder, `sqlite:FOLDER` or `postgres://user@host/database`"));
        }
        Ok(Self { folder: base.join(given), database: None })
    }

    /// Returns the tokens of the servers at this place.
    ///
    /// # Errors
    /// A [`Fault`] when the database can't be used.
    pub fn tokens(&self, project: &Project) -> Result<Tokens, Fault> {
        match &self.database {
            Some(address) => Ok(Tokens::in_database(database::open(project, address)?)),
            None => Ok(Tokens::in_folder(&self.folder)),
        }
    }

    /// Returns the folder, unless the contexts are in a database.
    ///
    /// # Errors
    /// A [`Fault`] that says so.
    pub fn only_folder(self) -> Result<PathBuf, Fault> {
        if self.database.is_none() {
            return Ok(self.folder);
        }
        let message = "this command works on a data folder, and the contexts are in a database";
        let help = "ask the server, over HTTP, or name the folder of another one with `--data`";
        Err(Fault::of(codes::BAD_DATA, message).with_help(help))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contexture::{Config, Environment};

    fn project(settings: &str) -> Project {
        let config = Config::parse("contexture.toml", settings).unwrap();
        Project::with_config(Path::new("/p"), config, Environment::default())
    }

    #[test]
    fn wa_11_place_is_folder_or_database() {
        let none = project("");
        let place = |project: &Project, asked: Option<&str>| {
            let place = Place::of(project, asked.map(Path::new)).unwrap();
            (place.folder.to_string_lossy().into_owned(), place.database)
        };
        let own = "/p/.contexture/data".to_owned();
        assert_eq!(place(&none, None), (own.clone(), None));
        assert_eq!(place(&none, Some("there")), ("there".to_owned(), None));
        assert_eq!(place(&none, Some("sqlite:there")), ("there".to_owned(), None));
        let url = "postgres://ann@db/app".to_owned();
        assert_eq!(place(&none, Some(&url)), (own.clone(), Some(url.clone())));
        let set = project(&format!("[serve]\ndata = \"{url}\"\n"));
        assert_eq!(place(&set, None), (own, Some(url)));
        assert_eq!(place(&set, Some("there")), ("there".to_owned(), None));
        let set = project("[serve]\ndata = \"kept\"\n");
        assert_eq!(place(&set, None), ("/p/kept".to_owned(), None));
    }

    #[test]
    fn wa_11_unknown_store_is_refused_without_its_password() {
        let asked = Path::new("mysql://ann:geheim@db/app");
        let fault = Place::of(&project(""), Some(asked)).err().unwrap();
        assert!(fault.message.contains("`mysql`") && !fault.message.contains("geheim"));
        let database = Place::of(&project(""), Some(Path::new("postgres://a:geheim@b/c"))).unwrap();
        let fault = database.only_folder().unwrap_err();
        assert!(!fault.message.contains("geheim"), "{}", fault.message);
    }
}
