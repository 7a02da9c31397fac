//! Random programs, which read what is outside, ask models and do things by what they got.
//!
//! Their choices come from a tape of bytes, and from chance once that is used up, so that a mutated
//! input is a program that differs from another one in a few places.

/// What the programs share. `outer` changes an object of its caller.
const SHARED: &str = r#"
import tool File from "file://workspace"
import tool Web from "https://api.example.com"
import memory Notes from "file://n.jsonl"
func ask(x) { use x as "evidence" generate({ input: "Say" }) }
func chosen(x) { use x as "evidence" generate({ input: "Choose" }) -> { n integer, ok boolean } }
func act(x) { use x as "evidence" generate({ input: "Act", tools: [File.write] }) }
func twice(x) { x + x }
func big(x) { x > 1 }
func pick(c, a, b) { if c { return a } b }
func count(n) { i = 0 loop until i >= n max 4 { i = i + 1 } i }
func quiet(n) { if n == 1 { return 0 } File.write({ path: "quiet", content: "x" }) n }
func outer(o, v) { o.x = v }
agent Other {
  main func(input) { input }
  func last(a, b) { if a { return b } input = b input }
}
"#;

/// Writes random programs. Their variables are numbers `v`, texts `s`, lists `l` and objects `o`.
pub(super) struct Writer<'t> {
    /// What decides first; then the state does.
    tape: std::slice::Iter<'t, u8>,
    state: u64,
    /// True if an object may have two names, and functions may change what they are given.
    aliases: bool,
}

impl<'t> Writer<'t> {
    pub(super) fn new(tape: &'t [u8], state: u64, aliases: bool) -> Self {
        Self { tape: tape.iter(), state: state | 1, aliases }
    }

    fn below(&mut self, bound: u64) -> u64 {
        if let Some(byte) = self.tape.next() {
            return u64::from(*byte) % bound;
        }
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state % bound
    }

    fn var(&mut self, kind: char) -> String {
        format!("{kind}{}", self.below(3))
    }

    fn number(&mut self, depth: u64) -> String {
        if depth == 0 {
            return if self.below(2) == 0 { self.below(4).to_string() } else { self.var('v') };
        }
        let deeper = depth - 1;
        match self.below(16) {
            0..4 => self.var('v'),
            4 => format!("({} + {})", self.number(deeper), self.number(deeper)),
            5 => format!("({} * {})", self.number(deeper), self.number(deeper)),
            6 => format!("(-{})", self.number(0)),
            7 => format!("{}.length", self.list(deeper)),
            8 => format!("{}.x", self.var('o')),
            9 => format!("{}.get(\"y\", {})", self.var('o'), self.number(deeper)),
            10 => {
                let test = self.test(deeper);
                format!("pick({test}, {}, {})", self.number(deeper), self.number(deeper))
            }
            11 => format!("count({})", self.number(deeper)),
            12 => format!("({} % 3)", self.number(deeper)),
            13 => format!("Other.last({}, {})", self.test(deeper), self.number(deeper)),
            14 => format!("{}.length", self.text(deeper)),
            _ => format!("{}.summary.y", self.var('o')),
        }
    }

    fn test(&mut self, depth: u64) -> String {
        let deeper = depth.saturating_sub(1);
        match self.below(if depth == 0 { 3 } else { 9 }) {
            0 => format!("{} == {}", self.number(0), self.number(0)),
            1 => format!("{} < {}", self.number(0), self.number(1)),
            2 => format!("{} < \"w2\"", self.var('s')),
            3 => format!("(not ({}))", self.test(deeper)),
            4 => format!("({} and {})", self.test(deeper), self.test(deeper)),
            5 => format!("({} or {})", self.test(deeper), self.test(deeper)),
            6 => format!("{}.contains({})", self.list(deeper), self.number(deeper)),
            7 => format!("{}.endsWith(\"1\")", self.text(deeper)),
            _ => format!("{} == {}", self.var('o'), self.var('o')),
        }
    }

    fn text(&mut self, depth: u64) -> String {
        let deeper = depth.saturating_sub(1);
        match self.below(if depth == 0 { 4 } else { 10 }) {
            0 => format!("\"w{}\"", self.below(3)),
            1..4 => self.var('s'),
            4..6 => format!("(\"p\" + {})", self.number(deeper)),
            6 => format!("{}.upper()", self.text(deeper)),
            7 => format!("{}.join(\"-\")", self.list(deeper)),
            8 => format!("({} + {})", self.text(deeper), self.text(deeper)),
            _ => format!("{}.replace(\"w\", {})", self.text(deeper), self.text(deeper)),
        }
    }

    fn list(&mut self, depth: u64) -> String {
        let deeper = depth.saturating_sub(1);
        match self.below(if depth == 0 { 2 } else { 8 }) {
            0 => self.var('l'),
            1 => format!("[{}, {}]", self.number(0), self.number(0)),
            2 => format!("{}.map(twice)", self.list(deeper)),
            3 => format!("{}.filter(big)", self.list(deeper)),
            4 => format!("{}.sort()", self.list(deeper)),
            5 => format!("{}.summary", self.list(deeper)),
            6 => format!("Other({})", self.list(deeper)),
            _ => format!("{}.slice(1)", self.list(deeper)),
        }
    }

    fn block(&mut self, depth: u64) -> String {
        let count = 1 + self.below(2);
        let all: Vec<String> = (0..count).map(|_| self.statement(depth)).collect();
        format!("{{\n{}\n}}", all.join("\n"))
    }

    fn effect(&mut self) -> String {
        let (text, content) = (self.text(1), self.text(1));
        match self.below(6) {
            0..3 => format!("File.write({{ path: {text}, content: {content} }})"),
            3 => format!("Web.post({{ url: \"/\" + {text}, body: {content} }})"),
            4 => format!("v0 = Web.get({{ url: \"/\" + {text} }})"),
            _ => format!("Notes.add({{ n: {} }})", self.number(1)),
        }
    }

    fn outside(&mut self) -> String {
        let (kind, path) = match self.below(4) {
            0 => ('v', "n"),
            1 => ('s', "s"),
            2 => ('l', "l"),
            _ => ('o', "o"),
        };
        let variable = self.var(kind);
        match self.below(8) {
            0..2 => format!("{} = ask({})", self.var('s'), self.text(1)),
            2..4 => format!("{} = chosen({}).n", self.var('v'), self.list(1)),
            4 => format!("act({})", self.text(1)),
            5 => format!("{} = Notes.query({{}})", self.var('l')),
            _ => format!("{variable} = File.read({{ path: \"{path}\" }})"),
        }
    }

    fn statement(&mut self, depth: u64) -> String {
        let deeper = depth.saturating_sub(1);
        match self.below(if depth == 0 { 15 } else { 24 }) {
            0 => format!("{} = {}", self.var('v'), self.number(2)),
            1 => format!("{} = {}", self.var('s'), self.text(2)),
            2 => format!("{} = {}", self.var('l'), self.fresh_list()),
            3 => format!("{}.add({})", self.var('l'), self.number(1)),
            4 => format!("{} = {{ x: {}, y: {} }}", self.var('o'), self.number(1), self.number(1)),
            5 => format!(
                "{}.{} = {}",
                self.var('o'),
                if self.below(2) == 0 { "x" } else { "y" },
                self.number(1)
            ),
            6..9 => self.effect(),
            9..12 => self.outside(),
            12..14 => self.named(),
            14 => format!("{} += {}", self.var('v'), self.number(1)),
            15..18 => format!("if {} {}", self.test(1), self.block(deeper)),
            18 => format!("if {} {} else {}", self.test(1), self.block(deeper), self.block(deeper)),
            19 => {
                format!("for x in {} max 3 {{ v1 = x\n{} }}", self.list(1), self.statement(deeper))
            }
            20 => format!("repeat * {} % 3 {}", self.number(0), self.block(deeper)),
            21 => format!("loop until {} max 2 {}", self.test(1), self.block(deeper)),
            22 => format!("try {} else e {}", self.block(deeper), self.block(deeper)),
            _ => format!(
                "{} = (parallel for x in {} max 3 {{ x + {} }})",
                self.var('l'),
                self.list(1),
                self.number(1)
            ),
        }
    }

    fn fresh_list(&mut self) -> String {
        format!("{}.summary", self.list(2))
    }

    /// Returns a statement that gives something a second name, or another way to it.
    fn named(&mut self) -> String {
        if !self.aliases {
            return match self.below(3) {
                0 => format!("v2 = quiet({})", self.number(1)),
                1 => format!("if {} {{ return 1 }}", self.test(1)),
                _ => format!("{} = Other({})", self.var('o'), self.var('o')),
            };
        }
        match self.below(4) {
            0 => format!("{} = {}", self.var('o'), self.var('o')),
            1 => format!("outer({}, {})", self.var('o'), self.number(1)),
            2 => format!(
                "p = [{}, {}][{} % 2]\np.x = {}",
                self.var('o'),
                self.var('o'),
                self.var('v'),
                self.number(1)
            ),
            _ => format!("{} = {}", self.var('l'), self.var('l')),
        }
    }

    pub(super) fn program(&mut self) -> String {
        let count = 14 + self.below(10);
        let body: Vec<String> = (0..count).map(|_| self.statement(3)).collect();
        format!(
            "{SHARED}main func(input) {{\nv0 = 0 v1 = 1 v2 = 2 s0 = \"w0\" s1 = \"w1\" s2 = \"\"\n\
             l0 = [1, 2] l1 = [0] l2 = []\no0 = {{ x: 1, y: 0 }} o1 = {{ x: 0, y: 2 }} o2 = {{ x: 0, y: 0 }}\n\
             v2 = File.read({{ path: \"n\" }})\n{}\n0\n}}\n",
            body.join("\n")
        )
    }
}
