/** Starts the panel in the place of what the launcher has shown so far. */
// The order of imports is that in the bundle: others cost up to 40 bytes more.
import { Conversation } from "./conversation.ts";
import { takeFiles } from "./take_files.ts";
import { failureMessage } from "./failure.ts";
import { Session } from "./session.ts";
import { lazyExtras } from "./load_extras.ts";
import { joinLanguages, type Languages } from "./locales.ts";
import { developerHint } from "./developer_hints.ts";
import { isBound } from "./config.ts";
import { mount } from "./mount.tsx";
import { FILES } from "./extras/slot.ts";
import { h } from "./render.ts";
import { createReconnectTimer } from "./reconnect_timer.ts";
import type { Panel, PanelHost } from "./panel_host.ts";
import type { Ui } from "./ui.ts";

export function startPanel(host: PanelHost, texts: Languages): Panel {
  const { view, root, emitter, tab, saved, token, languages, onAppearance, loadFile } = host;
  const { config } = view;
  const extras = lazyExtras(() => ({ h, ui, root, changed, fetcher }), loadFile);
  const fetcher = isBound(host.read) ? extras.boundFetch : fetch.bind(globalThis);
  const options = { endpoint: config.sessionEndpoint, fetcher, now: Date.now };
  const session = new Session({ token, onAppearance, ...options });
  const reconnectTimer = createReconnectTimer({
    onWake: (silence) => conversation.wake(silence),
    onLeave: () => tab.save(conversation.state),
  });
  const changed = (save?: boolean) => {
    if (save) tab.save(conversation.state);
    draw();
  };
  const conversation: Conversation = new Conversation({
    ...config,
    ...options,
    session,
    emitter,
    saved,
    // Defined in every secure context: https and localhost.
    newId: () => crypto.randomUUID(),
    pause: reconnectTimer.pause,
    describe: (failure) => failureMessage(failure, view.locale, Date.now()),
    warn: (code, requestId) => console.error(developerHint(code, requestId)),
    changed,
  });
  const { slot } = extras;
  const ui = Object.assign(view, { conversation, session, slot }) as Ui;
  const { draw, end } = mount(ui, root);
  takeFiles(root, (files) => slot(FILES, files));
  return {
    conversation,
    languages: joinLanguages(languages, texts),
    draw,
    end() {
      reconnectTimer.end();
      end();
    },
  };
}
