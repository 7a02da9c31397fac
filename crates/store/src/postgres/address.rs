//! The address of a database.

use super::PostgresError;
use std::net::IpAddr;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

/// The address of a database, `postgres://user:password@host:port/database?…`. It is written without its
/// password.
#[derive(Clone)]
pub struct Address(Config);

impl Address {
    /// Reports whether a text begins as the address of a database does.
    #[must_use]
    pub fn is_meant(text: &str) -> bool {
        ["postgres:", "postgresql:"].iter().any(|scheme| text.starts_with(scheme))
    }

    /// Reads an address; `password` is used where none stands in it. A connection to another machine is
    /// encrypted, unless `sslmode` says otherwise; a certificate is always verified.
    ///
    /// # Errors
    /// [`PostgresError::Address`], which shows nothing of the text.
    pub fn parse(text: &str, password: Option<&str>) -> Result<Self, PostgresError> {
        if !["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme)) {
            return Err(PostgresError::Address("it does not begin with `postgres://`"));
        }
        // Here both mean the same as `require`, which verifies.
        let text = text.replace("sslmode=verify-full", "sslmode=require");
        let text = text.replace("sslmode=verify-ca", "sslmode=require");
        let unread = |_| PostgresError::Address("a part of it can't be read");
        let mut config: Config = text.parse().map_err(unread)?;
        if config.get_hosts().is_empty() {
            return Err(PostgresError::Address("it names no host"));
        }
        if config.get_dbname().is_none() {
            return Err(PostgresError::Address("it names no database"));
        }
        if let (None, Some(password)) = (config.get_password(), password) {
            config.password(password);
        }
        if config.get_application_name().is_none() {
            config.application_name("contexture");
        }
        config.connect_timeout(super::CONNECT);
        if !text.contains("sslmode=") && !config.get_hosts().iter().all(is_here) {
            config.ssl_mode(SslMode::Require);
        }
        Ok(Self(config))
    }

    pub(super) fn config(&self) -> Config {
        self.0.clone()
    }

    /// Returns the address without the password and what stands behind the database.
    #[must_use]
    pub fn name(&self) -> String {
        let host = |host: &Host| match host {
            Host::Tcp(name) => name.clone(),
            #[cfg(unix)]
            Host::Unix(path) => path.display().to_string(),
        };
        let user = self.0.get_user().map(|user| format!("{user}@")).unwrap_or_default();
        let ports = self.0.get_ports();
        let hosts = self.0.get_hosts().iter().enumerate().map(|(index, one)| {
            let port = ports.get(index).or_else(|| ports.first()).copied().unwrap_or(5432);
            format!("{}:{port}", host(one))
        });
        let hosts: Vec<String> = hosts.collect();
        let database = self.0.get_dbname().unwrap_or_default();
        format!("postgres://{user}{}/{database}", hosts.join(","))
    }
}

impl std::fmt::Debug for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Address").field(&self.name()).finish()
    }
}

/// Reports whether a host is this machine.
fn is_here(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => {
            name == "localhost" || name.parse().is_ok_and(|address: IpAddr| address.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        Address::parse(text, None).unwrap_err().to_string()
    }

    #[test]
    fn wa_11_address_is_named_without_password() {
        let address = Address::parse(
            "postgres://ann:geheim%40x@db.example.com/app?sslmode=verify-full",
            None,
        );
        let address = address.unwrap();
        assert_eq!(address.name(), "postgres://ann@db.example.com:5432/app");
        assert!(!format!("{address:?}").contains("geheim"));
        for broken in ["postgres://ann:geheim@h:99999/d", "postgres://ann:geheim@h/d?x=geheim"] {
            assert!(!refused(broken).contains("geheim"), "{broken}");
        }
        assert!(refused("postgres:geheim").contains("does not begin"));
        assert!(refused("postgres://ann:geheim@h").contains("no database"));
    }

    #[test]
    fn wa_11_connection_to_other_machine_is_encrypted_unless_refused() {
        let mode = |text: &str| Address::parse(text, None).unwrap().0.get_ssl_mode();
        assert_eq!(mode("postgres://ann@db.example.com/app"), SslMode::Require);
        assert_eq!(mode("postgres://ann@10.0.0.7/app"), SslMode::Require);
        assert_eq!(mode("postgres://ann@db.example.com/app?sslmode=disable"), SslMode::Disable);
        assert_eq!(mode("postgres://ann@127.0.0.1/app"), SslMode::Prefer);
        assert_eq!(mode("postgres://ann@localhost,db.example.com/app"), SslMode::Require);
    }

    #[test]
    fn wa_11_password_of_address_comes_before_given_one() {
        let password = |text: &str| {
            let address = Address::parse(text, Some("other")).unwrap();
            String::from_utf8(address.0.get_password().unwrap().to_vec()).unwrap()
        };
        assert_eq!(password("postgres://ann:own@localhost/app"), "own");
        assert_eq!(password("postgres://ann@localhost/app"), "other");
    }
}
