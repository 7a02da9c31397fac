// The inspector's page in a real browser: every view in light and dark at three widths, by keys, with bad input; axe finds nothing.
//   node tests/browser/check.mjs              against the made-up records of the tests
//   node tests/browser/check.mjs PAGE RUNS     against a running `contexture inspect`; RUNS is JSON, as real.mjs takes it
// SCREENSHOTS=FOLDER keeps pictures of the page, PICTURES=FOLDER writes those of docs/inspect.md over real runs.
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { launch } from "../../../typescript/tests/browser/chrome.mjs";
import { RecordServer } from "../support/server.mjs";
import { real } from "./real.mjs";
import { small } from "./small.mjs";
import { views } from "./views.mjs";

const assets = fileURLToPath(new URL("../../../../crates/server/assets/inspect/", import.meta.url));
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const [given, runs] = process.argv.slice(2);
const server = given ? undefined : await new RecordServer().listen(assets);
const chrome = await launch();

/** What a check may do with the page. */
class Driver {
  constructor(page, url) {
    Object.assign(this, { page, url });
  }

  ok(what) {
    console.log(`ok: ${what}`);
  }

  /** Shows a view by its address, in a fresh page. */
  async open(hash, view) {
    await this.page.open("about:blank");
    await this.page.open(`${this.url}${hash}`);
    await this.page.until(`document.querySelector('[data-view="${view}"] h1')`, `the view ${view} at ${hash}`);
  }

  async look(width, scheme) {
    await this.page.send("Emulation.setDeviceMetricsOverride", { width, height: width < 600 ? 780 : 1_000, deviceScaleFactor: 1, mobile: false });
    await this.page.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }, { name: "prefers-reduced-motion", value: "reduce" }] });
  }

  text(selector) {
    return this.page.value(`document.querySelector(${JSON.stringify(selector)})?.innerText`);
  }

  texts(selector) {
    return this.page.value(`[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => one.innerText)`);
  }

  /** Faults of accessibility, as axe finds them: none. The expression is the browser's own, so the page's policy does not bind it. */
  async accessible(what) {
    if (!(await this.page.value("typeof axe === 'object'"))) await this.page.value(`${axe}\n;true`);
    const found = await this.page.value(`axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ": " + nodes.slice(0, 3).map(({ html, failureSummary }) => html.slice(0, 160) + " " + failureSummary).join(" | ")))`);
    assert.deepEqual(found, [], what);
  }

  /** No part of the page is wider than the window. */
  async fits(what) {
    const wide = await this.page.value(`document.documentElement.scrollWidth > innerWidth ? [...document.querySelectorAll("main *")].filter((one) => one.getBoundingClientRect().right > innerWidth + 1).slice(0, 4).map((one) => one.outerHTML.slice(0, 120)) : []`);
    assert.deepEqual(wide, [], `${what} is wider than the window`);
  }

  /** A picture of the page down to the end of an element, for a document, where PICTURES asks for them. */
  async picture(name, last) {
    const folder = process.env.PICTURES;
    if (!folder) return;
    await mkdir(folder, { recursive: true });
    const clip = await this.page.value(`({ x: 0, y: 0, scale: 1, width: innerWidth, height: Math.ceil(document.querySelector(${JSON.stringify(last)}).getBoundingClientRect().bottom + 16) })`);
    const { data } = await this.page.send("Page.captureScreenshot", { format: "png", captureBeyondViewport: true, clip });
    await writeFile(join(folder, `${name}.png`), small(Buffer.from(data, "base64")));
  }

  async shot(name, whole = false) {
    const folder = process.env.SCREENSHOTS;
    if (!folder) return;
    await mkdir(folder, { recursive: true });
    const size = whole ? await this.page.value("({ width: innerWidth, height: Math.min(document.documentElement.scrollHeight, 3000) })") : undefined;
    const more = size ? { captureBeyondViewport: true, clip: { x: 0, y: 0, scale: 1, ...size } } : {};
    const { data } = await this.page.send("Page.captureScreenshot", { format: "png", ...more });
    await writeFile(join(folder, `${name}.png`), Buffer.from(data, "base64"));
  }

  /** Nothing was run that a record holds, and the browser complains about nothing. */
  async quiet(what) {
    assert.equal(await this.page.value("document.title"), "Contexture inspector", what);
    assert.deepEqual(this.page.complaints, [], what);
  }
}

try {
  const page = await chrome.devtools.page();
  await page.prepare();
  const driver = new Driver(page, given ?? `${server.url}/`);
  if (server) await views(driver, server);
  else await real(driver, JSON.parse(runs));
  await driver.quiet("at the end");
  driver.ok("nothing to complain about in the browser's console");
} finally {
  await chrome.close();
  await server?.close();
}
