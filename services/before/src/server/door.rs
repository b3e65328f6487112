//! The doormen: they answer those for whom the line is too long, and never wait
//! for what others use up.

use std::sync::PoisonError;
use std::thread;

use super::line::{Line, Place, Waiting};
use super::workers::{STACK, Workers};
use crate::crew;

/// How many answer at the door: two, since `/ready` asks the database.
const DOORMEN: usize = 2;

impl Workers {
    /// Starts the doormen, the first time that one is needed. False if there is
    /// none.
    pub(super) fn has_doorman(&self, line: &mut Line) -> bool {
        while line.doormen < DOORMEN {
            let Some(me) = self.me.upgrade() else {
                break;
            };
            let started = thread::Builder::new()
                .name("doorman".to_owned())
                .stack_size(STACK)
                .spawn(move || me.stand_at_the_door());
            match started {
                Ok(_) => line.doormen += 1,
                Err(_) => break,
            }
        }
        line.doormen > 0
    }

    /// Sends those to the door who have stood in line for too long.
    pub(super) fn hurry(&self) {
        let mut line = self.line();
        let is_late = |place: &Place| place.since.elapsed() > self.patience;
        let late = line.queue.iter().take_while(|place| is_late(place)).count();
        if late == 0 || !self.has_doorman(&mut line) {
            return;
        }
        // Those among them that only a worker can help stay where they are.
        let stays = line.queue.split_off(late);
        for place in std::mem::replace(&mut line.queue, stays).into_iter().rev() {
            if place.admitted.is_none() {
                line.queue.push_front(place);
            } else {
                line.door.push_front(place.waiting);
                self.door.notify_one();
            }
        }
    }

    /// What a doorman does.
    fn stand_at_the_door(&self) {
        crew::stand_at_the_door();
        while let Some(waiting) = self.next_at_the_door() {
            self.serve(waiting);
        }
    }

    fn next_at_the_door(&self) -> Option<Waiting> {
        let mut line = self.line();
        loop {
            if let Some(waiting) = line.door.pop_front() {
                return Some(waiting);
            }
            if line.closed {
                return None;
            }
            line = self.door.wait(line).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
