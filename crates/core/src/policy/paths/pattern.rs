//! Patterns of the settings: `*` and `?` within a name, `**` for any folders.

/// A pattern over whole paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern(Vec<String>);

impl Pattern {
    pub(super) fn new(pattern: &str) -> Self {
        Self(pattern.split('/').map(str::to_owned).collect())
    }

    /// Reports whether the pattern matches a path from the workspace, whole.
    ///
    /// One pass over the parts: the set of places in the pattern that the parts so far may lead to.
    pub(super) fn matches(&self, path: &str) -> bool {
        let mut places = vec![false; self.0.len() + 1];
        mark(&mut places, 0, true);
        self.skip_folders(&mut places);
        for part in path.split('/') {
            let mut next = vec![false; places.len()];
            for (at, segment) in self.0.iter().enumerate() {
                if !places.get(at).copied().unwrap_or_default() {
                    continue;
                }
                if segment == "**" {
                    mark(&mut next, at, true);
                } else {
                    mark(&mut next, at + 1, matches_name(segment, part));
                }
            }
            self.skip_folders(&mut next);
            places = next;
        }
        places.last().copied().unwrap_or_default()
    }

    /// Adds the places behind each `**`, which may stand for no folder.
    fn skip_folders(&self, places: &mut [bool]) {
        for (at, segment) in self.0.iter().enumerate() {
            let reached = places.get(at).copied().unwrap_or_default();
            mark(places, at + 1, reached && segment == "**");
        }
    }
}

fn mark(places: &mut [bool], at: usize, reached: bool) {
    if let Some(place) = places.get_mut(at) {
        *place |= reached;
    }
}

/// Reports whether a name fits a segment with `*` and `?`.
fn matches_name(segment: &str, name: &str) -> bool {
    let (segment, name): (Vec<char>, Vec<char>) =
        (segment.chars().collect(), name.chars().collect());
    let (mut at, mut here) = (0, 0);
    // Where the last `*` stands, and how far it reaches so far.
    let mut star: Option<(usize, usize)> = None;
    while here < name.len() {
        match segment.get(at) {
            Some('*') => {
                star = Some((at, here));
                at += 1;
            }
            Some(sign) if *sign == '?' || Some(sign) == name.get(here) => {
                at += 1;
                here += 1;
            }
            _ => match &mut star {
                Some((begin, reach)) => {
                    *reach += 1;
                    (at, here) = (*begin + 1, *reach);
                }
                None => return false,
            },
        }
    }
    segment.iter().skip(at).all(|sign| *sign == '*')
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn gu_1_patterns_match_whole_paths() {
        for (pattern, yes, no) in [
            (".env", ".env", "a/.env"),
            (".env", ".env", ".env.local"),
            ("**/.env", ".env", ".env/x"),
            ("**/.env", "a/b/.env", "a/b/x.env"),
            (".github/**", ".github/workflows/a.yml", "x/.github/a"),
            (".github/*.yml", ".github/a.yml", ".github/workflows/a.yml"),
            ("**", "a/b", ""),
            ("a/**/b", "a/b", "a/c"),
            ("a/**/b", "a/x/y/b", "a/x/bb"),
            ("?.key", "é.key", "ab.key"),
            ("*a*b*", "xaxbx", "xbxa"),
        ] {
            assert!(Pattern::new(pattern).matches(yes), "{pattern} {yes}");
            assert!(no.is_empty() || !Pattern::new(pattern).matches(no), "{pattern} {no}");
        }
        let slow = Pattern::new(&"*a".repeat(40));
        assert!(!slow.matches(&"a".repeat(39)));
    }
}
