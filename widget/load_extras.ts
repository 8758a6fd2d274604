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
 * sees a finished answer or a draft's files, holds files over the panel, and for what they ask of it. If
 * it cannot be loaded, the next answer tries again silently; what the visitor has asked for ends with a
 * notice.
 */
export function lazyExtras(host: ExtrasHost, loadFile: LoadFile): Slot {
  const { conversation } = host.ui;
  /** What was asked for until the file is there. */
  let asked: Parameters<Slot>[] = [];
  let slot: Slot | undefined;
  let loading = false;
  let attempt = 0;
  /** The answers from this number on have not tried yet. */
  let next = 0;
  const isNew = (place: Place, value: SlotValue | undefined) => {
    const { open, files, nextId } = conversation.state;
    const { role, id = nextId - 1, length } = Object(value);
    const isSeen = place === BELOW
      ? role === "assistant"
      : place === ABOVE_FIELD
      ? files
      : length === 0;
    return open && id >= next && isSeen;
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
        if (asked[0]) conversation.fail("extras_not_loaded", UNAVAILABLE);
        asked = [];
      },
    });
  };
  return (place, value) => {
    if (slot) return slot(place, value);
    const isAsked = place === MENU || Object(value).length > 0;
    if (isAsked) asked.push([place, value]);
    if (!loading && (isAsked || isNew(place, value))) load();
  };
}
