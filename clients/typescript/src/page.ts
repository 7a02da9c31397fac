/** The demo page: a conversation with an agent that can use this page and this device. */
import { ContextureClient } from "./client.js";
import { FileStore, decode } from "./browser/files.js";
import { camera, filePicker, geolocation, highlight, imageResize, overlay } from "./browser/index.js";
import type { CallActivity } from "./calls.js";
import type { JsonObject } from "./protocol/messages.js";
import { Conversation } from "./page/conversation.js";
import { byId } from "./page/dom.js";
import { Log } from "./page/log.js";
import { watch } from "./page/panel.js";
import { permissionDialog } from "./page/permission.js";
import { showRecords } from "./page/record.js";
import { showWaits } from "./page/waiting.js";

const TOKEN = "contexture.token";
/** Pixels of a preview's longer side. */
const PREVIEW = 480;

const store = new FileStore();
const log = new Log(byId("log", HTMLElement), byId("welcome", HTMLElement));
let client: ContextureClient;
let conversation: Conversation;

async function connect(): Promise<void> {
  const token = sessionStorage.getItem(TOKEN);
  try {
    client = new ContextureClient({
      url: location.origin,
      ...(token ? { token } : {}),
      // A tool that runs goes on while the connection is away, and its result is sent when it is back.
      supportedFeatures: ["background_processing"],
      clientInfo: { userAgent: navigator.userAgent, language: navigator.language },
    });
  } catch (error) {
    askToken(error instanceof Error ? error.message : String(error));
    return;
  }
  client.onPermission = permissionDialog();
  client.addTools(
    highlight(),
    camera({ store }),
    filePicker({ store }),
    imageResize({ store }),
    geolocation(),
    overlay({ store, show: (canvas, description) => log.picture(canvas, description) }),
  );
  watch(client);
  showWaits(client);
  client.on("call", (activity) => void showCall(activity));
  conversation = new Conversation(client, log);
  try {
    await client.connect();
    await conversation.resume();
  } catch (error) {
    askToken(error instanceof Error ? error.message : String(error));
  }
}

async function showCall({ call, status, result }: CallActivity): Promise<void> {
  const title = client.tools.find((tool) => tool.toolId === call.name)?.name;
  log.call({ callId: call.callId, name: call.name, title, parameters: call.parameters, status, ...(result ? { result } : {}) });
  if (result?.status !== "SUCCESS" || call.name === "display_overlay") return;
  const told = result.result as JsonObject | null;
  const handle = told?.imageId ?? told?.fileId;
  if (typeof handle !== "string" || !handle.startsWith("img_")) return;
  try {
    const kept = store.get(handle);
    const bitmap = await decode(kept);
    const scale = Math.min(1, PREVIEW / Math.max(bitmap.width, bitmap.height));
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(bitmap.width * scale));
    canvas.height = Math.max(1, Math.round(bitmap.height * scale));
    canvas.getContext("2d")?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    log.picture(canvas, `${kept.name}, ${bitmap.width} × ${bitmap.height}`, call.callId);
    bitmap.close();
  } catch {
    // Not an image that can be shown: the card says what it is.
  }
}

// -- what the user does ---------------------------------------------------------------------------------------

const composer = byId("composer", HTMLFormElement);
const text = byId("text", HTMLTextAreaElement);
const send = byId("send", HTMLButtonElement);
const stop = byId("stop", HTMLButtonElement);

composer.addEventListener("submit", (event) => {
  event.preventDefault();
  void say();
});
text.addEventListener("keydown", (event) => {
  // Enter that ends a composition (Chinese, Japanese, Korean) is not meant to send.
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  void say();
});
stop.addEventListener("click", () => conversation.stop());
byId("new", HTMLButtonElement).addEventListener("click", () => {
  conversation.begin();
  store.clear();
  text.focus();
});

async function say(): Promise<void> {
  const said = text.value.trim();
  if (said === "" || conversation === undefined || conversation.running) return;
  if (client.state === "closed") {
    askToken("The connection is closed.");
    return;
  }
  text.value = "";
  send.hidden = true;
  stop.hidden = false;
  try {
    await conversation.say(said);
  } catch (error) {
    log.notice(error instanceof Error ? error.message : String(error));
  } finally {
    send.hidden = false;
    stop.hidden = true;
    text.focus();
  }
}

// -- the token ------------------------------------------------------------------------------------------------

const dialog = byId("token-dialog", HTMLDialogElement);
const field = byId("token", HTMLInputElement);
const why = byId("token-why", HTMLElement);
const explanation = why.textContent ?? "";

byId("access", HTMLButtonElement).addEventListener("click", () => askToken(explanation));
byId("token-cancel", HTMLButtonElement).addEventListener("click", () => dialog.close());
byId("token-form", HTMLFormElement).addEventListener("submit", (event) => {
  event.preventDefault();
  if (field.value.trim() === "") sessionStorage.removeItem(TOKEN);
  else sessionStorage.setItem(TOKEN, field.value.trim());
  field.value = "";
  dialog.close();
  client?.close();
  log.clear();
  void connect();
});

function askToken(reason: string): void {
  why.textContent = reason;
  if (!dialog.open) dialog.showModal();
}

showRecords(byId("log", HTMLElement), (run) => client.run(run));

// -- the beginning --------------------------------------------------------------------------------------------

// A link may carry the token behind its #, where no server sees it; it does not stay in the address.
const linked = new URLSearchParams(location.hash.slice(1)).get("token");
if (linked) {
  sessionStorage.setItem(TOKEN, linked);
  history.replaceState(null, "", location.pathname + location.search);
}
void connect();
