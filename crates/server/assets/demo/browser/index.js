/** Front-end tools for pages, with the names and parameters of the protocol's examples. */
export { camera } from "./camera.js";
export { FileStore, base64, filePicker } from "./files.js";
export { HIGHLIGHT, highlight } from "./highlight.js";
export { geolocation } from "./location.js";
export { overlay, readMarks } from "./overlay.js";
export { fit, imageResize } from "./resize.js";
