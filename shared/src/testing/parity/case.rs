//! Cases as data.

use crate::testing::http::Request;

/// The cases of one subject, all run against one service.
pub struct Table {
    /// The name of the file of transcripts.
    pub name: &'static str,
    /// What the service finds when it is asked.
    pub world: World,
    /// The cases.
    pub cases: Vec<Case>,
}

/// What a service finds when it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum World {
    /// The seed data.
    Seeded,
    /// The seed data, and the routes for experiments are on.
    Experiments,
    /// A database without a schema.
    NoSchema,
    /// A schema that lacks the last migration.
    OldSchema,
    /// A schema with a migration that was edited after the service had started.
    EditedSchema,
    /// A database that went away.
    DatabaseGone,
    /// The seed data, and a request has little time.
    Impatient,
    /// The seed data, and the key [`KEY_IN_USE`] is taken while its order is not
    /// to be seen, as between two statements of somebody else.
    KeyInUse,
}

/// A key that somebody uses at this moment.
pub const KEY_IN_USE: &str = "in-use";

/// A request or a few that belong together, on one connection as long as the
/// service keeps it open.
pub struct Case {
    /// What is asked, as a sentence.
    pub name: String,
    /// Why the statuses are right.
    pub why: &'static str,
    /// The requests in their order.
    pub steps: Vec<Step>,
}

/// One request.
pub struct Step {
    /// What is sent. `{order}` in the target stands for the id of the order
    /// that an earlier step of the case has placed.
    pub request: Request,
    /// The right status.
    pub status: u16,
    /// Whether the HTTP engine answers, before the application sees a request:
    /// then there is no problem in the body, and no request id.
    pub by_engine: bool,
}

impl Case {
    /// A case of one request.
    pub fn new(name: impl Into<String>, why: &'static str, request: Request, status: u16) -> Self {
        Self {
            name: name.into(),
            why,
            steps: Vec::new(),
        }
        .then(request, status)
    }

    /// A case of one request that the HTTP engine refuses.
    pub fn refused(name: impl Into<String>, why: &'static str, request: Request) -> Self {
        let mut case = Self::new(name, why, request, 400);
        case.steps[0].by_engine = true;
        case
    }

    /// One more request.
    #[must_use]
    pub fn then(mut self, request: Request, status: u16) -> Self {
        self.steps.push(Step {
            request,
            status,
            by_engine: false,
        });
        self
    }
}

impl Table {
    /// A table on seed data.
    pub fn new(name: &'static str, cases: Vec<Case>) -> Self {
        Self {
            name,
            world: World::Seeded,
            cases,
        }
    }

    /// In another world.
    #[must_use]
    pub fn in_world(mut self, world: World) -> Self {
        self.world = world;
        self
    }
}
