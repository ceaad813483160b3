//! Landing several open documents at once, and taking back what has landed.

use super::{LandError, Lander, Landing, Target};
use crate::apply::together::{Done, Wanted};
use crate::client::Profile;
use mewcode_core::edit::{Edit, EditError};
use mewcode_core::text::Snapshot;
use mewcode_tools::port::Destination;
use mewcode_tools::result::ToolError;

/// An edit that is to land.
#[derive(Debug, Clone)]
pub struct Wish {
    /// The file.
    pub target: Target,
    /// The edit.
    pub edit: Edit,
    /// The text that the edit was made for.
    pub base: Snapshot,
}

/// Why not everything landed.
#[derive(Debug)]
pub struct Broken {
    /// What landed nevertheless, by its place in the list.
    pub landed: Vec<(usize, Landing)>,
    /// Which one it failed at, if at one of them.
    pub at: Option<usize>,
    /// Why.
    pub error: LandError,
}

impl Lander {
    /// Whether the client takes several open documents in one request, with these destinations.
    pub fn lands_together<'a>(
        &self,
        profile: &Profile,
        mut destinations: impl Iterator<Item = &'a Destination>,
    ) -> bool {
        profile.features.apply_edit
            && (profile.features.files || destinations.all(|it| *it == Destination::Same))
    }

    /// Applies edits of several open documents by one request. The caller holds the turn of each.
    ///
    /// # Errors
    /// See [`Broken`]; mostly nothing landed.
    pub async fn land_together(
        &self,
        profile: &Profile,
        wishes: &[Wish],
        label: &str,
    ) -> Result<Vec<Landing>, Broken> {
        let mut kept = Vec::with_capacity(wishes.len());
        for (at, wish) in wishes.iter().enumerate() {
            let prepared = self.prepare(&wish.target, &wish.base);
            kept.push(prepared.map_err(|error| Broken {
                landed: Vec::new(),
                at: Some(at),
                error,
            })?);
        }
        let wanted: Vec<_> = wishes
            .iter()
            .map(|wish| Wanted {
                path: &wish.target.path,
                edit: &wish.edit,
                base: &wish.base,
                destination: &wish.target.destination,
            })
            .collect();
        let sent = self.applier.together(profile, &wanted, label).await;
        let (done, broken) = match sent {
            Ok(done) => (done.into_iter().enumerate().collect(), None),
            Err(broken) => (broken.landed, Some((broken.at, broken.error))),
        };
        let mut landed = Vec::with_capacity(done.len());
        let mut fault = broken.map(|(at, error)| (at, LandError::from(error)));
        for (at, done) in done {
            let Wish { target, edit, .. } = &wishes[at];
            match done {
                Done::Shown(receipt) => {
                    landed.push((at, self.settle(profile, target, receipt).await));
                }
                Done::Removed(document) => {
                    match super::files::removed(target, edit, &document.snapshot) {
                        Ok(landing) => {
                            let kept = kept[at].take();
                            landed.push((at, Landing { kept, ..landing }));
                        }
                        Err(error) => fault = Some((Some(at), error)),
                    }
                }
            }
        }
        match fault {
            None => Ok(landed.into_iter().map(|(_, landing)| landing).collect()),
            Some((at, error)) => Err(Broken { landed, at, error }),
        }
    }

    /// Takes a landing back over whatever the user typed since. The caller holds the turns of its paths. Returns what
    /// is to be known of it.
    ///
    /// # Errors
    /// The user changed the same lines, or the way back is barred: everything stays as it is.
    pub async fn take_back(
        &self,
        profile: &Profile,
        landing: &Landing,
    ) -> Result<Vec<String>, LandError> {
        let target = Target {
            existed: true,
            final_newline: landing.base.text().final_newline(),
            ..landing.target.afterwards()
        };
        let destination = match &landing.target.destination {
            Destination::Same => Destination::Same,
            Destination::Removed => {
                self.restore(profile, &target, &landing.base, landing.kept.as_ref())
                    .await?;
                return Ok(Vec::new());
            }
            Destination::Moved { .. } => Destination::Moved {
                path: landing.target.path.clone(),
                display: landing.target.display.clone(),
            },
        };
        let internal = |error: EditError| ToolError::internal(error.to_string());
        let result = landing.edit.apply(&landing.base).map_err(internal)?;
        let inverse = landing.edit.invert(&landing.base).map_err(internal)?;
        let target = Target {
            destination,
            ..target
        };
        let label = format!("MewCode: take back the change of {}", target.display);
        let taken_back = self
            .land(profile, &target, &inverse, &result, &label)
            .await?;
        if !landing.target.existed {
            let removed = self.remove_if_empty(profile, &target).await;
            removed.map_err(|error| {
                ToolError::unavailable(format!(
                    "`{}` is empty again, but cannot be removed: {error}.",
                    target.display
                ))
            })?;
        }
        Ok(taken_back.notes)
    }
}
