//! The wait that a server asks for.

use std::time::{Duration, SystemTime};

/// The longest wait; longer ones count as this.
const MOST: Duration = Duration::from_secs(7 * 24 * 3600);

/// Reads `retry-after-ms`, else `Retry-After` as seconds or as a date; `header` gives a header's
/// text by its lower-case name.
pub(crate) fn retry_after<'a>(
    header: impl Fn(&str) -> Option<&'a str>,
    now: SystemTime,
) -> Option<Duration> {
    let number = |text: &str, unit: f64| {
        let seconds = text.trim().parse::<f64>().ok()? * unit;
        Duration::try_from_secs_f64(seconds).ok()
    };
    let by_date = |text: &str| {
        let then = httpdate::parse_http_date(text.trim()).ok()?;
        Some(then.duration_since(now).unwrap_or_default())
    };
    let wait = header("retry-after-ms").and_then(|text| number(text, 0.001)).or_else(|| {
        let text = header("retry-after")?;
        number(text, 1.0).or_else(|| by_date(text))
    })?;
    Some(wait.min(MOST))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &'static str, value: &'static str) -> Option<Duration> {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        retry_after(|wanted| (wanted == name).then_some(value), now)
    }

    #[test]
    fn pt_12_retry_after_is_read_in_every_form() {
        assert_eq!(read("retry-after", "7"), Some(Duration::from_secs(7)));
        assert_eq!(read("retry-after", " 0.25 "), Some(Duration::from_millis(250)));
        assert_eq!(read("retry-after-ms", "1500"), Some(Duration::from_millis(1500)));
        assert_eq!(
            read("retry-after", "Sun, 06 Nov 1994 08:50:37 GMT"),
            Some(Duration::from_secs(60))
        );
        assert_eq!(read("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT"), Some(Duration::ZERO));
        assert_eq!(read("retry-after", "1e300"), None);
        assert_eq!(read("retry-after", "99999999"), Some(MOST));
        for nonsense in ["soon", "-5", "NaN", "inf", ""] {
            assert_eq!(read("retry-after", nonsense), None, "{nonsense}");
        }
        assert_eq!(read("x", "7"), None);
    }
}
