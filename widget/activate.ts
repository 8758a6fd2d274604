/** Starts the widget of a script tag: reads its settings, and makes its handle known to the page. */
import { readConfig } from "./config.ts";
import { page as globals } from "./file_exports.ts";
import type { WidgetScript } from "./find_script.ts";
import type { WidgetHandle } from "./handle.ts";
import { startLauncher } from "./launcher.ts";
import type { Languages } from "./locales.ts";

/** The page's widgets by service and agent, shared by all copies of the script. */
const RUNNING = Symbol.for("agent-chat.service-widgets");

export interface Running {
  readonly handle: WidgetHandle;
  /** Adds the widget again to a page that has replaced its body. */
  readonly attach: () => void;
}

const page = globals as {
  [RUNNING]?: Map<string, Running>;
  serviceWidget?: WidgetHandle | undefined;
};

/** A second tag for the same agent, say from a tag manager, gets the handle of the first. */
export function activate(script: WidgetScript, languages: Languages): void {
  const read = (name: string) => script.getAttribute(name);
  const config = readConfig(read, document.baseURI);
  if (Array.isArray(config)) return console.error(`[service-widget] ${config.join("; ")}`);
  const all = page[RUNNING] ??= new Map();
  const key = config.apiBase + config.agentId;
  const running = all.get(key);
  if (running) {
    script.serviceWidget = running.handle;
    return running.attach();
  }
  const started = startLauncher(config, {
    languages,
    read,
    script,
    nth: all.size,
    forget() {
      all.delete(key);
      delete script.serviceWidget;
      if (page.serviceWidget === started.handle) page.serviceWidget = [...all.values()][0]?.handle;
    },
  });
  all.set(key, started);
  // All panels open in the same place.
  started.handle.on("open", () => all.forEach((one) => one !== started && one.handle.close()));
  script.serviceWidget = started.handle;
  // Not `??=`: an element with this id would also be `window.serviceWidget`.
  if (all.size === 1) page.serviceWidget = started.handle;
  dispatchReady(script, started.handle);
}

/** In a microtask, so that code that inserts the script can still add its listener. */
function dispatchReady(script: WidgetScript, handle: WidgetHandle): void {
  queueMicrotask(() => {
    const ready = new CustomEvent("service-widget:ready", { detail: handle, bubbles: true });
    (script.isConnected ? script : document).dispatchEvent(ready);
  });
}
