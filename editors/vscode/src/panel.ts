// The panel "What the model will see": the prompts of a dry run, made again when the program is saved.

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { lacksInput, readReport, type Report } from "./dry_run.ts";
import { messagePage, page } from "./page.ts";
import { ask, lastWords } from "./program.ts";
import { askInput, lastInput, place, type Place } from "./runs.ts";
import { dryRunArguments, type Target } from "./target.ts";

/** The one panel of a window. */
export class Panel implements vscode.Disposable {
  private readonly state: vscode.Memento;
  private view: vscode.WebviewPanel | undefined;
  private target: Target | undefined;
  /** The number of the last dry run: an older one that ends later is not shown. */
  private turn = 0;

  constructor(state: vscode.Memento) {
    this.state = state;
  }

  dispose(): void {
    this.view?.dispose();
  }

  /** Shows the prompts of a program; asks for its input if that is what a dry run lacks. */
  async show(target: Target): Promise<void> {
    this.target = target;
    await this.refresh(target, true);
  }

  /** Shows the prompts again after their program was saved. */
  saved(uri: string): void {
    if (this.view !== undefined && this.target?.uri === uri) void this.refresh(this.target, false);
  }

  private async refresh(target: Target, mayAsk: boolean): Promise<void> {
    const where = await place(target);
    if (where === undefined) return;
    const turn = ++this.turn;
    let shown = await dryRun(where, target, lastInput(this.state, target));
    if (mayAsk && typeof shown !== "string" && lacksInput(shown)) {
      const input = await askInput(this.state, target);
      if (input !== undefined) shown = await dryRun(where, target, input);
    }
    if (turn !== this.turn) return;
    const nonce = randomBytes(16).toString("base64");
    const html = typeof shown === "string" ? messagePage(shown, nonce) : page(where.file, shown, nonce, target.line);
    this.open(mayAsk).webview.html = html;
  }

  private open(reveal: boolean): vscode.WebviewPanel {
    if (this.view === undefined) {
      const column = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
      this.view = vscode.window.createWebviewPanel("contexture.prompts", "What the model will see", column, {
        enableScripts: false,
        localResourceRoots: [],
      });
      this.view.onDidDispose(() => (this.view = undefined));
    } else if (reveal) {
      this.view.reveal(undefined, true);
    }
    return this.view;
  }
}

/** The report of a dry run, or why there is none. */
async function dryRun(where: Place, target: Target, input: string): Promise<Report | string> {
  const done = await ask(where.program, dryRunArguments(where.file, target, input), where.folder);
  if (done.code === "ENOENT") return `\`${where.program}\` was not found. Set \`contexture.path\` to the program.`;
  return readReport(done.stdout) ?? lastWords(done);
}
