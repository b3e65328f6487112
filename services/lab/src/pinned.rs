//! Programs on processors of their own, which end with the lab.

use std::path::Path;
use std::process::Command;

use crate::cores;

/// A command that runs a program on some processors, anywhere if there are none,
/// and that is killed when the thread that started it ends (`PR_SET_PDEATHSIG`),
/// so that a killed lab leaves nobody behind.
///
/// `setpriv` and `taskset`, of Debian's util-linux, become the program, with the
/// same process id: no thread of it can be older than what they set.
pub(crate) fn command(program: &Path, on: &[usize]) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "--"]);
    if !on.is_empty() {
        command.args(["taskset", "-c", &cores::list(on)]);
    }
    command.arg(program);
    command
}
