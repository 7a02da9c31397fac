/** Starts the inspector's page (IN-1). */

import { App } from "./app.js";
import { html, render } from "./vendor/preact.js";

const root = document.getElementById("page");
if (!root) throw new TypeError("The page has no element with the id page.");
render(html`<${App} />`, root);
