/** Renders the panel into the widget's own shadow root, out of reach of the page's styles. */
import { App } from "./components/App.tsx";
import { fitHeight } from "./components/Composer.tsx";
import { CopyButton } from "./components/CopyButton.tsx";
import { followViewport } from "./follow_viewport.ts";
import { isSendKey } from "./send_key.ts";
import { stripMarkup } from "./answer_text.ts";
import { render } from "./render.ts";
import { styleSheet } from "./style_sheet.ts";
import type { Ui, View } from "./ui.ts";

export interface Mounted {
  /** Renders changes: immediately, then at most once per animation frame. */
  draw(): void;
  end(): void;
}

/** Distance from the end of the log at which the reader still follows the answer. */
const NEAR_END_PX = 48;
/** Announcements are removed after this time, so that browsing the panel does not repeat them. */
const ANNOUNCEMENT_MS = 10_000;

/** Takes over the elements that the launcher has put into `root`. */
export function mount(view: View, root: ShadowRoot): Mounted {
  root.adoptedStyleSheets.push(styleSheet());
  let changed = false;
  let waiting = false;
  // A hidden page gets no animation frames but must be up to date when it is shown.
  const tick = () => {
    waiting = changed;
    if (!changed) return;
    changed = false;
    paint();
    (document.hidden ? setTimeout : requestAnimationFrame)(tick);
  };
  const draw = () => {
    changed = true;
    if (!waiting) queueMicrotask(tick);
    waiting = true;
  };
  const ui: Ui = createUi(view, draw);
  let paint = createPainter(ui, root, draw);
  const unfollow = followViewport(root.host as HTMLElement, draw);
  // Whatever waits for a frame when the page is hidden would wait until it is shown.
  document.addEventListener("visibilitychange", tick);
  return {
    draw,
    end() {
      unfollow();
      document.removeEventListener("visibilitychange", tick);
      paint = () => {};
      render(null, root);
    },
  };
}

function createUi(view: View, draw: () => void): Ui {
  const ui: Ui = Object.assign(view, {
    log: { current: null },
    input: { current: null },
    launcher: { current: null },
    initialDraft: view.conversation.state.draft,
    away: false,
    lent: { CopyButton, isSendKey, stripMarkup },
    scrollToEnd() {
      ui.away = false;
      draw();
    },
    stickToEnd() {
      if (!ui.away) ui.log.current!.scrollTop = ui.log.current!.scrollHeight;
    },
    onScroll() {
      const { scrollHeight, scrollTop, clientHeight } = ui.log.current!;
      const away = scrollHeight - scrollTop - clientHeight > NEAR_END_PX;
      if (away !== ui.away) draw();
      ui.away = away;
    },
  });
  return ui;
}

function createPainter(ui: Ui, root: ShadowRoot, draw: () => void): () => void {
  const { conversation, launcher, input, log } = ui;
  let shown: boolean | undefined;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let announcementTimer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    conversation.announceAnswer();
    const { open, turns, failure, announcements } = conversation.state;
    // Sending a message always scrolls to the end.
    if (turns.at(-1)?.role === "user") ui.away = false;
    const inside = root.activeElement;
    render(<App ui={ui} />, root);
    root.host.toggleAttribute("open", open);
    if (open !== shown) fitHeight(input.current!);
    ui.stickToEnd();
    // A pressed button that has disappeared must not lose the focus to the page.
    if (inside && !root.activeElement) log.current!.focus({ preventScroll: true });
    // Not on the first render: loading the widget must not take the focus from the page.
    if (open !== (shown ?? open)) {
      if (open) input.current?.focus({ preventScroll: true });
      else if (inside) launcher.current?.focus({ preventScroll: true });
    }
    shown = open;
    const wait = (failure?.retryAt ?? 0) - Date.now();
    clearTimeout(retryTimer);
    // A timer of more than 24.8 days would end at once.
    if (wait > 0) retryTimer = setTimeout(draw, Math.min(wait, 1e9));
    clearTimeout(announcementTimer);
    if (announcements[0]) {
      announcementTimer = setTimeout(() => conversation.clearAnnouncements(), ANNOUNCEMENT_MS);
    }
  };
}
