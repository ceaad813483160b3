//! HTML to Markdown, within bounds that no page gets out of. Knows no host.
//!
//! A parser of HTML takes time that grows with the square of the depth, and a converter takes stack with it; both are
//! kept from what is nested deeper than any page that was meant to be read.

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

/// Elements are converted down to this depth.
const MAX_DEPTH: usize = 160;

/// The time that parsing may take. A large page of the usual depth takes a tenth of it.
const PARSING: Duration = Duration::from_secs(3);

/// Bytes that are parsed between two looks at the time.
const PIECE_BYTES: usize = 8 * 1024;

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
        is_deep: false,
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
        .build()
        .tree_to_markdown(&document);
    let title = pruning
        .title
        .map_or_else(String::new, |title| format!("Title: {title}\n\n"));
    Converted {
        markdown: format!("{title}{}\n", markdown.trim_end()),
        is_cut: !is_parsed || pruning.is_deep,
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
    is_deep: bool,
}

impl Pruning {
    /// Goes through the tree without the stack, which a deep one would overflow.
    fn prune(&mut self, document: &Rc<Node>) {
        let mut open = vec![(Rc::clone(document), 0)];
        while let Some((node, depth)) = open.pop() {
            let mut children = node.children.borrow_mut();
            children.retain(|child| self.keeps(child, depth));
            open.extend(children.iter().map(|child| (Rc::clone(child), depth + 1)));
        }
    }

    fn keeps(&mut self, node: &Node, depth: usize) -> bool {
        let NodeData::Element { name, attrs, .. } = &node.data else {
            return !matches!(node.data, NodeData::Comment { .. });
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
            self.is_deep = true;
            return false;
        }
        attributes.retain_mut(|attribute| self.keeps_attribute(attribute));
        name != "img" || attribute(&attributes, "src").is_some()
    }

    /// Makes links whole, so that they can be fetched; those that cannot be are left out.
    fn keeps_attribute(&self, attribute: &mut Attribute) -> bool {
        if !matches!(&*attribute.name.local, "href" | "src") {
            return true;
        }
        match self.base.join(attribute.value.trim()) {
            Ok(url) if matches!(url.scheme(), "http" | "https" | "mailto") => {
                attribute.value = url.as_str().into();
                true
            }
            _ => false,
        }
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

#[cfg(test)]
mod tests;
