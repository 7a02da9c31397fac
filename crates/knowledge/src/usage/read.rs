//! Reads a log line by line, whatever is in it.

use super::{Fault, MAX_LINE, UsageLine, UsageLog};
use std::io::{self, BufRead, Read};

/// Most faults that are told one by one.
const MOST_FAULTS: usize = 100;

pub(super) fn log(mut reader: impl BufRead) -> io::Result<UsageLog> {
    let mut log = UsageLog::default();
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        let most = u64::try_from(MAX_LINE).unwrap_or(u64::MAX);
        if reader.by_ref().take(most).read_until(b'\n', &mut bytes)? == 0 {
            break;
        }
        let is_whole = bytes.ends_with(b"\n");
        let is_cut = !is_whole && bytes.len() >= MAX_LINE;
        if is_cut {
            reader.skip_until(b'\n')?;
            fault(&mut log, number, false, format!("it is longer than {MAX_LINE} bytes"));
        } else if !bytes.iter().all(u8::is_ascii_whitespace) {
            match serde_json::from_slice::<UsageLine>(&bytes) {
                Ok(line) => log.lines.push(line),
                Err(_) if !is_whole => {
                    let message = "it breaks off: the writer was interrupted".to_owned();
                    fault(&mut log, number, true, message);
                }
                Err(error) => fault(&mut log, number, false, format!("it is no use: {error}")),
            }
        }
    }
    Ok(log)
}

fn fault(log: &mut UsageLog, line: u64, torn: bool, message: String) {
    if log.faults.len() < MOST_FAULTS {
        log.faults.push(Fault { line, torn, message });
    }
}
