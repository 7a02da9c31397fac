//! A server that a document starts.
#![allow(dead_code, reason = "each test binary uses its part")]

use crate::support::Sandbox;
use std::io::{BufRead as _, BufReader, Read};
use std::process::{Child, Command, Stdio};

/// The address that documents show.
const SHOWN: &str = "127.0.0.1:7878";

/// A server that runs until it is dropped.
pub(crate) struct Server {
    child: Child,
    address: String,
    /// What it said until it was ready, with the address of the documents.
    pub said: Vec<String>,
}

impl Server {
    /// Runs the command, on any free port.
    pub(crate) fn start(sandbox: &Sandbox, command: &str) -> Result<Self, String> {
        let mut words = command.split_whitespace().skip(1);
        let mut arguments: Vec<&str> =
            words.by_ref().take_while(|word| *word != "--listen").collect();
        // The port that stands there may be another one's.
        arguments.extend(words.skip(1).chain(["--listen", "127.0.0.1:0"]));
        let mut process = sandbox.contexture(arguments);
        process.stdin(Stdio::null());
        let is_inspector = command.starts_with("contexture inspect");
        // The inspector's address is its result, that of other servers is said.
        match is_inspector {
            true => process.stdout(Stdio::piped()).stderr(Stdio::null()),
            false => process.stdout(Stdio::null()).stderr(Stdio::piped()),
        };
        let mut child = process.spawn().unwrap();
        let out: Box<dyn Read + Send> = match is_inspector {
            true => Box::new(child.stdout.take().unwrap()),
            false => Box::new(child.stderr.take().unwrap()),
        };
        let mut lines = BufReader::new(out).lines();
        let mut said = Vec::new();
        loop {
            let Some(Ok(line)) = lines.next() else {
                let _ = child.wait();
                return Err(format!("$ {command}\n{}", said.join("\n")));
            };
            let address = line.split_once("http://").map(|(_, address)| address.to_owned());
            said.push(line);
            let Some(address) = address else { continue };
            // What it says further is not to stop it.
            std::thread::spawn(move || lines.for_each(drop));
            let said = said.iter().map(|line| line.replace(&address, SHOWN)).collect();
            return Ok(Self { child, address, said });
        }
    }

    /// A command with the address that the server really has.
    pub(crate) fn real(&self, command: &str) -> String {
        command.replace(SHOWN, &self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // In order, as Ctrl-C does: the next one has the same folder.
        let _ = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status();
        let _ = self.child.wait();
    }
}
