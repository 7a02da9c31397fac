/** Places in UTF-8, as records have them, in a text of JavaScript, which counts UTF-16 units (IN-3). */
function units(text, index) {
    const code = text.charCodeAt(index);
    if (code < 0x80)
        return { bytes: 1, length: 1 };
    if (code < 0x800)
        return { bytes: 2, length: 1 };
    const pair = code >= 0xd800 && code < 0xdc00 && text.charCodeAt(index + 1) >= 0xdc00 && text.charCodeAt(index + 1) < 0xe000;
    return pair ? { bytes: 4, length: 2 } : { bytes: 3, length: 1 };
}
/** The indices of rising byte offsets. One within a character gives the character's beginning, one after the end gives the end. */
export function indices(text, offsets) {
    const found = [];
    let index = 0;
    let bytes = 0;
    for (const offset of offsets) {
        while (index < text.length) {
            const one = units(text, index);
            if (bytes + one.bytes > offset)
                break;
            bytes += one.bytes;
            index += one.length;
        }
        found.push(index);
    }
    return found;
}
/** The length of a text in UTF-8. */
export function byteLength(text) {
    let bytes = 0;
    for (let index = 0; index < text.length;) {
        const one = units(text, index);
        bytes += one.bytes;
        index += one.length;
    }
    return bytes;
}
