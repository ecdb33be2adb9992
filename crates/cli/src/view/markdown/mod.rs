//! The model's Markdown as lines: bold, italic, underlined and dim, never coloured.

mod link;
mod rail;
mod table;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use self::link::Link;
use self::rail::Rails;
use self::table::Table;
use crate::text::{Line, Mark, Role, Span};

/// How a horizontal rule is drawn.
const RULE: &str = "────────";

/// The maximum indentation of a line.
const INDENT_MAX: usize = 80;

fn parser(source: &str) -> Parser<'_> {
    Parser::new_ext(source, Options::ENABLE_TABLES)
}

/// Returns the lines of a text.
pub(super) fn lines(source: &str) -> Vec<Line> {
    let mut page = Page::new(source);
    for (event, range) in parser(source).into_offset_iter() {
        page.take(event, range.start);
    }
    page.end_line();
    page.lines
}

/// Returns the start of the last block of a text, which may be incomplete.
pub(super) fn last_block(source: &str) -> usize {
    let (mut depth, mut last) = (0_usize, 0);
    for (event, range) in parser(source).into_offset_iter() {
        if depth == 0 {
            last = range.start;
        }
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    last
}

/// An open list.
struct List {
    /// The number of the next item; `None` for bullets.
    next: Option<u64>,
    /// Whether its items are paragraphs, with empty lines between them.
    is_loose: bool,
}

/// The state of the conversion.
struct Page<'s> {
    source: &'s str,
    lines: Vec<Line>,
    rails: Rails,
    lists: Vec<List>,
    /// The content of the open line.
    spans: Vec<Span>,
    roles: Vec<Role>,
    links: Vec<Link>,
    table: Option<Table>,
    /// The code of the open block.
    code: Option<String>,
    /// The source column in which the text of the open block begins.
    text_at: Option<usize>,
    /// Whether the open line has begun, and its additional indentation.
    is_begun: bool,
    indent: usize,
    /// Whether an empty line precedes the next block.
    is_apart: bool,
}

impl<'s> Page<'s> {
    fn new(source: &'s str) -> Self {
        Self {
            source,
            lines: Vec::new(),
            rails: Rails::default(),
            lists: Vec::new(),
            spans: Vec::new(),
            roles: Vec::new(),
            links: Vec::new(),
            table: None,
            code: None,
            text_at: None,
            is_begun: false,
            indent: 0,
            is_apart: false,
        }
    }

    fn take(&mut self, event: Event<'_>, at: usize) {
        match event {
            Event::Start(tag) => self.start(tag, at),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some(code) => code.push_str(&text),
                None => self.text(&text, at),
            },
            Event::Code(text) => {
                self.begin_line(at);
                self.spans.push(Span::quiet("`"));
                self.say(&text);
                self.spans.push(Span::quiet("`"));
            }
            Event::SoftBreak | Event::HardBreak if self.table.is_none() => self.end_line(),
            Event::SoftBreak | Event::HardBreak => self.say(" "),
            Event::Html(text) => match &mut self.code {
                Some(code) => code.push_str(&text),
                None => self.text(&text, at),
            },
            Event::Rule => {
                self.begin_block();
                self.spans.push(Span::quiet(RULE));
                self.end_block();
            }
            Event::InlineHtml(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text)
            | Event::FootnoteReference(text) => self.text(&text, at),
            Event::TaskListMarker(done) => self.say(if done { "[x] " } else { "[ ] " }),
        }
    }

    fn start(&mut self, tag: Tag<'_>, at: usize) {
        match tag {
            Tag::Paragraph => {
                self.begin_block();
                self.lists.last_mut().into_iter().for_each(|list| list.is_loose = true);
            }
            Tag::Heading { .. } => {
                self.begin_block();
                self.roles.push(Role::Strong);
            }
            Tag::BlockQuote(_) => {
                self.begin_block();
                self.rails.quote();
            }
            Tag::CodeBlock(CodeBlockKind::Indented | CodeBlockKind::Fenced(_)) | Tag::HtmlBlock => {
                self.begin_block();
                self.code = Some(String::new());
            }
            Tag::List(first) => {
                // A list inside an item follows its text without an empty line.
                self.is_apart &= self.lists.is_empty();
                self.begin_block();
                self.lists.push(List { next: first, is_loose: false });
            }
            Tag::Item => {
                self.begin_block();
                let number = self.lists.last_mut().and_then(|list| list.next.as_mut());
                self.rails.item(number.map(|next| std::mem::replace(next, next.saturating_add(1))));
            }
            Tag::Table(alignments) => {
                self.begin_block();
                self.table = Some(Table::new(alignments));
            }
            Tag::Emphasis => self.begin_style(Role::Italic, at),
            Tag::Strong => self.begin_style(Role::Strong, at),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.begin_style(Role::Link, at);
                self.links.push(Link::new(&dest_url));
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => self.end_block(),
            TagEnd::Heading(_) => {
                self.roles.pop();
                self.end_block();
            }
            TagEnd::CodeBlock | TagEnd::HtmlBlock => self.end_code(),
            TagEnd::BlockQuote(_) => {
                self.rails.pop();
                self.is_apart = true;
            }
            TagEnd::Item => {
                self.end_line();
                if !self.rails.is_begun() {
                    self.push(Vec::new());
                }
                self.rails.pop();
            }
            TagEnd::List(_) => {
                self.lists.pop();
                self.is_apart = self.lists.last().is_none_or(|list| list.is_loose);
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.spans);
                if let Some(table) = &mut self.table {
                    table.cell(cell);
                }
            }
            TagEnd::TableHead | TagEnd::TableRow => {
                if let Some(table) = &mut self.table {
                    table.end_row();
                }
            }
            TagEnd::Table => self.end_table(),
            TagEnd::Emphasis | TagEnd::Strong => drop(self.roles.pop()),
            TagEnd::Link | TagEnd::Image => {
                self.roles.pop();
                let target = self.links.pop().and_then(|link| link.target());
                self.spans.extend(target.map(|target| Span::quiet(format!(" ({target})"))));
            }
            _ => {}
        }
    }

    fn begin_style(&mut self, role: Role, at: usize) {
        self.begin_line(at);
        self.roles.push(role);
    }

    fn text(&mut self, text: &str, at: usize) {
        self.begin_line(at);
        self.say(text.trim_end_matches('\n'));
    }

    fn say(&mut self, text: &str) {
        self.links.iter_mut().for_each(|link| link.say(text));
        let role = self.roles.last().copied().unwrap_or_default();
        self.spans.push(Span::new(text, role));
    }

    /// A line that is indented further than the first line of its block stays so: people align text with
    /// spaces.
    fn begin_line(&mut self, at: usize) {
        if std::mem::replace(&mut self.is_begun, true) || self.table.is_some() {
            return;
        }
        let before = self.source.get(..at).unwrap_or_default();
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count();
        self.indent = column.saturating_sub(*self.text_at.get_or_insert(column)).min(INDENT_MAX);
    }

    fn end_line(&mut self) {
        self.is_begun = false;
        if !self.spans.is_empty() {
            let spans = std::mem::take(&mut self.spans);
            self.push(spans);
        }
    }

    fn push(&mut self, spans: Vec<Span>) {
        let mut line = Line::new(Mark::Model, "model", spans);
        self.rails.stand_before(&mut line);
        let indent = Span::text(" ".repeat(std::mem::take(&mut self.indent)));
        line.rail.push(indent.clone());
        line.rail_rest.push(indent);
        self.lines.push(line);
    }

    fn begin_block(&mut self) {
        self.end_line();
        self.text_at = None;
        if std::mem::take(&mut self.is_apart) {
            let mut line = Line::new(Mark::Model, "model", Vec::new());
            line.rail = self.rails.rest();
            self.lines.push(line);
        }
    }

    fn end_block(&mut self) {
        self.end_line();
        self.text_at = None;
        self.is_apart = true;
    }

    fn end_code(&mut self) {
        let code = self.code.take().unwrap_or_default();
        self.rails.code();
        for line in code.lines() {
            let span = Span::text(line);
            let indent = span.text.len() - span.text.trim_start_matches(' ').len();
            self.push(vec![span]);
            self.lines.last_mut().into_iter().for_each(|line| line.hang = indent);
        }
        self.rails.pop();
        self.end_block();
    }

    fn end_table(&mut self) {
        let Some(table) = self.table.take() else { return };
        let rail = self.rails.cells();
        for mut line in table.lines(rail) {
            self.rails.stand_before(&mut line);
            self.lines.push(line);
        }
        self.end_block();
    }
}

#[cfg(test)]
mod tests;
