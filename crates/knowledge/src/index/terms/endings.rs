//! Common endings of the languages that are detected, English aside (MA-7).
//!
//! Decision: light stemming by tables, as in `stem`. Both sides of a comparison go through it, so that
//! forms of one word have to meet, and what is left need not be a word. Accents are folded, too: people
//! leave them out when they ask. The stemmers of Snowball (crate `frostem`) take 12 KB of the program
//! for each language, which all of these tables share.

use super::language::Language;

/// The longest ending is taken in each step, where so many letters stay before it. `a>b` puts `b` in
/// place of the ending `a`.
struct Rules {
    /// Letters that count as another one, in pairs.
    letters: &'static str,
    steps: &'static [(usize, &'static str)],
}

const GERMAN: Rules = Rules {
    letters: "äaöoüu",
    steps: &[
        (4, "s"),
        (3, "ern eln>el em en er es e"),
        (3, "ierungen ierung iert ierbar ier ationen ation ator"),
        (5, "end"),
        (4, "et ung keit heit lich isch bar ig est er"),
        (4, "lich isch ig"),
    ],
};

const FRENCH: Rules = Rules {
    letters: "éeèeêeëeàaâaîiïiôoûuùuçcœo",
    steps: &[
        (3, "aux>al eux>eus euses>eus s x"),
        (
            3,
            "issement ement ment ation ateur atrice ance ence able ible isme iste ite ive if euse>eus eur>eur \
             issaient isson issez issant issent aient eraient erion eriez eron erez eront erait erai era \
             iron iront irait ait ai ant ent iez ez er ir ee e it i",
        ),
        (3, "e qu>c"),
    ],
};

const SPANISH: Rules = Rules {
    letters: "áaéeíióoúuüu",
    steps: &[
        (3, "ciones>cion siones>sion ces>z es s"),
        (
            3,
            "amiento imiento acion icion ador adora ancia encia idad mente able ible ista ismo ativo ativa ivo iva \
             oso osa ariamo eriamo iriamo aremo eremo iremo aran eran iran aria eria iria ara era ira \
             abamo aban aba aron ieron iendo ando amo emo imo ado ada ido ida iamo ian ia an en ar er ir \
             arlo arla erlo erla irlo irla arse erse irse andose iendose andolo iendolo o a e",
        ),
    ],
};

const PORTUGUESE: Rules = Rules {
    letters: "áaâaãaàaéeêeíióoôoõoúuüuçc",
    steps: &[
        (3, "coes>cao soes>sao oes>ao ais>al eis>el ns>m es s"),
        (
            3,
            "amento imento acao icao ador adora ancia encia idade mente avel ivel ista ismo ativo ativa ivo iva oso osa \
             ariam eriam iriam aremo eremo iremo aria eria iria ara era ira avam ava aram eram iram ando endo indo \
             amo emo imo ado ada ido ida iam ia ou eu iu ar er ir am em o a e",
        ),
    ],
};

const ITALIAN: Rules = Rules {
    letters: "àaèeéeìiòoùu",
    steps: &[
        (3, "chi>c che>c ghi>g ghe>g"),
        (
            3,
            "azioni azione izioni izione amenti amento imenti imento atori atore atrice anza anze enza enze ita mente \
             abile abili ibile ibili ista isti ismo ivo iva ivi ive oso osa osi ose \
             erebbero erebbe eranno eremo erai ando endo avano evano ivano avamo ava eva iva \
             ato ata ati ate uto uta uti ute ito iti iamo ono ano are ere ire arlo arla erlo erla io ia ie ii o a e i",
        ),
        (3, "i"),
    ],
};

const DUTCH: Rules = Rules {
    letters: "ëeïiéeèeöoüu",
    steps: &[
        (3, "heden>heid ingen ing atie aties eren>er eerde>er eerd>er eert>er eer>er"),
        (3, "elijke lijke lijk baar tjes tje jes je en s e"),
        (4, "heid ig isch"),
    ],
};

const RUSSIAN: Rules = Rules {
    letters: "ёе",
    steps: &[
        (3, "ся сь"),
        (
            3,
            "ее ие ые ое ими ыми ей ий ый ой ем им ым ом его ого ему ому их ых ую юю ая яя ою ею \
             ила или ило ил ыла ыли ыло ыл ена ено ены ен ейте уйте ите ует уют ит ят ить ыть ишь \
             ала али ало ал ать ает ают аем аешь аете айте ан ана ано аны \
             яла яли яло ял ять яет яют яем яешь яете яйте \
             а ев ов ье е иями ями ами еи ии и ией й иям ям ием ам о у ах иях ях ы ь ию ью ю ия ья я",
        ),
        (3, "ующ ающ яющ аем яем уем ивш ывш авш анн енн янн"),
        (3, "ост ость"),
        (3, "и ь"),
    ],
};

/// Takes the ending off a word in small letters.
pub(super) fn strip(word: &mut String, language: Language) {
    let rules = match language {
        Language::German => GERMAN,
        Language::French => FRENCH,
        Language::Spanish => SPANISH,
        Language::Portuguese => PORTUGUESE,
        Language::Italian => ITALIAN,
        Language::Dutch => DUTCH,
        Language::Russian => RUSSIAN,
    };
    // Names and numbers have no endings.
    if !word.chars().all(char::is_alphabetic) {
        return;
    }
    fold(word, rules.letters);
    for (least, endings) in rules.steps {
        step(word, *least, endings);
    }
    undouble(word, language);
}

fn fold(word: &mut String, letters: &str) {
    let other = |c: char| {
        let mut pairs = letters.chars();
        while let (Some(from), Some(to)) = (pairs.next(), pairs.next()) {
            if from == c {
                return to;
            }
        }
        c
    };
    if word.chars().any(|c| other(c) != c) {
        *word = word.chars().map(other).collect();
    }
}

fn step(word: &mut String, least: usize, endings: &str) {
    let mut best: Option<(usize, &str)> = None;
    for rule in endings.split_ascii_whitespace() {
        let (ending, instead) = rule.split_once('>').unwrap_or((rule, ""));
        let Some(stays) = word.strip_suffix(ending) else { continue };
        if best.is_none_or(|(shorter, _)| stays.len() < shorter) && stays.chars().count() >= least {
            best = Some((stays.len(), instead));
        }
    }
    if let Some((stays, instead)) = best {
        word.truncate(stays);
        word.push_str(instead);
    }
}

/// Makes one letter of two equal ones at the end, and of the doubled vowels by which Dutch shows that
/// a syllable is closed.
fn undouble(word: &mut String, language: Language) {
    let mut last = word.chars().rev();
    if let (Some(one), Some(two)) = (last.next(), last.next())
        && one == two
    {
        word.pop();
    }
    if language == Language::Dutch {
        let mut before = ' ';
        word.retain(|c| {
            let is_second = c == before && matches!(c, 'a' | 'e' | 'o' | 'u');
            before = c;
            !is_second
        });
        if let Some(voiced) = word.pop() {
            word.push(match voiced {
                'v' => 'f',
                'z' => 's',
                other => other,
            });
        }
    }
}
