/** The token of this reader, for servers that ask for one. It is kept in this tab until that is closed (IN-1). */
const KEPT = "contexture.token";
let token = "";
export function keptToken() {
    try {
        return sessionStorage.getItem(KEPT) ?? token;
    }
    catch {
        return token;
    }
}
export function keepToken(given) {
    token = given;
    try {
        sessionStorage.setItem(KEPT, given);
    }
    catch {
        // It then holds until the page is left.
    }
}
