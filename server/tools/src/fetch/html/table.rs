//! Tables of pages, which the converter fills up with blanks until every cell of a column is as wide as its widest: it
//! only gets those that this does not make too long. The others are text.

use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};

use htmd::Element;
use htmd::element_handler::{ElementHandler, HandlerResult, Handlers};
use markup5ever_rcdom::{Node, NodeData};

/// Converts tables as long as there are bytes left to fill them up with.
pub(super) struct Tables {
    left: AtomicUsize,
}

/// The widest cell and row of a table, and how many rows there are.
#[derive(Default)]
struct Size {
    rows: usize,
    columns: usize,
    /// In bytes, as far as the page shows it.
    widest: usize,
}

impl Tables {
    /// With so many bytes to fill tables up with, all of a page together.
    pub(super) fn within(bytes: usize) -> Tables {
        Tables {
            left: AtomicUsize::new(bytes),
        }
    }

    /// Whether the table fits; then there is less room for the next one.
    fn takes(&self, size: &Size) -> bool {
        let columns = size.columns.saturating_mul(size.widest.saturating_add(3));
        let bytes = size.rows.saturating_mul(columns);
        let take = |left: usize| left.checked_sub(bytes);
        let order = Ordering::Relaxed;
        self.left.fetch_update(order, order, take).is_ok()
    }
}

impl ElementHandler for Tables {
    fn handle(&self, handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
        if self.takes(&size(element.node)) {
            return handlers.fallback(element);
        }
        let content = handlers.walk_children(element.node).content;
        Some(format!("\n\n{}\n\n", content.trim_matches('\n')).into())
    }
}

/// Goes through the table without the stack.
fn size(table: &Rc<Node>) -> Size {
    let mut size = Size::default();
    let mut open: Vec<Rc<Node>> = table.children.borrow().iter().map(Rc::clone).collect();
    while let Some(node) = open.pop() {
        let NodeData::Element { name, .. } = &node.data else {
            continue;
        };
        match &*name.local {
            "tr" => {
                size.rows += 1;
                size.columns = size.columns.max(node.children.borrow().len());
            }
            "td" | "th" => size.widest = size.widest.max(bytes(&node)),
            _ => {}
        }
        open.extend(node.children.borrow().iter().map(Rc::clone));
    }
    size
}

/// How many bytes there are to be shown in a node.
fn bytes(node: &Rc<Node>) -> usize {
    let mut open = vec![Rc::clone(node)];
    let mut bytes = 0;
    while let Some(node) = open.pop() {
        bytes += match &node.data {
            NodeData::Text { contents } => contents.borrow().len(),
            NodeData::Element { attrs, .. } => {
                let attributes = attrs.borrow();
                // What stands around it in Markdown is a few characters.
                8 + attributes.iter().map(|it| it.value.len()).sum::<usize>()
            }
            _ => 0,
        };
        open.extend(node.children.borrow().iter().map(Rc::clone));
    }
    bytes
}
