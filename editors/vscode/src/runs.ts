// Runs of a program: in the terminal, with the input that the person types.

import { existsSync } from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";
import { chosenProgram } from "./program.ts";
import { projectFolder, runArguments, type Target } from "./target.ts";

/** Where a program is: its file, the folder that commands run in, and its path from there. */
export interface Place {
  program: string;
  folder: string;
  file: string;
  workspace: vscode.WorkspaceFolder | undefined;
}

/** Saves the program and returns its place; `undefined` with a message if it is not in a file. */
export async function place(target: Target): Promise<Place | undefined> {
  const uri = vscode.Uri.parse(target.uri);
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  const saved = open === undefined || !open.isDirty || (await open.save());
  if (uri.scheme !== "file" || !saved) {
    void vscode.window.showErrorMessage("Save the program to a file first: it is run from there.");
    return undefined;
  }
  const workspace = vscode.workspace.getWorkspaceFolder(uri);
  const folder = projectFolder(uri.fsPath, workspace?.uri.fsPath, existsSync);
  const setting = vscode.workspace.getConfiguration("contexture", uri).get<string>("path");
  return { program: chosenProgram(setting), folder, file: path.relative(folder, uri.fsPath), workspace };
}

const key = (target: Target): string => `input:${target.uri}`;

/** The input that was last used for a program. */
export function lastInput(state: vscode.Memento, target: Target): string {
  return state.get(key(target), "{}");
}

/** Asks for the input, with the last one as a proposal. */
export async function askInput(state: vscode.Memento, target: Target): Promise<string | undefined> {
  const input = await vscode.window.showInputBox({
    title: "Input of the program",
    prompt: 'JSON such as {"path": "README.md"}, or a field as path=README.md',
    value: lastInput(state, target),
  });
  if (input !== undefined) await state.update(key(target), input);
  return input;
}

/** Runs a program in the terminal. */
export async function run(target: Target, state: vscode.Memento): Promise<void> {
  const where = await place(target);
  if (where === undefined) return;
  const input = await askInput(state, target);
  if (input === undefined) return;
  // A process and not a line for a shell: nothing in a name or an input is a command.
  const process = new vscode.ProcessExecution(where.program, runArguments(where.file, target, input), { cwd: where.folder });
  const scope = where.workspace ?? vscode.TaskScope.Workspace;
  const task = new vscode.Task({ type: "contexture" }, scope, path.basename(where.file), "contexture", process);
  await vscode.tasks.executeTask(task);
}
