/** Loads the extras on their first use. A chat works without them. */
import type { ExtrasHost, StartExtras } from "./extras/extras_host.ts";
import { BELOW, MENU, type Slot, type SlotValue } from "./extras/slot.ts";
import type { LoadFile } from "./load_file.ts";
import type { TranscriptMessage } from "./state.ts";
import { UNAVAILABLE } from "./string_ids.ts";

/** Defined by the bundler, like those of the panel. */
declare const EXTRAS_FILE: string;
declare const EXTRAS_INTEGRITY: string;

/**
 * Renders nothing until the file is there, and then what the file renders. It is loaded when a visitor
 * sees a finished answer, and for what they ask of it. If it cannot be loaded, the next answer tries
 * again silently; what the visitor has asked for ends with a notice.
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
  const isNewAnswer = (value: SlotValue | undefined) => {
    const { role, id } = value as TranscriptMessage;
    return conversation.state.open && role === "assistant" && id >= next;
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
    const isAsked = place >= MENU;
    if (isAsked) asked.push([place, value]);
    if (!loading && (isAsked || place === BELOW && isNewAnswer(value))) load();
  };
}
