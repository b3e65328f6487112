//! rouille with a pool of threads, and books through postgres and r2d2.

use contenders::Failure;
use contenders::answer::Answer;
use contenders::kept::Pool;
use contenders::settings::Settings;
use rouille::{Response, ResponseBody, Server};

fn main() -> Result<(), Failure> {
    let settings = Settings::read()?;
    let pool = Pool::open(&settings)?;
    let server = Server::new(settings.listen, move |request| {
        let answer = Answer::get(request.raw_url(), |market| pool.book(market));
        Response {
            status_code: answer.status,
            headers: vec![("Content-Type".into(), answer.content_type.into())],
            data: ResponseBody::from_data(answer.body),
            upgrade: None,
        }
    })?;
    server.pool_size(settings.workers).run();
    Ok(())
}
