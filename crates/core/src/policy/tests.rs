use super::*;
use contexture_context::Readers;

fn page() -> Label {
    Label::of("https://page", Trust::Web).answered("answer 2")
}

fn effect<'e>(name: &'e str, class: Class, influence: &'e Influence) -> Effect<'e> {
    Effect { name, class, influence, origin: None, demands: None }
}

fn with(arguments: &[(&str, Label)]) -> Influence {
    let arguments = arguments.iter().map(|(name, label)| ((*name).to_owned(), label.clone()));
    Influence { decision: Label::default(), arguments: arguments.collect() }
}

#[test]
fn gu_6_write_to_influenced_path_asks_and_names_path_of_influence() {
    let influence = with(&[("path", page()), ("content", page())]);
    let decision = Policy::default().decide(&effect("file.write", Class::Write, &influence));
    assert_eq!(decision.verdict, Verdict::Ask);
    let told: Vec<String> = decision.influence.iter().map(ToString::to_string).collect();
    assert_eq!(told, ["https://page → answer 2 → file.write.path"]);
}

#[test]
fn gu_6_influence_names_input_and_each_source_once() {
    let demand = Rule { integrity: Some(Trust::Program), ..Rule::default() };
    let policy = Policy { tools: [("file.write".to_owned(), demand)].into(), ..Policy::default() };
    let input = Label::from(Trust::User);
    let influence = Influence { decision: input.clone(), ..with(&[("path", input)]) };
    let decision = policy.decide(&effect("file.write", Class::Write, &influence));
    let told: Vec<String> = decision.influence.iter().map(ToString::to_string).collect();
    assert_eq!(told, ["the input → file.write", "the input → file.write.path"]);
    let owner = Label::of("https://page", Trust::Web).with_readers(Readers::OWNER);
    let influence = with(&[("url", owner)]);
    let mut post = effect("http.post", Class::Send, &influence);
    post.origin = Some("https://other");
    let told = Policy::default().decide(&post).influence;
    assert_eq!(told.len(), 1, "low and secret at once: {told:?}");
}

#[test]
fn gu_6_source_that_was_let_up_is_told_and_does_not_ask() {
    let influence = with(&[("path", page().released("trust \"checked\"", Trust::User))]);
    let decision = Policy::default().decide(&effect("file.write", Class::Write, &influence));
    assert_eq!((decision.verdict, decision.influence.len()), (Verdict::Allow, 0));
    let told: Vec<String> = decision.let_up.iter().map(ToString::to_string).collect();
    assert_eq!(told, ["https://page → answer 2 → trust \"checked\" → file.write.path"]);
}

#[test]
fn gu_6_write_of_model_text_to_own_path_is_allowed() {
    let influence = with(&[("path", Label::default()), ("content", page())]);
    let decision = Policy::default().decide(&effect("file.write", Class::Write, &influence));
    assert_eq!(decision.verdict, Verdict::Allow);
}

#[test]
fn gu_6_effect_under_branch_on_page_is_asked_about() {
    let influence = Influence { decision: page(), arguments: Vec::new() };
    let decide = |name, class| Policy::default().decide(&effect(name, class, &influence)).verdict;
    assert_eq!(decide("file.write", Class::Write), Verdict::Ask);
    assert_eq!(decide("mcp:mail/send", Class::Execute), Verdict::Ask);
    assert_eq!(decide("memory.add", Class::Write), Verdict::Allow, "labels stay in a memory");
    assert_eq!(decide("file.read", Class::Read), Verdict::Allow);
}

#[test]
fn gu_6_rule_about_arguments_holds_for_reading_too() {
    let rule = |arguments: &[(&str, Trust)]| Policy {
        tools: [(
            "file.read".to_owned(),
            Rule {
                arguments: arguments
                    .iter()
                    .map(|(name, least)| ((*name).to_owned(), *least))
                    .collect(),
                ..Rule::default()
            },
        )]
        .into(),
        ..Policy::default()
    };
    let influence = with(&[("path", page())]);
    let read = effect("file.read", Class::Read, &influence);
    assert_eq!(rule(&[]).decide(&read).verdict, Verdict::Allow);
    let asked = rule(&[("path", Trust::User)]).decide(&read);
    assert_eq!((asked.verdict, asked.influence.len()), (Verdict::Ask, 1));
    assert_eq!(rule(&[("path", Trust::Web)]).decide(&read).verdict, Verdict::Allow);
}

#[test]
fn gu_6_yes_to_a_class_is_the_word_of_a_person() {
    let influence = with(&[("path", page())]);
    let policy = Policy { yes_to: vec![Class::Write], ..Policy::default() };
    let decision = policy.decide(&effect("file.write", Class::Write, &influence));
    assert_eq!((decision.verdict, decision.is_yes), (Verdict::Allow, true));
    let clean = with(&[]);
    let decision = policy.decide(&effect("file.write", Class::Write, &clean));
    assert_eq!((decision.verdict, decision.is_yes), (Verdict::Allow, false));
}

#[test]
fn gu_6_model_that_saw_nothing_low_counts_as_user() {
    let clean = Label::of("input", Trust::User).answered("answer 1");
    let names = ["path".to_owned()];
    let influence = Influence::of_model(&clean, &names);
    let decision = Policy::default().decide(&effect("file.write", Class::Write, &influence));
    assert_eq!(decision.verdict, Verdict::Allow);
}

#[test]
fn gu_6_deny_beats_yes_and_allow_beats_ask() {
    let influence = with(&[("path", page())]);
    let write = effect("file.write", Class::Write, &influence);
    let clean = with(&[]);
    let rule = |verdict| Rule { verdict: Some(verdict), ..Rule::default() };
    let policy = |class: Option<Verdict>, tool: Option<Verdict>, yes: bool| Policy {
        classes: class.map(|verdict| (Class::Write, verdict)).into_iter().collect(),
        tools: tool.map(|verdict| ("file.write".to_owned(), rule(verdict))).into_iter().collect(),
        yes_to: if yes { vec![Class::Write] } else { Vec::new() },
        ..Policy::default()
    };
    let (allow, ask, deny) = (Some(Verdict::Allow), Some(Verdict::Ask), Some(Verdict::Deny));
    for (class, tool, yes, expected) in [
        (None, None, false, Verdict::Ask),
        (None, None, true, Verdict::Allow),
        (ask, None, true, Verdict::Allow),
        (allow, None, false, Verdict::Allow),
        (deny, None, true, Verdict::Deny),
        (deny, allow, true, Verdict::Deny),
        (None, deny, true, Verdict::Deny),
        (allow, ask, false, Verdict::Ask),
    ] {
        let found = policy(class, tool, yes).decide(&write).verdict;
        assert_eq!(found, expected, "{class:?} {tool:?} {yes}");
    }
    let unasked = effect("file.write", Class::Write, &clean);
    assert_eq!(policy(deny, None, true).decide(&unasked).verdict, Verdict::Deny);
    assert_eq!(policy(ask, None, false).decide(&unasked).verdict, Verdict::Allow);
}

#[test]
fn gu_5_request_with_low_url_or_restricted_data_is_send() {
    let origin = Some("https://api.example.com");
    let decide = |influence: &Influence, policy: &Policy| {
        policy.decide(&Effect { origin, ..effect("http.get", Class::Read, influence) })
    };
    let clean = decide(&with(&[("url", Label::default())]), &Policy::default());
    assert_eq!((clean.class, clean.verdict), (Class::Read, Verdict::Allow));
    let low = decide(&with(&[("url", page())]), &Policy::default());
    assert_eq!((low.class, low.verdict), (Class::Send, Verdict::Ask));
    let kept = with(&[("url", Label::of(".env", Trust::User).with_readers(Readers::OWNER))]);
    let kept_decision = decide(&kept, &Policy::default());
    assert_eq!((kept_decision.class, kept_decision.verdict), (Class::Send, Verdict::Ask));
    let readers = BTreeSet::from(["https://api.example.com".to_owned()]);
    let rule = Rule { readers, ..Rule::default() };
    let tools = BTreeMap::from([("http.get".to_owned(), rule)]);
    let policy = Policy { tools, ..Policy::default() };
    assert_eq!(decide(&kept, &policy).verdict, Verdict::Allow);
}

#[test]
fn gu_6_integrity_rule_of_tool_overrides_default() {
    let user = with(&[("url", Label::of("input", Trust::User)), ("body", page())]);
    let post = effect("http.post", Class::Send, &user);
    assert_eq!(Policy::default().decide(&post).verdict, Verdict::Allow);
    let rule = |integrity, arguments: &[(&str, Trust)]| Rule {
        integrity,
        arguments: arguments.iter().map(|(name, trust)| ((*name).to_owned(), *trust)).collect(),
        ..Rule::default()
    };
    let policy = |rule| Policy {
        tools: BTreeMap::from([("http.post".to_owned(), rule)]),
        ..Policy::default()
    };
    let strict = policy(rule(None, &[("url", Trust::Program)])).decide(&post);
    assert_eq!(strict.verdict, Verdict::Ask);
    assert_eq!(strict.influence[0].to_string(), "input → http.post.url");
    assert_eq!(policy(rule(Some(Trust::Web), &[])).decide(&post).verdict, Verdict::Allow);
    assert_eq!(policy(rule(Some(Trust::Tool), &[])).decide(&post).influence.len(), 1, "the body");
}

#[test]
fn gu_6_page_is_given_back_what_it_gave_without_question() {
    let photo = Label::of("frontend:access_camera", Trust::Tool);
    let decide = |name, label: &Label| {
        let influence = with(&[("imageId", label.clone())]);
        Policy::default().decide(&effect(name, Class::Execute, &influence)).verdict
    };
    assert_eq!(decide("frontend:local_image_resize", &photo), Verdict::Allow);
    assert_eq!(decide("mcp:mail/send", &photo), Verdict::Ask, "others learn it");
    assert_eq!(decide("frontend:local_image_resize", &photo.clone().join(&page())), Verdict::Ask);
    let answer = photo.answered("answer 1");
    assert_eq!(decide("frontend:local_image_resize", &answer), Verdict::Ask, "a model's words");
}

#[test]
fn gu_14_server_is_given_back_only_its_own_words() {
    let words = Label::of("mcp:mail", Trust::Tool);
    let names = ["to".to_owned()];
    let decide = |name, label: &Label| {
        let influence = Influence::of_model(label, &names);
        Policy::default().decide(&effect(name, Class::Send, &influence)).verdict
    };
    assert_eq!(decide("mcp:mail/send", &words), Verdict::Allow, "a person accepted them");
    assert_eq!(decide("mcp:mailer/send", &words), Verdict::Ask);
    assert_eq!(decide("http.post", &words), Verdict::Ask);
    let result = words.clone().join(&Label::of("mcp:mail/newest", Trust::Tool));
    assert_eq!(decide("mcp:mail/send", &result), Verdict::Ask, "a result is data");
    assert_eq!(decide("mcp:mail/send", &words.answered("answer 1")), Verdict::Ask);
}

#[test]
fn gu_5_declared_demands_and_class_of_rule_decide() {
    let influence = with(&[("text", page())]);
    let demands = Demands::from([("text".to_owned(), Trust::Web)]);
    let effect =
        Effect { demands: Some(&demands), ..effect("frontend:show", Class::Send, &influence) };
    assert_eq!(Policy::default().decide(&effect).verdict, Verdict::Allow);
    let rule = |rule: Rule| Policy {
        tools: BTreeMap::from([("frontend:show".to_owned(), rule)]),
        classes: BTreeMap::from([(Class::Execute, Verdict::Deny)]),
        ..Policy::default()
    };
    let strict = rule(Rule { integrity: Some(Trust::User), ..Rule::default() });
    assert_eq!(strict.decide(&effect).verdict, Verdict::Ask, "the settings win");
    let worse = rule(Rule { class: Some(Class::Execute), ..Rule::default() });
    let decision = worse.decide(&effect);
    assert_eq!((decision.verdict, decision.class), (Verdict::Deny, Class::Execute));
}

#[test]
fn gu_6_reading_tool_of_server_sends_only_data_of_owner() {
    let of_owner = Label::of("env:TOKEN", Trust::User).with_readers(Readers::OWNER);
    for (label, class, verdict) in
        [(page(), Class::Read, Verdict::Allow), (of_owner, Class::Send, Verdict::Ask)]
    {
        let influence = with(&[("query", label)]);
        let origin = Some("mcp:crm");
        let effect = Effect { origin, ..effect("mcp:crm/search", Class::Read, &influence) };
        let decision = Policy::default().decide(&effect);
        assert_eq!((decision.class, decision.verdict), (class, verdict));
        let readers = ["mcp:crm".to_owned()].into();
        let rule = Rule { readers, ..Rule::default() };
        let policy =
            Policy { tools: [("mcp:crm/search".to_owned(), rule)].into(), ..Policy::default() };
        assert_eq!(policy.decide(&effect).verdict, Verdict::Allow);
    }
}

#[test]
fn gu_6_program_narrows_policy_and_never_widens_it() {
    let (low, own) = (with(&[("path", page())]), with(&[("path", Label::default())]));
    let decide = |policy: &Policy, influence| {
        policy.decide(&effect("file.write", Class::Write, influence)).verdict
    };
    let allows =
        Policy { classes: BTreeMap::from([(Class::Write, Verdict::Allow)]), ..Policy::default() };
    let allows_tool = Policy {
        tools: BTreeMap::from([(
            "file.write".to_owned(),
            Rule { verdict: Some(Verdict::Allow), ..Rule::default() },
        )]),
        ..Policy::default()
    };
    for policy in [allows, allows_tool] {
        assert_eq!(decide(&policy, &low), Verdict::Allow);
        let asks = policy.clone().narrowed([(Class::Write, Verdict::Ask)]);
        assert_eq!((decide(&asks, &low), decide(&asks, &own)), (Verdict::Ask, Verdict::Allow));
        let yes = Policy { yes_to: vec![Class::Write], ..asks };
        assert_eq!(decide(&yes, &low), Verdict::Allow, "a person means it");
        let twice = [(Class::Write, Verdict::Deny), (Class::Write, Verdict::Ask)];
        let denies = Policy { yes_to: vec![Class::Write], ..policy.narrowed(twice) };
        assert_eq!((decide(&denies, &low), decide(&denies, &own)), (Verdict::Deny, Verdict::Deny));
    }
    let denied = BTreeMap::from([(Class::Write, Verdict::Deny)]);
    for verdict in [Verdict::Allow, Verdict::Ask] {
        let policy = Policy { classes: denied.clone(), ..Policy::default() };
        assert_eq!(decide(&policy.narrowed([(Class::Write, verdict)]), &own), Verdict::Deny);
    }
}
