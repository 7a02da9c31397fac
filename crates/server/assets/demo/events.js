/** Listeners by the name of what happens. */
export class Events {
    #listeners = new globalThis.Map();
    /** Calls `listener` each time; the function that is returned ends that. */
    on(name, listener) {
        const listeners = this.#listeners.get(name) ?? new Set();
        this.#listeners.set(name, listeners);
        listeners.add(listener);
        return () => void listeners.delete(listener);
    }
    /** Tells all listeners; one that throws keeps neither the others nor the caller from going on. */
    tell(name, value) {
        for (const listener of [...(this.#listeners.get(name) ?? [])]) {
            guard(() => listener(value));
        }
    }
}
/** Runs foreign code; what it throws is reported as an uncaught error would be. */
export function guard(run) {
    try {
        run();
    }
    catch (error) {
        queueMicrotask(() => {
            throw error;
        });
    }
}
export function deferred() {
    let resolve;
    let reject;
    const promise = new Promise((done, failed) => {
        resolve = done;
        reject = failed;
    });
    promise.catch(() => { });
    return { promise, resolve, reject };
}
