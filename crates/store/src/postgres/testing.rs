//! Databases of tests: a schema each, in the database that the variable `CONTEXTURE_POSTGRES` names.

use super::{Address, Postgres};
use std::sync::Arc;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

pub(crate) fn tls() -> ClientConfig {
    ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth()
}

/// Opens an address with one more parameter.
pub(crate) fn with(parameters: &str) -> Arc<Postgres> {
    let url = std::env::var("CONTEXTURE_POSTGRES").expect("CONTEXTURE_POSTGRES names no database");
    let address = Address::parse(&format!("{url}{parameters}"), None).unwrap();
    Postgres::open(address, tls(), &crate::stamp::system()).unwrap()
}

/// Makes a schema; returns the parameters of an address that lead there.
pub(crate) fn schema() -> String {
    let name = format!("test_{}", crate::stamp::system().next().0);
    let postgres = with("");
    postgres.link.with(|session| session.batch(&format!("create schema {name}"))).unwrap();
    format!("?options=-csearch_path%3D{name}")
}

/// Returns an empty database.
pub(crate) fn fresh() -> Arc<Postgres> {
    with(&schema())
}
