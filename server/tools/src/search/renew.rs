//! Brings a list up to date: each known folder and each file of rules is looked at, and what differs is read again. So
//! a file made a moment ago is in the list without anybody having told of it.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use super::in_parts;
use super::rules::{RuleFile, Rules};
use super::stamp::Stamp;
use super::tree::{Folder, Tree, os_name};
use super::walk::{Cancelled, Walk, drop_entries, gone};

/// Known folders that are looked at between two looks at whether to go on.
const FOLDERS_PER_LOOK: usize = 128;

impl Walk<'_> {
    /// The list as it is now; none: it is as it was.
    pub(super) fn renewed(&self, tree: &Tree, root: &Path) -> Result<Option<Tree>, Cancelled> {
        if !tree.above_files.iter().all(RuleFile::is_unchanged) {
            return self.tree(&tree.start().path, root).map(Some);
        }
        let changed = self.changed(tree)?;
        if changed.is_empty() {
            return Ok(None);
        }
        let above = tree.above.clone();
        let start = self.renew(tree, 0, &changed, above.as_ref())?;
        let start = start.unwrap_or_else(|| gone(&tree.start().path));
        let faults = tree.above_faults.clone();
        Ok(Some(Tree::new(
            start,
            above,
            tree.above_files.clone(),
            faults,
        )))
    }

    /// The indices of the folders that are not surely as they were, in order.
    fn changed(&self, tree: &Tree) -> Result<Vec<usize>, Cancelled> {
        let changed = in_parts(
            tree.places.len(),
            FOLDERS_PER_LOOK,
            self.threads,
            self.cancel,
            |range| {
                let differs = range.filter(|index| {
                    let folder = &tree.places[*index].folder;
                    !(folder.settled
                        && fs::symlink_metadata(&folder.path)
                            .is_ok_and(|metadata| Stamp::of(&metadata) == folder.stamp)
                        && folder.rule_files.iter().all(RuleFile::is_unchanged))
                });
                differs.collect::<Vec<usize>>()
            },
        );
        Ok(changed.map_err(|_| Cancelled)?.concat())
    }

    /// A folder as it is now; none: it is not there any more.
    fn renew(
        &self,
        tree: &Tree,
        index: usize,
        changed: &[usize],
        above: Option<&Arc<Rules>>,
    ) -> Result<Option<Arc<Folder>>, Cancelled> {
        let place = &tree.places[index];
        let old = &place.folder;
        let end = index + place.size as usize;
        let first = changed.partition_point(|changed| *changed < index);
        let met = &changed[first..];
        if met.first().is_none_or(|changed| *changed >= end) {
            return Ok(Some(Arc::clone(old)));
        }
        let mut folder = if met[0] == index {
            let Some(mut folder) = self.scan(&old.path, above)? else {
                return Ok(None);
            };
            let same_rules = folder.rules.is_none()
                || old.present == folder.present
                    && old.rule_files.iter().all(RuleFile::is_unchanged);
            if !same_rules {
                // What is below was judged by other rules.
                return self.folder(old.path.clone(), above.cloned());
            }
            folder.rules = old.rules.clone();
            folder
        } else {
            Folder {
                path: old.path.clone(),
                rules: old.rules.clone(),
                rule_files: old.rule_files.clone(),
                names: old.names.clone(),
                entries: old.entries.clone(),
                children: Vec::new(),
                faults: old.faults.clone(),
                ..**old
            }
        };
        let mut old_children = HashMap::with_capacity(old.children.len());
        let mut child = index + 1;
        for entry in old.entries.iter().filter(|entry| entry.is_folder) {
            old_children.insert(old.name(*entry), child);
            child += tree.places[child].size as usize;
        }
        let mut gone = Vec::new();
        for (number, entry) in folder
            .entries
            .iter()
            .enumerate()
            .filter(|(_, it)| it.is_folder)
        {
            let name = folder.name(*entry);
            let renewed = match old_children.get(name) {
                Some(child) => self.renew(tree, *child, changed, folder.rules.as_ref())?,
                None => self.folder(folder.path.join(os_name(name)), folder.rules.clone())?,
            };
            match renewed {
                Some(child) => folder.children.push(child),
                None => gone.push(number),
            }
        }
        drop_entries(&mut folder, &gone);
        folder.children.shrink_to_fit();
        Ok(Some(Arc::new(folder)))
    }
}
