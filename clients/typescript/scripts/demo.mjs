// Copies the page and its compiled modules to where the server takes them from, with a list of them. `--check` says whether they are
// there as they would be written, and writes nothing.
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, extname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const target = join(here, "../../crates/server/assets/demo");
const list = `${target}.rs`;
const TYPES = { ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml" };

/** The files of the page by their names in it: `page/` as it is, and the modules that `page.js` imports. */
export async function pageFiles() {
  const files = new Map();
  for (const name of await readdir(join(here, "page"))) files.set(name, await readFile(join(here, "page", name), "utf8"));
  const wanted = ["page.js"];
  for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
    if (files.has(name)) continue;
    const text = await readFile(join(here, "dist", name), "utf8");
    files.set(name, text);
    for (const [, path] of text.matchAll(/\b(?:from|import)\s+"(\.[^"]+)"/g)) wanted.push(join(dirname(name), path).split(sep).join("/"));
  }
  return files;
}

/** The page as a Rust expression, for `include!`: name, content type, content of each file. */
function rust(files) {
  const rows = [...files.keys()].sort().map((name) => `    ("${name}", "${TYPES[extname(name)]}; charset=utf-8", include_str!("demo/${name}")),\n`);
  return `// The files of the demo page, written by \`npm run demo\` in clients/typescript.\n&[\n${rows.join("")}]\n`;
}

/** What differs between the page as it is built and as it stands; empty when nothing does. */
export async function staleFiles() {
  const files = await pageFiles();
  const stale = [];
  for (const [name, text] of files) {
    const standing = await readFile(join(target, name), "utf8").catch(() => undefined);
    if (standing !== text) stale.push(`${name} ${standing === undefined ? "is missing" : "differs"}`);
  }
  if ((await readFile(list, "utf8").catch(() => "")) !== rust(files)) stale.push("demo.rs differs");
  const entries = await readdir(target, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const name = relative(target, join(entry.parentPath, entry.name)).split(sep).join("/");
    if (entry.isFile() && !files.has(name)) stale.push(`${name} is not of the page any more`);
  }
  return stale;
}

async function write() {
  await rm(target, { recursive: true, force: true });
  const files = await pageFiles();
  for (const [name, text] of files) {
    await mkdir(dirname(join(target, name)), { recursive: true });
    await writeFile(join(target, name), text);
  }
  await writeFile(list, rust(files));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes("--check")) {
    const stale = await staleFiles();
    for (const one of stale) console.error(one);
    if (stale.length > 0) {
      console.error("The demo page is not what the client's sources make: run `npm run demo` in clients/typescript.");
      process.exitCode = 1;
    }
  } else await write();
}
