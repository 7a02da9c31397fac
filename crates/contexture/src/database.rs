//! The stores of a project in a PostgreSQL database: contexts, the journal of flows and waits (WA-11).

#[cfg(feature = "postgres")]
mod copied;

use crate::project::Project;
use crate::stores::Stores;
use contexture_store::Counts;
use contexture_store::contexts::{KeyName, PendingKey};
use std::path::Path;

/// The variable of the environment with the password, where none stands in the address.
pub const PASSWORD: &str = "PGPASSWORD";

/// The reason why a database can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct DatabaseError {
    /// The cause, without a password.
    pub message: String,
    /// How to fix it.
    pub help: String,
}

/// A database in use; a clone is the same. It is held as long as what is made of it.
#[derive(Debug, Clone)]
pub struct Database {
    /// The stores in it, for [`Project::stores`].
    pub stores: Stores,
    #[cfg(feature = "postgres")]
    postgres: std::sync::Arc<contexture_store::postgres::Postgres>,
}

/// What servers left that are gone, and this process works on now.
#[derive(Debug, Default)]
pub struct Left {
    /// The number of servers that are gone.
    pub servers: u64,
    /// The messages without an answer, the oldest first.
    pub pending: Vec<PendingKey>,
    /// The runs of sets that have not ended, and of the newest ones those that have.
    pub runs: Vec<String>,
    /// The runs of turns with a journal.
    pub journals: Vec<String>,
}

/// What another server changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// Contexts, by their incarnations.
    Contexts(Vec<u64>),
    /// Calls and questions that wait.
    Waits,
    /// Clients that came or left.
    Clients,
    /// Messages that are to be cancelled.
    Cancelled,
    /// Anything: notices may have been lost.
    All,
}

/// A client that announced its tools to one of the servers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Announced {
    /// The id of its session.
    pub session: String,
    /// Its owner.
    pub owner: String,
    /// What it announced, as JSON.
    pub capabilities: String,
    /// True if it is a service that registered its tools.
    pub is_service: bool,
    /// True if it is connected.
    pub is_here: bool,
}

/// Reports whether a text is meant as the address of a database.
#[must_use]
pub fn is_address(text: &str) -> bool {
    ["postgres:", "postgresql:"].iter().any(|scheme| text.starts_with(scheme))
}

#[cfg(feature = "postgres")]
mod with {
    use super::{Announced, Database, DatabaseError, KeyName, Left, Notice, PASSWORD};
    use crate::contexts::{self, KeyError};
    use crate::flows::secrets;
    use crate::project::Project;
    use crate::stores::Stores;
    use contexture_core::store::journals::Journals;
    use contexture_store::contexts::{ContextError, PostgresContexts};
    use contexture_store::flows::{FlowStoreError, Options, PostgresJournal};
    use contexture_store::masker::Masker;
    use contexture_store::postgres::{self, Address, Postgres, PostgresError};
    use std::sync::Arc;

    impl DatabaseError {
        pub(super) fn of(message: impl ToString, help: impl Into<String>) -> Self {
            Self { message: message.to_string(), help: help.into() }
        }
    }

    impl From<Announced> for postgres::Announced {
        fn from(client: Announced) -> Self {
            let Announced { session, owner, capabilities, is_service, is_here } = client;
            Self { session, owner, capabilities, is_service, is_here }
        }
    }

    impl From<postgres::Announced> for Announced {
        fn from(client: postgres::Announced) -> Self {
            let postgres::Announced { session, owner, capabilities, is_service, is_here } = client;
            Self { session, owner, capabilities, is_service, is_here }
        }
    }

    impl From<postgres::Left> for Left {
        fn from(left: postgres::Left) -> Self {
            let postgres::Left { servers, pending, runs, journals } = left;
            Self { servers, pending, runs, journals }
        }
    }

    impl From<PostgresError> for DatabaseError {
        fn from(error: PostgresError) -> Self {
            Self::of(&error, error.help())
        }
    }

    impl From<KeyError> for DatabaseError {
        fn from(error: KeyError) -> Self {
            Self::of(&error, error.help())
        }
    }

    impl From<ContextError> for DatabaseError {
        fn from(error: ContextError) -> Self {
            Self::of(&error, error.help())
        }
    }

    impl From<FlowStoreError> for DatabaseError {
        fn from(error: FlowStoreError) -> Self {
            Self::of(&error, error.help())
        }
    }

    pub(super) fn open(project: &Project, address: &str) -> Result<Database, DatabaseError> {
        let address = Address::parse(address, project.environment.get(PASSWORD))?;
        let options = contexts::options(project)?;
        let tls = contexture_tools::client::tls(true)
            .map_err(|error| DatabaseError::of(error, "see what the system reports"))?;
        let postgres = Postgres::open(address, tls, &options.ids)?;
        let masker = Arc::new(Masker::of_values(secrets(project)));
        let (ids, sealer) = (Arc::clone(&options.ids), options.sealer.clone());
        let journal = Options { masker, ids, sealer, ..Options::default() };
        let journal = PostgresJournal::open_in(&postgres, journal)?;
        let contexts = Arc::new(PostgresContexts::open_in(&postgres, options)?);
        let journals = Some(Arc::clone(&journal) as Arc<dyn Journals>);
        let stores = Stores {
            contexts: Some(contexts),
            journal: Some(journal),
            journals,
            runs: project.stores.runs.clone(),
            memory: project.stores.memory.clone(),
        };
        Ok(Database { stores, postgres })
    }

    pub(super) use super::copied::copy;

    enum Reported<E> {
        Change(E),
        Database(PostgresError),
    }

    impl<E> From<PostgresError> for Reported<E> {
        fn from(error: PostgresError) -> Self {
            Self::Database(error)
        }
    }

    impl Database {
        /// Makes this process one of the servers of the database, and takes what no living one works on.
        ///
        /// # Errors
        /// [`DatabaseError`].
        pub fn join(&self) -> Result<Left, DatabaseError> {
            Ok(self.postgres.join()?.into())
        }

        /// Takes what servers left that are gone.
        ///
        /// # Errors
        /// [`DatabaseError`]; nothing was taken then.
        pub fn take_over(&self) -> Result<Left, DatabaseError> {
            Ok(self.postgres.take_over()?.into())
        }

        /// Leaves the servers of the database, when all is written: another one takes over what is left.
        pub fn leave(&self) {
            // Otherwise the lease ends by its time.
            drop(self.postgres.leave());
        }

        /// Hears from now on what other servers change.
        pub fn listen(&self, told: impl Fn(Notice) + Send + Sync + 'static) {
            self.postgres.listen(Arc::new(move |notice| {
                told(match notice {
                    postgres::Notice::Contexts(contexts) => Notice::Contexts(contexts),
                    postgres::Notice::Waits => Notice::Waits,
                    postgres::Notice::Clients => Notice::Clients,
                    postgres::Notice::Cancelled => Notice::Cancelled,
                    postgres::Notice::All => Notice::All,
                });
            }));
        }

        /// Asks whichever server works on a turn to cancel it; false if none does.
        ///
        /// # Errors
        /// [`DatabaseError`].
        pub fn cancel(
            &self,
            owner: &str,
            context: Option<&str>,
            message: &str,
        ) -> Result<bool, DatabaseError> {
            Ok(self.postgres.cancel(owner, context, message)?)
        }

        /// Returns the messages of this server that are to be cancelled, with their owners.
        ///
        /// # Errors
        /// [`DatabaseError`].
        pub fn cancelled(&self) -> Result<Vec<(String, KeyName)>, DatabaseError> {
            Ok(self.postgres.cancelled()?)
        }

        /// Tells other servers of clients that came or changed, and of sessions that ended.
        ///
        /// # Errors
        /// [`DatabaseError`].
        pub fn announce(
            &self,
            changed: Vec<Announced>,
            ended: &[String],
        ) -> Result<(), DatabaseError> {
            let changed: Vec<_> = changed.into_iter().map(postgres::Announced::from).collect();
            Ok(self.postgres.announce(&changed, ended)?)
        }

        /// Returns the clients of other servers, in the order in which they came.
        ///
        /// # Errors
        /// [`DatabaseError`].
        pub fn clients(&self) -> Result<Vec<Announced>, DatabaseError> {
            Ok(self.postgres.clients()?.into_iter().map(Announced::from).collect())
        }

        /// Reports whether what other servers change is heard now.
        #[must_use]
        pub fn is_heard(&self) -> bool {
            self.postgres.is_heard()
        }

        /// Reports whether this process was away for longer than its lease and another one took over:
        /// nothing is written any more.
        #[must_use]
        pub fn is_lost(&self) -> bool {
            self.postgres.is_lost()
        }

        /// Returns the name of the database, without a password.
        #[must_use]
        pub fn name(&self) -> &str {
            self.postgres.name()
        }

        /// Returns a text that all servers share, and the number of its last change; `None` before the
        /// first.
        ///
        /// # Errors
        /// [`DatabaseError`].
        pub fn text(&self, name: &str) -> Result<Option<(u64, String)>, DatabaseError> {
            Ok(self.postgres.text(name)?)
        }

        /// Returns the number of the last change of such a text; 0 before the first.
        ///
        /// # Errors
        /// [`DatabaseError`].
        pub fn text_version(&self, name: &str) -> Result<u64, DatabaseError> {
            Ok(self.postgres.text_version(name)?)
        }

        /// Changes such a text, empty before the first change, while nobody else does: to what `change`
        /// returns, if anything.
        ///
        /// # Errors
        /// What `change` returns, or a [`DatabaseError`]; nothing is changed then.
        pub fn change_text<T, E: From<DatabaseError>>(
            &self,
            name: &str,
            change: impl FnOnce(&str) -> Result<(T, Option<String>), E>,
        ) -> Result<T, E> {
            // Which of the two reports is known where it is made.
            let changed =
                self.postgres.change_text(name, |text| change(text).map_err(Reported::Change));
            changed.map_err(|reported| match reported {
                Reported::Change(error) => error,
                Reported::Database(error) => DatabaseError::from(error).into(),
            })
        }
    }
}

#[cfg(not(feature = "postgres"))]
mod with {
    use super::{Announced, CopiedPlace, Counts, Database, DatabaseError, KeyName, Left, Notice};
    use crate::project::Project;
    use contexture_diagnostic::MissingFeature;

    const MISSING: MissingFeature =
        MissingFeature { part: "store in PostgreSQL", feature: "postgres" };

    fn missing() -> DatabaseError {
        DatabaseError { message: MISSING.to_string(), help: MISSING.help() }
    }

    pub(super) fn copy(
        _: &Project,
        _: (CopiedPlace<'_>, CopiedPlace<'_>),
        _: &mut Vec<(String, String)>,
    ) -> Result<Counts, DatabaseError> {
        Err(missing())
    }

    pub(super) fn open(_: &Project, _: &str) -> Result<Database, DatabaseError> {
        Err(missing())
    }

    impl Database {
        /// Refuses: this build has no such store.
        ///
        /// # Errors
        /// [`DatabaseError`].
        pub fn join(&self) -> Result<Left, DatabaseError> {
            Err(missing())
        }

        /// Refuses: this build has no such store.
        ///
        /// # Errors
        /// [`DatabaseError`].
        pub fn take_over(&self) -> Result<Left, DatabaseError> {
            Err(missing())
        }

        /// Does nothing.
        pub const fn leave(&self) {}

        /// Hears nothing.
        pub fn listen(&self, _: impl Fn(Notice) + Send + Sync + 'static) {}

        /// Refuses: this build has no such store.
        ///
        /// # Errors
        /// [`DatabaseError`].
        pub fn cancel(&self, _: &str, _: Option<&str>, _: &str) -> Result<bool, DatabaseError> {
            Err(missing())
        }

        /// Refuses: this build has no such store.
        ///
        /// # Errors
        /// [`DatabaseError`].
        pub fn cancelled(&self) -> Result<Vec<(String, KeyName)>, DatabaseError> {
            Err(missing())
        }

        /// Refuses: this build has no such store.
        ///
        /// # Errors
        /// [`DatabaseError`].
        pub fn announce(&self, _: Vec<Announced>, _: &[String]) -> Result<(), DatabaseError> {
            Err(missing())
        }

        /// Refuses: this build has no such store.
        ///
        /// # Errors
        /// [`DatabaseError`].
        pub fn clients(&self) -> Result<Vec<Announced>, DatabaseError> {
            Err(missing())
        }

        /// Reports that nothing is heard.
        #[must_use]
        pub const fn is_heard(&self) -> bool {
            false
        }

        /// Reports that nothing is lost.
        #[must_use]
        pub const fn is_lost(&self) -> bool {
            false
        }

        /// Returns no name.
        #[must_use]
        pub const fn name(&self) -> &str {
            ""
        }

        /// Refuses: this build has no such store.
        ///
        /// # Errors
        /// [`DatabaseError`].
        pub fn text(&self, _: &str) -> Result<Option<(u64, String)>, DatabaseError> {
            Err(missing())
        }

        /// Refuses: this build has no such store.
        ///
        /// # Errors
        /// [`DatabaseError`].
        pub fn text_version(&self, _: &str) -> Result<u64, DatabaseError> {
            Err(missing())
        }

        /// Refuses: this build has no such store.
        ///
        /// # Errors
        /// [`DatabaseError`].
        pub fn change_text<T, E: From<DatabaseError>>(
            &self,
            _: &str,
            _: impl FnOnce(&str) -> Result<(T, Option<String>), E>,
        ) -> Result<T, E> {
            Err(missing().into())
        }
    }
}

/// A place that is copied, or filled.
#[derive(Debug, Clone, Copy)]
pub enum CopiedPlace<'p> {
    /// The files of a folder, which nobody else uses: its contexts, and its runs and waits.
    Files {
        /// The contexts.
        contexts: &'p Path,
        /// The runs and waits.
        flows: &'p Path,
    },
    /// The address of a database.
    Database(&'p str),
}

/// Copies one place into another, which is empty, where one of them is a database; the first stays as it
/// is. The journals of turns of a folder are those of the project; `texts` are what it keeps under a name
/// that servers of a database share, each behind its name.
///
/// # Errors
/// [`DatabaseError`]; a database holds nothing then, and files that were begun are left to the caller.
pub fn copy(
    project: &Project,
    (from, to): (CopiedPlace<'_>, CopiedPlace<'_>),
    texts: &mut Vec<(String, String)>,
) -> Result<Counts, DatabaseError> {
    with::copy(project, (from, to), texts)
}

/// Opens a database, and makes its tables when they are missing. The password may stand in the
/// environment ([`PASSWORD`]).
///
/// # Errors
/// [`DatabaseError`], also in a build without the feature `postgres`.
pub fn open(project: &Project, address: &str) -> Result<Database, DatabaseError> {
    with::open(project, address)
}
