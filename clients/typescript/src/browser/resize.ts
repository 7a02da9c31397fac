/** `local_image_resize {imageId, width, height, preserveAspectRatio}`: the image never leaves the client (4.5.5). */
import type { FrontendTool } from "../tools.js";
import { toBlob } from "./camera.js";
import { checkSize, decode, type FileStore } from "./files.js";

const LARGEST = 8_192;

export function imageResize({ store }: { store: FileStore }): FrontendTool {
  return {
    definition: {
      toolId: "local_image_resize",
      name: "Resize an image",
      description: "Resizes an image that the client keeps, in the client, and gives the handle of the new one.",
      version: "1.0.0",
      runtime: "FRONTEND",
      capabilities: ["IMAGE_PROCESSING"],
      class: "read",
      permissionLevel: "NONE",
      parameters: {
        type: "object",
        properties: {
          imageId: { type: "string", description: "Handle of a picked or taken image" },
          width: { type: "integer", minimum: 1, maximum: LARGEST, description: "Pixels" },
          height: { type: "integer", minimum: 1, maximum: LARGEST, description: "Pixels" },
          preserveAspectRatio: { type: "boolean", default: true, description: "Fit into width and height instead of filling them" },
        },
        required: ["imageId", "width", "height"],
        additionalProperties: false,
      },
      returns: {
        type: "object",
        properties: {
          imageId: { type: "string", description: "Handle of the new image" },
          sourceImageId: { type: "string" },
          width: { type: "integer" },
          height: { type: "integer" },
          mimeType: { type: "string" },
          fileSize: { type: "integer", description: "Bytes" },
        },
        required: ["imageId", "width", "height"],
      },
    },
    async run(parameters, { limits }) {
      const source = store.get(String(parameters.imageId));
      const bitmap = await decode(source);
      try {
        const wanted = { width: Number(parameters.width), height: Number(parameters.height) };
        const { width, height } = parameters.preserveAspectRatio === false ? wanted : fit(bitmap, wanted);
        const canvas = document.createElement("canvas");
        canvas.width = width;
        canvas.height = height;
        const pen = canvas.getContext("2d");
        if (pen) pen.imageSmoothingQuality = "high";
        pen?.drawImage(bitmap, 0, 0, width, height);
        const blob = await toBlob(canvas, source.blob.type === "image/jpeg" ? "image/jpeg" : "image/png");
        checkSize(blob, limits, "The resized image");
        const { id } = store.keep(blob, source.name);
        return { imageId: id, sourceImageId: source.id, width, height, mimeType: blob.type, fileSize: blob.size };
      } finally {
        bitmap.close();
      }
    },
  };
}

/** The largest size of the image's proportions that fits. */
export function fit(image: { width: number; height: number }, box: { width: number; height: number }): { width: number; height: number } {
  const scale = Math.min(box.width / image.width, box.height / image.height);
  return { width: Math.max(1, Math.round(image.width * scale)), height: Math.max(1, Math.round(image.height * scale)) };
}
