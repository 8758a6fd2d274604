import { AnswerFeedback } from "./answer_feedback.ts";
import { FeedbackButtons } from "./components/FeedbackButtons.tsx";
import { useElementFactory } from "./extras_h.ts";
import type { BelowAnswer, ExtrasHost } from "./extras_host.ts";
import type { Languages } from "./locales.ts";
import { styleSheet } from "./style_sheet.ts";

export function startExtras({ h, ui, root, changed }: ExtrasHost, texts: Languages): BelowAnswer {
  useElementFactory(h);
  root.adoptedStyleSheets.push(styleSheet());
  const feedback = new AnswerFeedback({
    apiBase: ui.config.apiBase,
    session: ui.session,
    fetcher: fetch.bind(globalThis),
    changed,
  });
  return (answer) => <FeedbackButtons {...{ ui, feedback, texts, answer }} />;
}
