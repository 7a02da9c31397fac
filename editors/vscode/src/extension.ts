// The extension: the language server, the commands of its code lenses, and the panel.

import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions, type ServerOptions } from "vscode-languageclient/node";
import { Panel } from "./panel.ts";
import { chosenProgram, serverFault } from "./program.ts";
import { run } from "./runs.ts";
import { readTarget, type Target } from "./target.ts";

let client: LanguageClient | undefined;

/** Called by the editor when a program is opened or a command is used. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const panel = new Panel(context.workspaceState);
  const about = (action: (target: Target) => Promise<void>) => async (first: unknown, second: unknown) => {
    const target = readTarget(first, second) ?? openTarget();
    if (target) await action(target);
    else void vscode.window.showInformationMessage("Open an AgentScript program first.");
  };
  context.subscriptions.push(
    panel,
    vscode.commands.registerCommand("contexture.run", about((target) => run(target, context.workspaceState))),
    vscode.commands.registerCommand("contexture.dryRun", about((target) => panel.show({ ...target, line: undefined } as Target))),
    vscode.commands.registerCommand("contexture.showPrompt", about((target) => panel.show(target))),
    vscode.commands.registerCommand("contexture.restart", restart),
    vscode.workspace.onDidSaveTextDocument((document) => panel.saved(document.uri.toString())),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("contexture.path")) void restart();
    }),
  );
  await start();
}

/** Called by the editor when it ends. */
export async function deactivate(): Promise<void> {
  await client?.stop();
}

function openTarget(): Target | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.languageId !== "agentscript") return undefined;
  return { uri: editor.document.uri.toString(), line: editor.selection.active.line + 1 };
}

async function start(): Promise<void> {
  const program = chosenProgram(vscode.workspace.getConfiguration("contexture").get("path"));
  const fault = await serverFault(program);
  if (fault !== undefined) return complain(fault);
  const server: ServerOptions = { command: program, args: ["lsp"] };
  const options: LanguageClientOptions = {
    documentSelector: [
      { scheme: "file", language: "agentscript" },
      { scheme: "untitled", language: "agentscript" },
    ],
  };
  client = new LanguageClient("contexture", "Contexture", server, options);
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    complain(`The language server can't be started: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function restart(): Promise<void> {
  const before = client;
  client = undefined;
  await before?.stop();
  await before?.dispose();
  await start();
}

function complain(fault: string): void {
  void vscode.window.showErrorMessage(fault, "Open settings", "Try again").then((choice) => {
    if (choice === "Open settings") void vscode.commands.executeCommand("workbench.action.openSettings", "contexture.path");
    if (choice === "Try again") void start();
  });
}
