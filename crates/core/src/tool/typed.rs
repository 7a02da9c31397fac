//! Tools made of typed functions.

use super::{Tool, ToolFailure, ToolMethod, ToolReply, ToolRequest};
use crate::policy::Demands;
use crate::provider::BoxFuture;
use crate::signature::Effect;
use contexture_context::Trust;
use schemars::{JsonSchema, schema_for};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::future::Future;
use std::sync::Arc;

type Function =
    dyn Fn(Map<String, Value>) -> BoxFuture<'static, Result<ToolReply, ToolFailure>> + Send + Sync;

/// A tool whose methods are asynchronous functions of this program (HO-2).
///
/// The parameters of a method are a type with [`serde::Deserialize`] and [`schemars::JsonSchema`];
/// its doc comments become the descriptions of its fields.
///
/// ```
/// use contexture_core::tool::{RustTool, Tool, ToolFailure};
/// use schemars::JsonSchema;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Query {
///     /// The name of the city.
///     city: String,
/// }
///
/// #[derive(Serialize)]
/// struct Weather {
///     celsius: f64,
/// }
///
/// let weather = RustTool::new("weather").fetches(
///     "now",
///     "Returns the temperature in a city.",
///     |query: Query| async move {
///         match query.city.as_str() {
///             "Oslo" => Ok(Weather { celsius: -3.5 }),
///             _ => Err(ToolFailure::new("city_unknown", "no station reports from this city")),
///         }
///     },
/// );
/// assert_eq!(weather.methods()[0].parameters["required"][0], "city");
/// ```
#[derive(Clone)]
pub struct RustTool {
    name: String,
    methods: Vec<(ToolMethod, Arc<Function>)>,
}

impl RustTool {
    /// Creates a tool without methods; programs import it as `rust://name`.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), methods: Vec::new() }
    }

    /// Adds a method that reads local data and changes nothing: a dry run calls it. Its results
    /// have [`Trust::Tool`].
    #[must_use]
    pub fn reads<P, R, F, Fut>(self, name: &str, description: &str, function: F) -> Self
    where
        P: DeserializeOwned + JsonSchema,
        R: Serialize,
        F: Fn(P) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, ToolFailure>> + Send + 'static,
    {
        self.method(name, description, (Effect::Read, Trust::Tool), function)
    }

    /// Adds a method that asks a server and changes nothing. Its results have [`Trust::Web`].
    #[must_use]
    pub fn fetches<P, R, F, Fut>(self, name: &str, description: &str, function: F) -> Self
    where
        P: DeserializeOwned + JsonSchema,
        R: Serialize,
        F: Fn(P) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, ToolFailure>> + Send + 'static,
    {
        self.method(name, description, (Effect::Fetch, Trust::Web), function)
    }

    /// Adds a method that changes something. Its results have [`Trust::Tool`].
    #[must_use]
    pub fn writes<P, R, F, Fut>(self, name: &str, description: &str, function: F) -> Self
    where
        P: DeserializeOwned + JsonSchema,
        R: Serialize,
        F: Fn(P) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, ToolFailure>> + Send + 'static,
    {
        self.method(name, description, (Effect::Write, Trust::Tool), function)
    }

    /// Adds a method with an effect and the trust of its results.
    #[must_use]
    pub fn method<P, R, F, Fut>(
        mut self,
        name: &str,
        description: &str,
        (effect, trust): (Effect, Trust),
        function: F,
    ) -> Self
    where
        P: DeserializeOwned + JsonSchema,
        R: Serialize,
        F: Fn(P) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, ToolFailure>> + Send + 'static,
    {
        let method = ToolMethod {
            name: name.to_owned(),
            description: description.to_owned(),
            effect,
            trust,
            parameters: schema_for!(P).to_value(),
            demands: Demands::new(),
            validates: None,
        };
        let function: Arc<Function> = Arc::new(move |arguments| {
            let parameters = serde_json::from_value::<P>(Value::Object(arguments));
            let running = parameters.map(&function);
            Box::pin(async move {
                let parameters = running.map_err(|error| bad_arguments(&error))?;
                let value = serde_json::to_value(parameters.await?);
                value.map(ToolReply::from).map_err(|error| bad_result(&error))
            })
        });
        self.methods.push((method, function));
        self
    }
}

impl RustTool {
    /// Says the lowest trust level of an argument of the method that was added last: with
    /// [`Trust::Web`] it takes any text, as the body of a mail does. Without it an argument of a
    /// method that changes something has to be the program's or the user's own.
    #[must_use]
    pub fn accepts(mut self, argument: &str, least: Trust) -> Self {
        if let Some((method, _)) = self.methods.last_mut() {
            method.demands.insert(argument.to_owned(), least);
        }
        self
    }

    /// Says that the method that was added last validates its argument: it fails, or returns what the
    /// application vouches for, such as the id of a known order. Programs, plans and flows may then
    /// let its result decide, and the record names the reason.
    #[must_use]
    pub fn validates(mut self, reason: impl Into<String>) -> Self {
        if let Some((method, _)) = self.methods.last_mut() {
            method.validates = Some(reason.into());
        }
        self
    }
}

fn bad_arguments(error: &serde_json::Error) -> ToolFailure {
    ToolFailure::new("bad_argument", format!("the arguments do not fit: {error}"))
}

fn bad_result(error: &serde_json::Error) -> ToolFailure {
    ToolFailure::new("bad_result", format!("the result cannot be written as JSON: {error}"))
        .with_help("return a type that serialises to JSON: keys of maps must be strings")
}

impl Tool for RustTool {
    fn name(&self) -> &str {
        &self.name
    }

    fn methods(&self) -> Vec<ToolMethod> {
        self.methods.iter().map(|(method, _)| method.clone()).collect()
    }

    fn call<'a>(&'a self, call: ToolRequest<'a>) -> BoxFuture<'a, Result<ToolReply, ToolFailure>> {
        let found = self.methods.iter().find(|(method, _)| method.name == call.method);
        match found {
            Some((_, function)) => function(call.arguments.clone()),
            None => {
                let message = format!("`{}` has no method `{}`", self.name, call.method);
                Box::pin(async move { Err(ToolFailure::new("method_unknown", message)) })
            }
        }
    }
}
