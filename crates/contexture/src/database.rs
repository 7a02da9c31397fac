//! The stores of a project in a PostgreSQL database: contexts, the journal of flows and waits (WA-11).

use crate::project::Project;
use crate::stores::Stores;

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

/// Reports whether a text is meant as the address of a database.
#[must_use]
pub fn is_address(text: &str) -> bool {
    ["postgres:", "postgresql:"].iter().any(|scheme| text.starts_with(scheme))
}

#[cfg(feature = "postgres")]
mod with {
    use super::{Database, DatabaseError, PASSWORD};
    use crate::contexts::{self, KeyError};
    use crate::flows::secrets;
    use crate::project::Project;
    use crate::stores::Stores;
    use contexture_store::contexts::{ContextError, PostgresContexts};
    use contexture_store::flows::{FlowStoreError, Options, PostgresJournal};
    use contexture_store::masker::Masker;
    use contexture_store::postgres::{Address, Postgres, PostgresError};
    use std::sync::Arc;

    impl DatabaseError {
        fn of(message: impl ToString, help: impl Into<String>) -> Self {
            Self { message: message.to_string(), help: help.into() }
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
        let stores = Stores {
            contexts: Some(contexts),
            journal: Some(journal),
            runs: project.stores.runs.clone(),
            memory: project.stores.memory.clone(),
        };
        Ok(Database { stores, postgres })
    }

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
        /// Makes this process the one server of the database, unless another one lives.
        ///
        /// # Errors
        /// [`DatabaseError`].
        pub fn serve_alone(&self) -> Result<(), DatabaseError> {
            Ok(self.postgres.serve_alone()?)
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
    use super::{Database, DatabaseError};
    use crate::project::Project;
    use contexture_diagnostic::MissingFeature;

    const MISSING: MissingFeature =
        MissingFeature { part: "store in PostgreSQL", feature: "postgres" };

    fn missing() -> DatabaseError {
        DatabaseError { message: MISSING.to_string(), help: MISSING.help() }
    }

    pub(super) fn open(_: &Project, _: &str) -> Result<Database, DatabaseError> {
        Err(missing())
    }

    impl Database {
        /// Refuses: this build has no such store.
        ///
        /// # Errors
        /// [`DatabaseError`].
        pub fn serve_alone(&self) -> Result<(), DatabaseError> {
            Err(missing())
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

/// Opens a database, and makes its tables when they are missing. The password may stand in the
/// environment ([`PASSWORD`]).
///
/// # Errors
/// [`DatabaseError`], also in a build without the feature `postgres`.
pub fn open(project: &Project, address: &str) -> Result<Database, DatabaseError> {
    with::open(project, address)
}
