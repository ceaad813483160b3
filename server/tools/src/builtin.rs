//! The built-in tools, each in its own file. The one place that lists them.

use std::sync::Arc;

use crate::contract::Tool;
use crate::registry::Registry;

mod apply_patch;
mod ask_user;
mod asked;
mod bash;
mod command;
mod creation;
mod definition;
mod diagnostics;
mod edit_file;
mod find_symbol;
mod found;
mod frame;
mod glob;
mod grep;
mod hover;
mod locations;
mod meant;
mod nearest;
mod omission;
mod outline;
mod paged;
mod pointed;
mod printed;
mod process_input;
mod process_list;
mod process_output;
mod process_stop;
mod read_file;
mod references;
mod rename_symbol;
mod secrets;
mod update_plan;
mod web_fetch;
mod write_file;

/// A registry with every built-in tool that needs no editor.
pub fn registry() -> Registry {
    let tools: [Arc<dyn Tool>; 16] = [
        Arc::new(read_file::ReadFile::new()),
        Arc::new(edit_file::EditFile::new()),
        Arc::new(write_file::WriteFile::new()),
        Arc::new(apply_patch::ApplyPatch::new()),
        Arc::new(glob::Glob::new()),
        Arc::new(grep::Grep::new()),
        Arc::new(find_symbol::FindSymbol::new()),
        Arc::new(outline::OutlineTool::new()),
        Arc::new(bash::Bash::new()),
        Arc::new(process_output::ProcessOutput::new()),
        Arc::new(process_input::ProcessInput::new()),
        Arc::new(process_stop::ProcessStop::new()),
        Arc::new(process_list::ProcessList::new()),
        Arc::new(web_fetch::WebFetch::new()),
        Arc::new(update_plan::UpdatePlan::new()),
        Arc::new(ask_user::AskUser::new()),
    ];
    let registry = Registry::new();
    register(&registry, tools);
    registry
}

/// A registry with every built-in tool, those included that ask the user's own language servers: for an editor that puts
/// such questions to them.
pub fn registry_with_servers() -> Registry {
    let tools: [Arc<dyn Tool>; 5] = [
        Arc::new(diagnostics::Diagnostics::new()),
        Arc::new(definition::Definition::new()),
        Arc::new(references::References::new()),
        Arc::new(hover::Hover::new()),
        Arc::new(rename_symbol::RenameSymbol::new()),
    ];
    let registry = registry();
    register(&registry, tools);
    registry
}

fn register(registry: &Registry, tools: impl IntoIterator<Item = Arc<dyn Tool>>) {
    for tool in tools {
        // A built-in name that no provider takes is found by the contract tests.
        let _ = registry.register(tool);
    }
}

#[cfg(test)]
mod tests;
