//! Openings: decides whether a brace or bracket amid text opens a value, or is prose or code.

use super::chars::{Mark, is_word};
use super::parser::Parser;

impl Parser<'_> {
    /// Reports whether the text after an opening brace can be an object rather than prose or code.
    pub(super) fn opens_object(&self, own_line: bool) -> bool {
        let next = self.look_space(self.pos);
        match self.mark_at(next) {
            None => own_line,
            Some((Mark::Quote(_) | Mark::CloseObject, _)) => true,
            // `{{` of an unfilled template.
            Some((Mark::OpenObject, length)) => {
                next == self.pos
                    && matches!(
                        self.mark_at(self.look_space(next + length)),
                        Some((Mark::Quote(_), _))
                    )
            }
            Some((Mark::Other, _)) => self.word_and_colon(next, own_line),
            Some((Mark::Comma, length)) => {
                matches!(self.mark_at(self.look_space(next + length)), Some((Mark::Quote(_), _)))
            }
            Some(_) => false,
        }
    }

    fn word_and_colon(&self, at: usize, own_line: bool) -> bool {
        let rest = self.rest(at);
        let length: usize = rest
            .chars()
            .take(64)
            .take_while(|c| is_word(*c) || (own_line && *c == ' '))
            .map(char::len_utf8)
            .sum();
        let next = self.look_space(at + length);
        length > 0
            && (matches!(self.mark_at(next), Some((Mark::Colon, _))) || self.byte(next) == b'=')
    }

    /// Reports whether the text after an opening bracket can be a list rather than prose.
    pub(super) fn opens_array(&self, own_line: bool) -> bool {
        let next = self.look_space(self.pos);
        match self.mark_at(next) {
            None => own_line,
            Some((Mark::Quote(_) | Mark::OpenObject | Mark::OpenArray | Mark::CloseArray, _)) => {
                true
            }
            Some((Mark::Other, _)) => own_line || self.literal_follows(next, true),
            Some(_) => false,
        }
    }
}
