//! Tables: rows of cells, each on one line.

/// The most cells of a row; the rest is joined to the last.
const MAX_CELLS: usize = 200;

/// A table that is being read.
#[derive(Debug, Default)]
pub(super) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn begin_row(&mut self) {
        if self.rows.last().is_none_or(|row| !row.is_empty()) {
            self.rows.push(Vec::new());
        }
    }

    pub(super) fn begin_cell(&mut self) {
        if self.rows.is_empty() {
            self.rows.push(Vec::new());
        }
        if let Some(row) = self.rows.last_mut().filter(|row| row.len() < MAX_CELLS) {
            row.push(String::new());
        }
    }

    /// Adds text to the present cell.
    pub(super) fn add(&mut self, text: &str) {
        if self.rows.last().is_none_or(Vec::is_empty) {
            self.begin_cell();
        }
        if let Some(cell) = self.rows.last_mut().and_then(|row| row.last_mut()) {
            if !cell.is_empty() {
                cell.push(' ');
            }
            cell.push_str(&text.replace('\n', " ").replace('|', "\\|"));
        }
    }

    /// Returns its texts, for a table that only arranges a page.
    pub(super) fn texts(self) -> Vec<String> {
        let cells = self.rows.into_iter().flatten();
        cells.filter(|cell| !cell.is_empty()).map(|cell| cell.replace("\\|", "|")).collect()
    }

    /// Returns its lines; those of a table with one column are paragraphs of their own.
    pub(super) fn lines(mut self) -> Result<Vec<String>, Vec<String>> {
        self.rows.retain(|row| row.iter().any(|cell| !cell.is_empty()));
        let width = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        if width < 2 {
            return Err(self.texts());
        }
        let mut lines = Vec::new();
        for (number, mut row) in self.rows.into_iter().enumerate() {
            row.resize(width, String::new());
            lines.push(format!("| {} |", row.join(" | ")));
            if number == 0 {
                lines.push(format!("|{}", " --- |".repeat(width)));
            }
        }
        Ok(lines)
    }
}
