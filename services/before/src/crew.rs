//! What a thread is to those it works with.
//!
//! A handler puts its thread to sleep, for the database above all. While a
//! worker sleeps, another may take its place on the processor; and the doormen may
//! never wait for what others use up, so that they can always answer.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

/// The threads that serve together.
pub(crate) trait Crew: Send + Sync {
    /// The calling thread falls asleep: somebody else may go on.
    fn falls_asleep(&self);
    /// It is awake again.
    fn wakes(&self);
}

enum Role {
    /// Nobody's: a test's, or a background job's.
    None,
    Worker(Arc<dyn Crew>),
    Doorman,
}

thread_local! {
    static ROLE: RefCell<Role> = const { RefCell::new(Role::None) };
    static SLEEPS: Cell<bool> = const { Cell::new(false) };
}

/// Makes the calling thread a worker of a crew.
pub(crate) fn join(crew: Arc<dyn Crew>) {
    ROLE.set(Role::Worker(crew));
}

/// Makes the calling thread one that may not wait for what others use up.
pub(crate) fn stand_at_the_door() {
    ROLE.set(Role::Doorman);
}

/// Whether the calling thread may wait for what others use up.
pub(crate) fn may_wait() -> bool {
    ROLE.with_borrow(|role| !matches!(role, Role::Doorman))
}

/// Runs what may put the calling thread to sleep, and lets its crew know.
pub(crate) fn asleep<T>(run: impl FnOnce() -> T) -> T {
    ROLE.with_borrow(|role| match role {
        Role::Worker(crew) if !SLEEPS.replace(true) => {
            let _awake = Awake(crew);
            crew.falls_asleep();
            run()
        }
        _ => run(),
    })
}

/// Wakes also when what was run panics.
struct Awake<'a>(&'a Arc<dyn Crew>);

impl Drop for Awake<'_> {
    fn drop(&mut self) {
        SLEEPS.set(false);
        self.0.wakes();
    }
}
