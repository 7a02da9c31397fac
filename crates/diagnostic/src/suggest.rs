//! Suggestions for misspelt names.

/// Returns the candidate nearest to `name`, if it is near enough to be meant.
///
/// Near enough is an edit distance of at most a third of the name's length (at least one), so that
/// `x` never suggests `y` to someone who meant neither; a difference in case alone always counts as
/// near.
#[must_use]
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    let bound = (length / 3).max(usize::from(length > 2));
    candidates
        .into_iter()
        .filter(|candidate| *candidate != name)
        .filter_map(|candidate| {
            let same = candidate.to_lowercase() == name.to_lowercase();
            let distance = if same { 0 } else { distance(name, candidate, bound)? };
            (distance <= bound).then_some((distance, candidate))
        })
        .min()
        .map(|(_, candidate)| candidate)
}

/// Returns "did you mean `…`?" for the nearest candidate.
#[must_use]
pub fn suggestion<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(name, candidates).map(|found| format!("did you mean `{found}`?"))
}

/// Returns the edit distance, with swapped neighbours counted as one; `None` if the lengths alone
/// exceed `bound`.
fn distance(left: &str, right: &str, bound: usize) -> Option<usize> {
    let left: Vec<char> = left.chars().collect();
    let right: Vec<char> = right.chars().collect();
    if left.len().abs_diff(right.len()) > bound {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut previous: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in right.iter().enumerate() {
            let replace = previous.get(j)? + usize::from(a != b);
            let remove = previous.get(j + 1)? + 1;
            let insert = row.get(j)? + 1;
            let mut best = replace.min(remove).min(insert);
            let swapped =
                i > 0 && j > 0 && left.get(i - 1) == Some(b) && right.get(j - 1) == Some(a);
            if swapped {
                best = best.min(before.get(j - 1)? + 1);
            }
            row.push(best);
        }
        before = previous;
        previous = row;
    }
    previous.last().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_32_near_names_are_suggested() {
        let known = ["question", "answer", "max_output", "ok"];
        assert_eq!(nearest("qestion", known), Some("question"));
        assert_eq!(nearest("awnser", known), Some("answer"));
        assert_eq!(nearest("max_ouptut", known), Some("max_output"));
        assert_eq!(nearest("ANSWER", known), Some("answer"));
        assert_eq!(suggestion("anser", known).as_deref(), Some("did you mean `answer`?"));
    }

    #[test]
    fn as_32_distant_names_and_name_itself_are_not_suggested() {
        assert_eq!(nearest("x", ["y", "z"]), None);
        assert_eq!(nearest("ok", ["no", "ok"]), None);
        assert_eq!(nearest("quest", ["question"]), None);
        assert_eq!(nearest("", ["a", ""]), None);
    }
}
