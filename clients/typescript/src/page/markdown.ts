/**
 * Reads the part of Markdown that models write: headings, lists, code, tables, quotes, emphasis, links. The result is
 * data, never markup. Time grows with the length of the text: each character is looked at a bounded number of times,
 * whatever a hostile text nests or leaves open.
 */

export type Inline =
  | { kind: "text"; text: string }
  | { kind: "code"; text: string }
  | { kind: "em" | "strong" | "del"; children: Inline[] }
  | { kind: "link"; href: string; children: Inline[] };

export type Block =
  | { kind: "paragraph"; children: Inline[] }
  | { kind: "heading"; level: number; children: Inline[] }
  | { kind: "code"; text: string }
  | { kind: "rule" }
  | { kind: "quote"; children: Block[] }
  | { kind: "list"; start: number | undefined; items: Block[][] }
  | { kind: "table"; head: Inline[][]; rows: Inline[][][] };

/** Blocks, and the place in the text where the last of them begins: what grows can only change that one. */
export interface Document {
  blocks: Block[];
  last: number;
}

/** Levels of quotes and lists; what is deeper is text. */
const DEEPEST = 8;
/** Marks and brackets that may be open at a time; of more, the oldest become text. */
const MOST_OPEN = 16;
/** Parts of one paragraph, cell or heading; what follows is text. A browser lays more of them out for seconds. */
const MOST_PARTS = 2_000;
const MOST_COLUMNS = 32;

const FENCE = /^ {0,3}(`{3,}|~{3,})([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*)$/s;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])(?:( {1,4})(?=\S)|[ \t]|$)/;
const DELIMITERS = /^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?$/;

export function parse(text: string): Document {
  const lines = text.split("\n");
  const begins: number[] = [];
  const blocks = parseBlocks(lines, 0, begins);
  const line = begins.at(-1) ?? 0;
  let last = 0;
  for (let one = 0; one < line; one += 1) last += (lines[one] ?? "").length + 1;
  return { blocks, last };
}

/** `begins` gets the line at which each block begins. */
function parseBlocks(lines: string[], depth: number, begins: number[] = []): Block[] {
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? "";
    if (line.trim() === "") {
      at += 1;
      continue;
    }
    begins.push(at);
    const [block, next] = parseBlock(lines, at, depth);
    blocks.push(block);
    at = next;
  }
  return blocks;
}

function parseBlock(lines: string[], at: number, depth: number): [Block, number] {
  const line = lines[at] ?? "";
  const fence = FENCE.exec(line);
  if (fence) return fenced(lines, at, fence[1] ?? "```");
  const heading = HEADING.exec(line);
  if (heading) return [{ kind: "heading", level: (heading[1] ?? "#").length, children: inline(closed(heading[2] ?? "")) }, at + 1];
  if (RULE.test(line)) return [{ kind: "rule" }, at + 1];
  if (depth < DEEPEST && QUOTE.test(line)) return quoted(lines, at, depth);
  const item = ITEM.exec(line);
  if (depth < DEEPEST && item) return listed(lines, at, depth, item);
  if (isTable(lines, at)) return table(lines, at);
  return paragraph(lines, at, depth);
}

/** A heading without the marks at its end. */
function closed(text: string): string {
  const end = text.trimEnd();
  let marks = end.length;
  while (end[marks - 1] === "#") marks -= 1;
  return marks === 0 || end[marks - 1] === " " ? end.slice(0, marks).trimEnd() : end;
}

function fenced(lines: string[], at: number, mark: string): [Block, number] {
  const indent = (lines[at] ?? "").indexOf(mark);
  const body: string[] = [];
  let next = at + 1;
  for (; next < lines.length; next += 1) {
    const line = lines[next] ?? "";
    const bare = line.trim();
    if (bare.length >= mark.length && bare.startsWith(mark) && bare === (mark[0] ?? "`").repeat(bare.length)) {
      next += 1;
      break;
    }
    body.push(unindented(line, indent));
  }
  return [{ kind: "code", text: body.join("\n") }, next];
}

function quoted(lines: string[], at: number, depth: number): [Block, number] {
  const inner: string[] = [];
  let next = at;
  for (; next < lines.length && QUOTE.test(lines[next] ?? ""); next += 1) inner.push((lines[next] ?? "").replace(QUOTE, ""));
  return [{ kind: "quote", children: parseBlocks(inner, depth + 1) }, next];
}

function listed(lines: string[], at: number, depth: number, first: RegExpExecArray): [Block, number] {
  const mark = (first[2] ?? "-").at(-1);
  const number = Number.parseInt(first[2] ?? "", 10);
  const items: Block[][] = [];
  let next = at;
  while (next < lines.length) {
    const item = ITEM.exec(lines[next] ?? "");
    if (!item || (item[2] ?? "").at(-1) !== mark || RULE.test(lines[next] ?? "")) break;
    const [inner, after] = itemLines(lines, next, item);
    items.push(parseBlocks(inner, depth + 1));
    next = after;
  }
  return [{ kind: "list", start: Number.isNaN(number) ? undefined : number, items }, next];
}

/** The lines of an item, without its mark and indentation, and the line after it. */
function itemLines(lines: string[], at: number, item: RegExpExecArray): [string[], number] {
  const width = (item[1] ?? "").length + (item[2] ?? "").length + (item[3] ?? " ").length;
  const inner = [(lines[at] ?? "").slice(width)];
  let next = at + 1;
  let blank = false;
  for (; next < lines.length; next += 1) {
    const line = lines[next] ?? "";
    if (line.trim() === "") blank = true;
    else if (indentOf(line) >= Math.min(width, 2)) blank = false;
    // A line without indentation goes on with a paragraph, and only directly below it.
    else if (blank || begins(line)) break;
    inner.push(unindented(line, width));
  }
  while (inner.length > 1 && inner.at(-1)?.trim() === "") inner.pop();
  return [inner, next];
}

/** Whether a line begins a block of its own, also directly below a paragraph. */
function begins(line: string): boolean {
  return FENCE.test(line) || HEADING.test(line) || RULE.test(line) || QUOTE.test(line) || ITEM.test(line);
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function unindented(line: string, most: number): string {
  return line.slice(Math.min(most, indentOf(line)));
}

function paragraph(lines: string[], at: number, depth: number): [Block, number] {
  const body = [(lines[at] ?? "").trim()];
  let next = at + 1;
  for (; next < lines.length; next += 1) {
    const line = lines[next] ?? "";
    if (line.trim() === "" || (depth < DEEPEST && begins(line)) || isTable(lines, next)) break;
    body.push(line.trimEnd());
  }
  return [{ kind: "paragraph", children: inline(body.join("\n")) }, next];
}

function isTable(lines: string[], at: number): boolean {
  const [head, rule] = [lines[at] ?? "", lines[at + 1] ?? ""];
  return head.includes("|") && rule.includes("-") && rule.includes("|") && DELIMITERS.test(rule.trim()) && cells(rule).length === cells(head).length;
}

function table(lines: string[], at: number): [Block, number] {
  const head = cells(lines[at] ?? "");
  const rows: Inline[][][] = [];
  let next = at + 2;
  for (; next < lines.length; next += 1) {
    const line = lines[next] ?? "";
    if (line.trim() === "" || !line.includes("|")) break;
    const row = cells(line);
    rows.push(head.map((_, column) => inline(row[column] ?? "")));
  }
  return [{ kind: "table", head: head.map((cell) => inline(cell)), rows }, next];
}

/** The cells of a row; a `|` after a backslash belongs to its cell. */
function cells(line: string): string[] {
  const row = line.trim();
  const found: string[] = [];
  let cell = "";
  for (let at = row.startsWith("|") ? 1 : 0; at < row.length; at += 1) {
    const one = row[at] ?? "";
    if (one === "\\" && row[at + 1] === "|") {
      cell += "|";
      at += 1;
    } else if (one === "|" && found.length < MOST_COLUMNS - 1) {
      found.push(cell.trim());
      cell = "";
    } else cell += one;
  }
  if (cell.trim() !== "" || !row.endsWith("|")) found.push(cell.trim());
  return found;
}

// -- within a line ------------------------------------------------------------------------------------------------

/** What is open: a mark of emphasis or a bracket, with what came since. */
interface Open {
  mark: string;
  children: Inline[];
}

const KINDS: Record<string, "em" | "strong" | "del"> = { "*": "em", _: "em", "**": "strong", __: "strong", "~~": "del" };
const SPECIAL = /[\\`*_~[\]!<h]/g;
const PUNCTUATION = /[!-/:-@[-`{-~]/;
const WORD = /[\p{L}\p{N}]/u;
const ADDRESS = /https?:\/\/[^\s<>"`]+/uy;
const BREAK = /<br ?\/?>/iy;
const BRACKETED = /<(https?:\/\/[^\s<>]{1,2048})>/y;

/** The inline parts of a text. */
export function inline(text: string): Inline[] {
  return new InlineReader(text).read();
}

class InlineReader {
  readonly #text: string;
  readonly #root: Inline[] = [];
  readonly #open: Open[] = [];
  /** Where runs of backticks of each length begin, so that one without a partner is found out at once. */
  readonly #ticks = new Map<number, number[]>();
  #at = 0;
  /** Parts that were made, other than texts. */
  #made = 0;
  /** No address that begins before this place has an end. */
  #without = 0;

  constructor(text: string) {
    this.#text = text;
    for (const { 0: run, index } of text.matchAll(/`+/g)) {
      const known = this.#ticks.get(run.length);
      if (known) known.push(index);
      else this.#ticks.set(run.length, [index]);
    }
    for (const places of this.#ticks.values()) places.reverse();
  }

  read(): Inline[] {
    const text = this.#text;
    while (this.#at < text.length && this.#made < MOST_PARTS) {
      SPECIAL.lastIndex = this.#at;
      const next = SPECIAL.exec(text)?.index ?? text.length;
      this.#say(text.slice(this.#at, next));
      this.#at = next;
      if (next < text.length) this.#special(text[next] ?? "");
    }
    while (this.#open.length > 0) this.#unopen();
    this.#say(text.slice(this.#at));
    return this.#root;
  }

  #special(sign: string): void {
    const text = this.#text;
    const following = text[this.#at + 1] ?? "";
    if (sign === "\\" && PUNCTUATION.test(following)) this.#take(2, following);
    else if (sign === "\\" && following === "\n") this.#take(1, "");
    else if (sign === "`") this.#code();
    else if (sign === "*" || sign === "_" || sign === "~") this.#marks(sign);
    // An image of another host would tell it who reads: its description becomes a link.
    else if (sign === "!" && following === "[") this.#take(1, "");
    else if (sign === "[") this.#opened("[", 1);
    else if (sign === "]") this.#bracket();
    else if (sign === "<") this.#bracketed();
    else if (sign === "h") this.#address();
    else this.#take(1, sign);
  }

  /** Goes on by some characters, which say this. */
  #take(length: number, text: string): void {
    this.#at += length;
    this.#say(text);
  }

  #say(text: string): void {
    if (text !== "") add(this.#children(), { kind: "text", text });
  }

  #part(one: Inline): void {
    this.#made += 1;
    this.#children().push(one);
  }

  #children(): Inline[] {
    return this.#open.at(-1)?.children ?? this.#root;
  }

  #opened(mark: string, length: number): void {
    this.#at += length;
    this.#open.push({ mark, children: [] });
    if (this.#open.length > MOST_OPEN) this.#unopen(0);
  }

  /** Makes what is open, the innermost if not said otherwise, the text that it is written as. */
  #unopen(index = this.#open.length - 1): void {
    const [one] = this.#open.splice(index, 1);
    if (!one) return;
    const into = this.#open[index - 1]?.children ?? this.#root;
    add(into, { kind: "text", text: one.mark });
    for (const child of one.children) add(into, child);
  }

  #code(): void {
    const [run = "`"] = /^`+/.exec(this.#text.slice(this.#at, this.#at + 64)) ?? [];
    const places = this.#ticks.get(run.length) ?? [];
    while (places.length > 0 && (places.at(-1) ?? 0) <= this.#at) places.pop();
    const end = places.at(-1);
    if (end === undefined) {
      this.#take(run.length, run);
      return;
    }
    let code = this.#text.slice(this.#at + run.length, end).replaceAll("\n", " ");
    if (code.startsWith(" ") && code.endsWith(" ") && code.trim() !== "") code = code.slice(1, -1);
    this.#part({ kind: "code", text: code });
    this.#at = end + run.length;
  }

  #marks(sign: string): void {
    const text = this.#text;
    let length = 1;
    while (text[this.#at + length] === sign) length += 1;
    const before = text[this.#at - 1] ?? " ";
    const after = text[this.#at + length] ?? " ";
    const isWord = sign === "_" && WORD.test(before) && WORD.test(after);
    if (length > 3 || isWord || (sign === "~" && length !== 2)) {
      this.#take(length, sign.repeat(length));
      return;
    }
    let left = length;
    while (left > 0 && /\S/.test(before)) {
      const equal = this.#open.findLastIndex(({ mark }) => mark[0] === sign && mark.length === left);
      const closes = equal === -1 ? this.#open.findLastIndex(({ mark }) => mark[0] === sign && mark.length < left) : equal;
      if (closes === -1) break;
      left -= this.#close(closes);
    }
    this.#at += length - left;
    while (left > 0 && /\S/.test(after)) {
      const size = Math.min(left, 2);
      this.#opened(sign.repeat(size), size);
      left -= size;
    }
    this.#take(left, sign.repeat(left));
  }

  /** Closes a mark; gives its length. */
  #close(index: number): number {
    while (this.#open.length > index + 1) this.#unopen();
    const one = this.#open.pop();
    if (!one) return 0;
    const kind = KINDS[one.mark];
    if (kind && one.children.length > 0) this.#part({ kind, children: one.children });
    else this.#say(one.mark + one.mark);
    return one.mark.length;
  }

  #bracket(): void {
    const index = this.#open.findLastIndex(({ mark }) => mark === "[");
    if (index === -1) {
      this.#take(1, "]");
      return;
    }
    const found = this.#text[this.#at + 1] === "(" ? this.#target(this.#at + 2) : undefined;
    while (this.#open.length > index + 1) this.#unopen();
    const href = found && safe(found.href);
    if (!found || href === undefined) {
      this.#unopen();
      const end = found?.end ?? this.#at + 1;
      this.#take(end - this.#at, this.#text.slice(this.#at, end));
      return;
    }
    const children = this.#open.pop()?.children ?? [];
    this.#at = found.end;
    // A link has no links in it.
    for (let outer = this.#open.length - 1; outer >= 0; outer -= 1) if (this.#open[outer]?.mark === "[") this.#unopen(outer);
    this.#part({ kind: "link", href, children: children.length > 0 ? unlinked(children) : [{ kind: "text", text: href }] });
  }

  /** The address of a link that begins here, and where the link ends. */
  #target(start: number): { href: string; end: number } | undefined {
    if (start < this.#without) return undefined;
    const text = this.#text;
    let depth = 0;
    for (let at = start; at < text.length; at += 1) {
      const one = text[at] ?? "";
      if (one === "(") depth += 1;
      else if (one === ")" && depth > 0) depth -= 1;
      else if (one === ")") return { href: text.slice(start, at), end: at + 1 };
      else if (/[\s<>]/.test(one)) {
        const title = titled(text, at);
        if (depth === 0 && title !== undefined) return { href: text.slice(start, at), end: title };
        this.#without = at;
        return undefined;
      }
    }
    this.#without = text.length;
    return undefined;
  }

  #bracketed(): void {
    BREAK.lastIndex = this.#at;
    const wrapped = BREAK.exec(this.#text)?.[0];
    if (wrapped !== undefined) {
      this.#take(wrapped.length, "\n");
      return;
    }
    BRACKETED.lastIndex = this.#at;
    const [whole, address] = BRACKETED.exec(this.#text) ?? [];
    if (whole === undefined || address === undefined) this.#take(1, "<");
    else this.#link(address, whole.length);
  }

  #address(): void {
    ADDRESS.lastIndex = this.#at;
    const found = WORD.test(this.#text[this.#at - 1] ?? " ") ? undefined : ADDRESS.exec(this.#text)?.[0];
    const isInLink = this.#open.some(({ mark }) => mark === "[");
    const address = found && trimmed(found);
    if (!address || isInLink) this.#take(address?.length ?? 1, address || "h");
    else this.#link(address, address.length);
  }

  #link(address: string, length: number): void {
    this.#at += length;
    const href = safe(address);
    if (href === undefined) this.#say(address);
    else this.#part({ kind: "link", href, children: [{ kind: "text", text: address }] });
  }
}

/** Adds a part; texts that meet become one. */
function add(into: Inline[], one: Inline): void {
  const last = into.at(-1);
  if (one.kind === "text" && last?.kind === "text") last.text += one.text;
  else into.push(one);
}

/** Where a link with a title ends. */
function titled(text: string, at: number): number | undefined {
  const found = /^[ \t]+(?:"[^"\n]{0,300}"|'[^'\n]{0,300}')[ \t]*\)/.exec(text.slice(at, at + 400));
  return found ? at + found[0].length : undefined;
}

/** An address in running text without the signs of the sentence that ends with it. */
function trimmed(address: string): string {
  let end = address.length;
  const opened = address.split("(").length;
  let closes = address.split(")").length;
  for (; end > 8; end -= 1) {
    const sign = address[end - 1] ?? "";
    if (sign === ")" && closes > opened) closes -= 1;
    else if (!".,;:!?'*_~]".includes(sign)) break;
  }
  return address.slice(0, end);
}

function unlinked(children: Inline[]): Inline[] {
  return children.flatMap((one) => (one.kind === "link" ? one.children : [one]));
}

/** An address that a link may lead to; nothing for another scheme, and for an address of the server itself. */
export function safe(address: string): string | undefined {
  if (address.length > 2_048 || !/^(?:https?:\/\/|mailto:)/i.test(address)) return undefined;
  try {
    return new URL(address).href;
  } catch {
    return undefined;
  }
}
