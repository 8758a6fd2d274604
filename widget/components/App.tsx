import { readableTextColor } from "../config.ts";
import { CLOSE_CHAT, OPEN_CHAT } from "../string_ids.ts";
import { panelTitle, type Ui } from "../ui.ts";
import { Composer } from "./Composer.tsx";
import { Header } from "./Header.tsx";
import { BubbleIcon, ChevronIcon } from "./icons.tsx";
import { MessageLog } from "./MessageLog.tsx";

/** The launcher and the panel. */
export function App({ ui }: { readonly ui: Ui }) {
  const { config, conversation: { state }, handle, locale: { t, lang, dir }, nth } = ui;
  const { theme, side, accent, page } = config;
  const label = `${t(state.open ? CLOSE_CHAT : OPEN_CHAT)} ${config.title}`;
  return (
    <div
      lang={lang}
      dir={dir}
      class={`w ${theme} ${side}${state.open || page ? " open" : ""}${page ? " page" : ""}`}
      style={{
        "--nth": nth,
        "--accent": accent,
        "--on-accent": accent && readableTextColor(accent),
      }}
      onKeyDown={(event) => onKey(event, ui)}
    >
      <section
        id="panel"
        class="panel"
        part="panel"
        role="dialog"
        aria-label={panelTitle(ui)}
        aria-modal={!page && isSmallScreen()}
      >
        <Header ui={ui} />
        <MessageLog ui={ui} />
        <Composer ui={ui} />
        <div class="hidden" role="status">
          {state.open && state.announcements.map((text, index) => <p key={index}>{text}</p>)}
        </div>
      </section>
      {config.launcher && !page && (
        <button
          ref={ui.launcher}
          type="button"
          class="launcher"
          part="launcher"
          aria-label={label}
          aria-expanded={state.open}
          aria-controls="panel"
          onClick={handle.toggle}
        >
          {state.open ? <ChevronIcon /> : <BubbleIcon />}
          {state.unread && <span class="unread" />}
        </button>
      )}
    </div>
  );
}

/** Escape that ends an IME composition must not close the panel. */
function onKey(event: KeyboardEvent, ui: Ui): void {
  if (event.isComposing) return;
  if (event.key === "Escape" && !ui.config.page) {
    event.stopPropagation();
    ui.handle.close();
  }
  if (event.key === "Tab" && isSmallScreen()) trapFocus(event);
}

/** On a small screen the panel covers the page, so it behaves as a modal dialog. */
function isSmallScreen(): boolean {
  return matchMedia("(max-width:520px)").matches;
}

/** Keeps the focus inside the panel while it covers the page. */
function trapFocus(event: KeyboardEvent): void {
  const panel = (event.currentTarget as Element).firstElementChild!;
  const all = [...panel.querySelectorAll<HTMLElement>("button,textarea,a,[tabindex]")];
  const [from, to] = event.shiftKey ? [all[0], all.at(-1)] : [all.at(-1), all[0]];
  if (event.target !== from) return;
  event.preventDefault();
  to!.focus();
}
