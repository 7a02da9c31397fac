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
    /// Any of these, each a text with `*` for any run of characters.
    Names(Vec<String>),
}

/// The most alternatives of one brace group.
const ALTERNATIVES: usize = 64;

/// Whether a path holds a wildcard.
#[must_use]
pub fn is_pattern(path: &str) -> bool {
    path.contains('*')
}

/// Whether `path` is a match of the pattern `pattern`.
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
            // `**/**` says no more than `**`, and would cost more.
            if segment != Segment::AnyDepth || read.last() != Some(&Segment::AnyDepth) {
                read.push(segment);
            }
        }
        Self { segments: read }
    }

    /// Whether a path, segments parted by `/`, is a match.
    #[must_use]
    pub fn matches(&self, path: &str) -> bool {
        let names: Vec<&str> = path.split('/').filter(|name| !matches!(*name, "" | ".")).collect();
        self.reaches(&names).last() == Some(&true)
    }

    /// Whether something below the folder `path` may be a match: a walk need not enter others.
    #[must_use]
    pub fn may_enter(&self, path: &str) -> bool {
        let names: Vec<&str> = path.split('/').filter(|name| !matches!(*name, "" | ".")).collect();
        // A state short of the end still has segments to match below.
        self.reaches(&names).iter().rev().skip(1).any(|reached| *reached)
            || matches!(self.segments.last(), Some(Segment::AnyDepth))
                && self.reaches(&names).last() == Some(&true)
    }

    /// The folder that holds all matches: the leading segments without wildcards.
    #[must_use]
    pub fn base(&self) -> String {
        let fixed = self.segments.iter().map_while(|segment| match segment {
            Segment::Names(names) => match names.as_slice() {
                [name] if !name.contains('*') => Some(name.as_str()),
                _ => None,
            },
            Segment::AnyDepth => None,
        });
        fixed.collect::<Vec<_>>().join("/")
    }

    /// For each number of segments of the pattern, whether it can have matched all of `names`.
    fn reaches(&self, names: &[&str]) -> Vec<bool> {
        let mut states = vec![false; self.segments.len() + 1];
        if let Some(first) = states.first_mut() {
            *first = true;
        }
        self.skip_depths(&mut states);
        for name in names {
            let mut next = vec![false; states.len()];
            for (index, segment) in self.segments.iter().enumerate() {
                if !states.get(index).copied().unwrap_or_default() {
                    continue;
                }
                let (target, fits) = match segment {
                    Segment::AnyDepth => (index, !name.starts_with('.')),
                    Segment::Names(texts) => {
                        (index + 1, texts.iter().any(|text| name_matches(text, name)))
                    }
                };
                if let (true, Some(state)) = (fits, next.get_mut(target)) {
                    *state = true;
                }
            }
            self.skip_depths(&mut next);
            states = next;
        }
        states
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

/// The texts that a segment stands for: `*.{js,ts}` is `*.js` and `*.ts`.
fn alternatives(segment: &str) -> Vec<String> {
    let whole = || vec![segment.to_owned()];
    let Some((head, rest)) = segment.split_once("*.{") else { return whole() };
    let Some((inside, tail)) = rest.split_once('}') else { return whole() };
    if inside.is_empty() || inside.split(',').count() > ALTERNATIVES {
        return whole();
    }
    inside.split(',').map(|one| format!("{head}*.{}{tail}", one.trim())).collect()
}

/// Whether a name matches a text in which `*` is any run of characters.
fn name_matches(text: &str, name: &str) -> bool {
    if name.starts_with('.') && !text.starts_with('.') {
        return false;
    }
    let mut parts = text.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.split_once(part) {
            _ if part.is_empty() => {}
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ref_13_a_star_stays_within_a_segment() {
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
    fn ref_13_a_walk_enters_only_where_a_match_may_be() {
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
}
