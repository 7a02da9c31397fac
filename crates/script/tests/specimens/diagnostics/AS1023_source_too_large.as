//// limits: source_bytes=20
main func(input) { "this is longer than twenty bytes" }
