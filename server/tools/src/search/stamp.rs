//! By what a file or a folder is known to be the one that was looked at, unchanged. Knows nothing of what is in it.

use std::fs::Metadata;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A change this soon before a look may be followed by another one under the same time: clocks of file systems tick
/// every few milliseconds.
const FINE_TICK: Duration = Duration::from_millis(100);

/// The same where times are whole seconds.
const COARSE_TICK: Duration = Duration::from_secs(2);

/// Seconds and nanoseconds since 1970.
type Time = (i64, i64);

/// What the file system says of an entry, taken before its content was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: Time,
    changed: Time,
}

impl Stamp {
    #[cfg(unix)]
    pub(crate) fn of(metadata: &Metadata) -> Stamp {
        use std::os::unix::fs::MetadataExt;
        Stamp {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    #[cfg(not(unix))]
    pub(crate) fn of(metadata: &Metadata) -> Stamp {
        let since = |time: std::io::Result<SystemTime>| {
            let since = time
                .ok()
                .and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            since.map_or((0, 0), |since| {
                (since.as_secs() as i64, i64::from(since.subsec_nanos()))
            })
        };
        Stamp {
            device: 0,
            inode: 0,
            size: metadata.len(),
            modified: since(metadata.modified()),
            changed: since(metadata.created()),
        }
    }

    /// The same of what a file system call says; none: it is no ordinary file.
    #[cfg(unix)]
    #[allow(
        clippy::unnecessary_cast,
        clippy::useless_conversion,
        reason = "the types differ from system to system"
    )]
    pub(crate) fn of_file(stat: &rustix::fs::Stat) -> Option<Stamp> {
        use rustix::fs::FileType;
        (FileType::from_raw_mode(stat.st_mode as _) == FileType::RegularFile).then_some(Stamp {
            device: stat.st_dev as u64,
            inode: stat.st_ino as u64,
            size: stat.st_size as u64,
            modified: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            changed: (stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        })
    }

    /// Bytes.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Whether a later change cannot leave this very stamp, for a look that began at `now`: the last change is so long
    /// ago that the clock of the file system has ticked since.
    pub(crate) fn is_settled(&self, now: SystemTime) -> bool {
        let coarse = self.modified.1 == 0 && self.changed.1 == 0;
        let tick = if coarse { COARSE_TICK } else { FINE_TICK };
        let (seconds, nanoseconds) = self.modified.max(self.changed);
        // Before 1970 is long ago, and a change in the future is never settled.
        let last = UNIX_EPOCH
            + Duration::new(
                seconds.max(0) as u64,
                nanoseconds.clamp(0, 999_999_999) as u32,
            );
        now.duration_since(last).is_ok_and(|since| since >= tick)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_just_now_is_not_settled_and_an_old_one_is() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let stamp = Stamp::of(&file.as_file().metadata().unwrap());
        let now = SystemTime::now();
        assert!(!stamp.is_settled(now));
        assert!(
            !stamp.is_settled(now - Duration::from_secs(60)),
            "in the future"
        );
        assert!(stamp.is_settled(now + Duration::from_secs(1)));
    }

    #[test]
    fn whole_seconds_settle_later() {
        let stamp = |nanoseconds| Stamp {
            device: 1,
            inode: 1,
            size: 0,
            modified: (1000, nanoseconds),
            changed: (1000, nanoseconds),
        };
        let at = |milliseconds| UNIX_EPOCH + Duration::from_millis(milliseconds);
        assert!(!stamp(0).is_settled(at(1_001_500)));
        assert!(stamp(0).is_settled(at(1_002_000)));
        assert!(stamp(1).is_settled(at(1_001_500)));
    }
}
