/** `highlight_element {selector, style, duration}`: draws the eye to a part of the page (4.5.5). */
import { ToolFailure, type FrontendTool } from "../tools.js";

/** The attribute that a highlighted element has, with the style as its value. */
export const HIGHLIGHT = "data-contexture-highlight";

const CSS = `
[${HIGHLIGHT}] { outline: 3px solid #f59e0b !important; outline-offset: 3px; scroll-margin: 1rem; }
[${HIGHLIGHT}][data-contexture-edge] { outline-offset: -3px; }
[${HIGHLIGHT}="glow"] { box-shadow: 0 0 0 4px #f59e0b55, 0 0 1.6rem #f59e0b !important; }
@media (prefers-reduced-motion: no-preference) {
  [${HIGHLIGHT}="pulse"] { animation: contexture-pulse 0.9s ease-in-out infinite alternate; }
  @keyframes contexture-pulse { from { outline-color: #f59e0b; } to { outline-color: #f59e0b22; } }
}`;

export function highlight({ root = document }: { root?: Document } = {}): FrontendTool {
  let styled = false;
  const until = new WeakMap<Element, number>();
  return {
    definition: {
      toolId: "highlight_element",
      name: "Highlight an element",
      description: "Highlights an element of the page that the user is looking at and brings it into view.",
      version: "1.0.0",
      runtime: "FRONTEND",
      capabilities: ["UI"],
      class: "read",
      permissionLevel: "NONE",
      parameters: {
        type: "object",
        properties: {
          selector: { type: "string", minLength: 1, maxLength: 1_000, description: "CSS selector; the first element that matches is taken" },
          style: { type: "string", enum: ["pulse", "outline", "glow"], default: "pulse" },
          duration: { type: "integer", minimum: 1, maximum: 60_000, default: 3_000, description: "Milliseconds" },
        },
        required: ["selector"],
        additionalProperties: false,
      },
      returns: {
        type: "object",
        properties: { highlighted: { type: "boolean" }, selector: { type: "string" }, duration: { type: "integer" } },
        required: ["highlighted"],
      },
    },
    run(parameters) {
      const selector = String(parameters.selector);
      const duration = Number(parameters.duration);
      const element = find(root, selector);
      if (!styled) {
        // A sheet that is made in a script is no inline style: a strict policy lets it pass.
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(CSS);
        root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
        styled = true;
      }
      element.setAttribute(HIGHLIGHT, String(parameters.style));
      element.scrollIntoView({ block: "nearest", behavior: "auto" });
      // Around what fills the window to its edge there is no room: the line goes inside.
      const { left, right, top, bottom } = element.getBoundingClientRect();
      element.toggleAttribute("data-contexture-edge", Math.min(left, top) < 8 || right > innerWidth - 8 || bottom > innerHeight - 8);
      const end = performance.now() + duration;
      until.set(element, end);
      setTimeout(() => {
        // A later highlight of the same element goes on.
        if (until.get(element) !== end) return;
        element.removeAttribute(HIGHLIGHT);
        element.removeAttribute("data-contexture-edge");
      }, duration);
      return { highlighted: true, selector, duration };
    },
  };
}

function find(root: Document, selector: string): Element {
  let element: Element | null;
  try {
    element = root.querySelector(selector);
  } catch {
    throw new ToolFailure("VALIDATION_FAILED", `${JSON.stringify(selector)} is no CSS selector.`);
  }
  if (!element) throw new ToolFailure("EXECUTION_FAILED", `Nothing in the page matches ${JSON.stringify(selector)}.`);
  return element;
}
