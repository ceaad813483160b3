//! The artifacts of a session: whole outputs that a result shows only in part, as files of their own in the state
//! folder, bounded in age and size.
