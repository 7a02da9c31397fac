/** What the page uses of `preact.js`, which is htm/preact/standalone of htm 3.1.1. */

export type Child = VNode | string | number | boolean | null | undefined | readonly Child[];
export interface VNode {
  readonly type: unknown;
  readonly props: object;
}
export type Update<Value> = (next: Value | ((previous: Value) => Value)) => void;
export interface Ref<Value> {
  current: Value;
}

export function html(strings: TemplateStringsArray, ...values: unknown[]): VNode;
export function render(node: Child, parent: Element): void;
export function useState<Value>(initial: Value | (() => Value)): [Value, Update<Value>];
export function useEffect(effect: () => void | (() => void), inputs?: readonly unknown[]): void;
export function useLayoutEffect(effect: () => void | (() => void), inputs?: readonly unknown[]): void;
export function useRef<Value>(initial: Value): Ref<Value>;
export function useMemo<Value>(make: () => Value, inputs: readonly unknown[]): Value;
