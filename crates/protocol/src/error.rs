//! The error codes of the protocol, in one place, each with its meaning and its remedy (CP-17).

use crate::content::SourceKind;

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
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$Variant),*];

            /// The code on the wire.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$Variant => $word,)* }
            }

            /// The code of this name, if it is one of ours.
            #[must_use]
            pub fn parse(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$Variant),)* _ => None }
            }

            /// What it says.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$Variant => $meaning,)* }
            }

            /// What can be done about it: the default of `suggestedAction`.
            #[must_use]
            pub const fn remedy(self) -> &'static str {
                match self { $(Self::$Variant => $remedy,)* }
            }

            /// Whether the same wish may succeed later, or after a look at what has changed: the
            /// default of `recoverable`.
            #[must_use]
            pub const fn is_recoverable(self) -> bool {
                match self { $(Self::$Variant => $recoverable,)* }
            }

            /// Where the fault lies: the default of `source`.
            #[must_use]
            pub const fn source(self) -> SourceKind {
                match self { $(Self::$Variant => SourceKind::$source,)* }
            }

            /// The HTTP status of an answer that is this error alone (CP-6).
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
        "Put right each place named in details.violations and send it under a new messageId.";
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
        "The token does not grant this sender type."
        "Send with a sender type that the token grants.";
    ContextNotFound "CONTEXT_NOT_FOUND" 404 Client false
        "There is no context of this id, or it belongs to someone else."
        "Check the contextId, or send a USER_INPUT without one to begin a context.";
    VersionConflict "VERSION_CONFLICT" 409 Client true
        "The context has changed where this update would change it."
        "Read the conflicting changes, decide again, and send the update on the current version.";
    MessageIdConflict "MESSAGE_ID_CONFLICT" 409 Client false
        "A message of this id with other content was sent before."
        "Give every message an id of its own.";
    ExecutionFailed "EXECUTION_FAILED" 500 Tool false
        "A tool, an instruction or an agent failed."
        "Look at the message and the details; mend the parameters or what the action works on.";
    UnknownAction "UNKNOWN_ACTION" 422 Client false
        "There is no tool or action of this name."
        "Use a name that is registered; upper and lower case are not the same.";
    Timeout "TIMEOUT" 504 Server true
        "It took longer than its time-out allows."
        "Try again, or allow more time.";
    DependencyFailed "DEPENDENCY_FAILED" 422 Server false
        "Something that this depends on did not end well."
        "Mend what failed first.";
    ConditionFalse "CONDITION_FALSE" 422 Server false
        "The condition was not true."
        "Nothing, if that is meant; else look at the outcomes the condition names.";
    SetTimeout "SET_TIMEOUT" 504 Server true
        "The time-out of the whole set passed before this was started."
        "Allow the set more time, or split it.";
    ReferenceMissing "REFERENCE_MISSING" 422 Client false
        "A path of a ${…} is not there in the outcome it names."
        "Check the path against the outcome.";
    Cycle "CYCLE" 422 Client false
        "Dependencies go round in a circle."
        "Take one of the dependencies named away.";
    DuplicateId "DUPLICATE_ID" 422 Client false
        "Two instructions or calls have the same id."
        "Give each an id of its own.";
    UnknownId "UNKNOWN_ID" 422 Client false
        "An id is named that nothing has."
        "Name an id of this set, or of one that ended earlier in the same context.";
    UndeclaredReference "UNDECLARED_REFERENCE" 422 Client false
        "An outcome is used of something that is not a declared dependency."
        "Add the id to the dependencies.";
    ClientUnavailable "CLIENT_UNAVAILABLE" 503 Client true
        "No client that can run this front-end tool is connected."
        "Connect a client that announces the tool, then try again.";
    Cancelled "CANCELLED" 409 Client true
        "It was cancelled."
        "Send it again under a new messageId if it is still wanted.";
    OutcomeUncertain "OUTCOME_UNCERTAIN" 503 Server true
        "It was broken off, and whether it took effect is not known."
        "Look at what it should have changed, then send it again under a new messageId.";
    RateLimited "RATE_LIMITED" 429 Client true
        "More was sent than the rate allows."
        "Wait a little and send less often.";
    TooLarge "TOO_LARGE" 413 Client false
        "A limit of size, depth or number is exceeded."
        "Send less at a time; the message names the limit.";
    Internal "INTERNAL" 500 System false
        "The server failed."
        "Tell the operator the traceId.";
}

impl std::fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
