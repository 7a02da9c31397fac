//! `REF4…`: networks (REF-22, REF-23).

contexture_diagnostic::codes! {
    BAD_ADDRESS "REF4001" "bad-address" Error
        "The path of a reference is not an address of a server."
        "An address is `host/path` or `user:password@host:port/path`. In user and password `/` is written %2F, `@` %40, `:` %3A and `%` %25; an IPv6 address stands in brackets."
    ADDRESS_REFUSED "REF4002" "address-refused" Error
        "A host leads to an address that may not be reached."
        "Private, loopback, link-local and other addresses that are not public are refused, at first and after every redirect: what answers there trusts its callers for being inside. If it is meant, list the host, as `host` or `host:port`, in `network.allow_private` of contexture.toml."
    UNKNOWN_HOST "REF4003" "unknown-host" Error
        "The name of a host could not be resolved."
        "No name server knows the host, or none could be asked. See whether it is spelt right and whether there is a network."
    UNREACHABLE "REF4004" "unreachable" Error
        "A server could not be reached."
        "Nothing answers at the address, or its certificate is not valid. See whether the server runs and can be reached from here."
    NETWORK_TIMEOUT "REF4005" "network-timeout" Error
        "A server did not answer in time."
        "There are limits for connecting, for the next piece of an answer, and for the whole of a load. Try again later."
    BROKEN_OFF "REF4006" "broken-off" Error
        "An answer ended before it was complete."
        "The connection was closed or reset, or the server announced more than it sent. What came is not used; try again."
    LOGIN_REFUSED "REF4007" "login-refused" Error
        "A server does not let in who asks."
        "No credentials were given where some are needed, or the server refuses them. They stand in the address, `user:password@host`, are never shown, and are sent to that server alone; sftp and ssh also offer the keys of the user."
    NOT_THERE "REF4008" "not-on-server" Error
        "The server has nothing at the path."
        "See whether the path is spelt right. Over ftp it begins in the folder of the login (`//` or %2F begins at the root), over sftp and ssh at the root (`/~/` in the home folder). A `*` is an ordinary character on servers."
    NO_REMOTE_FILE "REF4009" "no-remote-file" Error
        "The path names a folder of the server, or something else that is not a file."
        "Name a file in it: folders on servers are not listed."
    NO_PERMISSION "REF4010" "no-remote-permission" Error
        "The server does not give the resource to who asks."
        "The login may not read it. Ask as somebody who may, or have it permitted."
    SERVER_FAULT "REF4011" "server-fault" Error
        "The server answers with an error."
        "The status is named. Statuses from 500 on are faults of the server: try again later."
    TOO_MANY_REDIRECTS "REF4012" "too-many-redirects" Error
        "A server redirects more often than is followed."
        "Redirects may form a loop. Ask for the address that they lead to."
    BAD_REDIRECT "REF4013" "bad-redirect" Error
        "A redirect leads where it must not."
        "A redirect from https to http would lose the protection of the address that was written, and one to another protocol, or to nowhere, is none. Ask for the address that it leads to, if it is meant."
    STRANGE_ANSWER "REF4014" "strange-answer" Error
        "An answer is not of the protocol."
        "Something else may answer at that address or port."
    COMPRESSED "REF4015" "compressed-answer" Error
        "A server compresses its answer although it was asked not to."
        "Answers are asked for as they are, so that their size is known while they are read. Save the resource, decompress it and refer to the file."
    NOT_JSON "REF4016" "answer-not-json" Error
        "An answer is not the JSON that `format=json` asks for."
        "Leave out `format=json` to see what the server sends, or ask for the address that gives JSON."
    NO_CLIENT "REF4017" "no-http-client" Error
        "No HTTP client could be made."
        "For https the certificates of the system are needed: see whether they are installed."
    UNKNOWN_HOST_KEY "REF4020" "unknown-host-key" Error
        "The key of an SSH server is not known."
        "Only servers whose key stands in ~/.ssh/known_hosts are asked. Get the key (`ssh-keyscan -p PORT HOST`), compare it with what the server's owner says, and add the line to that file."
    CHANGED_HOST_KEY "REF4021" "changed-host-key" Error
        "The key of an SSH server is not the one that is known, or is revoked."
        "Somebody else may answer in its place. If the server's owner confirms the change, remove the old line (`ssh-keygen -R HOST`) and add the new key."
    NO_KEY "REF4022" "no-ssh-key" Error
        "There is nothing to log in to an SSH server with."
        "Write a password in the address, or have an unencrypted key in ~/.ssh (id_ed25519, id_ecdsa, id_rsa); keys with a passphrase are offered by an agent alone."
}
