/**
 * Files and images that stay in the client: the server gets a handle, such as `img_01J…`, and names it in later
 * calls (CP-19). And the tool that lets the user pick some (4.6.1).
 */
import { newId } from "../protocol/ids.js";
import type { Json, JsonObject, Limitations } from "../protocol/messages.js";
import { ToolFailure, type FrontendTool } from "../tools.js";

/** What is kept under a handle. */
export interface Kept {
  id: string;
  blob: Blob;
  name: string;
}

export class FileStore {
  readonly #kept = new Map<string, Kept>();
  readonly #maxBytes: number;
  #bytes = 0;

  /** `maxBytes`: all that is kept at a time; 200,000,000 when absent. */
  constructor(maxBytes = 200_000_000) {
    this.#maxBytes = maxBytes;
  }

  /** Keeps a blob and gives its handle. */
  keep(blob: Blob, name: string): Kept {
    if (this.#bytes + blob.size > this.#maxBytes) {
      throw new ToolFailure("TOO_LARGE", `No more than ${this.#maxBytes} bytes are kept at a time; ${this.#bytes} are, and this has ${blob.size}.`);
    }
    const kept = { id: newId(blob.type.startsWith("image/") ? "img" : "file"), blob, name };
    this.#kept.set(kept.id, kept);
    this.#bytes += blob.size;
    return kept;
  }

  /** What is kept under a handle; fails with REFERENCE_MISSING. */
  get(id: string): Kept {
    const kept = this.#kept.get(id);
    if (!kept) throw new ToolFailure("REFERENCE_MISSING", `Nothing is kept under ${JSON.stringify(id)}; pick or take it first.`);
    return kept;
  }

  release(id: string): void {
    this.#bytes -= this.#kept.get(id)?.blob.size ?? 0;
    this.#kept.delete(id);
  }

  clear(): void {
    this.#kept.clear();
    this.#bytes = 0;
  }
}

/** Fails when a file is larger than the client takes. */
export function checkSize(blob: Blob, limits: Required<Limitations>, what: string): void {
  if (blob.size > limits.maxFileSize) {
    throw new ToolFailure("TOO_LARGE", `${what} has ${blob.size} bytes, and ${limits.maxFileSize} are allowed.`, {
      size: blob.size,
      maxFileSize: limits.maxFileSize,
    });
  }
}

/** The picture in a blob; the caller closes it. */
export async function decode(kept: Kept): Promise<ImageBitmap> {
  try {
    return await createImageBitmap(kept.blob);
  } catch {
    throw new ToolFailure("EXECUTION_FAILED", `${kept.id} is no image that this browser can read (${kept.blob.type || "unknown type"}).`);
  }
}

/** A blob as base64. */
export async function base64(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  const parts: string[] = [];
  // In slices: a call takes a limited number of arguments.
  for (let at = 0; at < bytes.length; at += 8_192) parts.push(String.fromCharCode(...bytes.subarray(at, at + 8_192)));
  return btoa(parts.join(""));
}

/** Lets the user choose; empty when nothing was chosen. */
export type ChooseFiles = (wish: { accept: string; multiple: boolean; signal: AbortSignal }) => Promise<File[]>;

export interface FilePickerOptions {
  store: FileStore;
  /**
   * Up to this many bytes of all picked files go to the server as `fileData` (base64); a file that is larger
   * stays here under its handle, and the result says so. 0 keeps all contents here.
   */
  maxDataBytes?: number;
  /** Another way to choose than the browser's dialog. */
  choose?: ChooseFiles;
}

/** `file_picker {accept, multiple}`: the user picks files of their device. */
export function filePicker({ store, maxDataBytes = 1_000_000, choose = chooseFiles }: FilePickerOptions): FrontendTool {
  return {
    definition: {
      toolId: "file_picker",
      name: "Pick a file",
      description: "Lets the user pick files of their device. Gives a handle for each (fileId), and small files' contents.",
      version: "1.0.0",
      runtime: "FRONTEND",
      capabilities: ["FILE_SYSTEM"],
      // A browser opens its dialog only just after a click: that of the permission.
      class: "read",
      permissionLevel: "ALWAYS_ASK",
      parameters: {
        type: "object",
        properties: {
          accept: { type: "string", maxLength: 1_000, default: "", description: 'Kinds of files, such as ".jpg,.png" or "image/*"; empty for any' },
          multiple: { type: "boolean", default: false, description: "Whether several may be picked" },
        },
        additionalProperties: false,
      },
      returns: {
        type: "object",
        properties: {
          fileId: { type: "string", description: "Handle of the first file" },
          fileName: { type: "string" },
          fileSize: { type: "integer", description: "Bytes" },
          mimeType: { type: "string" },
          fileData: { type: "string", contentEncoding: "base64", description: "Content; absent when the file stays in the client" },
          files: { type: "array", items: { type: "object" }, description: "The same of each file" },
        },
        required: ["fileId", "files"],
      },
    },
    interactive: true,
    async run(parameters, { signal, limits }) {
      const files = await choose({ accept: String(parameters.accept), multiple: parameters.multiple === true, signal });
      if (files.length === 0) throw new ToolFailure("CANCELLED", "The user picked no file.");
      for (const file of files) checkSize(file, limits, JSON.stringify(file.name));
      const picked: JsonObject[] = [];
      let left = maxDataBytes;
      for (const file of files) {
        picked.push(await described(store, file, left));
        if (file.size <= left) left -= file.size;
      }
      return { ...picked[0], files: picked } as Json;
    },
  };
}

async function described(store: FileStore, file: File, left: number): Promise<JsonObject> {
  const { id } = store.keep(file, file.name);
  const facts = { fileId: id, fileName: file.name, fileSize: file.size, mimeType: file.type };
  return file.size > left ? { ...facts, dataStaysInClient: true } : { ...facts, fileData: await base64(file) };
}

/** The browser's own dialog. */
const chooseFiles: ChooseFiles = ({ accept, multiple, signal }) =>
  new Promise((resolve, reject) => {
    const input = document.createElement("input");
    input.type = "file";
    input.accept = accept;
    input.multiple = multiple;
    input.hidden = true;
    const done = (files: File[]): void => {
      input.remove();
      resolve(files);
    };
    input.addEventListener("change", () => done([...(input.files ?? [])]));
    input.addEventListener("cancel", () => done([]));
    signal.addEventListener("abort", () => {
      input.remove();
      reject(signal.reason);
    });
    // Some browsers open no dialog for an input that is not in the page.
    document.body.append(input);
    if (navigator.userActivation?.isActive === false) {
      input.remove();
      reject(new ToolFailure("PERMISSION_DENIED", "The browser opens its file dialog only just after a click of the user."));
      return;
    }
    input.click();
  });
