/** The side of the page: the tools with their permissions, and the conversation's state. */
import type { ContextureClient } from "../client.js";
import type { ConnectionState } from "../session.js";
import type { Subscription } from "../subscription.js";
import { byId, el, readable } from "./dom.js";

const STATES: Record<ConnectionState, string> = {
  idle: "Not connected",
  connecting: "Connecting…",
  open: "Connected",
  waiting: "Connection lost, trying again…",
  closed: "Closed",
};
const PERMISSIONS = { granted: "allowed", denied: "not allowed", prompt: "asks first" };

/** Shows how the connection is and which tools there are. */
export function watch(client: ContextureClient): void {
  const pill = byId("connection", HTMLElement);
  const list = byId("tools", HTMLElement);
  const connection = (state: ConnectionState): void => {
    pill.dataset.state = state;
    pill.textContent = STATES[state];
  };
  const tools = (): void => {
    list.replaceChildren(
      ...client.tools.map(({ toolId, name, description }) => {
        const permission = client.permission(toolId);
        return el("li", { title: description, "data-tool": toolId }, el("span", {}, name), el("span", { class: "permission", "data-permission": permission }, PERMISSIONS[permission]));
      }),
    );
  };
  client.on("state", connection);
  client.on("tools", tools);
  connection(client.state);
  tools();
}

/** Shows a context's state as it changes. */
export function showState(subscription: Subscription | undefined): void {
  const pre = byId("state", HTMLElement);
  const version = byId("version", HTMLElement);
  const show = (): void => {
    const state = subscription?.state ?? {};
    pre.textContent = Object.keys(state).length === 0 ? "Nothing yet." : readable(state);
    version.textContent = subscription?.version ? `version ${subscription.version}` : "";
  };
  subscription?.on("change", show);
  subscription?.on("reset", show);
  show();
}
