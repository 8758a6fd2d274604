/** Draws the widget into a shadow root of its own, where the page's styles cannot reach. */
import { createRef, type RefObject, render } from "preact";
import { App } from "./components/App.tsx";
import { fitHeight } from "./components/Composer.tsx";
import type { WidgetConfig } from "./config.ts";
import type { Conversation } from "./conversation.ts";
import { followViewport } from "./follow_viewport.ts";
import type { WidgetHandle } from "./handle.ts";
import type { Locale } from "./locales.ts";
import type { Session } from "./session.ts";

export interface View {
  readonly conversation: Conversation;
  readonly session: Session;
  readonly handle: WidgetHandle;
  readonly config: WidgetConfig;
  locale: Locale;
  /** How many widgets were on the page before this one: their launchers stand side by side. */
  readonly nth: number;
}

/** What the parts of the picture share. */
export interface Ui extends View {
  readonly log: RefObject<HTMLDivElement>;
  readonly input: RefObject<HTMLTextAreaElement>;
  readonly launcher: RefObject<HTMLButtonElement>;
  /** What had been written when the widget was drawn first. */
  readonly written: string | undefined;
  /** The reader has scrolled away from the end, and is left there. */
  away: boolean;
  readonly toEnd: () => void;
  /** Keeps the end in sight, whatever has grown, for who reads along. */
  readonly keepEnd: () => void;
  readonly onScroll: () => void;
}

export interface Mounted {
  /** Draws what has changed: at once, and then no more than once in each animation frame. */
  draw(): void;
  attach(): void;
  remove(): void;
}

/** How far from the end, in pixels, still counts as reading along. */
const NEAR_END_PX = 48;
/** By then a screen reader has taken up what it was told; who then reads on meets the answer once. */
const ANNOUNCEMENT_MS = 10_000;

export function mount(view: View, css: string): Mounted {
  const host = document.createElement("service-widget");
  const root = host.attachShadow({ mode: "open" });
  root.adoptedStyleSheets = [styleSheet(css)];
  const attach = () => void (host.isConnected || document.body.append(host));
  let changed = false;
  let waiting = false;
  /** A hidden page has no frames, and must still tell what has come when it is shown. */
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
  attach();
  const unfollow = followViewport(host, draw);
  return {
    draw,
    attach,
    remove() {
      unfollow();
      paint = () => {};
      render(null, root);
      host.remove();
    },
  };
}

function createUi(view: View, draw: () => void): Ui {
  const ui: Ui = Object.assign(view, {
    log: createRef<HTMLDivElement>(),
    input: createRef<HTMLTextAreaElement>(),
    launcher: createRef<HTMLButtonElement>(),
    written: view.conversation.state.draft,
    away: false,
    toEnd() {
      ui.away = false;
      draw();
    },
    keepEnd() {
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
  const { conversation, launcher, input } = ui;
  let shown: boolean | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let heard: ReturnType<typeof setTimeout> | undefined;
  return () => {
    conversation.announceAnswer();
    const { open, turns, failure, said } = conversation.state;
    // Asking something always brings the reader back to the end.
    if (turns.at(-1)?.role === "user") ui.away = false;
    const inside = root.activeElement;
    render(<App ui={ui} />, root);
    root.host.toggleAttribute("open", open);
    if (open !== shown) fitHeight(input.current!);
    ui.keepEnd();
    // Not at first: a page that loads is not robbed of its focus.
    if (open !== (shown ?? open)) {
      if (open) input.current?.focus({ preventScroll: true });
      else if (inside) launcher.current?.focus({ preventScroll: true });
    }
    shown = open;
    const wait = (failure?.retryAt ?? 0) - Date.now();
    clearTimeout(timer);
    if (wait > 0) timer = setTimeout(draw, wait);
    clearTimeout(heard);
    if (said[0]) heard = setTimeout(() => conversation.clearAnnouncements(), ANNOUNCEMENT_MS);
  };
}

/** A constructed sheet needs no `style-src 'unsafe-inline'` from the page's security policy. */
function styleSheet(css: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  return sheet;
}
