//! HTML to Markdown, within bounds that no page gets out of. Knows no host.
//!
//! A parser of HTML takes time that grows with the square of the depth, and a converter takes stack with it; both are
//! kept from what is nested deeper than any page that was meant to be read. A page also grows when it is converted, with
//! whole links, indented lists and filled tables; one that is made to grow is cut.

use std::rc::Rc;
use std::time::{Duration, Instant};

use htmd::HtmlToMarkdown;
use htmd::options::{BulletListMarker, Options};
use html5ever::tendril::TendrilSink;
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{Attribute, ParseOpts, parse_document};
use markup5ever_rcdom::{Node, NodeData, RcDom};
use tokio_util::sync::CancellationToken;
use url::Url;

use table::Tables;

/// Elements are converted down to this depth.
const MAX_DEPTH: usize = 160;

/// The time that parsing may take. A large page of the usual depth takes a tenth of it.
const PARSING: Duration = Duration::from_secs(3);

/// Bytes that are parsed between two looks at the time.
const PIECE_BYTES: usize = 8 * 1024;

/// Most bytes that whole links and indented lines add to a page, and most that tables do.
const MAX_GROWTH: usize = 4 * 1024 * 1024;

/// Elements with nothing in them to be read.
const DROPPED: &[&str] = &[
    "audio", "base", "canvas", "datalist", "embed", "frame", "frameset", "iframe", "link", "math",
    "meta", "object", "script", "style", "svg", "template", "title", "track", "video",
];

/// A converted page.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Converted {
    pub(super) markdown: String,
    /// Whether a part is missing.
    pub(super) is_cut: bool,
}

/// Converts a page that was at `url`, which its links start from.
pub(super) fn to_markdown(html: &str, url: &Url, cancel: &CancellationToken) -> Converted {
    let (document, is_parsed) = parse(html, PARSING, cancel);
    let mut pruning = Pruning {
        base: base(&document, url),
        title: None,
        growth: 0,
        is_cut: false,
    };
    pruning.prune(&document);
    let options = Options {
        bullet_list_marker: BulletListMarker::Dash,
        ul_bullet_spacing: 1,
        ol_number_spacing: 1,
        ..Options::default()
    };
    let markdown = HtmlToMarkdown::builder()
        .options(options)
        .add_handler(vec!["table"], Tables::within(MAX_GROWTH))
        .build()
        .tree_to_markdown(&document);
    let title = pruning
        .title
        .map_or_else(String::new, |title| format!("Title: {title}\n\n"));
    Converted {
        markdown: format!("{title}{}\n", markdown.trim_end()),
        is_cut: !is_parsed || pruning.is_cut,
    }
}

/// The tree of a page, as far as it comes in the time, and whether it is of all of it.
fn parse(html: &str, time: Duration, cancel: &CancellationToken) -> (Rc<Node>, bool) {
    let options = ParseOpts {
        tree_builder: TreeBuilderOpts {
            // What stands there for those without scripts is for us.
            scripting_enabled: false,
            ..TreeBuilderOpts::default()
        },
        ..ParseOpts::default()
    };
    let started = Instant::now();
    let mut parser = parse_document(RcDom::default(), options);
    let mut rest = html;
    while !rest.is_empty() && started.elapsed() < time && !cancel.is_cancelled() {
        let mut end = rest.len().min(PIECE_BYTES);
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let (piece, after) = rest.split_at(end);
        parser.process(piece.into());
        rest = after;
    }
    (parser.finish().document, rest.is_empty())
}

/// What is left out of a tree before it is converted.
struct Pruning {
    base: Url,
    title: Option<String>,
    /// Bytes that the text has more than the page.
    growth: usize,
    is_cut: bool,
}

impl Pruning {
    /// Goes through the tree without the stack, which a deep one would overflow.
    fn prune(&mut self, document: &Rc<Node>) {
        let mut open = vec![(Rc::clone(document), 0, 0)];
        while let Some((node, depth, indent)) = open.pop() {
            let indent = indent + indentation(&node);
            let mut children = node.children.borrow_mut();
            children.retain(|child| self.keeps(child, depth, indent));
            // In their order, so that it is the end that is cut.
            let next = children.iter().rev();
            open.extend(next.map(|child| (Rc::clone(child), depth + 1, indent)));
        }
    }

    /// Whether there is room for so many bytes more.
    fn grows(&mut self, bytes: usize) -> bool {
        let growth = self.growth.saturating_add(bytes);
        let has_room = growth <= MAX_GROWTH;
        match has_room {
            true => self.growth = growth,
            false => self.is_cut = true,
        }
        has_room
    }

    fn keeps(&mut self, node: &Node, depth: usize, indent: usize) -> bool {
        let NodeData::Element { name, attrs, .. } = &node.data else {
            let NodeData::Text { contents } = &node.data else {
                return !matches!(node.data, NodeData::Comment { .. });
            };
            let lines = memchr::memchr_iter(b'\n', contents.borrow().as_bytes()).count();
            return self.grows(lines * indent);
        };
        let name: &str = &name.local;
        if name == "title" && self.title.is_none() {
            let title = words(node);
            self.title = Some(title).filter(|title| !title.is_empty());
        }
        let mut attributes = attrs.borrow_mut();
        if DROPPED.contains(&name) || is_hidden(&attributes) {
            return false;
        }
        if depth >= MAX_DEPTH {
            self.is_cut = true;
            return false;
        }
        // At most an empty line and its own.
        if !self.grows(2 * indent) {
            return false;
        }
        attributes.retain_mut(|attribute| self.keeps_attribute(attribute));
        name != "img" || attribute(&attributes, "src").is_some()
    }

    /// Makes links whole, so that they can be fetched; those that cannot be are left out.
    fn keeps_attribute(&mut self, attribute: &mut Attribute) -> bool {
        if !matches!(&*attribute.name.local, "href" | "src") {
            return true;
        }
        match self.base.join(attribute.value.trim()) {
            Ok(url) if matches!(url.scheme(), "http" | "https" | "mailto") => {
                let more = url.as_str().len().saturating_sub(attribute.value.len());
                let has_room = self.grows(more);
                attribute.value = url.as_str().into();
                has_room
            }
            _ => false,
        }
    }
}

/// How far the lines in a node are moved in.
fn indentation(node: &Node) -> usize {
    match &node.data {
        NodeData::Element { name, .. } => match &*name.local {
            "li" => 4,
            "blockquote" => 2,
            _ => 0,
        },
        _ => 0,
    }
}

/// What the links of a page start from.
fn base(document: &Rc<Node>, url: &Url) -> Url {
    let mut open = vec![Rc::clone(document)];
    while let Some(node) = open.pop() {
        if let NodeData::Element { name, attrs, .. } = &node.data {
            match &*name.local {
                "base" => {
                    let href = attribute(&attrs.borrow(), "href");
                    return href
                        .and_then(|href| url.join(&href).ok())
                        .unwrap_or_else(|| url.clone());
                }
                "html" | "head" => {}
                _ => continue,
            }
        }
        open.extend(node.children.borrow().iter().rev().map(Rc::clone));
    }
    url.clone()
}

fn attribute(attributes: &[Attribute], name: &str) -> Option<String> {
    let found = attributes
        .iter()
        .find(|attribute| &*attribute.name.local == name)?;
    Some(found.value.to_string())
}

/// Whether a browser does not show it: a place for words that are meant for a model alone.
fn is_hidden(attributes: &[Attribute]) -> bool {
    attributes
        .iter()
        .any(|attribute| match &*attribute.name.local {
            "hidden" => true,
            "style" => {
                let style: String = attribute
                    .value
                    .chars()
                    .filter(|char| !char.is_whitespace())
                    .collect();
                let style = style.to_ascii_lowercase();
                style.contains("display:none") || style.contains("visibility:hidden")
            }
            _ => false,
        })
}

/// The text right in a node, on one line.
fn words(node: &Node) -> String {
    let text: String = node
        .children
        .borrow()
        .iter()
        .filter_map(|child| match &child.data {
            NodeData::Text { contents } => Some(contents.borrow().to_string()),
            _ => None,
        })
        .collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

mod table;

#[cfg(test)]
mod tests;
