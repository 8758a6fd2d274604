import { renderMarkdown } from "@/widget/components/render_markdown.tsx";
import type { Ui } from "@/widget/ui.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** What the widget's renderer needs of a widget: outside one, nothing is announced or loaded. */
const OUTSIDE_WIDGET = {
  locale: { lang: "en", dir: "ltr", t: () => t("Copy") },
  config: { imageOrigins: [] },
  conversation: { announceText() {} },
} as unknown as Ui;

/** An answer as the visitor saw it: by the widget's own renderer, on the server and in islands. */
export function AnswerMarkdown({ text, live = false }: { text: string; live?: boolean }) {
  const message = { id: 0, role: "assistant" as const, text };
  return (
    <div class={live ? "answer-markdown live" : "answer-markdown"} dir="auto">
      {renderMarkdown(message, { ui: OUTSIDE_WIDGET, live })}
    </div>
  );
}
