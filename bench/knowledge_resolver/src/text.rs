//! A pack of sections made of words whose frequencies fall as those of a language do.

use std::path::Path;

/// A source of numbers that is the same in every run.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, most: usize) -> usize {
        (self.next() % most as u64) as usize
    }

    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

const VOCABULARY: usize = 20_000;

/// A word by its rank.
fn word(rank: usize) -> String {
    const HEADS: [&str; 16] = [
        "ba", "ko", "ti", "ru", "sel", "mar", "don", "pe", "lu", "vir", "gan", "ho", "cra", "bri",
        "fen", "jo",
    ];
    let mut text = String::new();
    let mut rest = rank + 16;
    while rest > 0 {
        text.push_str(HEADS[rest % 16]);
        rest /= 16;
    }
    text
}

/// The rank of a word drawn as in a language: the thousandth is a thousandth as frequent.
fn draw(numbers: &mut Numbers) -> usize {
    let share = numbers.share();
    ((VOCABULARY as f64).powf(share) - 1.0) as usize
}

pub(crate) struct Section {
    pub(crate) heading: String,
    pub(crate) text: String,
}

pub(crate) fn section(numbers: &mut Numbers, words: &[String]) -> Section {
    let heading = (0..3).map(|_| words[200 + numbers.below(VOCABULARY - 200)].as_str());
    let heading = heading.collect::<Vec<_>>().join(" ");
    let mut text = String::new();
    for paragraph in 0..2 + numbers.below(3) {
        if paragraph > 0 {
            text.push_str("\n\n");
        }
        for at in 0..20 + numbers.below(30) {
            if at > 0 {
                text.push(' ');
            }
            text.push_str(&words[draw(numbers)]);
        }
        text.push('.');
    }
    Section { heading, text }
}

pub(crate) fn words() -> Vec<String> {
    (0..VOCABULARY).map(word).collect()
}

/// Questions of three words, neither the most frequent nor the rarest.
pub(crate) fn questions(words: &[String], count: usize) -> Vec<String> {
    let mut numbers = Numbers::new(77);
    (0..count)
        .map(|_| {
            let three = (0..3).map(|_| words[30 + numbers.below(3_000)].as_str());
            three.collect::<Vec<_>>().join(" ")
        })
        .collect()
}

/// Writes a pack and gives its sections.
pub(crate) fn write_pack(root: &Path, sections: usize, in_file: usize) -> Vec<Section> {
    let words = words();
    let mut numbers = Numbers::new(5);
    std::fs::create_dir_all(root.join("compiled")).unwrap();
    let guide = "---\nname: bench\ndescription: Words.\ntype: domain-reference\nstatus: ready\n\
                 trust: official\nprofile: wiki-first\n---\n\n# Bench\n";
    std::fs::write(root.join("KNOWLEDGE.md"), guide).unwrap();
    let all: Vec<Section> = (0..sections).map(|_| section(&mut numbers, &words)).collect();
    for (number, chunk) in all.chunks(in_file).enumerate() {
        let mut text = format!("# Part {number}\n\n");
        for section in chunk {
            text.push_str(&format!("## {}\n\n{}\n\n", section.heading, section.text));
        }
        std::fs::write(root.join(format!("compiled/part-{number:05}.md")), text).unwrap();
    }
    all
}
