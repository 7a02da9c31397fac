/** `access_camera {mode, resolution}`: one frame of the camera, kept in the client (4.5.5). */
import { ToolFailure } from "../tools.js";
import { base64, checkSize } from "./files.js";
/** Width and height that are asked for; a camera gives what it has next to them. */
const RESOLUTIONS = { low: [640, 480], medium: [1280, 720], high: [1920, 1080] };
export function camera({ store, sendData = false }) {
    return {
        definition: {
            toolId: "access_camera",
            name: "Take a photo",
            description: "Takes a photo with the device's camera. The photo stays in the client; its handle (imageId) can be given to other front-end tools.",
            version: "1.0.0",
            runtime: "FRONTEND",
            capabilities: ["photo"],
            class: "read",
            permissionLevel: "USER_CONSENT",
            parameters: {
                type: "object",
                properties: {
                    mode: { type: "string", enum: ["photo"], default: "photo", description: "What is taken" },
                    resolution: { type: "string", enum: ["low", "medium", "high"], default: "medium", description: "640x480, 1280x720, 1920x1080, or the camera's next to it" },
                },
                additionalProperties: false,
            },
            returns: {
                type: "object",
                properties: {
                    imageId: { type: "string", description: "Handle of the photo" },
                    imageData: { type: "string", contentEncoding: "base64", description: "The photo, where the page sends it" },
                    metadata: { type: "object", description: "width, height (pixels), captureTime, mimeType, fileSize (bytes)" },
                },
                required: ["imageId", "metadata"],
            },
        },
        async run(parameters, { signal, limits }) {
            const stream = await open(String(parameters.resolution), signal);
            try {
                const { blob, width, height } = await frame(stream, signal);
                checkSize(blob, limits, "The photo");
                const { id } = store.keep(blob, "photo.jpg");
                const metadata = { width, height, captureTime: new Date().toISOString(), mimeType: blob.type, fileSize: blob.size };
                return { imageId: id, metadata, ...(sendData ? { imageData: await base64(blob) } : {}) };
            }
            finally {
                for (const track of stream.getTracks())
                    track.stop();
            }
        },
    };
}
async function open(resolution, signal) {
    if (!navigator.mediaDevices)
        throw new ToolFailure("NOT_SECURE", "A browser gives the camera to secure pages alone (https, or localhost).");
    const [width, height] = RESOLUTIONS[resolution] ?? [1280, 720];
    try {
        const stream = await navigator.mediaDevices.getUserMedia({ video: { width: { ideal: width }, height: { ideal: height } }, audio: false });
        if (signal.aborted) {
            for (const track of stream.getTracks())
                track.stop();
            throw signal.reason;
        }
        return stream;
    }
    catch (error) {
        if (!(error instanceof DOMException))
            throw error;
        if (error.name === "NotAllowedError" || error.name === "SecurityError")
            throw new ToolFailure("PERMISSION_DENIED", "The browser does not give the camera.");
        throw new ToolFailure("EXECUTION_FAILED", error.name === "NotFoundError" ? "There is no camera." : `The camera can't be used: ${error.message}`);
    }
}
async function frame(stream, signal) {
    const video = document.createElement("video");
    video.muted = true;
    video.playsInline = true;
    video.srcObject = stream;
    try {
        await video.play();
        // The first frame may be there a little after play() is.
        for (let tries = 0; video.videoWidth === 0 && tries < 100; tries += 1)
            await new Promise((done) => setTimeout(done, 20));
        signal.throwIfAborted();
        const { videoWidth: width, videoHeight: height } = video;
        if (width === 0)
            throw new ToolFailure("EXECUTION_FAILED", "The camera gives no picture.");
        const canvas = document.createElement("canvas");
        canvas.width = width;
        canvas.height = height;
        canvas.getContext("2d")?.drawImage(video, 0, 0);
        return { blob: await toBlob(canvas, "image/jpeg"), width, height };
    }
    finally {
        video.srcObject = null;
    }
}
/** A canvas as an encoded image. */
export function toBlob(canvas, type) {
    return new Promise((resolve, reject) => {
        canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new ToolFailure("EXECUTION_FAILED", "The image is too large for this browser."))), type, 0.9);
    });
}
