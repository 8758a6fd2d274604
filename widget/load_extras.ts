/** Loads the extras on their first use. A chat works without them. */
import type { ExtrasHost, StartExtras } from "./extras/extras_host.ts";
import { ABOVE_FIELD, BELOW, MENU, type Place, type Slot, type SlotValue } from "./extras/slot.ts";
import type { LoadFile } from "./load_file.ts";
import { UNAVAILABLE } from "./string_ids.ts";

/** Defined by the bundler, like those of the panel. */
declare const EXTRAS_FILE: string;
declare const EXTRAS_INTEGRITY: string;

/**
 * Renders nothing until the file is there, and then what the file renders. It is loaded when a visitor
 * sees a finished answer or a draft's files, holds files over the panel, for the words of people, and for
 * what the visitor asks of it. If it cannot be loaded, the next message tries again, silently after an
 * answer, otherwise with a notice.
 */
export function lazyExtras(host: ExtrasHost, loadFile: LoadFile): Slot {
  const { conversation } = host.ui;
  /** What was asked for until the file is there. */
  let asked: Parameters<Slot>[] = [];
  let slot: Slot | undefined;
  let loading = false;
  let attempt = 0;
  /** The messages from this number on have not tried yet. */
  let next = 0;
  /** Once for each message. */
  const isNeeded = (place: Place, value: SlotValue | undefined) => {
    const { open, files, handoff, nextId } = conversation.state;
    const { role, id = nextId - 1, length } = Object(value);
    const isSeen = place === BELOW
      ? role === "assistant"
      : place === ABOVE_FIELD
      ? files
      : length === 0;
    return id >= next && (handoff || open && isSeen);
  };
  const load = () => {
    loading = true;
    next = conversation.state.nextId;
    loadFile<StartExtras>({
      name: EXTRAS_FILE,
      integrity: EXTRAS_INTEGRITY,
      attempt: attempt++,
      loaded: (start) =>
        slot ?? start(host, (ready) => {
          slot = ready;
          asked.map((call) => ready(...call));
          host.changed(false);
        }),
      failed() {
        loading = false;
        if (asked[0] || conversation.state.handoff) {
          conversation.fail("extras_not_loaded", UNAVAILABLE);
        }
        asked = [];
      },
    });
  };
  return (place, value) => {
    if (slot) return slot(place, value);
    const isAsked = place === MENU || Object(value).length > 0;
    if (isAsked) asked.push([place, value]);
    if (!loading && (isAsked || isNeeded(place, value))) load();
  };
}
