/** Following what is under way: whenever the server tells that it has grown, it is asked for again (IN-5, IN-11). */

import { api, ApiError } from "./api.js";
import { useEffect, useRef } from "./vendor/preact.js";

/** Calls back when something under way has grown, at most once a second, and once when it has ended. */
export function useFollowed(kind: "runs" | "flows", id: string, running: boolean, grown: () => void): void {
  const latest = useRef(grown);
  latest.current = grown;
  useEffect(() => {
    if (!running) return;
    let timer: number | undefined;
    const soon = (): void => {
      timer ??= setTimeout(() => {
        timer = undefined;
        latest.current();
      }, 1_000);
    };
    const stop = new AbortController();
    void follow(kind, id, (event) => (event === "end" ? latest.current() : soon()), stop.signal);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [kind, id, running]);
}

/** Follows until the end, the reader leaves or the server refuses; a connection that broke is made again. */
async function follow(kind: "runs" | "flows", id: string, heard: (event: string) => void, signal: AbortSignal): Promise<void> {
  let ended = false;
  const hear = (event: string): void => {
    ended ||= event === "end";
    heard(event);
  };
  while (!ended && !signal.aborted) {
    const refused = await api.follow(kind, id, hear, signal).then(() => false, (error: unknown) => error instanceof ApiError && error.status !== 0);
    if (refused) return;
    if (!ended) await new Promise((again) => setTimeout(again, 3_000));
  }
}
