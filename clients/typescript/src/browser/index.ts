/** Front-end tools for pages, with the names and parameters of the protocol's examples. */
export { camera, type CameraOptions } from "./camera.js";
export { FileStore, base64, filePicker, type ChooseFiles, type FilePickerOptions, type Kept } from "./files.js";
export { HIGHLIGHT, highlight } from "./highlight.js";
export { geolocation } from "./location.js";
export { overlay, readMarks, type Mark, type OverlayOptions } from "./overlay.js";
export { fit, imageResize } from "./resize.js";
