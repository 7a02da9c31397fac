use super::*;

fn content(text: &str) -> Vec<String> {
    let query = Query::of(text);
    let content = query.terms.iter().filter(|term| term.is_content);
    content.map(|term| query.text.get(term.at.clone()).unwrap().to_owned()).collect()
}

#[test]
fn kn_11_function_words_are_not_looked_for() {
    assert_eq!(content("What is the price of the Acme Widget?"), ["price", "Acme", "Widget"]);
    assert_eq!(content("请问企业版的价格是多少"), ["企业", "业版", "价格"]);
    assert_eq!(content("为什么支持离线"), ["支持", "持离", "离线"]);
    assert_eq!(content("茶"), ["茶"]);
}

#[test]
fn kn_11_words_with_phrase_of_asking_in_them_are_looked_for() {
    assert_eq!(content("请说明价格"), ["价格"]);
    assert_eq!(content("价格,请"), ["价格"]);
    for (text, word) in [
        ("生病了请假要什么材料", "请假"),
        ("如何申请报销", "申请"),
        ("可以请假几天", "请假"),
        ("说明书在哪里", "说明"),
    ] {
        assert!(content(text).iter().any(|found| found == word), "{text}");
    }
}

#[test]
fn kn_11_words_of_instructions_only_rank() {
    let query = Query::of("Write a short text about pricing");
    assert_eq!(content("Write a short text about pricing"), ["pricing"]);
    assert!(query.terms.iter().any(|term| !term.is_content && term.text == "writ"));
    // When there is nothing else, they are what the task is about.
    assert_eq!(content("summary"), ["summary"]);
}

#[test]
fn kn_10_words_report_what_is_wanted() {
    for (text, intent) in [
        ("What does it cost?", Intent::Answer),
        ("How does queueing relate to sync?", Intent::Detail),
        ("Why is it blue", Intent::Detail),
        ("详细说明离线队列", Intent::Detail),
        ("Cite the claim about queueing", Intent::Cite),
        ("请给出引用", Intent::Cite),
        ("这条数据的来源是什么", Intent::Cite),
        ("Verify that it works offline", Intent::Verify),
        ("核验这条说法", Intent::Verify),
        ("Which claims are disputed?", Intent::Dispute),
        ("这里有争议吗", Intent::Dispute),
        ("Ingest the new interview", Intent::Ingest),
        ("Is it open source?", Intent::Answer),
    ] {
        assert_eq!(Query::of(text).intent(), intent, "{text}");
    }
}

#[test]
fn kn_11_phrases_of_asking_are_not_content_in_any_script() {
    for (text, words) in [
        ("专业版多少钱", vec!["专业", "业版"]),
        ("E3是什么意思", vec!["E3"]),
        ("清洁方法", vec!["清洁"]),
        ("保証期間はどのくらいですか", vec!["保証", "証期", "期間"]),
        ("価格を教えてください", vec!["価格"]),
        ("バッテリーの保証は?", vec!["バッ", "ッテ", "テリ", "リー", "保証"]),
        ("가격이 얼마예요", vec!["가격", "격이"]),
    ] {
        assert_eq!(content(text), words, "{text}");
    }
    // Within a word they are none.
    for (text, words) in [
        ("ぶどう", vec!["ぶど", "どう"]),
        ("许多大学", vec!["许多", "多大", "大学"]),
        ("확대해", vec!["확대", "대해"]),
        ("方法论", vec!["方法", "法论"]),
    ] {
        assert_eq!(content(text), words, "{text}");
    }
    // A word that Japanese writes with one sign and an ending is looked for, its ending is not.
    assert_eq!(content("窓を洗う"), ["窓", "洗"]);
    assert_eq!(content("りんご"), ["りん", "んご"]);
}
