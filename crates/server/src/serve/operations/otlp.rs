//! The environment variables of traces.

use crate::fault::Fault;
use crate::serve::codes;
use contexture::Environment;

pub(super) const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
const TRACES_ENDPOINT: &str = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
const EXPORTER: &str = "OTEL_TRACES_EXPORTER";
const DISABLED: &str = "OTEL_SDK_DISABLED";
/// The address of a collector on this machine.
const LOCAL: &str = "http://localhost:4318";

/// Returns the endpoint of spans, if the export is enabled.
pub(crate) fn endpoint(environment: &Environment) -> Result<Option<String>, Fault> {
    let is = |name: &str, word: &str| {
        environment.get(name).is_some_and(|value| value.eq_ignore_ascii_case(word))
    };
    if is(DISABLED, "true") || is(EXPORTER, "none") {
        return Ok(None);
    }
    let base = environment.get(ENDPOINT);
    let is_wanted = is(EXPORTER, "otlp");
    if let (Some(other), false) = (environment.get(EXPORTER), is_wanted) {
        return Err(wrong(EXPORTER, &format!("expected `otlp` or `none`, found `{other}`")));
    }
    if let Some(endpoint) = environment.get(TRACES_ENDPOINT) {
        return Ok(Some(endpoint.to_owned()));
    }
    let base = base.or(is_wanted.then_some(LOCAL));
    Ok(base.map(|base| format!("{}/v1/traces", base.trim_end_matches('/'))))
}

/// Creates the error about an unsupported setting.
pub(super) fn wrong(name: &str, problem: &str) -> Fault {
    Fault::of(codes::BAD_SETTING, format!("{name}: {problem}"))
        .with_help("OTEL_SDK_DISABLED=true switches the export off")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(vars: &[(&str, &str)]) -> Environment {
        Environment::of(vars.iter().copied())
    }

    #[test]
    fn cp_20_traces_are_off_until_environment_enables_them() {
        type Vars = &'static [(&'static str, &'static str)];
        let cases: [(Vars, Option<&str>); 9] = [
            (&[], None),
            (&[(EXPORTER, "none"), (ENDPOINT, "http://c:4318")], None),
            (&[(DISABLED, "True"), (ENDPOINT, "http://c:4318")], None),
            (&[(EXPORTER, "otlp")], Some("http://localhost:4318/v1/traces")),
            (&[(ENDPOINT, "http://c:4318")], Some("http://c:4318/v1/traces")),
            (&[(ENDPOINT, "http://c:4318/base/")], Some("http://c:4318/base/v1/traces")),
            (&[(TRACES_ENDPOINT, "http://c/x")], Some("http://c/x")),
            (&[(TRACES_ENDPOINT, "http://c/x"), (ENDPOINT, "http://d")], Some("http://c/x")),
            (
                &[(DISABLED, "false"), (EXPORTER, "otlp"), (ENDPOINT, "http://d")],
                Some("http://d/v1/traces"),
            ),
        ];
        for (vars, expected) in cases {
            assert_eq!(endpoint(&of(vars)).unwrap().as_deref(), expected, "{vars:?}");
        }
    }
}
