//! The protocols of networks, within the settings of a project (REF-22, REF-23).

use crate::project::Project;
use contexture_reference::Protocol;
use contexture_reference::protocols::{
    CacheSettings, Ftp, Http, HttpSettings, NetworkSettings, Sftp, SshSettings,
};
use std::path::PathBuf;
use std::sync::Arc;

/// `http`, `https`, `ftp`, `sftp` and `ssh`.
pub(super) fn protocols(project: &Project) -> Vec<Arc<dyn Protocol>> {
    let network = NetworkSettings {
        allow_private: project.config.network.allow_private.clone(),
        ..NetworkSettings::default()
    };
    let folder = project.state_folder().join("cache").join("http");
    let http = HttpSettings {
        network: network.clone(),
        cache: project.config.references.cache.then(|| CacheSettings::in_folder(folder)),
        ..HttpSettings::default()
    };
    let variable = |name: &str| project.environment.get(name);
    let ssh = match super::home(project) {
        Some(home) => SshSettings::in_home(home, network.clone()),
        None => SshSettings { network: network.clone(), ..SshSettings::default() },
    };
    let ssh = SshSettings {
        agent: variable("SSH_AUTH_SOCK").map(PathBuf::from),
        user: variable("USER").or_else(|| variable("LOGNAME")).map(str::to_owned),
        ..ssh
    };
    let mut protocols: Vec<Arc<dyn Protocol>> = vec![Arc::new(Ftp::new(network))];
    protocols.extend(Http::protocols(http));
    protocols.extend(Sftp::protocols(ssh));
    protocols
}
