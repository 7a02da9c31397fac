//! The end of an SQL statement.
//!
//! SQLite would report it itself, but only by preparing every statement that follows, one inside
//! the other: a text of ten thousand statements would use up the stack.

/// Returns the only statement of a text, empty if there is none, or the offset of a second one.
pub(super) fn single(sql: &str) -> Result<&str, usize> {
    if skip_empty(sql).is_empty() {
        return Ok("");
    }
    let end = end(sql);
    let (statement, mut rest) = sql.split_at_checked(end).unwrap_or((sql, ""));
    loop {
        let begun = skip_blank(rest).trim_start_matches(';');
        if begun.is_empty() {
            return Ok(statement);
        }
        if begun.len() == rest.len() {
            return Err(sql.len() - begun.len());
        }
        rest = begun;
    }
}

/// Returns the offset of the `;` that ends the first statement, or the length of the text.
fn end(sql: &str) -> usize {
    let mut rest = skip_empty(sql);
    while let Some(first) = rest.chars().next() {
        if first == ';' {
            return sql.len() - rest.len();
        }
        let after = skip_blank(rest);
        rest = if after.len() < rest.len() { after } else { skip_token(rest, first) };
    }
    sql.len()
}

/// Passes over statements that are empty.
fn skip_empty(sql: &str) -> &str {
    let mut rest = sql;
    loop {
        let after = skip_blank(rest).trim_start_matches(';');
        if after.len() == rest.len() {
            return rest;
        }
        rest = after;
    }
}

/// Passes over blanks and comments.
fn skip_blank(text: &str) -> &str {
    let mut rest = text;
    loop {
        let begun = rest.trim_start();
        rest = if let Some(comment) = begun.strip_prefix("--") {
            comment.split_once('\n').map_or("", |(_, after)| after)
        } else if let Some(comment) = begun.strip_prefix("/*") {
            comment.split_once("*/").map_or("", |(_, after)| after)
        } else {
            return begun;
        };
    }
}

/// Passes over a quoted text, or one character. A quote written twice closes and opens again.
fn skip_token(text: &str, first: char) -> &str {
    let rest = text.strip_prefix(first).unwrap_or_default();
    let close = match first {
        '\'' | '"' | '`' => first,
        '[' => ']',
        _ => return rest,
    };
    rest.split_once(close).map_or("", |(_, after)| after)
}

#[cfg(test)]
mod tests {
    use super::single;
    use proptest::prelude::*;

    #[test]
    fn fl_3_query_is_one_statement() {
        for (sql, statement) in [
            ("select 1", "select 1"),
            ("select 1 ; ", "select 1 "),
            ("select ';' ;; -- done\n/* ; */", "select ';' "),
            (
                "select 'it''s; fine', \"a;b\", [c;d], `e;f`",
                "select 'it''s; fine', \"a;b\", [c;d], `e;f`",
            ),
            ("select 1 -- ; select 2", "select 1 -- ; select 2"),
            ("select 1 /* ; select 2", "select 1 /* ; select 2"),
            ("", ""),
            (" ; -- nothing\n;", ""),
            ("'open; and", "'open; and"),
        ] {
            assert_eq!(single(sql), Ok(statement), "{sql}");
        }
        assert_eq!(single("select 1; select 2"), Err(10));
        assert_eq!(single("; select 1;\n drop table t"), Err(13));
    }

    proptest! {
        #[test]
        fn fl_3_what_is_passed_on_never_has_more_than_it_was_given(sql in "[ ;'\"a\\-/*\\[\\]\n]{0,40}") {
            match single(&sql) {
                Ok(statement) => prop_assert!(sql.starts_with(statement)),
                Err(offset) => prop_assert!(offset < sql.len()),
            }
        }
    }
}
