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

fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn unit(word: &str) -> CalendarUnit {
    CalendarUnit::of_word(word).unwrap()
}

#[test]
fn ty_6_time_later_is_written_as_the_time_is() {
    for (text, amount, word, later) in [
        ("2024-01-31", 1, "month", "2024-02-29"),
        ("2023-01-31", 1, "months", "2023-02-28"),
        ("1900-01-31", 1, "month", "1900-02-28"),
        ("2000-02-29", 1, "year", "2001-02-28"),
        ("2000-02-29", 4, "years", "2004-02-29"),
        ("2000-02-29", -100, "years", "1900-02-28"),
        ("2024-03-31", -1, "month", "2024-02-29"),
        ("2024-02-28", 2, "days", "2024-03-01"),
        ("2024-12-30", 1, "week", "2025-01-06"),
        ("2024-02-28", 90, "minutes", "2024-02-28T01:30:00Z"),
        ("2024-02-28", 24, "hours", "2024-02-29"),
        ("2024-02-28T23:59:59.250+05:30", 1, "second", "2024-02-29T00:00:00.250+05:30"),
        ("2024-02-28T10:00", 1, "day", "2024-02-29T10:00:00"),
        ("20240228T100000Z", 0, "day", "2024-02-28T10:00:00Z"),
        ("2016-12-31T23:59:60Z", 0, "day", "2017-01-01T00:00:00Z"),
        ("0001-01-01", -1, "year", "0000-01-01"),
        ("9999-12-31T23:59:59Z", 0, "hour", "9999-12-31T23:59:59Z"),
    ] {
        let found = time(text).plus(amount, unit(word)).unwrap();
        assert_eq!(found.as_str(), later, "{text} {amount} {word}");
    }
}

#[test]
fn ty_6_time_outside_of_the_calendar_is_an_error() {
    for (text, amount, word) in [
        ("9999-12-31", 1, "day"),
        ("0000-01-01T00:00:00+01:00", -1, "second"),
        ("2024-01-01", i64::MAX, "second"),
        ("2024-01-01", i64::MIN, "month"),
        ("2024-01-01", i64::MAX, "year"),
        ("9999-12-31T24:00:00Z", 0, "day"),
    ] {
        assert_eq!(time(text).plus(amount, unit(word)), Err(OutOfCalendar), "{text} {amount}");
    }
}

#[test]
fn ty_6_units_between_times_are_whole_ones() {
    for (from, to, word, count) in [
        ("2024-01-31", "2024-02-29", "month", 1),
        ("2024-01-31", "2024-02-28", "month", 0),
        ("2024-02-29", "2025-02-28", "year", 1),
        ("2024-02-29", "2025-02-27", "year", 0),
        ("2025-02-28", "2024-02-29", "year", 0),
        ("2025-03-01", "2024-02-29", "year", -1),
        ("2024-02-28", "2024-03-01", "day", 2),
        ("2024-01-01T00:00:00+14:00", "2024-01-01T00:00:00-10:00", "day", 1),
        ("2024-01-01T12:00:00+02:00", "2024-01-01T10:00:00Z", "second", 0),
        ("2024-01-01T00:00:00.7Z", "2024-01-01T00:00:02.2Z", "second", 1),
        ("2024-01-01T00:00:02.2Z", "2024-01-01T00:00:00.7Z", "second", -1),
        ("2024-01-01", "2023-12-31T22:30:00Z", "hour", -1),
        ("2024-01-31T00:00:00.5Z", "2024-02-29T00:00:00Z", "month", 0),
    ] {
        let found = time(from).units_until(&time(to), unit(word));
        assert_eq!(found, count, "{from} {to} {word}");
    }
}

#[test]
fn ty_6_parts_are_those_of_the_own_offset() {
    let shown = time("2024-02-29T23:05:09.9-08:00").parts();
    let clock = (shown.hour, shown.minute, shown.second);
    assert_eq!((shown.year, shown.month, shown.day, shown.weekday), (2024, 2, 29, 4));
    assert_eq!(clock, (23, 5, 9));
    assert_eq!(time("2023-01-01").parts().weekday, 7);
    assert_eq!(
        CALENDAR_UNITS.map(unit).map(|unit| time("2024-01-01").plus(0, unit).is_ok()),
        [true; 7]
    );
    assert_eq!(CalendarUnit::of_word("fortnight"), None);
}

fn any_time() -> impl proptest::strategy::Strategy<Value = Timestamp> {
    use proptest::prelude::*;
    let clock = (0..24_u32, 0..60_u32, 0..60_u32, 0..1_000_u32, -1_439..1_440_i32);
    let date = (1..9_998_i32, 1..367_u32)
        .prop_filter_map("a day of a year", |(year, day)| NaiveDate::from_yo_opt(year, day));
    (date, prop::option::of(clock)).prop_map(|(date, clock)| {
        let clock = clock.map_or(String::new(), |(hour, minute, second, milli, offset)| {
            let sign = if offset < 0 { '-' } else { '+' };
            let (hours, minutes) = (offset.abs() / 60, offset.abs() % 60);
            format!("T{hour:02}:{minute:02}:{second:02}.{milli:03}{sign}{hours:02}:{minutes:02}")
        });
        time(&format!("{date}{clock}"))
    })
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn ty_6_units_until_a_time_do_not_pass_it_and_one_more_does(
        from in any_time(), to in any_time(), word in proptest::sample::select(CALENDAR_UNITS.to_vec()),
    ) {
        let unit = unit(word);
        let count = from.units_until(&to, unit);
        let (forth, step) = (from.moment() <= to.moment(), if from.moment() <= to.moment() { 1 } else { -1 });
        let is_within = |time: &Timestamp| match forth {
            true => time.moment() <= to.moment(),
            false => time.moment() >= to.moment(),
        };
        proptest::prop_assert!(is_within(&from.plus(count, unit).unwrap()));
        if let Ok(further) = from.plus(count + step, unit) {
            proptest::prop_assert!(!is_within(&further));
        }
    }
}
