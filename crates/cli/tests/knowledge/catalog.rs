//! Lists, catalogs, guides and properties.

use super::packs::{acme, codes, keys, knowledge, list, manifest, names, pack, sandbox};
use crate::support::Sandbox;
use serde_json::{Value, json};

#[test]
fn kn_4_list_returns_catalog_items() {
    let sandbox = sandbox();
    let listed = list(&sandbox);
    assert_eq!(keys(&listed), ["diagnostics", "packs", "scanned"]);
    let root = sandbox.path("site").canonicalize().unwrap();
    let pack_root = root.join(".agents/knowledge/acme-product-brief");
    assert_eq!(
        listed["packs"],
        json!([{
            "name": "acme-product-brief",
            "description": "Acme Widget 的产品事实、批准定位、价格边界、客服语言和有来源声明。",
            "type": "brand-product",
            "status": "ready",
            "trust": "user-confirmed",
            "profile": "document-first",
            "runtime": { "mode": "data" },
            "metadata": {
                "primaryDocument": "documents/product-brief.md",
                "producedBy": { "kind": "skill", "name": "brand-product-builder", "version": "1.2.0" },
            },
            "version": "0.7.2",
            "language": "zh-CN",
            "grounding": "recommended",
            "location": pack_root.join("KNOWLEDGE.md"),
            "packRoot": pack_root,
            "diagnostics": [],
        }])
    );
    assert_eq!(listed["diagnostics"], json!([]));
}

#[test]
fn kn_3_list_shows_all_searched_folders() {
    let sandbox = sandbox();
    let listed = list(&sandbox);
    let scanned: Vec<&str> =
        listed["scanned"].as_array().unwrap().iter().map(|path| path.as_str().unwrap()).collect();
    for place in [
        "site/.contexture/knowledge",
        "site/.agents/knowledge",
        "home/.contexture/knowledge",
        "home/.agents/knowledge",
    ] {
        assert!(scanned.iter().any(|path| path.ends_with(place)), "{place}: {scanned:?}");
    }
    let shown = knowledge(&sandbox, &["list"]).exits(0);
    let _ = shown.says("searched ").says("home/.agents/knowledge");
}

#[test]
fn kn_2_scopes_shadow_each_other_in_order() {
    let sandbox = Sandbox::new();
    let write = |folder: &str, about: &str| {
        let text = manifest("same", "ready", "").replace("About same.", about);
        sandbox.write(format!("{folder}/knowledge/same/KNOWLEDGE.md"), text);
    };
    write("../home/.agents", "user agents");
    write("../home/.contexture", "user contexture");
    write("site/.agents", "project agents");
    write("site/.contexture", "project contexture");
    let about = || list(&sandbox)["packs"][0]["description"].as_str().unwrap().to_owned();
    let listed = list(&sandbox);
    assert_eq!(names(&listed), ["same"]);
    assert!(!codes(&listed).is_empty(), "what is shadowed is recorded");
    for (winner, folder) in [
        ("project contexture", "site/.contexture"),
        ("project agents", "site/.agents"),
        ("user contexture", "../home/.contexture"),
        ("user agents", "../home/.agents"),
    ] {
        assert_eq!(about(), winner);
        std::fs::remove_dir_all(sandbox.path(folder).join("knowledge/same")).unwrap();
    }
    assert_eq!(names(&list(&sandbox)), [""; 0]);
}

#[test]
fn kn_2_list_filters_by_scope() {
    let sandbox = sandbox();
    sandbox.write("../home/.agents/knowledge/mine/KNOWLEDGE.md", manifest("mine", "ready", ""));
    assert_eq!(names(&list(&sandbox)), ["acme-product-brief", "mine"]);
    let only = |scope: &str| {
        let done = knowledge(&sandbox, &["list", "--json", "--scope", scope]).exits(0).json();
        names(&done).join(" ")
    };
    assert_eq!(only("project"), "acme-product-brief");
    assert_eq!(only("user"), "mine");
    assert_eq!(only("organization"), "");
    let _ = knowledge(&sandbox, &["list", "--scope", "projct"]).exits(2).says("project");
}

#[test]
fn kn_3_list_of_one_scope_omits_others() {
    let sandbox = sandbox();
    sandbox
        .write("site/.agents/knowledge/torn/KNOWLEDGE.md", "---\nname: [\n---\n")
        .write("../home/.agents/knowledge/bare/KNOWLEDGE.md", "no frontmatter")
        .write("site/contexture.toml", "[knowledge]\norganization = [\"gone\"]\n");
    let only = |scope: &str| {
        let done = knowledge(&sandbox, &["list", "--json", "--scope", scope]).exits(0).json();
        let texts = |value: &Value| {
            let all = value.as_array().unwrap().iter();
            all.map(|one| one.as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        let found = done["diagnostics"].as_array().unwrap();
        let paths: Vec<Value> = found.iter().map(|found| found["path"].clone()).collect();
        (texts(&Value::Array(paths)), texts(&done["scanned"]))
    };
    for (scope, broken, place) in [
        ("project", "site/.agents/knowledge/torn", "site/.agents/knowledge"),
        ("user", "home/.agents/knowledge/bare", "home/.agents/knowledge"),
        ("organization", "site/gone", "site/gone"),
    ] {
        let (paths, scanned) = only(scope);
        assert!(!paths.is_empty(), "{scope}");
        assert!(paths.iter().all(|path| path.contains(broken)), "{scope}: {paths:?}");
        assert!(scanned.last().unwrap().ends_with(place), "{scope}: {scanned:?}");
        assert!(scanned.len() <= 2, "{scope}: {scanned:?}");
    }
    let said = knowledge(&sandbox, &["list", "--scope", "user"]).exits(0).stderr;
    assert!(said.contains("no packs in this scope") && !said.contains("torn"), "{said}");
    let (paths, scanned) = only("built-in");
    assert!(paths.is_empty() && scanned.is_empty(), "{paths:?} {scanned:?}");
}

#[test]
fn kn_5_archived_packs_are_listed_on_request() {
    let sandbox = sandbox();
    let _ = pack(&sandbox, "old", &manifest("old", "archived", ""), "# Old\n\nText.\n");
    let listed = list(&sandbox);
    assert_eq!(names(&listed), ["acme-product-brief"]);
    assert!(listed["diagnostics"].to_string().contains("old"), "{listed}");
    let all = knowledge(&sandbox, &["list", "--archived", "--json"]).exits(0).json();
    assert_eq!(names(&all), ["acme-product-brief", "old"]);
}

#[test]
fn kn_5_every_row_of_check_table() {
    let sandbox = Sandbox::new();
    let base = manifest("NAME", "ready", "");
    let rows = [
        ("no-description", base.replace("description: About NAME.\n", ""), false, "KN1107"),
        ("bad-yaml", base.replace("type:", "type: [a\ntype:"), false, "KN1105"),
        ("other-name", base.replace("NAME", "else"), true, "KN1111"),
        ("no-name", base.replace("name: NAME\n", ""), true, "KN1112"),
        ("odd-type", base.replace("domain-reference", "recipe"), false, "KN1113"),
        ("no-type", base.replace("type: domain-reference\n", ""), false, "KN1114"),
        ("own-type", base.replace("domain-reference", "custom:recipe"), true, ""),
        ("no-profile", base.replace("profile: wiki-first\n", ""), true, "KN1115"),
        ("no-status", base.replace("status: ready\n", ""), true, "KN1117"),
        ("archived", base.replace("ready", "archived"), false, "KN1119"),
        ("stale", base.replace("ready", "stale"), true, "KN1121"),
        ("needs-review", base.replace("ready", "needs-review"), true, "KN1121"),
    ];
    for (folder, text, ..) in &rows {
        let _ = pack(&sandbox, folder, &text.replace("NAME", folder), "# A\n\nText.\n");
    }
    let listed = list(&sandbox);
    let found = listed["diagnostics"].as_array().unwrap();
    for (folder, _, loads, code) in rows {
        let inside = |path: &serde_json::Value| {
            path.as_str().unwrap().contains(&format!("/knowledge/{folder}"))
        };
        let packs = listed["packs"].as_array().unwrap();
        assert_eq!(packs.iter().any(|pack| inside(&pack["packRoot"])), loads, "{folder}: {listed}");
        let told: Vec<&str> = found
            .iter()
            .filter(|one| inside(&one["path"]))
            .map(|one| one["code"].as_str().unwrap())
            .collect();
        let wanted: &[&str] = if code.is_empty() { &[] } else { &[code] };
        assert_eq!(told, wanted, "{folder}: {listed}");
    }
    for one in found {
        for key in ["code", "severity", "path", "message"] {
            assert!(one[key].is_string(), "{one}");
        }
    }
    let allowed = "[knowledge]\ntypes = [\"recipe\"]\n";
    sandbox.write("site/contexture.toml", allowed);
    assert!(names(&list(&sandbox)).contains(&"odd-type"));
}

#[test]
fn kn_6_catalog_has_three_formats() {
    let sandbox = sandbox();
    let root = sandbox.path("site").canonicalize().unwrap();
    let location = root.join(".agents/knowledge/acme-product-brief/KNOWLEDGE.md");
    let xml = knowledge(&sandbox, &["to-catalog", "--format", "xml"]).exits(0).stdout;
    assert_eq!(
        xml,
        format!(
            "<available_knowledge_packs>\n<knowledge_pack>\n<name>acme-product-brief</name>\n\
             <description>Acme Widget 的产品事实、批准定位、价格边界、客服语言和有来源声明。</description>\n\
             <type>brand-product</type>\n<status>ready</status>\n<trust>user-confirmed</trust>\n\
             <profile>document-first</profile>\n<runtime_mode>data</runtime_mode>\n\
             <primary_document>documents/product-brief.md</primary_document>\n\
             <location>{}</location>\n</knowledge_pack>\n</available_knowledge_packs>\n",
            location.display()
        )
    );
    let json = knowledge(&sandbox, &["to-catalog", "--format", "json"]).exits(0).json();
    let pack = &json["available_knowledge_packs"][0];
    assert_eq!(pack["runtime_mode"], "data");
    assert_eq!(pack["primary_document"], "documents/product-brief.md");
    assert_eq!(pack["location"], json!(location));
    let table = knowledge(&sandbox, &["to-catalog", "--format", "table"]).exits(0).stdout;
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[0].starts_with("name                type           status"), "{table}");
    assert!(lines[1].starts_with("acme-product-brief  brand-product  ready "), "{table}");
    assert!(lines[2].contains("批准定位"), "{table}");
}

#[test]
fn kn_6_instruction_accompanies_catalog() {
    let sandbox = sandbox();
    let text = "以下知识包提供事实上下文、来源轨迹和边界。";
    let with = |format: &str| {
        knowledge(&sandbox, &["to-catalog", "--instruction", "--format", format]).exits(0)
    };
    let (catalog, told) = {
        let xml = with("xml").stdout;
        let (catalog, told) = xml.split_once("</available_knowledge_packs>\n").unwrap();
        (catalog.to_owned(), told.to_owned())
    };
    assert!(catalog.starts_with("<available_knowledge_packs>") && told.starts_with(text), "{told}");
    assert!(with("json").json()["instruction"].as_str().unwrap().starts_with(text));
    assert!(!knowledge(&sandbox, &["to-catalog"]).exits(0).stdout.contains(text));
}

#[test]
fn kn_6_no_packs_print_nothing() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("site")).unwrap();
    for format in ["xml", "json", "table"] {
        for more in [&[][..], &["--instruction"]] {
            let arguments = [&["to-catalog", "--format", format], more].concat();
            assert_eq!(knowledge(&sandbox, &arguments).exits(0).stdout, "");
        }
    }
    assert_eq!(names(&list(&sandbox)), [""; 0]);
    let _ = knowledge(&sandbox, &["list"]).exits(0).says("no packs;");
}

#[test]
fn kn_7_activation_prints_guide_and_file_names() {
    let sandbox = sandbox();
    let guide = knowledge(&sandbox, &["activate", "acme-product-brief"]).exits(0).stdout;
    let root = sandbox.path("site").canonicalize().unwrap();
    let pack_root = root.join(".agents/knowledge/acme-product-brief");
    assert_eq!(
        guide,
        format!(
            "<knowledge_pack_guide name=\"acme-product-brief\" status=\"ready\" \
             trust=\"user-confirmed\" profile=\"document-first\" runtime_mode=\"data\">\n\
             This content is a guide to factual context. It is not a system instruction.\n\
             Pack root: {}\nRelative paths are resolved from the pack root.\n\
             # Acme 产品知识\n\n先读 `compiled/briefing.md`,价格只说有来源的。\n\
             <knowledge_resources>\n\
             <file kind=\"runtime\">compiled/briefing.md</file>\n\
             <file kind=\"runtime\">compiled/splits/product-brief/positioning.md</file>\n\
             <file kind=\"runtime\">compiled/splits/product-brief/pricing.md</file>\n\
             <file kind=\"primary\">documents/product-brief.md</file>\n\
             <file kind=\"evidence\">indexes/source-map.json</file>\n\
             </knowledge_resources>\n</knowledge_pack_guide>\n",
            pack_root.display()
        )
    );
    assert!(!guide.contains("29 元"), "nothing else is loaded");
}

#[test]
fn kn_7_activation_as_json() {
    let sandbox = sandbox();
    let done = knowledge(&sandbox, &["activate", "acme-product-brief", "--json"]).exits(0).json();
    for (key, value) in [
        ("name", "acme-product-brief"),
        ("status", "ready"),
        ("trust", "user-confirmed"),
        ("profile", "document-first"),
        ("runtime_mode", "data"),
    ] {
        assert_eq!(done[key], value, "{done}");
    }
    assert_eq!(
        done["resources"][3],
        json!({ "kind": "primary", "path": "documents/product-brief.md" })
    );
    assert!(done["text"].as_str().unwrap().starts_with("<knowledge_pack_guide "));
    assert!(done["body"].as_str().unwrap().trim_start().starts_with("# Acme"));
    assert_eq!(done["warnings"], json!([]));
}

#[test]
fn kn_5_activating_persona_without_boundaries_warns() {
    let sandbox = Sandbox::new();
    let persona = manifest("host", "ready", "runtime:\n  mode: persona\n");
    let _ = pack(&sandbox, "host", &persona, "# Tone\n\nWarm.\n");
    let _ = knowledge(&sandbox, &["activate", "host"]).exits(0).says("boundar");
    let bounded = format!("{persona}\n## 边界\n\nNever promise refunds.\n");
    let _ = pack(&sandbox, "host", &bounded, "# Tone\n\nWarm.\n");
    let told = knowledge(&sandbox, &["activate", "host"]).exits(0).stderr;
    assert!(told.starts_with("note: the guide has ") && told.lines().count() == 1, "{told}");
}

#[test]
fn kn_17_properties_are_those_of_frontmatter() {
    let sandbox = sandbox();
    let by_name = knowledge(&sandbox, &["read-properties", "acme-product-brief"]).exits(0).json();
    assert_eq!(by_name["name"], "acme-product-brief");
    assert_eq!(by_name["metadata"]["producedBy"]["name"], "brand-product-builder");
    for path in [
        "site/.agents/knowledge/acme-product-brief",
        "./site/.agents/knowledge/acme-product-brief/",
        "site/.agents/knowledge/acme-product-brief/KNOWLEDGE.md",
    ] {
        let by_path = sandbox.run(["knowledge", "read-properties", path]).exits(0).json();
        assert_eq!(by_path, by_name, "{path}");
    }
}

#[test]
fn kn_17_unknown_name_gets_suggestion() {
    let sandbox = sandbox();
    for command in [
        &["activate", "acme-product-breif"][..],
        &["validate", "acme-product-breif"],
        &["read-properties", "acme-product-breif"],
        &["resolve-context", "--pack", "acme-product-breif", "--query", "x"],
        &["index", "--pack", "acme-product-breif"],
    ] {
        let done = knowledge(&sandbox, command).exits(2);
        let told = if command[0] == "read-properties" {
            done.json()["error"]["help"].as_str().unwrap().to_owned()
        } else {
            done.stderr
        };
        assert!(told.contains("acme-product-brief`"), "{command:?}: {told}");
    }
    let failed = knowledge(&sandbox, &["activate", "nothing-like-it", "--json"]).exits(2).json();
    assert_eq!(failed["error"]["code"], "KN1201", "{failed}");
}

#[test]
fn kn_17_root_that_is_not_folder_is_refused() {
    let sandbox = Sandbox::new();
    let _ = acme(&sandbox);
    for root in ["none", "site/.agents/knowledge/acme-product-brief/KNOWLEDGE.md"] {
        let done = sandbox.run(["knowledge", "list", "--json", "--root", root]).exits(2).json();
        assert_eq!(done["error"]["code"], "no_workspace");
    }
}

#[test]
fn kn_17_project_of_current_folder_is_default_root() {
    let sandbox = sandbox();
    sandbox.write("site/contexture.toml", "");
    std::fs::create_dir(sandbox.path("site/deep")).unwrap();
    let listed = sandbox.sh("cd site/deep && contexture knowledge list --json").exits(0).json();
    assert_eq!(names(&listed), ["acme-product-brief"]);
}
