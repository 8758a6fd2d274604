// The order of imports is that in the bundle: any other costs up to 60 bytes more.
import { answerFeature } from "./answer/answer_feature.tsx";
import { limitsFeature } from "./limits/limits_feature.tsx";
import { callsFeature } from "./calls/calls_feature.tsx";
import { createServiceCall } from "./service_call.ts";
import { branchFeature } from "./branch/branch_feature.tsx";
import { followUpsFeature } from "./follow_ups/follow_ups_feature.tsx";
import { feedbackFeature } from "./feedback/feedback_feature.tsx";
import { menuFeature } from "./menu/menu_feature.tsx";
import { memoryFeature } from "./memory/memory_feature.tsx";
import { conversationsFeature } from "./conversations/conversations_feature.tsx";
import { handoffFeature } from "./handoff/handoff_feature.tsx";
import { voiceFeature } from "./voice/voice_feature.tsx";
import { attachmentsFeature } from "./attachments/attachments_feature.tsx";
import { soundFeature } from "./switches/sound_feature.ts";
import { wideFeature } from "./switches/wide_feature.ts";
import { loadTexts } from "./load_texts.ts";
import { useElementFactory } from "./extras_h.ts";
import { styleSheet } from "../style_sheet.ts";
import type { ExtrasContext, Feature } from "./extras_context.ts";
import type { Extras } from "./extras_host.ts";

/** In the order in which they stand in a place and in the menu. */
const FEATURES: readonly Feature[] = [
  attachmentsFeature,
  answerFeature,
  branchFeature,
  voiceFeature,
  feedbackFeature,
  callsFeature,
  followUpsFeature,
  handoffFeature,
  limitsFeature,
  conversationsFeature,
  memoryFeature,
  wideFeature,
  soundFeature,
  menuFeature,
];

export const startExtras: Extras["start"] = (host, ready, failed) => {
  const { h, ui, root, changed, fetcher } = host;
  useElementFactory(h);
  root.adoptedStyleSheets.push(styleSheet());
  const texts = loadTexts(ui, { fetcher, loaded: () => changed(false) });
  const callService = createServiceCall({
    apiBase: ui.config.apiBase,
    session: ui.session,
    fetcher,
  });
  const { t } = texts;
  const context: ExtrasContext = {
    ...host,
    t,
    callService,
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
