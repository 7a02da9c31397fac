//! The rules of addresses for HTTP clients, which resolve names by themselves.

use super::Reach;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// Resolves names for an HTTP client and lets through only the addresses that may be reached. What
/// it refuses comes out of the client as a [`ResolveError`] among the causes.
///
/// A client does not resolve a host that is an address: that is checked by [`Reach::public`].
#[derive(Debug, Clone, Copy)]
pub struct Guard(pub Reach);

impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = self.0;
        Box::pin(async move {
            let allowed = reach.resolve(name.as_str(), 0).await?;
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::ResolveError;
    use super::*;

    fn run<T>(future: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(future)
    }

    #[test]
    fn as_25_name_that_leads_to_this_machine_is_refused_where_it_is_resolved() {
        let resolve = |reach| {
            let name: Name = "localhost".parse().unwrap();
            run(Guard(reach).resolve(name)).map(Iterator::count)
        };
        let refused = resolve(Reach::Public).unwrap_err();
        assert!(matches!(refused.downcast_ref(), Some(ResolveError::Refused(_))), "{refused}");
        assert!(resolve(Reach::Loopback).unwrap() > 0);
        assert!(resolve(Reach::Any).unwrap() > 0);
    }

    #[test]
    fn ref_22_name_that_nobody_knows_is_reported() {
        let error = run(Reach::Public.resolve("no-such-host.invalid", 80)).unwrap_err();
        assert!(
            matches!(&error, ResolveError::Unknown { host, .. } if host == "no-such-host.invalid")
        );
    }
}
