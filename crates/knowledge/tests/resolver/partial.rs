//! Tasks of which the first place asked has only a part (KN-9, KN-10, KN-11).

use super::{DOCUMENTS, Project, READY, headings, paths};
use contexture_knowledge::resolve::Resolution;

fn missing(answer: &Resolution) -> Vec<&str> {
    answer.missing.iter().map(|missing| missing.fact.as_str()).collect()
}

fn best(answer: &Resolution) -> &str {
    let best = answer.sections.iter().max_by(|a, b| a.score.total_cmp(&b.score));
    best.map_or("", |section| section.path.as_str())
}

fn hospital() -> Project {
    Project::with(
        READY,
        &[
            (
                "compiled/briefing.md",
                "# Briefing\n\n## Radiology\n\nThe radiology department is on the second floor and \
                 open all night.\n\n## Pharmacy\n\nThe pharmacy department closes at eight.\n",
            ),
            (
                "wiki/radiology.md",
                "# Radiology\n\n## Scanner models\n\nTwo Helix 7 and one Nova S for \
                 children.\n\n## Staff\n\nEleven people in three shifts.\n",
            ),
            ("wiki/pharmacy.md", "# Pharmacy\n\n## Stock\n\nOpioids are locked away.\n"),
        ],
    )
}

#[test]
fn kn_10_briefing_with_half_of_task_does_not_hide_page_with_answer() {
    let answer = hospital().ask("Which scanner models does the radiology department have?", 1_000);
    assert!(headings(&answer).contains(&"Radiology > Scanner models"), "{:?}", paths(&answer));
    assert_eq!(best(&answer), "wiki/radiology.md");
    assert_eq!(missing(&answer), [""; 0]);
    // What a compiled section has whole is not looked for in the wiki.
    let answer = hospital().ask("On which floor is the radiology department?", 1_000);
    assert_eq!(paths(&answer), ["compiled/briefing.md"]);
}

#[test]
fn kn_10_words_that_stand_apart_do_not_hide_where_they_stand_together() {
    let project = Project::with(
        READY,
        &[
            (
                "compiled/lines.md",
                "# Lines\n\n## Amber line\n\nThe Amber line runs from the harbour to the \
                 zoo.\n\n## Lost property\n\nThe phone of lost property is 300.\n",
            ),
            (
                "wiki/amber-line.md",
                "# Amber line\n\n## Contact\n\nThe phone number of the line is 4711.\n",
            ),
            ("wiki/blue-line.md", "# Blue line\n\n## Contact\n\nThe phone is 4712.\n"),
        ],
    );
    let answer = project.ask("What is the phone number for the Amber line?", 1_000);
    assert!(paths(&answer).contains(&"wiki/amber-line.md"), "{:?}", paths(&answer));
    assert!(answer.context.contains("4711"));
}

#[test]
fn kn_10_split_with_half_of_task_does_not_hide_primary_document() {
    let project = Project::with(
        DOCUMENTS,
        &[
            (
                "compiled/splits/brief/pay.md",
                "# 支付\n\n企业客户可以用转账或信用卡支付,账期三十天。\n",
            ),
            (
                "documents/brief.md",
                "# 手册\n\n## 支付\n\n企业客户可以用转账支付。\n\n## 发票\n\n在后台的订单页申请发票,\
                 三个工作日开出。\n",
            ),
        ],
    );
    let answer = project.ask("企业客户怎么申请发票?", 1_000);
    assert!(headings(&answer).contains(&"手册 > 发票"), "{:?}", headings(&answer));
    assert_eq!(missing(&answer), [""; 0]);
}

#[test]
fn kn_10_split_about_another_kind_does_not_hide_kind_that_is_asked_for() {
    let project = Project::with(
        DOCUMENTS,
        &[
            ("compiled/splits/brief/green.md", "# 绿茶\n\n绿茶用八十度的水,冲泡两分钟。\n"),
            (
                "documents/brief.md",
                "# 手册\n\n## 绿茶\n\n绿茶冲泡两分钟。\n\n## 红茶\n\n红茶用沸水,冲泡四分钟。\n",
            ),
        ],
    );
    let answer = project.ask("红茶冲泡几分钟", 1_000);
    assert!(headings(&answer).contains(&"手册 > 红茶"), "{:?}", headings(&answer));
    assert_eq!(missing(&answer), [""; 0]);
    // Where no section knows the kind, it is what is missing, and not how it was asked.
    project.write("acme", "documents/brief.md", "# 手册\n\n绿茶要冲泡两分钟。\n");
    assert_eq!(missing(&project.ask("红茶冲泡几分钟", 1_000)), ["红茶"]);
}

#[test]
fn kn_9_what_stands_where_nothing_was_selected_is_missing() {
    let project = Project::with(
        READY,
        &[
            ("compiled/a.md", "# Warranty\n\nThe warranty of the kettle is two years.\n"),
            ("compiled/b.md", "# History\n\nThe founder was born in Norway.\n"),
        ],
    );
    let answer = project.ask("How long is the warranty of the kettle lid in Norway?", 1_000);
    assert!(paths(&answer).contains(&"compiled/a.md"));
    let is_selected = paths(&answer).contains(&"compiled/b.md");
    assert_eq!(missing(&answer).contains(&"Norway"), !is_selected, "{:?}", missing(&answer));
    assert!(missing(&answer).contains(&"lid"), "{:?}", missing(&answer));
}

#[test]
fn kn_9_what_pack_that_was_left_out_knows_is_missing() {
    let project = Project::new();
    project.pack("fuel", READY, &[("compiled/a.md", "# Fuel tank\n\nThe fuel tank holds nine.\n")]);
    project.pack("bikes", READY, &[("compiled/a.md", "# Bicycle fare\n\nA bicycle fare is 2.\n")]);
    project.pack("tea", READY, &[("compiled/a.md", "# 绿茶\n\n绿茶用八十度的水。\n")]);
    let packs = ["fuel", "bikes", "tea"].map(|name| project.open(name));
    let resolver =
        contexture_knowledge::resolve::Resolver::new(&contexture_context::tokens::O200K_BASE, None);
    let task = contexture_knowledge::resolve::Task::new("fuel tank and bicycle fare 绿茶", 1_000);
    let answer = resolver.resolve(&packs, &task).unwrap();
    let has_tea = answer.sections.iter().any(|section| section.pack.as_deref() == Some("tea"));
    assert_eq!(missing(&answer).contains(&"绿茶"), !has_tea, "{:?}", answer.missing);
}

#[test]
fn kn_9_words_of_asking_are_never_missing() {
    let project = Project::with(READY, &[("compiled/a.md", "# 营业时间\n\n早上九点开门。\n")]);
    for text in ["几点开门", "谁来开门", "何时开门"] {
        let answer = project.ask(text, 1_000);
        for fact in missing(&answer) {
            assert!(!fact.contains(['几', '谁', '何']), "{text}: {fact}");
        }
    }
}

#[test]
fn kn_11_words_of_asking_are_looked_for_where_heading_has_them() {
    let project = Project::with(
        READY,
        &[
            (
                "compiled/hotel.md",
                "# Hotel\n\n## Check-in\n\nFrom three in the afternoon.\n\n## \
                                   Breakfast\n\nFrom seven to ten.\n",
            ),
            ("compiled/code.md", "# Source code\n\nIt is under the MIT licence.\n"),
            ("compiled/more.md", "# Details\n\nThe frame is made of oak.\n"),
            ("compiled/zh.md", "# 使用说明\n\n先加水再通电。\n\n# 茶几\n\n由橡木制成。\n"),
        ],
    );
    for (text, heading) in [
        ("check-in time", "Hotel > Check-in"),
        ("what time is check-in", "Hotel > Check-in"),
        ("When is check-in?", "Hotel > Check-in"),
        ("What time is breakfast?", "Hotel > Breakfast"),
        ("source time", "Source code"),
        ("detail time", "Details"),
        ("茶几多重", "茶几"),
        ("请看说明", "使用说明"),
    ] {
        let answer = project.ask(text, 1_000);
        assert!(headings(&answer).contains(&heading), "{text}: {:?}", headings(&answer));
        assert!(!missing(&answer).contains(&"time"), "{text}: {:?}", missing(&answer));
    }
}

#[test]
fn kn_9_what_only_asks_is_not_missing() {
    let project = Project::with(
        DOCUMENTS,
        &[
            (
                "compiled/splits/brief/brew.md",
                "# 冲泡\n\n## 绿茶\n\n绿茶用八十度的水冲泡两分钟。\n",
            ),
            (
                "documents/brief.md",
                "# 手册\n\n## 价格\n\n标准版售价一千二百元,专业版售价两千元。\n\n## 故障代码\n\nE3 表示水箱缺水。\n",
            ),
        ],
    );
    for task in ["专业版多少钱?", "E3是什么意思?", "泡绿茶要几分钟?", "绿茶的冲泡方法"]
    {
        let answer = project.ask(task, 1_000);
        assert!(!answer.sections.is_empty(), "{task}");
        assert_eq!(missing(&answer), [""; 0], "{task}");
        assert!(answer.warnings.iter().all(|told| !told.contains("missing:")), "{task}");
    }
    let answer = project.ask("专业版多少钱?保修多久?", 1_000);
    assert_eq!(missing(&answer), ["保修"]);
    // Where nothing is known, what is asked is named, however short it is.
    assert_eq!(missing(&project.ask("你好", 1_000)), ["好"]);
}

#[test]
fn kn_9_japanese_grammar_neither_selects_nor_is_missing() {
    let project = Project::with(
        READY,
        &[
            (
                "compiled/a.md",
                "# 概要\n\n## 保証\n\n製品の保証期間は二年間です。バッテリーは一年間です。\n\n## 価格\n\n標準モデルの価格は一万二千円です。\n",
            ),
            ("wiki/e.md", "# エラー\n\n## E7\n\n温度センサーの故障です。\n"),
        ],
    );
    for (task, heading) in [
        ("保証期間はどのくらいですか", "概要 > 保証"),
        ("価格を教えてください", "概要 > 価格"),
        ("バッテリーの保証は?", "概要 > 保証"),
        ("E7の意味は何ですか", "エラー > E7"),
    ] {
        let answer = project.ask(task, 1_000);
        assert_eq!(headings(&answer), [heading], "{task}");
        assert_eq!(missing(&answer), [""; 0], "{task}");
    }
}

#[test]
fn kn_10_mention_of_one_known_word_does_not_hide_page_about_it() {
    let project = Project::with(
        READY,
        &[
            (
                "compiled/briefing.md",
                "# Briefing\n\n## Opening hours\n\nOpen from nine to five. Refunds are made on \
                 weekdays.\n\n## Delivery\n\nWithin two days.\n",
            ),
            ("wiki/refunds.md", "# Refunds\n\nMoney comes back within fourteen days.\n"),
        ],
    );
    for question in ["How do refunds work, Ludwig?", "refunds"] {
        let answer = project.ask(question, 1_000);
        assert!(paths(&answer).contains(&"wiki/refunds.md"), "{question}: {:?}", paths(&answer));
        assert!(answer.context.contains("fourteen days"));
    }
    // A compiled section about the word has the answer.
    assert_eq!(paths(&project.ask("delivery", 1_000)), ["compiled/briefing.md"]);
}

#[test]
fn ma_8_words_of_a_task_scattered_over_a_large_pack_select_nothing() {
    let scattered = [
        ("wiki/oven.md", "# Racing\n\nThe tests bake in the oven of the laboratory.\n"),
        ("wiki/meal.md", "# Orders\n\nA guest orders bread with the meal of the day.\n"),
    ];
    let ask = |project: &Project| {
        let found = project.ask("How do I bake sourdough bread?", 500);
        found.sections.len()
    };
    assert_eq!(ask(&Project::with(READY, &scattered)), 2, "a small pack may have no more");
    let many: String =
        (0..500).map(|n| format!("## Part {n}\n\nValve {n} is closed.\n\n")).collect();
    let project = Project::with(READY, &scattered);
    project.write("acme", "wiki/valves.md", &many);
    assert_eq!(ask(&project), 0);
    project.write("acme", "wiki/both.md", "# Kitchen\n\nWe bake our bread at night.\n");
    assert_eq!(ask(&project), 3, "one that has several of the words is about them");
}
