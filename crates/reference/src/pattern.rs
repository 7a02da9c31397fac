//! Patterns in paths (REF-13): `*`, `**`, `*.ext`, `*.{ext1,ext2}`.
//!
//! Decision: nothing else is special. A path may hold `[`, `?` or a brace as it is; braces choose
//! only behind `*.`, as in the source. A name with a leading dot is matched only by a segment that
//! is written with one.

/// A path with wildcards, ready to be matched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    segments: Vec<Segment>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Segment {
    /// `**`: any number of segments, zero too.
    AnyDepth,
    /// Any of these.
    Names(Vec<Name>),
}

/// The most alternatives of one brace group.
pub(crate) const ALTERNATIVES: usize = 256;

/// Reports whether a path holds a wildcard.
#[must_use]
pub fn is_pattern(path: &str) -> bool {
    path.contains('*')
}

/// Reports whether a group of braces has more alternatives than a pattern may have; a pattern takes
/// them as they are written then.
#[must_use]
pub(crate) fn is_excessive(path: &str) -> bool {
    path.split('/')
        .filter_map(group)
        .any(|(_, inside, _)| inside.split(',').nth(ALTERNATIVES).is_some())
}

/// Reports whether `path` is a match of the pattern `pattern`.
#[must_use]
pub fn matches(pattern: &str, path: &str) -> bool {
    is_pattern(pattern) && Pattern::new(pattern).matches(path)
}

impl Pattern {
    /// Reads a path with wildcards.
    #[must_use]
    pub fn new(path: &str) -> Self {
        let segments = path.split('/').filter(|segment| !matches!(*segment, "" | "."));
        let mut read: Vec<Segment> = Vec::new();
        for segment in segments {
            let segment = match segment {
                "**" => Segment::AnyDepth,
                name => Segment::Names(alternatives(name)),
            };
            // `**/**` means no more than `**`, and would cost more.
            if segment != Segment::AnyDepth || read.last() != Some(&Segment::AnyDepth) {
                read.push(segment);
            }
        }
        Self { segments: read }
    }

    /// Reports whether a path, segments parted by `/`, is a match.
    #[must_use]
    pub fn matches(&self, path: &str) -> bool {
        self.reaches(path).last() == Some(&true)
    }

    /// Reports whether something below the folder `path` may be a match: a walk need not enter
    /// others.
    #[must_use]
    pub fn may_enter(&self, path: &str) -> bool {
        let reached = self.reaches(path);
        let open_end = matches!(self.segments.last(), Some(Segment::AnyDepth));
        // A state short of the end still has segments to match below.
        reached.iter().rev().skip(usize::from(!open_end)).any(|reached| *reached)
    }

    /// Returns the folder that holds all matches: the leading segments without wildcards.
    #[must_use]
    pub fn base(&self) -> String {
        let fixed = self.segments.iter().map_while(|segment| match segment {
            Segment::Names(names) => match names.as_slice() {
                [Name { head, tail: None }] => Some(head.as_str()),
                _ => None,
            },
            Segment::AnyDepth => None,
        });
        fixed.collect::<Vec<_>>().join("/")
    }

    /// For each number of segments of the pattern, whether it can have matched all of `path`.
    fn reaches(&self, path: &str) -> Vec<bool> {
        let mut states = vec![false; self.segments.len() + 1];
        let mut next = states.clone();
        if let Some(first) = states.first_mut() {
            *first = true;
        }
        self.skip_depths(&mut states);
        for name in path.split('/').filter(|name| !matches!(*name, "" | ".")) {
            next.fill(false);
            self.step(name, &states, &mut next);
            self.skip_depths(&mut next);
            std::mem::swap(&mut states, &mut next);
        }
        states
    }

    /// Fills `next` with the states that one more name reaches.
    fn step(&self, name: &str, states: &[bool], next: &mut [bool]) {
        for (index, (segment, reached)) in self.segments.iter().zip(states).enumerate() {
            if !reached {
                continue;
            }
            let (target, fits) = match segment {
                Segment::AnyDepth => (index, !name.starts_with('.')),
                Segment::Names(names) => (index + 1, names.iter().any(|one| one.matches(name))),
            };
            if let (true, Some(state)) = (fits, next.get_mut(target)) {
                *state = true;
            }
        }
    }

    /// `**` matches no segment, too.
    fn skip_depths(&self, states: &mut [bool]) {
        for (index, segment) in self.segments.iter().enumerate() {
            let here = states.get(index).copied().unwrap_or_default();
            if let (true, Segment::AnyDepth, Some(next)) =
                (here, segment, states.get_mut(index + 1))
            {
                *next = true;
            }
        }
    }
}

/// Returns the names that a segment stands for: `*.{js,ts}` is `*.js` and `*.ts`.
fn alternatives(segment: &str) -> Vec<Name> {
    match group(segment) {
        Some((head, inside, tail)) if inside.split(',').nth(ALTERNATIVES).is_none() => {
            let ends = inside.split(',').map(str::trim);
            ends.map(|end| Name::new(&format!("{head}*.{end}{tail}"))).collect()
        }
        _ => vec![Name::new(segment)],
    }
}

/// Returns what stands before `*.{`, within the braces, and behind them.
fn group(segment: &str) -> Option<(&str, &str, &str)> {
    let (head, rest) = segment.split_once("*.{")?;
    let (inside, tail) = rest.split_once('}')?;
    (!inside.is_empty()).then_some((head, inside, tail))
}

/// A name in which `*` is any run of characters.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Name {
    /// The text before its first star; all of it when it has none.
    head: String,
    /// The texts between its stars, in order, and the text after the last.
    tail: Option<(Vec<String>, String)>,
}

impl Name {
    fn new(text: &str) -> Self {
        let mut parts = text.split('*').map(str::to_owned);
        let head = parts.next().unwrap_or_default();
        let mut middle: Vec<String> = parts.collect();
        let tail = middle.pop().map(|end| {
            middle.retain(|part| !part.is_empty());
            (middle, end)
        });
        Self { head, tail }
    }

    /// Reports whether a name matches. Each part is searched once, from the left.
    fn matches(&self, name: &str) -> bool {
        if name.starts_with('.') && !self.head.starts_with('.') {
            return false;
        }
        let Some(mut rest) = name.strip_prefix(self.head.as_str()) else { return false };
        let Some((middle, end)) = &self.tail else { return rest.is_empty() };
        for part in middle {
            let Some((_, after)) = rest.split_once(part.as_str()) else { return false };
            rest = after;
        }
        rest.ends_with(end.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ref_13_star_stays_within_segment() {
        assert!(matches("docs/*.md", "docs/a.md"));
        assert!(matches("docs/*", "docs/a"));
        assert!(matches("*/a.md", "docs/a.md"));
        assert!(matches("a*b*c", "a-b-b-c"));
        assert!(!matches("docs/*.md", "docs/x/a.md"));
        assert!(!matches("docs/*.md", "docs/a.mdx"));
        assert!(!matches("a*b", "ab-c"));
        assert!(!matches("a*a", "a"));
        assert!(matches("文档/*.md", "文档/说明.md"));
    }

    #[test]
    fn ref_13_two_stars_cross_any_number_of_segments() {
        for path in ["src/a.js", "src/x/a.js", "src/x/y/a.js"] {
            assert!(matches("src/**/*.js", path), "{path}");
        }
        assert!(matches("**/*.md", "a.md"));
        assert!(matches("docs/**", "docs/a/b"));
        assert!(!matches("src/**/*.js", "lib/src/a.js"));
        assert!(!matches("src/**/x/*.js", "src/a.js"));
    }

    #[test]
    fn ref_13_braces_choose_among_endings() {
        assert!(matches("src/*.{js,ts}", "src/a.ts"));
        assert!(!matches("src/*.{js,ts}", "src/a.rs"));
        assert!(matches("src/{id}*.ts", "src/{id}x.ts"));
        assert!(matches("a[1]*", "a[1]b"));
    }

    #[test]
    fn ref_13_leading_dots_only_when_written() {
        assert!(!matches("*", ".env"));
        assert!(!matches("**/*.md", ".git/a.md"));
        assert!(matches(".*", ".env"));
        assert!(matches(".github/**/*.yml", ".github/workflows/ci.yml"));
    }

    #[test]
    fn ref_13_walk_enters_only_where_match_may_be() {
        let pattern = Pattern::new("src/*/tests/**/*.rs");
        assert_eq!(pattern.base(), "src");
        for path in ["src", "src/a", "src/a/tests", "src/a/tests/x/y"] {
            assert!(pattern.may_enter(path), "{path}");
        }
        for path in ["lib", "src/a/benches", "src/.git"] {
            assert!(!pattern.may_enter(path), "{path}");
        }
        assert!(Pattern::new("docs/**").may_enter("docs/a/b"));
        assert_eq!(Pattern::new("a/b/c*.md").base(), "a/b");
    }

    proptest! {
        #[test]
        fn ref_13_patterns_never_panic_and_match_what_they_were_made_from(
            names in prop::collection::vec("[a-z中]{1,3}", 1..5), star in 0_usize..5, any in ".{0,40}",
        ) {
            let path = names.join("/");
            let mut pattern = names.clone();
            let index = star % pattern.len();
            pattern[index] = "*".to_owned();
            prop_assert!(matches(&pattern.join("/"), &path));
            pattern.insert(index, "**".to_owned());
            prop_assert!(matches(&pattern.join("/"), &path));
            let _ = Pattern::new(&any).matches(&path);
        }
    }

    /// Returns the same by definition: every way to part the path, tried.
    fn naive(pattern: &[&str], path: &[&str]) -> bool {
        let Some((first, rest)) = pattern.split_first() else { return path.is_empty() };
        if *first == "**" {
            return naive(rest, path)
                || path
                    .split_first()
                    .is_some_and(|(name, below)| !name.starts_with('.') && naive(pattern, below));
        }
        path.split_first().is_some_and(|(name, below)| {
            let hidden = name.starts_with('.') && !first.starts_with('.');
            !hidden && glob(first.as_bytes(), name.as_bytes()) && naive(rest, below)
        })
    }

    fn glob(pattern: &[u8], name: &[u8]) -> bool {
        match pattern.split_first() {
            None => name.is_empty(),
            Some((b'*', rest)) => (0..=name.len()).any(|at| glob(rest, &name[at..])),
            Some((byte, rest)) => name.first() == Some(byte) && glob(rest, &name[1..]),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn ref_13_pattern_matches_as_defined(
            pattern in prop::collection::vec("(\\*\\*|[ab.*]{1,4})", 1..5),
            path in prop::collection::vec("[ab]?[ab.]{0,2}[ab]", 1..5),
        ) {
            let segments: Vec<&str> = pattern.iter().map(String::as_str).filter(|one| *one != ".").collect();
            let names: Vec<&str> = path.iter().map(String::as_str).collect();
            let read = Pattern::new(&pattern.join("/"));
            prop_assert_eq!(read.matches(&path.join("/")), naive(&segments, &names));
            // A walk reaches every match.
            if read.matches(&path.join("/")) {
                for depth in 1..names.len() {
                    prop_assert!(read.may_enter(&names[..depth].join("/")));
                }
            }
        }
    }

    #[test]
    fn ref_13_name_of_many_stars_is_matched_in_one_pass() {
        let name = "a".repeat(200_000);
        assert!(!matches(&format!("{}b", "a*".repeat(50_000)), &name));
        assert!(matches(&"a*".repeat(50_000), &name));
        let deep = vec!["a"; 2_000].join("/");
        assert!(!matches(&format!("{}b", "**/*/".repeat(40)), &deep));
        assert!(matches(&"**/".repeat(5_000), &deep));
    }

    #[test]
    fn ref_13_group_has_bounded_number_of_alternatives() {
        let group = |count: usize| format!("src/*.{{{}}}", vec!["js"; count].join(","));
        assert!(!is_excessive(&group(ALTERNATIVES)) && is_excessive(&group(ALTERNATIVES + 1)));
        assert!(matches(&group(ALTERNATIVES), "src/a.js"));
        assert!(!matches(&group(10_000), "src/a.js"));
    }
}
