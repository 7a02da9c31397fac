/** `display_overlay {sourceImageId, overlayData, style}`: an image of the client with marks on it (4.6.1). */
import { kindOf } from "../protocol/read.js";
import type { Json, JsonObject } from "../protocol/messages.js";
import { ToolFailure, type FrontendTool } from "../tools.js";
import { decode, type FileStore } from "./files.js";

/** A mark on an image: a box in its pixels, and what stands at it. */
export interface Mark {
  x: number;
  y: number;
  width: number;
  height: number;
  label: string;
}

const COLORS = ["#f59e0b", "#22c55e", "#3b82f6", "#ec4899", "#a855f7", "#14b8a6"];
const MOST = 500;

export interface OverlayOptions {
  store: FileStore;
  /** Takes the picture into the page. */
  show: (canvas: HTMLCanvasElement, description: string) => void;
}

export function overlay({ store, show }: OverlayOptions): FrontendTool {
  return {
    definition: {
      toolId: "display_overlay",
      name: "Show an image with marks",
      description: "Shows an image that the client keeps, with boxes and labels over it.",
      version: "1.0.0",
      runtime: "FRONTEND",
      capabilities: ["UI"],
      class: "read",
      permissionLevel: "NONE",
      parameters: {
        type: "object",
        properties: {
          sourceImageId: { type: "string", description: "Handle of a picked or taken image" },
          overlayData: {
            type: "array",
            maxItems: MOST,
            default: [],
            description: "Boxes in pixels of the image: {label?, score?, box: {x, y, width, height}} or {label?, score?, box: [x, y, width, height]}",
            items: { type: "object" },
          },
          style: { type: "string", enum: ["bounding_boxes", "labels"], default: "bounding_boxes", description: "labels leaves the boxes out" },
        },
        required: ["sourceImageId"],
        additionalProperties: false,
      },
      returns: { type: "object", properties: { displayed: { type: "boolean" }, marks: { type: "integer" } }, required: ["displayed"] },
    },
    async run(parameters) {
      const source = store.get(String(parameters.sourceImageId));
      const marks = readMarks(parameters.overlayData as Json[]);
      const bitmap = await decode(source);
      const canvas = document.createElement("canvas");
      canvas.width = bitmap.width;
      canvas.height = bitmap.height;
      const pen = canvas.getContext("2d");
      pen?.drawImage(bitmap, 0, 0);
      bitmap.close();
      if (pen) marks.forEach((mark, at) => draw(pen, mark, COLORS[at % COLORS.length] ?? "", parameters.style !== "labels"));
      show(canvas, [source.name, ...marks.map((mark) => mark.label)].filter((text) => text !== "").join(", "));
      return { displayed: true, marks: marks.length };
    },
  };
}

/** The marks that a tool's data describes; fails with VALIDATION_FAILED. */
export function readMarks(data: Json[]): Mark[] {
  return data.map((one, at) => {
    const entry = one as JsonObject;
    const box = entry.box ?? entry;
    const numbers = Array.isArray(box) ? box : kindOf(box) === "object" ? ["x", "y", "width", "height"].map((name) => (box as JsonObject)[name]) : [];
    const [x, y, width, height] = numbers;
    if (![x, y, width, height].every((number) => Number.isFinite(number))) {
      throw new ToolFailure("VALIDATION_FAILED", `/parameters/overlayData/${at}/box: expected x, y, width and height as numbers.`);
    }
    const score = typeof entry.score === "number" ? ` ${Math.round(entry.score * 100)}%` : "";
    const label = typeof entry.label === "string" ? `${entry.label}${score}` : score.trim();
    return { x: Number(x), y: Number(y), width: Number(width), height: Number(height), label };
  });
}

function draw(pen: CanvasRenderingContext2D, mark: Mark, color: string, boxed: boolean): void {
  const size = Math.max(12, Math.round(pen.canvas.width / 40));
  pen.strokeStyle = color;
  pen.lineWidth = Math.max(2, size / 6);
  if (boxed) pen.strokeRect(mark.x, mark.y, mark.width, mark.height);
  if (mark.label === "") return;
  pen.font = `600 ${size}px system-ui, sans-serif`;
  pen.textBaseline = "top";
  const top = Math.max(0, mark.y - size * 1.4);
  pen.fillStyle = color;
  pen.fillRect(mark.x, top, pen.measureText(mark.label).width + size * 0.6, size * 1.4);
  pen.fillStyle = "#101014";
  pen.fillText(mark.label, mark.x + size * 0.3, top + size * 0.2);
}
