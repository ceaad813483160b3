//! Review: each edit of the agent as hunks with a life of their own, decided one by one, applied for the text as it is.
//!
//! `hunk` is one of them, `whole` one that is about a whole file, both pure; `book` holds the undecided ones; `landing` brings an edit into its file; `decide`
//! carries out decisions; `publish` shows what waits; `news` keeps what the model must hear of it.

pub mod book;
pub mod decide;
pub mod hunk;
pub mod landing;
pub mod news;
pub mod publish;
pub mod whole;
