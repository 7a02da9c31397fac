//! Line numbers of a text.

/// Where the lines of a text begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lines {
    starts: Vec<usize>,
    len: usize,
}

impl Lines {
    /// Returns the lines of that text. What follows a last line end is not a line.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let mut starts = vec![0];
        starts.extend(ends.map(|(at, _)| at + 1));
        if text.is_empty() || text.ends_with('\n') {
            starts.pop();
        }
        Self { starts, len: text.len() }
    }

    /// Returns how many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// Returns the number, from 1, of the line that holds that byte.
    #[must_use]
    pub fn number(&self, at: usize) -> u32 {
        let line = self.starts.partition_point(|start| *start <= at.min(self.len));
        u32::try_from(line.max(1)).unwrap_or(u32::MAX)
    }

    /// Returns where the line that holds that byte begins.
    #[must_use]
    pub fn start(&self, at: usize) -> usize {
        let line = self.starts.partition_point(|start| *start <= at);
        self.starts.get(line.saturating_sub(1)).copied().unwrap_or(0)
    }
}
