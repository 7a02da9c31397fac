use super::*;
use crate::codes;
use crate::support::Place;

const PACKS: &str = "project/.agents/knowledge";

fn open(place: &Place, name: &str) -> Pack {
    place.discover().open(name).unwrap()
}

#[test]
fn kn_8_packs_of_project_need_consent_and_those_of_user_do_not() {
    let place = Place::new();
    place.pack(&format!("{PACKS}/a"));
    place.pack("home/.agents/knowledge/b");
    let gate = Gate::new(None, Vec::new());
    assert_eq!(gate.needs(&open(&place, "a")).unwrap(), [Consent::Workspace]);
    assert_eq!(gate.needs(&open(&place, "b")).unwrap(), []);
    for (scope, needs) in [(Scope::Explicit, 0), (Scope::Organization, 1), (Scope::User, 0)] {
        let pack = Pack::open(open(&place, "a").item().clone(), scope).unwrap();
        assert_eq!(gate.needs(&pack).unwrap().len(), needs, "{scope}");
    }
}

#[test]
fn kn_8_approval_is_remembered_for_very_content() {
    let place = Place::new();
    let root = format!("{PACKS}/a");
    place.pack(&root);
    place.pack(&format!("{PACKS}/b"));
    let record = place.path("home/.contexture/approvals.json");
    let gate = || Gate::new(Some(record.clone()), Vec::new());
    let pack = open(&place, "a");
    let mut first = gate();
    first.remember(&pack).unwrap();
    assert_eq!(first.needs(&pack).unwrap(), []);
    assert_eq!(gate().needs(&pack).unwrap(), []);
    assert_eq!(gate().needs(&open(&place, "b")).unwrap(), [Consent::Workspace]);
    gate().remember(&open(&place, "b")).unwrap();
    assert_eq!(gate().needs(&pack).unwrap(), []);
    place.write(&format!("{root}/wiki/new.md"), "Obey me.");
    assert_eq!(gate().needs(&pack).unwrap(), [Consent::Workspace]);
    assert_eq!(first.needs(&pack).unwrap(), [Consent::Workspace]);
    let left: Vec<_> = std::fs::read_dir(record.parent().unwrap()).unwrap().collect();
    assert_eq!(left.len(), 1);
}

#[test]
fn kn_8_drafts_and_disputed_packs_need_consent_each_time() {
    let place = Place::new();
    let record = Some(place.path("approvals.json"));
    for (status, consent) in [("draft", Consent::Draft), ("disputed", Consent::Disputed)] {
        place.pack_with(&format!("{PACKS}/a"), &format!("status: {status}"));
        let pack = open(&place, "a");
        let mut gate = Gate::new(record.clone(), Vec::new());
        assert_eq!(gate.needs(&pack).unwrap(), [Consent::Workspace, consent]);
        gate.remember(&pack).unwrap();
        assert_eq!(gate.needs(&pack).unwrap(), []);
        // Another run knows the workspace, and asks for the status again.
        assert_eq!(Gate::new(record.clone(), Vec::new()).needs(&pack).unwrap(), [consent]);
        let explicit = Pack::open(pack.item().clone(), Scope::Explicit).unwrap();
        assert_eq!(Gate::new(None, Vec::new()).needs(&explicit).unwrap(), [consent]);
        let allowed = Gate::new(None, vec![Allowance::of(&pack).unwrap()]);
        assert_eq!(allowed.needs(&pack).unwrap(), []);
    }
}

#[test]
fn kn_8_allowance_names_pack_in_one_state() {
    let place = Place::new();
    place.pack(&format!("{PACKS}/a"));
    let pack = open(&place, "a");
    let digest = pack.digest().unwrap();
    let needs = |text: &str| {
        let allowed: Allowance = text.parse().unwrap();
        Gate::new(None, vec![allowed]).needs(&pack).unwrap().len()
    };
    let hex = digest.hex();
    for right in [
        format!("a@{digest}"),
        format!("a@{hex}"),
        format!("a@sha256:{}", hex.get(..12).unwrap()),
        format!("a@{}", hex.get(..20).unwrap().to_uppercase()),
        Allowance::of(&pack).unwrap().to_string(),
    ] {
        assert_eq!(needs(&right), 0, "{right}");
    }
    for wrong in [format!("b@{digest}"), format!("a@{}", "0".repeat(12))] {
        assert_eq!(needs(&wrong), 1, "{wrong}");
    }
    for bad in ["a", "a@", "@0123456789ab", "a@sha256:0123456789a", "a@0123456789ag", "a@md5:00"] {
        let error = bad.parse::<Allowance>().unwrap_err();
        assert!(error.to_string().contains(bad), "{error}");
    }
    let at: Allowance = "who@home@0123456789ab".parse().unwrap();
    assert_eq!(at.name, "who@home");
}

#[test]
fn kn_8_damaged_record_approves_nothing_and_reports_so() {
    let place = Place::new();
    place.pack(&format!("{PACKS}/a"));
    place.pack("home/.agents/knowledge/b");
    let pack = open(&place, "a");
    let record = place.path("approvals.json");
    let mut gate = Gate::new(Some(record.clone()), Vec::new());
    gate.remember(&pack).unwrap();
    let good = std::fs::read_to_string(&record).unwrap();
    for bad in [
        String::new(),
        "{".to_owned(),
        "[]".to_owned(),
        "\0\0\0".to_owned(),
        good.replace("\"version\": 1", "\"version\": 2"),
        good.replace("sha256:", "md5:"),
        good.replace("approved", "denied"),
    ] {
        std::fs::write(&record, &bad).unwrap();
        let mut gate = Gate::new(Some(record.clone()), Vec::new());
        let error = gate.needs(&pack).unwrap_err();
        assert_eq!(error.code(), codes::BAD_APPROVALS.code, "{bad}");
        assert!(error.to_string().contains("approvals.json"), "{error}");
        assert!(gate.remember(&pack).is_err());
        assert_eq!(std::fs::read_to_string(&record).unwrap(), bad);
        // What needs no approval is not concerned.
        assert_eq!(gate.needs(&open(&place, "b")).unwrap(), []);
    }
    std::fs::remove_file(&record).unwrap();
    std::fs::create_dir(&record).unwrap();
    assert!(Gate::new(Some(record), Vec::new()).needs(&pack).is_err());
}
