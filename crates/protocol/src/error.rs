//! Error codes of the protocol, in one place, each with its meaning and its remedy (CP-17).

use crate::content::error_source::SourceKind;

macro_rules! codes {
    ($(
        $Variant:ident $word:literal $status:literal $source:ident $recoverable:literal
        $meaning:literal
        $remedy:literal;
    )*) => {
        /// A code of the protocol.
        ///
        /// ```
        /// use contexture_protocol::ErrorCode;
        /// let code = ErrorCode::parse("VERSION_CONFLICT").unwrap();
        /// assert_eq!((code.http_status(), code.is_recoverable()), (409, true));
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ErrorCode {
            $(#[doc = $meaning] $Variant,)*
        }

        impl ErrorCode {
            /// All codes.
            pub const ALL: &'static [Self] = &[$(Self::$Variant),*];

            /// Returns the code on the wire.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$Variant => $word,)* }
            }

            /// Parses the name of a code.
            #[must_use]
            pub fn parse(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$Variant),)* _ => None }
            }

            /// Returns the meaning.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$Variant => $meaning,)* }
            }

            /// Returns the remedy: the default of `suggestedAction`.
            #[must_use]
            pub const fn remedy(self) -> &'static str {
                match self { $(Self::$Variant => $remedy,)* }
            }

            /// Reports whether the same request may succeed later, or after a look at the changes:
            /// the default of `recoverable`.
            #[must_use]
            pub const fn is_recoverable(self) -> bool {
                match self { $(Self::$Variant => $recoverable,)* }
            }

            /// Returns the side at fault: the default of `source`.
            #[must_use]
            pub const fn source(self) -> SourceKind {
                match self { $(Self::$Variant => SourceKind::$source,)* }
            }

            /// Returns the HTTP status of an answer that is this error alone (CP-6).
            #[must_use]
            pub const fn http_status(self) -> u16 {
                match self { $(Self::$Variant => $status,)* }
            }
        }
    };
}

codes! {
    ParseError "PARSE_ERROR" 400 Client false
        "The text is not JSON."
        "Send one JSON object, or an array of them, encoded in UTF-8.";
    ValidationFailed "VALIDATION_FAILED" 422 Client false
        "The message does not have the form of its type."
        "Fix each place listed in details.violations and send the message under a new messageId.";
    UnknownType "UNKNOWN_TYPE" 422 Client false
        "No handler takes messages of this type."
        "Send one of the types that the server lists under /v1/schemas.";
    UnsupportedVersion "UNSUPPORTED_VERSION" 400 Client false
        "The two sides speak different major versions of the protocol."
        "Use a client of the server's major version.";
    AuthFailed "AUTH_FAILED" 401 Client false
        "There is no token, or it is wrong, expired or revoked."
        "Send a valid token.";
    PermissionDenied "PERMISSION_DENIED" 403 Client false
        "The token or the user does not allow this."
        "Ask for the permission, or do without the action.";
    SenderForbidden "SENDER_FORBIDDEN" 403 Client false
        "The token does not grant this sender type, or the sender is named as another owner."
        "Send with a sender type that the token grants.";
    ContextNotFound "CONTEXT_NOT_FOUND" 404 Client false
        "There is no context with this id, or it belongs to someone else."
        "Check the contextId, or send a USER_INPUT without one to create a context.";
    VersionConflict "VERSION_CONFLICT" 409 Client true
        "The context has changed in the place that this update changes."
        "Read the conflicting changes, decide again, and send the update on the current version.";
    MessageIdConflict "MESSAGE_ID_CONFLICT" 409 Client false
        "A message with this id and other content was sent before."
        "Give every message an id of its own.";
    ExecutionFailed "EXECUTION_FAILED" 500 Tool false
        "A tool, an instruction or an agent failed."
        "Check the message and the details; fix the parameters or the data of the action.";
    UnknownAction "UNKNOWN_ACTION" 422 Client false
        "There is no tool or action with this name."
        "Use a registered name; names are case-sensitive.";
    Timeout "TIMEOUT" 504 Server true
        "It took longer than its timeout allows."
        "Try again, or allow more time.";
    DependencyFailed "DEPENDENCY_FAILED" 422 Server false
        "A dependency did not succeed."
        "Fix the failed dependency first.";
    ConditionFalse "CONDITION_FALSE" 422 Server false
        "The condition was not true."
        "Nothing, if this is intended; otherwise check the outcomes that the condition names.";
    SetTimeout "SET_TIMEOUT" 504 Server true
        "The timeout of the whole set passed before this was started."
        "Allow the set more time, or split it.";
    ReferenceMissing "REFERENCE_MISSING" 422 Client false
        "A path in a ${…} does not exist in the outcome that it names."
        "Check the path against the outcome.";
    Cycle "CYCLE" 422 Client false
        "The dependencies form a cycle."
        "Remove one of the listed dependencies.";
    DuplicateId "DUPLICATE_ID" 422 Client false
        "Two instructions or calls have the same id."
        "Give each an id of its own.";
    UnknownId "UNKNOWN_ID" 422 Client false
        "A reference names an unknown id."
        "Use an id of this set, or of one that ended earlier in the same context.";
    UndeclaredReference "UNDECLARED_REFERENCE" 422 Client false
        "A reference uses the outcome of something that is not a declared dependency."
        "Add the id to the dependencies.";
    CallEnded "CALL_ENDED" 409 Client false
        "The call has its answer already, was cancelled, or its time is over."
        "Nothing: the first answer counts.";
    ToolNameTaken "TOOL_NAME_TAKEN" 409 Client false
        "A tool of this name belongs to the server, to its settings, or to another client or service."
        "Register the tool under another name, or as the service that has it.";
    RunUnderWay "RUN_UNDER_WAY" 409 Client true
        "The run is under way, or waits for an answer."
        "Wait for its end, answer what it waits for, or cancel it.";
    ClientUnavailable "CLIENT_UNAVAILABLE" 503 Client true
        "No client or service that can run this tool is connected."
        "Connect one that announces or registers the tool, then try again.";
    Cancelled "CANCELLED" 409 Client true
        "It was cancelled."
        "Send it again under a new messageId if it is still wanted.";
    OutcomeUncertain "OUTCOME_UNCERTAIN" 503 Server true
        "It was interrupted, and it is unknown whether it took effect."
        "Check what it should have changed, then send it again under a new messageId.";
    RateLimited "RATE_LIMITED" 429 Client true
        "More messages were sent than the rate limit allows."
        "Wait a little and send less often.";
    TooLarge "TOO_LARGE" 413 Client false
        "A limit of size, depth or number is exceeded."
        "Send less at a time; the message names the limit.";
    Internal "INTERNAL" 500 System false
        "The server failed."
        "Report the traceId to the operator.";
}

impl std::fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
