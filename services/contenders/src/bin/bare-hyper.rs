//! Bare hyper, and books through tokio-postgres and deadpool.

use std::convert::Infallible;

use bytes::Bytes;
use contenders::Failure;
use contenders::answer::{Answer, Target};
use contenders::pooled::Pool;
use contenders::settings::Settings;
use http::header::{CONTENT_TYPE, HeaderValue};
use http::{Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};

fn main() -> Result<(), Failure> {
    let settings = Settings::read()?;
    let pool = Pool::new(&settings)?;
    settings.runtime()?.block_on(async {
        let listener = TcpListener::bind(settings.listen).await?;
        loop {
            // Without a stream the client has left, or there are no file handles.
            if let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(connection(stream, pool.clone()));
            }
        }
    })
}

async fn connection(stream: TcpStream, pool: Pool) {
    let service = service_fn(|request| answer(request, &pool));
    if stream.set_nodelay(true).is_ok() {
        // An error is the client's: it has left, or sent no HTTP.
        let _ = http1::Builder::new()
            .serve_connection(TokioIo::new(stream), service)
            .await;
    }
}

async fn answer(
    request: Request<Incoming>,
    pool: &Pool,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let answer = match Target::of(request.uri().path()) {
        Target::Ping => Answer::PONG,
        Target::Book(market) => Answer::book(pool.book(market).await),
        Target::Nothing => Answer::NOT_FOUND,
    };
    let body = match answer.body {
        std::borrow::Cow::Borrowed(text) => Bytes::from_static(text),
        std::borrow::Cow::Owned(json) => json.into(),
    };
    let mut response = Response::new(Full::new(body));
    *response.status_mut() =
        StatusCode::from_u16(answer.status).expect("the answers' own statuses");
    let content_type = HeaderValue::from_static(answer.content_type);
    response.headers_mut().insert(CONTENT_TYPE, content_type);
    Ok(response)
}
