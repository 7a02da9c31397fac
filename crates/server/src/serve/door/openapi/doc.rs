//! The documentation of an operation.

use serde_json::{Map, Value, json};

/// One operation, in words and shapes.
pub(in crate::serve::door) struct Doc {
    id: &'static str,
    pub(super) tag: &'static str,
    summary: &'static str,
    description: Option<&'static str>,
    parameters: Vec<Value>,
    body: Option<Body>,
    answers: Vec<Answer>,
    is_open: bool,
}

/// The form of a body.
#[derive(Clone, Copy)]
pub(in crate::serve::door) enum Shape {
    /// A message, or an array of them.
    MessageOrMessages,
    /// A schema of the document.
    Own(&'static str),
    /// Accepts any object.
    Object,
    /// A text.
    Text,
}

/// The request body.
pub(in crate::serve::door) struct Body {
    kinds: Vec<(&'static str, Shape)>,
    is_needed: bool,
}

/// One of the answers.
pub(in crate::serve::door) struct Answer {
    status: u16,
    what: &'static str,
    body: Option<(&'static str, Shape)>,
}

impl Doc {
    pub(in crate::serve::door) fn new(
        id: &'static str,
        tag: &'static str,
        summary: &'static str,
    ) -> Self {
        Self {
            id,
            tag,
            summary,
            description: None,
            parameters: Vec::new(),
            body: None,
            answers: Vec::new(),
            is_open: false,
        }
    }

    /// Adds a description.
    pub(in crate::serve::door) fn more(self, description: &'static str) -> Self {
        Self { description: Some(description), ..self }
    }

    /// Nobody is asked for a token.
    pub(in crate::serve::door) fn open(self) -> Self {
        Self { is_open: true, ..self }
    }

    pub(in crate::serve::door) fn path(self, name: &str, what: &str) -> Self {
        self.parameter("path", name, what, "string")
    }

    pub(in crate::serve::door) fn query(self, name: &str, what: &str, kind: &str) -> Self {
        self.parameter("query", name, what, kind)
    }

    pub(in crate::serve::door) fn header(self, name: &str, what: &str) -> Self {
        self.parameter("header", name, what, "string")
    }

    fn parameter(mut self, place: &str, name: &str, what: &str, kind: &str) -> Self {
        let mut schema = json!({ "type": kind });
        if let (Value::Object(schema), "integer") = (&mut schema, kind) {
            schema.insert("minimum".to_owned(), 0.into());
        }
        self.parameters.push(json!({
            "name": name,
            "in": place,
            "required": place == "path",
            "description": what,
            "schema": schema,
        }));
        self
    }

    pub(in crate::serve::door) fn takes(self, body: Body) -> Self {
        Self { body: Some(body), ..self }
    }

    pub(in crate::serve::door) fn gives(mut self, answer: Answer) -> Self {
        self.answers.push(answer);
        self
    }

    /// As the document has it.
    pub(super) fn to_value(&self) -> Value {
        let mut value = json!({
            "operationId": self.id,
            "tags": [self.tag],
            "summary": self.summary,
            "parameters": self.parameters,
            "responses": self.responses(),
        });
        if let Value::Object(fields) = &mut value {
            if let Some(description) = self.description {
                fields.insert("description".to_owned(), description.into());
            }
            if let Some(body) = &self.body {
                let content = content(body.kinds.iter().copied());
                let body = json!({ "required": body.is_needed, "content": content });
                fields.insert("requestBody".to_owned(), body);
            }
            if self.is_open {
                fields.insert("security".to_owned(), json!([]));
            }
        }
        value
    }

    fn responses(&self) -> Value {
        let mut responses = Map::new();
        for answer in &self.answers {
            let kinds = || self.answers.iter().filter(|other| other.status == answer.status);
            let what: Vec<&str> = kinds().map(|other| other.what).collect();
            let mut value = json!({ "description": what.join(" ") });
            let content = content(kinds().filter_map(|other| other.body));
            if let (Value::Object(value), false) = (&mut value, content.is_empty()) {
                value.insert("content".to_owned(), Value::Object(content));
            }
            responses.insert(answer.status.to_string(), value);
        }
        responses.insert("default".to_owned(), json!({ "$ref": "#/components/responses/Refused" }));
        Value::Object(responses)
    }
}

fn content(kinds: impl Iterator<Item = (&'static str, Shape)>) -> Map<String, Value> {
    kinds.map(|(kind, shape)| (kind.to_owned(), json!({ "schema": shape.to_value() }))).collect()
}

impl Shape {
    fn to_value(self) -> Value {
        let own = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
        match self {
            Self::MessageOrMessages => {
                json!({ "anyOf": [own("Message"), { "type": "array", "items": own("Message") }] })
            }
            Self::Own(name) => own(name),
            Self::Object => json!({ "type": "object" }),
            Self::Text => json!({ "type": "string" }),
        }
    }
}

impl Body {
    pub(in crate::serve::door) fn of(kind: &'static str, shape: Shape) -> Self {
        Self { kinds: vec![(kind, shape)], is_needed: true }
    }

    pub(in crate::serve::door) fn json(shape: Shape) -> Self {
        Self::of("application/json", shape)
    }

    /// Another kind is taken as well.
    pub(in crate::serve::door) fn or(mut self, kind: &'static str, shape: Shape) -> Self {
        self.kinds.push((kind, shape));
        self
    }

    /// It may be left out.
    pub(in crate::serve::door) fn optional(self) -> Self {
        Self { is_needed: false, ..self }
    }
}

impl Answer {
    pub(in crate::serve::door) fn new(
        status: u16,
        what: &'static str,
        kind: &'static str,
        shape: Shape,
    ) -> Self {
        Self { status, what, body: Some((kind, shape)) }
    }

    pub(in crate::serve::door) fn json(status: u16, what: &'static str, shape: Shape) -> Self {
        Self::new(status, what, "application/json", shape)
    }

    pub(in crate::serve::door) fn empty(status: u16, what: &'static str) -> Self {
        Self { status, what, body: None }
    }
}
