use super::texts::MAX_KEPT;
use super::*;
use crate::resolve::types::Missing;
use crate::{DiscoveryOptions, Roots, discover};
use contexture_context::tokens::O200K_BASE;

#[test]
fn kn_9_resolver_can_be_shared_between_threads() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<Resolver>();
}

#[test]
fn kn_9_without_packs_everything_is_missing() {
    let resolver = Resolver::new(&O200K_BASE, None);
    let answer = resolver.resolve(&[], &Task::new("What is the refund policy?", 500)).unwrap();
    assert_eq!(answer.missing, [Missing::new("refund policy")]);
    assert_eq!((answer.tokens, answer.context.as_str()), (0, ""));
}

#[test]
fn gr_9_sections_are_read_alone_where_no_more_texts_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("acme");
    std::fs::create_dir_all(root.join("compiled")).unwrap();
    let write = |name: &str, text: &str| std::fs::write(root.join(name), text).unwrap();
    write(
        "KNOWLEDGE.md",
        "---\nname: acme\ndescription: Prices.\ntype: brand-product\nstatus: ready\n---\nPrices.\n",
    );
    write(
        "compiled/plain.md",
        "# Teapot\n\nA teapot costs 12 euros.\n\n# 杯子\n\n杯子 costs 3 euros.\n",
    );
    write("compiled/mark.md", "\u{feff}# Kettle\n\nA kettle costs 30 euros.\n");
    write("compiled/crlf.md", "# Spoon\r\n\r\nA spoon costs 2 euros.\r\n");
    write("compiled/cr.md", "# Tray\r\rA tray costs 9 euros.\r");
    let pack = || {
        let roots = Roots { explicit: vec![root.clone()], ..Roots::default() };
        [discover(&roots, &DiscoveryOptions::default()).open("acme").unwrap()]
    };
    let task = Task::new("How many euros does a teapot, kettle, spoon, tray or 杯子 cost?", 800);
    let keeping = |most| {
        let resolver = Resolver::new(&O200K_BASE, None);
        Resolver { texts: Texts::keeping(most), ..resolver }
    };
    let (all, none) = (keeping(MAX_KEPT), keeping(0));
    let whole = all.resolve(&pack(), &task).unwrap();
    assert_eq!(whole.sections.len(), 5, "{}", whole.context);
    let parts = none.resolve(&pack(), &task).unwrap();
    assert_eq!((&parts.context, &parts.warnings), (&whole.context, &whole.warnings));

    // Another text of the same length, at the same time: it is seen by the section itself.
    let path = root.join("compiled/plain.md");
    let time = std::fs::metadata(&path).unwrap().modified().unwrap();
    write(
        "compiled/plain.md",
        "# Teapot\n\nA teapot costs 99 euros.\n\n# 杯子\n\n杯子 costs 7 euros.\n",
    );
    std::fs::File::options().append(true).open(&path).unwrap().set_modified(time).unwrap();
    let changed = none.resolve(&pack(), &task).unwrap().context;
    assert!(changed.contains("costs 99 euros") && changed.contains("杯子 costs 7"), "{changed}");
}
