//! `conformance/DIFFERENCES.md`: the cases we decide otherwise, as rows of Markdown tables.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::Failure;

/// The word for a case that pins a mere accident of the recorded implementation's language.
const ACCIDENT: &str = "accident";

/// The cases that may differ, by area and name.
pub(super) struct Differences {
    /// The decision behind each: a number of `docs/decisions.md`, or [`ACCIDENT`].
    rows: BTreeMap<(String, String), String>,
}

impl Differences {
    /// Reads the rows `| area | case | decision | reason |`; a row without a reason is an error.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let mut rows = BTreeMap::new();
        for (number, line) in text.lines().enumerate() {
            let cells: Vec<&str> = line.trim_matches(['|', ' ']).split('|').map(str::trim).collect();
            let [area, case, decision, reason] = cells.as_slice() else { continue };
            if *area == "area" || area.starts_with('-') {
                continue;
            }
            if decision.is_empty() || reason.is_empty() {
                return Err(format!(
                    "{}:{}: a difference names its decision and reason",
                    path.display(),
                    number + 1
                )
                .into());
            }
            rows.insert(((*area).to_owned(), (*case).to_owned()), (*decision).to_owned());
        }
        Ok(Self { rows })
    }

    /// Whether this case may differ.
    pub(super) fn covers(&self, area: &str, case: &str) -> bool {
        self.rows.contains_key(&(area.to_owned(), case.to_owned()))
    }

    /// How many cases of an area differ by accident rather than by decision.
    pub(super) fn accidents(&self, area: &str) -> usize {
        self.rows.iter().filter(|((row_area, _), decision)| row_area == area && *decision == ACCIDENT).count()
    }
}
