/** Loads the extras on their first use. A chat works without them. */
import type { Extras, ExtrasHost } from "./extras/extras_host.ts";
import { ABOVE_FIELD, BELOW, MENU, type Place, type Slot, type SlotValue } from "./extras/slot.ts";
import type { LoadFile } from "./load_file.ts";
import { UNAVAILABLE } from "./string_ids.ts";

/** Defined by the bundler, like those of the panel. */
declare const EXTRAS_FILE: string;
declare const EXTRAS_INTEGRITY: string;

export interface LazyExtras {
  /**
   * Renders nothing until the file is there, and then what the file renders. It is loaded when a visitor
   * sees a finished answer or a draft's files, holds files over the panel, for the words of people, for
   * calls that wait, and for what the visitor asks of it. If it cannot be loaded, the next message tries
   * again, silently after an answer, otherwise with a notice.
   */
  readonly slot: Slot;
  /** Signs the calls of a session, which wait for the file. They fail if it cannot be loaded. */
  readonly boundFetch: typeof fetch;
}

export function lazyExtras(host: () => ExtrasHost, loadFile: LoadFile): LazyExtras {
  /** What was asked for until the file is there. */
  let asked: Parameters<Slot>[] = [];
  let slot: Slot | undefined;
  /** Calls that wait for the file. */
  let waiting: [resolve: (signed: typeof fetch) => void, reject: () => void][] = [];
  let signed: typeof fetch | undefined;
  let loading = false;
  let attempt = 0;
  /** The messages from this number on have not tried yet. */
  let next = 0;
  /** People or calls wait for the extras. */
  const isWaiting = () => {
    const { handoff, calls } = host().ui.conversation.state;
    return handoff || calls?.[0];
  };
  /** Once for each message. */
  const isNeeded = (place: Place, value: SlotValue | undefined) => {
    const { open, files, nextId } = host().ui.conversation.state;
    const { role, id = nextId - 1, length } = Object(value);
    const isSeen = place === BELOW
      ? role === "assistant"
      : place === ABOVE_FIELD
      ? files
      : length === 0;
    return id >= next && (isWaiting() || open && isSeen);
  };
  const load = () => {
    const { ui: { conversation }, changed } = host();
    const failed = () => {
      loading = false;
      if (asked[0] || isWaiting()) {
        conversation.fail("extras_not_loaded", UNAVAILABLE);
      }
      asked = [];
      waiting.map(([, reject]) => reject());
      waiting = [];
    };
    if (loading) return;
    loading = true;
    next = conversation.state.nextId;
    loadFile<Extras>({
      name: EXTRAS_FILE,
      integrity: EXTRAS_INTEGRITY,
      attempt: attempt++,
      loaded({ start, boundFetch }) {
        signed ??= boundFetch(fetch.bind(globalThis));
        waiting.map(([resolve]) => resolve(signed!));
        waiting = [];
        if (slot) return;
        start(host(), (ready) => {
          slot = ready;
          asked.map((call) => ready(...call));
          changed(false);
        }, failed);
      },
      failed,
    });
  };
  return {
    slot(place, value) {
      if (slot) return slot(place, value);
      const isAsked = place === MENU || Object(value).length > 0;
      if (isAsked) asked.push([place, value]);
      if (isAsked || isNeeded(place, value)) load();
    },
    async boundFetch(...call) {
      const sign = signed ?? await new Promise<typeof fetch>((...settle) => {
        waiting.push(settle);
        load();
      });
      return sign(...call);
    },
  };
}
