//! The network protocols of this build, within the settings of a project (REF-22, REF-23).

use crate::project::Project;
use contexture_reference::Protocol;
use contexture_reference::protocols::NetworkSettings;
use std::sync::Arc;

/// Returns `http`, `https`, `ftp`, `sftp` and `ssh`, each with its feature.
pub(super) fn protocols(project: &Project) -> Vec<Arc<dyn Protocol>> {
    let lists: &[Vec<Arc<dyn Protocol>>] = &[
        #[cfg(feature = "references-ftp")]
        vec![Arc::new(contexture_reference::protocols::Ftp::new(settings(project)))],
        #[cfg(feature = "references-net")]
        http(project).into(),
        #[cfg(feature = "references-ssh")]
        ssh(project).into(),
    ];
    lists.concat()
}

fn settings(project: &Project) -> NetworkSettings {
    NetworkSettings {
        allow_private: project.config.network.allow_private.clone(),
        ..NetworkSettings::default()
    }
}

#[cfg(feature = "references-net")]
fn http(project: &Project) -> [Arc<dyn Protocol>; 2] {
    use contexture_reference::protocols::{CacheSettings, Http, HttpSettings};
    let folder = project.state_folder().join("cache").join("http");
    Http::protocols(HttpSettings {
        network: settings(project),
        cache: project.config.references.cache.then(|| CacheSettings::in_folder(folder)),
        ..HttpSettings::default()
    })
}

#[cfg(feature = "references-ssh")]
fn ssh(project: &Project) -> [Arc<dyn Protocol>; 2] {
    use contexture_reference::protocols::{Sftp, SshSettings};
    let network = settings(project);
    let variable = |name: &str| project.environment.get(name);
    let ssh = match project.home() {
        Some(home) => SshSettings::in_home(home, network),
        None => SshSettings { network, ..SshSettings::default() },
    };
    Sftp::protocols(SshSettings {
        agent: variable("SSH_AUTH_SOCK").map(std::path::PathBuf::from),
        user: variable("USER").or_else(|| variable("LOGNAME")).map(str::to_owned),
        ..ssh
    })
}
