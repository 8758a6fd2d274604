import { useEffect, useState } from "preact/hooks";
import { AnswerMarkdown } from "@/components/inbox/AnswerMarkdown.tsx";
import { ApprovalCard } from "@/components/inbox/ApprovalCard.tsx";
import { followRun, type LiveText, NO_TEXT } from "@/lib/dashboard/browser/follow_run.ts";
import { rich, t } from "@/lib/dashboard/texts/translate.ts";

/** The answer of a running conversation as it is written. At its end the page shows what was stored. */
export default function LiveAnswer(
  { runId, canDecide }: { runId: string; canDecide: boolean },
) {
  const [live, setLive] = useState<LiveText>(NO_TEXT);
  useEffect(() => followRun(runId, { onChange: setLive, onEnd: () => location.reload() }), [runId]);
  return (
    <div class="said said-assistant">
      <p class="sr-only">{t("Agent:")}</p>
      {live.text !== "" && <AnswerMarkdown text={live.text} live />}
      {live.asked !== undefined && (
        <ApprovalCard key={live.asked.n} {...{ runId, canDecide }} call={live.asked} />
      )}
      {live.tool !== "" && live.asked === undefined && (
        <p class="help">{t("Using {tool}…", { tool: live.tool })}</p>
      )}
      {live.text === "" && live.tool === "" && <p class="help">{t("The agent is answering…")}</p>}
      {live.isLost && (
        <p class="help">
          {rich("The connection was lost. {link}", { link: <a href="">{t("Reload")}</a> })}
        </p>
      )}
    </div>
  );
}
