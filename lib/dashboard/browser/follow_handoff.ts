import type { PersonFeedEvent } from "../handoff/person_feed_encoder.ts";

export interface FollowHandoffOptions {
  onMessage: (event: Extract<PersonFeedEvent, { text: string }>) => void;
  onTyping: () => void;
  /** The state has changed: the page shows what is possible now. */
  onState: () => void;
  onLost: () => void;
}

/** Follows the feed of a hand-off of any process. Returns a function that stops it. */
export function followHandoff(src: string, options: FollowHandoffOptions): () => void {
  const source = new EventSource(src);
  const onEvent = ({ data }: MessageEvent<string>) => {
    const event = JSON.parse(data) as PersonFeedEvent;
    if ("text" in event) return options.onMessage(event);
    if (event.type === "typing") return options.onTyping();
    source.close();
    options.onState();
  };
  for (const type of ["state", "contact", "visitor", "person", "typing"]) {
    source.addEventListener(type, onEvent);
  }
  // The browser reconnects by itself, unless the server said that there is nothing left.
  source.addEventListener("error", () => {
    if (source.readyState === EventSource.CLOSED) options.onLost();
  });
  // The state changes before the answer to an own form arrives, which must not be cancelled by a reload.
  const onSubmit = () => source.close();
  document.addEventListener("submit", onSubmit);
  return () => {
    source.close();
    document.removeEventListener("submit", onSubmit);
  };
}

/** Typing is reported at most this often, milliseconds. */
const TYPING_INTERVAL_MS = 3_000;

/** Reports while the person types. Returns a function that stops it. */
export function reportTyping(field: HTMLElement, url: string): () => void {
  let last = -Infinity;
  const onInput = () => {
    const now = performance.now();
    if (now - last < TYPING_INTERVAL_MS) return;
    last = now;
    // Typing that is not shown is not missed.
    fetch(url, { method: "POST" }).catch(() => {});
  };
  field.addEventListener("input", onInput);
  return () => field.removeEventListener("input", onInput);
}
