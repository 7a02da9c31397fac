/** Ids of one's own: a prefix and a ULID, so that they sort by time and never meet twice. */
const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** A new id, such as `msg_01J…`. `crypto.randomUUID` would need a secure page; this does not. */
export function newId(prefix) {
    let time = Date.now();
    let stamp = "";
    for (let place = 0; place < 10; place += 1) {
        stamp = DIGITS.charAt(time % 32) + stamp;
        time = Math.floor(time / 32);
    }
    const random = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => DIGITS.charAt(byte % 32)).join("");
    return `${prefix}_${stamp}${random}`;
}
