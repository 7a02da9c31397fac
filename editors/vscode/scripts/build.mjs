// Bundles the extension into one file, and puts the licences of the repository beside it.
import { copyFile } from "node:fs/promises";
import { build } from "esbuild";

const folder = new URL("../", import.meta.url);

await build({
  absWorkingDir: folder.pathname,
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.cjs",
  bundle: true,
  format: "cjs",
  platform: "node",
  target: "node20",
  external: ["vscode"],
  minify: true,
  legalComments: "inline",
});
for (const name of ["LICENSE-MIT", "LICENSE-APACHE"]) {
  await copyFile(new URL(`../../${name}`, folder), new URL(name, folder));
}
