//! Texts that end an answer (WA-8).
//!
//! Decision: servers that know them are told, and the text is cut here whatever they do. Text that may be
//! the beginning of one is held back until more has come, since what was passed on can't be taken back.

/// The filter of the text of one answer as it comes.
pub(super) struct Stops<'a> {
    stops: &'a [String],
    held: String,
    is_over: bool,
}

impl<'a> Stops<'a> {
    pub(super) const fn new(stops: &'a [String]) -> Self {
        Self { stops, held: String::new(), is_over: false }
    }

    /// Takes a piece, and returns the text that is certain to be a part of the answer.
    pub(super) fn push(&mut self, piece: &str) -> String {
        if self.stops.is_empty() {
            return piece.to_owned();
        }
        if self.is_over {
            return String::new();
        }
        self.held.push_str(piece);
        if cut(&mut self.held, self.stops) {
            self.is_over = true;
            return std::mem::take(&mut self.held);
        }
        let longest = self.stops.iter().map(String::len).max().unwrap_or_default();
        let first = self.held.len().saturating_sub(longest);
        let places = self.held.char_indices().map(|(place, _)| place);
        let mut places = places.filter(|place| *place >= first);
        let may_begin = |place: &usize| {
            let rest = self.held.get(*place..).unwrap_or_default();
            self.stops.iter().any(|stop| stop.starts_with(rest))
        };
        let place = places.find(may_begin).unwrap_or(self.held.len());
        let held = self.held.split_off(place);
        std::mem::replace(&mut self.held, held)
    }

    /// Returns what was held back, at the end of the answer.
    pub(super) fn rest(self) -> String {
        self.held
    }
}

/// Cuts a text before the first of the stops in it; true if there is one.
pub(super) fn cut(text: &mut String, stops: &[String]) -> bool {
    let places = stops.iter().filter(|stop| !stop.is_empty()).filter_map(|stop| text.find(stop));
    let Some(place) = places.min() else { return false };
    text.truncate(place);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(stops: &[&str], pieces: &[&str]) -> Vec<String> {
        let stops: Vec<String> = stops.iter().map(|stop| (*stop).to_owned()).collect();
        let mut filter = Stops::new(&stops);
        let mut told: Vec<String> = pieces.iter().map(|piece| filter.push(piece)).collect();
        told.push(filter.rest());
        told
    }

    #[test]
    fn wa_8_stop_in_pieces_is_never_passed_on() {
        assert_eq!(told(&["END"], &["one E", "ND two", "three"]), ["one ", "", "", ""]);
        assert_eq!(told(&["END"], &["one E", "N two"]), ["one ", "EN two", ""]);
        assert_eq!(told(&["END"], &["one EN"]), ["one ", "EN"]);
        assert_eq!(told(&["b", "ab"], &["xa", "b"]), ["x", "", ""]);
        assert_eq!(told(&["。停"], &["今天。", "停明天"]), ["今天", "", ""]);
        assert_eq!(told(&[], &["one", " two"]), ["one", " two", ""]);
        assert_eq!(told(&["\n\n"], &["a\n", "b\n", "\nc"]), ["a", "\nb", "", ""]);
    }
}
