use super::*;

fn of(vars: &[(&str, &str)]) -> Environment {
    Environment::of(vars.iter().copied())
}

#[test]
fn cp_20_traces_are_off_until_the_environment_asks_for_them() {
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

#[test]
fn cp_20_settings_of_traces_that_cant_be_followed_are_told_at_the_start() {
    let error = endpoint(&of(&[(EXPORTER, "zipkin")])).unwrap_err();
    assert!(error.message.contains("OTEL_TRACES_EXPORTER"), "{}", error.message);
    let error = protocol(&of(&[("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")])).unwrap_err();
    assert!(error.message.contains("found `grpc`"), "{}", error.message);
    let vars = [("OTEL_EXPORTER_OTLP_TIMEOUT", "soon")];
    assert!(client(&of(&vars), "http://c").unwrap_err().message.contains("milliseconds"));
    assert_eq!(protocol(&of(&[])).unwrap(), Protocol::HttpBinary);
    let json = [
        ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/json"),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
    ];
    assert_eq!(protocol(&of(&json)).unwrap(), Protocol::HttpJson);
}
