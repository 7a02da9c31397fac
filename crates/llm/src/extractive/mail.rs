//! Mail: what its sender wrote, without the earlier mail that is quoted below or between (CA-9).

/// Returns a text without earlier mail that it quotes; any other text as it is.
pub(super) fn own(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let head = header(&lines);
    let body = lines.get(head..).unwrap_or_default();
    let is_mail = head > 0 || (0..body.len()).any(|at| attribution(body, at).is_some());
    let quoted = (0..body.len()).find(|at| begins_earlier(body, *at));
    if !is_mail && quoted.is_none() {
        return text.to_owned();
    }
    let end = quoted.unwrap_or(body.len());
    let mut out: Vec<&str> = lines.iter().take(head).copied().collect();
    let mut at = 0;
    while at < end {
        let Some(line) = body.get(at) else { break };
        if let Some(taken) = attribution(body, at) {
            at += taken;
            // Without marks, all that follows is the other's.
            let next =
                body.get(at..).unwrap_or_default().iter().find(|next| !next.trim().is_empty());
            if !next.is_some_and(|next| next.trim_start().starts_with('>')) {
                break;
            }
            continue;
        }
        if !line.trim_start().starts_with('>') {
            out.push(line);
        }
        at += 1;
    }
    out.join("\n")
}

/// The names of a mail's head.
const NAMES: &[&str] = &[
    "from",
    "to",
    "cc",
    "bcc",
    "subject",
    "date",
    "sent",
    "reply-to",
    "von",
    "an",
    "gesendet",
    "betreff",
    "datum",
    "de",
    "envoyé",
    "objet",
    "发件人",
    "收件人",
    "发送时间",
    "主题",
    "抄送",
];

/// Returns the name of a line of a head, in small letters.
fn name_of(line: &str) -> Option<String> {
    let (name, _) = line.split_once([':', '：'])?;
    let name = name.trim_matches(['*', ' ']).to_lowercase();
    NAMES.contains(&name.as_str()).then_some(name)
}

/// Returns the number of lines of the head that a text begins with.
fn header(lines: &[&str]) -> usize {
    let named = lines.iter().take_while(|line| name_of(line).is_some() || folded(line)).count();
    let said = lines.iter().take(named).filter_map(|line| name_of(line)).count();
    if said >= 2 { named } else { 0 }
}

/// Reports whether a line of a head goes on with the one above.
fn folded(line: &str) -> bool {
    line.starts_with([' ', '\t']) && !line.trim().is_empty()
}

/// Reports whether earlier mail begins at this line and goes on to the end: a separator, or
/// another head.
fn begins_earlier(body: &[&str], at: usize) -> bool {
    let line = body.get(at).map(|line| line.trim()).unwrap_or_default();
    let dashed = line.starts_with("--") && line.ends_with("--");
    let lower = line.trim_matches(['-', ' ']).to_lowercase();
    let titles = [
        "original message",
        "forwarded message",
        "ursprüngliche nachricht",
        "message d'origine",
        "mensaje original",
        "原始邮件",
        "转发的邮件",
    ];
    if dashed && titles.contains(&lower.as_str()) {
        return true;
    }
    let from = ["from", "von", "de", "发件人"];
    let opens = name_of(line).is_some_and(|name| from.contains(&name.as_str()));
    opens && header(body.get(at..).unwrap_or_default()) >= 2
}

/// Returns how many lines say that somebody wrote what follows: `On Monday, Ada wrote:`.
fn attribution(body: &[&str], at: usize) -> Option<usize> {
    const BEGIN: &[&str] = &["On ", "Am ", "Le ", "El ", "Il ", "Op ", "Den ", "Em ", "在 ", "于 "];
    const END: &[&str] = &[
        "wrote:",
        "schrieb:",
        "a écrit :",
        "a écrit:",
        "escribió:",
        "ha scritto:",
        "schreef:",
        "skrev:",
        "escreveu:",
        "写道：",
        "写道:",
    ];
    let first = body.get(at)?.trim();
    let starts = BEGIN.iter().any(|begin| first.starts_with(begin))
        || (first.contains('@') || first.chars().any(|c| c.is_ascii_digit()));
    if !starts || first.starts_with('>') {
        return None;
    }
    (1..=3).find(|count| {
        let lines = body.get(at..at + count).unwrap_or_default();
        let whole = lines.iter().all(|line| !line.trim().is_empty() && !line.starts_with('>'));
        let last = lines.last().map(|line| line.trim()).unwrap_or_default();
        let written = last.ends_with("schrieb:") || END.iter().any(|end| last.ends_with(end));
        // "Am 3. Mai schrieb Ada:" names the writer last.
        let named = last.ends_with(':') && last.contains(" schrieb ");
        lines.len() == *count && whole && (written || named)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ca_9_earlier_mail_below_attribution_is_left_out() {
        let text = "Hi Ada,\n\nthe new total is 40.\n\nOn Mon, 1 Jan 2024, Bob\n<b@x.example> wrote:\n> total: 512\n\nBest,\nC.";
        assert_eq!(own(text), "Hi Ada,\n\nthe new total is 40.\n\n\nBest,\nC.");
        let plain = "Yes.\n\nAm 3. Mai 2024 schrieb Ada:\n\nTotal: 512\n";
        assert_eq!(own(plain), "Yes.\n");
        let chinese = "好的。\n\n在 2024年1月1日，李雷写道：\n> 总计：512\n";
        assert_eq!(own(chinese), "好的。\n");
    }

    #[test]
    fn ca_9_earlier_mail_below_separator_or_head_is_left_out() {
        for separator in [
            "-----Original Message-----\nTotal: 512",
            "---------- Forwarded message ---------\nTotal: 512",
            "From: Bob\nSent: Monday\nTo: Ada\nSubject: Order\n\nTotal: 512",
            "*From:* Bob\n*Sent:* Monday\n\nTotal: 512",
        ] {
            let text = format!("From: Ada\nSubject: Re: Order\n\nCancel it.\n\n{separator}\n");
            assert_eq!(own(&text), "From: Ada\nSubject: Re: Order\n\nCancel it.\n", "{separator}");
        }
    }

    #[test]
    fn ca_9_marked_lines_of_mail_are_left_out_and_quotations_of_other_texts_stay() {
        let mail = "From: Ada\nTo: Bob\n\n> Total: 512\nNo: 40.";
        assert_eq!(own(mail), "From: Ada\nTo: Bob\n\nNo: 40.");
        let page = "# Page\n\n> A quotation.\n\nAs Ada wrote:\n\nWell.";
        assert_eq!(own(page), page);
        assert_eq!(own(""), "");
    }
}
