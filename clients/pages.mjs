// Writes the pages that the server carries to where the server takes them from, with a list of their files: with the modules that they
// import, or as one script where the package has esbuild. One script is less than half as large, and a file of its own can hold it.
//   node clients/pages.mjs NAME [--check]     NAME: `demo` or `inspect`; `--check` reports what differs and writes nothing.
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, extname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const assets = join(here, "../crates/server/assets");
const TYPES = { ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".txt": "text/plain" };

/** The package of each page, and the command that writes it there. */
const PACKAGES = { demo: { folder: "typescript", command: "npm run demo" }, inspect: { folder: "inspector", command: "npm run page", bundled: true } };

/** The files of a page by their names in it: those of the package's folder `page/`, and the script with what it imports. */
export async function pageFiles(page) {
  const { folder, bundled = false } = PACKAGES[page];
  const files = new Map();
  const entries = await readdir(join(here, folder, "page"), { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(nameIn(join(here, folder, "page"), path), await readFile(path, "utf8"));
  }
  await (bundled ? bundle(folder, files) : modules(folder, files));
  return files;
}

/** Adds one script of all sources, and writes it and the styles short. */
async function bundle(folder, files) {
  const { build, transform } = createRequire(join(here, folder, "package.json"))("esbuild");
  const options = { bundle: true, format: "esm", minify: true, charset: "utf8", target: "es2022", legalComments: "none", write: false };
  const { outputFiles } = await build({ ...options, entryPoints: [join(here, folder, "src/page.ts")] });
  files.set("page.js", outputFiles[0].text);
  const { code } = await transform(files.get("page.css"), { loader: "css", minify: true, charset: "utf8" });
  files.set("page.css", code);
}

/** Adds the modules that `page.js` imports, as the compiler wrote them. */
async function modules(folder, files) {
  const wanted = ["page.js"];
  for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
    if (files.has(name)) continue;
    const text = await readFile(join(here, folder, "dist", name), "utf8");
    files.set(name, text);
    for (const [, path] of text.matchAll(/\b(?:from|import)\s+"(\.[^"]+)"/g)) wanted.push(join(dirname(name), path).split(sep).join("/"));
  }
}

function nameIn(folder, path) {
  return relative(folder, path).split(sep).join("/");
}

/** A page as a Rust expression, for `include!`: name, content type, content of each file. */
function rust(page, files) {
  const { folder, command } = PACKAGES[page];
  const rows = [...files.keys()].sort().map((name) => `    ("${name}", "${TYPES[extname(name)]}; charset=utf-8", include_str!("${page}/${name}")),\n`);
  return `// The files of the page \`${page}\`, written by \`${command}\` in clients/${folder}.\n&[\n${rows.join("")}]\n`;
}

/** What differs between a page as it is built and as it stands; empty when nothing does. */
export async function staleFiles(page) {
  const target = join(assets, page);
  const files = await pageFiles(page);
  const stale = [];
  for (const [name, text] of files) {
    const standing = await readFile(join(target, name), "utf8").catch(() => undefined);
    if (standing !== text) stale.push(`${name} ${standing === undefined ? "is missing" : "differs"}`);
  }
  if ((await readFile(`${target}.rs`, "utf8").catch(() => "")) !== rust(page, files)) stale.push(`${page}.rs differs`);
  const entries = await readdir(target, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const name = nameIn(target, join(entry.parentPath, entry.name));
    if (entry.isFile() && !files.has(name)) stale.push(`${name} is not part of the page any more`);
  }
  return stale;
}

async function write(page) {
  const target = join(assets, page);
  await rm(target, { recursive: true, force: true });
  const files = await pageFiles(page);
  for (const [name, text] of files) {
    await mkdir(dirname(join(target, name)), { recursive: true });
    await writeFile(join(target, name), text);
  }
  await writeFile(`${target}.rs`, rust(page, files));
}

async function check(page) {
  const stale = await staleFiles(page);
  for (const one of stale) console.error(one);
  if (stale.length === 0) return;
  const { folder, command } = PACKAGES[page];
  console.error(`The page is not what its sources make: run \`${command}\` in clients/${folder}.`);
  process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [page, option] = process.argv.slice(2);
  if (!(page in PACKAGES)) throw new Error(`There is no page ${page}; there are ${Object.keys(PACKAGES).join(" and ")}.`);
  await (option === "--check" ? check(page) : write(page));
}
