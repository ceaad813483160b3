//! Files and folders of MewCode's own that no other user of the machine reads. Knows nothing of what is in them.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io;
use std::path::Path;

/// Makes a folder that only its owner enters, with those above it. One that is there stays as it is.
///
/// # Errors
///
/// The system does not let it be made.
pub fn make_folders(folder: &Path) -> io::Result<()> {
    builder().recursive(true).create(folder)
}

/// Makes a folder that only its owner enters.
///
/// # Errors
///
/// Something is there already, or the system does not let it be made.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    builder().create(folder)
}

/// Makes a folder that only its owner enters, with those above it. One that is there is closed to others; a link that
/// somebody put in its place is not followed.
///
/// # Errors
///
/// The system does not let it be made or closed, or it is no folder.
pub fn claim_folder(folder: &Path) -> io::Result<()> {
    make_folders(folder)?;
    let metadata = fs::symlink_metadata(folder)?;
    if !metadata.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        if metadata.permissions().mode() & 0o077 != 0 {
            fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
        }
    }
    Ok(())
}

/// How to open a file that only its owner reads once it is made so.
pub fn options() -> OpenOptions {
    #[allow(unused_mut, reason = "modes are a thing of Unix")]
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn builder() -> DirBuilder {
    #[allow(unused_mut, reason = "modes are a thing of Unix")]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn nobody_else_enters_or_reads() {
        let folder = tempfile::tempdir().unwrap();
        let (outer, inner) = (folder.path().join("a"), folder.path().join("a/b"));
        make_folders(&inner).unwrap();
        make_folders(&inner).unwrap();
        make_folder(&inner.join("c")).unwrap();
        assert!(make_folder(&inner).is_err());
        let file = inner.join("file");
        options().write(true).create_new(true).open(&file).unwrap();
        assert_eq!(
            [mode(&outer), mode(&inner), mode(&file)],
            [0o700, 0o700, 0o600]
        );
    }

    #[test]
    fn what_is_claimed_is_closed_and_is_no_link() {
        let folder = tempfile::tempdir().unwrap();
        let (open, link) = (folder.path().join("open"), folder.path().join("link"));
        fs::create_dir(&open).unwrap();
        fs::set_permissions(&open, fs::Permissions::from_mode(0o755)).unwrap();
        symlink(&open, &link).unwrap();
        assert!(claim_folder(&link).is_err());
        assert_eq!(mode(&open), 0o755);
        claim_folder(&open).unwrap();
        assert_eq!(mode(&open), 0o700);
    }
}
