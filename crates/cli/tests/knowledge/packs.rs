//! A project with packs in it.

use crate::support::{Done, Sandbox};
use serde_json::Value;
use std::fs::File;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// The manifest of a pack that nothing is to be said about.
pub(crate) const ACME: &str = "\
---
name: acme-product-brief
description: Acme Widget 的产品事实、批准定位、价格边界、客服语言和有来源声明。
type: brand-product
status: ready
trust: user-confirmed
profile: document-first
runtime:
  mode: data
metadata:
  primaryDocument: documents/product-brief.md
  producedBy:
    kind: skill
    name: brand-product-builder
    version: 1.2.0
version: 0.7.2
language: zh-CN
grounding: recommended
---
# Acme 产品知识

先读 `compiled/briefing.md`,价格只说有来源的。
";

/// The pack of the source, in `.agents/knowledge/` of a project `site`.
pub(crate) fn acme(sandbox: &Sandbox) -> &Sandbox {
    let root = "site/.agents/knowledge/acme-product-brief";
    let split = "compiled/splits/product-brief";
    sandbox
        .write(format!("{root}/KNOWLEDGE.md"), ACME)
        .write(
            format!("{root}/compiled/briefing.md"),
            "# 概要\n\nAcme Widget 是一台桌面设备,给小团队排班用。\n",
        )
        .write(
            format!("{root}/{split}/positioning.md"),
            "# 定位\n\n给十人以下的团队。不和大型排班软件比较。\n",
        )
        .write(
            format!("{root}/{split}/pricing.md"),
            "# 价格\n\n## 标准版\n\n标准版每月 29 元。[source: documents/product-brief.md#价格]\n\n\
             ## 折扣\n\n年付打八折,折扣不能叠加。[source: documents/product-brief.md#价格]\n",
        )
        .write(
            format!("{root}/documents/product-brief.md"),
            "# Acme Widget 产品简介\n\n## 定位\n\n给十人以下的团队。\n\n## 价格\n\n标准版每月 29 元,年付打八折。\n\n\
             ## 保修\n\n整机保修两年,电池保修一年。\n",
        )
        .write(format!("{root}/indexes/source-map.json"), "{\"claims\": []}")
}

/// A pack of the project `site` with this manifest and one compiled text.
pub(crate) fn pack<'s>(
    sandbox: &'s Sandbox,
    name: &str,
    manifest: &str,
    text: &str,
) -> &'s Sandbox {
    let root = format!("site/.agents/knowledge/{name}");
    sandbox.write(format!("{root}/KNOWLEDGE.md"), manifest);
    sandbox.write(format!("{root}/compiled/briefing.md"), text)
}

/// A manifest with all that is required, and further lines.
pub(crate) fn manifest(name: &str, status: &str, more: &str) -> String {
    format!(
        "---\nname: {name}\ndescription: About {name}.\ntype: domain-reference\nstatus: {status}\n\
         trust: official\nprofile: wiki-first\n{more}---\n# {name}\n\nThe guide of {name}.\n"
    )
}

/// A project with the pack of the source.
pub(crate) fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let _ = acme(&sandbox);
    sandbox
}

/// Lets the files of a folder be an hour old: a file is read again when it was written just before.
pub(crate) fn age(folder: &Path) {
    let then = SystemTime::now() - Duration::from_hours(1);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            age(&path);
        } else {
            File::options().write(true).open(&path).unwrap().set_modified(then).unwrap();
        }
    }
}

/// Runs `contexture knowledge … --root site`.
pub(crate) fn knowledge(sandbox: &Sandbox, arguments: &[&str]) -> Done {
    sandbox.run([&["knowledge"], arguments, &["--root", "site"]].concat())
}

/// `knowledge list --root site --json`, which succeeds whatever it finds.
pub(crate) fn list(sandbox: &Sandbox) -> Value {
    knowledge(sandbox, &["list", "--json"]).exits(0).json()
}

/// The names of the packs of a list.
pub(crate) fn names(list: &Value) -> Vec<&str> {
    list["packs"].as_array().unwrap().iter().map(|pack| pack["name"].as_str().unwrap()).collect()
}

/// The codes of the diagnostics of a list.
pub(crate) fn codes(list: &Value) -> Vec<&str> {
    let found = list["diagnostics"].as_array().unwrap();
    found.iter().map(|found| found["code"].as_str().unwrap()).collect()
}

/// The keys of an object, in order of the alphabet.
pub(crate) fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}
