//! What answers a route. The types of a handler say which JSON the route takes and gives: the same types read the request,
//! write the answer and make the API description, so the three cannot part.

use crate::app::App;
use crate::domain::error::Result;
use crate::http::openapi::body_type::BodyType;
use crate::http::openapi::spec::{BodyFormat, BodySpec, ResponseSpec};
use crate::http::reply::Reply;
use crate::http::request::Request;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A body of JSON: read into a `T` before the handler runs, or written from one as the answer with status 200.
pub struct Json<T>(pub T);

/// An answer of JSON with status 201.
pub(crate) struct CreatedJson<T>(pub T);

/// An answer of JSON with status 202.
pub(crate) struct AcceptedJson<T>(pub T);

/// A function that answers a route behind a guard that proves an `A`. `M` tells apart what kinds of functions there are.
pub trait Handler<A, M>: Send + Sync + 'static {
    /// The body it takes.
    fn body() -> Option<BodySpec>;

    /// The answer it gives; `None` where the route says it, because it is no JSON or not always the same.
    fn response() -> Option<ResponseSpec>;

    /// # Errors
    /// Those of the handler, and 400 for a body that is not what it takes.
    fn call(&self, app: &App, access: A, request: &Request) -> Result<Reply>;
}

impl<A, R, F> Handler<A, ()> for F
where
    R: Response,
    F: Fn(&App, A, &Request) -> Result<R> + Send + Sync + 'static,
{
    fn body() -> Option<BodySpec> {
        None
    }

    fn response() -> Option<ResponseSpec> {
        R::spec()
    }

    fn call(&self, app: &App, access: A, request: &Request) -> Result<Reply> {
        self(app, access, request)?.into_reply()
    }
}

impl<A, B, R, F> Handler<A, (B,)> for F
where
    B: Body,
    R: Response,
    F: Fn(&App, A, &Request, B) -> Result<R> + Send + Sync + 'static,
{
    fn body() -> Option<BodySpec> {
        Some(B::spec())
    }

    fn response() -> Option<ResponseSpec> {
        R::spec()
    }

    fn call(&self, app: &App, access: A, request: &Request) -> Result<Reply> {
        self(app, access, request, B::read(request)?)?.into_reply()
    }
}

/// A body that a handler takes.
pub trait Body: Sized {
    fn spec() -> BodySpec;

    /// # Errors
    /// 400 with a sentence that names the field at fault.
    fn read(request: &Request) -> Result<Self>;
}

impl<T: DeserializeOwned + BodyType> Body for Json<T> {
    fn spec() -> BodySpec {
        BodySpec::of::<T>(BodyFormat::Json, true)
    }

    fn read(request: &Request) -> Result<Self> {
        request.json().map(Json)
    }
}

/// A body that may be left out altogether.
impl<T: DeserializeOwned + BodyType> Body for Option<Json<T>> {
    fn spec() -> BodySpec {
        BodySpec::of::<T>(BodyFormat::Json, false)
    }

    fn read(request: &Request) -> Result<Self> {
        if request.body().is_empty() { Ok(None) } else { Json::read(request).map(Some) }
    }
}

/// What a handler returns.
pub trait Response {
    fn spec() -> Option<ResponseSpec>;

    /// # Errors
    /// [`crate::domain::error::Error::Internal`] when the value cannot be written as JSON.
    fn into_reply(self) -> Result<Reply>;
}

impl Response for Reply {
    fn spec() -> Option<ResponseSpec> {
        None
    }

    fn into_reply(self) -> Result<Reply> {
        Ok(self)
    }
}

impl<T: Serialize + BodyType> Response for Json<T> {
    fn spec() -> Option<ResponseSpec> {
        Some(ResponseSpec::json::<T>(200))
    }

    fn into_reply(self) -> Result<Reply> {
        Reply::json(&self.0)
    }
}

impl<T: Serialize + BodyType> Response for CreatedJson<T> {
    fn spec() -> Option<ResponseSpec> {
        Some(ResponseSpec::json::<T>(201))
    }

    fn into_reply(self) -> Result<Reply> {
        Reply::json_created(&self.0)
    }
}

impl<T: Serialize + BodyType> Response for AcceptedJson<T> {
    fn spec() -> Option<ResponseSpec> {
        Some(ResponseSpec::json::<T>(202))
    }

    fn into_reply(self) -> Result<Reply> {
        Reply::json_accepted(&self.0)
    }
}
