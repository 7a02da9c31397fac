/** The timeline: a tree with bars, of which only the rows in view exist (IN-5). */

import { duration } from "../text/format.js";
import { Name } from "../text/show.js";
import { html, useEffect, useLayoutEffect, useMemo, useRef, useState, type Child, type VNode } from "../vendor/preact.js";
import { t } from "../words/words.js";
import { isFailed, isRecorded, kindOf, summary } from "./kinds.js";
import { critical, endOf, extent, isUnder, rowsOf, type Node, type Row } from "./tree.js";
import type { RunTree } from "./store.js";

const ROW = 30;
/** Rows that exist above and below what is in view. */
const BEYOND = 8;

interface Scale {
  readonly start: number;
  readonly end: number;
  readonly now: number;
  readonly critical: ReadonlySet<number>;
}

interface Props {
  readonly tree: RunTree;
  readonly root: Node;
  readonly version: number;
  readonly selected: number | undefined;
  readonly select: (node: Node) => void;
  readonly enter: (node: Node) => void;
}

export function Timeline({ tree, root, version, selected, select, enter }: Props): VNode {
  const rows = useMemo(() => rowsOf(root), [root, version]);
  const scale = useMemo(() => scaleOf(root), [root, version]);
  const frame = useRef<HTMLDivElement | null>(null);
  const [first, last] = useWindow(frame, rows.length);
  const at = rows.findIndex((row) => row.kind === "event" && row.node.event.id === selected);
  useLayoutEffect(() => into(frame.current, at), [at]);
  const press = (event: KeyboardEvent): void => pressed(event, { rows, at, tree, select, enter });
  const visible = rows.slice(first, last);
  return html`
    <div class="timeline">
      <div class="ruler" aria-hidden="true"><span>0</span><span>${duration((scale.end - scale.start) / 2)}</span><span>${duration(scale.end - scale.start)}</span></div>
      <div class="rows" ref=${frame} role="tree" tabindex="0" data-row aria-label=${t("timeline")} aria-activedescendant=${at >= first && at < last ? `event-${selected}` : undefined} onKeyDown=${press}>
        <div class="track" role="none" style=${{ height: `${rows.length * ROW}px` }}>
          ${visible.map((row, index) => html`<${TimelineRow} key=${keyOf(row)} row=${row} top=${(first + index) * ROW} scale=${scale} selected=${selected} tree=${tree} select=${select} enter=${enter} />`)}
        </div>
      </div>
    </div>`;
}

function keyOf(row: Row): string {
  return row.kind === "event" ? `event-${row.node.event.id}` : `more-${row.parent.event.id}`;
}

function scaleOf(root: Node): Scale {
  const { start, end } = extent(root);
  return { start, end, now: end, critical: critical(root, end) };
}

/** The range of rows to build, by where the frame is scrolled to. */
function useWindow(frame: { current: HTMLDivElement | null }, total: number): [number, number] {
  const [range, setRange] = useState<readonly [number, number]>([0, 60]);
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const measure = (): void => {
      const first = Math.max(0, Math.floor(element.scrollTop / ROW) - BEYOND);
      const last = Math.ceil((element.scrollTop + element.clientHeight) / ROW) + BEYOND;
      setRange((before) => (before[0] === first && before[1] === last ? before : [first, last]));
    };
    measure();
    element.addEventListener("scroll", measure, { passive: true });
    const sized = new ResizeObserver(measure);
    sized.observe(element);
    return () => {
      element.removeEventListener("scroll", measure);
      sized.disconnect();
    };
  }, [total]);
  return [Math.min(range[0], Math.max(0, total - 1)), Math.min(range[1], total)];
}

/** Scrolls a row into view. It may not exist yet, so it is found by its height. */
function into(frame: HTMLElement | null, at: number): void {
  if (!frame || at < 0) return;
  const top = at * ROW;
  if (top < frame.scrollTop) frame.scrollTop = top;
  else if (top + ROW > frame.scrollTop + frame.clientHeight) frame.scrollTop = top + ROW - frame.clientHeight;
}

interface Pressed extends Pick<Props, "tree" | "select" | "enter"> {
  readonly rows: readonly Row[];
  readonly at: number;
}

function pressed(event: KeyboardEvent, { rows, at, tree, select, enter }: Pressed): void {
  const row = rows[at];
  const node = row?.kind === "event" ? row.node : undefined;
  const step = (by: number): void => {
    for (let next = at + by; next >= 0 && next < rows.length; next += by) {
      const found = rows[next];
      if (found?.kind === "event") return select(found.node);
    }
  };
  const acts: Record<string, () => void> = {
    j: () => step(1), ArrowDown: () => step(1), k: () => step(-1), ArrowUp: () => step(-1),
    Home: () => rows[0]?.kind === "event" && select(rows[0].node), End: () => step(rows.length - 1 - at || 1),
    ArrowRight: () => node && (node.open ? step(1) : has(node) && void tree.open(node)),
    ArrowLeft: () => node && (node.open ? tree.close(node) : up(rows, at, select)),
    Enter: () => node && enter(node), " ": () => node && toggle(tree, node),
  };
  const act = acts[event.key];
  if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  act();
}

function has(node: Node): boolean {
  return (node.event.children ?? node.children?.length ?? 0) > 0;
}

function toggle(tree: RunTree, node: Node): void {
  if (node.open) tree.close(node);
  else if (has(node)) void tree.open(node);
}

/** Selects the event that the row belongs to. */
function up(rows: readonly Row[], at: number, select: (node: Node) => void): void {
  const depth = rows[at]?.kind === "event" ? rows[at].node.depth : 0;
  for (let above = at - 1; above >= 0; above -= 1) {
    const row = rows[above];
    if (row?.kind === "event" && row.node.depth < depth) return select(row.node);
  }
}

interface RowProps extends Pick<Props, "tree" | "selected" | "select" | "enter"> {
  readonly row: Row;
  readonly top: number;
  readonly scale: Scale;
}

function TimelineRow(props: RowProps): Child {
  return props.row.kind === "more" ? html`<${MoreRow} parent=${props.row.parent} top=${props.top} tree=${props.tree} />` : html`<${EventRow} ...${props} node=${props.row.node} />`;
}

/** Fetches the next children when it comes into view. */
function MoreRow({ parent, top, tree }: { readonly parent: Node; readonly top: number; readonly tree: RunTree }): VNode {
  useEffect(() => {
    if (tree.error === undefined) void tree.more(parent);
  });
  return html`<div class="row more-row quiet" role="none" style=${{ top: `${top}px`, paddingInlineStart: indent(parent.depth + 1) }}>${t("loading_events")}</div>`;
}

/** Deep rows are indented no further than a narrow page allows; their level stands in `aria-level`. */
function indent(depth: number): string {
  return `${Math.min(depth, 12) * 0.8 + 0.3}rem`;
}

function EventRow({ node, top, scale, selected, tree, select, enter }: RowProps & { readonly node: Node }): VNode {
  const { event } = node;
  const kind = kindOf(event);
  const failure = isFailed(event);
  const isCritical = scale.critical.has(event.id);
  return html`
    <div class="row ${event.id === selected ? "selected" : ""}" id=${`event-${event.id}`} role="treeitem" aria-level=${node.depth + 1} aria-selected=${event.id === selected}
      aria-expanded=${has(node) ? node.open : undefined} data-kind=${event.kind} style=${{ top: `${top}px` }} onClick=${() => select(node)} onDblClick=${() => enter(node)}>
      <div class="what" style=${{ paddingInlineStart: indent(node.depth) }}>
        <span class="twist" aria-hidden="true" onClick=${() => toggle(tree, node)}>${has(node) ? (node.open ? "▾" : "▸") : ""}</span>
        <span class="sign-of tone-${failure ? "bad" : kind.tone}" aria-hidden="true">${failure ? "✕" : kind.sign}</span>
        <span class="kind">${t(kind.word)}${typeof event.call === "number" && ` ${event.call}`}</span>
        <span class="says"><${Name} text=${summary(event)} /></span>
        ${isRecorded(event) && html`<span class="quiet">${t("from_record")}</span>`}
        ${failure && html`<span class="hidden">${t("failed")}</span>`}
      </div>
      <div class="lane"><${Bar} node=${node} scale=${scale} tone=${failure ? "bad" : kind.tone} critical=${isCritical} /></div>
      <div class="took">${isCritical && html`<span title=${t("critical")} aria-hidden="true">◈ </span><span class="hidden">${t("critical")} </span>`}${isUnder(event) ? t("unfinished") : event.duration_us === 0 ? "" : duration(event.duration_us)}</div>
    </div>`;
}

function Bar({ node, scale, tone, critical: isCritical }: { readonly node: Node; readonly scale: Scale; readonly tone: string; readonly critical: boolean }): VNode {
  const whole = scale.end - scale.start;
  const left = ((node.event.start_us - scale.start) / whole) * 100;
  const width = ((endOf(node.event, scale.now) - node.event.start_us) / whole) * 100;
  const style = { insetInlineStart: `${left.toFixed(3)}%`, inlineSize: `max(3px, ${Math.min(width, 100 - left).toFixed(3)}%)` };
  return html`<span class="bar-of tone-${tone} ${isCritical ? "critical" : ""} ${isUnder(node.event) ? "under" : ""}" aria-hidden="true" style=${style}></span>`;
}
