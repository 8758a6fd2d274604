/** Loads the extras when a visitor sees a finished answer. The panel works without them. */
import type { BelowAnswer, ExtrasHost, StartExtras } from "./extras_host.ts";
import type { LoadFile } from "./load_file.ts";

/** Defined by the bundler, like those of the panel. */
declare const EXTRAS_FILE: string;
declare const EXTRAS_INTEGRITY: string;

/**
 * Renders nothing until the file is there, and then what the file renders. After a failure, which the
 * visitor does not notice, the next answer tries again.
 */
export function lazyExtras(host: ExtrasHost, loadFile: LoadFile): BelowAnswer {
  let below: BelowAnswer | undefined;
  let loading = false;
  let attempt = 0;
  /** The answers from this number on have not tried yet. */
  let next = 0;
  return (answer) => {
    const { open, nextId } = host.ui.conversation.state;
    if (below) return below(answer);
    if (open && !loading && answer.id >= next) {
      loading = true;
      next = nextId;
      loadFile<StartExtras>({
        name: EXTRAS_FILE,
        integrity: EXTRAS_INTEGRITY,
        attempt: attempt++,
        loaded(start) {
          below ??= start(host);
          host.changed(false);
        },
        failed() {
          loading = false;
        },
      });
    }
  };
}
