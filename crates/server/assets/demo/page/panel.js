import { byId, el, readable } from "./dom.js";
const STATES = {
    idle: "Not connected",
    connecting: "Connecting…",
    open: "Connected",
    waiting: "Connection lost, trying again…",
    closed: "Closed",
};
const PERMISSIONS = { granted: "allowed", denied: "not allowed", prompt: "asks first" };
/** Shows how the connection is and which tools there are. */
export function watch(client) {
    const pill = byId("connection", HTMLElement);
    const list = byId("tools", HTMLElement);
    const connection = (state) => {
        pill.dataset.state = state;
        pill.textContent = STATES[state];
    };
    const tools = () => {
        list.replaceChildren(...client.tools.map(({ toolId, name, description }) => {
            const permission = client.permission(toolId);
            return el("li", { title: description, "data-tool": toolId }, el("span", {}, name), el("span", { class: "permission", "data-permission": permission }, PERMISSIONS[permission]));
        }));
    };
    client.on("state", connection);
    client.on("tools", tools);
    connection(client.state);
    tools();
}
/** Shows a context's state as it changes. */
export function showState(subscription) {
    const pre = byId("state", HTMLElement);
    const version = byId("version", HTMLElement);
    const show = () => {
        const state = subscription?.state ?? {};
        pre.textContent = Object.keys(state).length === 0 ? "Nothing yet." : readable(state);
        version.textContent = subscription?.version ? `version ${subscription.version}` : "";
    };
    subscription?.on("change", show);
    subscription?.on("reset", show);
    show();
}
