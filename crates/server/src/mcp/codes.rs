//! The codes of the MCP server, `MCP11…`. A code is never given a new meaning.

pub use contexture::diagnostic::{Code, Codes};

contexture::diagnostic::codes! {
    BAD_ARGUMENTS "MCP1101" "bad-arguments" Error
        "The arguments of a tool call do not fit the tool's input schema."
        "The message names each argument with what was expected and what came. Arguments that the schema does not name are refused, too: a misspelt one would be passed over otherwise."
    NOT_SERVED "MCP1102" "program-not-served" Warning
        "A program of the folder is not offered as a tool."
        "A program is offered when `contexture check` accepts it and it has a `main agent`, or a `main func` at the top. The others are left out, and the message says why."
    NO_TOKEN "MCP1103" "no-token" Error
        "The server does not listen on HTTP without a bearer token."
        "Give one in the environment variable CONTEXTURE_MCP_TOKEN or in a file with `--token-file FILE`; every request has to carry it as `Authorization: Bearer TOKEN`."
    BAD_TOKEN "MCP1104" "bad-token" Error
        "The bearer token can't be used."
        "A token is one line of visible ASCII characters, as it has to stand in a header. `openssl rand -hex 32` makes a good one."
    NOT_LOOPBACK "MCP1105" "address-not-loopback" Error
        "The address to listen on can be reached from other machines."
        "The server speaks plain HTTP, so that a token sent to it over a network can be read on the way. Listen on 127.0.0.1 or [::1], with a TLS proxy before it where others have to reach it; or say `--allow-remote` and name the hosts that clients use with `--allow-host`."
    CANNOT_LISTEN "MCP1106" "cannot-listen" Error
        "The server can't listen on the address."
        "Another program may hold the port; port 0 takes any free one, and the server says which."
    NO_PROGRAMS "MCP1107" "no-program-folder" Error
        "The folder of programs can't be read."
        "`--programs` names a folder that exists and lies in the workspace."
    UNKNOWN_RESOURCE "MCP1108" "unknown-resource" Error
        "No resource of the server has this URI."
        "`knowledge://NAME` is the guide of a pack, `knowledge://NAME/PATH` a file in it; `resources/list` has the packs."
    BAD_OFFER "MCP1109" "bad-offer" Error
        "The value of `--offer` is not a reference."
        "An offer is a reference that load_resource may load, or a pattern of such: `--offer '@https://docs.example.com/**'`."
    TRANSPORT "MCP1110" "transport-failed" Error
        "The connection to the client failed."
        "The message has the cause. Over stdio the first message has to be `initialize`, and nothing but messages may be written to the server."
    CANCELLED "MCP1111" "call-cancelled" Error
        "The call was cancelled before it ended."
        "The client sent `notifications/cancelled`, or the server is shutting down."
    NOT_FOR_READING "MCP1112" "not-for-reading" Error
        "A file of a pack is there to find others, not to be read."
        "Indexes name candidates and are not content; read the file that they point to."
    REFUSED_NOW "MCP1113" "program-refused-now" Error
        "A program that was offered when the server started is refused now."
        "The file was changed meanwhile; the message has what is wrong with it, as `contexture check` tells it."
    BROKEN_OFF "MCP1114" "call-broken-off" Error
        "A call failed inside the server."
        "This is a fault of contexture, not of the caller; the message has its cause. The server serves on."
    PROMPT_NOT_SERVED "MCP1115" "prompt-not-served" Warning
        "A template of the folder is not offered as a prompt."
        "A template is offered when `contexture prompt check` accepts it, its partials lie beside it, and no other one has its name. The others are left out, and the message says why."
    NO_PROMPTS "MCP1116" "no-prompt-folder" Error
        "The folder of prompt templates can't be read."
        "`--prompts` names a folder that exists and lies in the workspace."
}

/// All codes.
pub const ALL: Codes = Codes::new(&[TABLE]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kn_16_codes_are_unique_ordered_and_explained() {
        assert_eq!(ALL.faults(), [""; 0]);
        assert_eq!(ALL.find("MCP1103").map(|code| code.name), Some("no-token"));
    }
}
