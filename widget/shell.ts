/**
 * What the visitor sees before the panel's file is there: the launcher, and once it is pressed the
 * panel's frame with a field to type in. The panel takes over these elements in this order (see
 * components/App.tsx), so that neither the focus nor half a word is lost.
 */
import { readableTextColor } from "./config.ts";
import type { LauncherView } from "./panel_host.ts";
import { isSendKey } from "./send_key.ts";
import type { SavedState } from "./state.ts";
import { CLOSE_CHAT, OPEN_CHAT, RETRY, UNAVAILABLE, WRITE_MESSAGE } from "./string_ids.ts";
import { styleSheet } from "./style_sheet.ts";

const BUBBLE =
  "M10 3.5h4a7.5 7.5 0 0 1 7.5 7.5v9.5H10A7.5 7.5 0 0 1 10 3.5M8 9.2V11h8V9.2m-8 4V15h5v-1.8";
const CHEVRON = "m6 9.5 6 6 6-6";
const CROSS = "m6.5 6.5 11 11m0-11-11 11";
const SVG = "http://www.w3.org/2000/svg";

export interface ShellOptions {
  readonly view: LauncherView;
  readonly saved: SavedState;
  /** Whether the panel's file could not be loaded. */
  readonly failed: () => boolean | undefined;
  /** Loads the panel's file, again if that has failed. */
  readonly load: () => void;
  /** The visitor sends the field's text. */
  readonly send: (field: HTMLTextAreaElement) => void;
  /** Removes the listeners: the panel has its own. */
  readonly signal: AbortSignal;
}

export interface Shell {
  readonly host: HTMLElement;
  readonly root: ShadowRoot;
  readonly field: HTMLTextAreaElement;
  paint(): void;
  /** Moves the focus into the panel, or out of it. */
  focus(): void;
}

export function createShell(options: ShellOptions): Shell {
  const { view, saved, failed, load, send, signal } = options;
  const { handle, nth } = view;
  const host = element("service-widget");
  const root = host.attachShadow({ mode: "open" });
  root.adoptedStyleSheets = [styleSheet()];
  const close = element("button", { class: "tool", type: "button" }, icon(CROSS));
  const launcher = element("button", {
    ...{ class: "launcher", part: "launcher", type: "button", "aria-controls": "panel" },
  });
  const field = element("textarea", {
    ...{ class: "input", part: "input", rows: 1, dir: "auto", enterkeyhint: "send" },
  });
  field.defaultValue = saved.draft ?? "";
  const stage = element("div", { class: "stage" });
  const names = element("div", { class: "names" });
  const panel = element(
    "section",
    { id: "panel", class: "panel", part: "panel", role: "dialog" },
    element("div", { class: "header", part: "header" }, names, close),
    stage,
    element("form", { class: "composer" }, element("div", { class: "field" }, field)),
  );
  if (saved.turns[0]) {
    // Stands for "New conversation", so that a press of "Close chat" can never end on that.
    close.before(element("button", { hidden: "" }));
  }
  const all = element("div", {}, panel);
  root.append(all);

  const listen = (event: Event) => {
    const button = (event.target as Element).closest("button");
    switch (event.type) {
      case "click":
        if (button === launcher) handle.toggle();
        else if (button === close) handle.close();
        else if (button) {
          // It disappears.
          field.focus();
          load();
        }
        break;
      case "keydown":
        onKey(event as KeyboardEvent);
        break;
      case "input":
        saved.draft = field.value;
        break;
      default:
        // After a failure the visitor decides when to try again.
        if (button === launcher && !failed()) load();
    }
  };
  for (const name of ["click", "keydown", "input", "pointerover", "focusin"]) {
    root.addEventListener(name, listen, { signal });
  }

  function onKey(event: KeyboardEvent): void {
    if (event.key === "Escape" && !event.isComposing && !view.config.page) {
      event.stopPropagation();
      handle.close();
    }
    if (event.target === field && isSendKey(event)) {
      event.preventDefault();
      send(field);
    }
  }

  let shown: unknown;
  return {
    host,
    root,
    field,
    paint() {
      const { config: { theme, side, accent, title, page, ...config }, locale } = view;
      const { t, lang, dir } = locale;
      const { open } = saved;
      host.toggleAttribute("open", open);
      const states = (open || page ? " open" : "") + (page ? " page" : "");
      set(all, { lang, dir, class: `w ${theme} ${side}${states}` });
      all.style.setProperty("--nth", `${nth}`);
      all.style.setProperty("--accent", accent);
      all.style.setProperty("--on-accent", accent && readableTextColor(accent));
      const write = t(WRITE_MESSAGE);
      set(panel, { "aria-label": title || write });
      set(field, { "aria-label": write, placeholder: write });
      close.style.display = page ? "none" : "";
      set(close, { "aria-label": t(CLOSE_CHAT) });
      const label = `${t(open ? CLOSE_CHAT : OPEN_CHAT)} ${title}`;
      set(launcher, { "aria-label": label, "aria-expanded": open });
      launcher.replaceChildren(open ? icon(CHEVRON) : icon(BUBBLE, " solid"));
      if (!config.launcher || page) launcher.remove();
      else if (!launcher.parentNode) all.append(launcher);
      // An alert that is made again would be read again.
      if (shown === (shown = failed() ? t : open || page)) return;
      stage.replaceChildren(shown === t ? notice() : shown ? element("i", { class: "dot" }) : "");
    },
    focus() {
      if (saved.open) field.focus({ preventScroll: true });
      else if (root.activeElement) launcher.focus({ preventScroll: true });
    },
  };

  function notice(): HTMLElement {
    const { t } = view.locale;
    return element(
      "div",
      { class: "notice", role: "alert" },
      element("p", {}, t(UNAVAILABLE)),
      element("button", { class: "retry", type: "button" }, t(RETRY)),
    );
  }
}

function element<K extends keyof HTMLElementTagNameMap | "service-widget">(
  name: K,
  attributes: Record<string, unknown> = {},
  ...inside: (Node | string)[]
): K extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[K] : HTMLElement {
  const made = document.createElement(name);
  set(made, attributes);
  made.append(...inside);
  return made as never;
}

function set(target: Element, attributes: Record<string, unknown>): void {
  for (const name in attributes) target.setAttribute(name, `${attributes[name]}`);
}

/** As in components/icons.tsx. */
function icon(path: string, solid = ""): SVGElement {
  const svg = document.createElementNS(SVG, "svg");
  set(svg, { class: `icon${solid}`, viewBox: "0 0 24 24", "aria-hidden": true });
  const line = document.createElementNS(SVG, "path");
  set(line, { d: path });
  svg.append(line);
  return svg;
}
