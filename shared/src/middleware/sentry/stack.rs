//! The stack of a failure.

use std::fmt;

use ::sentry::integrations::backtrace::backtrace_to_stacktrace;
use ::sentry::protocol::{Frame, Stacktrace};
use backtrace::Backtrace;

/// Where this crate was built: beside it lie the services.
const HERE: &str = env!("CARGO_MANIFEST_DIR");

/// The addresses of a stack, of which the names are looked up when they are
/// needed.
///
/// Not `std::backtrace`, which only gives text away: the SDK's parser loses each
/// function with a parenthesis in its name.
pub struct Stack(Backtrace);

impl Stack {
    /// The stack of the caller.
    #[must_use]
    #[inline(never)]
    pub fn here() -> Self {
        Self(Backtrace::new_unresolved())
    }

    /// Looks the names up, which takes a while.
    pub(super) fn resolved(&self) -> Option<Stacktrace> {
        let mut stack = self.0.clone();
        stack.resolve();
        let mut stack = backtrace_to_stacktrace(&stack)?;
        for frame in &mut stack.frames {
            frame.in_app = Some(is_ours(frame));
        }
        Some(stack)
    }
}

impl fmt::Debug for Stack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stack")
    }
}

/// Whether a function is the project's own. By its file: the name of one that was
/// inlined does not say its crate.
fn is_ours(frame: &Frame) -> bool {
    let root = HERE.strip_suffix("/shared").unwrap_or(HERE);
    let path = frame.abs_path.as_deref().unwrap_or_default();
    let path = path.strip_prefix(root).unwrap_or(path);
    let path = path.trim_start_matches(['.', '/']);
    path.starts_with("services/") || path.starts_with("shared/")
}
