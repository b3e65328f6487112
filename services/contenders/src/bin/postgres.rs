//! A thread for each connection, and books through postgres and r2d2.

use contenders::answer::Answer;
use contenders::kept::Pool;
use contenders::settings::Settings;
use contenders::{Failure, threads};

fn main() -> Result<(), Failure> {
    let settings = Settings::read()?;
    let pool = Pool::open(&settings)?;
    threads::serve(settings.listen, move |path| {
        Answer::get(path, |market| pool.book(market))
    })?;
    Ok(())
}
