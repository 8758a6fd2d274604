import { styleSheet } from "../style_sheet.ts";
import { answerFeature } from "./answer/answer_feature.tsx";
import { branchFeature } from "./branch/branch_feature.tsx";
import { conversationsFeature } from "./conversations/conversations_feature.tsx";
import { attachmentsFeature } from "./attachments/attachments_feature.tsx";
import type { ExtrasContext, Feature } from "./extras_context.ts";
import { useElementFactory } from "./extras_h.ts";
import type { Extras } from "./extras_host.ts";
import { feedbackFeature } from "./feedback/feedback_feature.tsx";
import { followUpsFeature } from "./follow_ups/follow_ups_feature.tsx";
import { handoffFeature } from "./handoff/handoff_feature.tsx";
import { loadTexts } from "./load_texts.ts";
import { menuFeature } from "./menu/menu_feature.tsx";
import { createServiceCall } from "./service_call.ts";
import { voiceFeature } from "./voice/voice_feature.tsx";
import { limitsFeature } from "./limits/limits_feature.tsx";
import { soundFeature } from "./switches/sound_feature.ts";
import { wideFeature } from "./switches/wide_feature.ts";

/** In the order in which they stand in a place and in the menu. */
const FEATURES: readonly Feature[] = [
  attachmentsFeature,
  answerFeature,
  branchFeature,
  voiceFeature,
  feedbackFeature,
  followUpsFeature,
  handoffFeature,
  limitsFeature,
  conversationsFeature,
  wideFeature,
  soundFeature,
  menuFeature,
];

export const startExtras: Extras["start"] = (host, ready, failed) => {
  const { h, ui, root, changed, fetcher } = host;
  useElementFactory(h);
  root.adoptedStyleSheets.push(styleSheet());
  const texts = loadTexts(ui, { fetcher, loaded: () => changed(false) });
  const call = createServiceCall({ apiBase: ui.config.apiBase, session: ui.session, fetcher });
  const { t } = texts;
  const context: ExtrasContext = {
    ...host,
    t,
    call,
    menuItems: [],
    answerActions: [],
    sheet: undefined,
    takesFocus: false,
  };
  const slots = FEATURES.map((feature) => feature(context));
  texts.ready
    .then(() => ready((place, value) => slots.map((slot) => slot?.(place, value))))
    .catch(failed);
};
