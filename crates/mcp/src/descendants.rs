//! The processes that a process started, also those that left its group.
//!
//! Decision: a group is ended as a whole, but whoever calls `setsid` is in it no longer. So the
//! children and their children are noted before the end, as far as the system shows: on Linux
//! through `/proc`. One whose parent ended before is nobody's child that is known here, and is not
//! found.

/// The descendants of a process, as they were at one moment.
#[derive(Debug, Default)]
pub(crate) struct Descendants(Vec<Member>);

/// A process, with the time of its start: numbers are reused.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Member {
    pid: u32,
    parent: u32,
    started: String,
}

/// So many processes are looked at.
const MOST: usize = 100_000;

impl Descendants {
    /// Returns those that descend from a process now.
    pub(crate) fn of(root: Option<u32>) -> Self {
        let Some(root) = root else { return Self::default() };
        let all = all();
        let mut found: Vec<Member> = Vec::new();
        let mut parents = vec![root];
        while let Some(parent) = parents.pop() {
            for child in all.iter().filter(|member| member.parent == parent) {
                if child.pid != root && !found.contains(child) {
                    parents.push(child.pid);
                    found.push(child.clone());
                }
            }
        }
        Self(found)
    }

    /// Adds what another look has found.
    pub(crate) fn join(&mut self, other: Self) {
        for member in other.0 {
            if !self.0.contains(&member) {
                self.0.push(member);
            }
        }
    }

    /// Ends those that live on.
    #[cfg(target_os = "linux")]
    pub(crate) fn end(&self) {
        use rustix::process::{Pid, Signal, kill_process};
        for member in &self.0 {
            let lives = stat(member.pid).is_some_and(|now| now.started == member.started);
            let pid = i32::try_from(member.pid).ok().and_then(Pid::from_raw);
            if let Some(pid) = pid.filter(|_| lives) {
                // It may end by itself at this moment.
                let _ = kill_process(pid, Signal::KILL);
            }
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn end(&self) {}
}

#[cfg(target_os = "linux")]
fn all() -> Vec<Member> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let names = entries.filter_map(Result::ok).map(|entry| entry.file_name());
    let pids = names.filter_map(|name| name.to_str()?.parse::<u32>().ok());
    pids.take(MOST).filter_map(stat).collect()
}

#[cfg(not(target_os = "linux"))]
fn all() -> Vec<Member> {
    Vec::new()
}

/// Returns a process as `/proc/PID/stat` shows: `PID (NAME) STATE PARENT … STARTED …`, where the
/// name may hold anything.
#[cfg(target_os = "linux")]
fn stat(pid: u32) -> Option<Member> {
    let text = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    let text = String::from_utf8_lossy(&text);
    let (_, fields) = text.rsplit_once(") ")?;
    let mut fields = fields.split(' ');
    let parent = fields.nth(1)?.parse().ok()?;
    let started = fields.nth(17)?.to_owned();
    Some(Member { pid, parent, started })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn as_25_process_is_identified_with_parent_and_start() {
        let own = stat(std::process::id()).unwrap();
        assert_eq!(own.parent, std::os::unix::process::parent_id());
        assert!(own.started.parse::<u64>().unwrap() > 0, "{own:?}");
        let family = Descendants::of(Some(own.parent));
        assert!(family.0.contains(&own));
        assert!(Descendants::of(None).0.is_empty());
    }
}
