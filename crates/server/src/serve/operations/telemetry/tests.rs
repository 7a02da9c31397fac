use super::*;

fn of(vars: &[(&str, &str)]) -> Environment {
    Environment::of(vars.iter().copied())
}

#[test]
fn cp_20_invalid_trace_settings_are_reported_at_start() {
    let error = endpoint(&of(&[("OTEL_TRACES_EXPORTER", "zipkin")])).unwrap_err();
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
