//! Tags that look like a fence of ours, and the control tokens and tags of chat formats.

use super::glyphs::{Comment, Glyphs, first};
use super::look::{
    alike, is_blank, is_greater, is_invisible, is_less, is_square, plain, stands_for,
};
use super::scan::places;

/// The beginnings of our fences' names, letters and digits alone.
const FENCES: &[&str] =
    &["untrusteddata", "knowledgepack", "availableknowledgepack", "knowledgeresource"];
/// The names of our fences backwards, as after a sign that reverses the direction of reading.
const TURNED: &[&str] = &["atadde", "kcapegdel", "ecruoseregdel", "ediugkcapegdel"];
/// Tags that chat formats and prompts use to switch the speaker, whole names.
const ROLES: &[&str] = words![
    "system" "assistant" "user" "developer" "tool" "human" "instructions" "systemprompt"
    "systemmessage" "systeminstruction" "systeminstructions" "systemreminder" "developermessage"
    "usermessage" "userquery" "toolcall" "toolcalls" "toolresult" "toolresults" "toolresponse"
    "tooluse" "invoke" "functioncall" "functioncalls" "functionresult" "functionresults"
    "functionresponse" "startofturn" "endofturn"
];
/// The same, so short that they count only where the tag ends after them.
const SHORT: &[&str] = &["sys", "inst", "s", "bos", "eos", "think"];
/// Names of `<|…|>` tokens that are recognised even with blanks inside.
const TOKENS: &[&str] = words![
    "imstart" "imend" "imsep" "endoftext" "endofprompt" "eotid" "eomid" "startheaderid"
    "endheaderid" "beginoftext" "endofturn" "startofturn" "system" "user" "assistant" "developer"
    "tool" "start" "end" "message" "channel" "return" "call" "constrain" "fimprefix" "fimmiddle"
    "fimsuffix"
];
/// The longest name of a control token, in characters.
const TOKEN_LENGTH: usize = 48;
/// The range after the name of a tag in which its attributes are searched, in signs.
const ATTRIBUTE_LENGTH: usize = 80;
/// The longest prefix of a name, as in `</x:knowledge_pack>`.
const PREFIX_LENGTH: usize = 24;

/// Reports whether a byte may begin a sign that opens a tag (see [`opening`]): most of a text do not.
const fn may_open(byte: u8) -> bool {
    (byte >= 0xc0)
        | (byte == b'<')
        | (byte == b'>')
        | (byte == b'[')
        | (byte == b'&')
        | (byte == b'\\')
        | (byte == b'%')
}

/// Returns the places for a backslash: after the sign that opens each such tag. `own` is the tag of
/// the fence around the text; role markers count only `in_fence`.
pub(super) fn marks(text: &str, own: Option<&str>, in_fence: bool) -> Vec<usize> {
    let own: Option<String> = own.map(|tag| tag.replace(['_', '-'], ""));
    let turns = !text.is_ascii() && text.contains(['\u{202e}', '\u{202b}', '\u{2067}', '\u{200f}']);
    let mut marks = Vec::new();
    for at in places(text, may_open) {
        let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) else { continue };
        let Some(opening) = opening(text, at, c, turns) else {
            continue;
        };
        let rest = text.get(opening.end..).unwrap_or_default();
        if rest.starts_with('\\') && first(rest).is_some_and(|(sign, _)| sign == '\\') {
            continue;
        }
        let is_tag = match opening.kind {
            Kind::Turned => is_turned(rest),
            kind => {
                is_fence(kind, rest, own.as_deref())
                    || turns && kind == Kind::Angle && is_turned(rest)
                    || in_fence && (is_role(kind, rest) || is_token(kind, rest))
            }
        };
        if is_tag {
            marks.push(opening.end);
        }
    }
    marks
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Angle,
    Square,
    /// A closing sign, which opens where the direction of reading is reversed.
    Turned,
}

struct Opening {
    end: usize,
    kind: Kind,
}

/// Returns the sign that opens a tag, at `at`.
fn opening(text: &str, at: usize, c: char, turns: bool) -> Option<Opening> {
    let (sign, length) = if matches!(c, '&' | '\\' | '%') {
        first(text.get(at..)?).filter(|(sign, _)| *sign != c)?
    } else {
        (c, c.len_utf8())
    };
    let kind = match sign {
        sign if is_less(sign) => Kind::Angle,
        sign if is_square(sign) => Kind::Square,
        sign if turns && is_greater(sign) => Kind::Turned,
        _ => return None,
    };
    Some(Opening { end: at + length, kind })
}

/// Reports whether a tag is a fence: `<untrusted_data`, `</ Untrusted-Data`, `[/untrusted_data`,
/// `</x:untrusted_data`.
fn is_fence(kind: Kind, rest: &str, own: Option<&str>) -> bool {
    let (is_closing, name) = skip_slash(rest);
    if kind == Kind::Square && !is_closing {
        return false;
    }
    let is_ours = |name: &str| {
        FENCES.iter().copied().chain(own).any(|fence| after_name(name, fence, true).is_some())
    };
    is_ours(name) || prefixes(name).any(is_ours)
}

/// Reports whether a name is written backwards, with or without a slash, as shown where the
/// direction of reading is reversed; opening signs look like closing ones there.
fn is_turned(rest: &str) -> bool {
    let (_, name) = skip_slash(rest);
    TURNED.iter().any(|turned| after_name(name, turned, true).is_some())
}

/// Reports whether a tag is a role: `<system>`, `<system priority="high">`, `</s>`, `<<SYS>>`,
/// `[INST]`, `[/INST]`, and a `<system` at the end of its line.
fn is_role(kind: Kind, rest: &str) -> bool {
    let (_, name) = skip_slash(rest);
    let closes = |rest: Glyphs<'_>| {
        let next = rest.clone().find(|c| !is_blank(*c)).and_then(plain);
        next == Some(if kind == Kind::Square { ']' } else { '>' })
    };
    if kind == Kind::Square {
        let names = ["inst", "sys"];
        return names.iter().any(|role| after_name(name, role, false).is_some_and(closes));
    }
    SHORT.iter().any(|role| after_name(name, role, false).is_some_and(closes))
        || ROLES.iter().any(|role| {
            after_name(name, role, false)
                .is_some_and(|rest| closes(rest.clone()) || ends_or_goes_on(rest))
        })
}

/// Reports whether a tag continues with a slash or attributes, or is cut at the end of its
/// line.
fn ends_or_goes_on(rest: Glyphs<'_>) -> bool {
    let mut behind = rest.clone();
    match behind.next() {
        None | Some('\n' | '\r' | '/') => return true,
        Some(c) if !is_blank(c) => return false,
        Some(_) => {}
    }
    let mut attributes = rest.take(ATTRIBUTE_LENGTH).skip_while(|c| is_blank(*c));
    attributes.next().is_none_or(|c| c == '/' || c.is_alphabetic())
        && attributes.take_while(|c| !is_less(*c)).any(|c| is_greater(c) || c == '=')
}

/// Reports whether a tag is a token: `<|im_start|>`, or `< | im_start | >` for well-known names.
fn is_token(kind: Kind, rest: &str) -> bool {
    let is_bar = |c: char| plain(c) == Some('|');
    let mut inside = Glyphs::of(rest).skipping(is_blank);
    if kind == Kind::Square || !inside.next().is_some_and(is_bar) {
        return false;
    }
    let is_part = |c: &char| is_name(*c) || is_invisible(*c);
    let length = inside.clone().take_while(is_part).take(TOKEN_LENGTH * 2).count();
    let is_tight =
        length > 0 && length <= TOKEN_LENGTH && inside.clone().nth(length).is_some_and(is_bar);
    is_tight
        || TOKENS.iter().any(|token| {
            after_name(inside.rest(), token, false)
                .is_some_and(|rest| rest.clone().find(|c| !is_blank(*c)).is_some_and(is_bar))
        })
}

fn is_name(c: char) -> bool {
    plain(c).is_none_or(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-' || c == '.')
}

/// Reports whether a slash follows, and returns the rest.
fn skip_slash(rest: &str) -> (bool, &str) {
    let is_slash = |c: char| plain(c) == Some('/');
    let skips =
        |c: char| is_blank(c) || is_slash(c) || matches!(c, '!' | '?') || plain(c).is_none();
    let name = Glyphs::of(rest).skipping_comments(skips).rest();
    let before = rest.get(..rest.len() - name.len()).unwrap_or_default();
    // A slash in a comment closes nothing.
    let mut signs = Glyphs::of(before).skipping_comments(|c| skips(c) && !is_slash(c));
    (signs.next().is_some_and(is_slash), name)
}

/// Returns the rests after the prefixes of a name, as in `x:knowledge_pack` and
/// `a:b:knowledge_pack`.
fn prefixes(name: &str) -> impl Iterator<Item = &str> {
    let mut glyphs = Glyphs::of(name);
    let mut left = PREFIX_LENGTH;
    let mut is_begun = false;
    std::iter::from_fn(move || {
        while left > 0 {
            left -= 1;
            if let Comment::Before(after) = glyphs.comment() {
                glyphs = after;
            }
            let sign = glyphs.next()?;
            if plain(sign) == Some(':') && is_begun {
                return Some(glyphs.rest());
            }
            if !is_name(sign) {
                return None;
            }
            is_begun = true;
        }
        None
    })
}

/// Returns the rest after `name` at the beginning of `text`, compared by appearance and without
/// separators: `_`, `-` and `.`, or with `any_separator` everything that is neither letter nor
/// digit and neither opens nor ends a tag. Comments inside it count as nothing; where one has no
/// end, the letters before it are enough (MA-11).
fn after_name<'a>(text: &'a str, name: &str, any_separator: bool) -> Option<Glyphs<'a>> {
    let is_separator = |c: char, look: char| {
        any_separator && !look.is_alphanumeric() && !matches!(look, '<' | '>') && !is_square(c)
    };
    let is = |look: char, wanted: char| {
        if any_separator { stands_for(look, wanted) } else { alike(look, wanted) }
    };
    let mut rest = Glyphs::of(text);
    for (at, wanted) in name.chars().enumerate() {
        loop {
            match rest.comment() {
                Comment::Before(after) => {
                    rest = after;
                    continue;
                }
                Comment::Endless if at > 0 => return Some(rest),
                Comment::Endless | Comment::None => {}
            }
            let c = rest.next()?;
            match plain(c) {
                _ if is_blank(c) => {}
                None | Some('_' | '-' | '.') => {}
                Some(look) if is(look, wanted) => break,
                Some(look) if is_separator(c, look) => {}
                Some(_) => return None,
            }
        }
    }
    Some(rest)
}
