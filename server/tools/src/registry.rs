//! The tools that there are, in the order of their registration. Readers take a snapshot and hold no lock.

use std::sync::{Arc, PoisonError, RwLock};

use crate::contract::Tool;
use crate::names;

/// The tools at one moment.
pub type Tools = Arc<Vec<Arc<dyn Tool>>>;

/// The tools, changeable at run time.
#[derive(Default)]
pub struct Registry {
    // Held only to clone or to swap the pointer.
    tools: RwLock<Tools>,
}

/// Why a tool is not taken in.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// Providers take no other names.
    #[error(
        "`{0}` cannot be the name of a tool: it must be 1 to 64 of the characters A-Z a-z 0-9 _ -"
    )]
    InvalidName(String),
}

/// What became of a registration.
#[derive(Debug, PartialEq, Eq)]
pub struct Registered {
    /// Whether it took the place of a tool of the same name.
    pub replaced: bool,
    /// Keywords of its schema that a provider may drop on the way to the model; to be logged.
    pub uncommon_keywords: Vec<String>,
}

impl Registry {
    /// Without any tool.
    pub fn new() -> Registry {
        Registry::default()
    }

    /// Adds a tool at the end, or in the place of the one of the same name.
    pub fn register(&self, tool: Arc<dyn Tool>) -> Result<Registered, RegistryError> {
        let contract = tool.contract();
        let name = contract.name.clone();
        if !is_valid_name(&name) {
            return Err(RegistryError::InvalidName(name));
        }
        let uncommon_keywords = contract.parameters.uncommon_keywords();
        let mut current = self.tools.write().unwrap_or_else(PoisonError::into_inner);
        let mut tools = Vec::clone(&current);
        let place = tools
            .iter()
            .position(|present| present.contract().name == name);
        match place {
            Some(index) => tools[index] = tool,
            None => tools.push(tool),
        }
        *current = Arc::new(tools);
        Ok(Registered {
            replaced: place.is_some(),
            uncommon_keywords,
        })
    }

    /// Takes a tool out; whether there was one.
    pub fn unregister(&self, name: &str) -> bool {
        let mut current = self.tools.write().unwrap_or_else(PoisonError::into_inner);
        let tools: Vec<_> = current
            .iter()
            .filter(|tool| tool.contract().name != name)
            .cloned()
            .collect();
        let found = tools.len() != current.len();
        *current = Arc::new(tools);
        found
    }

    /// The tools of this moment, in the order of their registration.
    pub fn snapshot(&self) -> Tools {
        Arc::clone(&self.tools.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The tool of exactly this name.
    pub fn get(&self, name: &str) -> Option<Arc<dyn Tool>> {
        self.snapshot()
            .iter()
            .find(|tool| tool.contract().name == name)
            .cloned()
    }

    /// Names of tools that a caller may have meant by a name that does not exist, closest first.
    pub fn close_names(&self, name: &str) -> Vec<String> {
        let tools = self.snapshot();
        let names = tools.iter().map(|tool| tool.contract().name.as_str());
        names::close(name, names)
            .into_iter()
            .map(str::to_owned)
            .collect()
    }
}

fn is_valid_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=64).contains(&name.len()) && name.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::FakeTool;

    fn names(tools: &Tools) -> Vec<String> {
        tools
            .iter()
            .map(|tool| tool.contract().name.clone())
            .collect()
    }

    #[test]
    fn order_is_that_of_registration_and_a_name_keeps_its_place() {
        let registry = Registry::new();
        for name in ["b", "a", "c"] {
            assert!(!registry.register(FakeTool::named(name)).unwrap().replaced);
        }
        let before = registry.snapshot();
        let again = FakeTool::named("a");
        assert!(registry.register(again.clone()).unwrap().replaced);
        assert_eq!(names(&registry.snapshot()), ["b", "a", "c"]);
        let tool = registry.get("a").unwrap();
        assert!(std::ptr::addr_eq(Arc::as_ptr(&tool), Arc::as_ptr(&again)));
        assert!(registry.unregister("b") && !registry.unregister("b"));
        assert_eq!(names(&registry.snapshot()), ["a", "c"]);
        assert_eq!(
            names(&before),
            ["b", "a", "c"],
            "a snapshot does not change"
        );
    }

    #[test]
    fn names_are_exact_and_close_ones_are_only_offered() {
        let registry = Registry::new();
        registry.register(FakeTool::named("read_file")).unwrap();
        assert!(registry.get("Read_file").is_none());
        assert_eq!(registry.close_names("ReadFile"), ["read_file"]);
    }

    #[test]
    fn a_name_that_no_provider_takes_is_refused() {
        let registry = Registry::new();
        for name in ["", "a b", "ä", &"x".repeat(65)] {
            let refused = registry.register(FakeTool::named(name));
            assert_eq!(refused, Err(RegistryError::InvalidName(name.to_owned())));
        }
        assert!(registry.register(FakeTool::named(&"x".repeat(64))).is_ok());
    }

    #[test]
    fn what_a_provider_may_drop_from_a_schema_is_told() {
        let tool = FakeTool::named("a").with_schema(json!({"type": "object", "oneOf": []}));
        assert_eq!(
            Registry::new().register(tool).unwrap().uncommon_keywords,
            ["/oneOf"]
        );
    }
}
