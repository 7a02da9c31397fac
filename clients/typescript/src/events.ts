/** Listeners by the name of what happens. */

export class Events<Map extends object> {
  readonly #listeners = new globalThis.Map<keyof Map, Set<(value: never) => void>>();

  /** Calls `listener` each time; the function that is returned ends that. */
  on<Name extends keyof Map>(name: Name, listener: (value: Map[Name]) => void): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  /** Tells all listeners; one that throws keeps neither the others nor the caller from going on. */
  tell<Name extends keyof Map>(name: Name, value: Map[Name]): void {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) {
      guard(() => (listener as (value: Map[Name]) => void)(value));
    }
  }
}

/** Runs foreign code; what it throws is reported as an uncaught error would be. */
export function guard(run: () => void): void {
  try {
    run();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** A promise with its two ends in hand. A failure that nobody waits for is not an uncaught one. */
export interface Deferred<Value> {
  promise: Promise<Value>;
  resolve(value: Value): void;
  reject(error: unknown): void;
}

export function deferred<Value>(): Deferred<Value> {
  let resolve!: (value: Value) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<Value>((done, failed) => {
    resolve = done;
    reject = failed;
  });
  promise.catch(() => {});
  return { promise, resolve, reject };
}
