use super::*;

fn moment(text: &str) -> Option<(i64, u32)> {
    text.parse::<Timestamp>().ok().map(|time| (time.moment().seconds, time.moment().nanos))
}

#[test]
fn cp_1_timestamps_are_read_in_forms_of_iso_8601() {
    let noon = 1_764_590_400;
    for text in [
        "2025-12-01T12:00:00Z",
        "2025-12-01T12:00:00.000Z",
        "2025-12-01T12:00Z",
        "2025-12-01T12Z",
        "2025-12-01T12:00:00",
        "20251201T120000Z",
        "20251201T1200",
        "2025-12-01T13:00:00+01:00",
        "2025-12-01T13:00:00+0100",
        "2025-12-01T06:30:00-05:30",
        "2025-12-02T00:00:00+12",
        "2025-12-01t12:00:00z",
    ] {
        assert_eq!(moment(text), Some((noon, 0)), "{text}");
    }
    assert_eq!(moment("2025-12-01T12:00:00.789Z"), Some((noon, 789_000_000)));
    assert_eq!(moment("2025-12-01T12:00:00,5Z"), Some((noon, 500_000_000)));
    assert_eq!(moment("2025-12-01T12:00:00.1234567891Z"), Some((noon, 123_456_789)));
    assert_eq!(moment("2025-12-01"), Some((noon - 43_200, 0)));
    assert_eq!(moment("2025-12-01T24:00:00Z"), Some((noon + 43_200, 0)));
    assert_eq!(moment("1970-01-01T00:00:00Z"), Some((0, 0)));
    assert_eq!(moment("2000-02-29T00:00:00Z"), Some((951_782_400, 0)));
    assert_eq!(moment("0001-01-01T00:00:00Z"), Some((-62_135_596_800, 0)));
    assert_eq!(moment("2016-12-31T23:59:60Z"), moment("2017-01-01T00:00:00Z"));
}

#[test]
fn cp_1_invalid_timestamp_is_refused() {
    for text in [
        "",
        "yesterday",
        "2025",
        "2025-12",
        "2025-13-01",
        "2025-02-29",
        "2025-00-10",
        "2025-01-00",
        "1900-02-29",
        "2025-12-01 12:00:00",
        "2025-12-01T",
        "2025-12-01T25:00:00Z",
        "2025-12-01T24:00:01Z",
        "2025-12-01T12:60:00Z",
        "2025-12-01T12:00:61Z",
        "2025-12-01T12:00:00.Z",
        "2025-12-01T12:00:00+",
        "2025-12-01T12:00:00+1",
        "2025-12-01T12:00:00+24:00",
        "2025-12-01T12:00:00ZZ",
        "2025-12-01T1200:00Z",
        "2025-1201",
        " 2025-12-01",
        "２025-12-01",
    ] {
        assert_eq!(moment(text), None, "{text}");
    }
}

#[test]
fn cp_1_servers_own_times_are_utc_with_milliseconds() {
    for (millis, text) in [
        (0, "1970-01-01T00:00:00.000Z"),
        (1_764_590_400_789, "2025-12-01T12:00:00.789Z"),
        (951_782_399_999, "2000-02-28T23:59:59.999Z"),
        (951_868_800_000, "2000-03-01T00:00:00.000Z"),
        (u64::MAX, "9999-12-31T23:59:59.999Z"),
    ] {
        let time = Timestamp::from_unix_millis(millis);
        assert_eq!(time.as_str(), text);
        assert_eq!(text.parse(), Ok(time));
    }
}
