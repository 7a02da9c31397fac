//! The outcomes of a set, read from the report of a run.

use crate::prelude::*;
use contexture::protocol::content::{Outcome, Status};
use serde_json::Map;

/// Reads the output of `flow run --json`, an INSTRUCTION_RESPONSE or a TOOL_CALL_RESPONSE, as a
/// message or only its content.
pub(super) fn read(file: &Path, terminal: &Terminal) -> Result<Vec<Outcome>, Abort> {
    let name = input::name_of(file);
    let value = input::json(&input::text(file, "the report", terminal)?, &name)?;
    of_report(value).map_err(|fault| {
        CommandError::refused("flow_report", format!("{name} is not the report of a run: {fault}"))
            .file(file)
            .help("use the output of `contexture flow run --json`")
            .into()
    })
}

fn of_report(value: Value) -> Result<Vec<Outcome>, String> {
    let Value::Object(mut report) = value else {
        return Err("it is not an object".to_owned());
    };
    if let Some(Value::Object(content)) = report.get_mut("content") {
        report = std::mem::take(content);
    }
    match report.remove("results") {
        Some(Value::Array(list)) => list.into_iter().map(of_item).collect(),
        Some(Value::Object(map)) => map
            .into_iter()
            .map(|(id, item)| {
                let Value::Object(mut item) = item else {
                    return Err(format!("the outcome of `{id}` is not an object"));
                };
                item.insert("instructionId".to_owned(), id.into());
                of_item(item.into())
            })
            .collect(),
        Some(_) => Err("`results` is neither an object nor a list".to_owned()),
        None => Err("it has no `results`".to_owned()),
    }
}

fn of_item(item: Value) -> Result<Outcome, String> {
    let Value::Object(mut item) = item else {
        return Err("an outcome is not an object".to_owned());
    };
    of_call(&mut item);
    serde_json::from_value(Value::Object(item)).map_err(|error| error.to_string())
}

/// Renames the fields of the result of a call (FL-4).
fn of_call(item: &mut Map<String, Value>) {
    let Some(id) = item.remove("callId") else { return };
    item.insert("instructionId".to_owned(), id);
    let status = match item.get("status").and_then(Value::as_str) {
        Some("SUCCESS") => Status::Completed,
        Some("ERROR") => Status::Failed,
        _ => return,
    };
    item.insert("status".to_owned(), status.to_string().into());
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fl_13_report_is_read_in_all_forms() {
        let of = |value| {
            let outcomes: Vec<Outcome> = of_report(value).unwrap();
            outcomes.into_iter().map(|o| (o.instruction_id, o.status)).collect::<Vec<_>>()
        };
        let done = vec![("a".to_owned(), Status::Completed)];
        assert_eq!(
            of(json!({"status": "COMPLETED", "results": {"a": {"status": "COMPLETED"}}})),
            done
        );
        assert_eq!(of(json!({"results": [{"instructionId": "a", "status": "COMPLETED"}]})), done);
        assert_eq!(
            of(json!({"type": "TOOL_CALL_RESPONSE", "content": {"results": [
                {"callId": "a", "status": "SUCCESS", "result": 1, "executionTime": 2.5}]}})),
            done
        );
        for (bad, why) in [
            (json!([]), "it is not an object"),
            (json!({}), "it has no `results`"),
            (json!({"results": 1}), "`results` is neither an object nor a list"),
            (json!({"results": {"a": 1}}), "the outcome of `a` is not an object"),
        ] {
            assert_eq!(of_report(bad).unwrap_err(), why);
        }
        let wrong = of_report(json!({"results": {"a": {"status": "GONE"}}})).unwrap_err();
        assert!(wrong.contains("GONE"), "{wrong}");
    }
}
