//! Makes the released program smaller where the linker can: equal functions are kept once, and
//! pointers that the system's loader adjusts are listed in their short form (HO-5).
//!
//! Decision: linkers and loaders differ, so a small program is linked and run with the options first;
//! without them the program is only larger. A build for another machine can't try, and goes without.

use std::env::{self, VarError};
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Tried one by one.
const OPTIONS: [&str; 2] = ["-Wl,--icf=all", "-Wl,-z,pack-relative-relocs"];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    if !is_released_for_here()? {
        return Ok(());
    }
    let folder = env::var("OUT_DIR")?;
    let folder = Path::new(&folder);
    fs::write(folder.join("probe.rs"), "fn main() {}")?;
    for option in OPTIONS {
        if is_taken(option, folder)? {
            println!("cargo::rustc-link-arg-bins={option}");
        }
    }
    Ok(())
}

/// Returns whether this is a build for release, by and for this machine.
fn is_released_for_here() -> Result<bool, VarError> {
    let is_for_here = env::var("HOST")? == env::var("TARGET")?;
    Ok(is_for_here
        && env::var("PROFILE")? == "release"
        && env::var("CARGO_CFG_TARGET_OS")? == "linux")
}

/// Returns whether a program links and runs with an option.
fn is_taken(option: &str, folder: &Path) -> Result<bool, Box<dyn Error>> {
    let program = folder.join("probe");
    let mut compiler = Command::new(env::var("RUSTC")?);
    compiler.arg(folder.join("probe.rs")).arg("-o").arg(&program);
    compiler.arg("-C").arg(format!("link-arg={option}"));
    // The linker that a user chose.
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        compiler.arg("-C").arg(format!("linker={linker}"));
    }
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    compiler.args(flags.split('\x1f').filter(|flag| !flag.is_empty()));
    let runs = |command: &mut Command| {
        let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    };
    Ok(runs(&mut compiler) && runs(&mut Command::new(program)))
}
