//! The codes of `contexture serve`, `SRV1…`. A code is never given a new meaning.

use contexture::diagnostic::Codes;

contexture::diagnostic::codes! {
    NOT_SERVED "SRV1001" "program-not-served" Error
        "A program that is to be served can't be used."
        "`contexture serve` takes programs that `contexture check` accepts, with an agent that has a `main func`. Agents are chosen by name, so that no two may have the same."
    BAD_INTENT "SRV1002" "bad-intent" Error
        "An intent of the settings leads nowhere."
        "Each `[[serve.intents]]` has a name of its own, a rule (`contains` or `matches`) unless a `router` is named, and one of `agent` (one that is served), `template` and `instructions` (files of the project without faults)."
    BAD_DATA "SRV1003" "data-unusable" Error
        "The folder of contexts can't be used."
        "The message has the cause. `--data DIR` takes another folder; it is made when it is missing. A damaged file is left as it is."
    NOT_LOOPBACK "SRV1004" "address-not-loopback" Error
        "The address to listen on can be reached from other machines, and nothing guards it."
        "Make a token with `contexture token add`, and give a certificate with `--tls-cert` and `--tls-key`; or say `--allow-remote` when a TLS proxy stands before the server."
    CANNOT_LISTEN "SRV1005" "cannot-listen" Error
        "The server can't listen on the address."
        "Another program may hold the port; port 0 takes any free one, and the server says which."
    BAD_SETTING "SRV1006" "bad-setting" Error
        "A setting of the server can't be used."
        "The message names it, with what was expected."
    BAD_TOKENS "SRV1007" "tokens-unusable" Error
        "The tokens can't be read or changed as asked."
        "The message says why. `contexture token list` shows all tokens; they stand in `tokens.json` of the data folder, which is damaged when it can't be read."
    NO_TOKEN "SRV1008" "no-token" Error
        "Other machines reach the address, and there is no token that would let anybody in."
        "Make one with `contexture token add NAME`, for the same data folder; or say `--allow-no-token`, and make it while the server runs."
    BAD_CERTIFICATE "SRV1009" "certificate-unusable" Error
        "The certificate or its key can't be used."
        "`--tls-cert` takes a PEM file with the server's certificate first, `--tls-key` one with its private key, not encrypted. Both are given or none."
    DAMAGED "SRV1010" "data-damaged" Error
        "The data folder is damaged."
        "`contexture context verify` lists what is missing or changed, `contexture context salvage` writes what can be read into a new folder, `contexture context restore` takes a backup."
    LEASE_LOST "SRV1011" "lease-lost" Error
        "The server was away for longer than its lease on the database, and another one took over."
        "It writes nothing more and ends; start it again when the other one is gone. A machine that slept, a process that was stopped or a network that was cut for more than four seconds lets another server take over."
    TRANSPORT "SRV1012" "editor-connection" Error
        "The connection to an editor failed."
        "`contexture acp` is started by an editor, which talks to it over stdin and stdout; a stream of it broke."
}

/// All codes.
pub const ALL: Codes = Codes::new(&[TABLE]);
