import { render } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { readableTextColor } from "../../widget/config.ts";
import { CopyButton } from "../../widget/components/CopyButton.tsx";
import { Message } from "../../widget/components/Message.tsx";
import { AnswerRow } from "../../widget/extras/answer/AnswerRow.tsx";
import { BELOW, type Slot } from "../../widget/extras/slot.ts";
import { textOf } from "../../widget/extras/text_ids.ts";
import { EXTRAS_LANGUAGES } from "../../widget/extras/texts.ts";
import { LANGUAGES } from "../../widget/languages.ts";
import { findLocale } from "../../widget/locales.ts";
import { addSources, type TranscriptMessage } from "../../widget/state.ts";
import type { MessageUi } from "../../widget/ui.ts";
import type { WidgetLook } from "../../lib/dashboard/agents/widget_look.ts";
import type { ToolUse } from "../../lib/dashboard/browser/playground_answer.ts";

export interface WidgetMessageProps {
  look: WidgetLook;
  role: TranscriptMessage["role"];
  text: string;
  /** Their sources stand below the answer. */
  tools?: readonly ToolUse[];
  /** The text is still arriving. */
  live?: boolean;
}

/** The widget lies fixed over its page; a message lies in the page. */
const IN_PAGE =
  ":host{position:static!important;z-index:auto!important;display:block!important;justify-self:stretch!important}";

/**
 * A message as visitors see it: rendered by the widget's own code, in a shadow root with its styles,
 * so that neither the styles of the dashboard nor those of the widget reach the other.
 */
export function WidgetMessage(
  { look, role, text, tools = [], live = false }: WidgetMessageProps,
) {
  const host = useRef<HTMLDivElement>(null);
  // Kept, because complete blocks keep their elements while the rest of the same message arrives.
  const message = useRef<TranscriptMessage>({ id: 0, role, text });
  useLayoutEffect(() => {
    const root = host.current!.shadowRoot ?? openRoot(host.current!, look.styles);
    const shown = Object.assign(message.current, { role, text, sources: undefined });
    for (const { name, output } of tools) addSources(shown, { name, output });
    render(<Shown look={look} message={shown} live={live} />, root);
  });
  useEffect(() => {
    const root = host.current!.shadowRoot!;
    return () => render(null, root);
  }, []);
  return <div class="widget-message" ref={host} />;
}

function Shown(
  { look: { accent, avatar, lang: chosen }, message, live }: {
    look: WidgetLook;
    message: TranscriptMessage;
    live: boolean;
  },
) {
  const ui = messageUi(chosen ?? document.documentElement.lang, avatar);
  const { lang, dir } = ui.locale;
  const colors = accent === undefined
    ? {}
    : { "--accent": accent, "--on-accent": readableTextColor(accent) };
  return (
    <div class={`w ${theme()}`} lang={lang} dir={dir} style={colors}>
      <Message ui={ui} turn={message} live={live} />
    </div>
  );
}

/** Images are loaded from the page's own settings only, so here they are links. */
function messageUi(lang: string, avatar = ""): MessageUi {
  const config = { avatar, imageOrigins: [] };
  const conversation = { announceText: () => {} };
  const locale = findLocale(lang, LANGUAGES);
  const ui: MessageUi = { locale, config, conversation };
  const t = (id: number) => textOf(EXTRAS_LANGUAGES[locale.lang]!, id);
  /** Of the extras, only what stands below an answer. */
  const slot: Slot = (place, value) => {
    const turn = value as TranscriptMessage;
    if (place === BELOW && turn.role === "assistant") {
      return (
        <AnswerRow {...{ t, turn }}>
          <CopyButton ui={ui} text={turn.text} />
        </AnswerRow>
      );
    }
  };
  return { ...ui, slot };
}

/** The dashboard's colours: chosen, or those of the system. */
function theme(): string {
  const chosen = document.documentElement.dataset.theme;
  return chosen === "light" || chosen === "dark" ? chosen : "auto";
}

function openRoot(host: HTMLElement, styles: string): ShadowRoot {
  const root = host.attachShadow({ mode: "open" });
  // Browsers without constructed sheets never show the widget; here they show it without styles.
  if ("adoptedStyleSheets" in root) root.adoptedStyleSheets = [styles, IN_PAGE].map(styleSheet);
  return root;
}

const SHEETS = new Map<string, CSSStyleSheet>();

/** Parsed once for all messages. The page's policy allows constructed sheets, but no style elements. */
function styleSheet(css: string): CSSStyleSheet {
  let sheet = SHEETS.get(css);
  if (sheet === undefined) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    SHEETS.set(css, sheet);
  }
  return sheet;
}
