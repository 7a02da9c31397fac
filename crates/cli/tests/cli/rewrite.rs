//! `contexture fmt` and `contexture migrate`.

use crate::support::Sandbox;

const UGLY: &str = "main func(input){x=1 -- one\nx+2}";
const NEAT: &str = "main func(input) {\n  x = 1 -- one\n  x + 2\n}\n";
const OLD: &str = "func f(input) {\n  use input < 4k -- all of it\n}\n";
const NEW: &str = "func f(input) {\n  use input max 4k -- all of it\n}\n";

#[test]
fn as_31_fmt_prints_writes_or_checks() {
    let sandbox = Sandbox::new();
    sandbox.write("p.as", UGLY).write("q.as", NEAT);
    assert_eq!(sandbox.run(["fmt", "p.as"]).exits(0).stdout, NEAT);
    assert_eq!(sandbox.run_with(["fmt", "-"], UGLY).exits(0).stdout, NEAT);
    assert_eq!(sandbox.run(["fmt", "--check", "p.as", "q.as"]).exits(1).stdout, "p.as\n");
    assert_eq!(sandbox.read("p.as"), UGLY);
    let done = sandbox.run(["fmt", "--write", "p.as", "q.as"]).exits(0);
    assert_eq!(done.stderr, "formatted p.as\n");
    assert_eq!(sandbox.read("p.as"), NEAT);
    let done = sandbox.run(["fmt", "--check", "p.as", "q.as"]).exits(0);
    assert_eq!((done.stdout.as_str(), done.stderr.as_str()), ("", ""));
}

#[test]
fn as_31_fmt_of_invalid_file_writes_nothing() {
    let sandbox = Sandbox::new();
    sandbox.write("p.as", "main func(input) { (1 }");
    let done = sandbox.run(["fmt", "--write", "p.as"]).exits(2).says("p.as:1:");
    assert_eq!(done.stdout, "");
    assert_eq!(sandbox.read("p.as"), "main func(input) { (1 }");
    let _ = sandbox.run(["fmt", "p.as", "p.as"]).exits(2).says("--write");
    let _ = sandbox.run(["fmt", "--write", "-"]).exits(2).says("stdin");
    let _ = sandbox.run(["fmt", "--write", "--check", "p.as"]).exits(2);
}

#[test]
fn as_31_examples_are_formatted() {
    let done = Sandbox::with_examples().sh("contexture fmt --check examples/*.as").exits(0);
    assert_eq!(done.stdout, "");
}

#[test]
fn as_31_migrate_prints_writes_or_checks() {
    let sandbox = Sandbox::new();
    sandbox.write("p.as", OLD);
    assert_eq!(sandbox.run(["migrate", "p.as"]).exits(0).stdout, NEW);
    assert_eq!(sandbox.run_with(["migrate", "-"], OLD).exits(0).stdout, NEW);
    assert_eq!(sandbox.run(["migrate", "--check", "p.as"]).exits(1).stdout, "p.as\n");
    let _ = sandbox.run(["migrate", "--write", "p.as"]).exits(0).says("migrated p.as");
    assert_eq!(sandbox.read("p.as"), NEW);
    let again = sandbox.run(["migrate", "p.as"]).exits(0);
    assert_eq!(again.stdout, NEW);
}

#[test]
fn as_31_migrate_reports_remaining_errors_without_writing() {
    let sandbox = Sandbox::new();
    let broken = OLD.replace("}\n", "(\n");
    sandbox.write("p.as", &broken);
    let done = sandbox.run(["migrate", "p.as"]).exits(2).says("p.as:");
    assert!(done.stdout.contains("max 4k"), "{}", done.stdout);
    let _ = sandbox.run(["migrate", "--write", "p.as"]).exits(2);
    assert_eq!(sandbox.read("p.as"), broken);
}
