//! A source on the web: a page, or the pages that a sitemap names (MA-4).
//!
//! Decision: its pages are put into a folder under the paths of their addresses, and that folder is the
//! source: what is compared, converted and limited is the same for all sources. Who fetches keeps to
//! the rules about addresses, also for each redirect.

use super::error::SyncError;
use super::formats::xml::{self, Piece};
use super::report::Skipped;
use super::source::Missed;
use crate::anchor::decoded;
use crate::organization::{Fetch, FetchError};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};
use url::Url;

/// The most pages of a source on the web.
const MAX_PAGES: usize = 2_000;

/// The most sitemaps that a sitemap leads to.
const MAX_MAPS: usize = 50;

/// The largest page and sitemap, and the most bytes of all, that are fetched.
const MAX_PAGE: u64 = 16 << 20;
const MAX_ALL: u64 = 512 << 20;

/// The time that fetching the pages of a source may take.
const TIME: Duration = Duration::from_secs(600);

/// The most pages in turn that a host may leave without an answer.
const MAX_UNREACHED: usize = 5;

/// Fetches the pages of a source into a folder, and returns those that were not.
///
/// # Errors
/// [`SyncError`] when the source itself can't be fetched, none of its pages can be, or a limit is broken.
pub async fn mirror(
    fetch: &dyn Fetch,
    source: &str,
    into: &Path,
) -> Result<Vec<Missed>, SyncError> {
    let failed = |reason: String| SyncError::Source { source_path: source.to_owned(), reason };
    let address = Url::parse(source).map_err(|error| failed(error.to_string()))?;
    let first = fetch.get(source, MAX_PAGE).await.map_err(|error| failed(error.to_string()))?;
    let mut mirror = Mirror { fetch, into, begun: Instant::now(), bytes: 0, missed: Vec::new() };
    let Some(map) = Map::of(&first) else {
        mirror.put(&address, &first)?;
        return Ok(mirror.missed);
    };
    let pages = mirror.pages_of(&address, map, source).await?;
    let (mut read, mut unreached) = (0, 0);
    for page in &pages {
        let is_late = mirror.begun.elapsed() > TIME;
        if is_late || mirror.bytes > MAX_ALL {
            let (limit, what) =
                if is_late { (TIME.as_secs(), "seconds to fetch") } else { (MAX_ALL, "bytes") };
            return Err(SyncError::TooMuch { source_path: source.to_owned(), limit, what });
        }
        match fetch.get(page.as_str(), MAX_PAGE).await {
            Ok(bytes) => {
                mirror.put(page, &bytes)?;
                (read, unreached) = (read + 1, 0);
            }
            Err(error) => {
                unreached = if is_unreachable(&error) { unreached + 1 } else { 0 };
                if unreached == MAX_UNREACHED {
                    return Err(failed(format!(
                        "{MAX_UNREACHED} of its pages in turn were not answered, the last \
                         `{page}`: {error}"
                    )));
                }
                mirror.miss(page, &error);
            }
        }
    }
    if read == 0 {
        let first = mirror.missed.first().map(|one| &one.skipped);
        let first = first.map(|one| format!(": `{}`: {}", one.path, one.reason));
        return Err(failed(format!(
            "none of its pages could be read{}",
            first.unwrap_or_default()
        )));
    }
    Ok(mirror.missed)
}

/// Reports whether a server did not answer at all.
const fn is_unreachable(error: &FetchError) -> bool {
    matches!(error, FetchError::Unreachable(_))
}

/// Reports whether a server may give a page another time.
const fn may_pass(error: &FetchError) -> bool {
    matches!(error, FetchError::Unreachable(_) | FetchError::NotGiven(_))
}

struct Mirror<'a> {
    fetch: &'a dyn Fetch,
    into: &'a Path,
    begun: Instant,
    bytes: u64,
    missed: Vec<Missed>,
}

impl Mirror<'_> {
    fn skip(&mut self, address: &str, reason: impl Into<String>) {
        self.missed.push(Skipped::new(address, reason).into());
    }

    /// Notes a page that was not given.
    fn miss(&mut self, page: &Url, error: &FetchError) {
        let skipped = Skipped::new(page.as_str(), error.to_string());
        let paths = if may_pass(error) { files_of(page) } else { Vec::new() };
        self.missed.push(Missed { skipped, paths });
    }

    /// Returns the pages that a sitemap names at its own origin, and those of the sitemaps that it
    /// names.
    async fn pages_of(
        &mut self,
        address: &Url,
        map: Map,
        source: &str,
    ) -> Result<BTreeSet<Url>, SyncError> {
        let mut pages = BTreeSet::new();
        self.add(address, map.pages, source, &mut pages)?;
        let mut maps = BTreeSet::new();
        self.add(address, map.maps, source, &mut maps)?;
        for (number, inner) in maps.iter().enumerate() {
            if number == MAX_MAPS {
                let (limit, what) = (MAX_MAPS as u64, "sitemaps");
                return Err(SyncError::TooMuch { source_path: source.to_owned(), limit, what });
            }
            match self.fetch.get(inner.as_str(), MAX_PAGE).await {
                Ok(bytes) => match Map::of(&bytes) {
                    Some(map) => self.add(address, map.pages, source, &mut pages)?,
                    None => self.skip(inner.as_str(), "it is not a sitemap"),
                },
                Err(error) => self.skip(inner.as_str(), error.to_string()),
            }
        }
        Ok(pages)
    }

    fn add(
        &mut self,
        address: &Url,
        named: Vec<String>,
        source: &str,
        to: &mut BTreeSet<Url>,
    ) -> Result<(), SyncError> {
        for page in named {
            match address.join(page.trim()) {
                Ok(page) if page.origin() == address.origin() => drop(to.insert(page)),
                Ok(page) => {
                    let reason = "it is at another host than the sitemap; add it as a source";
                    self.skip(page.as_str(), reason);
                }
                Err(error) => self.skip(&page, error.to_string()),
            }
            if to.len() + self.missed.len() > MAX_PAGES {
                let (limit, what) = (MAX_PAGES as u64, "pages");
                return Err(SyncError::TooMuch { source_path: source.to_owned(), limit, what });
            }
        }
        Ok(())
    }

    /// Writes a page under the path of its address.
    fn put(&mut self, address: &Url, bytes: &[u8]) -> Result<(), SyncError> {
        self.bytes += bytes.len() as u64;
        let path = self.into.join(file_of(address, bytes));
        let folder = path.parent().unwrap_or(self.into);
        let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, bytes));
        written.map_err(|error| SyncError::not_written(&path, &error))
    }
}

/// The addresses in a sitemap.
#[derive(Default)]
struct Map {
    pages: Vec<String>,
    maps: Vec<String>,
}

impl Map {
    /// Reads a sitemap; `None` when the text is something else.
    fn of(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let head: String = text.chars().take(2_000).collect();
        let is_map = head.contains("<urlset") || head.contains("<sitemapindex");
        if !is_map {
            return None;
        }
        let (mut map, mut is_map, mut is_address) = (Self::default(), false, false);
        let read = xml::read(text, |piece| match piece {
            Piece::Start(tag) => {
                is_address = tag.name == "loc";
                if matches!(tag.name.as_str(), "url" | "sitemap") {
                    is_map = tag.name == "sitemap";
                }
                if is_address {
                    let list = if is_map { &mut map.maps } else { &mut map.pages };
                    list.push(String::new());
                }
            }
            Piece::Text(text) if is_address => {
                let list = if is_map { &mut map.maps } else { &mut map.pages };
                if let Some(last) = list.last_mut() {
                    last.push_str(&text);
                }
            }
            Piece::End(_) => is_address = false,
            Piece::Text(_) => {}
        });
        read.ok().map(|()| map)
    }
}

/// Returns the paths that the file for an address may have.
fn files_of(address: &Url) -> Vec<String> {
    let of = |bytes: &[u8]| file_of(address, bytes);
    BTreeSet::from([of(b"<"), of(b"%PDF-"), of(b"")]).into_iter().collect()
}

/// Returns the path of the file for an address: its path, with an ending that says what it is.
fn file_of(address: &Url, bytes: &[u8]) -> String {
    let names: Vec<String> =
        address.path().split('/').filter(|name| !name.is_empty()).map(plain).collect();
    let mut path = names.join("/");
    if path.is_empty() || address.path().ends_with('/') {
        path.push_str(if path.is_empty() { "index" } else { "/index" });
    }
    if let Some(query) = address.query().filter(|query| !query.is_empty()) {
        path = format!("{path}_{}", plain(query));
    }
    let last = path.rsplit('/').next().unwrap_or_default();
    let has_ending = last.rsplit_once('.').is_some_and(|(_, end)| {
        (1..=8).contains(&end.len()) && end.bytes().all(|byte| byte.is_ascii_alphabetic())
    });
    let start = bytes.trim_ascii_start();
    match () {
        () if has_ending => path,
        () if start.starts_with(b"<") => path + ".html",
        () if start.starts_with(b"%PDF-") => path + ".pdf",
        () => path + ".md",
    }
}

/// Returns a name as every file system takes it, and as it is part of a pack.
fn plain(name: &str) -> String {
    let is_plain = |c: char| !c.is_control() && !"\\/:*?\"<>|".contains(c);
    let name: String =
        decoded(name).chars().map(|c| if is_plain(c) { c } else { '_' }).take(150).collect();
    if name.starts_with('.') || name == "node_modules" { format!("_{name}") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::organization::MemoryFetch;
    use std::future::Future;
    use std::task::{Context, Poll, Waker};

    /// Runs a future that never waits.
    fn now<T>(future: impl Future<Output = T>) -> T {
        let mut future = std::pin::pin!(future);
        match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(value) => value,
            Poll::Pending => panic!("it waits"),
        }
    }

    fn web(pages: &[(&str, &str)]) -> MemoryFetch {
        MemoryFetch::new(
            pages.iter().map(|(at, text)| ((*at).to_owned(), text.as_bytes().to_vec())),
        )
    }

    #[test]
    fn ma_4_sitemap_gives_the_pages_of_its_host() {
        let map = "<?xml version='1.0'?><urlset xmlns='s'><url><loc> https://e.org/a/ </loc><lastmod>1</lastmod></url>\
            <url><loc>https://e.org/b?x=1&amp;y=2</loc></url><url><loc>https://e.org/gone</loc></url>\
            <url><loc>http://10.0.0.1/</loc></url></urlset>";
        let index =
            "<sitemapindex><sitemap><loc>https://e.org/map.xml</loc></sitemap></sitemapindex>";
        let fetch = web(&[
            ("https://e.org/sitemap.xml", index),
            ("https://e.org/map.xml", map),
            ("https://e.org/a/", "<h1>A</h1>"),
            ("https://e.org/b?x=1&y=2", "# B"),
        ]);
        let folder = tempfile::tempdir().unwrap();
        let skipped = now(mirror(&fetch, "https://e.org/sitemap.xml", folder.path())).unwrap();
        let told: Vec<&str> = skipped.iter().map(|one| one.skipped.path.as_str()).collect();
        assert_eq!(told, ["http://10.0.0.1/", "https://e.org/gone"]);
        assert_eq!(skipped[1].skipped.reason, "answered 404");
        assert_eq!(skipped[1].paths, [""; 0]);
        let text = |path: &str| std::fs::read_to_string(folder.path().join(path)).unwrap();
        assert_eq!(
            (text("a/index.html"), text("b_x=1&y=2.md")),
            ("<h1>A</h1>".into(), "# B".into())
        );
        assert!(!fetch.asked().iter().any(|asked| asked.contains("10.0.0.1")));
    }

    #[test]
    fn ma_4_sitemap_with_too_many_pages_is_refused_before_they_are_fetched() {
        let pages: String = (0..3_000).map(|n| format!("<url><loc>/p{n}</loc></url>")).collect();
        let fetch = web(&[("https://e.org/s.xml", &format!("<urlset>{pages}</urlset>"))]);
        let folder = tempfile::tempdir().unwrap();
        let error = now(mirror(&fetch, "https://e.org/s.xml", folder.path())).unwrap_err();
        assert_eq!(error.to_string(), "the source `https://e.org/s.xml` has more than 2000 pages");
        assert_eq!(fetch.asked().len(), 1);
    }

    /// A web whose sitemap is answered, and of whose pages only those named `a…`; the others with a fault.
    struct Faulty(FetchError);

    impl Fetch for Faulty {
        fn get<'f>(&'f self, url: &'f str, _: u64) -> crate::organization::Fetched<'f> {
            let pages: String = (0..9).map(|n| format!("<loc>/p{n}</loc>")).collect();
            let answer = match url.rsplit('/').next() {
                Some("s.xml") => {
                    Ok(format!("<urlset><loc>/a</loc>{pages}<loc>/z</loc></urlset>").into_bytes())
                }
                Some("a") => Ok(b"# A".to_vec()),
                _ => Err(self.0.clone()),
            };
            Box::pin(async move { answer })
        }
    }

    #[test]
    fn ma_4_host_that_answers_no_more_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let silent = Faulty(FetchError::Unreachable("it took too long".to_owned()));
        let error = now(mirror(&silent, "https://e.org/s.xml", folder.path())).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the source `https://e.org/s.xml` can't be read: 5 of its pages in turn were not \
             answered, the last `https://e.org/p4`: can't be reached: it took too long"
        );
        // An answer is one, even if it is that the server is busy.
        let busy = Faulty(FetchError::NotGiven("status 503".to_owned()));
        let missed = now(mirror(&busy, "https://e.org/s.xml", folder.path())).unwrap();
        assert_eq!(missed.len(), 10);
        assert_eq!(missed[0].paths, ["p0.html", "p0.md", "p0.pdf"]);
    }

    #[test]
    fn ma_4_page_of_the_web_has_a_plain_path() {
        let path = |address: &str, bytes: &[u8]| file_of(&Url::parse(address).unwrap(), bytes);
        assert_eq!(path("https://e.org", b" <html>"), "index.html");
        assert_eq!(
            path("https://e.org/%2e%2e%2f/.git/x.HTML", b""),
            ".._/_.git/x.HTML".replacen("..", "_..", 1)
        );
        assert_eq!(path("https://e.org/v1.2/%E8%8C%B6", b"%PDF-1"), "v1.2/茶.pdf");
        let fetch = web(&[]);
        let folder = tempfile::tempdir().unwrap();
        let error = now(mirror(&fetch, "https://e.org/", folder.path())).unwrap_err();
        assert_eq!(error.kind().code, "KN5001");
    }
}
