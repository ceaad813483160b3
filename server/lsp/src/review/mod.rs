//! Review: each edit of the agent as hunks with a life of their own, decided one by one, applied for the text as it is.
//!
//! `hunk` is one of them, `whole` one that is about a whole file, both pure; `book` holds the undecided ones; `landing` brings an edit into its file; `decide`
//! carries out decisions; `publish` shows what waits; `news` keeps what the model must hear of it. `keep` keeps the book on disk, in the form
//! that is in `stored`, for the next server.

pub mod book;
pub mod decide;
pub mod hunk;
pub mod keep;
pub mod landing;
pub mod news;
pub mod publish;
pub mod restore;
pub mod stored;
pub mod whole;
