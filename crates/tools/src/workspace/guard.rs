//! The policy about paths, at the handle that every door uses (GU-1).
//!
//! Decision: a path is checked by its name before anything is opened, and by where it lies after:
//! the system is asked for the place of what was opened, so that a link that changes in between
//! changes nothing.

use super::{FileError, Workspace, WorkspacePath};
use cap_std::fs::Metadata;
use contexture_core::policy::paths::{Access, PathClass, PathPolicy, PathRefusal, secrets_in};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The policy of a workspace, and what was learnt since it was opened.
#[derive(Debug)]
pub(super) struct Guard {
    policy: PathPolicy,
    learnt: Mutex<Learnt>,
}

#[derive(Debug, Default)]
struct Learnt {
    /// The files of the running program.
    own: BTreeSet<WorkspacePath>,
    /// The texts of secret files that were read.
    secrets: BTreeSet<String>,
}

impl Guard {
    pub(super) fn new(policy: PathPolicy) -> Self {
        Self { policy, learnt: Mutex::default() }
    }

    fn learnt(&self) -> MutexGuard<'_, Learnt> {
        self.learnt.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Workspace {
    /// Makes a file of the running program protected: the program may read it and not change it.
    pub fn protect(&self, path: &WorkspacePath) {
        let real = self.real_path(path).unwrap_or_else(|_| path.clone());
        self.guard.learnt().own.insert(real);
    }

    /// Protects and masks what another handle of the same workspace has learnt that must be.
    pub fn learn_of(&self, other: &Self) {
        let (own, secrets) = {
            let learnt = other.guard.learnt();
            (learnt.own.clone(), learnt.secrets.clone())
        };
        let mut learnt = self.guard.learnt();
        learnt.own.extend(own);
        learnt.secrets.extend(secrets);
    }

    /// Returns the texts that must be masked of the secret files that were read so far.
    #[must_use]
    pub fn secrets(&self) -> Vec<String> {
        self.guard.learnt().secrets.iter().cloned().collect()
    }

    /// Returns the class of a place by its name; links are not followed.
    #[must_use]
    pub fn class(&self, path: &WorkspacePath) -> PathClass {
        let class = self.guard.policy.class(path.as_str());
        if class == PathClass::Open && self.guard.learnt().own.contains(path) {
            return PathClass::Protected;
        }
        class
    }

    /// Checks a use of a place by its name.
    ///
    /// # Errors
    /// [`FileError::Refused`].
    pub fn permit(&self, path: &WorkspacePath, access: Access) -> Result<PathClass, FileError> {
        self.check(path, access).map_err(FileError::Refused)
    }

    fn check(&self, path: &WorkspacePath, access: Access) -> Result<PathClass, PathRefusal> {
        self.guard.policy.check_class(path.as_str(), self.class(path), access, self.door)
    }

    /// Checks a use of the place that `asked` leads to.
    pub(super) fn permit_real(
        &self,
        real: &WorkspacePath,
        asked: &WorkspacePath,
        access: Access,
    ) -> Result<PathClass, FileError> {
        self.check(real, access)
            .map_err(|refused| FileError::Refused(refused.asked_as(asked.as_str())))
    }

    /// Checks a use of a place by its name and by where links lead, and returns the latter.
    pub(super) fn permit_place(
        &self,
        path: &WorkspacePath,
        access: Access,
    ) -> Result<WorkspacePath, FileError> {
        self.permit(path, access)?;
        let real = self.real_path(path)?;
        self.permit_real(&real, path, access)?;
        Ok(real)
    }

    /// Checks a use of what was opened under a name, and returns its place and the stricter class.
    pub(super) fn permit_opened<H: Opened>(
        &self,
        opened: &H,
        path: &WorkspacePath,
        access: Access,
    ) -> Result<(WorkspacePath, PathClass), FileError> {
        let named = self.permit(path, access)?;
        let real = self.place_of(opened).map_or_else(|| self.real_path(path), Ok)?;
        let class = self.permit_real(&real, path, access)?;
        Ok((real, class.max(named)))
    }

    /// Remembers what of a secret file must be masked.
    pub(super) fn note_content(&self, class: PathClass, bytes: &[u8]) {
        if class == PathClass::Secret {
            self.guard.learnt().secrets.extend(secrets_in(&String::from_utf8_lossy(bytes)));
        }
    }

    /// Returns the place of what was opened, as the system has it; `None` where it can't tell.
    fn place_of<H: Opened>(&self, opened: &H) -> Option<WorkspacePath> {
        let place = opened.place()?;
        let below = Path::new(&place).strip_prefix(&*self.root).ok()?;
        WorkspacePath::from_relative(below, "").ok()
    }
}

/// Refuses to change a file that has other names, which may lie outside the workspace.
pub(super) fn require_own(found: &Metadata, path: &WorkspacePath) -> Result<(), FileError> {
    #[cfg(unix)]
    {
        use cap_std::fs::MetadataExt as _;
        if found.nlink() > 1 {
            return Err(FileError::HardLinked { path: path.to_string(), names: found.nlink() });
        }
    }
    let _ = (found, path);
    Ok(())
}

/// An opened file or folder.
pub(super) trait Opened {
    /// Returns its absolute path now.
    fn place(&self) -> Option<String>;
}

#[cfg(unix)]
impl<H: std::os::fd::AsFd> Opened for H {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn place(&self) -> Option<String> {
        use std::os::fd::AsRawFd as _;
        let link = format!("/proc/self/fd/{}", self.as_fd().as_raw_fd());
        let place = rustix::fs::readlink(link, Vec::new()).ok()?.into_string().ok()?;
        // The system adds this to the path of what has been removed meanwhile.
        Some(place.strip_suffix(" (deleted)").map_or(place.clone(), str::to_owned))
    }

    #[cfg(target_vendor = "apple")]
    fn place(&self) -> Option<String> {
        rustix::fs::getpath(self.as_fd()).ok()?.into_string().ok()
    }

    #[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
    fn place(&self) -> Option<String> {
        None
    }
}

#[cfg(not(unix))]
impl<H> Opened for H {
    fn place(&self) -> Option<String> {
        None
    }
}
