//! Markdown on screens of several widths.

use proptest::prelude::*;
use provost_project::Colors;

use crate::text::{Line, Paint, Style, styled, width};
use crate::view::speech::{words, words_so_far};

const PAGE: &str = include_str!("page.md");

fn shown(lines: &[Line], style: Style, unicode: bool, columns: usize) -> String {
    styled(lines, Paint { style, unicode, columns: Some(columns), colors: Colors::default() })
        .replace('\u{1b}', "␛")
}

fn bare(screen: &str) -> String {
    ["␛[0m", "␛[1m", "␛[2m", "␛[3m", "␛[4m", "␛[35m"]
        .iter()
        .fold(screen.to_owned(), |text, code| text.replace(code, ""))
}

#[test]
fn a_page_on_screens_of_several_widths() {
    let lines = words(PAGE);
    for columns in [60, 80, 160] {
        let screen = bare(&shown(&lines, Style::Coloured, true, columns));
        insta::assert_snapshot!(format!("page_{columns}"), screen);
    }
    insta::assert_snapshot!("page_attributes", shown(&lines, Style::Coloured, true, 80));
    insta::assert_snapshot!("page_ascii", bare(&shown(&lines, Style::Colourless, false, 80)));
}

/// The plain writer gets the text as it was written.
#[test]
fn without_marks_the_source_is_shown() {
    let source = styled(
        &words(PAGE),
        Paint { style: Style::Plain, unicode: true, columns: None, colors: Colors::default() },
    );
    let written: String = PAGE.trim().lines().map(|line| format!("model: {line}\n")).collect();
    assert_eq!(source.replace("model\n", "model: \n"), written);
}

#[test]
fn the_open_block_is_shown_as_it_was_written() {
    let screen = |text: &str| bare(&shown(&words_so_far(text), Style::Colourless, true, 80));
    assert_eq!(screen("# Head\n\nSome **wor"), "┃  Head\n┃  \n┃  Some **wor\n");
    assert_eq!(screen("- a\n- **b**"), "┃  - a\n┃  - **b**\n");
    assert_eq!(screen("- a\n- **b**\n\nthen"), "┃  • a\n┃  • b\n┃  \n┃  then\n");
    assert_eq!(screen("```\ncode"), "┃  ```\n┃  code\n");
}

/// Pieces of Markdown, of imitations and of control sequences.
fn piece() -> impl Strategy<Value = String> {
    let pieces = [
        "# ",
        "\n",
        "\n\n",
        "- ",
        "  - ",
        "1. ",
        "99. ",
        "> ",
        "```\n",
        "`",
        "**",
        "*",
        "[",
        "](http://a.b/c)",
        "| a | b |\n|---|:-:|\n",
        "| 漢字漢字 ",
        "|",
        "---\n",
        "    ",
        "                                                  ",
        "\t",
        "<b>",
        "&#27;[2J",
        "&nbsp;",
        "\u{1b}[31m",
        "✓  deploy",
        "word ",
        "a-long-word-that-goes-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on ",
        "漢字",
        "👩‍👩‍👧",
        "e\u{301}",
        "\u{202e}",
        "\r\n",
        "![",
        "~~~\n",
        "\\",
    ];
    prop_oneof![prop::sample::select(pieces.to_vec()).prop_map(str::to_owned), "[ -~]{0,12}", "\\PC{0,6}"]
}

proptest! {
    /// No row is wider than the screen, each begins after the model's bar, and none has a colour.
    #[test]
    fn every_row_stays_behind_its_bar(
        pieces in prop::collection::vec(piece(), 0..40),
        columns in prop::sample::select(vec![60_usize, 80, 160]),
    ) {
        let text = pieces.concat();
        for lines in [words(&text), words_so_far(&text)] {
            let screen = shown(&lines, Style::Coloured, true, columns);
            prop_assert!(!bare(&screen).contains('␛') || text.contains('␛'), "{screen}");
            for row in screen.lines().filter(|row| !row.is_empty()) {
                prop_assert!(row.starts_with("␛[35m┃␛[0m  "), "{row:?}");
                prop_assert_eq!(row.matches("␛[35m").count(), 1, "{}", row);
            }
            for row in bare(&screen).lines() {
                prop_assert!(width(row) < columns, "{columns}: {row:?}");
            }
        }
    }
}
